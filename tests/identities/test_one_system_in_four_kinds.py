"""A Lagrangian system written again as a form F dq + Π dv, as A and B on Q, as a mixed system: one motion.

(SCOPE D4, K25, Sa1.) All functions are made from the Lagrangian system, written as text and read again.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import chetaev as ch
from chetaev.equations.law.fundamental import FundamentalForm
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.graph.node import Expr, substitute, symbol
from chetaev.flow.run.compiled_field import compile_field
from portions import parts, some
from random_systems import random_system

Q = ["x", "y", "z"]


def system_in_normal_form(seed: int) -> ch.System:
    """Constraints z' = g(t, q, x', y'), linear, affine or nonlinear; forces, parameters, time."""
    rng = random.Random(seed)
    f = rng.choice(("sin(x)", "y/2", "cos(t)", "a*x", "exp(-y^2)"))
    g = rng.choice((f"{f}*x' + y'/3", f"{f}*x' + t/5", f"{f}*x'^2 + y'", f"sin(x')*{f} - y'^2/3", f"{f}*y'"))
    return ch.System(
        coordinates=Q,
        lagrangian=f"(2 + sin(t)/2)*x'^2/2 + b*y'^2/2 + z'^2/2 + {f}*x'*z'/5 + y*z'/3 - x*z - cos(y)",
        constraints=[f"z' = {g}"],
        forces={"x": "-x'/3 + t*y", "z": "a*y'"} if rng.random() < 0.7 else {},
        parameters={"a": "1/3", "b": "2 + a"},
        initial={"x": 0.3, "y": -0.2, "z": 0.1, "x_dot": 0.5, "y_dot": 0.7, "t": 0.2},
    )


def again(system: ch.System, dynamics: dict[str, Any], constraints: Any) -> ch.System:
    """The system with another dynamics, through the text of a model file."""
    made = ch.System(
        coordinates=system.coordinates,
        dynamics=dynamics,
        constraints=constraints,
        parameters={n: str(e) for n, e in system.parameters.items()},
        initial=system.given.get("initial"),
    )
    read = ch.loads(made.to_toml())
    assert read == made
    assert read.dynamics.kind == made.dynamics.kind
    return read


def texts(exprs: Any) -> list[str]:
    return [str(e) for e in exprs]


def constraints_of(system: ch.System) -> list[str]:
    return [str(e) for e in system.velocity_constraints]


def as_form(system: ch.System) -> ch.System:
    phi = FundamentalForm.of(system)
    return again(system, {"form": {"F": texts(phi.F), "Pi": texts(phi.Pi)}}, constraints_of(system))


def as_form_with_forces(system: ch.System) -> ch.System:
    s = Setup(system)
    form = {"F": texts(s.graphs(s.push)), "Pi": texts(s.graphs(s.Pi))}
    forces = {c: str(f) for c, f in system.forces.items()}
    return again(system, {"form": form, "forces": forces}, constraints_of(system))


def on_Q(system: ch.System) -> ch.System:
    law = ch.equations(system, "reduced-lepage")
    names = [u.rstrip("'") for u in law.unknowns]
    A = dict(zip(names, texts(law.A), strict=True))
    return again(system, {"A": A, "B": [texts(row) for row in law.B]}, constraints_of(system))


def as_mixed(system: ch.System) -> ch.System:
    solved: dict[Expr, Expr] = {e.lhs: e.rhs for e in system.velocity_constraints}
    names = [c for c in system.coordinates if symbol(c, 1) not in solved]
    found = ch.equations(system).accelerations
    second = substitute([found[c] for c in names], solved)
    velocities = {str(lhs)[:-1]: str(rhs) for lhs, rhs in solved.items()}
    table = {"accelerations": dict(zip(names, texts(second), strict=True)), "velocities": velocities}
    return again(system, table, ())


KINDS = {"form": as_form, "form and forces": as_form_with_forces, "on Q": on_Q, "mixed": as_mixed}


def states(system: ch.System, count: int = 4) -> tuple[Any, Any, Any]:
    data = system.random_states(count, seed=3)
    t = np.array([d[system.time] for d in data])
    q, v = (np.array([[d[c + tail] for c in system.coordinates] for d in data]) for tail in ("", "_dot"))
    return t, q, v


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", some(range(4), 2))
def test_the_same_accelerations_D4_K25_Sa1(kind: str, seed: int) -> None:
    system = system_in_normal_form(seed)
    other = KINDS[kind](system)
    at = states(system)
    expected = ch.field(system, "chetaev")(*at)
    np.testing.assert_allclose(ch.field(other)(*at), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(compile_field(other)(*at), expected, rtol=1e-9, atol=1e-9)
    table = ch.compare(other, samples=3)
    assert table.agree
    assert {row.form for row in table.rows} >= {"reduced", "reduced-lepage", "oracle", "compiled"}
    if kind.startswith("form"):
        assert {row.form for row in table.rows} >= {"chetaev", "gauss", "hamel", "first-variation"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(12, 18), 3))
