"""Elements of the field: quotients of polynomials in normal form, with the arithmetic of a field.

An element whose reduced numerator is the zero polynomial is zero; whether another one can be zero too is the
question of :mod:`chetaev.expr.exact.field.normal_form_zero`. Two elements are equal if their difference is
proved to be zero; the quotient itself need not be unique (the ring Q[s, c]/(s² + c² − 1) has no unique
factorization). Elements do not change; a field that grows carries its elements along unseen.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> x, y = field.symbols("x y")
>>> (x**2 - y**2) / (x - y) == x + y
True
>>> field.sin(x + y) == field.sin(x) * field.cos(y) + field.cos(x) * field.sin(y)
True
>>> (field.sin(x) * y).diff("x") == y * field.cos(x)
True
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import fmpq

from chetaev.errors import DivisionByZeroError
from chetaev.expr.graph.node import Expr

if TYPE_CHECKING:
    from chetaev.expr.exact.effort.ledger import Remembered
    from chetaev.expr.exact.field.field import Field, SymbolLike
    from chetaev.expr.exact.polynomials.tower import Poly

Scalar = int | Fraction

EVERYWHERE: frozenset[int] = frozenset()


class Element:
    """A function in normal form: numerator over denominator, modulo the relations of its field."""

    __slots__ = ("_answer", "_denominator", "_hash", "_numerator", "_version", "domain", "field")

    def __init__(
        self, field: Field, numerator: Poly, denominator: Poly, domain: frozenset[int] = EVERYWHERE
    ) -> None:
        self.field = field
        self.domain = domain  # roots and logarithms met on the way: this is meant where they are real
        self._numerator = numerator
        self._denominator = denominator
        self._version = field.version
        self._hash: int | None = None
        self._answer: Remembered[bool | None] | None = None  # to the question whether this is zero

    # -- the two polynomials, carried along when the field has grown ---------------------------------
    def _follow(self) -> None:
        self._numerator, self._denominator = self.field.follow(
            self._numerator, self._denominator, self._version
        )
        self._version = self.field.version

    @property
    def numerator(self) -> Poly:
        """The numerator, a python-flint polynomial in the generators of the field."""
        if self._version != self.field.version:
            self._follow()
        return self._numerator

    @property
    def denominator(self) -> Poly:
        """The denominator; 1 for a polynomial."""
        if self._version != self.field.version:
            self._follow()
        return self._denominator

    # -- questions -----------------------------------------------------------------------------------
    @property
    def is_zero(self) -> bool | None:
        """True: proved to be zero wherever it is defined; False: certainly not zero; None: not known."""
        if self.numerator.is_zero():
            return True
        from chetaev.expr.exact.field.normal_form_zero import is_zero

        known = {} if self._answer is None else {"": self._answer}
        answer = self.field.ledger.recall(self.field.tower.budget, known, "", lambda: is_zero(self))
        self._answer = known[""]
        return answer

    @property
    def is_blank(self) -> bool:
        """Whether the normal form itself is 0: the quick question of the arithmetic."""
        return self.numerator.is_zero()

    @property
    def is_polynomial(self) -> bool:
        """Whether the denominator is 1."""
        return self.denominator.is_one()

    @property
    def is_number(self) -> bool:
        """Whether this is a rational number."""
        return self.numerator.is_constant() and self.denominator.is_one()

    def as_fraction(self) -> Fraction | None:
        """The rational number this is, or None."""
        if not self.is_number:
            return None
        if self.numerator.is_zero():
            return Fraction(0)
        c = self.numerator.leading_coefficient()
        return Fraction(int(c.p), int(c.q))

    @property
    def terms(self) -> int:
        """The number of terms of numerator and denominator: a measure of size."""
        return len(self.numerator) + len(self.denominator) - 1

    @property
    def symbols(self) -> frozenset[tuple[str, int]]:
        """All base symbols ``(name, order)`` this depends on, also inside functions."""
        return self.field.symbols_of(self)

    def __bool__(self) -> bool:
        raise TypeError("is the element zero? ask .is_zero")

    # -- arithmetic ----------------------------------------------------------------------------------
    def _other(self, other: object) -> Element | None:
        if isinstance(other, Element):
            if other.field is not self.field:
                raise ValueError("elements of two different fields cannot be combined")
            return other
        if isinstance(other, (int, Fraction, Expr)) and not isinstance(other, bool):
            return self.field(other)
        return None

    def __add__(self, other: Element | Scalar | Expr) -> Element:
        b = self._other(other)
        if b is None:
            return NotImplemented
        an, ad, bn, bd = self.numerator, self.denominator, b.numerator, b.denominator
        domain = self.domain | b.domain
        if ad == bd:
            if ad.is_one():
                return self.field.polynomial(an + bn, domain)
            return self.field.quotient(an + bn, ad, domain)
        multiply = self.field.tower.multiply
        if ad.is_one():
            return self.field.quotient(multiply(an, bd) + bn, bd, domain)
        if bd.is_one():
            return self.field.quotient(an + multiply(bn, ad), ad, domain)
        g = self.field.gcd(ad, bd)
        if g.is_one():
            return self.field.quotient(multiply(an, bd) + multiply(bn, ad), multiply(ad, bd), domain)
        ar, br = self.field.divide(ad, g), self.field.divide(bd, g)
        return self.field.quotient(multiply(an, br) + multiply(bn, ar), multiply(ad, br), domain)

    def __radd__(self, other: Scalar | Expr) -> Element:
        return self + other

    def __neg__(self) -> Element:
        return Element(self.field, -self.numerator, self.denominator, self.domain)

    def __sub__(self, other: Element | Scalar | Expr) -> Element:
        b = self._other(other)
        return NotImplemented if b is None else self + (-b)

    def __rsub__(self, other: Scalar | Expr) -> Element:
        return -self + other

    def __mul__(self, other: Element | Scalar | Expr) -> Element:
        if isinstance(other, (int, Fraction)) and not isinstance(other, bool):
            factor = fmpq(other.numerator, other.denominator)
            if other == 0:
                return self.field.zero
            return Element(self.field, self.numerator * factor, self.denominator, self.domain)
        b = self._other(other)
        if b is None:
            return NotImplemented
        an, ad, bn, bd = self.numerator, self.denominator, b.numerator, b.denominator
        multiply = self.field.tower.multiply
        domain = self.domain | b.domain
        if ad.is_one() and bd.is_one():
            return self.field.polynomial(multiply(an, bn), domain)
        return self.field.quotient(multiply(an, bn), multiply(ad, bd), domain)

    def __rmul__(self, other: Scalar | Expr) -> Element:
        return self * other

    def inverse(self) -> Element:
        """1 over this; :class:`~chetaev.errors.DivisionByZeroError` for zero."""
        if self.is_blank:
            raise DivisionByZeroError("division by a function that is zero")
        return self.field.quotient(self.denominator, self.numerator, self.domain)

    def __truediv__(self, other: Element | Scalar | Expr) -> Element:
        b = self._other(other)
        if b is None:
            return NotImplemented
        if b.is_blank:
            raise DivisionByZeroError("division by a function that is zero")
        an, ad, bn, bd = self.numerator, self.denominator, b.numerator, b.denominator
        multiply = self.field.tower.multiply
        return self.field.quotient(multiply(an, bd), multiply(ad, bn), self.domain | b.domain)

    def __rtruediv__(self, other: Scalar | Expr) -> Element:
        return self.inverse() * other

    def __pow__(self, exponent: int) -> Element:
        if not isinstance(exponent, int) or isinstance(exponent, bool):
            return NotImplemented
        base = self if exponent >= 0 else self.inverse()
        power = self.field.tower.power
        n = abs(exponent)
        if base.denominator.is_one():
            return self.field.polynomial(power(base.numerator, n), self.domain)
        return self.field.quotient(power(base.numerator, n), power(base.denominator, n), self.domain)

    def __eq__(self, other: object) -> bool:
        b = self._other(other)
        if b is None:
            return NotImplemented
        if self.denominator == b.denominator and self.numerator == b.numerator:
            return True
        return (self - b).is_zero is True

    def __hash__(self) -> int:
        if self._hash is None:
            from chetaev.expr.exact.field.element_values import fingerprint

            self._hash = fingerprint(self)
        return self._hash

    # -- calculus ------------------------------------------------------------------------------------
    def diff(self, *symbols: SymbolLike) -> Element:
        """The partial derivative with respect to base symbols, one after the other.

        A symbol is its name with primes for velocities (``"x'"``), a pair ``("x", 1)``, a graph symbol
        or the element of a symbol.
        """
        from chetaev.expr.exact.field.differentiation import derivative

        result = self
        for s in symbols:
            result = derivative(result, self.field.base(s))
        return result

    def is_free_of(self, *symbols: tuple[str, int]) -> bool:
        """Whether it is proved not to depend on base symbols; sign(x), with slope 0, depends on x."""
        from chetaev.expr.exact.field.differentiation import is_free_of

        return is_free_of(self, [self.field.base(s) for s in symbols if s in self.symbols])

    def subs(self, values: Mapping[Any, Element | Scalar | Expr]) -> Element:
        """Base symbols replaced by elements, all at once, also inside functions."""
        from chetaev.expr.exact.field.differentiation import substitute

        return substitute(self, {self.field.base(s): self.field(v) for s, v in values.items()})

    def coefficients(self, *symbols: SymbolLike) -> dict[tuple[int, ...], Element] | None:
        """The coefficients as a polynomial in base symbols, by exponents; None if it is not one."""
        from chetaev.expr.exact.field.differentiation import coefficients

        return coefficients(self, [self.field.base(s) for s in symbols])

    # -- to the world --------------------------------------------------------------------------------
    def to_expr(self) -> Expr:
        """A readable expression of the graph."""
        from chetaev.expr.exact.readable.element_to_graph import to_expr

        return to_expr(self)

    def evaluate(self, values: Mapping[Any, Any], bits: int = 53) -> Any:
        """The value at a point as a ball (python-flint ``arb``) that certainly contains it."""
        from chetaev.expr.exact.field.element_values import evaluate

        return evaluate(self, values, bits)

    def __repr__(self) -> str:
        return f"Element({self})"

    def __str__(self) -> str:
        return str(self.to_expr())
