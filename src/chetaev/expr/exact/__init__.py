"""Exact algebra: differential fields of functions in normal form, on python-flint polynomials.

A :class:`Field` turns expressions into :class:`Element` objects, which add, multiply, divide, differentiate
and compare exactly; :mod:`~chetaev.expr.exact.linear.matrix` does linear algebra with them and
:class:`Modulo` says what they are on a submanifold f = 0.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> x, v = field.symbols("x x'")
>>> energy = v**2 / 2 - field.cos(x)
>>> energy.diff("x") == field.sin(x)
True
>>> Modulo(field, [v - x * field.cos(x)]).reduce(v**2)[0] == x**2 * field.cos(x) ** 2
True

    effort/       budgets, prices of operations, what was computed before and what it cost
    numbers/      balls, points proved to lie on Q, residues modulo primes, echelon forms over Q
    polynomials/  the tower of generators with their relations; divisors, factors, definite quadratics
    functions/    what is adjoined: sines and cosines, exponentials, roots and signs, inverse functions
    field/        the field and its elements: from the graph, lowest terms, derivatives, values, zero or not
    readable/     elements as expressions that people read
    linear/       determinant, rank, solution and kernel over the field; rows taken in one by one
    ideals/       functions on a submanifold; elimination
    vanishing     the test whether a function is zero, by points and by proof

A room imports only those above it; an element imports `readable/` when it is printed.
"""

from chetaev.expr.exact.effort.ask import GivenUp, answer, ask
from chetaev.expr.exact.effort.budget import Budget, BudgetError, EffortError, NotRealError
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.field.field import Field
from chetaev.expr.exact.ideals.modulo import Modulo

__all__ = [
    "Budget", "BudgetError", "EffortError", "Element", "Field", "GivenUp", "Modulo", "NotRealError", "answer",
    "ask",
]  # fmt: skip
