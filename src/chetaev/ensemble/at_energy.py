"""Random velocities on the constraints with a given energy, uniform in the metric of the kinetic energy.

With M = ∂²L/∂v² at rest and C Cᵀ = M⁻¹ a direction w = C u is drawn, u of independent normal numbers; s·w is
moved onto f(t, q, ·) = 0 by the change that is least in the metric M, and the scale s > 0 is found at which
E(t, q, v) = v·∂L/∂v − L has the value that is asked for: the smallest one at which E − E₀ changes its sign
between two of `SCALES`, narrowed down. Where L is quadratic in the velocities and f affine, the velocities at
q with that energy are a sphere in the metric M, and all places on it are equally likely, whatever the
coordinates are. Where M is not positive definite, the metric is that of the coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from chetaev.ensemble.member_choices import Array, normal
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate, key_name
from chetaev.flow.run.compiled_field import CompiledField
from chetaev.model.checked_fields import Initial
from chetaev.model.states.initial_data import _solve_positions
from chetaev.model.states.kinematics import Kinematics
from chetaev.model.system import System
from chetaev.numeric import SOLVED, descended, inverse

SCALES: Array = np.ldexp(1.0, np.arange(-24, 25))
PARTS = 32
"""Parts of an interval in which the energy is looked at side by side."""
ROUNDS = 14
"""Then an interval is as short as doubles allow."""


def unit_directions(mass: Array) -> Array:
    """C with C Cᵀ = M⁻¹, by Cholesky's factors; the unit matrix where M is not positive definite.

    >>> unit_directions(np.array([[4.0, 0.0], [0.0, 1.0]])).tolist()
    [[0.5, 0.0], [0.0, 1.0]]
    """
    try:
        L = np.asarray(np.linalg.cholesky(mass), float)
    except np.linalg.LinAlgError:
        return np.eye(len(mass))
    definite = L.diagonal() ** 2 > SOLVED * np.abs(mass.diagonal())
    return inverse(L).T if definite.all() else np.eye(len(mass))


class DrawnVelocities:
    """The velocities s·w for scales s, moved onto the constraints; nan where that fails.

    On affine constraints they are a straight line, v(s) = v(0) + s (v(1) − v(0)).
    """

    def __init__(
        self, system: System, kinematics: Kinematics, t: float, q: Array, C: Array, u: Array
    ) -> None:
        self._at, self._C, self._u = (kinematics, t, q), C, u
        self._line: tuple[Array, Array] | None = None
        if not (system.position_constraints or system.velocity_constraints):
            self._line = np.zeros_like(q), C @ u
        elif kinematics.linear(t, q):
            first, second = self._on_constraints(0.0), self._on_constraints(1.0)
            self._line = first, second - first

    def __call__(self, scales: Array) -> Array:
        """One row for each scale."""
        if self._line is not None:
            return np.asarray(self._line[0] + scales[:, None] * self._line[1])
        return np.array([self._on_constraints(float(s)) for s in scales])

    def _on_constraints(self, s: float) -> Array:
        kinematics, t, q = self._at

        def held(u: Array) -> tuple[Array, Array]:
            f, jacobian = kinematics.velocity(t, q, self._C @ u)
            return f, jacobian @ self._C

        u, missed = descended(held, s * self._u, list(range(len(q))))
        v = self._C @ u
        return v if missed <= 1e-9 * (1 + np.abs(v).max()) else np.full_like(v, np.nan)


def _first_crossing(excess: Callable[[Array], tuple[Array, Array]]) -> Array | None:
    """The velocity just before the first change of sign of an excess of energy; None if there is none.

    Where none is seen between two scales, it is looked for before the first place at which the energy ends
    to be a number, as that of a fast particle does at the speed of light.
    """
    scales: Array = SCALES
    v, values = excess(scales)
    for _ in range(2 * ROUNDS):
        known, above = ~np.isnan(values), values > 0
        crossings = np.flatnonzero(known[:-1] & known[1:] & (above[:-1] != above[1:]))
        ends = crossings if len(crossings) else np.flatnonzero(known[:-1] & ~known[1:])
        if not len(ends):
            return None
        k = int(ends[0])
        finer = np.unique(scales[k] + (scales[k + 1] - scales[k]) * np.linspace(0.0, 1.0, PARTS + 1))
        if len(finer) < 3:
            return v[k] if len(crossings) else None
        scales = finer
        v, values = excess(scales)
    return None


def states_at_energy(
    system: System,
    field: CompiledField,
    energy: float,
    row: Mapping[str, float],
    member: int,
    seed: int,
) -> dict[str, float]:
    """Initial data of a member: its positions on the constraints, and velocities at the energy.

    A ModelError where the positions are off the constraints, or no velocities were found.
    """
    coordinates = system.coordinates
    known = {name: x for name, x in row.items() if name in system.parameters}
    p = dict(zip(system.parameters, map(float, field.model.values(known)), strict=True))
    own = system.initial or Initial()
    given = {system.time: own.t, **own.position}
    place = dict(zip(given, map(float, evaluate(given.values(), p)), strict=True))
    place |= {name: x for name, x in row.items() if name not in p}
    kinematics, t = Kinematics(system, p), place[system.time]
    q = np.array([place.get(c, 0.0) for c in coordinates])
    open_ = [i for i, c in enumerate(coordinates) if c not in place]
    q = _solve_positions(kinematics, system, t, q, open_)
    u = np.array([normal(member, member + 1, f"velocity of {c}", seed)[0] for c in coordinates])
    C = unit_directions(field.matrices(t, q, np.zeros_like(q), p)[0])
    velocities = DrawnVelocities(system, kinematics, t, q, C, u)

    def excess(scales: Array) -> tuple[Array, Array]:
        v = velocities(scales)
        return v, field.energy(t, q, v, p) - energy

    v = _first_crossing(excess)
    if v is None:
        finite = excess(SCALES)[1] + energy
        finite = finite[np.isfinite(finite)]
        said = f": it is from {finite.min():.4g} to {finite.max():.4g} there" if len(finite) else ""
        raise ModelError(f"no velocities in the direction drawn have the energy {energy:g}{said}")
    data = dict(zip(coordinates, q.tolist(), strict=True)) | {system.time: t}
    return data | {key_name(c, 1): float(x) for c, x in zip(coordinates, v, strict=True)} | known
