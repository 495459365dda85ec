"""What can be checked only in numbers: parameter values, the initial state, constraints that agree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from chetaev.errors import InitialDataError, ModelError
from chetaev.model.model_checks import LEVELS
from chetaev.model.reading.text_places import Source
from chetaev.model.states.stack_of_constraints import every_constraint

if TYPE_CHECKING:
    from chetaev.model.system import System


def check_values(system: System, source: Source) -> None:
    """Raise a ModelError where the numbers of a system are not what they must be."""
    _ = system.parameter_values
    if len(every_constraint(system)) > len(system.coordinates):
        _check_agreement(system, source)
    freedom = system.dynamics.freedom
    if freedom is not None and freedom != system.degrees_of_freedom:
        raise ModelError(
            f"A and B are given for {', '.join(system.dynamics.arrangement)}, and the constraints leave "
            f"{system.degrees_of_freedom} degree{'' if system.degrees_of_freedom == 1 else 's'} of freedom",
            source.key_place(("dynamics", "A")),
            expected="one entry of A for each independent coordinate",
        )
    if system.initial is not None:
        _ = system.state
    if system.quasi:
        from chetaev.model.quasi_table import check_quasi

        check_quasi(system, source)
    until = system.until_value
    if until is not None and not math.isfinite(until):
        place = source.value_place(("run", "until"))
        raise ModelError(f"the run ends at t = {until}", place, expected="a finite time")
    if system.tolerance is not None:
        from chetaev.expr.graph.evaluate import evaluate

        tolerance = float(evaluate([system.tolerance], system.parameter_values)[0])
        if not 0 < tolerance < math.inf:
            place = source.value_place(("run", "tolerance"))
            raise ModelError(f"the tolerance is {tolerance}", place, expected="a positive number")


def _check_agreement(system: System, source: Source) -> None:
    """More constraints than coordinates, with nothing left free, may not contradict each other."""
    from chetaev.model.states.freedom import must_agree

    if must_agree(system, system.parameter_values, source):
        try:
            _ = system.redundancy
        except InitialDataError:
            raise
        except ModelError as error:
            level = next(x for x in LEVELS if getattr(system, f"{x}_constraints"))
            raise error.at(source.key_place(("constraints", level))) from None
