"""A budget: how much an exact computation may cost before it gives up.

Normal forms of hopeless inputs (a hundred definitions that square each other) have more terms than
there are atoms in the universe. Every operation is counted before it is done; :class:`BudgetError` ends the
computation cleanly, and a zero test then falls back to points.

Effort is counted in operations (:mod:`chetaev.expr.exact.effort.cost`) and never in time, so that the same
question has the same answer on every machine, quiet or busy.

>>> Budget(products=100).afford(20, 20)
Traceback (most recent call last):
...
chetaev.expr.exact.effort.budget.SizeError: an exact computation grew beyond its budget (400 products of ...
>>> Budget(1000).spend(2000)
Traceback (most recent call last):
...
chetaev.expr.exact.effort.budget.EffortError: not decided within effort 1000; effort= raises it
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from chetaev.effort import beyond
from chetaev.errors import ExhaustedError, NonexistentError

if TYPE_CHECKING:
    from chetaev.expr.exact.effort.ledger import Remembered

TERMS, MOST_TERMS = 20_000, 1_000_000
PRODUCTS = 1_000_000


class BudgetError(ExhaustedError):
    """An exact computation would cost more than its budget allows."""


class SizeError(BudgetError):
    """A polynomial would have more terms than the budget allows."""


class EffortError(ExhaustedError):
    """The effort of a question is spent: whoever asked it gives up, and no part of it tries another way."""


class NotRealError(NonexistentError):
    """An expression that has no real value anywhere, such as sqrt(-1) or 1/(x - x)."""


class SingularSystemError(NonexistentError, ValueError):
    """Linear equations without a solution, or with more than one."""


class Budget:
    """Limits of one exact computation, and what it has cost so far.

    `effort`: the cost of all operations together, None for no limit; `terms`: the largest number of terms of
    a polynomial; `products`: the largest number of products of terms in one multiplication; `bits`: the
    largest size of a coefficient; `generators`: the largest number of symbols and atoms of a field.

    `spent`: the cost of what was done under this budget; `charged`: remembered results whose cost has been
    counted already in this question.
    """

    __slots__ = ("_patience", "bits", "charged", "effort", "generators", "products", "spent", "terms")

    def __init__(
        self,
        effort: int | None = None,
        *,
        terms: int = 60_000,
        products: int = 4_000_000,
        bits: int = 40_000,
        generators: int = 500,
    ) -> None:
        self.effort = effort
        self.terms = terms
        self.products = products
        self.bits = bits
        self.generators = generators
        self.spent = 0
        self.charged: set[Remembered[Any]] = set()
        self._patience = 0

    @classmethod
    def of(cls, effort: int) -> Budget:
        """A budget whose limits of size grow with the effort, so that more effort helps everywhere.

        >>> Budget.of(10**6).terms, Budget.of(10**7).terms
        (20000, 200000)
        """
        terms = max(TERMS, min(effort // 50, MOST_TERMS))
        return cls(effort, terms=terms, products=max(PRODUCTS, 2 * effort))

    @property
    def left(self) -> int | None:
        """What is left of the effort; None for no limit."""
        return None if self.effort is None else max(0, self.effort - self.spent)

    @property
    def over(self) -> bool:
        """Whether nothing is left."""
        return self.effort is not None and self.spent >= self.effort

    def count(self, cost: int) -> None:
        """Count what was done, without stopping."""
        self.spent += int(cost)  # sizes may be integers of FLINT, whose quotients are not floats

    def spend(self, cost: int) -> None:
        """Count an operation of this cost, before it is done; stop when there is not enough left for it."""
        self.spent += int(cost)
        if self.effort is not None and self.spent > self.effort and not self._patience:
            raise EffortError(beyond(self.effort))

    def charge(self, entry: Remembered[Any]) -> None:
        """Pay for a remembered result and all it was made from, once in a question."""
        if self.effort is None:
            return
        pending = [entry]
        while pending:
            entry = pending.pop()
            if entry not in self.charged:
                self.spend(entry.cost)
                self.charged.add(entry)
                pending.extend(entry.needs)

    def afford(self, left: int, right: int) -> None:
        """Stop unless a product of polynomials with so many terms may be formed."""
        if left * right > self.products:
            raise SizeError(f"an exact computation grew beyond its budget ({left * right} products of terms)")

    def accept(self, terms: int) -> None:
        """Stop unless a polynomial of so many terms is small enough."""
        if terms > self.terms:
            raise SizeError(f"an exact computation grew beyond its budget ({terms} terms)")

    @contextmanager
    def uninterrupted(self) -> Iterator[None]:
        """Count, but stop only afterwards: what is done in one piece must not end halfway."""
        self._patience += 1
        try:
            yield
        finally:
            self._patience -= 1
