"""Where a family begins, and in what range: as people give it, or all equilibria that are found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chetaev.analysis.linear.steady_directions import Moving
from chetaev.analysis.steady.equilibria import equilibria
from chetaev.analysis.steady.equilibrium import Equilibrium
from chetaev.analysis.steady.relative import relative_equilibria
from chetaev.checked_arguments import number, shown, with_dot
from chetaev.errors import ModelError, did_you_mean
from chetaev.expr.graph.evaluate import key_name
from chetaev.model.system import System
from chetaev.model.system_arguments import as_list


@dataclass(frozen=True)
class Start:
    """Values of all coordinates, velocities and parameters by name; which of them were said; in words."""

    values: Mapping[str, float]
    said: frozenset[str]
    words: str


def parameter_name(system: System, given: Any) -> str:
    """The name of what changes: a parameter, a coordinate, or a velocity as ``x_dot``."""
    names = system.coordinates
    known = [*system.parameters, *names, *(key_name(c, 1) for c in names)]
    text = with_dot(given)
    if not isinstance(text, str) or text not in known:
        raise ModelError(
            f"the parameter to follow is {shown(given)}",
            expected="one of " + ", ".join(known) if system.parameters else "a parameter of the model",
            remedy=did_you_mean(given, known) if isinstance(given, str) and given else "",
        )
    return text


def starts(
    system: System, start: Any, moving: Moving, given: Mapping[Any, Any] | None, name: str,
    over: tuple[float, float], effort: int,
) -> tuple[list[Start], Moving]:  # fmt: skip
    """All starts, with the parameter inside the range, and what moves."""
    if start is not None and given is not None:
        raise ModelError("a start and given values are there", expected="start=… or given=…, not both")
    here = _inside(system, name, over)
    if start is None:
        if moving.fields:
            raise ModelError(
                "no start is given", expected="a state near a steady motion, since the symmetries are fields"
            )
        found = (
            relative_equilibria(here, moving.cyclic, given, effort=effort)
            if moving.cyclic
            else equilibria(here, effort=effort)
        )
        if not found:
            what = "steady motions" if moving.cyclic else "equilibria"
            raise ModelError(
                f"no {what} were found at {name} = {_value(here, name)}: {found.searched}",
                remedy="give a start, or another range",
            )
        start = found
    if isinstance(start, Equilibrium | Mapping):
        start = [start]
    if not isinstance(start, list | tuple) or not start:
        raise ModelError(
            f"the start is {shown(start)}",
            expected="a state such as {'theta': 0.1}, an equilibrium or a list of equilibria",
        )
    cyclic = {
        e.linearization.relative_to
        for e in start
        if isinstance(e, Equilibrium) and e.linearization is not None and e.kind == "relative equilibrium"
    }
    if not moving.cyclic and not moving.fields and len(cyclic) == 1:
        moving = Moving(next(iter(cyclic)))
    return [_start(here, one, moving, name, over) for one in start], moving


def _value(system: System, name: str) -> str:
    return f"{system.parameter_values[name]:g}" if name in system.parameters else "the model's value"


def _inside(system: System, name: str, over: tuple[float, float]) -> System:
    """The system with the parameter inside the range."""
    if name not in system.parameters:
        return system
    x = system.parameter_values[name]
    return (
        system.with_parameters({name: min(max(x, over[0]), over[1])})
        if not over[0] <= x <= over[1]
        else system
    )


def _start(system: System, one: Any, moving: Moving, name: str, over: tuple[float, float]) -> Start:
    if isinstance(one, Equilibrium):
        one = dict(one.state)
    if not isinstance(one, Mapping):
        raise ModelError(
            f"a start is {shown(one)}", expected="a state such as {'theta': 0.1}, or an equilibrium"
        )
    one = {with_dot(n): x for n, x in one.items()}
    rates = {n: one.pop(n) for n in moving.rates if n in one}
    still = {} if moving.cyclic or moving.fields else {key_name(c, 1): 0 for c in system.coordinates}
    laid = system.with_initial({**still, **one})
    state = laid.state
    values = {**state.position, **{key_name(c, 1): x for c, x in state.velocity.items()}}
    if name in values:
        values[name] = min(max(values[name], over[0]), over[1])
    words = ", ".join(f"{n} = {x:.6g}" for n, x in values.items() if x) or "at rest"
    rates = {n: number(x, f"the start of {n}") for n, x in rates.items()}
    return Start({**values, **system.parameter_values, **rates}, frozenset({*one, *rates}), words)


def range_of(over: Any) -> tuple[float, float]:
    """Two ends, the smaller one first."""
    ends = [] if isinstance(over, str | Mapping) else as_list(over, "over")
    if len(ends) != 2:
        raise ModelError(f"the range is {shown(over)}", expected="two numbers, such as over=(0, 2)")
    low, high = (number(x, "an end of the range", -1e9, 1e9) for x in ends)
    if low == high:
        raise ModelError(f"the range from {low:g} to {high:g} is empty", expected="two different numbers")
    return min(low, high), max(low, high)


def held_names(system: System, moving: Moving, hold: Any, parameter: str) -> list[str]:
    """The names of unknowns that keep their values, checked."""
    if isinstance(hold, str):
        hold = (hold,)
    known = [c for c in system.coordinates if c not in moving.cyclic]
    known += [key_name(c, 1) for c in moving.cyclic] + list(moving.rates)
    found = []
    for item in as_list(hold, "hold"):
        text = with_dot(item)
        if not isinstance(text, str) or text not in known or text == parameter:
            words = f"hold has {shown(item)}, which is no unknown of these motions"
            raise ModelError.unknown(words, item, [n for n in known if n != parameter])
        found.append(text)
    return list(dict.fromkeys(found))
