"""Equations with solutions that have names: constant coefficients, Euler's equation, Bessel's, and those
of first order.

- u_xx + p u_x + q u = 0 with numbers p, q: exponentials, sines and cosines of x;
- p = p₀/(x − r), q = q₀/(x − r)²: the same in log(x − r), powers of x − r;
- p = p₀/x, q = q₀/x² + q₁ x^m: u = x^α Z_ν(β x^γ), with γ = (m + 2)/2, β² = ±q₁/γ², α = (1 − p₀)/2, ν² =
  (α² − q₀)/γ², Z one of J, Y, or of I, K where q₁ < 0. The pair Z, W = ξ Z_ξ with ξ = β x^γ satisfies Z' =
  ℓ W, W' = ℓ (ν² ∓ ξ²) Z, ℓ = γ x'/x;
- c' = −A c with A = Σ λ_i p_i'/p_i + G': c = exp(−G) Π p_i^(−λ_i).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from flint import acb, arb

from chetaev.expr.exact import Element
from chetaev.expr.exact.linear.matrix import nullspace
from chetaev.expr.graph.node import Expr
from chetaev.laws.coefficient.coefficient_solution import Special
from chetaev.laws.coefficient.riemann import real_power, singular_points
from chetaev.laws.coefficient.second_order_equation import Rational
from chetaev.laws.parameter_signs import Sign, plain_root

MOST_POWER = 3
"""Of s and of its functions in the exponent of a solution of first order."""


def elementary(form: Rational, sign: Sign) -> Iterator[Special]:
    """Solutions for constant coefficients, and of Euler's equation."""
    x, field = form.x, form.x.field
    place = field.base(x)
    if not any(place in field.tower.used(p) for e in (form.p, form.q) for p in (e.numerator, e.denominator)):
        yield from _waves(form, form.p, form.q, x, sign)
        return
    points = singular_points(form)
    if points is None or len(points) != 2 or points[0].place is None or points[1].place is not None:
        return
    shifted = x - points[0].place
    # in log(x − r): ρ² − (sum of exponents) ρ + product = 0
    yield from _waves(form, -points[0].total, points[0].product, field.log(shifted), sign, shifted)


def _waves(
    form: Rational, p: Element, q: Element, y: Element, sign: Sign, base: Element | None = None
) -> Iterator[Special]:
    """Solutions of u_yy + p u_y + q u = 0; base^λ for exp(λ y) where y is the logarithm of a base."""
    field = p.field

    def grown(rate: Element) -> Element:
        if rate.is_blank:
            return field.one
        return real_power(base, rate) if base is not None else field.exp(rate * y)

    disc = p * p / 4 - q
    if disc.is_zero:
        found = [grown(-p / 2), y * grown(-p / 2)]
    elif (sign(disc) or 0) > 0:
        root = plain_root(disc)
        found = [grown(-p / 2 + root), grown(-p / 2 - root)]
    elif (sign(disc) or 0) < 0:
        frequency = plain_root(-disc)
        found = [grown(-p / 2) * field.cos(frequency * y), grown(-p / 2) * field.sin(frequency * y)]
    else:
        return
    for u in found:
        closed = u.subs({form.x: form.value})
        yield elementary_solution(closed)


def elementary_solution(u: Element) -> Special:
    """A function that is written as it is."""
    zero = u.field.zero
    return Special("elementary", str(u.to_expr()), zero, ((zero, zero), (zero, zero)), None, "", u)


