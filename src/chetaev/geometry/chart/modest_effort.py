"""A modest effort: exact elimination within a budget, so that something is left for another way.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> x, y = field.symbols("x y")
>>> print(modestly(field, lambda: (x + y) ** 2))
(x + y)^2
>>> modestly(field, lambda: (x + y) ** 9000).limit
True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from chetaev.expr.exact import Budget, EffortError, Field, GivenUp, ask

TERMS = 3_000
PRODUCTS = 300_000
EFFORT = 3_000_000


T = TypeVar("T")
P = ParamSpec("P")


def modestly(field: Field, step: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> T | GivenUp:
    """The value of a step that may cost so much, or that it was given up.

    Where less than that is left of the question's own effort, and it is spent, the whole question ends:
    another way would give a result that depends on what was left.
    """
    left = field.tower.budget.left
    cut = left is not None and left < EFFORT
    budget = Budget(left if cut else EFFORT, terms=TERMS, products=PRODUCTS)
    with field.limit(budget):
        found = ask(step, *arguments, **named)
    if cut and budget.over and isinstance(found, GivenUp):
        raise EffortError(found.reason)
    return found
