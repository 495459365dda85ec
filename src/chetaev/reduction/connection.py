"""The part of a velocity along the group: the mechanical and the nonholonomic connection (SCOPE M4, M6).

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
from chetaev.numeric.linear import kernel, least_squares

Array = NDArray[np.float64]


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
