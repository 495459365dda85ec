"""Giving up is a value of its own: `ask(step, …)` is the value of an exact step, or `GivenUp` and why.

What an exact computation cannot reach it says by one family of errors,
:class:`~chetaev.errors.ExhaustedError`: the effort is spent or a polynomial too large (``BudgetError``,
``EffortError``), a form is out of its domain (no polynomial, no exact state, not enough digits), or nothing
is there that could be computed (``NonexistentError``: a division by zero, a singular matrix, the root of a
negative number). Here alone the family is caught. Whoever gets `GivenUp` has no answer, and says so:
"undecided", "these may not be all". It has no truth value, so that it is never mistaken for a no.

A ValueError, TypeError or ZeroDivisionError of something else is a mistake of the program and is not caught;
nor is a ModelError, which is about what was given. Where a library signals by one of these that it cannot go
on, it is called within a `try` of its own, there and then, which raises a member of the family in its place.

The effort is that of the budget of the step's field, or one of its arguments.

>>> from chetaev.expr.exact import Budget, Field
>>> field = Field(Budget(effort=1000))
>>> x, y = field.symbols("x y")
>>> print(ask(lambda: x + x))
2*x
>>> print(ask(lambda: (x + y) ** 200).reason)
not decided within effort 1000; effort= raises it
>>> ask(lambda: 1 / Field().zero).undefined
True
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn, ParamSpec, TypeVar

from chetaev.errors import ExhaustedError, NonexistentError
from chetaev.expr.exact.effort.budget import EffortError, SizeError

T = TypeVar("T")
P = ParamSpec("P")


@dataclass(frozen=True)
class GivenUp:
    """No answer, and why.

    `undefined`: that there is no value was shown, such as that of a quotient by zero; else nothing is known.
    `limit`: the effort was not enough, and more of it may help.
    """

    reason: str
    undefined: bool = False
    limit: bool = False

    def __bool__(self) -> NoReturn:
        raise TypeError("what was given up is neither true nor false; ask isinstance(answer, GivenUp)")


def ask(step: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> T | GivenUp:
    """The value of a step, or that it was given up."""
    try:
        return step(*arguments, **named)
    except ExhaustedError as error:
        limit = isinstance(error, (EffortError, SizeError))
        return GivenUp(str(error), isinstance(error, NonexistentError), limit)


def answer(found: T | GivenUp) -> T | None:
    """The value, None for what was given up: where None is an answer that says "not known"."""
    return None if isinstance(found, GivenUp) else found
