"""Frames, connections, tensors and dynamical forms with known answers."""

from __future__ import annotations

import pytest

from chetaev.geometry import (
    AdaptedFrame,
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
    Tensor,
    VectorField,
    contact_forms,
    first_variation,
    is_lepage,
    lepage_equivalent,
    section,
)
from chetaev.geometry.calculus.contact import spencer
from formulas import formulas
from identities_of_frames import maurer_cartan_defect


def rotation_group() -> Frame:
    """The body frame of SO(3) in Euler angles (φ, θ, ψ)."""
    chart = Chart(["phi", "theta", "psi"])
    forms = [
        chart("sin(theta)*sin(psi)") * chart.d("phi") + chart("cos(psi)") * chart.d("theta"),
        chart("sin(theta)*cos(psi)") * chart.d("phi") - chart("sin(psi)") * chart.d("theta"),
        chart("cos(theta)") * chart.d("phi") + chart.d("psi"),
    ]
    return Frame.from_coframe(forms)


def test_D1_structure_functions_of_a_lie_group_are_its_structure_constants():
    """Left-invariant forms obey dθ¹ = −θ² ∧ θ³ (cyclic up to the common sign): Maurer–Cartan."""
    frame = rotation_group()
    values = {k: c.as_fraction() for k, c in frame.structure_functions.items()}
    assert set(values) == {(i, j, 3 - i - j) for i in range(3) for j in range(3) if i != j}
    assert values[0, 1, 2] == values[1, 2, 0] == values[2, 0, 1]
    assert abs(values[0, 1, 2]) == 1
    assert all(w.is_zero for w in maurer_cartan_defect(frame))


def test_D3_connections_of_a_lie_group():
    """Cartan's (−) connection is flat with torsion; ½[X, Y] is the connection of the invariant metric."""
    frame = rotation_group()
    chart = frame.chart
    flat = Connection.of_frame(frame)
    assert flat.curvature.is_zero
    assert not flat.torsion.is_zero
    zero = Connection(frame, {k: c / 2 for k, c in frame.structure_functions.items()})
    assert zero.torsion.is_zero
    rows = [w.row() for w in frame.coframe]
    g = Metric(
        chart, [[sum((r[i] * r[j] for r in rows), chart.field.zero) for j in range(3)] for i in range(3)]
    )
    assert g.levi_civita.in_frame(frame).coefficients == zero.coefficients
    assert all(g.is_killing(chart.partial(n)) == (n in ("phi", "psi")) for n in ("phi", "theta", "psi"))


def test_curvature_of_the_sphere_and_of_polar_coordinates():
    sphere = Chart(["theta", "phi"], parameters=["R"])
    g = Metric(sphere, [["R^2", 0], [0, "R^2*sin(theta)^2"]])
    ricci = g.levi_civita.ricci()
    assert ricci["theta", "theta"] == 1
    assert ricci == (1 / sphere("R") ** 2) * g.tensor
    assert g.gradient("phi")["phi"] == 1 / sphere("R^2*sin(theta)^2")
    polar = Metric(Chart(["r", "a"]), [[1, 0], [0, "r^2"]])
    assert polar.levi_civita.curvature.is_zero


def test_lorentzian_metrics():
    """The hyperbolic plane as the unit shell; and a metric of signature (−, +) that is flat (Rindler)."""
    rindler = Metric(Chart(["t", "x"]), [["-x^2", 0], [0, 1]])
    assert rindler.levi_civita.curvature.is_zero
    assert rindler.is_killing(rindler.chart.partial("t"))
    half_plane = Metric(Chart(["x", "y"]), [["1/y^2", 0], [0, "1/y^2"]])
    assert half_plane.levi_civita.ricci() == -1 * half_plane.tensor


def test_D2_chaplygin_frames_signs():
    """(2.36) as printed has the other sign: for e_1 = ∂_x, e_2 = ∂_y + x ∂_z the bracket is +∂_z."""
    chart = Chart(["x", "y", "z"])
    frame = AdaptedFrame([chart.partial("x"), VectorField(chart, [0, 1, "x"]), chart.partial("z")], 2)
    assert frame.structure(0, 1, 2) == 1
    assert frame.block("iia") == {(0, 1, 2): 1, (1, 0, 2): -1}
    assert frame.block("iii") == {}
    assert frame.is_semi_holonomic
    assert not frame.is_integrable
    assert not frame.is_holonomic
    assert frame.coframe[2] == chart.d("z") - chart("x") * chart.d("y")
    with pytest.raises(GeometryError, match="three letters"):
        frame.block("abc")
    D = Distribution.spanned_by(frame.fields[:2])
    assert AdaptedFrame.of(D).inner == 2


