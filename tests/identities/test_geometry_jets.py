"""Laws of jets on random data: contact parts, prolongations, dynamical forms, mixed equations."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from chetaev.expr.exact import Field
from chetaev.geometry import (
    AlongRho,
    DynamicalForm,
    Endomorphism,
    Form,
    Frame,
    JetChart,
    Map,
    MixedSpace,
    VectorField,
    contact_forms,
    contact_parts,
    first_variation,
    horizontal_part,
    is_contact,
    is_integrable_section,
    is_lepage,
    is_projectable,
    lepage_equivalent,
    projected,
    prolong,
    section,
    tensor_product,
    vertical_endomorphism,
)
from chetaev.geometry.calculus.contact import from_adapted, spencer, to_adapted

FIELD = Field()
Y = JetChart(["x", "y"], order=0, field=FIELD)
J1, J2, J3 = (Y.at_order(k) for k in (1, 2, 3))
few = settings(max_examples=12, phases=(Phase.explicit, Phase.reuse, Phase.generate))


@st.composite
def functions(draw, chart, symbols=None, trig=True):
    chosen = [chart.field.symbol(*s) for s in (symbols or chart.symbols)]
    f = chart.field.zero
    for _ in range(draw(st.integers(1, 2))):
        term = chart.field(draw(st.integers(-3, 3)))
        for a in draw(st.lists(st.sampled_from(chosen), max_size=3)):
            term = term * a
        if trig and draw(st.booleans()):
            term = term * chart.field.sin(draw(st.sampled_from(chosen)))
        f = f + term
    return f


@st.composite
def forms(draw, degree, chart):
    keys = draw(st.lists(st.sampled_from(list(combinations(range(chart.dimension), degree))), max_size=4))
    return Form(chart, degree, {k: draw(functions(chart)) for k in keys})


@st.composite
def curves(draw):
    t = FIELD.symbol("t")
    shapes = [t, t**2, t**3, FIELD.sin(t), FIELD.cos(2 * t), FIELD.one]

    def one():
        return sum((draw(st.integers(-2, 2)) * draw(st.sampled_from(shapes)) for _ in range(2)), FIELD.zero)

    return {"x": one(), "y": one()}


@st.composite
def projectable(draw, trig=True):
    xi0 = draw(functions(Y, [("t", 0)], trig))
    return VectorField(Y, [xi0, draw(functions(Y, trig=trig)), draw(functions(Y, trig=trig))])


@given(functions(J2), curves())
@few
def test_K1_total_derivative_is_the_derivative_along_sections(f, curve):
    low, high = section(J2, curve), section(J3, curve)
    assert low.pullback(f).diff("t") == high.pullback(J2.total_derivative(f))


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@given(data=st.data())
@few
def test_K1_cut_total_derivative_leaves_out_the_highest_coordinates(order, data):
    J = Y.at_order(order)
    f = data.draw(functions(J))
    top = sum((f.diff((n, order)) * FIELD.symbol(n, order + 1) for n in J.names), FIELD.zero)
    assert J.cut_total_derivative(f) == J.total_derivative(f) - top
    assert all(k <= order for _, k in J.cut_total_derivative(f).symbols)


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
@given(data=st.data())
@few
def test_K3_contact_parts_sum_to_the_pullback(degree, data):
    eta = data.draw(forms(degree, J1))
    parts = contact_parts(eta)
    total = parts[0]
    for p in parts[1:]:
        total = total + p
    assert total == J2.lift(eta)
    for p in parts[: max(degree - 1, 0)]:
        assert p.is_zero


@pytest.mark.parametrize("degree", [1, 2])
@given(data=st.data())
@few
def test_K3_contact_parts_are_projections(degree, data):
    parts = contact_parts(data.draw(forms(degree, J1)))
    for i, p in enumerate(parts):
        for j, again in enumerate(contact_parts(p)):
            assert again == J3.lift(p) if i == j else again.is_zero


@given(functions(J1), forms(1, J1), curves())
@few
def test_K3_horizontal_part_is_what_sections_see(f, eta, curve):
    assert horizontal_part(J1.d(f)) == J1.total_derivative(f) * J2.d("t")
    low, high = section(J1, curve), section(J2, curve)
    assert low.pullback(eta) == high.pullback(horizontal_part(eta))
    assert is_contact(J2.lift(eta) - horizontal_part(eta))


@given(forms(2, J2))
@few
def test_K3_adapted_basis_there_and_back(eta):
    assert from_adapted(J2, 2, to_adapted(eta)) == eta


@given(curves())
@few
def test_K3_D7_contact_forms_vanish_along_prolonged_sections_only(curve):
    gamma = section(J2, curve)
    assert is_integrable_section(gamma)
    wrong = [*gamma.components[:3], gamma.components[3] + 1, *gamma.components[4:]]
    assert not is_integrable_section(Map(gamma.source, J2, wrong))
    slopes = [[f] for f in gamma.components[3:5]]
    assert all(e.is_zero for row in spencer(gamma.source, gamma.components[1:3], slopes) for e in row)


@pytest.mark.parametrize("order", [1, 2])
@given(data=st.data())
@few
def test_K2_prolongation_is_a_lie_algebra_morphism(order, data):
    xi, eta = data.draw(projectable()), data.draw(projectable(trig=False))
    assert prolong(xi, order).bracket(prolong(eta, order)) == prolong(xi.bracket(eta), order)
    assert prolong(xi, order) + prolong(eta, order) == prolong(xi + eta, order)


@given(projectable())
@few
def test_K2_prolongation_keeps_the_contact_ideal(xi):
    lifted = prolong(xi, 2)
    for omega in contact_forms(J2):
        moved = to_adapted(omega.lie(lifted))
        assert (0,) not in moved
        assert all(J2.symbols[i][1] < 2 for (i,) in moved)
    assert is_projectable(lifted)
    assert projected(lifted, 1) == prolong(xi, 1)


@given(functions(J1), projectable())
@few
def test_K2_prolonged_fields_and_total_derivatives(f, xi):
    """J^{r+1}ξ(df/dt) = d(J^r ξ(f))/dt − (dξ⁰/dt)(df/dt)."""
    left = prolong(xi, 2)(J1.total_derivative(f))
    slow = xi.components[0].diff("t") * J1.total_derivative(f)
    assert left == J1.total_derivative(prolong(xi, 1)(f)) - slow


@given(st.integers(-2, 2), st.integers(-2, 2), forms(1, JetChart(["u", "v"], 1, field=FIELD)))
@few
def test_K3_contact_parts_do_not_depend_on_the_fibred_chart(a, b, eta):
    """u = x + a t y², v = y + b t, prolonged to jets: pullback commutes with h."""
    t, (x, y) = Y.time, Y.q()
    images = [x + a * t * y**2, y + b * t]
    maps = {}
    for order in (1, 2):
        components, level = [t, *images], images
        for k in range(order):
            level = [Y.at_order(k).total_derivative(f) for f in level]
            components += level
        maps[order] = Map(Y.at_order(order), JetChart(["u", "v"], order, field=FIELD), components)
    assert maps[2].pullback(horizontal_part(eta)) == horizontal_part(maps[1].pullback(eta))
    for omega in contact_forms(maps[1].target):
        assert is_contact(maps[1].pullback(omega))


@given(st.data())
@few
def test_K4_K5_lepage_class_and_dynamical_distribution(data):
    A = [data.draw(functions(J1)) for _ in range(2)]
    c = data.draw(functions(Y))
    B = [[1 + c * c, c], [FIELD.zero, FIELD.one]]
    ax, ay = J2.q(2)
    E = DynamicalForm(J1, [A[0] + B[0][0] * ax + B[0][1] * ay, A[1] + ay])
    assert E.is_pertinent
    assert [list(r) for r in E.B] == B
    omega = contact_forms(J1)
    F = data.draw(functions(J1)) * (omega[0] ^ omega[1])
    assert E.has_extension(E.lepage())
    assert E.has_extension(E.lepage(F))
    assert E.is_regular
    delta = E.dynamical_distribution()
    assert delta.rank == 1
    assert delta.contains(E.semispray)
    assert all(w(E.semispray).is_zero for w in (*omega, *E.dynamical_forms(F)))
    assert DynamicalForm.from_form(E.form).components == E.components


@given(functions(J1), curves(), projectable())
@few
def test_K8_first_variation_formula(L, curve, xi):
    theta = lepage_equivalent(J1, L)
    assert is_lepage(theta)
    assert horizontal_part(theta) == L * J2.d("t")
    terms = first_variation(theta, curve, xi)
    assert terms.holds
    gamma = section(J1, curve)
    action = (L * J1.d("t")).lie(prolong(xi, 1))
    assert gamma.pullback(action).terms.get((0,), FIELD.zero) == terms.variation


def _mixed(data):
    space = MixedSpace(["x", "y"], ["z"], {"z": 0}, field=FIELD)
    g = data.draw(functions(space.chart))
    space = MixedSpace(["x", "y"], ["z"], {"z": g}, field=FIELD)
    gamma = space.second_order_field([data.draw(functions(space.chart)) for _ in range(2)])
    return space, gamma


@given(st.data())
@few
def test_Sa3_square_of_the_lie_derivative_of_S(data):
    """(L_Γ S)² = I − Γ ⊗ dt − N, hence two complementary projectors with P_V onto span ∂/∂q̇."""
    space, gamma = _mixed(data)
    chart = space.chart
    identity = Endomorphism.identity(chart)
    square = space.S.lie(gamma) @ space.S.lie(gamma)
    assert square == identity - tensor_product(chart.d("t"), gamma) - space.N
    H, V = space.horizontal_projector(gamma), space.vertical_projector(gamma)
    assert H.is_projector
    assert V.is_projector
    assert (H @ V).is_zero
    assert identity == H + V
    coefficients = space.coefficients(gamma)
    lifted = H(chart.partial("x"))
    assert [lifted["x'"], lifted["y'"]] == [-row[0] for row in coefficients]


@given(st.data())
@few
def test_Sa2_Sa4_lifts_and_decomposition(data):
    space, gamma = _mixed(data)
    chart = space.chart
    assert space.N.is_projector
    assert all(space.eta[0](space.constraint_lift(X)).is_zero for X in chart.partials())
    Z = VectorField(chart, [data.draw(functions(chart, trig=False)) for _ in chart.symbols])
    X, bar = space.decompose(gamma, Z)
    assert space.horizontal_lift(gamma, X) + space.vertical_lift(bar) == Z
    one, zero = FIELD.one, FIELD.zero
    T = AlongRho(one, (zero, zero), (zero,))
    assert space.horizontal_lift(gamma, T) == gamma
    assert space.vertical_lift(T).is_zero
    basis = [gamma, *(space.horizontal_projector(gamma)(E) for E in space.X), chart.partial("z")]
    frame = Frame([*basis, chart.partial("x'"), chart.partial("y'")])
    assert frame.coframe == space.adapted_coframe(gamma)


@given(st.data())
@few
def test_Sa3_without_constraints_is_the_usual_connection(data):
    S = vertical_endomorphism(J1)
    accelerations = [data.draw(functions(J1)) for _ in range(2)]
    gamma = VectorField(J1, [1, *J1.q(1), *accelerations])
    square = S.lie(gamma) @ S.lie(gamma)
    assert square == Endomorphism.identity(J1) - tensor_product(J1.d("t"), gamma)
