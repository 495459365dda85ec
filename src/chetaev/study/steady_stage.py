"""The stage of a study that looks for equilibria and steady motions (SCOPE M3, M6).

Where the system can rest, how its cyclic coordinates can move steadily, the eigenvalues there,
whether that is stable and why. Each question may spend `EFFORT`; ``ch.equilibria``,
``ch.relative_equilibria`` and ``ch.follow`` ask further.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from chetaev.errors import ModelError
from chetaev.model.system import System

if TYPE_CHECKING:
    from chetaev.analysis.steady.equilibrium import Equilibria

Data = dict[str, Any]
EFFORT = 200_000
"""What each exact question may cost if nothing else is said."""
MOST = 8
"""So many are shown."""


def steady(system: System, effort: int | None) -> Iterator[Data]:
    """Equilibria, then steady motions: what was found, or the sentence why there is nothing."""
    from chetaev.analysis.steady.cyclic import steady_motions
    from chetaev.analysis.steady.equilibria import equilibria, expect_autonomous

    effort = effort or EFFORT
    data: Data = {"excluded": {}, "values": {"equilibria": [], "motions": []}}
    if system.dynamics.hamiltonian is not None:
        data["excluded"]["equilibria"] = "on a phase space they are not looked for"
        yield data
        return
    try:
        expect_autonomous(system)
    except ModelError as error:
        data["excluded"]["equilibria"] = error.message
        yield data
        return
    try:
        found = equilibria(system, effort=effort)
        data["equilibria"] = _told(found)
        data["values"]["equilibria"] = _rows(found)
    except ModelError as error:
        data["excluded"]["equilibria"] = error.message
    yield data
    try:
        cyclic, motions = steady_motions(system, effort)
        data["cyclic"] = list(cyclic)
        if motions is not None:
            data["motions"] = _told(motions)
            data["values"]["motions"] = _rows(motions)
    except ModelError as error:
        data["excluded"]["steady motions"] = error.message
    yield data


def _told(found: Equilibria) -> Data:
    return found.to_json() | {"more": max(0, len(found) - MOST)}


def _rows(found: Equilibria) -> list[Data]:
    """Everything that a row of the report shows, as values."""
    from chetaev.analysis.linear.linearization import written

    rows = []
    for e in found[:MOST]:
        aside = {*e.free, *(e.linearization.relative_to if e.linearization else ())}
        where = []
        for name, x in e.state.items():
            order, bare = int(name.endswith("_dot")), name.removesuffix("_dot")
            exact = e.exact.get(name)
            if name in aside or (order and x == 0 and (exact is None or exact.op == "number")):
                continue
            where.append((bare, order, exact, f"{x:.6g}"))
        free = [(n.removesuffix("_dot"), int(n.endswith("_dot"))) for n in e.free]
        limits = e.criteria
        rows.append(
            {
                "where": where,
                "free": free,
                "singular": list(e.singular),
                "stable": e.stable,
                "reason": e.reason,
                "eigenvalues": [written(complex(z)) for z in e.eigenvalues],
                "conditions": list(limits.conditions) if limits is not None else [],
                "says": limits.says if limits is not None else "",
                "zeros": limits.zeros if limits is not None else 0,
                "open": limits is not None and limits.is_open,
                "never": limits is not None and limits.holds is False,
                "unless": list(limits.unless) if limits is not None else [],
            }
        )
    return rows
