"""Shorter forms of the same polynomial in sines and cosines.

Two kinds of choice: s² or 1 − c², angle by angle; and multiple angles: a polynomial in sin θ, cos θ whose
Fourier series Σ aₖ cos kθ + bₖ sin kθ has only multiples of n is a polynomial in sin nθ, cos nθ,

    cos jφ = T_j(cos φ),      sin jφ = sin φ·U_{j−1}(cos φ),      φ = nθ.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from flint import fmpq

from chetaev.expr.exact.polynomials import halfangle
from chetaev.expr.exact.polynomials.tower import Monomial, Poly
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr

if TYPE_CHECKING:
    from chetaev.expr.exact.field.field import Field


Terms = dict[Monomial, fmpq]

LARGE = 400


def forms(field: Field, p: Poly) -> list[Poly]:
    """The forms with s² replaced, for some of the angles."""
    found = [p]
    for pair in halfangle.pairs_in(field, p)[: halfangle.MAX_PAIRS]:
        found += [halfangle.sine_form(field, f, pair) for f in found]
    return found


def shortest_form(field: Field, p: Poly) -> Terms:
    """The terms with s² or c² chosen, angle by angle, so that there are few."""
    terms = dict(field.tower.terms(p))
    if len(terms) < 2 or len(terms) > LARGE:
        return terms
    for pair in halfangle.pairs_in(field, p):
        flipped = dict(field.tower.terms(halfangle.sine_form(field, field.tower.from_terms(terms), pair)))
        candidates = [_merge(terms, *pair), _merge(flipped, pair[1], pair[0])]
        terms = min(candidates, key=len)
    return terms


def _merge(terms: Terms, s: int, c: int) -> Terms:
    """a·m − a·m·s² becomes a·m·c²."""
    merged = dict(terms)
    for monomial in sorted(terms, key=lambda m: -dict(m).get(s, 0)):
        exponents = dict(monomial)
        if exponents.get(s, 0) < 2 or monomial not in merged:
            continue
        lower = {**exponents, s: exponents[s] - 2}
        partner = _monomial(lower)
        a = merged.get(partner)
        if a is None or a != -merged[monomial]:
            continue
        target = _monomial({**lower, c: lower.get(c, 0) + 2})
        if target in merged:
            continue
        del merged[monomial], merged[partner]
        merged[target] = a
    return merged


def _monomial(exponents: dict[int, int]) -> Monomial:
    return tuple(sorted((k, e) for k, e in exponents.items() if e))


def fold(field: Field, p: Poly) -> tuple[Poly, dict[int, int]]:
    """The polynomial in sin nθ, cos nθ (in the places of sin θ, cos θ), and n for each such angle."""
    multiples: dict[int, int] = {}
    for s, c in halfangle.pairs_in(field, p):
        if field.tower.degree(p, s) + field.tower.degree(p, c) < 2:
            continue
        cosines, sines = _fourier(field, p, s, c)
        n = gcd(*cosines, *sines)
        if n > 1:
            p = _from_fourier(field, cosines, sines, n, s, c)
            multiples[s] = n
    return p, multiples


def _fourier(field: Field, p: Poly, s: int, c: int) -> tuple[dict[int, Poly], dict[int, Poly]]:
    """The Fourier coefficients, polynomials without the angle, by frequency."""
    cosines: dict[int, Poly] = {}
    sines: dict[int, Poly] = {}
    for (a, b), part in field.tower.collect(p, (s, c)).items():
        for k, q in _laurent(a, b).items():
            if a % 2 == 0:
                cosines[abs(k)] = cosines.get(abs(k), field.tower.zero) + part * q
            elif k > 0:
                sines[k] = sines.get(k, field.tower.zero) + part * (2 * q)
    return (
        {k: q for k, q in cosines.items() if not q.is_zero()},
        {k: q for k, q in sines.items() if not q.is_zero()},
    )


def _laurent(a: int, b: int) -> dict[int, fmpq]:
    """s^a c^b = Σ q_k z^k, z = e^{iθ}; for odd a the coefficients of i^{-1}·z^k."""
    row = {0: fmpq((-1) ** (a // 2), 2 ** (a + b))}
    for sign in [-1] * a + [1] * b:
        following: dict[int, fmpq] = {}
        for k, q in row.items():
            following[k + 1] = following.get(k + 1, fmpq(0)) + q
            following[k - 1] = following.get(k - 1, fmpq(0)) + q * sign
        row = following
    return {k: q for k, q in row.items() if q != 0}


def _from_fourier(
    field: Field, cosines: dict[int, Poly], sines: dict[int, Poly], n: int, s: int, c: int
) -> Poly:
    tower = field.tower
    sine, cosine = tower.variable(s), tower.variable(c)
    pairs = [(tower.zero, tower.one), (sine, cosine)]  # sin jφ, cos jφ
    for _ in range(max(*cosines, *sines, 0) // n):
        t, d = pairs[-1]
        pairs.append((tower.reduce(t * cosine + d * sine), tower.reduce(d * cosine - t * sine)))
    result = tower.zero
    for k, q in cosines.items():
        result = result + q * pairs[k // n][1]
    for k, q in sines.items():
        result = result + q * pairs[k // n][0]
    return tower.reduce(result)


def tidy(expr: Expr) -> Expr:
    """The same expression with its signs where people write them.

    A sign before a product that starts with a number belongs to the number where the product stands alone,
    first in a sum or in a function; further on in a sum it belongs to the sum.

    >>> from chetaev.expr.graph.node import add, call, mul, neg, number, symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> print(tidy(neg(mul(number(2), x))), tidy(add(y, mul(number(-2), x))))
    -2*x y - 2*x
    >>> print(tidy(call("exp", neg(number(2) * x))))
    exp(-2*x)
    """
    new: dict[int, Expr] = {}
    for node in graph.postorder(expr):
        args = [new[id(a)] for a in node.args]
        if node.op == "add":
            args = [joined(args[0]), *map(apart, args[1:])]
        elif node.op == "pow":
            args = [args[0], joined(args[1])]
        elif node.op in graph.FUNCTIONS:
            args = [joined(a) for a in args]
        same = node.op == "define" or all(a is b for a, b in zip(args, node.args, strict=True))
        new[id(node)] = node if same else graph.make(node.op, args, node.value)
    return joined(new[id(expr)])


def leads_with_minus(expr: Expr) -> bool:
    """Whether the text of an expression starts with a minus sign."""
    while expr.op in ("mul", "div", "add"):
        expr = expr.args[0]
    return expr.op == "neg" or (expr.op == "number" and expr.value < 0)


def joined(expr: Expr) -> Expr:
    """−(2x) as (−2)x."""
    return _times_minus_one(expr.args[0]) or expr if expr.op == "neg" else expr


def apart(expr: Expr) -> Expr:
    """(−2)x as −(2x)."""
    lead = expr
    while lead.op in ("mul", "div"):
        lead = lead.args[0]
    if lead is expr or lead.op != "number" or lead.value >= 0:
        return expr
    return graph.neg(_times_minus_one(expr) or expr)


def _times_minus_one(expr: Expr) -> Expr | None:
    """Minus a product whose first factor is a number; None for others."""
    if expr.op not in ("mul", "div"):
        return None
    first, rest = expr.args[0], expr.args[1:]
    if first.op == "number":
        if first.value == -1 and expr.op == "mul":
            return graph.mul(*rest)
        turned: Expr | None = graph.number(-first.value)
    else:
        turned = _times_minus_one(first)
    if turned is None:
        return None
    return graph.mul(turned, *rest) if expr.op == "mul" else graph.div(turned, *rest)
