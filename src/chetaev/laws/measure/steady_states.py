"""Steady motions: states at which only ignorable coordinates move, at a constant rate (SCOPE M4, M6).

The law does not contain these coordinates, so Γ vanishes but for their own rates: the motion is a straight
line in them, and a closed orbit where they are angles. All but one of the other coordinates, and the speeds,
are put at simple values; the one that is left (a coordinate, or the speed of an ignorable one) is found in
doubles by Gauss–Newton steps for one unknown,

    x ← x − (J·g)/(J·J),      g(x) = 0 the accelerations and constraints,

and recognised: a rational number, a square root of one, a multiple of π/12, or arctan of such numbers.
Whoever uses a state proves it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice, product

from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import PI, ZERO, Expr, call, neg, number

Name = tuple[str, int]
State = dict[Name, Expr]

MOST_SOLVED = 240
"""So many equations for one unknown are tried."""
STARTS = (0.4, 1.1, -0.6, 2.3)
STEPS = 12
NEAR = 1e-11
LARGEST = 60
"""Of numerators and denominators that are recognised."""
SMALL = 1e-9


def steady_states(
    conditions: Sequence[Expr], choices: Mapping[Name, Sequence[Expr]], angles: set[str]
) -> Iterator[State]:
    """States at which the conditions vanish in doubles, one of the unknowns solved for and recognised.

    `choices` are simple values of every unknown; the conditions contain no others.
    """
    if not choices:
        return
    names = list(choices)
    seen: set[tuple[str, ...]] = set()
    for pinned, unknown in islice(_pinned(names, choices), MOST_SOLVED):
        values = {n: float(evaluate([e], {})[0]) for n, e in pinned.items()}
        for start in STARTS:
            x = _solved(conditions, values, unknown, start)
            value = None if x is None else recognised(x, unknown[0] in angles and not unknown[1])
            if value is None:
                continue
            state = {**pinned, unknown: value}
            key = tuple(str(state[n]) for n in names)
            if key not in seen:
                seen.add(key)
                yield state


def _pinned(names: Sequence[Name], choices: Mapping[Name, Sequence[Expr]]) -> Iterator[tuple[State, Name]]:
    """All but one unknown at simple values; the unknowns take turns."""

    def one(unknown: Name) -> Iterator[tuple[State, Name]]:
        others = [n for n in names if n != unknown]
        for values in product(*(choices[n] for n in others)):
            yield dict(zip(others, values, strict=True)), unknown

    turns = [one(unknown) for unknown in names]
    while turns:
        for turn in [*turns]:
            found = next(turn, None)
            if found is None:
                turns.remove(turn)
            else:
                yield found


def _solved(
    conditions: Sequence[Expr], values: Mapping[Name, float], unknown: Name, start: float
) -> float | None:
    """A zero of all conditions in one unknown, in doubles."""

    def at(x: float) -> list[float] | None:
        try:
            found = [float(y) for y in evaluate(conditions, {**values, unknown: x})]
        except (ModelError, ArithmeticError, ValueError, KeyError):
            return None
        return found if all(map(math.isfinite, found)) else None

    x = start
    for _ in range(STEPS):
        here, there = at(x), at(x + 1e-6)
        if here is None or there is None:
            return None
        if max(map(abs, here), default=0.0) < NEAR:
            return x
        slope = [(b - a) / 1e-6 for a, b in zip(here, there, strict=True)]
        size = math.fsum(s * s for s in slope)
        if size < 1e-20:
            return None
        step = math.fsum(s * a for s, a in zip(slope, here, strict=True)) / size
        x -= max(-1.0, min(1.0, step))
    end = at(x)
    return x if end is not None and max(map(abs, end), default=1.0) < NEAR else None


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
    value = Fraction(x).limit_denominator(LARGEST)
    if abs(float(value) - x) < SMALL and abs(value.numerator) <= LARGEST**2:
        return value
    return None
