"""Coefficients of an integral, exactly: Σ c_i X(b_i) = 0 over the field of constants (SCOPE K18, D2).

Once it is known which functions b_i an integral is made of, its coefficients solve a small linear system over
the constants: parameters, π, √2, … This gives integrals with irrational coefficients, and integrals that show
parameters as symbols where the search used their values.

>>> from chetaev.constraint.submanifold.submanifold import Constraint
>>> Q = Constraint.of(["x' = R*psi'"], ["x", "psi"], parameters={"R": 2})
>>> x, psi, R = Q.chart.field.symbols("x psi R")
>>> u = combination(Q.chart.field, base_fields(Q), [x, psi], {"R"})
>>> (u.diff("x") * R + u.diff("psi")).is_zero
True
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from math import gcd, lcm

from chetaev.constraint.integrability.modular_kernel import Field_, along
from chetaev.constraint.submanifold.plainer_equations import primitive
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.expr.exact import Budget, Element, Field, GivenUp, ask
from chetaev.expr.exact.linear.matrix import nullspace
from chetaev.expr.graph.node import Expr

MAX_DEGREE = 12
"""A product of powers with a higher degree is left as a sum of logarithms."""


def base_fields(constraint: Constraint) -> list[Field_]:
    """The fields (63) of a constraint written affine, as pairs (coordinate, component)."""
    chart = constraint.adapted
    field = constraint.chart.field
    place = [field.base((q, 0)) for q in constraint.coordinates]
    time = field.base((constraint.given.time, 0))
    rows: list[Field_] = [[(time, field.one), *((place[i], chart.A[a]) for a, i in enumerate(chart.D))]]
    for s, j in enumerate(chart.S):
        rows.append([(place[j], field.one), *((place[i], chart.B[a][s]) for a, i in enumerate(chart.D))])
    return [[(k, e) for k, e in row if not e.is_zero] for row in rows]


def combination(
    field: Field, fields: list[Field_], basis: list[Element], parameters: Iterable[str] = ()
) -> Element | None:
    """The combination of functions that all fields annihilate, if it is unique up to a factor; else None."""
    names = set(parameters)
    rows: list[list[Element]] = []
    for X in fields:
        parts = [along(X, b) for b in basis]
        common = reduce(lambda c, e: _multiple(field, c, e), parts, field.one)
        cleared = [e * common for e in parts]
        used = {k for e in cleared for k in field.tower.used(e.numerator)}
        moving = tuple(sorted(k for k in used if not _constant(field, k, names)))
        keys: dict[tuple[int, ...], list[Element]] = {}
        for i, e in enumerate(cleared):
            for key, p in field.tower.collect(e.numerator, moving).items():
                keys.setdefault(key, [field.zero] * len(basis))[i] = field.polynomial(p)
        rows += list(keys.values())
    kernel = nullspace(rows) if rows else []
    if len(kernel) != 1:
        return None
    lead = next(c for c in kernel[0] if not c.is_zero)
    return sum((c / lead * b for c, b in zip(kernel[0], basis, strict=True)), field.zero)


def _multiple(field: Field, common: Element, e: Element) -> Element:
    shared = field.polynomial(field.gcd(common.numerator, e.denominator))
    return common * field.polynomial(e.denominator) / shared


def _constant(field: Field, k: int, parameters: set[str]) -> bool:
    names = {field.generators[i].name for i in field.generators[k].depends}
    return all(isinstance(n, tuple) and n[0] in parameters for n in names)


def lift(u: Element, symbolic: Constraint) -> Expr:
    """The integral with parameters as symbols instead of their values, where that is possible.

    The terms of u are kept, their coefficients are solved for anew over the field of parameters.
    """
    field = symbolic.field

    def lifted() -> Expr:
        with field.limit(Budget(3 * symbolic.effort // 20, terms=4000, products=200_000)):
            found = _lifted(u, symbolic)
            return without_logarithms(found if found is not None else u).to_expr()

    found = ask(lifted)
    return u.to_expr() if isinstance(found, GivenUp) else found


def _lifted(u: Element, symbolic: Constraint) -> Element | None:
    if not symbolic.given.values or not u.is_polynomial:
        return None
    field, tower, generators = symbolic.chart.field, u.field.tower, u.field.generators
    one = next(iter(tower.terms(tower.one)))[1]
    terms = {tuple((k, e) for k, e in b if generators[k].depends): one for b, _ in tower.terms(u.numerator)}
    basis = [field(Element(u.field, tower.from_terms({b: one}), tower.one).to_expr()) for b in terms if b]
    total = combination(field, base_fields(symbolic), basis, symbolic.given.values)
    return None if total is None else primitive(Element(field, total.numerator, field.tower.one))


def without_logarithms(u: Element) -> Element:
    """x^a y^b for a log x + b log y: the same level sets, and defined where x or y is negative.

    >>> from chetaev.expr.exact import Field
    >>> field = Field()
    >>> x, y = field.symbols("x y")
    >>> print(without_logarithms(field.log(x) - field.log(y) / 2))
    x^2/y
    """
    field = u.field
    if not u.denominator.is_constant():
        return u
    powers: dict[int, Fraction] = {}
    for monomial, q in field.tower.terms(u.numerator):
        if len(monomial) != 1 or monomial[0][1] != 1 or field.generators[monomial[0][0]].kind != "log":
            return u
        powers[monomial[0][0]] = Fraction(int(q.p), int(q.q))
    common = lcm(*(n.denominator for n in powers.values()))
    whole = {k: int(n * common) for k, n in powers.items()}
    divisor = gcd(*whole.values())
    if not whole or sum(map(abs, whole.values())) > MAX_DEGREE * divisor:
        return u
    sign = 1 if sum(whole.values()) >= 0 else -1
    product = field.one
    for k, n in whole.items():
        product = product * field.generators[k].args[0] ** (sign * n // divisor)
    return product
