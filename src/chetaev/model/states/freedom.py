"""Where constraints leave nothing free: a motion that they prescribe, or a contradiction.

As many independent constraints as coordinates prescribe the motion: C a + c = 0 gives the accelerations, and
M a + h − F = Cᵀμ the multipliers, the forces it takes. More constraints than coordinates are possible where
enough of them are redundant, which shows in the rank of their matrix at random states, or at states on the
constraints: x' = y' and (x' − y')(1 + x') = 0 are dependent there and nowhere else. If the rank is full they
must be looked at one by one (`redundancy`): either they say the same thing twice, or they contradict each
other.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from random import Random

import numpy as np

from chetaev.errors import ModelError
from chetaev.model.checked_fields import Fields
from chetaev.model.reading.text_places import Source
from chetaev.model.states.kinematics import Array, Kinematics
from chetaev.numeric import CLEAR, numerical_rank, onto, unit_rows

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
