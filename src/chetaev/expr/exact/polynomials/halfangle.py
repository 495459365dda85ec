"""Factorization with sines and cosines: the tangent of the half angle.

Q[s, c]/(s² + c² − 1) has no unique factorization: (c − s)(c + s) = 1 − 2s². But with
s = 2t/(1+t²), c = (1−t²)/(1+t²) it becomes, up to powers of 1 + t², the polynomial ring Q[t], where
common divisors and squares can be found and carried back by

    t^j/(1+t²)^k = ((1−c)/2)^{j/2} ((1+c)/2)^{k−j/2}     (j even; for odd j one factor is s/2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chetaev.expr.exact.effort import cost

if TYPE_CHECKING:
    from chetaev.expr.exact.field.field import Field
    from chetaev.expr.exact.polynomials.tower import Poly

Pairs = tuple[tuple[int, int], ...]
"""Generator numbers (sin, cos) of some base angles."""

MAX_PAIRS = 3
MAX_TERMS = 60


def pairs_in(field: Field, *polynomials: Poly) -> Pairs:
    """The base angles that occur."""
    found: dict[int, int] = {}
    for p in polynomials:
        for k in field.tower.used(p):
            generator = field.generators[k]
            if generator.kind == "sin":
                found[k] = generator.partner
            elif generator.kind == "cos":
                found[generator.partner] = k
    return tuple(sorted(found.items()))


def sine_form(field: Field, p: Poly, pair: tuple[int, int]) -> Poly:
    """The same function with at most the first power of the sine: s² = 1 − c²."""
    s, c = pair
    tower = field.tower
    result = tower.zero
    square = 1 - tower.variable(c) ** 2
    for (e,), part in tower.collect(p, (s,)).items():
        result = result + tower.product(part * tower.variable(s) ** (e % 2), square ** (e // 2))
    return result


def to_tangents(field: Field, p: Poly, pairs: Pairs) -> tuple[Poly, tuple[int, ...]]:
    """p = P/Π(1+t²)^k: the polynomial P (t in the place of s) and the exponents k."""
    tower = field.tower
    exponents = []
    for s, c in pairs:
        groups = tower.collect(p, (s, c))
        k = max(a + b for a, b in groups)
        t = tower.variable(s)
        one, minus = 1 + t**2, 1 - t**2
        p = tower.zero
        for (a, b), part in groups.items():
            tower.budget.spend(len(p))
            p = p + tower.product(part, tower.product((2 * t) ** a * minus**b, one ** (k - a - b)))
        exponents.append(k)
    return p, tuple(exponents)


def from_tangents(field: Field, p: Poly, pairs: Pairs, exponents: tuple[int, ...]) -> Poly | None:
    """The polynomial in s and c of P/Π(1+t²)^k; None if it is not one."""
    tower = field.tower
    for (s, c), k in zip(pairs, exponents, strict=True):
        groups = tower.collect(p, (s,))
        if max(j for (j,) in groups) > 2 * k:
            return None
        low, high = (1 - tower.variable(c)) / 2, (1 + tower.variable(c)) / 2
        p = tower.zero
        for (j,), part in groups.items():
            tower.budget.spend(len(p))
            odd = j % 2
            term = tower.product(part, tower.product(low ** (j // 2), high ** (k - j // 2 - odd)))
            p = p + (term * tower.variable(s) / 2 if odd else term)
    return tower.reduce(p)


def cancel(field: Field, n: Poly, d: Poly, pairs: Pairs) -> tuple[Poly, Poly]:
    """Numerator and denominator without a common divisor that only trigonometry shows."""
    tn, kn = to_tangents(field, n, pairs)
    td, kd = to_tangents(field, d, pairs)
    g = without_units(field, field.gcd(tn, td), pairs)
    if g.is_constant():
        return n, d
    halves = tuple((field.tower.degree(g, s) + 1) // 2 for s, _ in pairs)
    n2 = from_tangents(field, tn / g, pairs, tuple(k - m for k, m in zip(kn, halves, strict=True)))
    d2 = from_tangents(field, td / g, pairs, tuple(k - m for k, m in zip(kd, halves, strict=True)))
    if n2 is None or d2 is None:
        return n, d
    return n2, d2


def without_units(field: Field, g: Poly, pairs: Pairs) -> Poly:
    """A polynomial in tangents without its factors 1 + t²."""
    for s, _ in pairs:
        unit = 1 + field.tower.variable(s) ** 2
        while not g.is_constant():
            quotient, rest = divmod(g, unit)
            if not rest.is_zero():
                break
            g = quotient
    return g


def square_part(field: Field, p: Poly, pairs: Pairs) -> tuple[Poly, Poly] | None:
    """p = w²·v with a w that is not constant, or None."""
    tp, k = to_tangents(field, p, pairs)
    field.tower.budget.spend(cost.factorization(tp))
    _, factors = tp.factor_squarefree()
    w = field.tower.one
    units = [1 + field.tower.variable(s) ** 2 for s, _ in pairs]
    for f, e in factors:
        if e > 1 and all(f != u for u in units):
            w = w * f ** (e // 2)
    if w.is_constant():
        return None
    halves = tuple((field.tower.degree(w, s) + 1) // 2 for s, _ in pairs)
    root = from_tangents(field, w, pairs, halves)
    rest = from_tangents(field, tp / w**2, pairs, tuple(a - 2 * m for a, m in zip(k, halves, strict=True)))
    if root is None or rest is None:
        return None
    return root, rest
