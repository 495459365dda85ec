"""Constraints that say no more than others do: the rank of C on Q, and which rows are redundant (SCOPE K13).

    C a + c = 0,      C = ∂f/∂v,   c = d'f/dt      (position constraints through f = dφ/dt, α as they are)

A row is *redundant* if on Q it depends on earlier rows (relations that a dynamics states come last), it
vanishes wherever those vanish, and prescribes no other acceleration. Then it may be left out: the motion and
the reaction force Cᵀμ stay what they are, only the multipliers are no longer unique. A row that depends on
earlier ones and yet prescribes more contradicts them (x'' = 1 with 2x'' = 3), hides a condition (x' = y' with
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

As many independent constraints as coordinates prescribe the motion: C a + c = 0 gives the accelerations, and
M a + h − F = Cᵀμ the multipliers, the forces it takes. More constraints than coordinates are possible where
enough of them are redundant, which shows in the rank of their matrix at random states, or at states on the
constraints: x' = y' and (x' − y')(1 + x') = 0 are dependent there and nowhere else. If the rank is full they
must be looked at one by one: either they say the same thing twice, or they contradict each other.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.errors import ModelError
from chetaev.model.checked_fields import Fields
from chetaev.model.reading.text_places import Source
from chetaev.model.states.kinematics import Array, Kinematics
from chetaev.model.states.stack_of_constraints import every_constraint
from chetaev.numeric import CLEAR, numerical_rank, onto, unit_rows

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
        from chetaev.model.states.redundancy import generic_rank

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
        from chetaev.model.states.redundancy import rough_point

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


SAMPLES = 5
TRIES = 40
MOST = 2000
"""More constraints than this are not looked at one by one."""


def must_agree(fields: Fields, parameters: Mapping[str, float], source: Source) -> bool:
    """Whether there are more constraints than the motion they prescribe needs, so that they must agree.

    Raises a ModelError where there are too many of them to look.
    """
    levels = {
        "velocity": len(fields.velocity_constraints),
        "position": len(fields.position_constraints),
        "acceleration": len(fields.acceleration_constraints),
    }
    count, size = sum(levels.values()), len(fields.coordinates)
    if count <= size:
        return False
    if count <= MOST:
        full = generic_rank(fields, parameters) == size
        return full and _rank_on_constraints(fields, parameters) == size
    level = next(level for level, number in levels.items() if number)
    raise ModelError(
        f"{count} constraint{'s' if count > 1 else ''} on {size} "
        f"coordinate{'s' if size > 1 else ''} are too many to see whether they agree",
        source.key_place(("constraints", level)),
        expected=f"at most {size}, or {MOST} with redundant ones",
        remedy="remove constraints, or add the missing coordinates",
    )


def generic_rank(fields: Fields, parameters: Mapping[str, float]) -> int:
    """The largest rank of the constraint matrix at random states; full if it has a value at none of them."""
    kinematics, random, size = Kinematics(fields, parameters), Random(4), len(fields.coordinates)
    found = []
    for _ in range(SAMPLES):
        q, v = (np.array([random.gauss(0, 1) for _ in range(size)]) for _ in range(2))
        with np.errstate(all="ignore"):
            rows = kinematics.rows(random.random(), q, v)
        if np.all(np.isfinite(rows)):
            found.append(numerical_rank(unit_rows(rows)))
    return max(found, default=size)


def _rank_on_constraints(fields: Fields, parameters: Mapping[str, float]) -> int:
    """The rank of the constraint matrix at a state that satisfies the constraints; full if none is found."""
    point = rough_point(fields, parameters)
    if point is None:
        return len(fields.coordinates)
    with np.errstate(all="ignore"):
        rows = unit_rows(Kinematics(fields, parameters).rows(*point))
    if not np.all(np.isfinite(rows)):
        return len(fields.coordinates)
    return numerical_rank(rows, CLEAR)


def rough_point(fields: Fields, parameters: Mapping[str, float]) -> tuple[float, Array, Array] | None:
    """A random state on the constraints in doubles; any state where C depends on t and q alone."""
    kinematics, rng, size = Kinematics(fields, parameters), Random(4), len(fields.coordinates)
    for _ in range(TRIES):
        t = 0.3 + rng.random()
        q, v = (np.array([rng.uniform(-1.5, 1.5) for _ in range(size)]) for _ in range(2))
        with np.errstate(all="ignore"):
            if not fields.position_constraints and kinematics.linear(t, q):
                return t, q, v
            on_q = onto(partial(kinematics.position, t), q)
            on_v = None if on_q is None else onto(partial(kinematics.velocity, t, on_q), v)
            if on_q is not None and on_v is not None:
                return t, on_q, on_v
    return None
