"""Many small systems of equations at once, in fixed order.

A = QR by Gram and Schmidt, with the right side as one more column and the identity below (Björck, *BIT* 7,
1967): what the columns lose above, they gain below, where R⁻¹ and −x are left. The stack is the last axis, so
that every sum runs over rows, one after the other, for all members alike.

>>> A = np.array([[[2.0, 0.0], [0.0, 4.0]], [[1.0, 1.0], [1.0, 1.0]]])
>>> x, evenness = solve_stack(A, np.ones((2, 2)))
>>> x[0], bool(evenness[0] > 0.3), bool(evenness[1] > 1e-15)
(array([0.5 , 0.25]), True, False)
"""

from __future__ import annotations

import numpy as np

from chetaev.numeric.linear import least_squares
from chetaev.numeric.pivots import pivot_columns
from chetaev.numeric.products import Array

MEMBERS = 4096
"""So many systems are solved together."""
EVEN = 1e-8
"""What is less even is solved alone, with pivots of its own."""


def solve_stack(A: Array, b: Array) -> tuple[Array, Array]:
    """Least squares solutions x (K, n) of A x = b, shapes (K, m, n) and (K, m) with m ≥ n; and 1/(|A|·|R⁻¹|).

    The second, in Frobenius norms, is at most σ_min/σ_max; where it is no positive number, x is none.
    """
    if len(A) > MEMBERS:
        parts = [solve_stack(A[i : i + MEMBERS], b[i : i + MEMBERS]) for i in range(0, len(A), MEMBERS)]
        return np.concatenate([x for x, _ in parts]), np.concatenate([e for _, e in parts])
    count, m, n = A.shape
    work = np.zeros((m + n, n + 1, count))
    work[:m, :n], work[:m, n] = A.transpose(1, 2, 0), b.T
    work[m:, :n] = np.eye(n)[:, :, None]
    size = np.sqrt(np.add.reduce(work[:m, :n].reshape(m * n, count) ** 2, axis=0))
    with np.errstate(all="ignore"):
        for i in range(n):
            work[:, i] /= np.sqrt(np.add.reduce(work[:m, i] ** 2, axis=0))
            parts_of = np.add.reduce(work[:m, i, None] * work[:m, i + 1 :], axis=0)
            work[:, i + 1 :] -= work[:, i, None] * parts_of
        inverse = np.sqrt(np.add.reduce(work[m:, :n].reshape(n * n, count) ** 2, axis=0))
        return -work[m:, n].T, 1.0 / (size * inverse)


def shortest_stack(A: Array, b: Array, rank: int) -> Array:
    """The shortest x (K, n) with A x = b for a stack of matrices (K, m, n) of one rank.

    A = B T with columns B of A that are independent, so that T contains 1: x = Tᵀ(T Tᵀ)⁻¹ y where B y = b.

    >>> shortest_stack(np.array([[[1.0, 2.0], [2.0, 4.0]]]), np.array([[5.0, 10.0]]), 1)
    array([[1., 2.]])
    """
    count, _, n = A.shape
    if not (count and rank):
        return np.zeros((count, n))
    columns = sorted(pivot_columns(A[0], rank)) if rank < n else list(range(n))
    x, evenness = np.zeros((count, n)), np.zeros(count)
    if len(columns) == rank:
        B = A[:, :, columns]
        x, evenness = solve_stack(B, b)
        if rank < n:
            T = np.stack([solve_stack(B, A[:, :, j])[0] for j in range(n)], axis=2)
            gram = np.stack([stack_times(T, T[:, i]) for i in range(rank)], axis=2)
            x = stack_times(T.swapaxes(1, 2), solve_stack(gram, x)[0])
    for k in np.flatnonzero(~(evenness > EVEN)):
        x[k] = least_squares(A[k], b[k], rank=rank)
    return x


def stack_times(A: Array, x: Array) -> Array:
    """A x for a stack, shapes (..., m, n) and (..., n)."""
    result = np.zeros(A.shape[:-1])
    for j in range(A.shape[-1]):
        result += A[..., j] * x[..., j, None]
    return result
