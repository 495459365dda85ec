r"""Growth vectors from Taylor polynomials at a point, where brackets are too long to be written down.

At a point p of the manifold the fields are replaced by their Taylor polynomials of degree d, with balls as
coefficients. A bracket loses one degree, so brackets of up to d + 1 fields have certain values at p:

    T_{k−1}[X, Y] = T_{k−1}( T_{k−1}X · ∂(T_k Y) − T_{k−1}Y · ∂(T_k X) ).

A rank seen at a point is a proved lower bound of the generic rank; that a flag stops growing is tested.

>>> from chetaev.geometry import Chart, Distribution, VectorField
>>> chart = Chart(["x", "y", "z", "w"])
>>> engel = Distribution.spanned_by([chart.partial("w"), VectorField(chart, [1, "z", "w", 0])])
>>> growth_at_a_point(engel, small=True)
(2, 3, 4)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, TypeVar

from flint import arb, ctx

from chetaev.expr.exact import BudgetError, Element
from chetaev.geometry.chart.ranks_seen import BallRow, take_in
from chetaev.geometry.chart.zeros import BITS, Zeros

if TYPE_CHECKING:
    from chetaev.geometry.chart.functions import Symbol
    from chetaev.geometry.distribution.distribution import Distribution

T = TypeVar("T")
Exponents = tuple[int, ...]
Series = dict[Exponents, arb]
"""A Taylor polynomial by exponents of the displacements."""

MAX_DEGREE = 6


def pairs_to_bracket(
    generators: Sequence[T], old: Sequence[T], new: Sequence[T], small: bool
) -> list[tuple[T, T]]:
    """The fields whose brackets the next member of the small or the derived flag adds."""
    if small and old:
        return [(X, Z) for X in generators for Z in new]
    return [*combinations(new, 2), *((X, Z) for X in old for Z in new)]


def growth_at_a_point(distribution: Distribution, small: bool) -> tuple[int, ...]:
    """The growth vector of the small or the derived flag, as seen at one point."""
    zeros = distribution.zeros
    with ctx.workprec(BITS):
        for degree in range(2, MAX_DEGREE + 1):
            for point in zeros.points:
                fields = [[taylor(a, point, zeros, degree) for a in row] for row in distribution._rows]
                if all(s is not None for row in fields for s in row):
                    known = [[s for s in row if s is not None] for row in fields]
                    ranks = _growth(known, degree, distribution.dimension, small)
                    break
            else:
                raise BudgetError("the fields are not defined at any of the points tried")
            if ranks is not None:
                return ranks
    raise BudgetError(
        f"the flag is longer than {MAX_DEGREE + 1} steps, and its brackets are too long to be written"
    )


def taylor(element: Element, point: dict[Symbol, arb], zeros: Zeros, degree: int) -> Series | None:
    """The Taylor polynomial of a function at a point; None where it is not defined."""
    symbols = zeros.chart.symbols
    level: dict[Exponents, Element] = {(0,) * len(symbols): element}
    result: Series = {}
    for k in range(degree + 1):
        following: dict[Exponents, Element] = {}
        for exponents, f in level.items():
            value = zeros.value(f, point)
            if value is None:
                return None
            result[exponents] = value
            last = max((i for i, e in enumerate(exponents) if e), default=0)
            for i in range(last, len(symbols)) if k < degree else ():
                if symbols[i] in f.symbols:
                    raised = (*exponents[:i], exponents[i] + 1, *exponents[i + 1 :])
                    slope = f.diff(symbols[i])
                    if not slope.is_blank:
                        following[raised] = slope
        level = following
    for exponents in result:
        scale = 1
        for e in exponents:
            for j in range(2, e + 1):
                scale *= j
        result[exponents] = result[exponents] / scale
    return result


def _bracket(X: list[Series], Y: list[Series], degree: int) -> list[Series]:
    """The bracket up to the given degree, of fields known to one degree more."""
    result = []
    for a, b in zip(X, Y, strict=True):
        total: Series = {}
        for field, slope, sign in ((X, b, 1), (Y, a, -1)):
            for i, component in enumerate(field):
                for f, value in slope.items():
                    if not f[i]:
                        continue
                    lowered = (*f[:i], f[i] - 1, *f[i + 1 :])
                    room = degree - sum(lowered)
                    for e, c in component.items():
                        if sum(e) <= room:
                            key = tuple(m + n for m, n in zip(e, lowered, strict=True))
                            term = c * value * (sign * f[i])
                            total[key] = total[key] + term if key in total else term
        result.append(total)
    return result


def _at_the_point(field: list[Series]) -> BallRow:
    """The values of a field."""
    origin = next(((0,) * len(e) for s in field for e in s), ())
    return [s.get(origin, arb(0)) for s in field]


def _growth(fields: list[list[Series]], degree: int, full: int, small: bool) -> tuple[int, ...] | None:
    """The growth vector, or None if the degree does not reach its end."""
    rows: list[tuple[int, BallRow]] = []
    new = [X for X in fields if take_in(rows, _at_the_point(X))]
    generators, old = list(new), list[list[Series]]()
    ranks = [len(rows)]
    while len(rows) < full:
        if degree == 0:
            return None
        degree -= 1
        pairs = pairs_to_bracket(generators, old, new, small)
        old, found = old + new, []
        for X, Z in pairs:
            bracket = _bracket(X, Z, degree)
            if take_in(rows, _at_the_point(bracket)):
                found.append(bracket)
        if not found:
            break
        new = found
        ranks.append(len(rows))
    return tuple(ranks)
