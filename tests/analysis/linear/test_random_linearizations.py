"""Random systems: A by the implicit function theorem against differences of another form's accelerations."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import chetaev as ch
from chetaev.analysis.linear.local_chart import tangent
from chetaev.analysis.linear.residual import Residual
from chetaev.analysis.linear.state_matrices import Asked, matrices_at
from random_systems import random_system

STEP = "1e-14"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(14))
def test_A_is_what_differences_of_the_accelerations_give(seed: int) -> None:
    """Accelerations in 40 digits by a formulation of its own, at states displaced along the tangent space."""
    system = random_system(seed, most=4)
    data = system.random_states(1, seed=seed)[0]
    names = system.coordinates
    q = np.array([data[c] for c in names])
    v = np.array([data[c + "_dot"] for c in names])
    residual = Residual(system)
    t = data[system.time]
    found = matrices_at(system, residual, Asked((), (), (), ()), t, q, v)
    slopes = residual.at(t, q, v, residual.model.default_values)
    E = tangent(found.chart, slopes.held, slopes.held_by_time)[0]
    field = ch.field(system, "reduced", precision=40)
    m = len(names)
    with mpmath.workdps(40):
        h = mpmath.mpf(STEP)
        columns = []
        for k in range(E.shape[1]):
            rates = []
            for sign in (1, -1):
                displaced = zip([*q, *v], E[:, k], strict=True)
                y = [mpmath.mpf(float(x)) + sign * h * mpmath.mpf(float(e)) for x, e in displaced]
                rates.append([*y[m:], *field(t, y[:m], y[m:])])
            column = [float((a - b) / (2 * h)) for a, b in zip(*rates, strict=True)]
            columns.append([column[i] for i in found.chart.places])
    expected = np.array(columns).T
    size = np.abs(expected).max(initial=1.0)
    np.testing.assert_allclose(found.A, expected, rtol=1e-7, atol=1e-7 * size)


def agree(seed: int) -> bool:
    """Whether both matrices exist, and then are equal: charts may be singular, exact numbers out of reach."""
    system = random_system(seed, ("linear", "affine"), most=4)
    data = system.random_states(1, seed=seed)[0]
    q, v = (np.array([data[c + end] for c in system.coordinates]) for end in ("", "_dot"))
    chart = matrices_at(system, Residual(system), Asked((), (), (), ()), data[system.time], q, v).chart
    named = {*system.coordinates, *chart.names(system.coordinates)}
    plain = {n: 0 if n in system.coordinates else round(x, 1) for n, x in data.items() if n in named}
    try:
        here = system.with_initial(plain)
    except ch.ModelError:
        return False
    found = ch.linearize(here)
    if found.exact is None:
        return False
    state = here.state
    q, v = (np.array([x[c] for c in here.coordinates]) for x in (state.position, state.velocity))
    A = matrices_at(here, Residual(here), Asked((), (), (), ()), state.t, q, v).A
    np.testing.assert_allclose(found.A.values, A, rtol=1e-8, atol=1e-8 * np.abs(A).max())
    return True


@pytest.mark.slow
def test_exact_and_compiled_matrices_of_random_systems_agree() -> None:
    compared = [seed for seed in range(100, 108) if agree(seed)]
    assert len(compared) >= 6, compared
