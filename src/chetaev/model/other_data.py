"""Other parameter values and initial data, laid over those of a system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chetaev.errors import ModelError
from chetaev.expr.graph.node import symbols
from chetaev.expr.language.scope import normal_name
from chetaev.model.checked_fields import Initial
from chetaev.model.system_arguments import name_of, nested_initial
from chetaev.model.system_parts import SystemParts


def other_parameters(
    system: SystemParts, written: Mapping[str, Any], given: Mapping[Any, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Entries of the model with other parameter values: to be read, and as they are written."""
    changes = {normal_name(name_of(k)): v for k, v in given.items()}
    for name in changes:
        if name not in system.parameters:
            said = f"the model {system.name!r} has no parameter {name!r}"
            raise ModelError.unknown(said, name, system.parameters, "a model with parameters")
    texts = {normal_name(k): v for k, v in (written.get("parameters") or {}).items()}
    return {"parameters": {**system.parameters, **changes}}, {"parameters": {**texts, **changes}}


def other_initial(system: SystemParts, given: Mapping[Any, Any]) -> dict[str, Any]:
    """The entry of the model with other initial data."""
    changes = nested_initial(given, system.coordinates, system.time)
    own = system.initial or Initial()
    merged: dict[str, Any] = {"t": changes.get("t", own.t)}
    for part in ("position", "velocity"):
        both = {**getattr(own, part), **changes[part]}
        merged[part] = {k: v for k, v in both.items() if v is not None}
    held = {name for e in system.position_constraints for name, _ in symbols(e.residual)}
    for name, value in changes["position"].items():
        if value is None and name not in held:
            raise ModelError(
                f"the initial position of {name!r} is None, and no position constraint determines it",
                expected="a number",
            )
    if merged["t"] is None:
        raise ModelError("the initial time is None", expected="a number")
    return {"initial": merged}
