"""A chart of Q around one state: which positions and velocities are its coordinates.

    Q = {φ(t, q) = 0, f(t, q, v) = 0},   f = (dφ/dt, f)

The position constraints are solved for the positions with the largest pivots of ∂φ/∂q, all constraints for
velocities with pivots of ∂f/∂v, those of the same positions first (∂f/∂v has ∂φ/∂q above, so that this is
always possible). What is left, dim Q = 2m − rank ∂φ/∂q − rank ∂f/∂v names, are coordinates of Q; time is not
counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.linear.residual import NoLinearizationError
from chetaev.expr.graph.evaluate import key_name
from chetaev.numeric import CLEAR, first_largest, is_regular, numerical_rank, pivot_columns, solve, unit_rows

Array = NDArray[np.float64]

MOST_CHARTS = 400
"""So many choices of dependent velocities are tried."""


@dataclass(frozen=True)
class LocalChart:
    """Coordinates by number: positions and velocities that the constraints are solved for, and the others."""

    size: int
    dependent_positions: tuple[int, ...]
    dependent_velocities: tuple[int, ...]

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions that are coordinates of Q."""
        return tuple(i for i in range(self.size) if i not in self.dependent_positions)

    @property
    def velocities(self) -> tuple[int, ...]:
        """The velocities that are coordinates of Q."""
        return tuple(i for i in range(self.size) if i not in self.dependent_velocities)

    @property
    def places(self) -> list[int]:
        """The coordinates of Q as places in (q, v)."""
        return [*self.positions, *(self.size + i for i in self.velocities)]

    @property
    def dependent(self) -> list[int]:
        """The other places in (q, v)."""
        return [*self.dependent_positions, *(self.size + i for i in self.dependent_velocities)]

    def names(self, coordinates: Sequence[str]) -> list[str]:
        """The coordinates of Q by name, velocities as ``x_dot``."""
        named = [coordinates[i] for i in self.positions]
        return named + [key_name(coordinates[i], 1) for i in self.velocities]

    def is_regular(self, phi_q: Array, f_v: Array) -> bool:
        """Whether the constraints can be solved in this chart at a state with these derivatives."""
        pairs = (phi_q, self.dependent_positions), (f_v, self.dependent_velocities)
        return all(is_regular(matrix[:, list(columns)]) for matrix, columns in pairs if columns)


def tangent(chart: LocalChart, held: Array, others: Array) -> tuple[Array, Array]:
    """E and e of δ(q, v) = E δy + e δp on Q, from G δ(q, v) + g δp = 0 with G = ∂(φ, f)/∂(q, v)."""
    E = np.zeros((2 * chart.size, len(chart.places)))
    e = np.zeros((2 * chart.size, others.shape[1]))
    for column, place in enumerate(chart.places):
        E[place, column] = 1.0
    if chart.dependent:
        right = np.hstack([held[:, chart.places], others])
        found = -solve(held[:, chart.dependent], right)
        E[chart.dependent], e[chart.dependent] = found[:, : E.shape[1]], found[:, E.shape[1] :]
    return E, e


def charts(phi_q: Array, f_v: Array, first: Sequence[int] = ()) -> Iterator[LocalChart]:
    """Charts that are regular at a state, the one with the largest pivots first.

    Parameters
    ----------
    phi_q, f_v
        ∂φ/∂q and ∂f/∂v there, independent rows only.
    first
        Coordinates whose velocities are to be dependent ones as far as possible, and whose positions are not;
        then all choices among them are yielded one after the other.
    """
    size = f_v.shape[1]
    held = tuple(sorted(_pivots(phi_q, [i for i in range(size) if i not in first])))
    others = [i for i in range(size) if i not in held]
    count = f_v.shape[0] - len(held)
    if not count:
        yield LocalChart(size, held, held)
        return
    rest = f_v if not held else _beside(f_v, list(held), phi_q.shape[0])
    best = [others[j] for j in _pivots(rest[:, others], [others.index(i) for i in first if i in others])]
    seen = {tuple(sorted(best))}
    yield LocalChart(size, held, tuple(sorted((*held, *best))))
    if not first:
        return
    wanted = [i for i in others if i in first]
    for inside in range(min(count, len(wanted)), -1, -1):
        choices = (
            (*a, *b)
            for a in combinations(wanted, inside)
            for b in combinations([i for i in others if i not in first], count - inside)
        )
        for chosen in islice(choices, MOST_CHARTS):
            key = tuple(sorted(chosen))
            if key not in seen and is_regular(rest[:, list(key)]):
                seen.add(key)
                yield LocalChart(size, held, tuple(sorted((*held, *key))))


def _pivots(matrix: Array, first: Sequence[int]) -> list[int]:
    """Independent columns, as many as rows, those of `first` as far as they go."""
    rows = matrix.shape[0]
    if not rows:
        return []
    work = unit_rows(matrix)
    chosen: list[int] = []
    if first:
        among = pivot_columns(work[:, list(first)], rows, smallest=CLEAR)
        chosen = [first[j] for j in among]
    if len(chosen) < rows:
        others = [j for j in range(matrix.shape[1]) if j not in chosen]
        rest = work
        for j in chosen:  # eliminate what is chosen, so that the others count beside it
            i = first_largest(np.abs(rest[:, j]))
            rest = np.delete(rest - np.outer(rest[:, j] / rest[i, j], rest[i]), i, axis=0)
        chosen += [others[j] for j in pivot_columns(rest[:, others], rows - len(chosen))]
    return chosen


def _beside(f_v: Array, held: list[int], rows: int) -> Array:
    """The rows of the velocity constraints after elimination of the velocities of `held`."""
    above, below = f_v[:rows], f_v[rows:]
    return np.asarray(below - below[:, held] @ solve(above[:, held], above))


def expect_full_rank(phi_q: Array, f_v: Array) -> None:
    """A ModelError where the constraints are singular at the state."""
    for matrix, what in ((phi_q, "∂φ/∂q of the position constraints"), (f_v, "C = ∂f/∂v of the constraints")):
        rank = numerical_rank(unit_rows(matrix)) if matrix.size else matrix.shape[0]
        if rank < matrix.shape[0]:
            raise NoLinearizationError(
                f"Q has no chart at this state: the rank of {what} is {rank} here and {matrix.shape[0]} "
                "elsewhere",
                remedy="linearise at another state; ch.singular(system) says where the constraints are "
                "singular",
            )
