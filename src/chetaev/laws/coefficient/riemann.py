"""Equations with three regular singular points: hypergeometric functions by Riemann's P-symbol.

u_xx + p u_x + q u = 0 with regular singular points r₁, r₂, r₃ (one may be ∞), exponents α, α' at r₁, γ, γ'
at r₂, β, β' at r₃. With z = (x − r₁)(r₂ − r₃)/((x − r₃)(r₂ − r₁)), which takes them to 0, 1 and ∞,

    u = z^α (1 − z)^γ F(a, b; c; z),    a, b = α + γ + β, α + γ + β',    c = 1 + α − α',

and a second solution with α and α' exchanged, or about r₂. F is determined by a + b, ab and c,

    z(1 − z) F_zz + (c − (a + b + 1) z) F_z − ab F = 0,

which are rational in the exponents' sums and products, so that a and b may be complex. F is a polynomial if
n² + (a + b)n + ab = 0 for a whole n, and a power of 1 − z times one if that holds for c − a, c − b.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from flint import acb, arb

from chetaev.expr.exact import Element, GivenUp, answer, ask
from chetaev.expr.graph.node import ONE, Expr
from chetaev.laws.coefficient.coefficient_solution import Special
from chetaev.laws.coefficient.second_order_equation import Rational
from chetaev.laws.parameter_signs import Sign, plain_root

MOST_DEGREE = 12
"""Of a hypergeometric polynomial."""


@dataclass(frozen=True)
class Singular:
    """A regular singular point: its place, None for ∞, and the sum and product of its exponents."""

    place: Element | None
    total: Element
    product: Element

    def exponents(self, sign: Sign) -> tuple[Element, Element] | None:
        """The exponents, the larger one first at the model's values; None if they are not real."""
        disc = self.total * self.total / 4 - self.product
        if disc.is_zero:
            return self.total / 2, self.total / 2
        if (sign(disc) or 0) <= 0:
            return None
        root = ask(plain_root, disc)
        if isinstance(root, GivenUp):
            return None
        root = root if (sign(root) or 1) > 0 else -root
        return self.total / 2 + root, self.total / 2 - root


def singular_points(form: Rational) -> list[Singular] | None:
    """The singular points, ∞ included; None if one of them is not regular or not a function of the
    parameters.
    """
    field, x = form.x.field, form.x
    place = field.base(x)
    roots: list[Element] = []
    for e in (form.p, form.q):
        for poly, _ in field.factor(e.denominator)[1]:
            parts = field.tower.collect(poly, (place,))
            degree = max(e for (e,) in parts)
            if degree == 0:
                continue
            if degree > 1:
                return None
            root = -field.polynomial(parts.get((0,), field.tower.zero)) / field.polynomial(parts[(1,)])
            if all((root - r).is_zero is False for r in roots):
                roots.append(root)
    found = []
    for r in roots:
        p0, q0 = _value((x - r) * form.p, x, r), _value((x - r) ** 2 * form.q, x, r)
        if p0 is None or q0 is None:
            return None
        found.append(Singular(r, 1 - p0, q0))
    p_inf, q_inf = _at_infinity(x * form.p, place), _at_infinity(x * x * form.q, place)
    if p_inf is None or q_inf is None:
        return None
    far = Singular(None, p_inf - 1, q_inf)
    ordinary = (
        far.total + 1
    ).is_zero is True and far.product.is_zero is True  # exponents −1 and 0 in 1/x: regular
    return found if ordinary else [*found, far]


def hypergeometric(form: Rational, sign: Sign) -> Iterator[Special]:
    """Two solutions, if there are three regular singular points; those that are elementary are told so."""
    points = singular_points(form)
    if points is None or len(points) != 3:
        return
    best: list[Special] = []
    for order in permutations(points):
        if order[1].place is None or order[0].place is None:
            continue
        found = _about(form, order, sign)
        if len(found) > len(best):
            best = found
        if len(best) == 2:
            break
    yield from best


def _about(form: Rational, order: Sequence[Singular], sign: Sign) -> list[Special]:
    """Solutions about the first of three singular points, and one about the second if the first gives one
    only.
    """
    first, second, third = order
    at_first, at_second = first.exponents(sign), second.exponents(sign)
    if at_first is None or at_second is None:
        return []
    whole = (at_first[0] - at_first[1]).as_fraction()
    if whole is None or whole.denominator > 1:
        gamma = _simplest(at_second)
        return [_function(form, order, alpha, gamma) for alpha in at_first]
    return [
        _function(form, order, at_first[0], _simplest(at_second)),
        _function(form, (second, first, third), at_second[0], _simplest(at_first)),
    ]


def _simplest(exponents: Sequence[Element]) -> Element:
    return min(exponents, key=lambda e: (not e.is_blank, e.terms))


def _moebius(x: Element, first: Singular, second: Singular, third: Singular) -> Element:
    assert first.place is not None
    assert second.place is not None
    z = (x - first.place) / (second.place - first.place)
    if third.place is not None:
        z = z * (second.place - third.place) / (x - third.place)
    return z