def bessel(form: Rational, sign: Sign) -> Iterator[Special]:
    """Solutions by Bessel functions."""
    field, x = form.x.field, form.x
    place = field.base(x)
    p0, q = x * form.p, x * x * form.q
    if any(place in field.tower.used(poly) for poly in (p0.numerator, p0.denominator, q.denominator)):
        return
    parts = field.tower.collect(q.numerator, (place,))
    powers = {e: field.polynomial(poly) / field.polynomial(q.denominator) for (e,), poly in parts.items()}
    high = [e for e in powers if e]
    if len(high) != 1:
        return
    gamma = Fraction(high[0], 2)
    scale = powers[high[0]] / (gamma * gamma)
    alpha = (1 - p0) / 2
    order_squared = (alpha * alpha - powers.get(0, field.zero)) / (gamma * gamma)
    direction = sign(scale)
    if not direction or (sign(order_squared) or 0) < 0:
        return
    order = field.zero if order_squared.is_zero else plain_root(order_squared)
    factor = plain_root(scale if direction > 0 else -scale)
    X = form.value
    s = form.scalar.coordinate
    ell = gamma * X.diff(s) / X
    square = scale * X ** high[0]
    zero = field.zero
    pair = ((zero, ell), (ell * (order_squared - square), zero))
    names = ("J", "Y") if direction > 0 else ("I", "K")
    argument = factor * _half_power(X, form.root, high[0])
    before = "" if alpha.is_blank else f"{_text(X, alpha)}*"
    for name in names:
        yield Special(
            "Bessel",
            f"{before}{name}({order.to_expr()}, {argument.to_expr()})",
            alpha * X.diff(s) / X,
            pair,
            _bessel_values(name, order, argument, X, alpha),
            f"for {X.to_expr()} > 0",
        )


def _half_power(X: Element, root: Element | None, n: int) -> Element:
    """X^(n/2)."""
    return root**n if root is not None else X.field.power(X, Fraction(n, 2))


def _text(base: Element, exponent: Element) -> str:
    return str(base.to_expr() ** exponent.to_expr()) if exponent != 1 else str(base.to_expr())


def _bessel_values(
    name: str, order: Element, argument: Element, X: Element, alpha: Element
) -> Callable[[Callable[[Element], arb]], tuple[arb, arb, arb]]:
    method = f"bessel_{name.lower()}"
    # ξ Z_ξ = ν Z − ξ Z_{ν+1} for J, Y, K; with + for I
    direction = 1 if name == "I" else -1

    def values(ball: Callable[[Element], arb]) -> tuple[arb, arb, arb]:
        nu, xi = ball(order), ball(argument)
        Z = getattr(acb(xi), method)(acb(nu)).real
        following = getattr(acb(xi), method)(acb(nu + 1)).real
        prefactor = arb(1) if alpha.is_blank else ball(X) ** ball(alpha)
        return prefactor, Z, nu * Z + direction * xi * following

    return values


def first_order(A: Element, s: Expr) -> Element | None:
    """c with c' = −A c, if it is a product of powers and an exponential of simple functions."""
    field = A.field
    here = field.base(s)
    inner = [
        g.index
        for g in field.generators
        if here in g.depends
        and g.kind != "dead"
        and (g.index == here or g.kind in ("sin", "cos", "exp", "root"))
    ]
    factors = [field.polynomial(field.tower.reduce(f)) for f, _ in field.factor(A.denominator)[1]]
    factors += [field.variable(k) for k in inner if k != here]
    logs: list[Element] = []
    for f in factors:
        if (
            here in {b for k in field.tower.used(f.numerator) for b in field.generators[k].depends}
            and f not in logs
        ):
            logs.append(f)
    plain = [field.variable(k) ** n for k in inner for n in range(1, MOST_POWER + 1)]
    columns = [f.diff(s) / f for f in logs] + [g.diff(s) for g in plain] + [A]
    vector = _constants(columns, here)
    if vector is None:
        return None
    result = field.one
    for f, e in zip(logs, vector, strict=False):
        if not e.is_blank:
            result = result * real_power(f, e)
    exponent = sum((e * g for g, e in zip(plain, vector[len(logs) :], strict=False)), field.zero)
    return result if exponent.is_blank else result * field.exp(exponent)


def _constants(columns: list[Element], here: int) -> list[Element] | None:
    """Constants e_i with Σ e_i f_i = 0, the last one 1."""
    field = columns[0].field
    common = field.one.numerator  # before relations are applied, so that every denominator divides it
    for e in columns:
        common = field.tower.product(common, field.divide(e.denominator, field.gcd(common, e.denominator)))
    inner = tuple(g.index for g in field.generators if here in g.depends and g.kind != "dead")
    rows: dict[tuple[int, ...], list[Element]] = {}
    for j, e in enumerate(columns):
        whole = field.tower.multiply(e.numerator, field.divide(common, e.denominator))
        for exponents, poly in field.tower.collect(whole, inner).items():
            rows.setdefault(exponents, [field.zero] * len(columns))[j] = field.polynomial(poly)
    for vector in nullspace(list(rows.values())):
        last = vector[-1]
        if not last.is_blank:
            return [e / last for e in vector]
    return None
