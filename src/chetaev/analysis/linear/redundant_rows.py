"""Which rows of C may be left out, so that the position constraints stay: Q needs them for its charts.

Where a dynamics states q' = X(q), as a Poisson bracket does, the rate of a constraint φ(q) = 0 follows from
those relations. Then one of the relations is left out here, and not φ; which one, the state decides.

>>> import chetaev as ch
>>> suslov = ch.load("suslov-poisson")
>>> suslov.redundancy.dependent, redundant_rows(suslov)
((0,), {3})
"""

from __future__ import annotations

import numpy as np

from chetaev.model.states.kinematics import Kinematics
from chetaev.model.states.redundancy import known_state
from chetaev.model.states.stack_of_constraints import every_constraint
from chetaev.model.system import System
from chetaev.numeric import numerical_rank, unit_rows


def redundant_rows(system: System) -> set[int]:
    """Rows that depend on earlier ones at a state of Q, lest a position constraint be left out."""
    found = system.redundancy
    usual = set(found.dependent)
    if not (usual and system.position_constraints):
        return usual
    point = known_state(system)
    if point is None or len(every_constraint(system)) != found.rank + len(usual):
        return usual
    with np.errstate(all="ignore"):
        rows = Kinematics(system, system.parameter_values).rows(*point)
    if not np.isfinite(rows).all() or not rows.any(axis=1).all():
        return usual
    rows = unit_rows(rows)
    kept: list[int] = []
    for i in range(len(rows)):
        if numerical_rank(rows[[*kept, i]]) == len(kept) + 1:
            kept.append(i)
    return set(range(len(rows))) - set(kept) if len(kept) == found.rank else usual


def kept_rows(system: System, count: int) -> list[int]:
    """The others among so many rows."""
    out = redundant_rows(system)
    return [i for i in range(count) if i not in out]
