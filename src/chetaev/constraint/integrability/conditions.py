"""Theorem 7 in numbers: five conditions, each from its own formula, at one point of Q (SCOPE K17, K18).

In chart coordinates x = (t, q, v_S) with A^a = g^a − B^a_l v^l, B^a_s = ∂g^a/∂v^s, a constraint is
semiholonomic iff

    growth       rank (C + [C, C]) = rank C on Q, C spanned by the fields (61)
    projection   ∂²g/∂v∂v = 0, and the projection (63) of C onto Y is involutive          (Thm 7 (2))
    ideal        dφ^a = 0 on pairs of Chetaev fields, φ^a = dq^a − B^a_s dq^s − A^a dt    (Thm 7 (3))
    equation     ∂_c g^a/∂q^s − d_c/dt ∂g^a/∂v^s = 0 for all accelerations                (Thm 7 (4), (64))

Each function returns values and, of the same shape, the sum of the absolute values of their terms: the size
they would have if nothing cancelled.
"""

from __future__ import annotations

import numpy as np

from chetaev.constraint.submanifold.constraint_in_numbers import Array, Local
from chetaev.numeric import CLEAR, numerical_rank

Pair = tuple[Array, Array]


def velocity_hessian(at: Local) -> Pair:
    """∂²g^a/∂v^r∂v^s on Q: zero iff Q is affine (Thm 6); shape (k, r, r)."""
    o = 1 + at.m
    return at.second[:, o:, o:], at.size[:, o:, o:]


def fields(at: Local) -> tuple[Array, Array]:
    """The fields (61) and their derivatives in chart coordinates: shapes (N, n) and (N, n, n)."""
    m, o = at.m, 1 + at.m
    n = at.first.shape[1]
    r = n - o
    q_a = [1 + a for a in at.dependent]
    vs = at.v[list(at.free)]
    X = np.zeros((1 + 2 * r, n))
    dX = np.zeros((1 + 2 * r, n, n))  # dX[N, i, j] = ∂_j X^i
    X[0, 0] = 1.0
    X[0, q_a] = at.v[list(at.dependent)] - at.B @ vs
    dA = at.first - at.second[:, :, o:] @ vs
    dA[:, o:] -= at.B
    dX[0, q_a] = dA
    for s, i in enumerate(at.free):
        X[1 + s, 1 + i] = 1.0
        X[1 + s, q_a] = at.B[:, s]
        dX[1 + s, q_a] = at.second[:, o + s, :]
        X[1 + r + s, o + s] = 1.0
    assert m + r == n - 1
    return X, dX


def sizes(at: Local) -> tuple[Array, Array]:
    """The sums of absolute values of the terms of what :func:`fields` returns."""
    o = 1 + at.m
    X, dX = fields(at)
    q_a = [1 + a for a in at.dependent]
    vs = np.abs(at.v[list(at.free)])
    absX, absdX = np.abs(X), np.abs(dX)
    for s in range(len(at.free)):
        absdX[1 + s, q_a] = at.size[:, o + s, :]
    absX[0, q_a] = np.abs(at.v[list(at.dependent)]) + np.abs(at.B) @ vs
    dA = np.abs(at.first) + at.size[:, :, o:] @ vs
    dA[:, o:] += np.abs(at.B)
    absdX[0, q_a] = dA
    return absX, absdX


def _applied(at: Local, X: Array, M: Array) -> Array:
    """X M_a for all a, shape (k, N, …): apart from its unit part X has columns along ∂/∂q^a only."""
    o, r = 1 + at.m, len(at.free)
    q_a = [1 + a for a in at.dependent]
    result = M[:, [0, *(1 + i for i in at.free), *range(o, o + r)]]
    k, _, width = M.shape
    flat = M[:, q_a].transpose(1, 0, 2).reshape(len(q_a), k * width)
    moved = (X[: 1 + r, q_a] @ flat).reshape(1 + r, k, width)
    result[:, : 1 + r] += moved.transpose(1, 0, 2)
    return result


def _on_pairs(at: Local, X: Array, M: Array) -> Array:
    """X M_a Xᵀ for all a."""
    return _applied(at, X, _applied(at, X, M).transpose(0, 2, 1)).transpose(0, 2, 1)


def brackets(at: Local) -> Pair:
    """The components along ∂/∂q^a of all brackets of the fields (61), shape (k, N, N): the curvature."""
    X, dX = fields(at)
    q_a = [1 + a for a in at.dependent]
    D = dX[:, q_a]
    absX, absdX = sizes(at)
    P = _applied(at, X, D.transpose(1, 2, 0))  # [a, x, y] = X_x(Y^a)
    Q = _applied(at, absX, absdX[:, q_a].transpose(1, 2, 0))
    return P - P.transpose(0, 2, 1), Q + Q.transpose(0, 2, 1)


