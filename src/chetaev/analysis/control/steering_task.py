"""What a steering problem asks for, read and checked: start, end, times, what is free; and why it cannot be
solved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.control.control_affine import ControlAffine, with_time
from chetaev.analysis.control.invariants import invariants
from chetaev.analysis.linear.state_matrices import expect_names
from chetaev.checked_arguments import number, shown, table, with_dot
from chetaev.errors import ModelError
from chetaev.expr.exact import Element, answer, ask
from chetaev.expr.graph.evaluate import evaluate, key_name
from chetaev.expr.graph.node import Expr, postorder, symbols
from chetaev.expr.language.parser import parse
from chetaev.geometry import Distribution, GeometryError
from chetaev.model.dynamics.mixed import Mixed
from chetaev.model.system import System

Array = NDArray[np.float64]
OFF = 1e-9
"""By so much values may miss a constraint, and levels of a law differ."""


@dataclass(frozen=True)
class SteeringTask:
    """From where to where, and when."""

    control: ControlAffine
    """The vector fields."""
    start: dict[str, float]
    end: dict[str, float]
    """Positions by name, and on the dynamic level velocities as ``x_dot``."""
    free: tuple[str, ...]
    """Names whose values at the end do not matter."""
    times: tuple[float, float]
    """The first and the last."""

    @property
    def kinematic(self) -> bool:
        """Whether velocities are chosen."""
        return self.control.level == "kinematic"

    @property
    def names(self) -> list[str]:
        """Components of the end that are prescribed: positions, then velocities."""
        system = self.control.system
        wanted = list(system.coordinates)
        if not self.kinematic:
            moving = _moving(system)
            wanted += [c + "_dot" for c in system.coordinates if c in moving]
        return [n for n in wanted if n not in self.free]

    def places(self) -> list[int]:
        """Their places in (q, v)."""
        every = [*self.control.system.coordinates, *(c + "_dot" for c in self.control.system.coordinates)]
        return [every.index(n) for n in self.names]

    def target(self) -> Array:
        """Their values."""
        return np.array([self.end[n] for n in self.names])


def read_task(control: ControlAffine, start: Any, end: Any, until: Any, free: Any) -> SteeringTask:
    """The task, or a ModelError that says what is wrong with it."""
    system = control.system
    t0 = 0.0 if system.initial is None else float(_value(system, system.initial.t, "the initial time"))
    last = system.until_value if until is None else until
    if last is None:
        raise ModelError("the final time is not said", remedy="give until=…")
    t1 = number(last, "the final time")
    if not t0 + 1e-9 <= t1 <= t0 + 1e9:
        raise ModelError(f"the final time is {t1:g} and the motion begins at {t0:g}", expected="a later time")
    own = dict.fromkeys(system.coordinates, 0.0)
    if system.initial is not None:
        own |= {c: _value(system, e, c) for c, e in system.initial.position.items()}
    moving = set() if control.level == "kinematic" else _moving(system)
    still = {c + "_dot": 0.0 for c in system.coordinates if c in moving}
    first = {**own, **still, **_given(system, start, "start", moving)}
    last_state = {**first, **still, **_given(system, end, "end", moving)}
    if end is None:
        raise ModelError("the end is not given", expected="a dictionary such as {'x': 1}")
    every = [*system.coordinates, *still]
    loose = expect_names(free, "free", every, "coordinate or velocity of one")
    _expect_on_constraints(control, first, t0, "start")
    if not loose:
        _expect_on_constraints(control, last_state, t1, "end")
    return SteeringTask(control, first, last_state, loose, (t0, t1))


def _moving(system: System) -> set[str]:
    """Coordinates whose velocities are states."""
    own = system.dynamics
    return set(own.independent) if isinstance(own, Mixed) else set(system.coordinates)


def _given(system: System, given: Any, what: str, moving: set[str]) -> dict[str, float]:
    values = table(given, f"the {what}", "a dictionary such as {'x': 1}")
    found = {}
    known = [*system.coordinates, *(c + "_dot" for c in system.coordinates if c in moving)]
    for key, value in values.items():
        name = with_dot(key)
        if not isinstance(name, str) or name not in known:
            raise ModelError.unknown(
                f"the {what} has {shown(key)}, which is no {'state' if moving else 'coordinate'} of the "
                f"system",
                key,
                known,
            )
        found[name] = _value(system, value, f"{name} at the {what}")
    return found


def _value(system: System, value: Any, what: str) -> float:
    if isinstance(value, str):
        value = parse(value, system.scope)
    if isinstance(value, Expr):
        try:
            value = float(evaluate([value], system.parameter_values)[0])
        except KeyError:
            raise ModelError(
                f"{what} is {value}", expected="a number, or an expression in parameters"
            ) from None
    return number(value, what, -1e9, 1e9, "a number between -10^9 and 10^9")


def values_at(system: System, state: Mapping[str, float], t: float) -> dict[Any, Any]:
    """What expressions are evaluated with at a state by names; velocities that it does not have are 0."""
    names = system.coordinates
    return system.values_at(t, [state[c] for c in names], [state.get(c + "_dot", 0.0) for c in names])


def along(system: System, motion: Any, t: Any) -> dict[Any, Any]:
    """What expressions are evaluated with along a motion."""
    q, v = ([motion[key_name(c, order)].values for c in system.coordinates] for order in (0, 1))
    return system.values_at(t, q, v)


def _expect_on_constraints(control: ControlAffine, state: Mapping[str, float], t: float, what: str) -> None:
    system = control.system
    known = values_at(system, state, t)
    rows = list(system.position_constraints)
    if control.level == "dynamic" and not isinstance(system.dynamics, Mixed):
        rows += list(system.velocity_constraints)
    for e in rows:
        missed = abs(float(evaluate([e.residual], known)[0]))
        if not missed <= OFF:
            raise ModelError(
                f"the {what} is not on the constraints: {e} is missed by {missed:.3g}",
                remedy="give positions and velocities that satisfy the constraints",
            )


def unreachable(task: SteeringTask) -> str | None:
    """Why no inputs at all lead to the end, proved; None where no reason is found.

    The reason is a function of state and time that ∂/∂t + X and Y_a leave constant, with another value at the
    end.
    """
    control = task.control
    if not control.known or not control.smooth:
        return None

    def found() -> list[Element]:
        fields = control.fields if control.timed or control.drift.is_zero else with_time(control)
        hull = Distribution.spanned_by(list(fields), control.on, fields[0].chart, check=False)
        flag = hull.derived_flag
        if flag.ranks[-1] == hull.dimension or not flag.proved:
            return []
        return invariants(flag.last, fields)

    try:
        laws = answer(ask(found)) or []
    except GeometryError:  # fields that cannot be bracketed
        return None
    for F in laws:
        e = F.to_expr()
        law = shown_law(control, e)
        if not _is_entire(law):
            continue  # where it has no value, a motion may pass to another of its values
        ends = zip((task.start, task.end), task.times, strict=True)
        a, b = (_at(control, e, state, t) for state, t in ends)
        if any(key_name(n, k) in task.free for n, k in symbols(law)) or a is None or b is None:
            continue
        if abs(a - b) > OFF * max(1.0, abs(a), abs(b)):
            return (
                f"the end cannot be reached: {law} is {a:.6g} at the start and {b:.6g} "
                f"at the end, and "
                "no input changes it (proved)"
            )
    return None


ENTIRE = {"number", "symbol", "constant", "add", "sub", "mul", "neg", "sin", "cos", "exp", "define"}


def _is_entire(e: Expr) -> bool:
    """Whether a function has a value everywhere: sums, products and powers of coordinates, sin, cos, exp."""
    for node in postorder(e):
        plain = node.op in ENTIRE or not any(True for _ in symbols(node))
        last = node.args[-1] if node.args else None
        if node.op in ("pow", "power") and last is not None and last.op == "number":
            plain = last.value >= 0 and last.value.denominator == 1
        if node.op == "div" and last is not None:
            plain = last.op == "number"
        if not plain:
            return False
    return True


def shown_law(control: ControlAffine, e: Expr) -> Expr:
    """A function on the chart, quasi-velocities by their meaning."""
    return e if control.frame is None else control.frame.on_states([e])[0]


def _at(control: ControlAffine, e: Expr, state: Mapping[str, float], t: float) -> float | None:
    try:
        value = float(evaluate([shown_law(control, e)], values_at(control.system, state, t))[0])
    except KeyError:  # a law in names that are no states
        return None
    return value if np.isfinite(value) else None
