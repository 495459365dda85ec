"""Q itself: charts, derivations, normal forms, canonical distribution, prolongation (SCOPE K13, K16, K17,
Sa1, Sa2, K25)."""

from __future__ import annotations

import numpy as np
import pytest

import chetaev as ch
from chetaev.constraint import AdaptedChart, Constraint
from chetaev.constraint.integrability.growth_vector import growth
from chetaev.constraint.submanifold.canonical_distribution import (
    canonical_distribution,
    canonical_fields,
    canonical_forms,
    chetaev_field,
    constrained_prolongation,
    contact_forms,
    obstruction,
    prolongation,
)
from chetaev.constraint.submanifold.isolate import isolate
from chetaev.expr.exact.vanishing import zero_test
from chetaev.expr.graph.node import call, number, symbol
from chetaev.geometry.calculus.form import Form
from chetaev.geometry.chart.functions import GeometryError
from chetaev.geometry.distribution.distribution import Distribution
from formulas import formula, formulas

IMPLICIT = "x'^5 + x'*y' + y*z'^3 - 1 = 0"
EXAMPLES = {
    "heisenberg": ["z' = y*x'"],
    "affine": ["z' = y*x' + t*x"],
    "sphere": ["x'^2 + y'^2 + z'^2 = 1 + x^2"],
    "implicit": [IMPLICIT],
    "sine": ["sin(x') + y'*z' = x"],
    "two": ["x'^2 + y'^2 = 1", "z' = x*y'"],
}


def implicit_forms(Q: Constraint) -> list[Form]:
    """(∂f^a/∂v^σ) ω̄^σ, the module of the canonical forms before any chart is chosen (60)."""
    omega, zero = contact_forms(Q), Form.zero(Q.chart, 1)
    return [sum((c * w for c, w in zip(row, omega, strict=True)), zero) for row in Q.jacobian]


def example(name: str) -> Constraint:
    return Constraint.of(EXAMPLES[name], ["x", "y", "z"])


def zero_on(Q: Constraint, *elements: object) -> bool:
    return all(zero_test(e.to_expr(), [f.to_expr() for f in Q.on]).is_zero for e in elements)  # type: ignore[attr-defined]


@pytest.mark.few(2)
@pytest.mark.parametrize("name", EXAMPLES)
def test_K16_derivations_are_tangent_to_Q_and_commute(name: str) -> None:
    Q = example(name)
    chart = Q.adapted
    fields = [chart.derivation(c) for c in ("t", *Q.coordinates, *((q, 1) for q in chart.free))]
    assert zero_on(Q, *(X(f) for X in fields for f in Q.functions))
    X, Y = fields[1], fields[-1]
    assert zero_on(Q, *X.bracket(Y).components)


@pytest.mark.few(1)
@pytest.mark.parametrize("name", EXAMPLES)
def test_K17_forms_60_annihilate_fields_61(name: str) -> None:
    Q = example(name)
    for chart in Q.charts()[:2]:
        fields = canonical_fields(Q, chart)
        assert len(fields) == 2 * (3 - Q.codimension) + 1
        for X in fields:
            assert zero_on(Q, *(form(X) for form in canonical_forms(Q, chart)))
            assert zero_on(Q, *(form(X) for form in implicit_forms(Q)))


@pytest.mark.few(4)
@pytest.mark.parametrize("name", EXAMPLES)
def test_K16_contact_forms_are_constraint_forms_up_to_free_ones(name: str) -> None:
    Q = example(name)
    chart = Q.adapted
    omega = dict(zip(Q.coordinates, contact_forms(Q), strict=True))
    for a, (q, phi) in enumerate(zip(chart.dependent, canonical_forms(Q, chart), strict=True)):
        difference = phi - omega[q]
        for s, p in enumerate(chart.free):
            difference = difference + chart.B[a][s] * omega[p]
        assert zero_on(Q, *difference.row())


def test_K16_closed_normal_form_gives_the_same_derivatives() -> None:
    for equations in (["z' = y*x' + t*x"], [IMPLICIT], ["sin(x') + y'*z' = x"]):
        Q = Constraint.of(equations, ["x", "y", "z"])
        form = Q.normal_forms()[0]
        ((q, expression),) = form.velocities.items()
        g = Q.chart(expression)
        chart = AdaptedChart(Q, (Q.coordinates.index(q),))
        for c in ("t", "x", "y", "z", *((p, 1) for p in chart.free)):
            assert zero_on(Q, chart.slope(c)[0] - g.diff(c))
        cut = g.diff("t")
        for p in Q.coordinates:
            cut = cut + g.diff(p) * Q.chart.field.symbol(p, 1)
        assert zero_on(Q, chart.d_cut(g) - cut)