def test_the_same_accelerations_for_constraints_in_any_form(seed: int) -> None:
    """Implicit and mixed-up constraints, and charts that the machine chooses."""
    system = random_system(seed, most=4)
    at = states(system)
    expected = ch.field(system, "chetaev")(*at)
    for make in (as_form, on_Q):
        other = make(system)
        np.testing.assert_allclose(ch.field(other)(*at), expected, rtol=1e-7, atol=1e-8)
        assert ch.compare(other, samples=2).agree


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", parts(range(2), 1))
def test_the_same_classification(kind: str, seed: int) -> None:
    system = system_in_normal_form(seed)
    expected, found = ch.classify(system), ch.classify(KINDS[kind](system))
    for name in ("holonomy", "velocities", "degree", "time", "homogeneous", "projectable", "regular",
                 "degrees_of_freedom", "growth_vector"):  # fmt: skip
        assert getattr(found, name) == getattr(expected, name), name


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_trajectory(kind: str) -> None:
    system = system_in_normal_form(1)
    other = KINDS[kind](system)
    at = [0.5, 1.0, 1.7]
    expected = ch.simulate(system, until=1.7, at=at, tolerance=1e-10)
    found = ch.simulate(other, until=1.7, at=at, tolerance=1e-10)
    for c in system.coordinates:
        np.testing.assert_allclose(found[c], expected[c], rtol=1e-7, atol=1e-8)
    assert "energy" in expected
    assert "energy" not in found
    assert ("multiplier" in found) == kind.startswith("form")
    if kind.startswith("form"):
        np.testing.assert_allclose(found["multiplier"], expected["multiplier"], rtol=1e-6, atol=1e-7)


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", KINDS)
def test_other_parameters_and_other_initial_data(kind: str) -> None:
    """`a` is a parameter of the functions themselves, so the other kinds follow it."""
    system = system_in_normal_form(0)
    other = KINDS[kind](system).with_parameters(a=0.5).with_initial(x=0.1)
    at = states(system.with_parameters(a=0.5))
    expected = ch.field(system.with_parameters(a=0.5), "chetaev")(*at)
    np.testing.assert_allclose(ch.field(other)(*at), expected, rtol=1e-9, atol=1e-9)
    assert other.state.position["x"] == 0.1


@pytest.mark.slow
def test_what_does_not_apply_is_refused_with_a_sentence() -> None:
    system = system_in_normal_form(2)
    for kind, make in KINDS.items():
        other = make(system)
        forms = ch.forms(other)
        assert "no Lagrangian" in forms.excluded["gibbs-appell"]
        assert ("chetaev" in forms) == kind.startswith("form")
        with pytest.raises(ModelError, match="no Lagrangian"):
            _ = other.lagrangian
        assert not [law for law in ch.integrals(other, effort=20_000) if law.name == "energy"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_the_same_trajectory_on_phase_space_B13(seed: int) -> None:
    """With p = v the canonical bracket, H and the constraint on momenta give the motion of L = T − V."""
    rng = random.Random(seed)
    f, g = rng.sample(("sin(x)", "y/2", "a*x", "exp(-y^2)", "z*y"), 2)
    kinetic = "({0}^2 + {1}^2 + {2}^2)/2"
    system = ch.System(
        coordinates=Q,
        lagrangian=kinetic.format("x'", "y'", "z'") + " - x*z - cos(y)",
        constraints=[f"z' = {f}*x' + {g}*y'"],
        parameters={"a": "1/3"},
        initial={"x": 0.3, "y": -0.2, "z": 0.1, "x_dot": 0.5, "y_dot": 0.7},
    )
    momenta = ["px", "py", "pz"]
    start = dict(zip(momenta, (system.state.velocity[c] for c in Q), strict=True))
    phase = ch.System(
        coordinates=[*Q, *momenta],
        poisson={
            "hamiltonian": kinetic.format(*momenta) + " + x*z + cos(y)",
            "bracket": {f"{c}, p{c}": 1 for c in Q},
            "constraints": [f"pz = {f}*px + {g}*py"],
            "momenta": momenta,
        },
        parameters={"a": "1/3"},
        initial={**system.state.position, **start},
    )
    assert ch.loads(phase.to_toml()) == phase
    at = [0.5, 1.0, 1.7]
    expected = ch.simulate(system, until=1.7, at=at, tolerance=1e-10)
    found = ch.simulate(phase, until=1.7, at=at, tolerance=1e-10)
    for c in Q:
        np.testing.assert_allclose(found[c], expected[c], rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(found[f"p{c}"], expected[f"{c}_dot"], rtol=1e-7, atol=1e-8)
