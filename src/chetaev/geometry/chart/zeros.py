"""Is this function zero, everywhere or on a submanifold {f = 0}?

Without a submanifold the normal form answers; where it does not decide (roots, logarithms) a point must
show that a function is not zero. On {f = 0} certified random points of it find every "no", and a "yes" is
proved by solving the f and pseudo-division (:mod:`chetaev.expr.exact.ideals.modulo`), at least where what is
divided by is not zero: verdicts are about generic points. What is zero at all points without a proof is
called zero, and :attr:`Zeros.proved` then says that it is not proved.

>>> from chetaev.geometry import Chart
>>> chart = Chart(["x", "y"])
>>> zeros = Zeros(chart, [chart("x^2 + y^2 - 1")])
>>> zeros(chart("x^4 - y^4 - 2*x^2 + 1")), zeros(chart("x - y")), zeros.proved
(True, False, True)
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import prod

from flint import arb, ctx, fmpq

from chetaev.expr.exact import Budget, Element, GivenUp, answer, ask
from chetaev.expr.exact.field.element_values import evaluate_at
from chetaev.expr.exact.functions.radicals import factors
from chetaev.expr.exact.ideals.modulo import BranchOfQ, Modulo
from chetaev.expr.exact.numbers.certified_points import Sampler
from chetaev.geometry.chart.chart import Chart, Symbol
from chetaev.geometry.chart.functions import GeometryError

POINTS = 5
BITS = 200
EFFORT = 5_000_000
"""For the search of points on a submanifold."""


class GenericModulo(Modulo):
    """The functions at generic points of {f = 0}, where the coefficients that are divided by are not zero."""

    def _solve(self, constraints: list[Element]) -> tuple[BranchOfQ, list[list[Element]]]:
        branch, _ = super()._solve(constraints)
        return branch, []


def _shown(element: Element, modulo: Modulo | None) -> bool:
    return modulo is not None and answer(ask(modulo.vanishes, element)) is not None


def essential(on: Sequence[Element]) -> tuple[Element, ...]:
    """The equations without multiple factors, and without those that follow from the ones before.

    >>> chart = Chart(["x", "y"])
    >>> len(essential([chart("(x - y)^2"), chart("x*(x - y)")]))
    1
    """
    kept: list[Element] = []
    for f in on:
        if f.is_zero:
            continue
        plain = ask(_without_multiples, f)
        f = f if isinstance(plain, GivenUp) else plain
        if not (kept and _shown(f, answer(ask(GenericModulo, f.field, kept)))):
            kept.append(f)
    return tuple(kept)


def _without_multiples(f: Element) -> Element:
    _, found = factors(f.field, f.numerator)
    return prod((p for p, _ in found), start=f.field.one) if any(e > 1 for _, e in found) else f


class Zeros:
    """Decides zero on a submanifold, and remembers whether every "yes" was proved.

    `chart`: where the functions live; `on`: functions that vanish on the submanifold.
    """

    def __init__(self, chart: Chart, on: Sequence[Element] = ()) -> None:
        self.chart, self.field = chart, chart.field
        self.on = essential(on)
        self.proved = True

    def __call__(self, element: Element) -> bool:
        """Whether the element is zero on the submanifold."""
        if element.is_blank:
            return True
        if element.is_number:
            return False
        if not self.on:
            answer = element.is_zero
            self.proved = self.proved and answer is not None
            return answer is not False
        values = [v for v in (self.value(element, p) for p in self.points) if v is not None]
        if not all(v.contains(0) for v in values):
            return False
        if any(_shown(element, m) for m in (self._modulo, self._generic)):
            return True
        self.proved = False
        return bool(values)

    @property
    def evidence(self) -> str:
        """How the answers were found, in words."""
        where = " of the submanifold" if self.on else ""
        return "proved" if self.proved else f"tested at {POINTS} points{where}"

    def reduced(self, element: Element) -> Element:
        """A function equal to the element on the submanifold, if a shorter one is at hand."""
        if self._solved is None or element.is_number:
            return element
        solved = self._solved

        def put_in() -> Element:
            short = element
            for name, value in solved:
                if name in short.symbols:
                    short = short.subs({name: value})
            return short

        short = ask(put_in)
        return element if isinstance(short, GivenUp) or short.terms > element.terms else short

    # -- the submanifold -----------------------------------------------------------------------------
    def _solve(self, kind: type[Modulo]) -> Modulo | None:
        return answer(ask(kind, self.chart.field, self.on))

    @cached_property
    def _modulo(self) -> Modulo | None:
        return self._solve(Modulo)

    @cached_property
    def _generic(self) -> Modulo | None:
        return self._solve(GenericModulo)

    @cached_property
    def _solved(self) -> list[tuple[Symbol, Element]] | None:
        """The symbols that can be eliminated, if the submanifold is one branch."""
        modulo = self._modulo or self._generic
        if not self.on or modulo is None:
            return None
        branches = [b for b in modulo.branches if not b.empty]
        return branches[0].solved if len(branches) == 1 and branches[0].solved else None

    @cached_property
    def points(self) -> list[dict[Symbol, arb]]:
        """Balls that contain points of the submanifold, by symbol."""
        sampler = Sampler(self.chart.symbols, [f.to_expr() for f in self.on])
        budget = Budget(EFFORT)
        found: list[dict[Symbol, arb]] = []
        while len(found) < POINTS and not budget.over:
            point = sampler.draw(budget)
            if point is None:
                break
            box = sampler.box(point, BITS)
            budget.count(point.prices[BITS])
            if box is not None:
                found.append(box)
        if not found:
            listed = ", ".join(f"{f} = 0" for f in self.on)
            raise GeometryError(
                f"no point of the submanifold {listed} was found",
                remedy="check that the equations can be met together by real numbers",
            )
        return found

    def value(self, element: Element, point: dict[Symbol, arb]) -> arb | None:
        """The value at one of the points as a ball; None where the function is not defined."""
        field = self.chart.field
        with ctx.workprec(BITS):
            known = {}
            for symbol in element.symbols:
                ball = point.get(symbol)
                if ball is None:
                    value = Fraction(3 + sum(map(ord, symbol[0])) % 89, 61)
                    ball = point[symbol] = arb(fmpq(value.numerator, value.denominator))
                known[field.base(symbol)] = ball
            value_ball = evaluate_at(element, known)
        return value_ball if value_ball.is_finite() else None
