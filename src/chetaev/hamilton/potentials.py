"""Primitives of closed 1-forms on a base: N of d log N = φ, U of −dU = κ."""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.expr.exact.effort.ask import answer, ask
from chetaev.expr.exact.field.element import Element
from chetaev.expr.graph.node import Expr, call, mul
from chetaev.laws.inverse.primitive import primitive


def exponential_primitive(form: Sequence[Element], names: Sequence[str]) -> Element | None:
    """N > 0 with d log N = form, up to a factor; None if none was found in closed form."""
    found = function(form, names)
    return None if found is None else answer(ask(found.field.exp, found))


def function(form: Sequence[Element], names: Sequence[str]) -> Element | None:
    """U with dU = form; None if none was found in closed form."""
    return primitive({(name, 0): e for name, e in zip(names, form, strict=True)})


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