def test_K16_constraint_total_derivative_58() -> None:
    Q = Constraint.of(["z' = y*x'"], ["x", "y", "z"])
    chart = Q.adapted
    J2 = Q.chart.at_order(2)
    assert chart.d("z'") == J2("x'*y' + y*x''")
    assert chart.d_cut("z'") == J2("x'*y'")
    assert zero_on(Q, chart.d_cut(Q.functions[0]))


def test_K16_prolongation_of_Q_53() -> None:
    Q = example("implicit")
    f, rate = Q.prolongation()
    J2 = Q.chart.at_order(2)
    assert rate == J2("5*x'^4*x'' + x''*y' + x'*y'' + y'*z'^3 + 3*y*z'^2*z''")
    assert f == J2("x'^5 + x'*y' + y*z'^3 - 1")


def test_K17_chetaev_field_62() -> None:
    Q = example("sphere")
    Z = chetaev_field(Q, {"t": 1, "x": "y", "y": "t", ("x", 1): "x'"}, AdaptedChart(Q, (2,)))
    assert zero_on(Q, *(form(Z) for form in implicit_forms(Q)), *(Z(f) for f in Q.functions))


@pytest.mark.parametrize("name", ["heisenberg", "affine", "sphere", "sine", "two"])
def test_K18_exact_and_numerical_growth_agree(name: str) -> None:
    Q = example(name)
    numeric = growth(Q.numbers, Q.survey.rows, Q.survey.charts[0], Q.points[:4])
    if Q.is_affine_as_written:
        r = 3 - Q.codimension
        assert tuple(n + r for n in Q.projection.growth_vector()) == numeric
    else:
        assert numeric[0] == canonical_distribution(Q).rank == 2 * (3 - Q.codimension) + 1
        assert numeric[-1] == 7 - Q.codimension


# --- rank and charts ------------------------------------------------------------------------------


def test_K13_rank_condition() -> None:
    Q = Constraint.of(["x'*sin(phi) = y'*cos(phi)"], ["x", "y", "phi"])
    assert Q.rank_condition.rank == 1
    assert Q.rank_condition.everywhere is True  # sin² + cos² = 1
    assert Constraint.of(["x' = y*z'"], ["x", "y", "z"]).rank_condition.everywhere is True
    cone = Constraint.of(["x'^2 + y'^2 = z'^2"], ["x", "y", "z"])
    apex = {"t": 0, "x": 0, "y": 0, "z": 0, "x'": 0, "y'": 0, "z'": 0}
    assert cone.rank_at(apex) == 0
    assert cone.rank_at({**apex, "x'": 1, "z'": 1}) == 1


def test_K13_best_chart_at_a_point() -> None:
    Q = Constraint.of(["x'*sin(phi) = y'*cos(phi)"], ["x", "y", "phi"])
    point = dict.fromkeys(["t", "x", "y", "phi", "x'", "y'", "phi'"], 0.0)
    assert Q.best_chart(point).dependent == ("y",)
    assert Q.best_chart({**point, "phi": np.pi / 2}).dependent == ("x",)


def test_K13_points_lie_on_Q() -> None:
    for name in ("leibniz-particle", "bead-on-rotating-hoop", "implicit-constraint-quintic", "snakeboard"):
        Q = Constraint(ch.load(name))
        assert len(Q.points) > 8
        for z in Q.points:
            assert np.abs(np.array(Q.numbers.residual(z))).max() < 1e-8


# --- normal forms ---------------------------------------------------------------------------------


def test_K13_both_roots_of_a_quadratic_with_their_domain() -> None:
    Q = Constraint.of(["x'^2 + y'^2 + z'^2 = v^2"], ["x", "y", "z"], parameters={"v": 2})
    forms = Q.normal_forms()
    assert len(forms) == 2
    for form in forms:
        g = Q.chart(form.velocities["z"])
        assert zero_on(Constraint.of([], ["x", "y", "z"]), g**2 - Q.chart("v^2 - x'^2 - y'^2"))
        assert len(form.nonnegative) == 1
    assert forms[0].velocities != forms[1].velocities


