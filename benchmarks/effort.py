"""Does equal effort mean about equal time? Time per unit of counted effort, kind by kind.

The prices of :mod:`chetaev.expr.exact.effort.cost` are made from sizes alone. Here each kind of operation is
done at several sizes, and its time per unit is divided by that of a product of polynomials.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

from run import Row, table

import chetaev as ch
from chetaev.expr.exact import Budget, Field
from chetaev.expr.exact.vanishing import zero_test
from chetaev.expr.language.parser import parse

REPEAT = 5
MOST = 8.0
"""How much dearer or cheaper than its price an operation may be."""


def per_unit(work: Callable[[Budget], None]) -> float:
    """Seconds per unit of effort: the smallest of several runs."""
    best = float("inf")
    for _ in range(REPEAT):
        budget = Budget()
        start = process_time()
        work(budget)
        best = min(best, (process_time() - start) / budget.spent)
    return best


def _polynomials(budget: Budget) -> tuple[Field, list[object]]:
    field = Field(budget)
    x, y, z, w = field.symbols("x y z w")
    return field, [(x + 2 * y - 3 * z + w * x + 1) ** n for n in (1, 2, 3, 4)]


def products(budget: Budget) -> None:
    """Products of polynomials of some to some hundred terms."""
    field, powers = _polynomials(budget)
    for p in powers:
        for q in powers:
            for _ in range(20):
                field.tower.multiply(p.numerator, q.numerator)  # type: ignore[attr-defined]


def common_divisors(budget: Budget) -> None:
    """Quotients with common factors."""
    field, powers = _polynomials(budget)
    for p in powers:
        for q in powers:
            for _ in range(20):
                field.gcd(p.numerator, q.numerator)  # type: ignore[attr-defined]


def factorizations(budget: Budget) -> None:
    """Irreducible factors."""
    field, powers = _polynomials(budget)
    for p in powers:
        for _ in range(20):
            field.factor(p.numerator)  # type: ignore[attr-defined]


def points(budget: Budget) -> None:
    """Points of a submanifold."""
    scope = ch.load("rolling-disc").scope
    circle = parse("x'^2 + y'^2 + sin(phi)*psi'^2 - 1", scope)
    function = parse("(x'^2 + y'^2 + sin(phi)*psi'^2)^3 - 1 + exp(x)/10^9", scope)
    budget.spent += sum(zero_test(function, [circle], seed=s, effort=10**6).spent for s in range(20))


def measure() -> list[Row]:
    """The rows of this benchmark."""
    unit = per_unit(products)
    kinds = (common_divisors, factorizations, points)
    return [
        Row(
            f"time per unit of effort, {kind.__name__.replace('_', ' ')}",
            "products",
            per_unit(kind) / unit,
            MOST,
        )
        for kind in kinds
    ] + [Row("time of an effort of 10⁶, products", "a second", 1e6 * unit, MOST)]


if __name__ == "__main__":
    print(table(measure()))
