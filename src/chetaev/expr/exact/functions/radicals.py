"""Roots, rational powers, signs and absolute values.

A root is an atom r = v^{1/d} with r^d = v; the real root is meant, so v > 0 wherever it is defined.

    (k·Π pᵢ^{eᵢ})^{1/d} = k^{1/d} Π |pᵢ|^{aᵢ} · (Π pᵢ^{bᵢ} sign(pᵢ)^{d·aᵢ})^{1/d},   eᵢ = d·aᵢ + bᵢ,
    |p| = p·sign(p),   sign(p)² = 1.

Only what holds for every sign is used: √(x²) is |x|, and √(xy) stays one atom. That √(xy) = √x·√y where
both sides are real is used only inside an element in which √x and √y occur
(:mod:`chetaev.expr.exact.field.implied_signs`).

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
from flint.utils.flint_exceptions import DomainError

from chetaev.expr.exact.effort.budget import NotRealError
from chetaev.expr.exact.polynomials import halfangle
from chetaev.expr.exact.polynomials.positive_quadratics import is_definite

if TYPE_CHECKING:
    from chetaev.expr.exact.field.element import Element
    from chetaev.expr.exact.field.field import Field, Generator
    from chetaev.expr.exact.polynomials.tower import Key, Poly

Raw = list[tuple["Poly", int]]
Factors = list[tuple["Element", int]]

POSITIVE = frozenset({"exp", "root"})
BOUNDED = frozenset({"sin", "cos", "sign"})


@dataclass(eq=False)
class Root:
    """A root r with r^order = radicand; `odd` are the factors that decide the sign of the radicand."""

    generator: Generator
    radicand: Element
    odd: frozenset[Key]
    negative: bool


def factors(field: Field, p: Poly) -> tuple[fmpq, Factors]:
    """p = k·Π pᵢ^{eᵢ}, in the form of its sines and cosines that has the most square factors.

    The factors are elements, so that they stay valid when the field grows.
    """
    k, found = _factors(field, p)
    reduce = field.tower.reduce
    return k, [(field.polynomial(reduce(f)), e) for f, e in found]


def _factors(field: Field, p: Poly) -> tuple[fmpq, Raw]:
    if len(p) > 200 or p.total_degree() > 200:
        return fmpq(1), [(p, 1)]
    best = field.factor(p)
    if len(p) == 1:
        return best
    score = _score(best[1])
    pairs = halfangle.pairs_in(field, p)
    form = p
    for pair in pairs if len(p) <= halfangle.MAX_TERMS else ():
        for start in (p, form):
            candidate = halfangle.sine_form(field, start, pair)
            found = field.factor(candidate)
            if _score(found[1]) > score:
                best, score, form = found, _score(found[1]), candidate
    if pairs and score[0] == 0 and len(pairs) <= halfangle.MAX_PAIRS and len(p) <= halfangle.MAX_TERMS:
        square = halfangle.square_part(field, p, pairs)
        if square is not None:
            k, rest = _factors(field, square[1])
            m, root = field.factor(square[0])
            return k * m * m, [*rest, *((f, 2 * e) for f, e in root)]
    return best


def _score(found: Raw) -> tuple[int, int]:
    return sum(e // 2 for _, e in found), sum(e for _, e in found)


def is_positive(field: Field, p: Poly, strictly: bool = False) -> bool:
    """Whether p ≥ 0 can be seen at once: even powers, positive coefficients, bounded sines, quadratic forms.

    A constant term may outweigh products of sines and cosines, as in 2 + cos x. `strictly` asks for p > 0.
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
            return is_definite(field, p, strictly)
        bounded += abs(coefficient)
    return bool(constant > bounded if strictly else constant >= bounded)


def power(field: Field, u: Element, q: Fraction) -> Element:
    """u^q; for q that is no integer u > 0 is meant."""
    if q.denominator == 1:
        return u ** int(q)
    if u.is_blank:
        return field.zero if q > 0 else field.one / u
    n = floor(q)
    rest = q - n
    return u**n * root(field, u, rest.denominator) ** rest.numerator


def root(field: Field, u: Element, d: int) -> Element:
    """The real root u^{1/d}, where u > 0."""
    key = "root", d, field.tower.key(u.numerator), field.tower.key(u.denominator)
    found = field.functions.get(key)
    if found is None:
        found = _root(field, u, d)
        field.functions[key] = found
    return found


