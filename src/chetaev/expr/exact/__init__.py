"""Exact algebra: differential fields of functions in normal form, on python-flint polynomials.

A :class:`Field` turns expressions into :class:`Element` objects, which add, multiply, divide, differentiate
and compare exactly; :mod:`~chetaev.expr.exact.matrix` does linear algebra with them and :class:`Modulo`
asks what they are on a submanifold f = 0.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> x, v = field.symbols("x x'")
>>> energy = v**2 / 2 - field.cos(x)
>>> energy.diff("x") == field.sin(x)
True
>>> Modulo(field, [v - x * field.cos(x)]).reduce(v**2)[0] == x**2 * field.cos(x) ** 2
True

Which file holds what: ``tower`` polynomials and relations; ``element``, ``field`` the field; ``fraction``,
``halfangle`` lower terms; ``angles``, ``exponentials``, ``radicals``, ``inverse`` the functions; ``settle``
what roots imply about signs; ``derive`` calculus; ``convert``, ``show``, ``shorten`` from and to expressions;
``value``, ``balls``, ``points`` rigorous numbers; ``matrix``, ``modulo`` algebra; ``budget`` limits.
"""

from chetaev.expr.exact.budget import Budget, BudgetError, EffortError, NotRealError
from chetaev.expr.exact.element import Element
from chetaev.expr.exact.field import Field
from chetaev.expr.exact.modulo import Modulo

__all__ = ["Budget", "BudgetError", "EffortError", "Element", "Field", "Modulo", "NotRealError"]
