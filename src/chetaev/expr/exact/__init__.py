"""Exact algebra: differential fields of functions in normal form, on python-flint polynomials.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> x, v = field.symbols("x x'")
>>> energy = v**2 / 2 - field.cos(x)
>>> energy.diff("x") == field.sin(x)
True
"""

from chetaev.expr.exact.budget import Budget, BudgetError, NotRealError
from chetaev.expr.exact.element import Element
from chetaev.expr.exact.field import Field

__all__ = ["Budget", "BudgetError", "Element", "Field", "NotRealError"]
