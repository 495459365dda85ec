"""Invariant measures (M4): densities against differences of the compiled field, obstructions, Chaplygin's
multiplier.
"""

from __future__ import annotations

import numpy as np
import pytest

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate
from chetaev.laws.standpoint import EVERY_VALUE
from chetaev.laws.symmetry.linearized import Linearized
from formulas import any_order, formula, formulas

OSCILLATOR = ch.System(
    coordinates=["x"], lagrangian="x'^2/2 - x^2/2", forces={"x": "-c*x'"}, parameters={"c": 0.3}
)


@pytest.mark.slow
def test_M4_the_divergence_is_that_of_the_compiled_field() -> None:
    """Σ ∂g^a/∂q^a + Σ ∂f^s/∂v^s by differences, for a constraint that nobody solves."""
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2*(2 + sin(y)) + y'^2)/2 - x*y",
        constraints=["y' + y'^3/5 + sin(y')/4 = x*x' + cos(y)/2"],
        initial={"x": 0.4, "y": 0.3, "x_dot": 0.6},
    )
    lin = Linearized(system)
    (s,), (d,) = lin.independent, lin.dependent
    names = system.coordinates
    field = ch.field(system)

    def flow(z: np.ndarray) -> np.ndarray:
        start = system.with_initial(
            {**dict(zip(names, z[:2], strict=True)), f"{names[s]}_dot": z[2], f"{names[d]}_dot": None}
        )
        v = [start.state.velocity[n] for n in names]
        a = field(0.0, z[:2], np.array(v))
        return np.array([*v, a[s]])

    state = system.state
    z = np.array([*(state.position[n] for n in names), state.velocity[names[s]]])
    h = 1e-5
    numeric = sum((flow(z + h * e) - flow(z - h * e))[i] / (2 * h) for i, e in enumerate(np.eye(3)))
    point = {n: state.position[n] for n in names} | {(n, 1): state.velocity[n] for n in names}
    exact = evaluate(lin.s.graphs(lin.divergence), point | {"t": 0.0})[0]
    assert abs(numeric - exact) < 1e-6


def test_M4_liouville_for_a_free_system() -> None:
    """Without constraints ρ = det ∂²L/∂v∂v, up to a constant."""
    lagrangian = "((1 + x^2)*x'^2 + exp(y)*y'^2)/2 + x*y' - x*y"
    found = ch.measure(ch.System(coordinates=["x", "y"], lagrangian=lagrangian))
    assert found.preserved is True
    there, here = (evaluate([found.density], {"x": x, "y": y})[0] for x, y in ((2.0, 1.0), (0.0, 0.0)))
    assert there / here == pytest.approx(5 * np.exp(1))


def test_M4_chaplygins_multiplier_of_the_heisenberg_system() -> None:
    found = ch.measure(ch.load("heisenberg"))
    assert found.density == formula("sqrt(y^2 + 1)", factor=True)
    assert found.multiplier == formula("1/sqrt(y^2 + 1)", factor=True)
    assert found.evidence == "proved"
    assert found.obstruction is None
    assert found.to_json()["chart"] == ["x", "y"]


def test_M4_damping_forbids_a_density() -> None:
    found = ch.measure(OSCILLATOR)
    assert found.density is None
    assert found.obstruction is not None
    assert found.obstruction.kind == "equilibrium"
    assert found.obstruction.divergence == formula("-3/10")
    assert found.obstruction.proof.proved
    assert found.preserved is False
    assert "searched" in str(found)


def test_M6_the_sleigh_has_a_density_that_is_singular_at_its_relative_equilibria() -> None:
    found = ch.measure(ch.load("caratheodory-sleigh"))
    assert list(found.singular) == formulas(["phi'"], factor=True)
    assert found.obstruction is not None
    assert found.obstruction.kind == "relative equilibrium"
    assert found.obstruction.ignorable == ("x",)
    assert found.multiplier is None


def test_time_belongs_to_rheonomic_systems_only() -> None:
    """x'' = −x'/t preserves t dx dx'; damping by a constant preserves nothing that stands still."""
    system = ch.System(coordinates=["x"], lagrangian="x'^2/2", forces={"x": "-x'/t"})
    found = ch.measure(system)
    assert found.density == formula("t", factor=True, positive="t")
    assert found.density == formula("abs(t)", factor=True, positive="t")
    assert found.evidence.endswith("it depends on t")


BODY = {
    "w1": "psi'*sin(theta)*sin(phi) + theta'*cos(phi)",
    "w2": "psi'*sin(theta)*cos(phi) - theta'*sin(phi)",
    "w3": "psi'*cos(theta) + phi'",
}
"""Body components of an angular velocity in Euler's angles."""
POINTS = ({"theta": 0.7, "phi": 0.4}, {"theta": 1.2, "phi": 2.1}, {"theta": 0.5, "phi": -1.0})