def ideal(at: Local) -> Pair:
    """dφ^a on pairs of Chetaev fields, from the forms (60); shape (k, N, N)."""
    o = 1 + at.m
    n = at.first.shape[1]
    X, _ = fields(at)
    vs = at.v[list(at.free)]
    d = np.zeros((len(at.dependent), n, n))  # d[a, j, i] = ∂_j φ^a_i
    dA = at.first - at.second[:, :, o:] @ vs
    dA[:, o:] -= at.B
    d[:, :, 0] = -dA
    for s, i in enumerate(at.free):
        d[:, :, 1 + i] = -at.second[:, :, o + s]
    M = d - d.transpose(0, 2, 1)
    value = _on_pairs(at, X, M)
    absX, absdX = sizes(at)
    absd = np.abs(d)
    for s, i in enumerate(at.free):
        absd[:, :, 1 + i] = at.size[:, :, o + s]
    absd[:, :, 0] = absdX[0, [1 + a for a in at.dependent]]
    size = _on_pairs(at, absX, absd + absd.transpose(0, 2, 1))
    return value, size


def projection(at: Local) -> Pair:
    """Curvature of the projected distribution (63) on Y: [D_0, D_s] and [D_r, D_s]; shape (k, 1 + r, 1 + r).

    Only derivatives along t and q are taken, so it is the curvature of D where Q is affine.
    """
    o = 1 + at.m
    r = len(at.free)
    vs = at.v[list(at.free)]
    A = at.v[list(at.dependent)] - at.B @ vs
    dB = at.second[:, o:, :o]  # [a, s, i]
    dA = at.first[:, :o] - np.einsum("ali,l->ai", dB, vs)
    X = np.zeros((1 + r, o))
    X[0, 0] = 1.0
    X[0, [1 + a for a in at.dependent]] = A
    for s, i in enumerate(at.free):
        X[1 + s, 1 + i] = 1.0
        X[1 + s, [1 + a for a in at.dependent]] = at.B[:, s]
    slope = np.concatenate([dA[:, None, :], dB], axis=1)  # [a, y, i]
    whole, _ = sizes(at)
    absdB = at.size[:, o:, :o]
    absdA = np.abs(at.first[:, :o]) + np.einsum("ali,l->ai", absdB, np.abs(vs))
    P = X @ slope.transpose(0, 2, 1)
    Q = whole[: 1 + r, :o] @ np.concatenate([absdA[:, None, :], absdB], axis=1).transpose(0, 2, 1)
    return P - P.transpose(0, 2, 1), Q + Q.transpose(0, 2, 1)


def equation(at: Local) -> Pair:
    """(64) without accelerations, ∂_c g^a/∂q^s − d'_c/dt ∂g^a/∂v^s; shape (k, r)."""
    o = 1 + at.m
    gq = at.first[:, 1:o]
    free, dep = list(at.free), list(at.dependent)
    left = gq[:, free] + gq[:, dep] @ at.B
    whole = np.concatenate([[1.0], at.v])
    right = np.einsum("asi,i->as", at.second[:, o:, :o], whole)
    size = np.abs(gq[:, free]) + np.abs(gq[:, dep]) @ np.abs(at.B)
    size = size + np.einsum("asi,i->as", at.size[:, o:, :o], np.abs(whole))
    return left - right, size


def growth_step(at: Local) -> tuple[int, int]:
    """rank C and rank (C + [C, C]) on Q at the point."""
    X, _ = fields(at)
    value, size = brackets(at)
    scale = np.maximum(size.max(axis=(1, 2), initial=0.0), 1e-300)
    scaled = (value / scale[:, None, None]).reshape(value.shape[0], -1)
    return X.shape[0], X.shape[0] + numerical_rank(scaled, CLEAR, 1.0)


def weigh(pairs: list[Pair], floor: Array) -> float:
    """The largest value in units of its terms over all points; floor has one entry for each row a."""
    worst = 0.0
    for value, size in pairs:
        if value.size:
            shape = (-1,) + (1,) * (value.ndim - 1)
            worst = max(worst, float(np.max(np.abs(value) / (size + floor.reshape(shape)))))
    return worst


def row_floor(locals_: list[Local], factor: float = 1e-9) -> Array:
    """A size for each row below which a value counts as rounding: a small part of the largest derivative."""
    k = locals_[0].first.shape[0]
    top = np.zeros(k)
    for at in locals_:
        top = np.maximum(top, np.abs(at.first).max(axis=1, initial=0.0))
        top = np.maximum(top, at.size.reshape(k, -1).max(axis=1, initial=0.0) if k else top)
        top = np.maximum(top, at.noise)
    return np.maximum(top * factor, 1e-300)
