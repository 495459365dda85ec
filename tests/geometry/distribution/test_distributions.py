"""Distributions with known answers: growth vectors of the literature, submanifolds, ranks at points."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chetaev.geometry import (
    Chart,
    Distribution,
    Form,
    Frame,
    GeometryError,
    JetChart,
    Metric,
    SecondFundamentalForm,
    VectorField,
    contact_distribution,
    contact_forms,
)
from chetaev.geometry.chart.function_matrix import modestly
from chetaev.geometry.distribution import flag as flags
from chetaev.geometry.distribution.taylor_growth import growth_at_a_point


def car(trailers: int) -> Distribution:
    """A car with trailers, each hitched to the axle before it; no wheel moves sideways."""
    angles = [f"theta{i}" for i in range(1, trailers + 1)]
    chart = Chart(
        ["x", "y", "theta", "delta", *angles], parameters=["L", *(f"d{i}" for i in range(1, trailers + 1))]
    )
    d = chart.d
    forms = [
        chart("sin(theta)") * d("x") - chart("cos(theta)") * d("y"),
        chart("sin(theta + delta)") * d("x")
        - chart("cos(theta + delta)") * d("y")
        - chart("L*cos(delta)") * d("theta"),
    ]
    vx, vy = d("x"), d("y")
    for i, a in enumerate(angles, start=1):
        vx = vx + chart(f"d{i}*sin({a})") * d(a)
        vy = vy - chart(f"d{i}*cos({a})") * d(a)
        forms.append(chart(f"sin({a})") * vx - chart(f"cos({a})") * vy)
    return Distribution.annihilated_by(forms)


@pytest.mark.parametrize("trailers", [0, 1, 2, 3, 4])
def test_growth_vector_of_a_car_with_trailers(trailers):
    D = car(trailers)
    expected = tuple(range(2, 5 + trailers))
    assert D.growth_vector() == expected
    assert D.growth_vector(big=True) == expected
    assert D.small_flag.proved
    assert D.derived_flag.proved
    assert D.chart.field.tower.budget.spent < 1_000_000


@pytest.mark.parametrize(
    ("names", "fields", "small", "big"),
    [
        ("x y z", [[1, 0, "-y/2"], [0, 1, "x/2"]], (2, 3), (2, 3)),
        ("x y z", [[1, 0, 0], [0, 1, "x^2"]], (2, 3), (2, 3)),
        ("x y z w", [[1, "z", "w", 0], [0, 0, 0, 1]], (2, 3, 4), (2, 3, 4)),
        ("x y p q z", [[1, "p", "q", 0, "q^2"], [0, 0, 0, 1, 0]], (2, 3, 5), (2, 3, 5)),
        ("x y z", [[1, 0, 0], [0, 1, 0]], (2,), (2,)),
        ("x y z", [["x", "y", "z"], ["2*x", "2*y", "2*z"]], (1,), (1,)),
        ("x y z w", [[1, 0, 0, 0], [0, 1, "x", 0]], (2, 3), (2, 3)),
        ("x y z u v", [[1, 0, 0, 0, 0], [0, 1, "x", "x^2/2", "x^3/6"]], (2, 3, 4, 5), (2, 3, 4, 5)),
    ],
)
def test_growth_vectors_of_the_literature(names, fields, small, big):
    """Heisenberg, Martinet (generic), Engel, Cartan (2, 3, 5), two integrable, Heisenberg × R, Goursat."""
    chart = Chart(names)
    D = Distribution.spanned_by([VectorField(chart, f) for f in fields])
    assert D.growth_vector() == small
    assert D.growth_vector(big=True) == big
    assert D.small_flag.proved
    assert D.small_flag.last.is_involutive
    seen = flags._seen(D, small=True)
    assert seen.ranks == small
    assert flags._seen(D, small=False).ranks == big
    assert growth_at_a_point(D, small=True) == small
    assert growth_at_a_point(D, small=False) == big


def test_small_and_big_growth_vectors_differ():
    """The small flag brackets with D alone, the derived flag with everything found so far."""
    chart = Chart("a b c d h f g")
    X = chart.partial("a")
    Y = VectorField(chart, [0, 1, "a", "a^2/2", "a^3/6", "c*a", "d*c"])
    D = Distribution.spanned_by([X, Y])
    small, big = D.growth_vector(), D.growth_vector(big=True)
    assert small[:2] == big[:2] == (2, 3)
    assert len(big) <= len(small)
    assert small[-1] == big[-1]


def test_evidence_against_involutivity():
    chart = Chart(["x", "y", "z"])
    D = Distribution.annihilated_by([chart.d("x") + chart("y") * chart.d("z")])
    answer = D.involutivity
    assert not answer
    assert answer.proved
    assert not D.contains(answer.bracket)
    assert "not involutive" in str(answer)
    holds = Distribution.annihilated_by([chart.d("x") + chart("z") * chart.d("z")]).involutivity
    assert holds
    assert str(holds).startswith("involutive")


def test_rank_at_a_point_is_exact():
    chart = Chart(["x", "y", "phi"])
    D = Distribution.spanned_by(
        [VectorField(chart, [1, 0, 0]), VectorField(chart, ["cos(phi)", "sin(phi)", 0])]
    )
    assert D.rank == 2
    assert D.rank_at({"phi": 0}) == 1
    assert D.rank_at({"phi": "pi"}) == 1
    assert D.rank_at({"phi": Fraction(1, 3)}) == 2
    assert D.rank_at({"phi": 1e-300}) == 2
    forms = Distribution.annihilated_by([chart("x") * chart.d("x") + chart("y") * chart.d("y")])
    assert forms.rank == 2
    assert forms.rank_at({"x": 0, "y": 0}) == 3


def test_cauchy_characteristics_of_contact_and_even_contact_forms():
    chart = Chart(["x", "y", "z", "w"])
    contact = Distribution.annihilated_by([chart.d("z") - chart("y") * chart.d("x")])
    assert contact.rank == 3
    assert contact.cauchy_characteristics == Distribution.spanned_by([chart.partial("w")])
    engel = Distribution.spanned_by([chart.partial("w"), VectorField(chart, [1, "z", "w", 0])])
    assert engel.cauchy_characteristics.rank == 0
    assert engel.derived().cauchy_characteristics == Distribution.spanned_by([chart.partial("w")])
    assert Distribution.whole(chart).cauchy_characteristics == Distribution.whole(chart)


def test_sums_and_intersections():
    chart = Chart(["x", "y", "z"])
    a = Distribution.spanned_by([chart.partial("x"), chart.partial("y")])
    b = Distribution.spanned_by([chart.partial("y"), chart.partial("z")])
    assert (a + b).rank == 3
    assert a.intersection(b) == Distribution.spanned_by([chart.partial("y")])
    assert not a <= b
    assert a.annihilates(chart.d("z"))


def test_cartan_distribution_of_jets():
    J = JetChart(["x", "y"], order=2)
    D = contact_distribution(J)
    assert D.rank == 3
    assert D.growth_vector() == (3, 5, 7)


def canonical(names: list[str], equation: str) -> Distribution:
    """K17: on Q the forms (∂f/∂q̇) ω, here only as an example of a distribution on a submanifold."""
    J = JetChart(names, order=1)
    f = J(equation)
    form = Form.zero(J, 1)
    for n, omega in zip(names, contact_forms(J), strict=True):
        form = form + f.diff((n, 1)) * omega
    return Distribution.annihilated_by([form], on=[f])


@pytest.mark.parametrize(
    ("equation", "growth"),
    [
        ("x'^5 + x'*y' + y*z'^3 - 1", (5, 6)),
        ("sin(x') + y'*z' - x", (5, 6)),
        ("x' + z*z'", (5,)),
        ("x' + y*z'", (5, 6)),
        ("x'^2 + y'^2 - z'^2", (5, 6)),
        ("exp(x' + z*z') - 1", (5,)),
    ],
)
def test_distributions_on_implicit_submanifolds(equation, growth):
    """No closed normal form is needed; the last equation is x' + z z' = 0 in disguise."""
    D = canonical(["x", "y", "z"], equation)
    assert D.dimension == 6
    assert D.growth_vector() == growth
    assert D.involutivity.holds == (len(growth) == 1)
    assert len(D.annihilator) == D.corank == 1


def test_equations_that_repeat_themselves():
    """Squares and consequences of other equations do not change the submanifold."""
    chart = Chart(["x", "y", "z"])
    for on in (["y - z"], ["y - z", "2*z - 2*y"], ["y - z", "x*(y - z)"], ["(y - z)^2"], ["x*0", "y - z"]):
        D = Distribution.annihilated_by([], on=on, chart=chart)
        assert (D.dimension, D.rank) == (2, 2)


def test_distribution_on_a_sphere():
    """Rotations are tangent to the sphere, of rank 2 there, and involutive."""
    chart = Chart(["x", "y", "z"])
    fields = [VectorField(chart, f) for f in (["-y", "x", 0], [0, "-z", "y"], ["z", 0, "-x"])]
    D = Distribution.spanned_by(fields, on=["x^2 + y^2 + z^2 - 1"])
    assert (D.dimension, D.rank, D.corank) == (2, 2, 0)
    assert D.is_involutive
    assert D.annihilator == ()
    one = Distribution.spanned_by(fields[:1], on=["x^2 + y^2 + z^2 - 1"])
    assert one.corank == 1
    assert one.annihilates(one.annihilator[0])


@pytest.mark.slow
def test_long_fields_are_decided_by_points():
    """Where exact elimination is too long, growth is still proved, and it costs no more than the attempt."""
    chart = Chart(["x", "y", "z", "w", "s", "r"])
    p = chart("(1 + x + 2*y - z + 3*w - s + r)^3")
    q = chart("(2 - x + y*z + w*s - r)^3")
    X = VectorField(chart, [p, q, 1, "x*y", "y", "z"])
    Y = VectorField(chart, [q, "y", p, 1, "x", "w*w"])
    D = Distribution.spanned_by([X, Y])
    assert D.rank == 2
    assert not D.is_involutive
    assert D.involutivity.proved
    assert D.derived().rank == 3
    assert D.growth_vector() == (2, 3, 5, 6)
    assert D.growth_vector(big=True) == (2, 3, 5, 6)
    assert chart.field.tower.budget.spent < 20_000_000


def test_modest_effort_restores_the_budget():
    chart = Chart(["x"])
    before = chart.field.tower.budget
    assert modestly(chart.field, lambda: chart.field.tower.budget) is not before
    assert chart.field.tower.budget is before


def test_L2_geodesic_invariance():
    """The contact planes of screw motions in R³ are geodesically invariant; those of dz − y dx are not."""
    chart = Chart(["x", "y", "z"])
    g = Metric(chart, [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    screw = chart.d("z") - chart("y") * chart.d("x") + chart("x") * chart.d("y")
    assert SecondFundamentalForm(g, Distribution.annihilated_by([screw])).is_skew
    contact = Distribution.annihilated_by([chart.d("z") - chart("y") * chart.d("x")])
    S = SecondFundamentalForm(g, contact)
    assert not S.is_skew
    assert not S.is_symmetric
    planes = SecondFundamentalForm(g, Distribution.annihilated_by([chart.d("z")]))
    assert planes.is_zero
    assert planes.is_symmetric


ENTRIES = st.sampled_from(["0", "1", "x", "y*sin(z)", "x*y", "cos(x)/(2 + z^2)", "exp(y)"])


@given(st.lists(ENTRIES, min_size=6, max_size=6))
def test_brackets_from_derivatives_kept_are_brackets(entries):
    chart = Chart(["x", "y", "z"])
    X, Y = VectorField(chart, entries[:3]), VectorField(chart, entries[3:])
    brackets = flags._Brackets()
    for first, second in ((X, Y), (Y, X), (X, X), (X, Y)):
        expected = first.bracket(second).components
        assert all(a == b for a, b in zip(brackets(first, second), expected, strict=True))


def test_a_distribution_is_made_of_a_list_of_fields() -> None:
    plane = Chart(["x", "y", "z"])
    X, Y = plane.partial("x"), plane.partial("y")
    assert Distribution([X, Y]) == Distribution.spanned_by([X, Y])
    for wrong in (X, [3], "xy"):
        with pytest.raises(GeometryError, match="is spanned by a list of fields"):
            Distribution(wrong)
        with pytest.raises(GeometryError, match="is annihilated by a list of 1-forms"):
            Distribution.annihilated_by(wrong)


def test_operands_of_the_wrong_kind_are_told_in_a_sentence() -> None:
    chart = Chart(["x", "y", "z"])
    X, dx = chart.partial("x"), chart.d("x")
    with pytest.raises(GeometryError, match="is annihilated by a list of 1-forms"):
        Distribution.annihilated_by([X])  # type: ignore[list-item]
    with pytest.raises(GeometryError, match="is spanned by a list of fields"):
        Distribution.spanned_by([dx])  # type: ignore[list-item]
    with pytest.raises(GeometryError, match="the wedge product is taken of two forms"):
        _ = chart("x") ^ dx
    assert str(Frame(chart.partials())) == "∂/∂x, ∂/∂y, ∂/∂z"