def test_K13_no_closed_form_is_no_obstacle() -> None:
    Q = Constraint(ch.load("implicit-constraint-quintic"))
    assert Q.normal_forms() == []
    assert len(Q.charts()) == 3
    assert Q.adapted.B


def test_K13_isolate_states_branches() -> None:
    x, y = symbol("x", 1), symbol("y")
    two = isolate(call("cosh", x) - y, x)
    assert [s.value for s in two] == formulas(["acosh(y)", "-acosh(y)"])
    assert isolate(x * call("sin", x) - y, x) == []
    (s,) = isolate(call("exp", x ** number(3)) - y, x)
    assert s.value == formula("sign(log(y))*abs(log(y))^(1/3)")


def test_K13_normal_form_says_which_branch_the_start_is_on() -> None:
    marks = [f.at_start for f in Constraint(ch.load("particle-on-cone")).normal_forms()]
    assert sorted(map(bool, marks)) == [False, True]


# --- prolongation of fields -----------------------------------------------------------------------


def test_K16_constrained_prolongation_exists_iff_the_prolongation_is_tangent() -> None:
    Q = example("heisenberg")
    for field in ({"x": 1}, {"z": 1}, {"y": 1, "z": "x"}, {"x": "x", "z": "z"}, {"t": 1}, {"t": "t"}):
        X = constrained_prolongation(Q, field)
        assert zero_on(Q, *(X(f) for f in Q.functions))
    assert obstruction(Q, {"y": 1})
    with pytest.raises(GeometryError, match="no constrained prolongation"):
        constrained_prolongation(Q, {"y": 1})
    sphere = Constraint.of(["x'^2 + y'^2 + z'^2 = 1"], ["x", "y", "z"])
    assert obstruction(sphere, {"x": "-y", "y": "x"}) == []
    assert obstruction(sphere, {"x": "x"})
    assert obstruction(sphere, {"t": "t"})
    assert obstruction(sphere, {"t": "t", "x": "x", "y": "y", "z": "z"}) == []


def test_K16_constrained_prolongation_is_a_symmetry_of_the_contact_ideal() -> None:
    Q = example("heisenberg")
    X = constrained_prolongation(Q, {"y": 1, "z": "x"})
    omega = contact_forms(Q)
    volume = omega[0].wedge(omega[1]).wedge(omega[2])
    for w in omega:
        assert zero_on(Q, *w.lie(X).wedge(volume).terms.values())


def test_K16_constrained_prolongation_of_a_field_that_changes_time() -> None:
    Q = Constraint.of(["z' = x' + 2*t"], ["x", "z"])
    scaling = constrained_prolongation(Q, {"t": "t", "x": "2*x + sin(t)", "z": "2*z + sin(t)"})
    velocities = [scaling[name, 1] for name in ("x", "z")]  # (2x' + cos t) − x'·1
    assert list(velocities) == formulas(["x' + cos(t)", "z' + cos(t)"])


def test_K16_bad_fields_get_a_sentence() -> None:
    Q = example("heisenberg")
    with pytest.raises(GeometryError, match="not projectable"):
        prolongation(Q, {"t": "x"})
    with pytest.raises(GeometryError, match="not projectable"):
        prolongation(Q, {"x": "y'"})
    with pytest.raises(GeometryError, match="no coordinate"):
        prolongation(Q, {"phi": 1})


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("exp(z' - y*x') = 1", {"x": "y"}),
        ("(z' - y*x')/(1 + y'^2) = 0", {"x": "y"}),
        ("(z' - y*x')^3 = 0", {"x": "y"}),
        ("atan(z') = atan(t*x' + y)", {"x": "t", "t": "y"}),
    ],
)
def test_K17_the_projection_is_that_of_Q_and_not_of_the_equations(
    written: str, plain: dict[str, str]
) -> None:
    """The plain equation dz = y dx, or dz = t dx + y dt."""
    found = Constraint.of([written], ["x", "y", "z"]).projection
    chart = found.chart
    form = chart.d("z")
    for name, slope in plain.items():
        form = form - chart(slope) * chart.d(name)
    assert found == Distribution.annihilated_by([form])


@pytest.mark.parametrize("written", ["x'^2 + y'^2 = 1", "x'^2 = y'^2"])
def test_K17_what_does_not_project_is_refused_in_a_sentence(written: str) -> None:
    with pytest.raises(GeometryError, match="no equations affine in the velocities"):
        _ = Constraint.of([written], ["x", "y", "z"]).projection
