"""A modest effort: exact elimination within a budget, so that something is left for another way.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> with modest_effort(field):
...     field.tower.budget.terms
3000
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from chetaev.expr.exact import Budget, BudgetError, EffortError, Field

TERMS = 3_000
PRODUCTS = 300_000
EFFORT = 3_000_000


@contextmanager
def modest_effort(field: Field) -> Iterator[None]:
    """Limits for one exact attempt; :class:`~chetaev.expr.exact.BudgetError` ends it.

    Where less than that is left of the question's own effort, and it is spent, the whole question ends:
    another way would give a result that depends on what was left.
    """
    left = field.tower.budget.left
    cut = left is not None and left < EFFORT
    try:
        with field.limit(Budget(left if cut else EFFORT, terms=TERMS, products=PRODUCTS)):
            yield
    except EffortError as error:
        if cut:
            raise
        raise BudgetError("a modest effort is not enough") from error