def _root(field: Field, u: Element, d: int) -> Element:
    denested = denest(field, u) if d == 2 else None
    if denested is not None:
        return denested
    age = field.refinements
    kn, up = factors(field, u.numerator)
    kd, down = (fmpq(1), []) if u.is_polynomial else factors(field, u.denominator)
    k = kn / kd
    outside = field.one
    odd: Factors = []
    for p, e in [*up, *((f, -e) for f, e in down)]:
        index = generator_of(p)
        kind = "" if index is None else field.generators[index].kind
        if index is not None and kind == "exp":
            outside = outside * field.exp(field.generators[index].args[0] * Fraction(e, d))
        elif index is not None and kind == "root":
            inner = field.generators[index]
            outside = outside * power(field, inner.args[0], Fraction(e, d * inner.order))
        elif kind == "sign":
            odd.append((p, e % 2))
        elif is_positive(field, p.numerator):
            outside = outside * p ** (e // d) * _positive_root(field, p, e % d, d)
        elif is_positive(field, -p.numerator):
            k = -k if e % 2 else k
            outside = outside * (-p) ** (e // d) * _positive_root(field, -p, e % d, d)
        else:
            outside = outside * field.abs(p) ** (e // d) if e // d else outside
            odd.append((p, e % d))
            if d * (e // d) % 2:  # |p|^d went out of an odd root, so that sign(p) stays behind
                odd.append((sign(field, p), 1))
        if field.refinements != age:  # the factors may have factors now
            return _root(field, u, d)
    return outside * _open_root(field, k, [(p, e) for p, e in odd if e], d)


def _open_root(field: Field, k: fmpq, odd: Factors, d: int) -> Element:
    """The root of k·Π pᵢ^{eᵢ} with factors of unknown sign."""
    if not odd:
        return number_root(field, k, d)
    g = gcd(d, *(e for _, e in odd))
    if k < 0 and g % 2 == 0:
        raise NotRealError("a root of a function that is nowhere positive")
    remaining = field.one if k > 0 else -field.one
    decisive: frozenset[Key] = frozenset()
    for p, e in odd:
        remaining = remaining * p ** (e // g)
        if (e // g) % 2:
            decisive ^= {_sign_key(field, p)}
    number = number_root(field, abs(k), d)
    if g % 2 == 0:
        return number * power(field, field.abs(remaining), Fraction(g, d))
    return number * _register(field, remaining, d // g, decisive, bool(k < 0))


def denest(field: Field, u: Element) -> Element | None:
    """√(a + b√v) = |α + β√v| with α² = (a ± √(a² − b²v))/2, β = b/2α, where these roots are exact."""
    tower = field.tower
    if not u.is_polynomial or len(u.numerator) > 60:
        return None
    for k in reversed(tower.used(u.numerator)):
        if field.generators[k].kind != "root" or field.generators[k].order != 2:
            continue
        parts = tower.collect(u.numerator, (k,))
        if (0,) not in parts or (1,) not in parts:
            continue
        a, b = field.polynomial(parts[(0,)]), field.polynomial(parts[(1,)])
        n = _exact_root(field, a**2 - b**2 * field.generators[k].args[0])
        if n is None:
            continue
        for square in ((a + n) / 2, (a - n) / 2):
            alpha = field.sqrt(square) if (square.as_fraction() or 0) > 0 else _exact_root(field, square)
            if alpha is not None and not alpha.is_blank:
                w = alpha + b / (2 * alpha) * field.variable(k)
                if w**2 == u:
                    return field.abs(w)
    return None


def _exact_root(field: Field, u: Element) -> Element | None:
    try:
        return field.polynomial(u.numerator.sqrt()) if u.is_polynomial else None
    except DomainError:
        return None


def _sign_key(field: Field, p: Element) -> Key:
    """What decides the sign of a factor: the factor itself, or that of which it is the sign."""
    index = generator_of(p)
    if index is not None and field.generators[index].kind == "sign":
        p = field.generators[index].args[0]
    return field.tower.key(p.numerator)


def generator_of(p: Element) -> int | None:
    """The generator that a polynomial is, or None."""
    n = p.numerator
    return p.field.tower.used(n)[0] if len(n) == 1 and n.total_degree() == 1 else None


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
    primes = [(whole, 1)] if whole.bit_length() > 200 else whole.factor()
    for p, e in primes:
        e = int(e)
        result = result * int(p) ** (e // d)
        if e % d:
            result = result * _positive_root(field, field(int(p)), e % d, d)
    return result


def _register(field: Field, v: Element, d: int, odd: frozenset[Key], negative: bool) -> Element:
    """The atom v^{1/d}; orders of one radicand are brought to their common multiple."""
    if d == 1:
        return v
    key = field.tower.key(v.numerator)
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
        with field.refining():
            known.generator.kind = "dead"
            field.settlement.drop(known.generator.index)
            field.replace({known.generator.index: r ** (order // known.generator.order)})
    return r ** (order // d)


def sign(field: Field, u: Element) -> Element:
    """The sign as a product of signs of irreducible factors, ±1 off the zeros of u."""
    if u.is_blank:
        return field.zero
    result = field.one
    for part in ("numerator", "denominator"):  # asked for one by one, because the field may grow
        p: Poly = getattr(u, part)
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


def _sign_of_constant(u: Element) -> int:
    """The sign of a constant such as 1 − √2, by a ball; 0 if it does not show."""
    for bits in (64, 256):
        value = u.evaluate({}, bits)
        if value > 0:
            return 1
        if value < 0:
            return -1
    return 0


def _sign_of_factor(field: Field, p: Element) -> Element:
    index = generator_of(p)
    kind = "" if index is None else field.generators[index].kind
    if kind in POSITIVE or kind == "constant" or is_positive(field, p.numerator):
        return field.one
    if kind == "sign":
        return p
    if is_positive(field, -p.numerator):
        return -field.one
    if not any(field.generators[k].depends for k in field.tower.used(p.numerator)):
        side = _sign_of_constant(p)
        if side:
            return field.one * side
    key = "sign", field.tower.key(p.numerator)
    if key not in field.functions:
        generator = field.adjoin("sign", (p,))
        field.tower.relate(generator.index, 2, field.tower.one)
        field.functions[key] = field.variable(generator.index)
        field.settlement.add(generator.index)
    return field.functions[key]
