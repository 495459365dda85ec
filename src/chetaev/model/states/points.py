"""Random points of Q, well spread, seeded, with as many digits as wanted.

A point (t, q, v) is drawn around the initial state (around the origin if there is none), then moved onto
the constraints by Newton's method with least-norm steps, first the position onto φ = 0, then the velocity
onto f = 0, in mpmath arithmetic: so both signs and all branches within reach occur. Points where something
is not finite are drawn again. So a seed gives the same points everywhere, to all their digits.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chetaev.errors import ExhaustedError, ModelError
from chetaev.expr.exact import GivenUp, ask
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.calculus import Calculus
from chetaev.expr.graph.evaluate import evaluate, evaluate_mp, key_name, mp_context
from chetaev.expr.graph.node import Expr
from chetaev.model.states.stack_of_constraints import Level, Stack, every_constraint
from chetaev.numeric import GOOD, ROUNDING, independent_rows, onto, pivot_columns, unit_rows
from chetaev.numeric.linear import SingularMatrixError
from chetaev.numeric.many_digits import least_norm

if TYPE_CHECKING:
    from chetaev.model.system import System

Point = dict[Any, Any]
"""Values by ``(name, order)`` for coordinates and velocities, by name for time and parameters."""
HOPELESS = 100
"""After so many draws without a point none is expected: models of the gallery need up to six."""


def exact_levels(system: System) -> tuple[Level, Level]:
    """φ with ∂φ/∂q and f = (dφ/dt, f) with ∂f/∂v, as exact graphs."""
    calculus = Calculus()
    return Stack.of_constraints(system).on(calculus).levels(calculus)


def parameter_point(system: System, digits: int) -> Point:
    """The parameters with so many digits."""
    values: Point = {}
    for name, expr in system.parameters.items():
        values[name] = evaluate_mp([expr], {n: values[n] for n, _ in graph.symbols(expr)}, digits)[0]
    return values


def random_points(system: System, count: int, seed: int = 0, digits: int = 50) -> Iterator[Point]:
    """Yield `count` points of Q at the parameter values of the system; a ModelError when none can be found.

    With so many significant digits residuals are below 10^(5 − digits).
    """
    rng = random.Random(seed)
    constraints = exact_levels(system)
    parameters = parameter_point(system, digits + 10)
    mp = mp_context(digits + 10)
    found, tries = 0, 0
    while found < count:
        tries += 1
        if tries > (60 * count + HOPELESS if found else HOPELESS):
            if not found and every_constraint(system):
                raise _no_point()
            raise NoPointError(
                f"only {found} of {count} random points of the constraint could be found",
                remedy="give an initial state inside the domain of the model: points are drawn around it",
            )
        point = _draw(system, rng, tries)
        good = ask(_settle, system, constraints, {**parameters, **point}, mp)
        if good is not None and not isinstance(good, GivenUp):
            found += 1
            yield good


def random_states(system: System, count: int, seed: int) -> list[dict[str, float]]:
    """Initial data on the constraints, see :meth:`chetaev.model.system.System.random_states`."""
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise ModelError(f"{count!r} random states are wanted", expected="a number of them")
    found = []
    for point in random_points(system, count, seed, digits=20):
        data = {system.time: float(point[system.time])}
        data |= {c: float(point[c, 0]) for c in system.coordinates}
        data |= {key_name(c, 1): float(point[c, 1]) for c in system.coordinates}
        found.append(data)
    return found


def sample_point(system: System) -> Mapping[Any, float]:
    """One generic point of Q in double precision, for choices of pivots."""
    found = _generic_point(system)
    if found is None and not every_constraint(system):
        raise NoPointError(
            "no state was found at which the model has finite values",
            remedy="is a function undefined everywhere? If not, give an initial state inside the domain of "
            "the model: points are drawn around it",
        )
    if found is None:
        raise _no_point()
    return found


class NoPointError(ModelError, ExhaustedError):
    """No point of Q, or too few, was found: that there is none is not known."""


def _no_point() -> NoPointError:
    return NoPointError(
        "no point of the constraint could be found",
        remedy="do constraints contradict each other, or hide a condition on positions, which is to be given "
        "as a position constraint? If not, give an initial state inside the domain of the model: points are "
        "drawn around it",
    )


@lru_cache(maxsize=256)
def _generic_point(system: System) -> Mapping[Any, float] | None:
    """None where none is found, which is not looked for again.

    Of several sheets of Q, as of x' y' = 0, that of the initial state is preferred: what is a chart there is
    one at the point.
    """
    constraints = exact_levels(system)
    rng = random.Random(20)
    chart = _chart_at_start(system, constraints[1][1])
    other: Mapping[Any, float] | None = None
    for tries in range(1, HOPELESS + 1):
        point: dict[Any, Any] = {**system.parameter_values, **_draw(system, rng, tries)}
        for order, (functions, jacobian) in enumerate(constraints):
            moved = (
                _rough(functions, jacobian, [(c, order) for c in system.coordinates], point)
                if functions
                else {}
            )
            if moved is None:
                break
            point.update(moved)
        else:
            values = {k: float(x) for k, x in point.items()}
            if np.isfinite(evaluate(system.dynamics.functions, values)).all():
                if len(_chart(constraints[1][1], values, chart, ROUNDING)) == len(chart):
                    return MappingProxyType(values)
                other = other or MappingProxyType(values)
    return other


def _chart_at_start(system: System, jacobian: list[list[Expr]]) -> list[int]:
    """Columns of ∂f/∂v with good pivots at the initial state; none without one, or where it is singular."""
    if system.initial is None or not jacobian:
        return []
    every = list(range(len(system.coordinates)))
    chosen = _chart(jacobian, system.values_of(system.state), every, GOOD)
    return chosen if len(chosen) == len(jacobian) else []


def _chart(
    jacobian: list[list[Expr]], values: Mapping[Any, float], columns: list[int], least: float
) -> list[int]:
    """Of these columns those with pivots of at least this part of the largest entry of their row."""
    if not columns:
        return []
    here = np.array([evaluate(row, values) for row in jacobian], dtype=float)
    return (
        pivot_columns(unit_rows(here)[:, columns], len(here), smallest=least)
        if np.isfinite(here).all()
        else []
    )


@lru_cache(maxsize=256)
def precise_samples(system: System) -> tuple[Point, Point] | None:
    """The generic point of :func:`sample_point`, moved onto Q with 40 and with 70 digits.

    A value that changes its leading digits from one to the other is rounding error, however large or small.
    None if the point cannot be moved so close.
    """
    constraints, found = exact_levels(system), []
    start = {k: Fraction(x) for k, x in sample_point(system).items()}
    for digits in (40, 70):
        values = ask(parameter_point, system, digits)
        if isinstance(values, GivenUp):
            return None
        settled = ask(_settle, system, constraints, {**start, **values}, mp_context(digits))
        if settled is None or isinstance(settled, GivenUp):
            return None
        found.append(settled)
    return found[0], found[1]


def _draw(system: System, rng: random.Random, tries: int) -> Point:
    """A random starting point; the spread changes from draw to draw."""
    spread = (0.3, 1.0, 2.0)[tries % 3]
    state = system.state if system.initial is not None else None
    point: Point = {system.time: _rational(rng, 1.0 + (state.t if state else 0.0), min(spread, 0.9))}
    for name in system.coordinates:
        centre_q = state.position[name] if state else 0.0
        centre_v = state.velocity[name] if state else 0.0
        point[(name, 0)] = _rational(rng, centre_q, spread)
        point[(name, 1)] = _rational(rng, centre_v, spread * (1 + abs(centre_v)))
    return point


def _rational(rng: random.Random, centre: float, spread: float) -> Fraction:
    return Fraction(round((centre + rng.uniform(-spread, spread)) * 2**16), 2**16)


def _settle(system: System, constraints: tuple[Level, Level], point: Point, mp: Any) -> Point | None:
    """Move a point onto φ = 0 and then onto f = 0; None if it does not settle."""
    for order, (functions, jacobian) in enumerate(constraints):
        keys = [(c, order) for c in system.coordinates]
        moved = settled(functions, jacobian, keys, point, mp)
        if moved is None:
            return None
        point = moved
    values = evaluate_mp(system.dynamics.functions, point, mp.dps)
    return point if all(mp.isfinite(x) for x in values) else None


def settled(
    functions: list[Expr], jacobian: list[list[Expr]], keys: list[Any], point: Point, mp: Any
) -> Point | None:
    """Newton's method with least-norm steps: first in double precision, then polished with all digits."""
    if functions:
        rough = _rough(functions, jacobian, keys, point)
        if rough is None:
            return None
        point = {**point, **rough}
    point = {
        k: mp.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else mp.mpf(x)
        for k, x in point.items()
    }
    if not functions:
        return point
    goal = mp.mpf(10) ** (8 - mp.dps)
    columns = len(keys)
    chosen = _independent_rows(jacobian, point)
    flat = [e for i in chosen for e in jacobian[i]]
    for _ in range(12):
        values = evaluate_mp([*functions, *flat], point, mp.dps)
        if not all(mp.isfinite(x) for x in values):
            return None
        f, entries = values[: len(functions)], values[len(functions) :]
        if max(abs(x) for x in f) < goal:
            return point
        C = mp.matrix([entries[i * columns : (i + 1) * columns] for i in range(len(chosen))])
        try:
            step = least_norm(mp, C, -mp.matrix([f[i] for i in chosen]))
        except SingularMatrixError:
            return None
        for j, key in enumerate(keys):
            point[key] += step[j]
    return None


def _independent_rows(jacobian: list[list[Expr]], point: Point) -> list[int]:
    """Rows that span all rows of the Jacobian near a point: redundant constraints are no obstacle."""
    values = {k: float(x) for k, x in point.items()}
    numbers = np.array(evaluate([e for row in jacobian for e in row], values)).reshape(len(jacobian), -1)
    return independent_rows(unit_rows(numbers))


def _rough(
    functions: list[Expr], jacobian: list[list[Expr]], keys: list[Any], point: Point
) -> dict[Any, Fraction] | None:
    """A point near the constraint in double precision."""
    values = {k: float(x) for k, x in point.items()}
    flat = [e for row in jacobian for e in row]
    rows, columns = len(functions), len(keys)

    def at(x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        numbers = np.array(evaluate([*functions, *flat], values | dict(zip(keys, x.tolist(), strict=True))))
        return numbers[:rows], numbers[rows:].reshape(rows, columns)

    found = onto(at, np.array([values[k] for k in keys]))
    return None if found is None else dict(zip(keys, map(Fraction, found.tolist()), strict=True))
