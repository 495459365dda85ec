"""Functions that neither the motion nor any input changes: F with X(F) = 0 and Y_a(F) = 0.

The annihilator of the involutive hull of X, Y_a is a system of linear constraints on the state as it moves;
functions that it keeps constant are found as for constraints on velocities
(:mod:`chetaev.constraint.integrability`), and each is verified by applying all fields to it.
"""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.constraint.integrability.constants_of_the_constraint import find
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.errors import ModelError
from chetaev.expr.exact import Element, answer, ask
from chetaev.expr.graph.node import Expr, add, mul, substitute, symbol
from chetaev.geometry import Distribution, Form, VectorField

Name = tuple[str, int]


def invariants(hull: Distribution, fields: Sequence[VectorField]) -> list[Element]:
    """Functions on the chart that all fields annihilate, proved; at most as many as the hull's corank."""
    chart = hull.chart
    if not hull.corank or hull.on:
        return []
    taken = {n for n, _ in chart.symbols}
    names: dict[Name, str] = {}
    for name, order in chart.symbols:
        fresh = name if not order else f"rate_{name}"
        while order and fresh in taken:
            fresh += "_"
        taken.add(fresh)
        names[name, order] = fresh
    clock = "t"
    while clock in taken:
        clock += "_"
    into = {symbol(*s): symbol(n) for s, n in names.items()}
    rows = [_constraint(form, names, into) for form in hull.annihilator]
    try:
        found = answer(ask(lambda: find(Constraint.of(rows, list(names.values()), time=clock), hull.corank)))
    except ModelError:  # rows that are no constraints of a chart
        return []
    if found is None:
        return []
    back = {symbol(n): symbol(*s) for s, n in names.items()}
    kept = []
    for u in found:
        F = chart.field(substitute([u.to_expr()], back)[0])
        if all(X.derivative(F).is_zero is True for X in fields):
            kept.append(F)
    return kept


def _constraint(form: Form, names: dict[Name, str], into: dict[Expr, Expr]) -> Expr:
    terms = []
    for a, name in zip(form.row(), names.values(), strict=True):
        if not a.is_blank:
            terms.append(mul(substitute([a.to_expr()], into)[0], symbol(name, 1)))
    return add(*terms)
