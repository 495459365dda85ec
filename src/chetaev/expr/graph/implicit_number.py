"""A real number that is known by what it solves: a constant of the graph beside π and e, in narrow balls.

It has no letters of its own, and is written as a decimal. Which one it is, and how it is enclosed, knows who
made it: :class:`~chetaev.expr.exact.numbers.algebraic_numbers.AlgebraicNumber` is a root of a polynomial.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flint import arb


class ImplicitNumber(ABC):
    """A real number with an enclosure of any precision; equal ones are one number."""

    @abstractmethod
    def ball(self) -> arb:
        """A ball around it, of the working precision."""

    def nearby(self, bits: int) -> tuple[int, int]:
        """A whole number m and an exponent e with m·2^e in the middle of a ball of so many bits."""
        from flint import ctx

        with ctx.workprec(bits):
            mantissa, exponent = self.ball().mid().man_exp()
        return int(mantissa), int(exponent)

    @cached_property
    def double(self) -> float:
        """As a double."""
        from flint import ctx

        with ctx.workprec(128):
            return float(self.ball().mid())

    def __str__(self) -> str:
        return f"{self.double:.10g}"
