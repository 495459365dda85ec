"""Constraints must leave freedom to move: their rank is less than the number of coordinates.

Fewer constraints than coordinates always do. As many or more do where enough of them are redundant, which
shows in the rank of their matrix at random states.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import numpy as np

from chetaev.errors import ModelError
from chetaev.model.fields import Fields
from chetaev.model.kinematics import Kinematics, rank, unit_rows
from chetaev.model.source import Source

SAMPLES = 5
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
    if count < size or (count <= MOST and _generic_rank(fields, parameters) < size):
        return
    level = next(level for level, number in levels.items() if number)
    raise ModelError(
        f"{count} constraint{'s' if count > 1 else ''} on {size} "
        f"coordinate{'s' if size > 1 else ''} leave no freedom to move",
        source.key_place(("constraints", level)),
        expected=f"at most {size - 1}, besides redundant ones",
        remedy="remove constraints, or add the missing coordinates",
    )


def _generic_rank(fields: Fields, parameters: Mapping[str, float]) -> int:
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
