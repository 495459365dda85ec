"""Signs of functions of the parameters at the model's values, by ball arithmetic; roots without signs.

>>> import chetaev as ch
>>> from chetaev.expr.exact import Field
>>> system = ch.System(coordinates=["x"], lagrangian="x'^2/2 - k*x^2", parameters={"k": 2})
>>> field = Field()
>>> signs(system)(1 - field.symbol("k"))
-1
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

from flint import ctx

from chetaev.expr.exact import Element, answer, ask
from chetaev.expr.exact.numbers.balls import BallProgram
from chetaev.expr.graph.node import ONE, Expr, make, mul, neg, postorder, symbols
from chetaev.laws.standpoint import standpoints
from chetaev.model.system import System

BITS = 160
Sign = Callable[[Element], int | None]
"""The sign of a function of the parameters at the model's values; None if a ball does not show it."""


def signs(system: System) -> Sign:
    """The sign of a function of the parameters at the model's values; None if a ball does not show it."""
    return lambda e: sign_at_values(system, e.to_expr())


def sign_at_values(system: System, e: Expr) -> int | None:
    """The sign of an expression in the parameters at the model's values; None if a ball does not show it."""
    (value,) = standpoints(system)[-1].apply([e])
    if symbols(value):  # it is no function of the parameters alone
        return None
    with ctx.workprec(BITS):
        ball = answer(ask(lambda: BallProgram([value]).run({})[0]))
    if ball is None:
        return None
    return 1 if ball > 0 else -1 if ball < 0 else 0 if ball.is_zero() else None


def without_signs(system: System, expression: Expr) -> Expr:
    """The expression with sign(p) and |p| of parameters as at the model's values: 1 and m for m > 0.

    >>> import chetaev as ch
    >>> from chetaev.expr.language.parser import parse
    >>> system = ch.System(coordinates=["x"], lagrangian="m*x'^2", parameters={"m": 2})
    >>> print(without_signs(system, parse("x'*cos(t*sign(m)*abs(m))", system.scope)))
    x'*cos(t*m)
    """
    new: dict[Expr, Expr] = {}
    for node in postorder(expression):
        args = [new[a] for a in node.args]
        if node.op in ("sign", "abs") and {n for n, _ in symbols(node)} <= set(system.parameters):
            sign = sign_at_values(system, node.args[0])
            if sign:
                plain = ONE if node.op == "sign" else args[0]
                new[node] = plain if sign > 0 else neg(plain)
                continue
        if all(a is b for a, b in zip(args, node.args, strict=True)):
            new[node] = node
        else:
            kept = [a for a in args if a is not ONE] if node.op == "mul" else args
            new[node] = make(node.op, kept, node.value) if len(kept) > 1 or node.op != "mul" else mul(*kept)
    return new[expression]


def plain_root(e: Element) -> Element:
    """√e, without a sign where e is the square of a rational function: ω for ω², not |ω|."""
    field = e.field
    result = field.one
    for poly, direction in ((e.numerator, 1), (e.denominator, -1)):
        number, factors = field.factor(poly)
        n, d = _square_root(int(number.p)) if number > 0 else None, _square_root(int(number.q))
        if n is None or d is None or any(k % 2 for _, k in factors):
            return field.sqrt(e)
        result = result * (Fraction(n, d) if direction > 0 else Fraction(d, n))
        for p, k in factors:
            result = result * field.polynomial(field.tower.reduce(p)) ** (direction * k // 2)
    return result


def _square_root(n: int) -> int | None:
    return isqrt(n) if isqrt(n) ** 2 == n else None
