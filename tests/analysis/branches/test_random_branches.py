"""Branches of random damped systems against a second derivation: polynomials differentiated by NumPy (M6)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import chetaev as ch
from portions import parts


class Well:
    """V(x, y, a): random terms up to the fourth degree, bounded below; friction and a skew force."""

    def __init__(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        self.terms = {(4, 0, 0): 0.25, (0, 4, 0): 0.25}
        for i in range(4):
            for j in range(4 - i):
                for k in range(2):
                    if i + j and random.random() < 0.6:
                        self.terms[i, j, k] = float(np.round(random.uniform(-1.5, 1.5), 3))
        self.friction, self.skew = (float(np.round(random.uniform(0.05, 0.6), 3)) for _ in range(2))

    def system(self) -> ch.System:
        potential = " + ".join(f"({c})*x^{i}*y^{j}*a^{k}" for (i, j, k), c in self.terms.items())
        return ch.System(
            coordinates=["x", "y"], lagrangian=f"(x'^2 + y'^2)/2 - ({potential})", parameters={"a": 0},
            forces={
                "x": f"-{self.friction}*x' + {self.skew}*a*y", "y": f"-{self.friction}*y' - {self.skew}*a*x"
            },
        )  # fmt: skip

    def derivative(self, orders: tuple[int, int], x: float, y: float, a: float) -> float:
        total = 0.0
        for (i, j, k), c in self.terms.items():
            factor = c * a**k
            for power, order, value in ((i, orders[0], x), (j, orders[1], y)):
                for n in range(order):
                    factor *= power - n
                factor *= value ** (power - order) if power >= order else 0.0
            total += factor
        return total

    def force(self, x: float, y: float, a: float) -> np.ndarray:
        s = self.skew * a
        return np.array(
            [-self.derivative((1, 0), x, y, a) + s * y, -self.derivative((0, 1), x, y, a) - s * x]
        )

    def matrix(self, x: float, y: float, a: float) -> np.ndarray:
        h = [[self.derivative((2 - i - j, i + j), x, y, a) for j in range(2)] for i in range(2)]
        K = -np.array(h) + self.skew * a * np.array([[0, 1], [-1, 0]])
        return np.block([[np.zeros((2, 2)), np.eye(2)], [K, -self.friction * np.eye(2)]])


@pytest.mark.parametrize("seed", parts(range(24), slow=4))
def test_branches_and_their_points_M6(seed: int) -> None:
    well = Well(seed)
    system = well.system()
    found = ch.equilibria(system)
    assert found.complete
    diagram = ch.follow(system, found, "a", (-1, 1))
    for branch in diagram:
        x, y = branch.values["x"], branch.values["y"]
        for i in range(0, len(branch), 5):
            at = float(x[i]), float(y[i]), float(branch.parameter[i])
            assert np.abs(well.force(*at)).max() < 1e-9 * (1 + max(map(abs, at)) ** 3)
            expected = np.linalg.eigvals(well.matrix(*at))
            far = max(min(abs(z - w) for w in branch.eigenvalues[i]) for z in expected)
            assert far < 1e-5 * (1 + np.abs(expected).max())
    for p in diagram.points:
        at = p.state["x"], p.state["y"], p.parameter
        spectrum = np.linalg.eigvals(well.matrix(*at))
        assert np.abs(well.force(*at)).max() < 1e-8
        if p.kind == "Hopf":
            nearest = min(spectrum, key=lambda z: abs(z - 1j * p.frequency))
            assert abs(nearest - 1j * p.frequency) < 1e-8
        else:
            assert min(abs(spectrum)) < 1e-6
    crossings = [p for p in diagram.points if p.kind in ("pitchfork", "transcritical")]
    for number, branch in enumerate(diagram):
        x, y = branch.values["x"], branch.values["y"]
        signs = [
            np.sign(np.linalg.det(well.matrix(float(u), float(v), float(a))))
            for u, v, a in zip(x, y, branch.parameter, strict=True)
        ]
        kinds = [p.kind for p in diagram.points if p.branch == number]
        through = sum(
            p.branch != number
            and bool((abs(branch.parameter - p.parameter) + abs(x - p.state["x"]) < 1e-9).any())
            for p in crossings
        )  # a branch that was switched to goes through the point that was found on the other one
        changes = sum(s != t for s, t in pairwise([s for s in signs if s]))
        assert changes == through + sum(k in ("fold", "pitchfork", "transcritical", "zero") for k in kinds)
        pairs = sum(abs(int(t) - int(s)) >= 2 for s, t in pairwise(branch.unstable))
        assert pairs <= kinds.count("Hopf")
