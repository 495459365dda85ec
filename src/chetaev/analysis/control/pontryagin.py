r"""Pontryagin's conditions along a motion with least kinetic energy, and the vakonomic motion beside it
(SCOPE K15).

Least ½∫uᵀG(q)u dt with q' = V(q, u): there are momenta p with

    p' = −∂/∂q (p·V − ½uᵀGu),      ∂/∂u (p·V − ½uᵀGu) = 0.

The first is linear in p: p(t) = Ψ(t) p₀ + φ(t); the second then is an overdetermined linear system for p₀,
and what is left of it is by how much the conditions are missed. These are the vakonomic equations of L =
½v·M v with p = M v + μ_a ∂f^a/∂v, so that the μ_a(t₀) follow (:mod:`.geodesic`).
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi
import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.control.controlled_rates import ControlledRates
from chetaev.numeric import least_squares

Array = NDArray[np.float64]

NOTHING = 1e-8
"""A ∂(½uᵀGu)/∂u below it is that of rest, with rounding."""


@dataclass(frozen=True)
class Conditions:
    """By how much the conditions are missed, relative to the largest ∂(½uᵀGu)/∂u, and p₀."""

    missed: float
    momenta: Array


def conditions(made: ControlledRates, t: Array, x: Array, u: Array) -> Conditions | None:
    """Along a motion given at an odd number of equally spaced times: x (states, times), u (inputs, times)."""
    n, count = x.shape
    time, q, w = casadi.SX.sym("t"), casadi.SX.sym("q", n), casadi.SX.sym("u", u.shape[0])
    V = -made.residual(time, q, casadi.SX.zeros(n), w)
    cost = made.cost(time, q, w)
    parts = [casadi.jacobian(V, q), casadi.jacobian(V, w), casadi.gradient(cost, q), casadi.gradient(cost, w)]
    at = casadi.Function("parts", [time, q, w], [casadi.densify(p) for p in parts])
    values = [[np.array(m.full()) for m in at(t[i], x[:, i], u[:, i])] for i in range(count)]
    h = float(t[-1] - t[0]) / ((count - 1) // 2)
    Psi, phi = np.eye(n), np.zeros(n)
    rows, right = [], []
    size = max(NOTHING, *(float(np.abs(v[3]).max(initial=0.0)) for v in values))
    for i in range(0, count, 2):
        _, V_u, _, cost_u = values[i]
        rows.append(V_u.T @ Psi)
        right.append(cost_u[:, 0] - V_u.T @ phi)
        if i + 2 < count:
            both = np.column_stack([Psi, phi])
            both = _step(both, [values[i + k] for k in range(3)], h)
            Psi, phi = both[:, :-1], both[:, -1]
    A, b = np.vstack(rows), np.concatenate(right)
    p0 = least_squares(A, b)
    missed = float(np.abs(A @ p0 - b).max()) / size
    if not np.isfinite(missed):
        return None
    return Conditions(missed, p0)


def _step(p: Array, values: list[list[Array]], h: float) -> Array:
    """A step of Kutta's method for p' = −V_qᵀ p, in the last column + cost_q."""

    def rate(k: int, now: Array) -> Array:
        V_q, _, cost_q, _ = values[k]
        made = -(V_q.T @ now)
        made[:, -1] += cost_q[:, 0]
        return made

    a = rate(0, p)
    b = rate(1, p + h / 2 * a)
    c = rate(1, p + h / 2 * b)
    d = rate(2, p + h * c)
    return np.asarray(p + h / 6 * (a + 2 * b + 2 * c + d))
