"""Random velocities on the constraints with a given energy.

A direction w is drawn (normal numbers, one for each velocity), s·w is moved onto f(t, q, ·) = 0 by the least
change, and the scale s > 0 is found at which E(t, q, v) = v·∂L/∂v − L has the value that is asked for: the
smallest one at which E − E₀ changes its sign between two of `SCALES`, by bisection.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import pairwise

import numpy as np

from chetaev.ensemble.counted_random import Array, normal
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate, key_name
from chetaev.flow.run.compiled_field import CompiledField
from chetaev.model.checked_fields import Initial
from chetaev.model.states.initial_data import _solve_positions
from chetaev.model.states.kinematics import Kinematics
from chetaev.model.system import System
from chetaev.numeric import descended

SCALES = tuple(2.0**k for k in range(-24, 25))
HALVINGS = 200


def states_at_energy(
    system: System,
    field: CompiledField,
    energy: float,
    row: Mapping[str, float],
    member: int,
    seed: int,
) -> dict[str, float]:
    """Initial data of a member: its positions on the constraints, and velocities at the energy.

    Raises
    ------
    ModelError
        Where the positions are off the constraints, or no velocities were found.
    """
    coordinates = system.coordinates
    known = {name: x for name, x in row.items() if name in system.parameters}
    p = dict(zip(system.parameters, map(float, field.model.values(known)), strict=True))
    own = system.initial or Initial()
    given = {system.time: own.t, **own.position}
    place = dict(zip(given, map(float, evaluate(given.values(), p)), strict=True))
    place |= {name: x for name, x in row.items() if name not in p}
    kinematics, t = Kinematics(system._fields, p), place[system.time]
    q = np.array([place.get(c, 0.0) for c in coordinates])
    open_ = [i for i, c in enumerate(coordinates) if c not in place]
    q = _solve_positions(kinematics, system._fields, t, q, open_)
    w = np.array([normal(member, member + 1, f"velocity of {c}", seed)[0] for c in coordinates])
    every = list(range(len(q)))

    def velocity(s: float) -> Array:
        if not (system.position_constraints or system.velocity_constraints):
            return s * w
        v, missed = descended(partial(kinematics.velocity, t, q), s * w, every)
        return v if missed <= 1e-9 * (1 + np.abs(v).max()) else np.full_like(v, np.nan)

    def excess(s: float) -> float:
        return float(field.energy(t, q, velocity(s), p)) - energy

    values = [excess(s) for s in SCALES]
    signs = [None if np.isnan(x) else x > 0 for x in values]
    bracket = next((k for k, (a, b) in enumerate(pairwise(signs)) if None not in (a, b) and a != b), None)
    if bracket is None:
        finite = [x + energy for x in values if np.isfinite(x)]
        said = f": it is from {min(finite):.4g} to {max(finite):.4g} there" if finite else ""
        raise ModelError(f"no velocities in the direction drawn have the energy {energy:g}{said}")
    low, high = SCALES[bracket], SCALES[bracket + 1]
    rising = values[bracket] <= 0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if (excess(middle) <= 0) == rising:
            low = middle
        else:
            high = middle
    v = velocity(low)
    data = dict(zip(coordinates, q.tolist(), strict=True)) | {system.time: t}
    return data | {key_name(c, 1): float(x) for c, x in zip(coordinates, v, strict=True)} | known
