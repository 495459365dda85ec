"""Random forced systems with constraints of all kinds: volumes change by exp ∫ div X dt (M6).

The divergence is that of A = ∂X/∂y in a chart of Q, from `ch.linearize` along the motion, which solves one
linear system for each state; return maps and multipliers come from the compiled tangent flow. They share no
code but the model.
"""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from scipy.integrate import simpson

import chetaev as ch
from portions import parts

PERIOD = 2 * math.pi
CONSTRAINTS = (
    {},
    {"velocity": ["z' = x*y' + {a}*x'"]},
    {"velocity": ["z' = sin(x)*y' + {a}*cos(t)"]},  # affine, with time
    {"velocity": ["z' + {a}*z'^3 = x' + y'*z"]},  # cubic in the velocities
    {"position": ["z = x^2/4 + {a}*x*y + y^2/5"]},
    {"position": ["z = x*y/2 + {a}*cos(t)"]},
)


def system(seed: int) -> ch.System:
    """Three damped coordinates, driven with the period 2π."""
    rng = random.Random(seed)
    a, b, c, d, e = (rng.randint(1, 9) / 10 for _ in range(5))
    law = f"(x'^2 + y'^2 + z'^2)/2 + {a}*x'*y'*cos(z)/3 - (x^2 + 2*y^2 + z^2)/2 - {b}*x^4/4"
    given = CONSTRAINTS[seed % len(CONSTRAINTS)]
    rows = {k: [text.format(a=d / 2) for text in texts] for k, texts in given.items()}
    friction = {q: f"-{0.4 + e / 4}*{q}' - {b}*{q}'^3/20" for q in "xyz"}
    return ch.System(
        coordinates=["x", "y", "z"], lagrangian=f"{law} + {c}*x*cos(t) + y*sin(t)/5", forces=friction,
        constraints=rows, initial={"x": 0, "y": 0, "x'": 0, "y'": 0} | ({} if rows else {"z": 0, "z'": 0}),
    )  # fmt: skip


def divergence(model: ch.System) -> tuple[list[str], float]:
    """The coordinates of a chart, and the integral of the divergence over a period of the forcing."""
    motion = ch.simulate(model, until=PERIOD, at=np.linspace(0, PERIOD, 401), tolerance=1e-11)
    along = ch.linearize(model, along=motion)
    traces = np.trace(along.A.values, axis1=1, axis2=2)
    return [str(n) for n in along.state.values], float(simpson(traces, x=along.time.values))


def found_orbit(model: ch.System, guess: dict[str, float]) -> object:
    """The closed motion near a guess; None where the answer is that Newton's method finds none."""
    try:
        return ch.periodic(model, guess, period=PERIOD)
    except ch.ModelError as error:
        if "misses by" not in str(error):
            raise
        return None


@pytest.mark.parametrize("seed", parts(range(21), 4))
def test_volumes_change_by_the_exponential_of_the_divergence_M6(seed: int) -> None:
    model = system(seed)
    settled = ch.simulate(model, until=20 * PERIOD, at=[20 * PERIOD])
    assert settled.attrs["status"] == "done", settled.attrs["reason"]
    guess = {n: float(settled[n][-1]) for q in "xyz" for n in (q, f"{q}_dot")} | {"t": 0}
    names, expected = divergence(model.with_initial(guess))
    P = ch.return_map(model, initial=guess, period=PERIOD)
    assert len(P.coordinates) == len(names)
    if list(P.coordinates) == names:
        found = math.log(abs(np.linalg.det(P.derivative(P.start))))
        assert abs(found - expected) < 1e-5 * max(1.0, abs(expected))
    orbit = found_orbit(model, guess)
    if orbit is None:  # nonholonomic constraints let some of them drift for ever
        assert abs(P(P.start) - P.start).max() > 1e-6
        return
    assert orbit.residual < 1e-8
    names, expected = divergence(orbit.system)
    assert len(orbit.multipliers) == len(names)
    found = math.log(abs(np.prod(orbit.multipliers)))
    assert abs(found - expected) < 1e-5 * max(1.0, abs(expected))
    assert (orbit.family, orbit.stable) == (0, True)
