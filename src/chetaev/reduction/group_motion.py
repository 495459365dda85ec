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

The part of a velocity along the group: the mechanical and the nonholonomic connection (SCOPE M4, M6).

With the kinetic metric M, the fields X_a and the constraint distribution D, let S = D ∩ span X_a. A velocity
in D is split into its M-orthogonal projection on S and the rest,

    q̇ = ξ^a X_a(q) + h,        ξ = C (Cᵀ Xᵀ M X C)⁻¹ Cᵀ Xᵀ M q̇,      columns of C: a basis of {ξ : X ξ ∈ D}.

Without constraints ξ = I⁻¹ J, locked inertia and momentum: the mechanical connection. If the group is
transverse to D (Chaplygin's case), S = 0 and all of q̇ is horizontal. Between the two lies the nonholonomic
connection of Bloch, Krishnaprasad, Marsden and Murray. Constraints that are not linear and homogeneous in
the velocities have no D; then S is all of span X_a.

>>> import chetaev as ch
>>> import numpy as np
>>> from chetaev.laws.symmetry.given_fields import read_fields
>>> beanie = ch.System(coordinates=["a", "b"], lagrangian="3*a'^2/2 + (a' + b')^2/2")
>>> split = GroupConnection(beanie, read_fields(beanie, [{"a": 1}], "point"))
>>> split.kind, split(np.array([0.0]), np.array([[0.1, 0.2]]), np.array([[1.0, 2.0]])).tolist()
('mechanical', [[1.5]])
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import casadi
import numpy as np
from numpy.typing import NDArray

from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr, symbols
from chetaev.laws.standpoint import standpoints
from chetaev.laws.symmetry.given_fields import Components
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.system import System
from chetaev.numeric import CLEAR, newton
from chetaev.numeric.linear import kernel, least_squares

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


class GroupConnection:
    """ξ(q, q̇) for arrays of states."""

    def __init__(self, system: System, fields: Sequence[Components]) -> None:
        if system.dynamics.lagrangian is None:
            raise ModelError(
                f"a connection needs kinetic energy: {system.dynamics.lacks('Lagrangian')}",
                remedy="phases are had for systems with a Lagrangian",
            )
        self.system = system
        s = Setup(system)
        rows = casadi.vertcat(s.f)
        hessian, jacobian, moved, rest = s.matrices(
            casadi.hessian(s.L, s.v)[0],
            casadi.jacobian(rows, s.v) if s.k else casadi.SX(0, 1),
            casadi.horzcat(*(casadi.densify(s.column([e for _, e in f.along])) for f in fields)),
            rows - casadi.jacobian(rows, s.v) @ s.v if s.k else casadi.SX(0, 1),
        )
        linear = not any(k for row in jacobian for e in row for _, k in symbols(e))
        linear = linear and all(
            v.is_zero for v in vanish(system, [e for (e,) in rest], standpoints(system)[-1])
        )
        self.kind = "nonholonomic" if system.velocity_constraints and linear else "mechanical"
        self._tables = [hessian, jacobian if linear else [], moved]

    def __call__(self, t: Array, q: Array, v: Array) -> Array:
        """One row of ξ for each state."""
        metric, jacobian, fields = (self._values(table, t, q, v) for table in self._tables)
        found = []
        for k in range(len(t)):
            X, M = fields[k], metric[k]
            C = kernel(jacobian[k] @ X) if jacobian.size else np.eye(X.shape[1])
            if not C.shape[1]:
                found.append(np.zeros(X.shape[1]))
                continue
            Y = X @ C
            MY = M @ Y
            z = least_squares(Y.T @ MY, (MY.T @ v[k][:, None])[:, 0])
            found.append((C @ z[:, None])[:, 0])
        return np.array(found)

    def _values(self, table: list[list[Expr]], t: Array, q: Array, v: Array) -> Array:
        if not table or not table[0]:
            return np.zeros((len(t), 0, 0))
        flat = [e for row in table for e in row]
        found = evaluate(flat, self.system.values_at(t, q.T, v.T))
        columns = [np.broadcast_to(np.asarray(x, dtype=float), t.shape) for x in found]
        return np.stack(columns, axis=-1).reshape(len(t), len(table), len(table[0]))
