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

from chetaev.expr.exact import Element
from chetaev.expr.exact.balls import BallProgram, OutsideDomainError
from chetaev.laws.standpoint import standpoints
from chetaev.model.system import System

BITS = 160
Sign = Callable[[Element], int | None]
"""The sign of a function of the parameters at the model's values; None if a ball does not show it."""


def signs(system: System) -> Sign:
    """The sign of a function of the parameters at the model's values; None if a ball does not show it."""

    def sign(e: Element) -> int | None:
        (value,) = standpoints(system)[-1].apply([e.to_expr()])
        try:
            with ctx.workprec(BITS):
                ball = BallProgram([value]).run({})[0]
        except (OutsideDomainError, KeyError):
            return None
        return 1 if ball > 0 else -1 if ball < 0 else 0 if ball.is_zero() else None

    return sign


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
