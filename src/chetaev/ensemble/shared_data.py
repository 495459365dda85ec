"""What all members share: the system with their common data, which need not be a state by itself.

What a member has of its own is laid over the common data. So these may miss the constraints, or leave
velocities open, as long as some member completes them; and nothing may be given to all members that varies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from chetaev.checked_arguments import table
from chetaev.ensemble.member_choices import Members
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import key_name
from chetaev.expr.graph.node import symbols
from chetaev.expr.language.scope import normal_name
from chetaev.flow.run.compiled_field import compile_field
from chetaev.flow.run.run_options import prepared
from chetaev.model.system import System
from chetaev.model.system_arguments import nested_initial

TRIED = 256
"""So many members are tried, the first ones and others spread over all, for one that has an initial state."""


def with_shared_data(
    system: System,
    members: Members,
    until: Any,
    initial: Any,
    tolerance: Any,
    parameters: Any,
    energy: float | None,
) -> tuple[System, float, float]:
    """The system with what all members share, the final time and the tolerance.

    Where that is no state, a member's own data complete it: every other member lays its own over them.
    """
    parameters = dict(table(parameters, "parameters"))
    flat = _flat(table(initial, "the initial data"), system)
    _expect_apart(system, members, parameters, flat)
    _expect_fixed(system, members, until, tolerance)
    if energy is not None:
        _expect_no_velocities(system, members, flat, energy)
    try:
        return prepared(system, until, flat, tolerance, parameters, "ch.ensemble")
    except ModelError as error:
        for number in _some(members.count):
            row = {name: float(x[0]) for name, x in members.rows(number, number + 1).items()}
            own = {name: x for name, x in row.items() if name in system.parameters}
            data = {**flat, **{name: x for name, x in row.items() if name not in own}}
            try:
                if energy is not None:
                    data = _at_energy(system, {**parameters, **own}, data, energy, number, members.seed)
                return prepared(system, until, data, tolerance, {**parameters, **own}, "ch.ensemble")
            except ModelError:
                continue
        raise error from None


def _flat(initial: Mapping[Any, Any], system: System) -> dict[str, Any]:
    """Initial data by the names that they have in data sets."""
    nested = nested_initial(initial, system.coordinates, system.time)
    flat = {**nested["position"], **{key_name(c, 1): x for c, x in nested["velocity"].items()}}
    return flat if "t" not in nested else {**flat, system.time: nested["t"]}


def _expect_apart(
    system: System, members: Members, parameters: Mapping[Any, Any], initial: Mapping[str, Any]
) -> None:
    """Nothing may both be given to all members and vary."""
    given = {normal_name(k) for k in parameters if isinstance(k, str)}
    given |= {name for name, x in initial.items() if x is not None and name not in system.parameters}
    twice = [name for name in members.names if name in given]
    if twice:
        raise ModelError(
            f"{twice[0]!r} varies, and all members are given one value of it", remedy="leave out one of them"
        )


def parameters_behind(names: set[str], system: System) -> set[str]:
    """The parameters among some names, and those that they depend on."""
    found: set[str] = set()
    waiting = names & {*system.parameters}
    while waiting:
        found |= waiting
        needed = {name for one in waiting for name, _ in symbols(system.parameters[one])}
        waiting = (needed & {*system.parameters}) - found
    return found


def _expect_fixed(system: System, members: Members, until: Any, tolerance: Any) -> None:
    """All members end at one time and have one tolerance, which may not depend on what varies."""
    for what, given, own, remedy in (
        ("final time", until, system.until, "until=…"),
        ("tolerance", tolerance, system.tolerance, "tolerance=…"),
    ):
        if given is None and own is not None:
            moving = parameters_behind({name for name, _ in symbols(own)}, system) & {*members.names}
            if moving:
                raise ModelError(
                    f"the {what} depends on {min(moving)}, which varies", remedy=f"give {remedy}"
                )


def _expect_no_velocities(
    system: System, members: Members, initial: Mapping[str, Any], energy: float
) -> None:
    velocities = [key_name(c, 1) for c in system.coordinates]
    given = [v for v in velocities if v in members.names or initial.get(v) is not None]
    if given:
        raise ModelError(
            f"velocities are drawn at random at the energy {energy:g}, and {given[0]} is given too",
            remedy="leave out one of them",
        )


def _some(count: int) -> Iterator[int]:
    """Some numbers of members: the first ones, then others spread evenly over all."""
    first = min(count, TRIED // 2)
    yield from range(first)
    more = min(count - first, TRIED // 2)
    yield from (first + (k * (count - first)) // more for k in range(more))


def _at_energy(
    system: System,
    parameters: Mapping[str, Any],
    data: Mapping[str, Any],
    energy: float,
    number: int,
    seed: int,
) -> dict[str, float]:
    """A member's data with the velocities that are drawn for it."""
    from chetaev.ensemble.at_energy import states_at_energy

    own = system.with_parameters(dict(parameters)) if parameters else system
    row = {name: float(x) for name, x in data.items() if x is not None}
    return states_at_energy(own, compile_field(own), energy, row, number, seed)
