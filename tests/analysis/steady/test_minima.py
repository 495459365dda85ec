"""Stability where second derivatives do not decide: Lagrange and Dirichlet, Kozlov and Palamodov (M6)."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import chetaev as ch
from chetaev.analysis.steady.lagrange_dirichlet import by_the_potential
from chetaev.analysis.steady.strict_minimum import lowest
from portions import some


def rest(potential: str, kinetic: str = "(x'^2 + y'^2)/2", **model: object) -> object:
    """The equilibrium at 0."""
    system = ch.System(coordinates=["x", "y"], lagrangian=f"{kinetic} - ({potential})", **model)
    (found,) = [e for e in ch.equilibria(system) if not any(e.state.values())]
    return found


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("potential", "stable"),
    [
        ("x^4 + y^6 + x^2*y^4", True),
        ("x^2/2 + x*y^2 + y^4", True),  # y⁴/2 on x = −y²
        ("x^2/2 + 2*x*y^2 + y^4", False),  # −y⁴ on x = −2y²
        ("(x - y)^2 + x^4", True),
        ("x^3 - 3*x*y^2", False),
        ("x^4 + y^4 - 19*x^2*y^2/10", True),
        ("x^4 + y^4 - 21*x^2*y^2/10", False),
        ("x^4 - y^6", None),  # no theorem of the list
    ],
)
def test_potentials_that_are_degenerate_M6(potential: str, stable: bool | None) -> None:
    assert rest(potential).stable is stable


@pytest.mark.slow
@pytest.mark.parametrize(
    ("force", "stable"),
    [({"x": "-x'"}, True), ({"x": "-(x' + y')", "y": "-(x' + y')"}, True), ({"x": "-x'^3"}, True),
     ({"x": "x'^3"}, None)],
    ids=str,
)  # fmt: skip
def test_forces_that_never_raise_the_energy_M6(force: dict[str, str], stable: bool | None) -> None:
    """One oscillator is not damped: linear theory says nothing."""
    found = rest("x^2/2 + y^2/2", forces=force)
    assert found.stable is stable
    assert ("forces never raise" in found.reason) is bool(stable)


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [
        {"potential": "x^4 + y^4", "kinetic": "(x'^2 - y'^2)/2"},  # indefinite kinetic energy
        {"potential": "-x^4 - y^4", "kinetic": "(x'^2 + y'^2)/2 + 3*(x*y' - y*x')"},  # gyroscopic
        {"potential": "-x^4 - y^4", "forces": {"x": "-x'"}},
    ],
    ids=["kinetic", "gyroscopic", "damped"],
)
def test_without_a_theorem_nothing_is_said_M6(model: dict[str, object]) -> None:
    assert rest(**model).stable is None


def test_roots_that_are_no_power_series_are_left_alone_M6() -> None:
    """x⁴ ± |x|³ must not be taken for its term of degree 4."""
    for sign in "+-":
        system = ch.System(
            coordinates=["x"], lagrangian=f"x'^2/2 - (x^4 {sign} (x^2)^(3/2))", initial={"x": 0, "x'": 0}
        )
        assert by_the_potential(system, (), 10**6) is None


@pytest.mark.slow
def test_hoop_at_the_pitchfork_and_contact_constraint_M6() -> None:
    hoop = ch.System(
        coordinates=["a"], lagrangian="a'^2/2 + sin(a)^2*W^2/2 + g*cos(a)", parameters={"W": 2, "g": 4}
    )
    (bottom,) = [e for e in ch.equilibria(hoop) if e.state["a"] == 0]
    assert bottom.stable is True
    contact = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - x^4 - y^4",
        constraints=["z' = y*x'"],
    )
    (flat,) = ch.equilibria(contact)
    assert flat.stable is True
    assert "relative to z" in flat.reason


def test_instability_is_seen_in_motions_M6() -> None:
    """At rest 0.04 beside a place that is no minimum motions come to 0.3; beside the minimum they stay."""
    for potential, leaves in (
        ("x^3 - 3*x*y^2", True),
        ("x^2/2 + 2*x*y^2 + y^4", True),
        ("x^2/2 + x*y^2 + y^4", False),
    ):
        start = {"x": -0.0032 if "x^2" in potential else -0.04, "y": 0.04, "x'": 0, "y'": 0}
        system = ch.System(
            coordinates=["x", "y"], lagrangian=f"(x'^2 + y'^2)/2 - ({potential})", initial=start
        )
        motion = ch.simulate(system, until=400, at=401, events=[ch.Event("x^2 + y^2 - 0.09", terminal=True)])
        assert bool(np.hypot(motion["x"], motion["y"]).max() > 0.2) is leaves


def test_where_nothing_is_left_nothing_is_said_M6() -> None:
    assert lowest({}, 2, 4) is None
    assert lowest({(2, 0): Fraction(1)}, 2, 4) is None
    assert lowest({(1, 0): Fraction(1), (0, 2): Fraction(1)}, 2, 4) is None
    assert lowest({(1, 1): Fraction(1)}, 2, 4) is None


@pytest.mark.slow
def test_random_polynomials_against_their_values_M6() -> None:
    """A minimum has positive values on small circles, what is lower a negative one, perhaps with x ~ y²."""
    draw = np.random.default_rng(5)
    seen = set()
    for _ in range(80):
        V = {(2, 0): Fraction(1, 2)} if draw.integers(2) else {}
        for i in range(5):
            for j in range(5 - i):
                if 3 <= i + j <= 4 and draw.integers(2):
                    V[i, j] = Fraction(int(draw.integers(-3, 4)), 2)
        found = lowest(V, 2, 4)
        if found is None:
            continue
        seen.add(found.kind)
        r = 1e-3
        angle = np.linspace(0, 2 * np.pi, 20_001)
        x, y = r * np.cos(angle), r * np.sin(angle)
        values = sum(float(c) * x ** m[0] * y ** m[1] for m, c in V.items())
        if V.get((2, 0)) and found.kind == "lower":
            s = np.linspace(-4, 4, 20_001)  # x of the size of y²
            values = np.concatenate(
                [sum(float(c) * (s * r * r) ** m[0] * (k * r) ** m[1] for m, c in V.items()) for k in (1, -1)]
            )
        assert bool(np.min(values) > 0) is (found.kind == "minimum"), (V, found)
    assert seen == {"minimum", "lower"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("V", "at", "stable"),
    some([
        ("cosh(x) - x^2/2", 0.0, True),
        ("cosh(x - 1/3) - (x - 1/3)^2/2", 1 / 3, True),
        ("x^6 - x^4*cos(x)", 0.0, False),
        ("x^2*(exp(x) - 1)", 0.0, False),
    ], 4),
)  # fmt: skip
def test_degenerate_zeros_of_equations_that_are_no_polynomials(V, at, stable):
    """Krawczyk proves simple zeros only; the plainest point of what is left is asked exactly (M3)."""
    found = ch.equilibria(ch.System(coordinates=["x"], lagrangian=f"x'^2/2 - ({V})"))
    assert [e.stable for e in found if e.state["x"] == at] == [stable]
    assert found.complete is None


@pytest.mark.slow
def test_a_degenerate_zero_that_is_no_plain_number_is_left_undecided():
    """Its continued fraction is as long as the boxes around it are small."""
    found = ch.equilibria(
        ch.System(
            coordinates=["x"], lagrangian="x'^2/2", forces={"x": "-(exp(x - sqrt(2)) - x + sqrt(2) - 1)"}
        )
    )
    assert found.complete is None
    assert not len(found)
    assert "undecided" in found.searched


def test_a_degenerate_zero_of_a_product_is_that_of_its_factor() -> None:
    (found,) = ch.equilibria(
        ch.System(coordinates=["x"], lagrangian="x'^2/2", forces={"x": "-(sinh(x) - x - 1)^3"})
    )
    x = found.state["x"]
    assert math.sinh(x) == pytest.approx(x + 1)
    assert found.stable is None
