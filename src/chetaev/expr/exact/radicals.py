"""Roots, rational powers, signs and absolute values.

A root is an atom r = v^{1/d} with r^d = v; the real root is meant, so v > 0 wherever it is defined.

    (k·Π pᵢ^{eᵢ})^{1/d} = k^{1/d} Π |pᵢ|^{⌊eᵢ/d⌋} · (Π pᵢ^{eᵢ mod d})^{1/d},     |p| = p·sign(p),  sign(p)² = 1.

Only what holds for every sign is used: √(x²) is |x|, and √(xy) stays one atom. That √(xy) = √x·√y where
both sides are real is used only inside an element in which √x and √y occur
(:mod:`chetaev.expr.exact.settle`).

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> x, y = field.symbols("x y")
>>> field.sqrt(4 * x) == 2 * field.sqrt(x), field.sqrt(x**2) == x, field.sqrt(x**2) == field.abs(x)
(True, False, True)
>>> field.sqrt(x * y) == field.sqrt(x) * field.sqrt(y)
True
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor, gcd, lcm
from typing import TYPE_CHECKING

from flint import fmpq, fmpz

from chetaev.expr.exact import halfangle
from chetaev.expr.exact.budget import NotRealError

if TYPE_CHECKING:
    from chetaev.expr.exact.element import Element
    from chetaev.expr.exact.field import Field, Generator
    from chetaev.expr.exact.tower import Poly

Factors = list[tuple["Poly", int]]

POSITIVE = frozenset({"exp", "root"})
BOUNDED = frozenset({"sin", "cos", "sign"})


@dataclass(eq=False)
class Root:
    """A root r with r^order = radicand; `odd` are the factors that decide the sign of the radicand."""

    generator: Generator
    radicand: Element
    odd: frozenset[str]
    negative: bool


def factors(field: Field, p: Poly) -> tuple[fmpq, Factors]:
    """p = k·Π pᵢ^{eᵢ}, in the form of its sines and cosines that has the most square factors."""
    if len(p) > 400 or p.total_degree() > 200:
        return fmpq(1), [(p, 1)]
    field.tower.budget.check_time()
    best = p.factor()
    if len(p) == 1:
        return best
    score = _score(best[1])
    pairs = halfangle.pairs_in(field, p)
    form = p
    for pair in pairs if len(p) <= halfangle.MAX_TERMS else ():
        for start in (p, form):
            candidate = halfangle.sine_form(field, start, pair)
            found = candidate.factor()
            if _score(found[1]) > score:
                best, score, form = found, _score(found[1]), candidate
    if pairs and score[0] == 0 and len(pairs) <= halfangle.MAX_PAIRS and len(p) <= halfangle.MAX_TERMS:
        square = halfangle.square_part(field, p, pairs)
        if square is not None:
            k, rest = factors(field, square[1])
            l, root = square[0].factor()
            return k * l * l, [*rest, *((f, 2 * e) for f, e in root)]
    return best


def _score(found: Factors) -> tuple[int, int]:
    return sum(e // 2 for _, e in found), sum(e for _, e in found)


def is_positive(field: Field, p: Poly) -> bool:
    """Whether p ≥ 0 can be seen at once: even powers, positive coefficients, bounded sines.

    A constant term may outweigh products of sines and cosines, as in 2 + cos x.
    """
    if len(p) > 1000:
        return False
    constant, bounded = fmpq(0), fmpq(0)
    for monomial, coefficient in field.tower.terms(p):
        kinds = [(field.generators[k], e) for k, e in monomial]
        if not kinds:
            constant = coefficient
            continue
        even = all(e % 2 == 0 or g.kind in POSITIVE or g.kind == "constant" for g, e in kinds)
        if even and coefficient > 0:
            continue
        if not all(g.kind in BOUNDED for g, _ in kinds):
            return False
        bounded += abs(coefficient)
    return bool(constant >= bounded)


def power(field: Field, u: Element, q: Fraction) -> Element:
    """u^q; for q that is no integer u > 0 is meant."""
    if q.denominator == 1:
        return u ** int(q)
    if u.is_zero:
        return field.zero if q > 0 else field.one / u
    n = floor(q)
    rest = q - n
    return u**n * root(field, u, rest.denominator) ** rest.numerator


def root(field: Field, u: Element, d: int) -> Element:
    """The real root u^{1/d}, where u > 0."""
    key = ("root", str(d), str(u.numerator), str(u.denominator))
    found = field.functions.get(key)
    if found is None:
        found = _root(field, u, d)
        field.functions[key] = found
    return found


def _root(field: Field, u: Element, d: int) -> Element:
    kn, up = factors(field, u.numerator)
    kd, down = (fmpq(1), []) if u.is_polynomial else factors(field, u.denominator)
    k = kn / kd
    outside, remaining = field.one, field.one
    merged: Factors = [*up, *((f, -e) for f, e in down)]
    exponents: list[int] = []
    odd: list[tuple[Poly, int]] = []
    for f, e in merged:
        p = field.polynomial(field.tower.reduce(f))
        index = _generator(field, f)
        if index is not None and field.generators[index].kind == "exp":
            outside = outside * field.exp(field.generators[index].args[0] * Fraction(e, d))
        elif index is not None and field.generators[index].kind == "root":
            g = field.generators[index]
            outside = outside * power(field, g.args[0], Fraction(e, d * g.order))
        elif index is not None and field.generators[index].kind == "sign":
            odd.append((f, e % d if d % 2 else e % 2))
        elif is_positive(field, f):
            outside = outside * p ** (e // d) * _positive_root(field, p, e % d, d)
        elif is_positive(field, -f):
            k = -k if e % 2 else k
            outside = outside * (-p) ** (e // d) * _positive_root(field, -p, e % d, d)
        else:
            outside = outside * field.abs(p) ** (e // d)
            odd.append((f, e % d))
    odd = [(f, e) for f, e in odd if e]
    if not odd:
        return outside * number_root(field, k, d)
    exponents = [e for _, e in odd]
    g = gcd(d, *exponents)
    if k < 0 and g % 2 == 0:
        raise NotRealError("a root of a function that is nowhere positive")
    for f, e in odd:
        remaining = remaining * field.polynomial(field.tower.reduce(f)) ** (e // g)
    if k < 0:
        remaining = -remaining
    elif g % 2 == 0:
        return outside * number_root(field, k, d) * power(field, field.abs(remaining), Fraction(g, d))
    kept = frozenset(str(f) for f, e in odd if (e // g) % 2 and not _is_sign(field, f))
    return outside * number_root(field, abs(k), d) * _register(field, remaining, d // g, kept, bool(k < 0))


def _is_sign(field: Field, f: Poly) -> bool:
    index = _generator(field, f)
    return index is not None and field.generators[index].kind == "sign"


def _generator(field: Field, f: Poly) -> int | None:
    if len(f) != 1 or f.total_degree() != 1:
        return None
    used = field.tower.used(f)
    return used[0]


def _positive_root(field: Field, p: Element, e: int, d: int) -> Element:
    if e == 0:
        return field.one
    g = gcd(e, d)
    return _register(field, p, d // g, frozenset(), False) ** (e // g)


def number_root(field: Field, k: fmpq, d: int) -> Element:
    """The root of a positive rational number, by its prime factors."""
    if k <= 0:
        raise NotRealError("a root of a negative number")
    n, m = fmpz(k.p), fmpz(k.q)
    result = field.one / field(int(m))
    whole = n * m ** (d - 1)
    if whole.bit_length() > 200:
        primes = [(whole, 1)]
    else:
        primes = whole.factor()
    for p, e in primes:
        e = int(e)
        result = result * int(p) ** (e // d)
        if e % d:
            result = result * _positive_root(field, field(int(p)), e % d, d)
    return result


def _register(field: Field, v: Element, d: int, odd: frozenset[str], negative: bool) -> Element:
    """The atom v^{1/d}; orders of one radicand are brought to their common multiple."""
    if d == 1:
        return v
    key = str(v.numerator)
    known = field.roots.get(key)
    if known is not None and known.generator.order % d == 0:
        return field.variable(known.generator.index) ** (known.generator.order // d)
    order = d if known is None else lcm(d, known.generator.order)
    generator = field.adjoin("root", (v,), order=order)
    field.tower.relate(generator.index, order, v.numerator)
    field.roots[key] = Root(generator, v, odd, negative)
    if odd:
        field.settlement.add(generator.index)
    r = field.variable(generator.index)
    if known is not None:
        known.generator.kind = "dead"
        field.settlement.drop(known.generator.index)
        field.replace({known.generator.index: r ** (order // known.generator.order)})
    return r ** (order // d)


def sign(field: Field, u: Element) -> Element:
    """The sign as a product of signs of irreducible factors, ±1 off the zeros of u."""
    if u.is_zero:
        return field.zero
    result = field.one
    for p in (u.numerator, u.denominator):
        if p.is_constant():
            if p.leading_coefficient() < 0:
                result = -result
            continue
        if is_positive(field, p):
            continue
        k, found = factors(field, p)
        if k < 0:
            result = -result
        for f, e in found:
            if e % 2:
                result = result * _sign_of_factor(field, f)
    return result


def _sign_of_factor(field: Field, f: Poly) -> Element:
    index = _generator(field, f)
    if index is not None:
        kind = field.generators[index].kind
        if kind in POSITIVE or kind == "constant":
            return field.one
        if kind == "sign":
            return field.variable(index)
    if is_positive(field, f):
        return field.one
    if is_positive(field, -f):
        return -field.one
    key = ("sign", str(f))
    if key not in field.functions:
        generator = field.adjoin("sign", (field.polynomial(field.tower.reduce(f)),))
        field.tower.relate(generator.index, 2, field.tower.one)
        field.functions[key] = field.variable(generator.index)
        field.settlement.add(generator.index)
    return field.functions[key]
