"""Random systems with motions of the plane planted: reduced, and right at states off the section (B11)."""

from __future__ import annotations

import random

import numpy as np
import pytest

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate
from portions import parts

U, W = "(x'*cos(phi) + y'*sin(phi))", "(y'*cos(phi) - x'*sin(phi))"
MOVES = [{"x": 1}, {"y": 1}, {"x": "-y", "y": "x", "phi": 1}]


def planted(seed):
    """Kinetic energy, potential, forces and one or two constraints in the moving frame, shapes r."""
    rng = random.Random(seed)
    velocities = [U, W, "phi'", "r'"]

    def shape():
        return rng.choice(["1", "r", "cos(r)", "(2 + sin(r))", "r^2", "k", "exp(-r)"])

    kinetic = " + ".join(f"{rng.randint(1, 4)}*{v}^2/2" for v in velocities)
    a, b = rng.sample(velocities, 2)
    kinetic += f" + {a}*{b}*cos(r)/4"
    potential = rng.choice(["k*r^2/2", "cos(r)", "r^4 - k*r", "0"])
    timed = rng.choice(["", "", "*cos(t)"])
    constraints = []
    for _ in range(rng.choice([1, 1, 2])):
        chosen = rng.sample(velocities, rng.choice([2, 3]))
        left = " + ".join(f"{rng.choice([1, 2, -1])}*{shape()}*{v}" for v in chosen)
        constraints.append(f"{left} = {rng.choice(['0', '0', 'k*r'])}{timed}")
    forces = {"r": f"-{shape()}*r'{timed}"} if rng.random() < 0.5 else {}
    return ch.System(
        coordinates=["x", "y", "phi", "r"],
        lagrangian=f"{kinetic} - ({potential})",
        constraints=constraints,
        forces=forces,
        parameters={"k": rng.randint(1, 3)},
    )


@pytest.mark.parametrize("seed", parts(range(24), slow=3))
def test_B11_planted_motions_of_the_plane_are_reduced_and_right_everywhere(seed):
    system = planted(seed)
    try:
        states = system.random_states(4)
    except ch.ModelError:
        return
    found = ch.reduce(system, symmetries=MOVES)
    assert found.closed is True
    assert all(r.evidence.startswith("proved") for r in found.rates.values())
    field = ch.field(system)
    for state in states:
        q = np.array([[state[c] for c in system.coordinates]])
        v = np.array([[state[f"{c}_dot"] for c in system.coordinates]])
        time = float(state.get(system.time, 0.0))
        acceleration = field(time, q, v)

        def values(h, q=q, v=v, acceleration=acceleration, time=time):
            here = dict(system.parameter_values) | {system.time: time + h}
            for i, c in enumerate(system.coordinates):
                here[c, 0] = (q + h * v + h * h / 2 * acceleration)[0, i]
                here[c, 1] = (v + h * acceleration)[0, i]
            return [evaluate([s.function], here)[0] for s in found.invariants]

        start, before, after = (np.array(values(h), dtype=float) for h in (0.0, -1e-5, 1e-5))
        sigma = {(s.name, 0): x for s, x in zip(found.invariants, start, strict=True)}
        sigma |= dict(system.parameter_values) | {system.time: time}
        expected = np.array([evaluate([found.field[s.name]], sigma)[0] for s in found.invariants])
        slope = (after - before) / 2e-5
        np.testing.assert_allclose(slope, expected, rtol=1e-4, atol=1e-4 * (1 + np.abs(expected).max()))
