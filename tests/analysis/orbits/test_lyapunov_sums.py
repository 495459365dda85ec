"""Forty Lyapunov sums: the sum of all exponents is the mean divergence along the motion (M6).

The divergence is integrated as one more variable of the motion, s' = div X, written by hand and without
directions. Contraction comes in bursts: Roessler's spikes, relaxation oscillations, friction in places.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.portions import some

import chetaev as ch
from chetaev.errors import ModelError


def first_order(rates: dict[str, str], divergence: str, start: float, until: float) -> tuple[object, ...]:
    """Rates, divergence, start, end; runs are so short that chaos leaves both of them the same motion."""
    return rates, divergence, dict.fromkeys(rates, start), until


def family() -> dict[str, tuple[object, ...]]:
    rng = random.Random(29)
    found = {}
    for i in range(10):
        a, b, c = rng.choice([0.1, 0.15, 0.2]), rng.choice([0.1, 0.2]), rng.choice([4.0, 5.7, 9.0, 14.0])
        rates = {"x": "-y - z", "y": f"x + {a}*y", "z": f"{b} + z*(x - {c})"}
        found[f"roessler {i}: {a} {b} {c}"] = first_order(rates, f"{a} + x - {c}", 1.0, 100.0)
    for i in range(10):
        mu, drive = rng.choice([1, 3, 8, 20]), rng.choice([0, 0.5, 1.2])
        rates = {"x": "y", "y": f"{mu}*(1 - x^2)*y - x + {drive}*cos(t)"}
        found[f"relaxation {i}: {mu} {drive}"] = first_order(rates, f"{mu}*(1 - x^2)", 0.5, 60.0)
    for i in range(10):
        k, w = rng.choice([2, 10, 40]), rng.choice([1, 3])
        rates = {"x": "y", "y": f"x - x^3 - {k}*exp(-{w}*(x - 1)^2)*y + 3/10*cos(t)", "z": f"x - {k}*z*x^2"}
        divergence = f"-{k}*exp(-{w}*(x - 1)^2) - {k}*x^2"
        found[f"friction in places {i}: {k} {w}"] = first_order(rates, divergence, 0.3, 40.0)
    for i in range(10):
        r, b, s = rng.choice([28, 60, 120]), rng.choice([1, 8 / 3]), rng.choice([10, 16])
        rates = {"x": f"{s}*(y - x)", "y": f"x*({r} - z) - y", "z": f"x*y - {b}*z - z^2/50"}
        found[f"lorenz {i}: {r} {b} {s}"] = first_order(rates, f"-{s} - 1 - {b} - z/25", 1.0, 6.0)
    return found


FAMILY = family()


def system(rates: dict[str, str], start: dict[str, float]) -> ch.System:
    lines = ["coordinates = [" + ", ".join(f'"{x}"' for x in rates) + "]", "[dynamics.velocities]"]
    lines += [f'{x} = "{rate}"' for x, rate in rates.items()]
    lines += ["[initial.position]", *(f"{x} = {value}" for x, value in start.items())]
    return ch.loads("\n".join(lines))


@pytest.mark.parametrize("name", some(sorted(FAMILY), every=7))
def test_the_sum_is_the_mean_divergence_M6(name: str) -> None:
    rates, divergence, start, until = FAMILY[name]
    found = ch.lyapunov(system(rates, start), until=until, tolerance=1e-11)
    beside = system({**rates, "s": divergence}, {**start, "s": 0.0})
    mean = float(ch.simulate(beside, until=until, tolerance=1e-11).s[-1]) / until
    np.testing.assert_allclose(float(found.exponent.sum()), mean, rtol=1e-5, atol=1e-6)


def test_a_sum_that_is_lost_is_said_M6() -> None:
    """At a tolerance of a tenth the contraction drowns in the errors of what grows."""
    rates, _, start, _ = next(case for name, case in FAMILY.items() if name.startswith("roessler"))
    with pytest.raises(ModelError, match="contraction is lost"):
        ch.lyapunov(system(rates, start), until=200, tolerance=0.1)
