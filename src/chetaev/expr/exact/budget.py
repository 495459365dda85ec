"""A budget: how much an exact computation may cost before it gives up.

Normal forms of hopeless inputs (a hundred definitions that square each other) have more terms than
there are atoms in the universe. Every multiplication asks the budget first; :class:`BudgetError` ends
the computation cleanly, and a zero test then falls back to points.

>>> Budget(products=100).afford(20, 20)
Traceback (most recent call last):
...
chetaev.expr.exact.budget.BudgetError: an exact computation grew beyond its budget (400 products of terms)
"""

from __future__ import annotations

import time

from chetaev.errors import ChetaevError


class BudgetError(ChetaevError):
    """An exact computation would cost more than its budget allows."""


class NotRealError(ChetaevError):
    """An expression that has no real value anywhere, such as sqrt(-1) or 1/(x - x)."""


class Budget:
    """Limits of one exact computation.

    Parameters
    ----------
    terms
        The largest number of terms of a polynomial.
    products
        The largest number of products of terms in one multiplication.
    bits
        The largest size of a coefficient.
    generators
        The largest number of symbols and atoms of a field.
    seconds
        Time from now on; None for no limit.
    """

    __slots__ = ("bits", "deadline", "generators", "products", "terms")

    def __init__(
        self,
        terms: int = 60_000,
        products: int = 4_000_000,
        bits: int = 40_000,
        generators: int = 500,
        seconds: float | None = None,
    ) -> None:
        self.terms = terms
        self.products = products
        self.bits = bits
        self.generators = generators
        self.deadline = None if seconds is None else time.monotonic() + seconds

    def afford(self, left: int, right: int) -> None:
        """Stop unless a product of polynomials with so many terms may be formed."""
        if left * right > self.products:
            raise BudgetError(
                f"an exact computation grew beyond its budget ({left * right} products of terms)"
            )
        self.check_time()

    def accept(self, terms: int) -> None:
        """Stop unless a polynomial of so many terms is small enough."""
        if terms > self.terms:
            raise BudgetError(f"an exact computation grew beyond its budget ({terms} terms)")

    def check_time(self) -> None:
        """Stop when the time is over."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise BudgetError("an exact computation ran out of time")
