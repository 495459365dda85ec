"""A mass matrix ∂Π/∂v that is not symmetric: no Lagrangian has it, the number path takes it (SCOPE D4)."""

from __future__ import annotations

import casadi
import numpy as np
import pytest

import chetaev as ch
from chetaev.errors import ModelError
from chetaev.flow.derive.dynamics import solve_orthogonally
from chetaev.flow.run.compiled_field import compile_field

START = {"x": 1, "y": 0, "x_dot": 0, "y_dot": 0.5}


def skew(**more: object) -> ch.System:
    """Π = (y', −x'): M = [[0, 1], [−1, 0]], without a pivot on its diagonal."""
    return ch.System(
        coordinates=["x", "y"],
        dynamics={"form": {"F": ["-k*y", "k*x"], "Pi": ["y'", "-x'"]}},
        parameters={"k": 2},
        initial=START,
        **more,  # type: ignore[arg-type]
    )


def test_a_skew_mass_matrix_moves() -> None:
    """y'' = −k y and −x'' = k x: two oscillators."""
    motion = ch.simulate(skew(), until=2, at=[2.0])
    w = np.sqrt(2)
    np.testing.assert_allclose(motion["x"][-1], np.cos(2 * w), atol=1e-8)
    np.testing.assert_allclose(motion["y"][-1], 0.5 / w * np.sin(2 * w), atol=1e-8)
    assert ch.compare(skew(), samples=3).agree


def test_sensitivities_of_a_skew_mass_matrix() -> None:
    found = ch.sensitivities(skew(), until=1.0)
    slope = -np.sin(np.sqrt(2)) / (2 * np.sqrt(2))  # d cos(√k t)/dk at t = 1
    assert np.isclose(float(found.by_parameter.sel(final="x", parameter="k")), slope, atol=1e-7)


def test_gram_schmidt_solves_what_has_no_pivots() -> None:
    rows = [[0.0, 2.0, 1.0], [-2.0, 0.0, 3.0], [1.0, 1.0, 0.0]]
    right = [1.0, 2.0, 3.0]
    z, diagonal = solve_orthogonally(
        [[casadi.SX(x) for x in row] for row in rows], [casadi.SX(x) for x in right]
    )
    np.testing.assert_allclose([float(x) for x in z], np.linalg.solve(rows, right), rtol=1e-12)
    assert all(float(x) > 0 for x in diagonal)


def test_many_states_and_parameters_at_once() -> None:
    field = compile_field(skew())
    q, v = np.array([[1.0, 2.0], [3.0, 4.0]]), np.zeros((2, 2))
    np.testing.assert_allclose(field(0.0, q, v, {"k": np.array([1.0, 3.0])}), [[-1, -2], [-9, -12]])


def test_a_singular_asymmetric_law_says_so() -> None:
    loose = ch.System(
        coordinates=["x", "y"],
        dynamics={"form": {"F": ["-x", "0"], "Pi": ["x' + y'", "x' + y'"]}},
        initial=START,
    )
    assert ch.classify(loose).regular is False
    assert ch.singular(loose).outcome == "impossible"
    motion = ch.simulate(loose, until=1)
    assert motion.attrs["status"] != "done"


def test_energy_of_a_system_without_one() -> None:
    with pytest.raises(ModelError, match="no Lagrangian: its dynamics is given by a fundamental form"):
        compile_field(skew()).energy(0.0, [1, 0], [0, 1])


def test_redundant_constraints_of_an_asymmetric_form() -> None:
    system = ch.System(
        coordinates=["x", "y", "z"],
        dynamics={"form": {"F": ["-x", "y", "-z"], "Pi": ["x' + y'/2", "y' - x'/3", "z'"]}},
        constraints=["z' = y*x'", "exp(x)*(z' - y*x') = 0"],
    )
    table = ch.compare(system, samples=3)
    assert table.agree
    assert "first-variation" in [row.form for row in table.rows if row.points]


def test_rows_in_very_different_units() -> None:
    """The law of x is 1e-40 times that of y in size: no reason to call it singular."""
    system = ch.System(
        coordinates=["x", "y"],
        dynamics={
            "form": {
                "F": ["-1e-20*x", "-1e20*y"],
                "Pi": ["1e-20*x' + 1e-21*y'", "1e20*y' - 1e19*x'"],
            }
        },
    )
    q = np.array([[1.0, 2.0], [-3.0, 0.5]])
    expected = np.linalg.solve([[1.0, 0.1], [-0.1, 1.0]], -q.T).T
    np.testing.assert_allclose(compile_field(system)(0.0, q, np.ones((2, 2))), expected, rtol=1e-12)
    assert ch.compare(system, samples=3).agree
