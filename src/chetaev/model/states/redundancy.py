"""Constraints that say no more than others do: the rank of C on Q, and which rows are redundant (SCOPE K13).

    C a + c = 0,      C = ∂f/∂v,   c = d'f/dt      (position constraints through f = dφ/dt, α as they are)

A row is *redundant* if on Q it depends on earlier rows (relations that a dynamics states come last), it
vanishes wherever those vanish, and it asks for no other acceleration. Then it may be left out: the motion and
the reaction force Cᵀμ stay what they are, only the multipliers are no longer unique. A row that depends on
earlier ones and yet asks for more contradicts them (x'' = 1 with 2x'' = 3), hides a condition (x' = y' with
x' = y' + x hides x = 0), or loses its derivative where it holds ((x' − y')² = 0); such rows are refused.

Full rank at one point of Q settles that all rows are independent. Where doubles leave that open, ranks are
found with many digits (:mod:`chetaev.model.states.dependent_rows`).

>>> import chetaev as ch
>>> system = ch.System(
...     coordinates=["x", "y", "z"],
...     lagrangian="x'^2 + y'^2 + z'^2",
...     constraints=["z' = y*x'", "exp(x)*z' = exp(x)*y*x'"],
... )
>>> system.redundancy
Redundancy(rank=1, dependent=(1,))
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.model.states.kinematics import Kinematics
from chetaev.model.states.stack_of_constraints import every_constraint
from chetaev.numeric import CLEAR, numerical_rank, unit_rows

if TYPE_CHECKING:
    from chetaev.model.system import System


@dataclass(frozen=True)
class Redundancy:
    """The rank of C on Q, and the rows that depend on earlier ones.

    Rows are counted in the order position, velocity, acceleration constraints.
    """

    rank: int
    dependent: tuple[int, ...] = ()


def redundancy(system: System) -> Redundancy:
    """Which constraints are redundant; raises a ModelError where dependent rows contradict each other."""
    count = len(every_constraint(system))
    if not count:
        return Redundancy(0)
    point = known_state(system)
    if point is None:  # the model is defined elsewhere; what can be seen are the rows at states off Q
        from chetaev.model.states.freedom import generic_rank

        independent = generic_rank(system, system.parameter_values) == count
    else:
        independent = _clearly_independent(system, *point)
    if independent:  # most constraints: what finds dependent rows is not even imported
        return Redundancy(count)
    from chetaev.model.states.dependent_rows import RowSurvey

    rank, dependent = RowSurvey(system).result(point)
    return Redundancy(rank, dependent)


def known_state(system: System) -> tuple[float, Any, Any] | None:
    """The initial state, or without one a point of Q in doubles; None if none was found."""
    if system.initial is None:
        from chetaev.model.states.freedom import rough_point

        return rough_point(system, system.parameter_values)
    state = system.state
    q, v = (np.array([x[c] for c in system.coordinates]) for x in (state.position, state.velocity))
    return state.t, q, v


def _clearly_independent(system: System, t: float, q: Any, v: Any) -> bool:
    """Whether doubles show all rows to be independent at a state on Q."""
    kinematics, rng = Kinematics(system, system.parameter_values), random.Random(7)
    aside_q, aside_v = (np.array([y + rng.uniform(-0.5, 0.5) * (1 + abs(y)) for y in x]) for x in (q, v))
    with np.errstate(all="ignore"):
        rows, aside = kinematics.rows(t, q, v), kinematics.rows(t, aside_q, aside_v)
    if rows.shape[0] > rows.shape[1] or not np.all(np.isfinite(rows)):
        return False
    small = np.abs(rows).max(axis=1) <= CLEAR**0.5 * np.abs(aside).max(axis=1)
    if np.any(small):  # where (x' − y')² = 0 holds, its derivative is rounding error
        return False
    return numerical_rank(unit_rows(rows), CLEAR) == len(rows)
