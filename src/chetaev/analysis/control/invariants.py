"""Functions that neither the motion nor any input changes: F with X(F) = 0 and Y_a(F) = 0.

The annihilator of the involutive hull of X, Y_a is a system of linear constraints on the state as it moves;
functions that it keeps constant are found as for constraints on velocities
(:mod:`chetaev.constraint.integrability`), and each is verified by applying all fields to it.

Where the hull is not known, laws are searched for the motion under inputs t, t², …: one without time,

    X(F) + t Y_1(F) + t² Y_2(F) + … = 0 for all t,

is kept by the motion and by every input. It is verified in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.analysis.control.control_affine import ControlAffine, values_with
from chetaev.analysis.control.driven_system import with_inputs
from chetaev.constraint.integrability.constants_of_the_constraint import find
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.errors import ModelError
from chetaev.expr.exact import Element, GivenUp, answer, ask
from chetaev.expr.graph.node import Expr, add, mul, number, power, substitute, symbol, symbols
from chetaev.geometry import Distribution, Form, VectorField
from chetaev.geometry.chart.ranks_seen import SeenRank
from chetaev.geometry.chart.zeros import Zeros
from chetaev.laws.integrals import integrals

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


def kept_under_inputs(control: ControlAffine, zeros: Zeros) -> list[Element]:
    """Independent functions on the chart that all fields annihilate, proved; those that a search finds."""
    system, frame, field = control.system, control.frame, control.chart.field
    if control.level != "dynamic" or control.timed or control.on or frame is None:
        return []
    time = symbol(system.time)
    inputs = [power(time, number(k + 1)) for k in range(len(control.inputs))]
    laws = ask(lambda: integrals(with_inputs(system, control.names, inputs, {}, (), until=1)))
    if isinstance(laws, GivenUp):
        return []
    view = values_with(system, ())
    into = {symbol(c, 1): V for c, V in zip(system.coordinates, frame.velocities, strict=True)}
    seen, kept = SeenRank(zeros), []
    for law in laws:
        if time.value in symbols(law.expression):
            continue
        F = field(view.apply(substitute([law.expression], into))[0])
        unchanged = all(X.derivative(F).is_zero is True for X in control.fields)
        if unchanged and seen.add([F.diff(s) for s in control.chart.symbols]):
            kept.append(F)
    return kept


def _constraint(form: Form, names: dict[Name, str], into: dict[Expr, Expr]) -> Expr:
    terms = []
    for a, name in zip(form.row(), names.values(), strict=True):
        if not a.is_blank:
            terms.append(mul(substitute([a.to_expr()], into)[0], symbol(name, 1)))
    return add(*terms)
