"""How a motion is integrated: one record, from `ch.simulate` and ensembles down to the loops.

>>> RunOptions(tolerance=1e-6).changed(method="radau").method
'radau'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from chetaev.flow.run.events import Event
from chetaev.flow.schemes import DEFAULT

TOLERANCE = 1e-9
"""Where neither the call nor the model says anything."""
MAX_STEPS = 10_000_000
"""Some minutes of work, or much more than a million revolutions."""


@dataclass(frozen=True)
class RunOptions:
    """The options of a run."""

    tolerance: float = TOLERANCE  # relative and absolute error allowed in a step, from 2e-15 to 0.1
    method: str = DEFAULT  # the name of a scheme
    step: float | None = None  # the length of all steps, for schemes that have fixed ones
    max_steps: int = MAX_STEPS  # taken or refused; then the run gives up
    events: Sequence[Event] = ()  # whose zeros are found
    # how the reduced equations are solved: "null" (pivoted when needed), "pivoted" or "bordered"
    form: str = "null"
    project: bool = True  # whether states are moved back onto the constraints
    dense: bool = False  # whether the motion is kept as a function of time

    def changed(self, **options: Any) -> RunOptions:
        """With other values for some of them."""
        return replace(self, **options)


USUAL_OPTIONS = RunOptions()
