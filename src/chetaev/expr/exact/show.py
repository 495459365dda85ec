"""Elements as expressions that people read.

Sums are short (s² or c² whichever saves terms), common factors and rational content stand in front,
small polynomials are factored where that is shorter, exponentials of a denominator come up with a
minus in the exponent, and the sign is normalised.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> x, m = field.symbols("x m")
>>> print(m / 2 - m * field.cos(x) ** 2 / 2)
m*sin(x)^2/2
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING

from flint import fmpq

from chetaev.expr import graph
from chetaev.expr.exact import halfangle
from chetaev.expr.exact.derive import closure
from chetaev.expr.exact.tower import Monomial, Poly
from chetaev.expr.graph import Expr

if TYPE_CHECKING:
    from chetaev.expr.exact.element import Element
    from chetaev.expr.exact.field import Field, Generator

Terms = dict[Monomial, fmpq]

FACTOR_TERMS = 60


def to_expr(element: Element) -> Expr:
    """A readable expression equal to the element."""
    field = element.field
    n, d = element.numerator, element.denominator
    if n.is_zero():
        return graph.ZERO
    for k in closure(field, {*field.tower.used(n), *field.tower.used(d)}):  # no recursion into functions
        if k not in field.shown:
            field.shown[k] = _atom(field.generators[k])
    lowered: dict[int, int] = {}
    if not d.is_one():
        content = d.term_content()
        for k in field.tower.used(content):
            if field.generators[k].kind == "exp":
                lowered[k] = field.tower.degree(content, k)
                d = d / field.tower.variable(k) ** lowered[k]
    scale_n, top = _polynomial(field, n, lowered)
    scale_d, bottom = _polynomial(field, d, {})
    scale = scale_n / scale_d
    if not bottom:
        return _product(scale, top)
    over = _product(Fraction(scale.denominator), bottom)
    return graph.div(_product(Fraction(scale.numerator), top), over)


def _product(scale: Fraction, factors: list[Expr]) -> Expr:
    """scale·Π factors, with the minus in front and the denominator behind."""
    parts = [f for f in factors if f is not graph.ONE]
    top = abs(scale.numerator)
    if top != 1 or not parts:
        parts = [graph.number(top), *parts]
    body = graph.mul(*parts)
    if scale.denominator != 1:
        body = graph.div(body, graph.number(scale.denominator))
    return graph.neg(body) if scale < 0 else body


def _polynomial(field: Field, p: Poly, lowered: dict[int, int]) -> tuple[Fraction, list[Expr]]:
    """A rational number and factors whose product is p/Π g^lowered."""
    form = shortest_form(field, p)
    plain = _sum_as_factors(field, form, lowered)
    if len(p) == 1 or len(p) > FACTOR_TERMS or lowered:
        return plain
    best = plain
    for candidate in _forms(field, p):
        k, found = candidate.factor()
        if sum(e for _, e in found) < 2 or (len(found) == 1 and len(candidate) == 1):
            continue
        scale, parts = Fraction(int(k.p), int(k.q)), []
        for f, e in sorted(found, key=lambda fe: (len(fe[0]), fe[0].total_degree())):
            inner, factors = _sum_as_factors(field, shortest_form(field, f), {})
            scale *= inner**e
            base = _product(Fraction(1), factors)
            parts.append(base if e == 1 else graph.power(base, graph.number(e)))
        if _cost(parts) < _cost(best[1]):
            best = (scale, parts)
    return best


def _forms(field: Field, p: Poly) -> list[Poly]:
    forms = [p]
    for pair in halfangle.pairs_in(field, p)[: halfangle.MAX_PAIRS]:
        forms += [halfangle.sine_form(field, f, pair) for f in forms]
    return forms


def _cost(parts: list[Expr]) -> int:
    cost: dict[int, int] = {}
    for node in graph.postorder(*parts):
        cost[id(node)] = 1 + sum(cost[id(a)] for a in node.args)
    return sum(cost[id(p)] for p in parts)


def shortest_form(field: Field, p: Poly) -> Terms:
    """The terms with s² or c² chosen, angle by angle, so that there are few."""
    terms = dict(field.tower.terms(p))
    if len(terms) < 2:
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


def _sum_as_factors(field: Field, terms: Terms, lowered: dict[int, int]) -> tuple[Fraction, list[Expr]]:
    """Rational content, common monomial, and the sum that remains."""
    numerators, denominators = 0, 1
    for q in terms.values():
        numerators, denominators = gcd(numerators, int(q.p)), lcm(denominators, int(q.q))
    scale = Fraction(numerators, denominators)
    ordered = sorted(terms.items(), key=lambda t: _rank(field, t[0]))
    if all(q < 0 for _, q in ordered):
        scale = -scale
    elif ordered[0][1] < 0:
        ordered = sorted(ordered, key=lambda t: bool(t[1] < 0))
    common = dict(ordered[0][0])
    for monomial, _ in ordered[1:]:
        exponents = dict(monomial)
        common = {k: min(e, exponents.get(k, 0)) for k, e in common.items()}
    factors = _factors(field, {k: e for k, e in common.items() if e and k not in lowered})
    if len(ordered) == 1:
        shifted = {k: common.get(k, 0) - low for k, low in lowered.items()}
        return scale * Fraction(int(ordered[0][1].p), int(ordered[0][1].q)) / scale, factors + _factors(
            field, shifted
        )
    summands = []
    for monomial, q in ordered:
        exponents = {k: e - (common.get(k, 0) if k not in lowered else 0) for k, e in monomial}
        for k, low in lowered.items():
            exponents[k] = exponents.get(k, 0) - low
        value = Fraction(int(q.p), int(q.q)) / scale
        summands.append(_product(value, _factors(field, exponents)))
    return scale, [*factors, graph.add(*summands)]


def _rank(field: Field, monomial: Monomial) -> tuple[object, ...]:
    orders = [field.generators[k].name for k, _ in monomial if field.generators[k].kind == "symbol"]
    order = max((n[1] for n in orders if isinstance(n, tuple)), default=0)
    degree = sum(e for _, e in monomial)
    return (-order, -degree, [(k, -e) for k, e in monomial])


def _factors(field: Field, exponents: dict[int, int]) -> list[Expr]:
    order = sorted(exponents, key=lambda k: (field.generators[k].kind != "symbol", k))
    return [_power(field, field.generators[k], exponents[k]) for k in order if exponents[k]]


def _power(field: Field, generator: Generator, e: int) -> Expr:
    if generator.index not in field.shown:
        field.shown[generator.index] = _atom(generator)
    base = field.shown[generator.index]
    if e == 1:
        return base
    if generator.kind == "exp":
        return graph.call("exp", to_expr(generator.args[0] * e))
    if generator.kind == "root" and generator.order != 2:
        return graph.power(base.args[0], graph.number(Fraction(e, generator.order)))
    return graph.power(base, graph.number(e))


def _atom(generator: Generator) -> Expr:
    kind = generator.kind
    if kind == "symbol":
        assert isinstance(generator.name, tuple)
        return graph.symbol(*generator.name)
    if kind == "constant":
        return graph.constant(str(generator.name))
    args = [to_expr(a) for a in generator.args]
    if kind == "root":
        if generator.order == 2:
            return graph.call("sqrt", args[0])
        return graph.power(args[0], graph.number(Fraction(1, generator.order)))
    if kind == "exp" and generator.args[0] == 1:
        return graph.E
    if kind == "logabs":
        return graph.call("log", graph.call("abs", args[0]))
    return graph.call(kind, *args)
