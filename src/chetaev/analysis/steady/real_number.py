"""Real constants of a field of functions with their order: a zero is proved, other signs are those of balls.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> a = RealNumber(field.sqrt(field.number(2)))
>>> a * a == 2, a > Fraction(7, 5), bool(a * a - 2), -a < 0
(True, True, False, True)
"""

from __future__ import annotations

from fractions import Fraction
from functools import total_ordering

from chetaev.expr.exact import BudgetError, Element

DIGITS = (64, 256, 1024)
"""Bits of the balls, one after the other, that are to exclude zero."""
Scalar = int | Fraction


@total_ordering
class RealNumber:
    """An element of a field without symbols; arithmetic is that of the field."""

    def __init__(self, element: Element) -> None:
        self.element = element

    @property
    def sign(self) -> int:
        """−1, 0 or 1; a BudgetError where neither a proof of zero nor a ball tells."""
        if self.element.is_zero:
            return 0
        for bits in DIGITS:
            ball = self.element.evaluate({}, bits)
            if not ball.contains(0):
                return 1 if ball > 0 else -1
        raise BudgetError("the sign of a number is not told by balls of a thousand digits")

    def __bool__(self) -> bool:
        return self.sign != 0

    def __eq__(self, other: object) -> bool:
        return not self - other if isinstance(other, (RealNumber, int, Fraction)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: RealNumber | Scalar) -> bool:
        return (self - other).sign < 0

    def __neg__(self) -> RealNumber:
        return RealNumber(-self.element)

    def __abs__(self) -> RealNumber:
        return -self if self < 0 else self

    def __add__(self, other: RealNumber | Scalar) -> RealNumber:
        return RealNumber(self.element + _plain(other))

    def __sub__(self, other: RealNumber | Scalar) -> RealNumber:
        return RealNumber(self.element - _plain(other))

    def __mul__(self, other: RealNumber | Scalar) -> RealNumber:
        return RealNumber(self.element * _plain(other))

    def __truediv__(self, other: RealNumber | Scalar) -> RealNumber:
        return RealNumber(self.element / _plain(other))

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: Scalar) -> RealNumber:
        return -self + other

    def __rtruediv__(self, other: Scalar) -> RealNumber:
        return RealNumber(other / self.element)

    def __pow__(self, exponent: int) -> RealNumber:
        return RealNumber(self.element**exponent)

    def __str__(self) -> str:
        return f"{float(self.element.evaluate({}, 64).mid()):.6g}"


def _plain(x: RealNumber | Scalar) -> Element | Scalar:
    return x.element if isinstance(x, RealNumber) else x
