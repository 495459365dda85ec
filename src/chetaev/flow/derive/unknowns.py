"""What the unknowns of a step are: blocks, each of a kind, so that they can be counted and guessed.

>>> import chetaev as ch
>>> from chetaev.flow.derive.ingredients import Ingredients
>>> size_of(Ingredients.of(ch.load("rolling-disc")), (POSITION, VELOCITY, MULTIPLIERS))
12
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

POSITION, VELOCITY, ACCELERATION = range(3)
MULTIPLIERS = 3
"""One for each row of C."""
SHIFTS = 4
"""One for each position constraint."""
PUSHES = 5
"""One for each constraint on velocities, those that follow from position constraints among them."""


def size_of(model: Any, kinds: Sequence[int]) -> int:
    """How many unknowns blocks of these kinds have for a model, given by its `Ingredients`."""
    sizes = {MULTIPLIERS: model.rows, SHIFTS: len(model.position), PUSHES: model.on_velocities}
    return sum(sizes.get(kind, model.size) for kind in kinds)
