"""The same system without the constraints that say no more than others do (SCOPE K13).

A redundant constraint leaves the motion what it is and makes the multipliers ambiguous; formulations that
solve for velocities or multipliers refuse it. Where only the motion matters, it is left out. One that is
redundant for the values of the parameters and not for others (x' = y' beside x' = a y' with a = 1) stays:
what is said for every value of the parameters would be said of another system.

>>> import chetaev as ch
>>> particle = dict(coordinates=["x", "y", "z"], lagrangian="x'^2 + y'^2 + z'^2", parameters={"a": 1})
>>> system = ch.System(constraints=["z' = a*y*x'", "2*z' = 2*a*y*x'"], **particle)
>>> [str(e) for e in without_redundancy(system).velocity_constraints]
["z' = a*y*x'"]
>>> len(without_redundancy(ch.System(constraints=["x' = y'", "x' = a*y'"], **particle)).velocity_constraints)
2
"""

from __future__ import annotations

import random
from fractions import Fraction
from functools import lru_cache

from chetaev.errors import ModelError
from chetaev.expr.graph.node import number, symbols
from chetaev.model.states.stack_of_constraints import every_constraint
from chetaev.model.system import System
from chetaev.model.system_arguments import data_of

TRIED = 2
"""Other values of the parameters at which redundant rows must be redundant too."""


@lru_cache(maxsize=64)
def without_redundancy(system: System) -> System:
    """The system with the constraints that are independent; itself where all are, or where that is open."""
    stated = len(system.dynamics.relations)
    if len(every_constraint(system)) < 2 or system.dynamics.states_constraints or stated:
        return system
    try:
        out = set(system.redundancy.dependent)
        if not out or not _for_other_parameters(system, out):
            return system
        left, place = {}, 0
        for level, equations in data_of(system)["constraints"].items():
            left[level] = [e for i, e in enumerate(equations, place) if i not in out]
            place += len(equations)
        return system._changed({"constraints": left}, {"constraints": left})
    except ModelError:  # rows that contradict each other: the error comes with the motion
        return system


def _for_other_parameters(system: System, out: set[int]) -> bool:
    """Whether the same rows are redundant at other values of the parameters."""
    free = [n for n, e in system.parameters.items() if not symbols(e)]
    rng = random.Random(11)
    for _ in range(TRIED if free else 0):
        changes = {n: number(_beside(system.parameter_values[n], rng)) for n in free}
        other = system._changed({"parameters": {**system.parameters, **changes}, "initial": None}, {})
        if set(other.redundancy.dependent) != out:
            return False
    return True


def _beside(value: float, rng: random.Random) -> Fraction:
    """A number near a value, of its sign."""
    factor = 1 + Fraction(rng.randint(1, 99), 997)
    return Fraction(value) * factor if value else Fraction(rng.randint(1, 99), 97)
