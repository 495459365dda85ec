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

from collections.abc import Callable, Hashable
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING

from flint import fmpq

from chetaev.expr.exact.effort import cost
from chetaev.expr.exact.field.differentiation import closure
from chetaev.expr.exact.polynomials.common_content import over_cosine
from chetaev.expr.exact.polynomials.tower import Monomial, Poly
from chetaev.expr.exact.readable import hyperbolic
from chetaev.expr.exact.readable.shorter_sums import Terms, fold, forms, shortest_form, tidy
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr

if TYPE_CHECKING:
    from chetaev.expr.exact.field.element import Element
    from chetaev.expr.exact.field.field import Field, Generator

Product = tuple[Fraction, list[Expr]]
"""A number and factors."""

FACTOR_TERMS = 60
LARGE = 400
"""Sums with more terms are written as they are."""


def to_expr(element: Element) -> Expr:
    """A readable expression equal to the element."""
    field = element.field
    n, d = element.numerator, element.denominator
    if n.is_zero():
        return graph.ZERO
    field.tower.budget.spend(cost.WRITING * (len(n) + len(d)))
    n, d = without_cosines(field, n, d)
    for k in closure(field, {*field.tower.used(n), *field.tower.used(d)}):  # no recursion into functions
        _shown(field, k)
    best = quotient(*_sides(field, n, d))
    for top, bottom in hyperbolic.sides(field, n, d, PolynomialWriter(field).polynomial, to_expr):
        other = quotient(top, bottom)
        best = min(best, other, key=lambda e: _cost([e]))
    return best


def without_cosines(field: Field, n: Poly, d: Poly) -> tuple[Poly, Poly]:
    """cos²/(sin·cos) is written cos/sin: cosines of a denominator that are hidden in 1 − sin² above."""
    if d.is_one():
        return n, d
    content = d.term_content()
    for k in field.tower.used(content):
        generator = field.generators[k]
        for _ in range(field.tower.degree(content, k) if generator.kind == "cos" else 0):
            above = over_cosine(field, n, (generator.partner, k))
            if above is None:
                break
            n, d = above, d / field.tower.variable(k)
    return n, d


def _sides(field: Field, n: Poly, d: Poly) -> tuple[Product, Product]:
    """Numerator and denominator as numbers and factors."""
    lowered: dict[int, int] = {}
    if not d.is_one():
        content = d.term_content()
        for k in field.tower.used(content):
            if field.generators[k].kind == "exp":
                lowered[k] = field.tower.degree(content, k)
                d = d / field.tower.variable(k) ** lowered[k]
    return PolynomialWriter(field, lowered).polynomial(n), PolynomialWriter(field).polynomial(d)


def quotient(over: Product, under: Product) -> Expr:
    """A quotient of products, its sign and its roots where people write them."""
    scale, top, bottom = over[0] / under[0], list(over[1]), list(under[1])
    if scale < 0 and (_turn(bottom) or _turn(top)):
        scale = -scale
    _roots_down(top, bottom)
    if not bottom:
        return tidy(product(scale, top))
    below = product(Fraction(scale.denominator), bottom)
    return tidy(graph.div(product(Fraction(scale.numerator), top), below))


def _turn(factors: list[Expr]) -> bool:
    """Change the sign of a factor a − b to b − a, if there is one."""
    for i, f in enumerate(factors):
        if f.op == "add" and any(a.op == "neg" for a in f.args):
            turned = [a.args[0] if a.op == "neg" else graph.neg(a) for a in f.args]
            factors[i] = graph.add(*sorted(turned, key=lambda a: a.op == "neg"))
            return True
    return False


def _roots_down(top: list[Expr], bottom: list[Expr]) -> None:
    """√u/u is written 1/√u, and √u/u² is written 1/u^(3/2)."""
    for f in list(top):
        if f.op != "sqrt":
            continue
        for i, b in enumerate(bottom):
            n = b.args[1].value if b.op == "pow" and b.args[1].op == "number" else 1
            if (b if n == 1 else b.args[0]) is f.args[0] and n >= 1:
                top.remove(f)
                bottom[i] = f if n == 1 else graph.power(f.args[0], graph.number(n - Fraction(1, 2)))
                break


def product(scale: Fraction, factors: list[Expr]) -> Expr:
    """scale·Π factors, with the minus in front and the denominator behind."""
    parts = [f for f in factors if f is not graph.ONE]
    top = abs(scale.numerator)
    if top != 1 or not parts:
        parts = [graph.number(top), *parts]
    body = graph.mul(*parts)
    if scale.denominator != 1:
        body = graph.div(body, graph.number(scale.denominator))
    return graph.neg(body) if scale < 0 else body


