"""What moves in a steady motion: cyclic coordinates by name, or one-parameter groups given by their fields.

A coordinate is *cyclic* in the sense of :mod:`chetaev.analysis.linear.state_matrices`: the motion of the
others does not depend on it in some chart of Q. A field ξ = Σ ξ^i(q) ∂/∂q^i is a *generator* if its flow
takes motions to motions; that is asked of :func:`chetaev.symmetries`, which proves or refutes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chetaev.analysis.linear.state_matrices import expect_names
from chetaev.errors import ModelError
from chetaev.expr.graph.node import ZERO, symbols
from chetaev.laws.symmetry.given_fields import Components, read_field
from chetaev.laws.symmetry.symmetries import symmetries as judged
from chetaev.model.system import System
from chetaev.model.system_arguments import as_list


@dataclass(frozen=True)
class Moving:
    """Cyclic coordinates, or generators: one of the two is empty; both are for equilibria."""

    cyclic: tuple[str, ...]
    fields: tuple[Components, ...] = ()

    @property
    def rates(self) -> tuple[str, ...]:
        """Names of the speeds along the generators."""
        return tuple(f"rate_{i + 1}" for i in range(len(self.fields)))


def moving_of(system: System, given: Any, what: str = "symmetries") -> Moving:
    """From names, translations, and fields such as ``{"x": "-y", "y": "x"}``."""
    names: list[Any] = []
    fields: list[Components] = []
    for item in [given] if isinstance(given, str | Mapping) else as_list(given, what):
        components = item if isinstance(item, Mapping) else getattr(item, "components", None)
        if not isinstance(components, Mapping):
            names.append(item)
            continue
        one = read_field(system, dict(components), "point")
        moved = {n: e for n, e in one.along if e is not ZERO}
        if one.time is not ZERO:
            raise ModelError(
                f"the field {one} has a component along {one.time_name}",
                expected="generators that move coordinates only",
            )
        if not moved:
            raise ModelError("a field of the symmetries is zero", expected="generators that move something")
        if any(n == system.time for e in moved.values() for n, _ in symbols(e)):
            raise ModelError(
                f"the field {one} depends on {system.time}", expected="functions of the coordinates"
            )
        if len(moved) == 1 and not symbols(next(iter(moved.values()))):
            names += list(moved)
        else:
            fields.append(one)
    cyclic = expect_names(names, what, system.coordinates, "coordinate")
    if not fields:
        return Moving(cyclic)
    translations = [read_field(system, {c: 1}, "point") for c in cyclic]
    every = (*translations, *fields)
    for one, answer in zip(every, judged(system, fields=[dict(x.by_name) for x in every]), strict=True):
        if answer.of_dynamics is False:
            raise ModelError(
                f"{one} is no symmetry: its flow does not take motions to motions",
                expected="symmetries of the motion",
                remedy="ch.symmetries(system) looks for some",
            )
        if answer.of_dynamics is None:
            raise ModelError(f"whether {one} is a symmetry is not decided")
    return Moving((), every)