def _function(form: Rational, order: Sequence[Singular], alpha: Element, gamma: Element) -> Special:
    """z^α (1 − z)^γ F(a, b; c; z) as a function of s; y^2α instead of z^α where z is a multiple of y²."""
    first, _, third = order
    field, s = form.x.field, form.scalar.coordinate
    z = _moebius(form.x, *order).subs({form.x: form.value})
    exponent = alpha + gamma
    S = 2 * exponent + third.total
    ab = exponent * exponent + exponent * third.total + third.product
    c = 1 + 2 * alpha - first.total
    slope = z.diff(s)
    growth = alpha * slope / z - gamma * slope / (1 - z)
    pair = (
        (field.zero, slope),
        (slope * ab / (z * (1 - z)), -slope * (c - (S + 1) * z) / (z * (1 - z))),
    )
    base, power = z, alpha
    if (
        form.root is not None
        and (z / form.value).diff(s).is_zero is True
        and (2 * alpha).as_fraction() is not None
    ):
        base, power = form.root, 2 * alpha
    closed = answer(ask(_elementary, z, base, power, gamma, S, ab, c))
    if closed is not None:
        return Special("elementary", str(closed.to_expr()), growth, pair, None, "", closed)
    difference = (c - S).as_fraction()
    whole = (
        difference is not None and difference.denominator == 1
    )  # a limit, which the library must be told of
    text, more = _written(base, power, z, gamma, S, ab, c)

    def values(ball: Callable[[Element], arb]) -> tuple[arb, arb, arb]:
        zb, Sb, Pb, cb = (ball(e) for e in (z, S, ab, c))
        root = acb(Sb * Sb / 4 - Pb).sqrt()
        a, b = Sb / 2 + root, Sb / 2 - root
        F = acb(zb).hypgeom_2f1(a, b, acb(cb), abc=whole).real
        F_z = acb(zb).hypgeom_2f1(a + 1, b + 1, acb(cb + 1), abc=whole).real * Pb / cb
        return _power(ball(base), ball(power)) * _power(1 - zb, ball(gamma)), F, F_z

    where = "" if _always(z, form) else f"for 0 < {z.to_expr()} < 1"
    return Special("hypergeometric", text + more, growth, pair, values, where)


def _written(
    base: Element, power: Element, z: Element, gamma: Element, S: Element, ab: Element, c: Element
) -> tuple[str, str]:
    """The function as text, and what a and b are where they are no numbers."""
    factors = [
        _raised(e.to_expr(), k.to_expr()) for e, k in ((base, power), (1 - z, gamma)) if not k.is_blank
    ]
    names, more = _parameters(S, ab)
    function = f"F({names}; {c.to_expr()}; {z.to_expr()})"
    return "*".join(
        [*(f"({f})" if f.op in ("add", "neg", "div") else str(f) for f in factors), function]
    ), more


def _raised(base: Expr, exponent: Expr) -> Expr:
    return base if exponent is ONE or str(exponent) == "1" else base**exponent


def _always(z: Element, form: Rational) -> bool:
    """Whether z is sin² or cos², and so between 0 and 1."""
    squares = (form.value, 1 - form.value)
    return (
        len(z.numerator) <= 2 and any((z - e).is_zero is True for e in squares) and "sin" in str(form.value)
    )


def _parameters(S: Element, ab: Element) -> tuple[str, str]:
    """a and b, or the equation whose roots they are."""
    disc = S * S / 4 - ab
    value = disc.as_fraction()
    if value is not None and value >= 0:
        root = plain_root(disc).as_fraction() if value else Fraction(0)
        if root is not None:
            return f"{(S / 2 - root).to_expr()}, {(S / 2 + root).to_expr()}", ""
    return "a, b", f", a + b = {S.to_expr()}, a*b = {ab.to_expr()}"


def _elementary(
    z: Element, base: Element, power: Element, gamma: Element, S: Element, ab: Element, c: Element
) -> Element | None:
    """z^α (1 − z)^γ F where F or (1 − z)^(a+b−c) F is a polynomial."""
    for S_, ab_, extra in ((S, ab, c.field.zero), (2 * c - S, c * c - c * S + ab, c - S)):
        for n in range(MOST_DEGREE + 1):
            if (n * n + S_ * n + ab_).is_zero is not True:
                continue
            term = total = c.field.one
            for k in range(n):
                term = term * (k * k + S_ * k + ab_) / ((k + 1) * (c + k)) * z
                total = total + term
            return total * real_power(base, power) * real_power(1 - z, gamma + extra)
    return None


def real_power(base: Element, exponent: Element) -> Element:
    """base^exponent, by logarithms where the exponent is not a number."""
    fraction = exponent.as_fraction()
    if fraction is not None:
        return base.field.power(base, fraction) if fraction else base.field.one
    return base.field.exp(exponent * base.field.log(base))


def _power(base: arb, exponent: arb) -> arb:
    return arb(1) if exponent.is_zero() else base**exponent


def _value(e: Element, x: Element, r: Element) -> Element | None:
    """A function of x at r; None if it has a pole there."""
    return answer(ask(e.subs, {x: r}))


def _at_infinity(e: Element, place: int) -> Element | None:
    """The limit for x → ∞; None if there is none."""
    field = e.field
    if e.is_blank:
        return field.zero
    tops = []
    for poly in (e.numerator, e.denominator):
        parts = field.tower.collect(poly, (place,))
        degree = max(d for (d,) in parts)
        tops.append((degree, field.polynomial(parts[(degree,)])))
    if tops[0][0] > tops[1][0]:
        return None
    return tops[0][1] / tops[1][1] if tops[0][0] == tops[1][0] else field.zero