def _cost(parts: list[Expr]) -> int:
    cost: dict[int, int] = {}
    for node in graph.postorder(*parts):
        cost[id(node)] = 1 + sum(cost[id(a)] for a in node.args)
    return sum(cost[id(p)] for p in parts)


class PolynomialWriter:
    """Writes polynomials as products of a number and factors.

    `lowered`: exponentials of the denominator, to be written with a minus in the exponent; `multiples`: base
    angles whose sine and cosine are to be read as those of a multiple of the angle.
    """

    def __init__(
        self, field: Field, lowered: dict[int, int] | None = None, multiples: dict[int, int] | None = None
    ) -> None:
        self.field = field
        self.lowered = lowered or {}
        self.multiples = multiples or {}
        self._manner = tuple(sorted(self.lowered.items())), tuple(sorted(self.multiples.items()))

    def polynomial(self, p: Poly) -> tuple[Fraction, list[Expr]]:
        """A rational number and factors whose product is p/Π g^lowered."""
        best = self._plain(p)
        if len(p) > LARGE:
            return best
        folded, multiples = fold(self.field, p)
        if multiples:
            other = PolynomialWriter(self.field, self.lowered, multiples)._plain(folded)
            if _cost(other[1]) < _cost(best[1]):
                best = other
        return best

    def _plain(self, p: Poly) -> tuple[Fraction, list[Expr]]:
        """The shorter of the sum and its factors; looked for once, as whoever chooses a form asks often."""
        return self._once(self.field.tower.key(p), lambda: self._sum_or_factors(p))

    def _once(self, what: Hashable, write: Callable[[], Product]) -> Product:
        """What is written, remembered by the field for as long as names and generators stay what they are."""
        field = self.field
        key = (field.version, len(field.named), what, *self._manner)
        scale, factors = field.ledger.recall(field.tower.budget, field.written, key, write)
        return scale, list(factors)

    def _sum_or_factors(self, p: Poly) -> Product:
        best = self.sum(shortest_form(self.field, p))
        if len(p) == 1 or len(p) > FACTOR_TERMS or self.lowered:
            return best
        for candidate in forms(self.field, p):
            k, found = self.field.factor(candidate)
            if sum(e for _, e in found) < 2:
                continue
            scale, parts = Fraction(int(k.p), int(k.q)), []
            for f, e in sorted(found, key=lambda fe: (len(fe[0]), fe[0].total_degree())):
                inner, factors = self.sum(shortest_form(self.field, f))
                scale *= inner**e
                base = product(Fraction(1), factors)
                parts.append(base if e == 1 else graph.power(base, graph.number(e)))
            if _cost(parts) < _cost(best[1]):
                best = (scale, parts)
        return best

    def factored(self, terms: Terms) -> Product:
        """The irreducible factors of a sum, its generators taken as independent."""
        return self._once(("factors", frozenset(terms.items())), lambda: self._factored(terms))

    def _factored(self, terms: Terms) -> Product:
        k, found = self.field.factor(self.field.tower.from_terms(terms))
        scale, parts = Fraction(int(k.p), int(k.q)), []
        for f, e in sorted(found, key=lambda fe: (len(fe[0]), fe[0].total_degree())):
            inner, factors = self.sum(dict(self.field.tower.terms(f)))
            scale *= inner**e
            base = product(Fraction(1), factors)
            parts.append(base if e == 1 else graph.power(base, graph.number(e)))
        return scale, parts

    def content(self, terms: Terms) -> tuple[Fraction, list[Expr], Terms]:
        """Rational content, common monomial as factors, and the terms that remain."""
        numerators, denominators = 0, 1
        for q in terms.values():
            numerators, denominators = gcd(numerators, int(q.p)), lcm(denominators, int(q.q))
        scale = Fraction(numerators, denominators)
        if all(q < 0 for q in terms.values()):
            scale = -scale
        common: dict[int, int] | None = None
        for monomial in terms:
            exponents = dict(monomial)
            common = (
                exponents if common is None else {k: min(e, exponents.get(k, 0)) for k, e in common.items()}
            )
        common = {k: e for k, e in (common or {}).items() if k not in self.lowered and e}
        over = fmpq(scale.numerator, scale.denominator)
        if not common:
            return scale, [], terms if scale == 1 else {monomial: q / over for monomial, q in terms.items()}
        rest = {}
        for monomial, q in terms.items():
            left = tuple([(k, e - common.get(k, 0)) for k, e in monomial if e > common.get(k, 0)])
            rest[left] = q / over
        return scale, self._factors(common), rest

    def sum(self, terms: Terms) -> Product:
        """Rational content, common monomial, and the sum that remains."""
        return self._once(frozenset(terms.items()), lambda: self._sum(terms))

    def _sum(self, terms: Terms) -> Product:
        scale, factors, rest = self.content(terms)
        ordered = sorted(rest.items(), key=lambda t: self._rank(t[0]))
        if ordered[0][1] < 0:
            ordered = sorted(ordered, key=lambda t: bool(t[1] < 0))
        summands = []
        for monomial, q in ordered:
            exponents = dict(monomial)
            for k, low in self.lowered.items():
                exponents[k] = exponents.get(k, 0) - low
            summands.append(product(Fraction(int(q.p), int(q.q)), self._factors(exponents)))
        total = graph.add(*summands)
        return scale, factors + ([] if total is graph.ONE else [total])

    def _rank(self, monomial: Monomial) -> tuple[object, ...]:
        names = [self.field.generators[k].name for k, _ in monomial]
        order = max((n[1] for n in names if isinstance(n, tuple)), default=0)
        return (-order, -sum(e for _, e in monomial), [(k, -e) for k, e in monomial])

    def _factors(self, exponents: dict[int, int]) -> list[Expr]:
        order = sorted(exponents, key=lambda k: (self.field.generators[k].kind != "symbol", k))
        return [self._power(self.field.generators[k], exponents[k]) for k in order if exponents[k]]

    def _power(self, generator: Generator, e: int) -> Expr:
        base = _shown(self.field, generator.index)
        if generator.kind in ("sin", "cos"):
            n = self.multiples.get(min(generator.index, generator.partner), 1)
            if n != 1:
                base = graph.call(generator.kind, to_expr(generator.args[0] * n))
        if e == 1:
            return base
        if generator.kind == "exp":
            return _exponential(to_expr(generator.args[0] * e))
        if generator.kind == "root" and generator.order != 2:
            return graph.power(base.args[0], graph.number(Fraction(e, generator.order)))
        return graph.power(base, graph.number(e))


