"""Motion along a group given by fields: ẏ = ξ^a(t) X_a(y), and exponents that take one state to another.

States are (q, v), fields are prolonged. ξ is known at the nodes of Gauss's rule with three stages in every
step, whose collocation method of order six needs nothing else.

>>> import chetaev as ch
>>> import numpy as np
>>> from chetaev.laws.symmetry.given_fields import read_fields
>>> plane = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2")
>>> turns = GroupMotion(plane, read_fields(plane, [{"x": "-y", "y": "x"}], "point"))
>>> turns.shifted(np.array([1.0, 0.0, 0.0, 2.0]), np.array([np.pi / 2])).round(9).tolist()
[0.0, 1.0, -2.0, 0.0]
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import casadi
import numpy as np
from numpy.typing import NDArray

from chetaev.equations.law.setup import Setup
from chetaev.expr.graph.evaluate import evaluate
from chetaev.laws.symmetry.given_fields import Components
from chetaev.model.system import System
from chetaev.numeric import CLEAR, newton

Array = NDArray[np.float64]

_ROOT = math.sqrt(15)
NODES = np.array([0.5 - _ROOT / 10, 0.5, 0.5 + _ROOT / 10])
WEIGHTS = np.array([5 / 18, 4 / 9, 5 / 18])
STAGES = np.array(
    [
        [5 / 36, 2 / 9 - _ROOT / 15, 5 / 36 - _ROOT / 30],
        [5 / 36 + _ROOT / 24, 2 / 9, 5 / 36 - _ROOT / 24],
        [5 / 36 + _ROOT / 30, 2 / 9 + _ROOT / 15, 5 / 36],
    ]
)
SWEEPS = 60
STEPS = 24
"""Of a motion with constant ξ, at least; one for every tenth of its size."""
DIFFERENCE = 1e-6
CLOSE = 1e-10
"""How close a state has to come to the one wanted, relative to its size."""


class GroupMotion:
    """The prolonged fields at a state, and what they do."""

    def __init__(self, system: System, fields: Sequence[Components]) -> None:
        self.system = system
        self.count = len(fields)
        s = Setup(system)
        columns = []
        for f in fields:
            xi = casadi.densify(s.column([e for _, e in f.along]))
            columns.append(casadi.vertcat(xi, s.along(xi)))
        (self._graphs,) = s.matrices(casadi.horzcat(*columns))

    def fields(self, y: Array) -> Array:
        """X_a^(1)(y) as columns."""
        n = len(self.system.coordinates)
        values = self.system.values_at(0.0, y[:n], y[n:])
        flat = evaluate([e for row in self._graphs for e in row], values)
        return np.array(flat, dtype=float).reshape(2 * n, self.count)

    def transported(self, y: Array, xi: Array, h: float) -> Array:
        """The state after steps of length h with ξ at their nodes: `xi` has the shape (steps, 3, fields)."""
        for here in xi:
            slopes = np.array([(self.fields(y) @ here[k][:, None])[:, 0] for k in range(3)])
            for _ in range(SWEEPS):
                inner = [y + h * (STAGES[k : k + 1] @ slopes)[0] for k in range(3)]
                new = np.array([(self.fields(inner[k]) @ here[k][:, None])[:, 0] for k in range(3)])
                change = float(np.abs(new - slopes).max(initial=0.0))
                slopes = new
                if change <= 1e-16 * (1 + float(np.abs(new).max(initial=0.0))):
                    break
            y = y + h * (WEIGHTS[None, :] @ slopes)[0]
        return y

    def shifted(self, y: Array, exponents: Array) -> Array:
        """exp(c^a X_a) y."""
        size = float(np.abs(exponents).max(initial=0.0))
        steps = STEPS + math.ceil(10 * size)
        xi = np.broadcast_to(exponents, (steps, 3, self.count))
        return self.transported(y, np.array(xi), 1.0 / steps)

    def exponents(
        self, start: Array, end: Array, guesses: Sequence[Array], turns: Array
    ) -> tuple[Array, float] | None:
        """c with exp(c^a X_a) start = end, and what is left of it; None if no guess leads there.

        Components marked in `turns` are angles, compared up to whole turns.
        """
        size = 1 + float(np.abs(end).max(initial=0.0))

        def off(c: Array) -> Array:
            rest = self.shifted(start, c) - end
            whole = 2 * math.pi * np.round(rest / (2 * math.pi))
            return np.where(turns, rest - whole, rest)

        def missed(c: Array) -> tuple[Array, Array]:
            steps = DIFFERENCE * np.eye(self.count)
            columns = [(off(c + step) - off(c - step)) / (2 * DIFFERENCE) for step in steps]
            return off(c), np.array(columns).T.reshape(len(end), self.count)

        best: tuple[Array, float] | None = None
        for guess in guesses:
            found = newton(missed, guess, goal=1e-12, steps=25, rcond=CLEAR)
            left = np.inf if found is None else float(np.abs(found.f).max(initial=0.0))
            if found is not None and (best is None or left < best[1]):
                best = found.x, left
            if left <= CLOSE * size:
                break
        return best if best is not None and best[1] <= 1e4 * CLOSE * size else None
