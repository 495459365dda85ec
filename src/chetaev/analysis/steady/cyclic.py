"""Which coordinates are cyclic together, and the steady motions in which they move (SCOPE M3, M6).

>>> import chetaev as ch
>>> cyclic_coordinates(ch.load("rolling-disc"))
('x', 'y', 'psi', 'phi')
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from chetaev.analysis.linear.residual import Residual
from chetaev.analysis.linear.state_matrices import Asked, NotCyclicError, decoupled
from chetaev.analysis.steady.equilibrium import Equilibria
from chetaev.analysis.steady.relative import relative_equilibria
from chetaev.analysis.steady.steady_in_chart import LargerFamilyError
from chetaev.errors import ModelError
from chetaev.model.system import System

MOST_COORDINATES = 8
"""Of a system that is looked at."""
MOST_TRIES = 3
"""Choices of what numbers the members of a family."""


def cyclic_coordinates(system: System) -> tuple[str, ...]:
    """Coordinates on whose values nothing else depends in some chart of Q; those that couple are left out."""
    names = system.coordinates
    if len(names) > MOST_COORDINATES:
        return ()
    residual = Residual(system)
    p = residual.model.default_values
    data = system.random_states(1, seed=3)[0]
    q, v = (np.array([data[c + end] for c in names]) for end in ("", "_dot"))
    slopes = residual.at(data[system.time], q, v, p)
    left = list(names)
    while left:
        try:
            next(decoupled(system, residual, Asked(tuple(left), (), (), ()), slopes, p))
            return tuple(left)
        except NotCyclicError as error:
            left.remove(error.coordinate)
    return ()


def steady_motions(system: System, effort: int) -> tuple[tuple[str, ...], Equilibria | None]:
    """The cyclic coordinates, and all steady motions, in symbols where they form a family."""
    cyclic = cyclic_coordinates(system)
    if not cyclic:
        return (), None
    try:
        return cyclic, relative_equilibria(system, cyclic, effort=effort)
    except LargerFamilyError as error:
        order = [n for n in error.unknowns if not n.endswith("'")]
        order += [n for n in reversed(error.unknowns) if n.endswith("'")]
        last: ModelError = error
        for chosen in [*combinations(order, error.size)][:MOST_TRIES]:
            try:
                found = relative_equilibria(system, cyclic, free=chosen, effort=effort)
            except ModelError as other:
                last = other
                continue
            if found and all(e.characteristic is not None for e in found):
                return cyclic, found
        raise last from None
