"""A modest effort: exact elimination within a budget, so that there is time for another way.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> with modest_effort(field):
...     field.tower.budget.terms
3000
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from chetaev.expr.exact import Budget, Field

TERMS = 3_000
PRODUCTS = 300_000
SECONDS = 3.0


@contextmanager
def modest_effort(field: Field, seconds: float = SECONDS) -> Iterator[None]:
    """Limits for one exact attempt; :class:`~chetaev.expr.exact.BudgetError` ends it."""
    outer = field.tower.budget.deadline
    if outer is not None:
        seconds = min(seconds, max(0.0, outer - time.monotonic()))
    with field.limit(Budget(terms=TERMS, products=PRODUCTS, seconds=seconds)):
        yield
