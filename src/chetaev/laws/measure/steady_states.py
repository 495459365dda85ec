"""Steady motions: states at which only ignorable coordinates move, at a constant rate (SCOPE M4, M6).

The law does not contain these coordinates, so Γ vanishes but for their own rates: the motion is a straight
line in them, and a closed orbit where they are angles. Some of the other coordinates and of the speeds are
put at simple values; the one, two or three that are left (coordinates, or speeds of ignorable ones) are found
in doubles by Newton's method for g(x) = 0, the accelerations and constraints, and recognised: rational
numbers, square roots of these, multiples of π/12, or arctan of such numbers. Whoever uses a state proves it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, islice, product

import numpy as np

from chetaev.expr.graph.engine import Engine
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import PI, ZERO, Expr, call, neg, number, symbol
from chetaev.numeric.linear import Array
from chetaev.numeric.newton import Function, newton

Name = tuple[str, int]
State = dict[Name, Expr]

MOST_SOLVED = 240, 60, 60
"""So many times one, two and three unknowns are solved for."""
MOST_TOGETHER = 12
"""So many times all unknowns but one: a line of equilibria has a point on most planes."""
STARTS = (0.4, 1.1, -0.6, 2.3)
STEPS = 12
NEAR = 1e-11
LARGEST = 400
"""Of numerators and denominators that are recognised."""
SMALL = 1e-9
LENGTHS = (LARGEST, SMALL), (200_000, 2e-14)
"""Denominators, and how near such a fraction has to be, so that it is seldom one by accident."""


def steady_states(
    conditions: Sequence[Expr], choices: Mapping[Name, Sequence[Expr]], angles: set[str]
) -> Iterator[State]:
    """States at which the conditions vanish in doubles, some of the unknowns solved for and recognised.

    `choices` are simple values of every unknown; the conditions contain no others.
    """
    if not choices:
        return
    names = list(choices)
    seen: set[tuple[str, ...]] = set()
    reduced = _compiled(conditions, names)
    counts = [*enumerate(MOST_SOLVED[: len(names)], 1)]
    counts += [(len(names) - 1, MOST_TOGETHER)] if len(names) - 1 > len(MOST_SOLVED) else []
    for count, most in counts:
        for pinned, unknown in islice(_pinned(names, choices, count), most):
            fixed = np.array([float(evaluate([pinned.get(n, ZERO)], {})[0]) for n in names])
            at = reduced(fixed, [names.index(n) for n in unknown])
            for start in _starts(count):
                state = _recognised(at, start, unknown, angles)
                if state is None:
                    continue
                state |= pinned
                key = tuple(str(state[n]) for n in names)
                if key not in seen:
                    seen.add(key)
                    yield state


def _starts(count: int) -> list[Array]:
    """Where Newton's method begins; for more unknowns, also at places of no distinction."""
    plain = [np.full(count, start) for start in STARTS]
    if count <= len(MOST_SOLVED):
        return plain
    return [*plain, *np.random.default_rng(1).uniform(-4, 4, (24, count))]


def _pinned(
    names: Sequence[Name], choices: Mapping[Name, Sequence[Expr]], count: int
) -> Iterator[tuple[State, tuple[Name, ...]]]:
    """All but so many unknowns at simple values; the unknowns take turns."""

    def without(unknown: tuple[Name, ...]) -> Iterator[tuple[State, tuple[Name, ...]]]:
        others = [n for n in names if n not in unknown]
        for values in product(*(choices[n] for n in others)):
            yield dict(zip(others, values, strict=True)), unknown

    turns = [without(unknown) for unknown in combinations(names, count)]
    while turns:
        for turn in [*turns]:
            found = next(turn, None)
            if found is None:
                turns.remove(turn)
            else:
                yield found


def _compiled(conditions: Sequence[Expr], names: Sequence[Name]) -> Callable[[Array, list[int]], Function]:
    """The conditions and their derivatives by the unknowns at some places, the others being fixed."""
    engine = Engine()
    variables = [symbol(*n) for n in names]
    column = engine.column(conditions)
    program = engine.function([variables], [column, engine.jacobian(column, variables)])

    def of(fixed: Array, places: list[int]) -> Function:
        def at(x: Array) -> tuple[Array, Array]:
            z = fixed.copy()
            z[places] = x
            value, slope = program(z)
            return np.array(value, dtype=float).ravel(), np.array(slope, dtype=float)[:, places]

        return at

    return of


def _recognised(function: Function, start: Array, unknown: Sequence[Name], angles: set[str]) -> State | None:
    """A zero of all conditions near a start, in exact numbers that its doubles may stand for."""
    end = newton(function, start, steps=STEPS)
    if end is None or np.abs(end.f).max(initial=0.0) >= NEAR:
        return None
    state: State = {}
    for x, (name, order) in zip(end.x, unknown, strict=True):
        value = recognised(float(x), name in angles and not order)
        if value is None:
            return None
        state[name, order] = value
    return state


def recognised(x: float, angle: bool = False) -> Expr | None:
    """A short exact number that a double may stand for; None if there is none.

    >>> print(recognised(0.75), recognised(-(2**0.5)), recognised(0.9827937232473290, angle=True))
    3/4 -sqrt(2) atan(3/2)
    """
    plain = _short(x)
    if plain is not None and not (angle and plain):
        return number(plain)
    if angle:
        turns = _short(12 * x / math.pi)
        if turns is not None and turns.denominator == 1:
            return number(turns / 12) * PI if turns else ZERO
        slope = recognised(math.tan(x)) if abs(math.cos(x)) > SMALL else None
        if slope is None:
            return number(plain) if plain is not None else None
        half = round((x - math.atan(math.tan(x))) / math.pi)
        base = call("atan", slope)
        return base if not half else base + number(half) * PI
    square = _short(x * x)
    if square is None:
        return None
    root = call("sqrt", number(square))
    return root if x > 0 else neg(root)


def _short(x: float) -> Fraction | None:
    for most, near in LENGTHS:
        value = Fraction(x).limit_denominator(most)
        if abs(float(value) - x) < near and abs(value.numerator) <= most**2:
            return value
    return None
