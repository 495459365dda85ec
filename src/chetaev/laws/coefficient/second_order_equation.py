"""Two coefficients as one equation of second order, and the variable in which it is rational.

For dc_k/ds = −Σ_j c_j A_jk with two unknowns, u = c_k and o the other one with A_ok ≠ 0,

    o = −(u' + A_kk u)/A_ok,      u'' + P u' + Q u = 0,
    P = A_kk + A_oo − A_ok'/A_ok,      Q = A_kk' − A_kk A_ok'/A_ok − A_ok A_ko + A_oo A_kk .

With x = X(s) it becomes u_xx + (X'' + P X')/X'² u_x + Q/X'² u = 0, where X is s, s², sin², sin or cos of
the angle, or the exponential that A contains: the first for which both are rational functions of x.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chetaev.expr.exact import Element, Field
from chetaev.expr.graph.node import Expr

HIDDEN = "x_"
"""The name of the new variable in the field; no name of the model language ends so."""


@dataclass(frozen=True)
class Scalar:
    """u'' + P u' + Q u = 0 in s, and every coefficient as p_k u + q_k u'."""

    coordinate: Expr
    P: Element
    Q: Element
    parts: tuple[tuple[Element, Element], ...]


@dataclass(frozen=True)
class Rational:
    """u_xx + p(x) u_x + q(x) u = 0, with x = X(s)."""

    scalar: Scalar
    x: Element
    """The variable."""
    value: Element
    """X, a function of s."""
    p: Element
    q: Element
    """Functions of x and the parameters."""
    root: Element | None = None
    """The function of s whose square X is, if it was chosen so."""


def scalars(A: Sequence[Sequence[Element]], s: Expr) -> Iterator[Scalar]:
    """The equations for each of two coefficients that determines the other."""
    for k in (0, 1):
        o = 1 - k
        a = A[o][k]
        if a.is_blank:
            continue
        growth = a.diff(s) / a
        P = A[k][k] + A[o][o] - growth
        Q = A[k][k].diff(s) - A[k][k] * growth - a * A[k][o] + A[o][o] * A[k][k]
        one, zero = a.field.one, a.field.zero
        own, other = (one, zero), (-A[k][k] / a, -one / a)
        yield Scalar(s, P, Q, (own, other) if k == 0 else (other, own))


def rational(scalar: Scalar) -> Iterator[Rational]:
    """The forms with rational coefficients, in the order in which they are tried."""
    field = scalar.P.field
    s, x = field.base(scalar.coordinate), field.symbol(HIDDEN)
    occurring = {
        k
        for e in (scalar.P, scalar.Q)
        for poly in (e.numerator, e.denominator)
        for k in field.tower.used(poly)
        if s in field.generators[k].depends
    }
    for value, images, root in _variables(field, s, x, occurring):
        slope = value.diff(scalar.coordinate)
        p = (slope.diff(scalar.coordinate) + scalar.P * slope) / (slope * slope)
        q = scalar.Q / (slope * slope)
        converted = [_converted(field, e, images, s) for e in (p, q)]
        if converted[0] is not None and converted[1] is not None:
            yield Rational(scalar, x, value, converted[0], converted[1], root)


Images = dict[int, tuple[int, Element]]
"""For some generators g: g^n is this function of x; lower powers must not be left over."""


def _variables(
    field: Field, s: int, x: Element, occurring: set[int]
) -> Iterator[tuple[Element, Images, Element | None]]:
    kinds = {field.generators[k].kind for k in occurring}
    if kinds <= {"symbol"}:
        yield field.variable(s) ** 2, {s: (2, x)}, field.variable(s)
        yield field.variable(s), {s: (1, x)}, None
    elif kinds <= {"sin", "cos"}:
        sines = {k if field.generators[k].kind == "sin" else field.generators[k].partner for k in occurring}
        if len(sines) == 1:
            (sine,) = sines
            cosine = field.generators[sine].partner
            yield field.variable(sine) ** 2, {sine: (2, x), cosine: (2, 1 - x)}, field.variable(sine)
            yield field.variable(sine), {sine: (1, x), cosine: (2, 1 - x * x)}, None
            yield field.variable(cosine), {cosine: (1, x), sine: (2, 1 - x * x)}, None
    elif kinds == {"exp"} and len(occurring) == 1:
        (e,) = occurring
        yield field.variable(e), {e: (1, x)}, None


def _converted(field: Field, element: Element, images: Images, s: int) -> Element | None:
    """A function of s as one of x; None if it is not rational in x."""
    found = []
    parities = []
    for poly in (element.numerator, element.denominator):
        parts = field.tower.collect(poly, tuple(images))
        left = {
            tuple(e % n for e, (n, _) in zip(exponents, images.values(), strict=True)) for exponents in parts
        }
        if len(left) > 1:
            return None
        parities.append(left)
        total = field.zero
        for exponents, rest in parts.items():
            term = field.polynomial(rest)
            if any(s in field.generators[k].depends for k in field.tower.used(rest)):
                return None
            for e, (n, image) in zip(exponents, images.values(), strict=True):
                term = term * image ** (e // n)
            total = total + term
        found.append(total)
    if found[0].is_blank:
        return field.zero
    return found[0] / found[1] if parities[0] == parities[1] else None
