"""Legendre's transformation with and without constraints (SCOPE K9, K24)."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate

AFFINE = [
    "knife-edge",
    "caratheodory-sleigh",
    "heisenberg",
    "ball-on-rotating-table",
    "pendulum-moving-support",
]


@pytest.mark.parametrize("name", AFFINE)
def test_K24_canonical_equations_are_the_motion(name: str) -> None:
    """q'(t, q, P) gives back the velocities, and Ṗ the rates along accelerations of Chetaev's equations."""
    system = ch.load(name)
    found = ch.hamilton(system)
    assert found.exists is True
    assert found.regular is True
    field = ch.field(system, "chetaev")
    names = list(system.coordinates)
    for state in system.random_states(3, seed=5):
        t, q, v = state.get(system.time, 0.0), [state[c] for c in names], [state[f"{c}_dot"] for c in names]
        a = field(t, q, v)

        def point(t: float, q: list[float], v: list[float]) -> dict[object, float]:
            values = {**system.parameter_values, system.time: t, **dict(zip(names, q, strict=True))}
            return values | {(c, 1): x for c, x in zip(names, v, strict=True)}

        momenta = list(found.momenta.values())
        here = point(t, q, v)
        P = dict(zip(found.names, map(float, evaluate(momenta, here)), strict=True))
        speeds = evaluate([found.equations[c] for c in names], here | P)
        assert [float(x) for x in speeds] == pytest.approx(v, rel=1e-9, abs=1e-9)
        h = 1e-5
        ahead, back = (
            evaluate(
                momenta,
                point(
                    t + s,
                    [x + s * y + s * s / 2 * z for x, y, z in zip(q, v, a, strict=True)],
                    [x + s * y for x, y in zip(v, a, strict=True)],
                ),
            )
            for s in (h, -h)
        )
        differences = [(float(x) - float(y)) / (2 * h) for x, y in zip(ahead, back, strict=True)]
        rates = evaluate([found.equations[n] for n in found.names], here | P)
        assert [float(x) for x in rates] == pytest.approx(differences, rel=1e-6, abs=1e-6)


def test_K24_condition_89_fails_with_a_witness() -> None:
    found = ch.hamilton(ch.load("leibniz-particle"))
    assert found.exists is False
    assert found.condition.witness
    with pytest.raises(ch.ModelError, match=r"\(89\)"):
        _ = found.momenta


def test_K24_a_nonlinear_constraint_with_momenta() -> None:
    """One free velocity: (89) says nothing, and P follows by integration (91)."""
    system = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", constraints=["y' = x'^2/2"])
    found = ch.hamilton(system)
    assert found.exists is True
    # L̄ = x'²/2 + x'⁴/8, −B̄ = L̄'' − y'·g'' = 1 + 3x'²/2 − x'²/2
    value = evaluate([found.momenta["P_x"]], {("x", 1): 0.6, ("y", 1): 0.18})[0]
    assert float(value) == pytest.approx(0.6 + 0.6**3 / 3)


def test_K9_both_regularity_conditions() -> None:
    second = ch.hamilton(ch.System(coordinates=["x", "y"], lagrangian="x'^2/2 + x'*y' - x"))
    assert second.regular is True
    affine = ch.hamilton(ch.System(coordinates=["x", "y"], lagrangian="x*y' - y*x' - x^2"))
    assert affine.regular is True
    neither = ch.hamilton(ch.System(coordinates=["x", "y"], lagrangian="(x' + y')^2/2"))
    assert neither.regular is False
    with pytest.raises(ch.ModelError, match=r"ch\.dirac"):
        _ = neither.hamiltonian


def test_K9_kepler() -> None:
    kepler = ch.hamilton(
        ch.System(
            coordinates=["r", "th"], lagrangian="m*(r'^2 + r^2*th'^2)/2 + k/r", parameters={"m": 1, "k": 2}
        )
    )
    assert str(kepler.hamiltonian) == "p_r^2/(2*m) + p_th^2/(2*m*r^2) - k/r"
    assert str(kepler.equations["p_th"]) == "0"


def test_K24_bad_input() -> None:
    for wrong in ("disc", None):
        with pytest.raises(ch.ModelError, match=r"ch\.hamilton"):
            ch.hamilton(wrong)
    mixed = ch.System(coordinates=["x"], dynamics={"accelerations": {"x": "-x"}})
    with pytest.raises(ch.ModelError, match="no Lagrangian"):
        ch.hamilton(mixed)
