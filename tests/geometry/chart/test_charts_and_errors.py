"""Charts, functions on them, display, and what bad input says."""

from __future__ import annotations

import pytest

from chetaev.errors import ModelError
from chetaev.expr.exact import Field
from chetaev.geometry import (
    Chart,
    Connection,
    Distribution,
    DynamicalForm,
    Endomorphism,
    Form,
    Frame,
    GeometryError,
    JetChart,
    Map,
    Metric,
    MixedSpace,
    VectorField,
    adapted_basis,
    adapted_latex,
    contact_forms,
    contact_part,
    is_horizontal,
    is_projectable,
    is_vertical,
    one_form,
    projected,
    prolong,
    section,
    vertical_endomorphism,
    volume,
)
from chetaev.geometry.calculus.contact import project, spencer
from formulas import formulas


def test_K1_jet_coordinates_of_any_order_in_one_line():
    J = JetChart(["x", "theta"], order=4)
    assert J.dimension == 1 + 2 * 5
    assert J.describe() == "t, x, theta, x', theta', x'', theta'', x''', theta''', x'''', theta''''"
    assert J.q(4)[1] == J.field.symbol("theta", 4)
    assert J.at_order(1) == JetChart("x theta", 1, field=J.field)
    f = J.q(3)[0] * J.time
    assert J.total_derivative(f) == J.q(3)[0] + J.time * J.q(4)[0]
    assert J.at_order(3).cut_total_derivative(f) == J.q(3)[0]


def test_charts_are_equal_by_coordinates_and_field():
    field = Field()
    assert Chart("x y", field) == Chart(["x", "y"], field)
    assert Chart("x y") != Chart("x y")
    assert hash(Chart("x y", field)) == hash(Chart("x y", field))


def test_parameters_are_constants():
    chart = Chart(["x"], parameters=["a"])
    assert chart.d("a*x^2") == chart("2*a*x") * chart.d("x")
    assert chart.d("x") == chart.d(chart("x"))


def test_latex_in_the_adapted_basis():
    J2 = JetChart(["x"], order=2)
    assert adapted_latex(J2.d("x'")) == r"\ddot{x} \, dt + \dot{\omega}^{x}"


def test_forms_by_coordinates_and_their_components():
    chart = Chart(["x", "y", "z"])
    omega = Form(chart, 2, {("y", "x"): "z", ("x", "z"): 1, ("y", "y"): 5})
    assert omega["x", "y"] == -chart("z")
    assert omega["z", "x"] == -1
    assert omega["y", "y"].is_zero
    assert one_form(chart, {"x": "y", "z": -1}) == chart("y") * chart.d("x") - chart.d("z")
    assert volume(chart)(*chart.partials()) == 1
    assert Form(chart, 1, {("x", 0): 1}) == chart.d("x")


def test_K3_adapted_basis_is_a_coframe():
    J = JetChart(["x", "y"], order=2)
    assert len(adapted_basis(J)) == J.dimension
    Frame.from_coframe(adapted_basis(J))
    assert list(contact_forms(JetChart(["x"], 2))) == formulas(["-x'*dt + dx", "-x''*dt + dx'"])


def test_K2_projectable_and_vertical_fields():
    Y, J = JetChart(["x"], 0), JetChart(["x"], 1)
    assert is_projectable(VectorField(Y, {"t": "t^2", "x": "x"}))
    assert not is_projectable(VectorField(Y, {"t": "x"}))
    assert is_vertical(VectorField(Y, {"x": "t"}))
    assert not is_vertical(VectorField(Y, {"t": 1}))
    X = VectorField(J, {"x": "x'", "x'": 1})
    assert is_projectable(X)
    assert not is_projectable(X, onto=0)
    assert is_vertical(VectorField(J, {"x'": "x"}), over=0)


def test_horizontal_and_projectable_forms():
    J1, J2 = JetChart(["x"], 1), JetChart(["x"], 2)
    field = Field()
    J1, J2 = JetChart(["x"], 1, field=field), JetChart(["x"], 2, field=field)
    assert is_horizontal(J1.d("t"))
    assert project(J2.lift(J1.d("x'")), 1) == J1.d("x'")
    with pytest.raises(GeometryError, match="not projectable to order 1: it contains x''"):
        project(J2.d("x''"), 1)


