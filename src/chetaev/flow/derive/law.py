"""The law at many states by rank-revealing elimination, whatever the units.

    M a + h = Cᵀμ,      C a + c = 0,      rank C = r

Rows and columns of C are scaled to largest entries near 1; r pivots are taken, each the largest entry left
(complete pivoting). They give S, which spans ker C, and a_p with C a_p + c = 0; then
(SᵀMS) z = −Sᵀ(h + M a_p) is scaled so that the sizes |S|ᵀ|M||S| of what cancels in it are near 1, and
solved with complete pivoting as well. The smallest pivot says how far the law is from a singular one: about
1/condition, the same for all units. What is left of the rows without a pivot, redundant ones, says how far
they contradict the others.

Rounding leaves 1e-16 where M, C or the reduced matrix is singular, and elimination would divide by it. The
graphs are exact and a state in doubles is an exact point, so 50 digits decide. The policy:

- nan where a pivot is below 8 (n + m) ε, ε = 2⁻⁵²: states and parameters are known to ε only, and within
  that the law is singular;
- nan where the rank of C is below its rank on Q, and where redundant rows contradict the others by more than
  `OFF`, which they do off Q: there no acceleration satisfies all equations;
- elsewhere the accelerations, right to the last digits however ill conditioned the law is.

All arrays are stacks, of doubles or of mpmath's numbers; what only compares sizes is in doubles.

>>> found, excess, smallest = settle(
...     1, np.diag([2.0, 2.0])[None], np.array([[0.0, 20.0]]), np.array([[[0.0, 1.0]]]), np.array([[-3.0]])
... )
>>> found.tolist(), excess.tolist(), smallest.tolist()
([[0.0, 3.0]], [0.0], [1.0])
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chetaev.errors import DivisionByZeroError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.evaluate import evaluate_mp, mp_context
from chetaev.flow.derive.chart import OFF
from chetaev.flow.derive.ingredients import Ingredients

Doubles = NDArray[np.float64]
SWEEPS = 4


def settle(rank: int, mass: Any, h: Any, C: Any, c: Any) -> tuple[Any, Doubles, Doubles]:
    """The accelerations (N, n); how far redundant rows contradict the others, relative to 1 + |c|; and the
    smallest pivot, 0 where the law is singular. M (N, n, n), h (N, n), C (N, m, n), c (N, m).
    """
    rows, columns = _balanced(C)
    C = C * rows[:, :, None] * columns[:, None, :]
    c, h, M = c * rows, h * columns, mass * columns[:, :, None] * columns[:, None, :]
    largest = np.abs(c).max(axis=1, initial=0.0)
    C, c, order, smallest = _eliminated(C, c, rank)
    excess = _doubles(np.abs(c[:, rank:]).max(axis=1, initial=0.0) / (1 + largest))
    left = np.abs(C[:, rank:, rank:]).max(axis=(1, 2), initial=0.0)
    excess = np.maximum(excess, _doubles(left))
    count, n = h.shape
    free = n - rank
    M = np.take_along_axis(np.take_along_axis(M, order[:, :, None], 1), order[:, None, :], 2)
    unit = np.broadcast_to(np.eye(free), (count, free, free))
    S = np.concatenate([-C[:, :rank, rank:], unit], axis=1)
    found = np.concatenate([-c[:, :rank], np.zeros((count, free))], axis=1)
    load = np.take_along_axis(h, order, 1) + (M @ found[..., None])[..., 0]
    across, sizes = S.swapaxes(1, 2), np.abs(S)
    right = -(across @ load[..., None])[..., 0]
    sizes = _doubles(sizes.swapaxes(1, 2) @ np.abs(M) @ sizes)
    turn, lift = _weights(sizes)
    smallest = np.where((turn > 0).all(axis=1), smallest, 0.0)
    reduced = across @ M @ S * turn[:, :, None] * (turn * lift)[:, None, :]
    _, z, places, least = _eliminated(reduced, right * turn, free)
    smallest = np.minimum(smallest, least)
    turned = np.empty_like(z)
    np.put_along_axis(turned, places, z, 1)
    found = found + (S @ (turned * turn * lift)[..., None])[..., 0]
    a = np.empty_like(found)
    np.put_along_axis(a, order, found, 1)
    return a * columns, excess, smallest


def _doubles(values: Any) -> Doubles:
    return np.asarray(values, dtype=float)


def _balanced(C: Any) -> tuple[Doubles, Doubles]:
    """Factors for rows and columns that bring the largest entries near 1 (Ruiz 2001)."""
    sizes = _doubles(np.abs(C))
    rows, columns = np.ones(sizes.shape[:2]), np.ones(sizes.shape[::2])
    for _ in range(SWEEPS):
        big = (sizes * columns[:, None, :]).max(axis=2, initial=0.0) * rows
        rows = rows / np.sqrt(np.where(big > 0, big, 1.0))
        big = (sizes * rows[:, :, None]).max(axis=1, initial=0.0) * columns
        columns = columns / np.sqrt(np.where(big > 0, big, 1.0))
    return rows, columns


def _weights(sizes: Doubles) -> tuple[Doubles, Doubles]:
    """Factors that bring the rows of a symmetric matrix to largest entries near 1, 0 where it has none; and
    further ones for columns that stay small, as they can where a matrix is not symmetric, else 1.
    """
    turn = np.ones(sizes.shape[:2])
    sizes = np.where(
        np.isfinite(sizes), sizes, 0.0
    )  # a law beyond double precision is singular, or not finite
    for _ in range(SWEEPS):
        for i in range(sizes.shape[1]):
            big = (sizes[:, i] * turn).max(axis=1, initial=0.0) * turn[:, i]
            turn[:, i] = np.where(big > 0, turn[:, i] / np.sqrt(np.where(big > 0, big, 1.0)), 0.0)
    big = (sizes * turn[:, :, None]).max(axis=1, initial=0.0) * turn
    small = (big > 1e-300) & (big < 1e-6)
    return turn, np.where(small, 1.0 / np.where(small, big, 1.0), 1.0)


def _eliminated(A: Any, b: Any, rank: int) -> tuple[Any, Any, NDArray[np.intp], Doubles]:
    """Gauss–Jordan elimination of stacks [A | b] with complete pivoting: then row k < rank has 1 in column k
    and 0 in the other pivots' columns. The order of the columns, and the smallest pivot, 0 if one is missing.
    """
    count, _, n = A.shape
    both, each = np.concatenate([A, b[..., None]], axis=2), np.arange(count)
    order = np.broadcast_to(np.arange(n), (count, n)).copy()
    smallest = np.ones(count)
    for k in range(rank):
        part = np.abs(both[:, k:, k:n]).reshape(count, -1)
        place = part.argmax(axis=1)
        smallest = np.minimum(smallest, _doubles(part[each, place]))
        row, column = k + place // (n - k), k + place % (n - k)
        both[each, k], both[each, row] = both[each, row], both[each, k]
        both[each, :, k], both[each, :, column] = both[each, :, column], both[each, :, k]
        order[each, k], order[each, column] = order[each, column], order[each, k]
        pivot = both[:, k, k]
        both[:, k] = both[:, k] / np.where(pivot == 0, 1, pivot)[:, None]
        factor = both[:, :, k].copy()
        factor[:, k] = 0
        both = both - factor[:, :, None] * both[:, k][:, None, :]
    return both[..., :n], both[..., n], order, smallest


DIGITS = 50
SINGULAR = 8 * 2.0**-52


class ExactLaw:
    """M, h − F, C and c of a model as exact graphs, and the accelerations that follow.

    >>> import chetaev as ch
    >>> law = ExactLaw(Ingredients.of(ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2")))
    >>> print(law.accelerations({"t": 0, ("x", 0): 2, ("x", 1): 0})[0])
    -2.0
    """

    def __init__(self, model: Ingredients, digits: int = DIGITS) -> None:
        import casadi  # not loaded by motions whose states are in no doubt

        from chetaev.expr.graph.calculus import Calculus

        self.model, self.digits, self.mp = model, digits, mp_context(digits)
        calculus = Calculus()
        rows = model.on(calculus)
        M, h = model.dynamics.inertia(rows.at)
        every = [M.T, h - model.dynamics.applied(rows.at), rows.C.T, rows.c]
        self.graphs = calculus.graphs(casadi.vertcat(*(casadi.vec(casadi.densify(x)) for x in every)))
        self.levels = rows.levels(calculus)

    @property
    def effort(self) -> int:
        """Operations for one state."""
        return graph.size(*self.graphs)

    def values(self, point: dict[Any, Any]) -> list[Any]:
        """M, h − F, C row by row and c, one after the other."""
        return evaluate_mp(self.graphs, point, self.digits)

    def point(self, t: Any, q: Sequence[Any], v: Sequence[Any], p: Sequence[Any]) -> dict[Any, Any]:
        """The point that a state and parameter values stand for."""
        names = self.model.coordinates
        at: dict[Any, Any] = dict(zip([*self.model.parameters, *self.model.modes], p, strict=True)) | {
            self.model.time: t
        }
        return at | {(c, 0): x for c, x in zip(names, q, strict=True)} | {
            (c, 1): x for c, x in zip(names, v, strict=True)
        }  # fmt: skip

    def accelerations(
        self, point: dict[Any, Any], singular: Any = SINGULAR, off: float = OFF
    ) -> list[Any] | None:
        """The accelerations at a point; None where the law does not determine them.

        `singular` is the size of a pivot, for each row, that counts as 0; `off` how far redundant rows may
        contradict the others.
        """
        mp, n, m = self.mp, self.model.size, self.model.rows
        try:
            values = [mp.mpf(x) for x in self.values(point)]
        except DivisionByZeroError:  # outside the domain of a function
            return None
        if not all(mp.isfinite(x) for x in values):
            return None
        sizes = itertools.accumulate((n * n, n, m * n))
        mass, h, C, c = np.split(np.array(values, dtype=object)[None], list(sizes), axis=1)
        found, excess, smallest = settle(
            self.model.independent, mass.reshape(1, n, n), h, C.reshape(1, m, n), c
        )
        if not smallest[0] > float(singular * (n + m)) or excess[0] > off:
            return None
        return list(found[0])
