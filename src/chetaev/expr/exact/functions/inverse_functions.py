"""Logarithms and inverse functions: atoms with their derivatives.

    log(k·Π pᵢ^{eᵢ}) = log k + Σ eᵢ log|pᵢ|,   log E = its exponent,   log r = (log v)/d,
    asin, atan, asinh, atanh are odd,   acos u = π/2 − asin u,   atan(1/u) = sign(u)·π/2 − atan u,
    asinh(sinh w) = w,   acosh(cosh w) = |w|,   atanh(tanh w) = w,   atan2(p·y, p·x) = atan2(y, x) for p > 0.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> x, y = field.symbols("x y")
>>> field.log(x**2 * y) - field.log(y) == 2 * field.log(x)
True
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from flint import fmpq, fmpq_poly, fmpz
from flint.utils.flint_exceptions import DomainError

from chetaev.expr.exact.effort.budget import NotRealError
from chetaev.expr.exact.functions import radicals
from chetaev.expr.exact.functions.radicals import Factors, factors, generator_of, is_positive
from chetaev.expr.exact.numbers.algebraic_numbers import AlgebraicNumber
from chetaev.expr.graph.node import ImplicitNumber

if TYPE_CHECKING:
    from chetaev.expr.exact.field.element import Element
    from chetaev.expr.exact.field.field import Field
    from chetaev.expr.exact.polynomials.tower import Poly


def atom(field: Field, kind: str, *args: Element) -> Element:
    """The generator of a function of these arguments."""
    key = (kind, *(field.tower.key(p) for a in args for p in (a.numerator, a.denominator)))
    found = field.functions.get(key)
    if found is None:
        generator = field.adjoin(kind, args)
        found = field.variable(generator.index)
        field.functions[key] = found
        if kind in ("log", "logabs") and not args[0].is_number:
            field.settlement.add(generator.index)
    return found


def apply(field: Field, kind: str, args: tuple[Element, ...]) -> Element:
    """A logarithm or inverse function by its name."""
    if kind == "log":
        return log(field, args[0])
    if kind == "logabs":
        return log(field, field.abs(args[0]))
    if kind == "acos":
        return constant(field, "pi") / 2 - apply(field, "asin", args)
    if kind == "atan2":
        return atan2(field, *args)
    if kind == "acosh":
        return field.zero if args[0] == 1 else hyperbolic(field, kind, args[0])
    return odd(field, kind, args[0])


def constant(field: Field, name: str | ImplicitNumber) -> Element:
    """π, e, or a number that is known by what it solves; algebraic ones as P(α), with the relation of α."""
    if isinstance(name, AlgebraicNumber):
        return algebraic(field, name)
    if name == "e":
        return field.exp(field.one)
    key = ("constant", name)
    if key not in field.functions:
        field.functions[key] = field.variable(field.adjoin("constant", name=name).index)
    return field.functions[key]


def algebraic(field: Field, number: AlgebraicNumber) -> Element:
    """P(α) as a polynomial in a generator with the relation m(α) = 0."""
    m, key = number.field.polynomial, ("algebraic", number.field)
    if key not in field.functions:
        root = AlgebraicNumber(number.field, fmpq_poly([0, 1]))
        k = field.adjoin("algebraic", name=root).index
        degree = int(m.degree())
        field.tower.relate(k, degree, _polynomial(field, -m + fmpq_poly([0] * degree + [1]), k))
        field.functions[key] = field.variable(k)
    alpha = field.functions[key]
    return field.polynomial(_polynomial(field, number.polynomial, field.tower.used(alpha.numerator)[0]))


def _polynomial(field: Field, p: fmpq_poly, k: int) -> Poly:
    """A polynomial in one generator."""
    x = field.tower.variable(k)
    return sum((x**i * c for i, c in enumerate(p.coeffs())), field.tower.zero)


def log(field: Field, u: Element) -> Element:
    """The logarithm, where u > 0."""
    if u.is_blank:
        raise NotRealError("the logarithm of zero")
    kn, up = factors(field, u.numerator)
    kd, down = (fmpq(1), []) if u.is_polynomial else factors(field, u.denominator)
    k = kn / kd
    result = field.zero
    unknown: Factors = []
    signs = False
    for p, e in [*up, *((f, -e) for f, e in down)]:
        index = generator_of(p)
        kind = "" if index is None else field.generators[index].kind
        if index is not None and kind == "exp":
            result = result + field.generators[index].args[0] * e
        elif index is not None and kind == "root":
            g = field.generators[index]
            result = result + log(field, g.args[0]) * Fraction(e, g.order)
        elif kind == "sign":
            signs = True
        elif is_positive(field, p.numerator):
            result = result + atom(field, "log", p) * e
        else:
            unknown.append((p, e))
    odd_factors = sum(e % 2 for _, e in unknown)
    for p, e in unknown:
        if odd_factors == 1 and e % 2 and not signs:
            result = result + atom(field, "log", p if k > 0 else -p) * e
        else:
            result = result + atom(field, "logabs", p) * e
    if k < 0 and not odd_factors and not signs:
        raise NotRealError("the logarithm of a function that is nowhere positive")
    return result + number_log(field, abs(k))


def number_log(field: Field, k: fmpq) -> Element:
    """The logarithm of a positive rational, by its prime factors."""
    result = field.zero
    for n, factor in ((fmpz(k.p), 1), (fmpz(k.q), -1)):
        if n == 1:
            continue
        primes = n.factor() if n.bit_length() <= 200 else [(n, 1)]
        for p, e in primes:
            result = result + atom(field, "log", field(int(p))) * (int(e) * factor)
    return result


def odd(field: Field, kind: str, u: Element) -> Element:
    """asin, atan, asinh or atanh; all are odd."""
    if u.is_blank:
        return field.zero
    if u.numerator.leading_coefficient() < 0:
        return -odd(field, kind, -u)
    value = u.as_fraction()
    pi = constant(field, "pi")
    if kind == "asin" and value in (1, Fraction(1, 2)):
        return pi / 2 if value == 1 else pi / 6
    if kind == "atan":
        if value == 1:
            return pi / 4
        other = 1 / u
        if (value is not None and value > 1) or (_prefers_reciprocal(u) and not _prefers_reciprocal(other)):
            return field.sign(u) * pi / 2 - odd(field, "atan", other)
    return hyperbolic(field, kind, u) if kind in ("asinh", "atanh") else atom(field, kind, u)


def hyperbolic(field: Field, kind: str, u: Element) -> Element:
    """asinh, acosh or atanh; of sinh w, cosh w and tanh w they are w, |w| and w."""
    e = _exponential(field, kind, u)
    if e is None:
        return atom(field, kind, u)
    w = log(field, e)
    return field.abs(w) if kind == "acosh" else w


def _exponential(field: Field, kind: str, u: Element) -> Element | None:
    """The e^w with sinh w, cosh w or tanh w equal to u, if it is a product of exponentials and a number.

    e^w = u + √(u² + 1), u + √(u² − 1), √((1 + u)/(1 − u)), with either sign of an exact root.
    """
    if not any(field.generators[k].kind == "exp" for k in field.tower.used(u.numerator)):
        return None
    if kind == "atanh":
        if (1 - u).is_blank:
            return None
        e = (1 + u) / (1 - u)
        return radicals.power(field, e, Fraction(1, 2)) if _is_monomial(field, e) else None
    square = u**2 + (1 if kind == "asinh" else -1)
    try:
        root = field.polynomial(square.numerator.sqrt()) / field.polynomial(square.denominator.sqrt())
    except DomainError:
        return None
    return next((e for e in (u + root, u - root) if _is_monomial(field, e)), None)


def _is_monomial(field: Field, e: Element) -> bool:
    """Whether this is a positive number times exponentials."""
    for p in (e.numerator, e.denominator):
        if len(p) != 1 or any(field.generators[k].kind != "exp" for k in field.tower.used(p)):
            return False
    return bool(e.numerator.leading_coefficient() / e.denominator.leading_coefficient() > 0)


def _prefers_reciprocal(u: Element) -> bool:
    n, d = u.numerator, u.denominator
    if n.is_constant() or d.is_constant():
        return n.is_constant()
    key = u.field.tower.key
    return (n.total_degree(), len(n), key(n)) > (d.total_degree(), len(d), key(d))


def atan2(field: Field, y: Element, x: Element) -> Element:
    """The angle of the point (x, y), in (−π, π]."""
    pi = constant(field, "pi")
    if y.is_blank:
        return (1 - field.sign(x)) * pi / 2
    if x.is_blank:
        return field.sign(y) * pi / 2
    return atom(field, "atan2", *_same_direction(field, y, x))


def _same_direction(field: Field, y: Element, x: Element) -> tuple[Element, Element]:
    """A point on the same ray from the origin, without common factors; of those only the sign matters.

    atan2(p·y, p·x) = atan2(sign(p)·y, sign(p)·x)
    """
    d = y.denominator
    if d != x.denominator:
        return y, x
    common = field.polynomial(field.gcd(y.numerator, x.numerator))
    y, x = field.polynomial(y.numerator) / common, field.polynomial(x.numerator) / common
    side = radicals.sign(field, common) * radicals.sign(field, field.polynomial(d))
    size = abs(x.numerator.leading_coefficient())
    scale = side * Fraction(int(size.q), int(size.p))
    return y * scale, x * scale