def vertical(point: dict[str, float]) -> np.ndarray:
    """The vertical γ in the body."""
    s, c = np.sin(point["theta"]), np.cos(point["theta"])
    return np.array([s * np.sin(point["phi"]), s * np.cos(point["phi"]), c])


@pytest.mark.slow
def test_M4_suslov_keeps_a_measure_exactly_where_the_axis_is_principal() -> None:
    """Steady rotations with h = I₁₃ω₁ + I₂₃ω₂ = 0 are closed orbits with a divergence of one sign."""
    suslov = ch.load("suslov")
    found = ch.measure(suslov)
    assert found.density is None
    assert found.obstruction is not None
    assert found.obstruction.state["phi"] == formula("atan(-2/3)")
    assert found.obstruction.ignorable == ("psi",)
    assert found.obstruction.proof.proved
    assert "periodic in it" in str(found.obstruction)
    principal = ch.measure(suslov.with_parameters(I13=0, I23=0))
    assert principal.density == formula("sin(theta)^2", factor=True)
    assert principal.obstruction is None


@pytest.mark.slow
def test_M4_veselova_and_chaplygins_sphere() -> None:
    """ρ = √(γ·I⁻¹γ) and √(1 − D (γ·(I + D)⁻¹γ)), known, times what charts bring; Veselova's N."""
    inertia = {"A": 1, "B": 2, "C": 3}
    kinetic = "(A*w1^2 + B*w2^2 + C*w3^2)/2"
    veselova = ch.System(
        coordinates=["psi", "theta", "phi"],
        define=BODY,
        parameters=inertia,
        lagrangian=kinetic,
        constraints=["psi' + phi'*cos(theta) = 0"],
    )
    found = ch.measure(veselova)
    assert found.evidence == f"proved {EVERY_VALUE}"
    assert found.multiplier is not None
    ratios = []
    for point in POINTS:
        g = vertical(point)
        known = np.sqrt(g @ (g / np.array([1, 2, 3]))) * np.sin(point["theta"]) ** 2
        ratios.append(evaluate([found.density], {**inertia, **point})[0] / known)
    assert ratios == pytest.approx([ratios[0]] * 3)
    space = {
        "ox": "theta'*cos(psi) + phi'*sin(theta)*sin(psi)",
        "oy": "theta'*sin(psi) - phi'*sin(theta)*cos(psi)",
    }
    sphere = ch.System(
        coordinates=["x", "y", "psi", "theta", "phi"],
        define=BODY | space,
        parameters=inertia | {"m": 2, "R": 1},
        lagrangian=f"m*(x'^2 + y'^2)/2 + {kinetic}",
        constraints=["x' = R*oy", "y' = -R*ox"],
    )
    found = ch.measure(sphere)
    assert found.evidence == f"proved {EVERY_VALUE}"
    ratios = []
    for point in POINTS:
        g, D = vertical(point), 2.0
        known = np.sqrt(1 - D * (g @ (g / (np.array([1, 2, 3]) + D)))) * np.sin(point["theta"]) ** 2
        ratios.append(evaluate([found.density], {**inertia, "m": 2, "R": 1, **point})[0] / known)
    assert ratios == pytest.approx([ratios[0]] * 3)


def test_M4_the_sleigh_without_offset_keeps_a_measure_and_has_a_multiplier() -> None:
    found = ch.measure(ch.load("caratheodory-sleigh").with_parameters(a=0))
    assert found.preserved is True
    assert found.multiplier == formula("abs(cos(phi))", factor=True)


def test_M4_a_steady_run_that_attracts_forbids_a_measure() -> None:
    """The damped sleigh settles into a straight run at the speed f/d = 3/2, which is solved for."""
    found = ch.measure(ch.load("damped-sleigh"))
    assert found.density is None
    assert found.obstruction is not None
    assert found.obstruction.state["x'"] == formula("3/2")
    assert found.preserved is None  # a density that grows with x is not excluded
    thrustless = ch.measure(ch.load("damped-sleigh").with_parameters(f=0))
    assert thrustless.preserved is False  # at rest


def test_bad_input_is_a_sentence() -> None:
    with pytest.raises(ch.ModelError, match="the effort is 0"):
        ch.measure(OSCILLATOR, effort=0)
    with pytest.raises(ch.ModelError, match=r"ch\.measure"):
        ch.measure("heisenberg")  # type: ignore[arg-type]


def test_the_space_is_told_where_there_are_no_factors() -> None:
    speed = ch.System(
        coordinates=["x", "z"], lagrangian="(x'^2 + z'^2)/2 - z", constraints=["x'^2 + z'^2 = 1"]
    )
    searched = ch.measure(speed).searched
    assert (searched.factors, searched.functions) == ((), 6)
    assert list(searched.atoms) == any_order("x", "z")
