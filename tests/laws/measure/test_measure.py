"""Invariant measures (M4): densities against differences of the compiled field, obstructions, Chaplygin's
multiplier.
"""

from __future__ import annotations

import numpy as np
import pytest

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate
from chetaev.laws.symmetry.linearized import Linearized

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
    assert (str(found.density), str(found.multiplier)) == ("sqrt(y^2 + 1)", "1/sqrt(y^2 + 1)")
    assert found.evidence == "proved"
    assert found.obstruction is None
    assert found.to_json()["chart"] == ["x", "y"]


def test_M4_damping_forbids_a_density() -> None:
    found = ch.measure(OSCILLATOR)
    assert found.density is None
    assert found.obstruction is not None
    assert found.obstruction.kind == "equilibrium"
    assert str(found.obstruction.divergence) == "-3/10"
    assert found.obstruction.proof.proved
    assert found.preserved is False
    assert "searched" in str(found)


def test_M6_the_sleigh_has_a_density_that_is_singular_at_its_relative_equilibria() -> None:
    found = ch.measure(ch.load("caratheodory-sleigh"))
    assert [str(e) for e in found.singular] == ["phi'"]
    assert found.obstruction is not None
    assert found.obstruction.kind == "relative equilibrium"
    assert found.obstruction.ignorable == ("x",)
    assert found.multiplier is None


def test_time_belongs_to_rheonomic_systems_only() -> None:
    """x'' = −x'/t preserves t dx dx'; damping by a constant preserves nothing that stands still."""
    system = ch.System(coordinates=["x"], lagrangian="x'^2/2", forces={"x": "-x'/t"})
    found = ch.measure(system)
    assert str(found.density) in ("t", "abs(t)")
    assert found.evidence.endswith("it depends on t")


def test_bad_input_is_a_sentence() -> None:
    with pytest.raises(ch.ModelError, match="the effort is 0"):
        ch.measure(OSCILLATOR, effort=0)
    with pytest.raises(ch.ModelError, match=r"ch\.measure"):
        ch.measure("heisenberg")  # type: ignore[arg-type]
