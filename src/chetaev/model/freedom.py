"""Constraints must leave freedom to move: their rank is less than the number of coordinates.

Fewer constraints than coordinates always do. As many or more do where enough of them are redundant, which
shows in the rank of their matrix at random states, or at states on the constraints: x' = y' and
(x' − y')(1 + x') = 0 are dependent there and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from random import Random

import numpy as np

from chetaev.errors import ModelError
from chetaev.model.fields import Fields
from chetaev.model.kinematics import Array, Kinematics, rank, unit_rows
from chetaev.model.source import Source
from chetaev.numeric import least_squares, numerical_rank

SAMPLES = 5
TRIES = 40
CLEAR = 1e-6
"""Rows of length 1 whose smallest singular value is larger are independent, whatever the rounding."""
MOST = 2000
"""More constraints than this are not looked at one by one."""


def check_freedom(fields: Fields, parameters: Mapping[str, float], source: Source) -> None:
    """Raise a ModelError where the constraints leave nothing free."""
    levels = {
        "velocity": len(fields.velocity_constraints),
        "position": len(fields.position_constraints),
        "acceleration": len(fields.acceleration_constraints),
    }
    count, size = sum(levels.values()), len(fields.coordinates)
    if count < size or (
        count <= MOST
        and (generic_rank(fields, parameters) < size or _rank_on_constraints(fields, parameters) < size)
    ):
        return
    level = next(level for level, number in levels.items() if number)
    raise ModelError(
        f"{count} constraint{'s' if count > 1 else ''} on {size} "
        f"coordinate{'s' if size > 1 else ''} leave no freedom to move",
        source.key_place(("constraints", level)),
        expected=f"at most {size - 1}, besides redundant ones",
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
            found.append(rank(unit_rows(rows)))
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
    return numerical_rank(rows, CLEAR, 1e-300)


def rough_point(fields: Fields, parameters: Mapping[str, float]) -> tuple[float, Array, Array] | None:
    """A random state on the constraints in doubles; any state where C depends on t and q alone."""
    kinematics, rng, size = Kinematics(fields, parameters), Random(4), len(fields.coordinates)
    for _ in range(TRIES):
        t = 0.3 + rng.random()
        q, v = (np.array([rng.uniform(-1.5, 1.5) for _ in range(size)]) for _ in range(2))
        with np.errstate(all="ignore"):
            if not fields.position_constraints and kinematics.linear(t, q):
                return t, q, v
            if not _descend(partial(kinematics.position, t), q):
                continue
            if _descend(partial(kinematics.velocity, t, q), v):
                return t, q, v
    return None


def _descend(function: Callable[[Array], tuple[Array, Array]], x: Array) -> bool:
    """Newton's method with least-norm steps, in place; whether it arrives."""
    for _ in range(TRIES):
        f, jacobian = function(x)
        if not (np.all(np.isfinite(f)) and np.all(np.isfinite(jacobian))):
            return False
        if np.abs(f).max(initial=0.0) < 1e-10:
            return True
        x -= least_squares(jacobian, f, rcond=1e-9)
    return False
