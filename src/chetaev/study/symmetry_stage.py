"""The stage of a study that asks for symmetries, momentum equations and an invariant measure.

Point symmetries of the motion in the smallest space, the momentum equations of those that leave L and the
constraint as they are, and an invariant density or what forbids one. Each may spend `EFFORT`, so that a study
does not wait for them; ``ch.symmetries``, ``ch.killing`` and ``ch.measure`` ask further.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from chetaev.errors import ModelError
from chetaev.model.system import System

if TYPE_CHECKING:
    from chetaev.laws.symmetry.symmetry import Symmetry

Data = dict[str, Any]

EFFORT = 200_000
"""What each exact question may cost if nothing else is said."""


def symmetries(system: System, effort: int | None) -> Iterator[Data]:
    """Symmetries, momentum equations, measure: what was found, or the sentence why there is nothing."""
    from chetaev.laws.measure.measure import measure
    from chetaev.laws.symmetry.momentum_equation import momentum_equations
    from chetaev.laws.symmetry.symmetries import symmetries as search

    effort = effort or EFFORT
    data: Data = {"excluded": {}, "values": {"symmetries": [], "momenta": [], "measure": None}}
    values = data["values"]
    fields: list[Symmetry] = []
    try:
        found = search(system, effort=effort)
        fields = list(found)
        data["symmetries"] = [one.to_json() for one in found]
        data["searched"] = "" if found.searched is None else str(found.searched)
        data["structure"] = "" if found.algebra is None else str(found.algebra)
        data["remark"] = found.remark
        values["symmetries"] = fields
    except ModelError as error:
        data["excluded"]["symmetries"] = error.message
    yield data
    try:
        density = measure(system, effort=effort)
        data["measure"] = density.to_json()
        values["measure"] = density
    except ModelError as error:
        data["excluded"]["measure"] = error.message
    yield data
    chosen = [one.components for one in fields if gives_a_momentum(one, system.time)]
    if chosen and system.dynamics.lagrangian is not None and system.dynamics.constraints_react:
        try:
            momenta = momentum_equations(system, chosen, effort=effort)
            data["momenta"] = momenta.to_json()
            values["momenta"] = list(momenta)
        except ModelError as error:
            data["excluded"]["momenta"] = error.message
    yield data


def gives_a_momentum(one: Symmetry, time: str) -> bool:
    """Whether a field leaves L as it is, and the constraint, and does not move time."""
    strict = one.of_lagrangian is True and one.divergence is None
    return strict and one.of_constraint is not False and time not in one.components
