"""Hyperbolic functions for display: what was written with sinh, cosh and tanh is shown with them.

In the field they are exponentials. A quotient n/d of polynomials in E = exp(w) is one of hyperbolic functions
if both have the same middle power of E: divided by it, they are Laurent polynomials with exponents ±j,

    Σ a_j E^j = Σ_{j ≥ 0} (a_j + a_{−j}) cosh(jw) + (a_j − a_{−j}) sinh(jw),

and a + a cosh 2u = 2a cosh² u,  a − a cosh 2u = −2a sinh² u,  sinh u/cosh u = tanh u.

>>> from chetaev.expr.exact import Field
>>> from chetaev.expr.language.parser import parse
>>> from chetaev.expr.language.scope import Scope
>>> x = Scope.of(["x"], {}, "t")
>>> for text in ("sinh(x)^2", "2*sinh(x)*cosh(x)", "sinh(x)/cosh(x)", "exp(x)/2 - exp(-x)/2"):
...     print(Field()(parse(text, x)))
sinh(x)^2
sinh(2*x)
tanh(x)
(exp(x) - exp(-x))/2
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING

from chetaev.expr.exact.polynomials.tower import Poly
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr

if TYPE_CHECKING:
    from chetaev.expr.exact.field.element import Element
    from chetaev.expr.exact.field.field import Field

LARGE = 60
Product = tuple[Fraction, list[Expr]]
Write = Callable[[Poly], Product]
Show = Callable[["Element"], Expr]


def sides(field: Field, n: Poly, d: Poly, write: Write, show: Show) -> list[tuple[Product, Product]]:
    """Numerator and denominator with hyperbolic functions, in the ways there are; empty if there is none.

    Parameters
    ----------
    write, show
        How a polynomial without the exponential, and how an argument is written.
    """
    used = {*field.tower.used(n), *field.tower.used(d)}
    marked = [k for k in used if k in field.hyperbolic]
    if len(marked) != 1 or len(n) > LARGE or len(d) > LARGE:
        return []
    writer = _Hyperbolic(field, marked[0], write, show)
    if writer.middle(n) != writer.middle(d):
        return []
    tops, bottoms = ([writer.product(_whole(p)), writer.product(writer.factored(p))] for p in (n, d))
    return [_tangents(top, bottom) for top in tops for bottom in bottoms]


Factors = tuple[Fraction, list[tuple[Poly, int]]]


def _whole(p: Poly) -> Factors:
    return Fraction(1), [(p, 1)]


class _Hyperbolic:
    """Writes polynomials in one exponential."""

    def __init__(self, field: Field, k: int, write: Write, show: Show) -> None:
        self.field, self.k, self.write, self.show = field, k, write, show

    def parts(self, p: Poly) -> dict[int, Poly]:
        """The coefficients by power of the exponential."""
        return {e: c for (e,), c in self.field.tower.collect(p, (self.k,)).items()}

    def middle(self, p: Poly) -> int:
        """Twice the middle power of the exponential."""
        powers = self.parts(p)
        return min(powers) + max(powers)

    def factored(self, p: Poly) -> Factors:
        """Irreducible factors, but E^m ± 1 whole: it is one function."""
        scale, factors = self.field.factor(p)
        pure: dict[int, Poly] = {}
        for f, power in factors:
            if self.field.tower.used(f) == [self.k]:
                pure[power] = pure.get(power, self.field.tower.one) * f
        joined = {power: f for power, f in pure.items() if len(f) <= 2}
        rest = [(f, e) for f, e in factors if e not in joined or self.field.tower.used(f) != [self.k]]
        return Fraction(int(scale.p), int(scale.q)), [*rest, *((f, e) for e, f in joined.items())]

    def product(self, factors: Factors) -> Product:
        """A product of factors, each divided by its middle power."""
        scale, found = factors[0], []
        for p, power in factors[1]:
            inner, parts = self.symmetric(p)
            scale *= inner**power
            for part in parts:
                base, e = (part.args[0], part.args[1].value) if part.op == "pow" else (part, 1)
                exponent = graph.number(Fraction(e) * power)
                found.append(base if exponent is graph.ONE else graph.power(base, exponent))
        return scale, found

    def symmetric(self, p: Poly) -> Product:
        """A polynomial divided by its middle power of the exponential."""
        powers, shift = self.parts(p), self.middle(p)
        around = {2 * e - shift: c for e, c in powers.items()}  # powers of exp(w/2)
        step = gcd(*around)
        if not step:
            return self.write(p if not shift else around[0])
        terms = []
        zero = self.field.tower.zero
        for j in sorted({abs(e) for e in around}, reverse=True):
            up, down = around.get(j, zero), around.get(-j, zero)
            if j == 0:
                terms.append((j, "", up))
                continue
            terms += [(j, "cosh", up + down), (j, "sinh", up - down)]
        terms = [(j, name, c) for j, name, c in terms if not c.is_zero()]
        if len(terms) == 1:
            j, name, c = terms[0]
            scale, factors = self.write(c)
            return scale, [*factors, self.call(name, j)]
        if len(terms) == 2 and terms[0][1] == "cosh" and terms[1][0] == 0:
            (j, _, c), (_, _, a) = terms
            if (c - a).is_zero() or (c + a).is_zero():  # a ± a cosh
                scale, factors = self.write(c)
                square = graph.power(self.call("cosh" if c == a else "sinh", j, 2), graph.number(2))
                return 2 * scale, [*factors, square]
        written = [(*self.write(c), j, name) for j, name, c in terms]
        content = Fraction(
            gcd(*(s.numerator for s, *_ in written)), lcm(*(s.denominator for s, *_ in written))
        )
        summands = []
        for scale, factors, j, name in written:
            size = abs(scale) / content
            body = [*factors, self.call(name, j)] if name else factors
            term = graph.mul(*([] if size == 1 and body else [graph.number(size)]), *body)
            summands.append(graph.neg(term) if scale < 0 else term)
        return content, [graph.add(*sorted(summands, key=lambda s: s.op == "neg"))]

    def call(self, name: str, j: int, divisor: int = 1) -> Expr:
        """cosh or sinh of j·w/2, over a divisor."""
        w = self.field.generators[self.k].args[0]
        return graph.call(name, self.show(w * Fraction(j, 2 * divisor)))


def _tangents(top: Product, bottom: Product) -> tuple[Product, Product]:
    """sinh^a u/cosh^a u as tanh^a u."""
    above, below = list(top[1]), list(bottom[1])
    for i, factor in enumerate(above):
        base, e = _base(factor)
        for j, other in enumerate(below):
            if base.op == "sinh" and _base(other) == (graph.call("cosh", *base.args), e):
                tangent = graph.call("tanh", *base.args)
                above[i] = tangent if e is graph.ONE else graph.power(tangent, e)
                del below[j]
                break
    return (top[0], above), (bottom[0], below)


def _base(factor: Expr) -> tuple[Expr, Expr]:
    return (factor.args[0], factor.args[1]) if factor.op == "pow" else (factor, graph.ONE)