def test_nijenhuis_torsion_of_structures():
    """A complex structure and a product structure from coordinates have none; a generic projector has."""
    chart = Chart(["x", "y", "z"])
    plane = Chart(["x", "y"])
    assert Endomorphism(plane, [[0, -1], [1, 0]]).nijenhuis().is_zero
    assert Endomorphism(chart, [["x", 0, 0], [0, "y", 0], [0, 0, "z"]]).nijenhuis().is_zero
    contact = Endomorphism(chart, [[0, 0, 0], [0, 0, 0], ["-y", 0, 1]])
    assert contact.is_projector
    N = contact.nijenhuis()
    assert not N.is_zero
    assert contact.trace == 1
    assert contact.dual(chart.d("z")) == chart.d("z") - chart("y") * chart.d("x")


def test_tensors_by_components():
    chart = Chart(["x", "y"])
    T = Tensor(chart, 1, 2, {("x", "y", "y"): "x"})
    assert T(chart.d("x"), chart.partial("y"), chart.partial("y")) == chart("x")
    assert (T + T)["x", "y", "y"] == chart("2*x")
    with pytest.raises(GeometryError, match="takes 1 1-forms and 2 vector fields"):
        T(chart.d("x"))
    with pytest.raises(GeometryError, match="argument 1 should be a 1-form"):
        T(chart.partial("x"), chart.partial("y"), chart.partial("y"))
    with pytest.raises(GeometryError, match="cannot be added"):
        _ = T + Metric(chart, [[1, 0], [0, 1]]).tensor


def test_K4_K5_singular_dynamical_form():
    """B of rank 1: Δ has larger rank, and there is no semispray."""
    J = JetChart(["x", "y"], order=1)
    E = DynamicalForm(J, ["-x''", "x - y"])
    assert E.is_pertinent
    assert not E.is_regular
    assert E.dynamical_distribution().rank > 1
    assert not DynamicalForm(J, ["x''*y''", "x"]).is_pertinent


def test_K4_oscillator_paths():
    J = JetChart(["x"], order=1)
    E = DynamicalForm(J, ["-x - x''"])
    gamma = section(J.at_order(2), {"x": "3*cos(t) + sin(t)"})
    assert all(e.is_zero for e in E.along(gamma))
    assert not E.along(section(J.at_order(2), {"x": "t"}))[0].is_zero
    omega = contact_forms(J)[0]
    assert E.lepage() == E.A[0] * (omega ^ J.d("t")) - (omega ^ J.d("x'"))


def test_K8_extremals_have_no_euler_lagrange_term():
    J = JetChart(["x"], order=1)
    theta = lepage_equivalent(J, "x'^2/2 - x^2/2")
    assert is_lepage(theta)
    assert not is_lepage(J("x") * J.d("x'"))
    shift = VectorField(J.at_order(0), {"x": "sin(t)*x"})
    on_path = first_variation(theta, {"x": "cos(t)"}, shift)
    assert on_path.euler_lagrange.is_zero
    assert on_path.holds
    off_path = first_variation(theta, {"x": "t"}, shift)
    assert not off_path.euler_lagrange.is_zero
    assert off_path.holds


def test_D7_spencer_operator_in_two_parameters():
    base = Chart(["s", "t"])
    assert all(e.is_zero for e in spencer(base, ["s*t"], [["t", "s"]])[0])
    defect = spencer(base, ["s*t"], [["t", "0"]])[0]
    assert list(defect) == formulas(["0", "s"])


def test_changes_of_chart():
    field = Chart(["x", "y"]).field
    plane, sheared = Chart(["x", "y"], field), Chart(["u", "v"], field)
    phi = Map(plane, sheared, ["x", "y + x^2"], inverse=["u", "v - u^2"])
    assert phi.is_local_diffeomorphism
    assert phi.pushforward(plane.partial("x")) == VectorField(sheared, [1, "2*u"])
    assert phi.inverse.pullback(plane.d("y")) == sheared.d("v") - sheared("2*u") * sheared.d("u")
    assert not Map(plane, sheared, ["x", "x^2"]).is_local_diffeomorphism
    assert Map.identity(plane).pullback("x*y") == plane("x*y")
    assert Form.function(plane, "x*y").d().is_closed
