"""The field X of the equations on H against the Lagrangian side, at a point."""

from __future__ import annotations

from typing import Any

import pytest

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate
from chetaev.hamilton.distributional import Distributional


def point_of(system: ch.System, seed: int = 3) -> dict[Any, float]:
    state, names = system.random_states(1, seed=seed)[0], system.coordinates
    here: dict[Any, float] = {**system.parameter_values, system.time: state.get(system.time, 0.0)}
    here |= {c: state[c] for c in names}
    return here | {(c, 1): state[f"{c}_dot"] for c in names}


def check_motion(system: ch.System, found: Distributional, seed: int = 3) -> None:
    """dq(X) = v, dv(X) = the accelerations, μ = the multipliers of Chetaev's equations."""
    here, names = point_of(system, seed), system.coordinates
    a, mu = ch.equations(system, "chetaev").evaluate(here)
    expected = [*(here[c, 1] for c in names), *map(float, a)]
    X = [float(x) for x in evaluate(list(found.field.values()), here)]
    assert pytest.approx(expected, rel=1e-8, abs=1e-8) == X, system.text
    got = [float(x) for x in evaluate(list(found.multipliers.values()), here)]
    assert got == pytest.approx([float(x) for x in mu], rel=1e-8, abs=1e-8), system.text
