"""Velocities that positions determine: L = p_i(t, q) v^i − H(t, q) without constraints, Ω(t, q) v = b(t, q).

    Ω_ij = ∂p_i/∂q^j − ∂p_j/∂q^i − ∂F_i/∂v^j,      b = F|_{v = 0} − ∂H/∂q − ∂p/∂t,

the Euler–Lagrange equations of a Lagrangian affine in the velocities, which contain no accelerations. Another
degenerate Lagrangian determines its velocities otherwise, or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from chetaev.expr.graph.node import ZERO, symbol
from chetaev.model.checked_fields import Fields
from chetaev.numeric import least_squares, numerical_rank
from chetaev.numeric.linear import Array


def velocities_of_positions(
    fields: Fields, parameters: Mapping[str, float], t: float, q: Array
) -> Array | None:
    """The velocities at a time and a place; None where the law does not determine them so."""
    L = fields.dynamics.lagrangian
    constraints = (fields.position_constraints, fields.velocity_constraints, fields.acceleration_constraints)
    if L is None or any(constraints):
        return None
    import casadi  # every state without enough velocities comes by here, and few have such a Lagrangian

    from chetaev.expr.graph.engine import Engine, is_linear

    engine = Engine()
    names = [symbol(c) for c in fields.coordinates]
    speeds = [symbol(c, 1) for c in fields.coordinates]
    Q, V = engine.column(names), engine.column(speeds)
    T = engine(symbol(fields.time))
    p = engine.gradient(L, speeds)
    if casadi.jacobian(p, V).nnz():
        return None
    F = engine.column([fields.dynamics.forces.get(c, ZERO) for c in fields.coordinates])
    law = casadi.jtimes(p, casadi.vertcat(T, Q), casadi.vertcat(1, V)) - engine.gradient(L, names) - F
    if not is_linear(law, V):
        return None
    given = [symbol(n) for n in parameters]
    known = casadi.Function("law", [engine.column([symbol(fields.time), *names, *speeds, *given])], [
        casadi.densify(casadi.jacobian(law, V)), casadi.densify(law),
    ])  # fmt: skip
    at = np.array([t, *q, *np.zeros(len(q)), *parameters.values()])
    omega, rest = (np.array(part, dtype=float) for part in known(at))
    if not np.isfinite(omega).all() or numerical_rank(omega) < len(q):
        return None
    v = -least_squares(omega, rest.ravel())
    return v if np.isfinite(omega @ v).all() else None