PLANE, OTHER = Chart(["x", "y"]), Chart(["u", "v"])
SHARED = Chart(["u", "v"], PLANE.field)
Y0, J1 = JetChart(["x"], 0), JetChart(["x"], 1)


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        (lambda: PLANE.d("x") + OTHER.d("u"), r"belongs to the chart \(u, v\), not to \(x, y\)"),
        (lambda: PLANE.d("x") + SHARED.d("u"), "bring one to the other's chart"),
        (
            lambda: PLANE.d("x").interior(OTHER.partial("u")),
            "the vector field of an interior product belongs",
        ),
        (lambda: PLANE.partial("x").bracket(SHARED.partial("u")), "belongs to the chart"),
        (lambda: PLANE.d("x")(SHARED.partial("u")), "belongs to the chart"),
        (lambda: PLANE.d("x") + volume(PLANE), "1-form and a 2-form cannot be added"),
        (lambda: PLANE.d("x")(), "a 1-form takes 1 vector field, got 0"),
        (lambda: volume(PLANE)(PLANE.partial("x")), "a 2-form takes 2 vector fields, got 1"),
        (lambda: volume(PLANE).row(), "a 1-form is expected, got a 2-form"),
        (lambda: Form(PLANE, 2, {"x": 1}), "terms with 2 differentials; got one with 1"),
        (lambda: Form(PLANE, -1, {}), "a form has a degree"),
        (lambda: PLANE.d("x").wedge(3), "of two forms"),
        (lambda: PLANE.d("x") * PLANE.d("y"), "multiplied by ∧"),
        (lambda: PLANE("1/(x - x)"), "is defined nowhere"),
        (lambda: Map(PLANE, SHARED, [0, "y"]).pullback("1/u"), "is not defined anywhere on the image"),
        (
            lambda: Distribution.spanned_by([VectorField(PLANE, ["1/x", 0])]).rank_at({"x": 0}),
            "is not defined at",
        ),
        (lambda: Distribution.whole(PLANE).rank_at({"x": float("nan")}), "the value nan for x"),
        (lambda: Distribution.spanned_by([PLANE.partial("x")], on=["1"]).rank, "no point of the submanifold"),
        (lambda: VectorField(PLANE, [1]), "needs 2 components, got 1"),
        (lambda: VectorField(PLANE, {"zz": 1}), "'zz' is not a coordinate"),
        (
            lambda: VectorField(PLANE, ["x'", 0]),
            "'x' is not a coordinate, so it has no velocity|may not contain",
        ),
        (lambda: PLANE(PLANE.field.symbol("x", 1)), "x' is not a coordinate of the chart"),
        (lambda: PLANE(OTHER("u")), "lives in another field"),
        (lambda: PLANE(1.5), "is not a function on the chart"),
        (lambda: PLANE("qq + 1"), "unknown name 'qq'"),
        (lambda: Chart(["x", "x"]), "the same coordinate twice"),
        (lambda: PLANE.partial(7), "no coordinate number 7"),
        (lambda: PLANE.partial("x") / 0, "divided by a function that is zero"),
        (lambda: JetChart(["x"], -1), "a jet has an order"),
        (lambda: JetChart(["t"], 1), "both the time and a coordinate"),
        (lambda: JetChart(["x'"], 1), "is a derivative"),
        (
            lambda: prolong(VectorField(Y0, {"t": "x"}), 1),
            "not projectable: its component at ∂/∂t depends on x",
        ),
        (lambda: prolong(J1.partial("x"), 1), "lives on jets of order 1"),
        (lambda: prolong(PLANE.partial("x"), 1), "is no jet chart"),
        (lambda: projected(VectorField(J1, {"x": "x'"}), 0), "not projectable to order 0"),
        (lambda: contact_part(PLANE.d("x"), 1), "is no jet chart"),
        (lambda: J1.lift(PLANE.d("x")), "cannot be lifted"),
        (lambda: Map(PLANE, OTHER, ["x", "y"]), "both charts in one field"),
        (lambda: Map(PLANE, SHARED, ["x"]), "needs 2 components, got 1"),
        (lambda: Map(PLANE, SHARED, ["x", "y"]).inverse, "is not known"),
        (lambda: Map(PLANE, SHARED, ["x", "x*y"], inverse=["u", "v"]), "are not the inverse: they take y to"),
        (lambda: Map(PLANE, SHARED, ["x", "y"]).pullback(PLANE.d("x")), "the form to be pulled back belongs"),
        (lambda: section(J1, {}), "x is missing"),
        (lambda: section(J1, {"x": 0, "y": 0}), "y is no coordinate"),
        (lambda: Frame([PLANE.partial("x")]), "has 2 fields, got 1"),
        (lambda: Frame([PLANE.partial("x"), 2 * PLANE.partial("x")]), "linearly dependent"),
        (lambda: Connection(Frame.coordinate(PLANE), {(0, 0, 5): 1}), "is no index"),
        (lambda: Metric(PLANE, [[1, "x"], [0, 1]]), "a metric is symmetric"),
        (lambda: Metric(PLANE, [[1, 1], [1, 1]]), "degenerate"),
        (lambda: Metric(PLANE, [[1]]), "2 by 2"),
        (lambda: Endomorphism(PLANE, [[1]]), "2 by 2 matrix"),
        (lambda: Distribution.spanned_by([]), "needs chart="),
        (lambda: Distribution.annihilated_by([volume(PLANE)]), "annihilated by 1-forms, got the 2-form"),
        (lambda: Distribution.spanned_by([PLANE.partial("x"), SHARED.partial("u")]), "belongs to the chart"),
        (
            lambda: Distribution.spanned_by([PLANE.partial("x")], on=["x - y"]),
            "is not tangent to the submanifold",
        ),
        (
            lambda: Distribution.spanned_by([PLANE.partial("x")], on=["y^2 + 1"]).rank,
            "no point of the submanifold",
        ),
        (lambda: Distribution.spanned_by([VectorField(PLANE, ["y", 0])]).rank_at({"x": 1}), "no value for y"),
        (lambda: DynamicalForm(J1, ["x''^2"]).A, "not affine in the accelerations"),
        (lambda: DynamicalForm(J1, ["x"]).semispray, "has no semispray"),
        (lambda: DynamicalForm.from_form(volume(J1).interior(J1.partial("t"))), "is no dynamical form"),
        (lambda: vertical_endomorphism(Y0), "jets of order 1"),
        (lambda: MixedSpace(["x"], ["y"], {}), "no function g for the velocity of 'y'"),
        (lambda: spencer(PLANE, ["x"], [["y"]]), "one row of 2 slopes"),
    ],
)
def test_mistakes_are_told_in_a_sentence(mistake, sentence):
    with pytest.raises(ModelError, match=sentence):
        mistake()
