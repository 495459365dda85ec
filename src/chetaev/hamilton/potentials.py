"""Primitives of closed forms on a base: N of d log N = φ, A of dA = Nσ, U of −dU = κ.

A closed 2-form ω is integrated coordinate by coordinate (Poincaré): A_r = ∫ω_1r dq^1 for r > 1 leaves ω − dA
without dq^1 and free of q^1, and so on.

>>> from chetaev.expr.exact import Field
>>> x, y = Field().symbols("x y")
>>> [str(e) for e in one_form([[0 * x, 2 * x * y], [-2 * x * y, 0 * x]], ["x", "y"])]
['0', 'x^2*y']
"""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.expr.exact.effort.budget import BudgetError, EffortError, NotRealError
from chetaev.expr.exact.field.element import Element
from chetaev.expr.graph.node import Expr, call, mul
from chetaev.laws.inverse.primitive import primitive


def exponential_primitive(form: Sequence[Element], names: Sequence[str]) -> Element | None:
    """N > 0 with d log N = form, up to a factor; None if none was found in closed form."""
    found = function(form, names)
    if found is None:
        return None
    try:
        return found.field.exp(found)
    except (BudgetError, EffortError, NotRealError, ArithmeticError):
        return None


def function(form: Sequence[Element], names: Sequence[str]) -> Element | None:
    """U with dU = form; None if none was found in closed form."""
    return primitive({(name, 0): e for name, e in zip(names, form, strict=True)})


def one_form(omega: Sequence[Sequence[Element]], names: Sequence[str]) -> list[Element] | None:
    """A with ∂_s A_r − ∂_r A_s = ω_sr for a closed ω; None if an integral is not found."""
    n = len(names)
    rest = [list(row) for row in omega]
    field = rest[0][0].field
    A = [field.zero] * n
    for s in range(n - 1):
        step = [field.zero] * n
        for r in range(s + 1, n):
            found = function([rest[s][r]], [names[s]])
            if found is None:
                return None
            step[r] = found
        A = [a + b for a, b in zip(A, step, strict=True)]
        for i in range(n):
            for j in range(n):
                rest[i][j] = omega[i][j] - (A[j].diff((names[i], 0)) - A[i].diff((names[j], 0)))
    return A if all(e.is_zero for row in rest for e in row) else None


def with_abs(e: Expr) -> Expr:
    """Factors u·sign(u) of a product or quotient written |u|.

    >>> from chetaev.expr.graph.node import symbol
    >>> print(with_abs(mul(symbol("x"), call("sign", symbol("x")), symbol("y"))))
    abs(x)*y
    """
    if e.op == "div":
        return with_abs(e.args[0]) / with_abs(e.args[1])
    if e.op != "mul":
        return e
    left = list(e.args)
    for sign in [a for a in left if a.op == "sign"]:
        inside = sign.args[0]
        if inside in left:
            left[left.index(inside)] = call("abs", inside)
            left.remove(sign)
    return mul(*left)