def _shown(field: Field, k: int) -> Expr:
    if k not in field.shown:
        generator = field.generators[k]
        names = [expr for _, expr in field.named if (expr.value, 0) == generator.name]
        field.shown[k] = names[0] if names else _atom(generator)
    return field.shown[k]


def _by_name(u: Element) -> Expr | None:
    """A rational multiple of a function with a name, as it is written in the argument of another."""
    for e, name in u.field.named:
        if u.denominator == e.denominator and not u.is_number:
            q = u.numerator.leading_coefficient() / e.numerator.leading_coefficient()
            if e.numerator * q == u.numerator:
                return tidy(product(Fraction(int(q.p), int(q.q)), [name]))
    return None


def _exponential(argument: Expr) -> Expr:
    """exp(u), but x^p for exp(p·log x): shorter, and real for x < 0 where p is an integer."""
    if argument.op == "neg":
        below = _exponential(argument.args[0])
        if below.op == "pow":
            return graph.power(below.args[0], graph.neg(below.args[1]))
    elif argument.op == "div":
        above = _exponential(argument.args[0])
        if above.op == "pow":
            return graph.power(above.args[0], graph.div(above.args[1], argument.args[1]))
    elif argument.op == "mul":
        logarithms = [f for f in argument.args if f.op == "log"]
        rest = [f for f in argument.args if f.op != "log"]
        if len(logarithms) == 1 and rest:
            return graph.power(logarithms[0].args[0], graph.mul(*rest))
    return graph.call("exp", argument)


def _atom(generator: Generator) -> Expr:
    kind = generator.kind
    if kind == "symbol":
        assert isinstance(generator.name, tuple)
        return graph.symbol(*generator.name)
    if kind in ("constant", "algebraic"):
        assert not isinstance(generator.name, tuple)
        return graph.constant(generator.name)
    args = [_by_name(a) or to_expr(a) for a in generator.args]
    if kind == "root":
        if generator.order == 2:
            return graph.call("sqrt", args[0])
        return graph.power(args[0], graph.number(Fraction(1, generator.order)))
    if kind == "exp" and generator.args[0] == 1:
        return graph.E
    if kind == "exp":
        return _exponential(args[0])
    if kind == "logabs":
        return graph.call("log", graph.call("abs", args[0]))
    return graph.call(kind, *args)
