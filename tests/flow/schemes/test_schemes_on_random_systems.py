"""Orders on random systems: constraints linear, polynomial, transcendental, implicit; time and forces."""

from __future__ import annotations

import numpy as np
import pytest

import chetaev as ch
from portions import parts
from random_systems import random_system

FIXED = [scheme for scheme in ch.schemes() if scheme.fixed and scheme.name != "lie-midpoint"]
REACHED = 1e-11
"""Errors below are rounding, and have no order."""


@pytest.mark.parametrize("seed", parts(range(60), 6))
def test_every_scheme_has_its_order_on_a_random_system(seed: int) -> None:
    system = random_system(seed, most=4)
    initial = system.random_states(1, seed=seed)[0]
    end = initial["t"] + 0.8

    def error(exact: np.ndarray, **how: object) -> float:
        made = ch.simulate(system, until=end, at=[end], initial=initial, **how)  # type: ignore[arg-type]
        assert made.attrs["status"] == "done", (how, made.attrs["reason"])
        return float(np.max(np.abs([made[c].item() for c in system.coordinates] - exact)))

    sure = ch.simulate(system, until=end, at=[end], initial=initial, tolerance=1e-12)
    if sure.attrs["status"] != "done":
        pytest.skip(f"the motion ends: {sure.attrs['status']}")
    exact = np.array([sure[c].item() for c in system.coordinates])
    for scheme in FIXED:
        coarse, fine = (error(exact, method=scheme.name, step=0.8 / n) for n in (12, 24))
        if fine > REACHED:
            assert np.log2(coarse / fine) > scheme.order - 0.6, (scheme.name, coarse, fine)
