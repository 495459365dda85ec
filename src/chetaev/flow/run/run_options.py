"""The options of a run: the system with other data laid over its own, the final time; and how it is
integrated, one record from `ch.simulate` and ensembles down to the loops.

>>> RunOptions(tolerance=1e-6).changed(method="radau").method
'radau'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chetaev.checked_arguments import number, table
from chetaev.equations.law.first_order_motion import first_order_motion
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate
from chetaev.flow.run.events import Event
from chetaev.flow.schemes import DEFAULT
from chetaev.model.system import System, expect_system

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
    # how the reduced equations are solved: "null" (pivoted when needed) or "pivoted"
    form: str = "null"
    project: bool = True  # whether states are moved back onto the constraints
    dense: bool = False  # whether the motion is kept as a function of time
    max_step: float | None = None  # the longest step, for schemes that choose its length

    def changed(self, **options: Any) -> RunOptions:
        """With other values for some of them."""
        return replace(self, **options)


USUAL_OPTIONS = RunOptions()


FINEST, COARSEST = 2e-15, 0.1
"""The tolerances that mean something: below the first, ten roundings of a double, no step can be judged."""


def prepared(
    system: System,
    until: float | None,
    initial: Mapping[Any, Any] | None,
    tolerance: float | None,
    parameters: Mapping[str, Any] | None,
    caller: str,
) -> tuple[System, float, float]:
    """The system with these parameters and initial data, the final time and the tolerance."""
    expect_system(system, caller)
    system = first_order_motion(system)
    parameters, initial = table(parameters, "parameters"), table(initial, "the initial data")
    if parameters or initial:
        system = system.with_data(parameters, initial)  # at once: either alone may miss the constraints
    return system, _end(system, until), _tolerance(system, tolerance)


def _end(system: System, until: float | None) -> float:
    end = system.until_value if until is None else until
    if end is None:
        raise ModelError(
            f"the model {system.name!r} does not say how long to run",
            remedy="give until=… (on the command line --until T), or add until = T under [run]",
        )
    return number(end, "the final time")


def _tolerance(system: System, tolerance: float | None) -> float:
    if tolerance is None:
        own = system.tolerance
        tolerance = TOLERANCE if own is None else float(evaluate([own], system.parameter_values)[0])
    return checked_tolerance(tolerance)


def checked_tolerance(tolerance: Any) -> float:
    """A tolerance that means something."""
    expected = f"a positive number, from {FINEST:g} to {COARSEST:g}"
    return number(tolerance, "the tolerance", FINEST, COARSEST, expected)
