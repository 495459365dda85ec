"""Sines and cosines: addition theorems onto base angles.

An argument u is written as a rational combination  u = q₀π + Σ qᵢ mᵢ  of monomials mᵢ (of generators,
or monomials over a denominator), and

    cos u + i·sin u = e^{iq₀π} Π (cos θᵢ + i·sin θᵢ)^{nᵢ},      θᵢ = unitᵢ·mᵢ,   qᵢ = nᵢ·unitᵢ.

Each base angle θᵢ has one pair of generators with cos² = 1 − sin². When qᵢ is no multiple of the unit
(sin(x/2) after sin x) the unit is refined to their greatest common divisor and the old pair is
expressed by the new one.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> (x,) = field.symbols("x")
>>> s = field.sin(x)
>>> s == 2 * field.sin(x / 2) * field.cos(x / 2)
True
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING

from flint import fmpq_mat

from chetaev.expr.exact.effort.budget import BudgetError
from chetaev.expr.exact.numbers.number_echelon import NumberEchelon

if TYPE_CHECKING:
    from chetaev.expr.exact.field.element import Element
    from chetaev.expr.exact.field.field import Field

Pair = tuple["Element", "Element"]

ALGEBRAIC = frozenset({"asin", "atan", "atan2"})
"""Angles whose sine and cosine are algebraic in their arguments."""

MAX_MULTIPLE = 400


@dataclass(eq=False)
class Base:
    """A base argument unit·monomial, with its sine and cosine (or its exponential twice)."""

    monomial: Element
    unit: Fraction
    first: Element
    second: Element
    index: int


class Lattice:
    """The base arguments of one kind of function."""

    def __init__(self) -> None:
        self.bases: dict[Hashable, Base] = {}
        self.fractional: list[Hashable] = []

    def drop(self, index: int) -> None:
        """Forget the base with this generator."""
        self.bases = {k: b for k, b in self.bases.items() if b.index != index}
        self.fractional = [k for k in self.fractional if k in self.bases]


def common_unit(a: Fraction, b: Fraction) -> Fraction:
    """The largest rational of which both are integer multiples.

    >>> common_unit(Fraction(1, 2), Fraction(1, 3))
    Fraction(1, 6)
    """
    d = lcm(a.denominator, b.denominator)
    return Fraction(gcd(int(a * d), int(b * d)), d)


Parts = list[tuple[Fraction, Hashable, "Element"]]


def split(field: Field, u: Element, lattice: Lattice) -> Parts:
    """u as a rational combination: coefficients, keys and the monomials themselves."""
    if u.is_polynomial:
        return _monomials(field, u)
    whole, rest = divmod(u.numerator, u.denominator)
    parts = _monomials(field, field.polynomial(whole))
    remainder = field.quotient(rest, u.denominator)
    if rest.is_zero():
        return parts
    known = _combination(field, remainder, lattice)
    if known is not None:
        return parts + known
    for monomial, coefficient in field.tower.terms(rest):
        term = field.quotient(field.tower.from_terms({monomial: coefficient / coefficient}), u.denominator)
        q = Fraction(int(coefficient.p), int(coefficient.q))
        known = _combination(field, term, lattice)
        if known is not None:
            parts += [(q * c, k, m) for c, k, m in known]
        else:
            key = field.tower.key(term.numerator), field.tower.key(term.denominator)
            lattice.fractional.append(key)
            parts.append((q, key, term))
            lattice.bases.setdefault(key, Base(term, Fraction(0), field.one, field.zero, -1))
    return parts


def _monomials(field: Field, u: Element) -> Parts:
    tower = field.tower
    parts: Parts = []
    for monomial, coefficient in tower.terms(u.numerator):
        m = tower.from_terms({monomial: coefficient / coefficient})
        q = Fraction(int(coefficient.p), int(coefficient.q))
        parts.append((q, monomial, field.polynomial(m)))
    return parts


def _combination(field: Field, u: Element, lattice: Lattice) -> Parts | None:
    """u by the fractional bases known so far: Σ qᵢuᵢ plus a polynomial, or None."""
    bases = [(k, lattice.bases[k].monomial) for k in lattice.fractional]
    if not bases:
        return None
    common = u.denominator
    for _, b in bases:
        common = common * (b.denominator / field.gcd(common, b.denominator))
    if len(common) > 200:
        return None
    columns = [(b.numerator * (common / b.denominator)) % common for _, b in bases]
    target = (u.numerator * (common / u.denominator)) % common
    support = sorted({m for p in (*columns, target) for m, _ in field.tower.terms(p)})
    tables = [dict(field.tower.terms(p)) for p in (*columns, target)]
    found = NumberEchelon(fmpq_mat([[t.get(m, 0) for t in tables] for m in support])).solution()
    if found is None:
        return None
    parts = [(Fraction(int(q.p), int(q.q)), *bases[j]) for j, q in found.items() if q != 0]
    rest = u
    for q, _, b in parts:
        rest = rest - b * q
    return parts + _monomials(field, rest) if rest.is_polynomial else None


def sine_cosine(field: Field, u: Element) -> Pair:
    """The pair (sin u, cos u)."""
    age = field.refinements
    sine, cosine = field.zero, field.one
    for q, key, monomial in split(field, u, field.angles):
        generator = single(field, monomial)
        if generator is not None and field.generators[generator].name == "pi":
            pair = _of_pi(field, q, key, monomial)
        else:
            pair = _multiple(field, q, key, monomial)
        s, c = pair
        sine, cosine = sine * c + cosine * s, cosine * c - sine * s
    if field.refinements != age:  # a part of u may read differently now
        return sine_cosine(field, u)
    return sine, cosine


def single(field: Field, monomial: Element) -> int | None:
    """The generator a monomial consists of, if it is just one to the first power."""
    if not monomial.is_polynomial or monomial.numerator.total_degree() != 1:
        return None
    used = field.tower.used(monomial.numerator)
    return used[0] if len(used) == 1 and len(monomial.numerator) == 1 else None


def _of_pi(field: Field, q: Fraction, key: Hashable, monomial: Element) -> Pair:
    """sin and cos of qπ: exact for multiples of π/12, otherwise a base angle."""
    q %= 2
    quarter, rest = divmod(q, Fraction(1, 2))
    if rest == 0:
        s, c = field.zero, field.one
    elif 12 % rest.denominator == 0:
        s, c = _small_angle(field, rest)
    else:
        return _multiple(field, q, key, monomial)
    for _ in range(int(quarter)):
        s, c = c, -s
    return s, c


def _small_angle(field: Field, q: Fraction) -> Pair:
    half = Fraction(1, 2)
    root2, root3 = (field.sqrt(field(k)) for k in (2, 3))
    if q == Fraction(1, 4):
        return root2 * half, root2 * half
    if q == Fraction(1, 6):
        return field(half), root3 * half
    if q == Fraction(1, 3):
        return root3 * half, field(half)
    s, c = _small_angle(field, Fraction(1, 4))
    t, d = _small_angle(field, Fraction(1, 6))
    if q == Fraction(1, 12):
        return s * d - c * t, c * d + s * t
    return s * d + c * t, c * d - s * t


def _multiple(field: Field, q: Fraction, key: Hashable, monomial: Element) -> Pair:
    algebraic = _algebraic_pair(field, q, monomial)
    if algebraic is not None:
        return algebraic
    base = field.angles.bases.get(key)
    if base is None or base.unit == 0:
        base = _new_base(field, key, monomial, abs(q))
    elif (q / base.unit).denominator != 1:
        old, unit = base, common_unit(base.unit, q)
        n = int(base.unit / unit)
        _expect_small(n)
        with field.refining():
            base = _new_base(field, key, monomial, unit)
            sine, cosine = repeat(field, (base.first, base.second), n)
            field.generators[old.index].kind = field.generators[old.index + 1].kind = "dead"
            field.replace({old.index: sine, old.index + 1: cosine})
    return repeat(field, (base.first, base.second), int(q / base.unit))


def _new_base(field: Field, key: Hashable, monomial: Element, unit: Fraction) -> Base:
    angle = monomial * unit
    sine = field.adjoin("sin", (angle,))
    cosine = field.adjoin("cos", (angle,))
    sine.partner, cosine.partner = cosine.index, sine.index
    tower = field.tower
    tower.relate(cosine.index, 2, 1 - tower.variable(sine.index) ** 2)
    base = Base(monomial, unit, field.variable(sine.index), field.variable(cosine.index), sine.index)
    field.angles.bases[key] = base
    return base


def _algebraic_pair(field: Field, q: Fraction, monomial: Element) -> Pair | None:
    """sin and cos of a multiple (or half) of asin u, atan u or atan2(y, x)."""
    index = single(field, monomial)
    if index is None or field.generators[index].kind not in ALGEBRAIC or q.denominator > 2:
        return None
    generator = field.generators[index]
    if generator.kind == "asin":
        s = generator.args[0]
        c = field.sqrt(1 - s**2)
    elif generator.kind == "atan":
        c = 1 / field.sqrt(1 + generator.args[0] ** 2)
        s = generator.args[0] * c
    else:
        y, x = generator.args
        r = field.sqrt(x**2 + y**2)
        s, c = y / r, x / r
    if q.denominator == 2:
        half = field.sqrt((1 + c) / 2)
        s, c = s / (2 * half), half
    return repeat(field, (s, c), q.numerator)


def _expect_small(n: int) -> None:
    if abs(n) > MAX_MULTIPLE:
        raise BudgetError(f"a {abs(n)}-fold angle is too large to be expanded")


def repeat(field: Field, pair: Pair, n: int) -> Pair:
    """The pair of the n-fold angle: (cos + i·sin)^n."""
    _expect_small(n)
    if n == 1:
        return pair
    if n == -1:
        return -pair[0], pair[1]
    sine, cosine = field.zero, field.one
    s, c = pair if n >= 0 else (-pair[0], pair[1])
    n = abs(n)
    while n:
        if n & 1:
            sine, cosine = sine * c + cosine * s, cosine * c - sine * s
        n >>= 1
        if n:
            s, c = 2 * s * c, c * c - s * s
    return sine, cosine
