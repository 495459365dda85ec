"""Values of elements at points, as balls that certainly contain them, and hashes made of values.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> (x,) = field.symbols("x")
>>> float((field.sin(x) ** 2 + x / 3).evaluate({"x": 0}))
0.0
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import arb, ctx, fmpq

from chetaev.expr.exact.effort import cost
from chetaev.expr.exact.field.normal_form_zero import is_decided
from chetaev.expr.graph.node import ImplicitNumber

if TYPE_CHECKING:
    from chetaev.expr.exact.field.element import Element
    from chetaev.expr.exact.field.field import Field, Generator
    from chetaev.expr.exact.polynomials.tower import Poly


def as_ball(value: Any) -> arb:
    """A number as a ball of the working precision."""
    if isinstance(value, arb):
        return value
    if isinstance(value, Fraction):
        return arb(fmpq(value.numerator, value.denominator))
    return arb(value)


def evaluate(element: Element, values: Mapping[Any, Any], bits: int = 53) -> arb:
    """The value at a point; ``nan`` outside the domain."""
    field = element.field
    with ctx.workprec(bits):
        known = {field.base(s): as_ball(v) for s, v in values.items()}
        return evaluate_at(element, known)


def evaluate_at(element: Element, known: dict[int, arb]) -> arb:
    """The value from the values of the base symbols by generator number; fills in the others."""
    field = element.field
    if element.is_number:
        return _quotient(field, element, known)
    needed: set[int] = set()
    pending = [*field.tower.used(element.numerator), *field.tower.used(element.denominator)]
    while pending:
        k = pending.pop()
        if k in known or k in needed:
            continue
        generator = field.generators[k]
        if generator.kind == "symbol":
            raise KeyError(f"no value for the symbol {generator.name}")
        needed.add(k)
        for a in generator.args:
            pending.extend(field.tower.used(a.numerator))
            pending.extend(field.tower.used(a.denominator))
    for k in sorted(needed):
        generator = field.generators[k]
        field.tower.budget.spend(cost.values(5, ctx.prec))
        known[k] = _value(generator, [_quotient(field, a, known) for a in generator.args])
    return _quotient(field, element, known)


def _quotient(field: Field, element: Element, known: dict[int, arb]) -> arb:
    n = _polynomial(field, element.numerator, known)
    return n if element.is_polynomial else n / _polynomial(field, element.denominator, known)


def _polynomial(field: Field, p: Poly, known: dict[int, arb]) -> arb:
    field.tower.budget.spend(cost.values(len(p), ctx.prec, 1))
    total = arb(0)
    for monomial, coefficient in field.tower.terms(p):
        term = arb(coefficient)
        for k, e in monomial:
            term = term * known[k] ** e
        total += term
    return total


def _value(generator: Generator, args: list[arb]) -> arb:
    kind = generator.kind
    if kind in ("constant", "algebraic"):
        return generator.name.ball() if isinstance(generator.name, ImplicitNumber) else arb.pi()
    u = args[0]
    if kind == "atan2":
        return arb.atan2(args[0], args[1])
    if kind == "root":
        order = generator.order  # root() takes machine words only
        return u.root(order) if order < 1 << 63 else u ** (1 / arb(order))
    if kind == "sign":
        return u.sgn()
    if kind == "logabs":
        return abs(u).log()
    return getattr(u, kind)()  # type: ignore[no-any-return]


def fingerprint(element: Element) -> int:
    """A number that is the same for equal elements: the value at one fixed point.

    Elements with functions that are not defined everywhere share one fingerprint.
    """
    field = element.field
    names = sorted(element.symbols)
    if not is_decided(element):
        return 0
    if not names:
        return hash(element.as_fraction())
    with ctx.workprec(320):
        point = {field.base(n): arb(_hashed(n)) / 1009 for n in names}
        value = evaluate_at(element, point)
        if not value.is_finite():
            return 0
        return hash(str((value * arb(2) ** 30).floor().mid()))


def _hashed(name: tuple[str, int]) -> int:
    h = 17 + name[1]
    for letter in name[0]:
        h = (h * 31 + ord(letter)) % 997
    return h + 3
