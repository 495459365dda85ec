"""One zero or one pair on the imaginary axis, all others on the left: the centre manifold decides."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chetaev as ch
from chetaev.analysis.steady.centre_manifold import by_centre_manifold
from chetaev.effort import EFFORT
from formulas import formula
from portions import examples

small = st.fractions(min_value=-3, max_value=3, max_denominator=4)


def rest(forces, lagrangian="x'^2/2 - x^2/2", which=0):
    return ch.equilibria(ch.System(coordinates=["x"], lagrangian=lagrangian, forces=forces))[which]


@settings(max_examples=examples(6), deadline=None)
@given(st.lists(small, min_size=8, max_size=8))
def test_focal_value_of_an_oscillator_with_a_follower(numbers):
    """x'' = −x + F(x, x') + e y x', y' = −y + k x²: the sign of 3a₀₃ + a₂₁ + a₁₁(a₂₀ + a₀₂) + 9/5 e k."""
    a20, a11, a02, a30, a21, a03, e, k = numbers
    terms = {"x^2": a20, "x*x'": a11, "x'^2": a02, "x^3": a30, "x^2*x'": a21, "x'^3": a03, "y*x'": e}
    force = " + ".join(f"({c})*{m}" for m, c in terms.items())
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - x^2/2",
        forces={"x": force},
        constraints=[f"y' = -y + ({k})*x^2"],
        initial={"x": 0, "y": 0, "x'": 0},
    )
    found = by_centre_manifold(system, ch.linearize(system), EFFORT)
    value = 3 * a03 + a21 + a11 * (a20 + a02) + Fraction(9, 5) * e * k
    assert (found and found[0]) == (value < 0 if value else None)


@pytest.mark.parametrize("sign", [1, -1])
def test_focal_value_in_balls_where_nothing_is_rational(sign):
    found = rest({"x": f"{sign}*x'^3"}, lagrangian="x'^2/2 - x^3/3 + 2*x", which=1)
    assert found.exact["x"] == formula("sqrt(2)")
    assert found.stable is (sign < 0)


def test_a_root_without_a_formula_is_decided_as_any_other():
    found = rest({"x": "x'^3"}, lagrangian="x'^2/2 - x^4/4 + x^2/2 + x")  # x³ = x + 1
    assert "x" not in found.exact
    assert found.stable is False


@pytest.mark.parametrize(
    ("force", "stable"),
    [("x^2*x'", False), ("-x*x' + x^2", True), ("x'^2 + x*x'^2", True), ("-x^2*x' + x'^3/3", None)],
)
def test_oscillators(force, stable):
    assert rest({"x": force}).stable is stable


@pytest.mark.parametrize(
    ("rate", "stable"),
    [("x^2", False), ("-x^3", True), ("x^3", False), ("x*y", False), ("-x*y/3", True), ("x^2*y", None)],
)
def test_a_zero_on_the_axis(rate, stable):
    """x' = rate, y' = −y + x²: on the manifold y = x² + …."""
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2",
        constraints=[f"x' = {rate}", "y' = -y + x^2"],
    )
    (found,) = ch.equilibria(system)
    assert found.stable is stable


def test_a_bead_that_rests_at_an_inflection():
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - z - x",
        constraints={"position": ["x = cos(z)", "y = sin(z)"]},
        forces={"z": "-z'"},
    )
    (found,) = ch.equilibria(system)
    assert found.stable is False
    assert "u^2" in found.reason


def test_where_families_cross_zeros_along_them_decide_nothing():
    """x'' = x' y': at rest x' and y' may be others, each alone, but not both; x' grows where y' > 0."""
    system = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", forces={"x": "x'*y'"})
    (found,) = ch.relative_equilibria(system, ["x", "y"], given={"x'": 0, "y'": 0})
    assert found.stable is None


def test_free_speeds_at_which_alone_there_is_a_steady_motion_are_no_family():
    """x'' = −(x' − 1)²: slower motions leave x' = 1; in the plane the circle r = 1 alone, at the rate 1."""
    system = ch.System(coordinates=["x"], lagrangian="x'^2/2", forces={"x": "-(x' - 1)^2"})
    (found,) = ch.relative_equilibria(system, ["x"], free=["x'"])
    assert (found.free, found.stable) == ((), False)
    plane = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - (x^2 + y^2)^2/4",
        forces={c: f"-({v})*(x*y' - y*x' - 1)^2" for c, v in (("x", "x' + y"), ("y", "y' - x"))},
    )
    found = ch.relative_equilibria(plane, [{"x": "-y", "y": "x"}], free=["rate_1"])
    assert [e.free for e in found if e.state["y"]] == [(), ()]


def test_a_real_point_of_complex_families_is_not_called_one_of_a_family():
    (found,) = ch.equilibria(
        ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - (x^2 + y^2)^2/4")
    )
    assert found.where.endswith("perhaps one of a family along y")
    assert found.stable
