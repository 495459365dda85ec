"""M3: all steady motions of the rolling disc as one family, limits of stability, nearly flat motion."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import chetaev as ch
from chetaev.expr.exact import Field
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import symbol
from chetaev.expr.language.parser import parse
from formulas import formula, formulas

DISC = ch.load("rolling-disc")
ROLLING = ("x", "y", "psi", "phi")


@functools.cache
def circles() -> object:
    return ch.relative_equilibria(DISC, ROLLING, free=["theta", "phi'"])


def text(e: str) -> object:
    return parse(e, DISC.scope)


def is_zero(e: object) -> bool:
    return bool(Field()(e).is_zero)


@pytest.mark.slow
def test_whole_family_M3_is_one_relation_between_lean_spin_and_turn() -> None:
    """6 R φ' ψ' cos θ = sin θ (5 R φ'^2 cos θ + 4 g), by hand: moments about the contact point."""
    found = circles()
    assert found.complete is True
    (family,) = found
    assert family.free == ("theta", "phi_dot")
    by_hand = text("6*R*phi'*psi'*cos(theta) - sin(theta)*(5*R*phi'^2*cos(theta) + 4*g)")
    from chetaev.expr.graph.node import substitute

    on = substitute([by_hand], {symbol("psi", 1): family.exact["psi_dot"]})[0]
    assert is_zero(on)
    assert family.exact["theta"] == formula("theta")


@pytest.mark.slow
def test_criterion_for_circles_M3_agrees_with_eigenvalues_of_doubles() -> None:
    (family,) = circles()
    (condition,) = family.criteria.conditions
    signs = set()
    for theta, turn in (
        (0.1, 2.0),
        (0.3, 2.5),
        (0.34, 2.66),
        (0.2, 3.9),
        (0.05, 0.3),
        (1.2, 1.0),
        (0.1, 5.0),
    ):
        at = {**DISC.parameter_values, ("theta", 0): theta, ("phi", 1): turn}
        spin = float(evaluate([family.exact["psi_dot"]], at)[0])
        near = ch.linearize(
            DISC, at={"theta": theta, "phi'": turn, "psi'": spin, "theta'": 0}, relative_to=ROLLING, effort=1
        )
        worst = max(near.eigenvalues.real)
        assert (float(evaluate([condition], at)[0]) > 0) == (worst < 1e-5)
        signs.add(worst < 1e-5)
    assert signs == {True, False}


@pytest.mark.slow
def test_limits_M3_of_the_criterion_are_those_of_spinning_and_of_straight_rolling() -> None:
    """θ → 0 at a given turn: 5 R φ'^2 > 4 g; θ, φ' → 0 with ψ' given (θ = 3 R φ' ψ'/(2 g)): 3 R ψ'^2 > g."""
    (family,) = circles()
    (condition,) = family.criteria.conditions
    field = Field()
    e = field(condition)
    upright = e.subs({("theta", 0): field.zero})
    turn, R, g = field.symbol("phi", 1), field.symbol("R"), field.symbol("g")
    assert (upright - turn**2 * R * 3 * (R * 5 * turn**2 - g * 4)).is_zero
    values = DISC.parameter_values
    small = 1e-4
    for factor, stable in ((1.001, True), (0.999, False)):
        spin = factor * math.sqrt(values["g"] / (3 * values["R"]))
        lean = 3 * values["R"] * small * spin / (2 * values["g"])
        at = {**values, ("theta", 0): lean, ("phi", 1): small}
        assert (float(evaluate([condition], at)[0]) > 0) == stable


@pytest.mark.slow
def test_nearly_flat_motion_M3_turns_and_nutates_in_a_ratio() -> None:
    """With its centre at rest (ψ' = φ' sin θ): φ'^2 = 4 g/(R cos θ), that is 4 g/(R sin α) at the small angle
    α to the ground (Moffatt 2000), and small oscillations have ω^2/φ'^2 = (3 + cos^2 θ)/5 → 3/5.
    """
    found = ch.relative_equilibria(DISC, ROLLING, given={"psi'": "phi'*sin(theta)"}, free=["theta"])
    assert found.complete is True
    assert [e.exact["phi_dot"] for e in found] == formulas(
        [
            "-sqrt(4*g/(R*cos(theta)))",
            "sqrt(4*g/(R*cos(theta)))",
        ]
    )
    for e in found:
        assert list(e.characteristic) == formulas(["s^4 + 4*g*(cos(theta)^2 + 3)/(5*R*cos(theta))*s^2"])
        assert list(e.criteria.conditions) == formulas(["cos(theta)*(cos(theta)^2 + 3)"], factor="positive")
    field = Field()
    ratio = field(text("4*g*(cos(theta)^2 + 3)/(5*R*cos(theta))")) / field(text("4*g/(R*cos(theta))"))
    flat = ratio.subs({("theta", 0): field(text("pi/2"))})
    assert flat.as_fraction() == 3 / field(text("5")).as_fraction()


@pytest.mark.slow
def test_nearly_flat_motion_M3_is_what_the_simulation_does() -> None:
    alpha = 0.03
    values = DISC.parameter_values
    turn = math.sqrt(4 * values["g"] / (values["R"] * math.sin(alpha)))
    theta = math.pi / 2 - alpha
    nutation = turn * math.sqrt((3 + math.sin(alpha) ** 2) / 5)
    periods = 6
    until = periods * 2 * math.pi / nutation
    initial = {"theta": theta, "phi'": turn, "psi'": turn * math.sin(theta)}
    steady = ch.simulate(DISC, initial={**initial, "theta'": 0}, until=until, at=41, tolerance=1e-11)
    assert np.abs(steady["theta"].values - theta).max() < 1e-8
    swing = 1e-6
    moved = ch.simulate(
        DISC,
        initial={**initial, "theta'": swing * nutation},
        until=until,
        at=periods * 8 + 1,
        tolerance=1e-12,
    )
    lean = moved["theta"].values - theta
    expected = swing * np.sin(nutation * moved["time"].values)
    assert np.abs(lean - expected).max() < 0.01 * swing


@pytest.mark.slow
def test_map_M3_from_symbols_is_the_map_from_solved_equations() -> None:
    (family,) = circles()
    over = {"theta": (0.02, 1.4), "phi'": (0.2, 8.0)}
    exact = ch.stability_map(DISC, family, over, points=7)
    solved = ch.stability_map(DISC, {"theta": 0.4, "phi'": 2}, over, symmetries=ROLLING, points=7)
    assert exact.unstable.tolist() == solved.unstable.tolist()
    assert set(exact.unstable.ravel().tolist()) == {0, 1}
    assert exact.to_xarray()["unstable"].dims == ("theta", "phi_dot")
    assert exact.boundaries(exact.x, exact.y)[0][1].shape == (7, 7)


def test_maps_over_parameters_and_their_mistakes() -> None:
    spring = ch.System(
        coordinates=["x"], lagrangian="m*x'^2/2 - k*x^2/2", forces={"x": "-c*x'"},
        parameters={"m": 1, "k": 1, "c": 1},
    )  # fmt: skip
    found = ch.stability_map(spring, {"x": 0}, {"k": (-1, 1), "c": (-1, 1)}, points=4)
    assert found.unstable.tolist() == [[1, 1, 1, 1], [1, 1, 1, 1], [2, 2, 0, 0], [2, 2, 0, 0]]
    (rest,) = ch.equilibria(spring)
    exact = ch.stability_map(spring, rest, {"k": (-1, 1), "c": (-1, 1)}, points=4)
    assert exact.unstable.tolist() == found.unstable.tolist()
    assert "exact characteristic polynomial" in str(exact)
    for over in (
        {"k": (0, 1)},
        {"k": (1, 0), "c": (0, 1)},
        {"k": (0, 1), "q": (0, 1)},
        None,
        {"k": 1, "c": 2},
    ):
        with pytest.raises(ch.ModelError):
            ch.stability_map(spring, {"x": 0}, over)


def test_families_and_their_mistakes_are_sentences() -> None:
    with pytest.raises(ch.ModelError, match="free"):
        ch.relative_equilibria(DISC, ROLLING)
    for wrong in (["psi"], ["theta'"], ["nothing"], 3):
        with pytest.raises(ch.ModelError):
            ch.relative_equilibria(DISC, ROLLING, free=wrong)
    with pytest.raises(ch.ModelError, match="given and free"):
        ch.relative_equilibria(DISC, ROLLING, given={"theta": 0}, free=["theta"])
