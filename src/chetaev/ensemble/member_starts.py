"""The initial states of members: on the constraints by the rules of `ch.simulate`, to the last bit.

Constraints that are affine in the velocities, and only these, are solved for all members at once that share
their coefficients (`on_affine_constraints`, by the same operations in the same order as `numeric.descended`,
one column for each); every other member is solved as `ch.simulate` solves it. A member whose data do not fit
the constraints fails, with the sentence that `ch.simulate` would raise; the others go on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chetaev.ensemble.member_choices import Array
from chetaev.ensemble.shared_data import parameters_behind
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate, key_name
from chetaev.expr.graph.node import symbols
from chetaev.flow.derive.ingredients import Ingredients
from chetaev.flow.run.array_calls import finite_rows
from chetaev.model.checked_fields import Initial
from chetaev.model.states.initial_data import ROUNDOFF
from chetaev.model.states.kinematics import Kinematics
from chetaev.model.system import System
from chetaev.numeric import GOOD, numerical_rank, pseudo_inverse, solve_stack, times, unit_rows


def on_affine_constraints(
    A: Array, b: Array, starts: Array, free: list[int]
) -> tuple[Array, NDArray[np.bool_]]:
    """Velocities (N, n) with A v + b = 0, the free entries solved, and which of them were found.

    Where no entry is free, given values that miss the constraints by rounding are set right.
    """
    moved = free or list(range(A.shape[1]))
    x, sizes = _descended(A, b, starts.T.copy(), moved)
    with np.errstate(all="ignore"):
        terms = (np.abs(A) @ np.abs(x if free else starts.T)).max(axis=0)
        allowed = ROUNDOFF * np.maximum(1.0, terms)
        first = sizes if free else np.abs(times(A, starts.T) + b[:, None]).max(axis=0)
        good = first <= (allowed * 1e-3 if free else allowed)
    return x.T, good & np.isfinite(x).all(axis=0)


@np.errstate(all="ignore")
def _descended(A: Array, b: Array, x: Array, free: list[int]) -> tuple[Array, Array]:
    """`numeric.descended` for each column; and the largest |f| of each."""
    inverse = pseudo_inverse(A[:, free])
    f = times(A, x) + b[:, None]
    going = np.flatnonzero(np.isfinite(f).all(axis=0))
    for _ in range(60):
        if not len(going):
            break
        step = -times(inverse, f[:, going])
        size = np.abs(f[:, going]).max(axis=0)
        taken = np.zeros(len(going), bool)
        open_ = np.arange(len(going))
        scale = 1.0
        while len(open_) and scale >= 1e-8:
            which = going[open_]
            trial = x[:, which].copy()
            trial[free] += scale * step[:, open_]
            moves = (trial != x[:, which]).any(axis=0)  # else the step is lost in rounding
            new = times(A, trial) + b[:, None]
            better = moves & np.isfinite(new).all(axis=0)
            better &= np.abs(new).max(axis=0) < size[open_] * (1 - 1e-4 * scale)
            x[:, which[better]], f[:, which[better]] = trial[:, better], new[:, better]
            taken[open_[better]] = True
            open_ = open_[moves & ~better]
            scale /= 2
        going = going[taken & (np.abs(f[:, going]).max(axis=0) != 0)]
    return x, np.abs(f).max(axis=0, initial=0.0)


@dataclass(frozen=True)
class Starts:
    """The initial states of some members."""

    # t, q, v, p: times (N,), positions and velocities (N, n), parameters (N, r)
    t: Array
    q: Array
    v: Array
    p: Array
    failed: dict[int, str]  # why a member has no initial state, by its place


class StartFinder:
    """Finds the initial states of members of one system, which has everything that all of them share."""

    def __init__(self, system: System) -> None:
        self.system, self.model = system, Ingredients.of(system)
        self.coordinates = system.coordinates
        used = {key for e in system.velocity_constraints for key in symbols(e.residual)}
        self.entering = [c for c in self.coordinates if (c, 0) in used]
        self.timed = (system.time, 0) in used
        initial = system.initial or Initial()
        for expr in (initial.t, *initial.position.values(), *initial.velocity.values()):
            used |= symbols(expr)
        self.deciding = parameters_behind({name for name, _ in used}, system)
        self.affine = not (system.position_constraints or system.acceleration_constraints or system.tables)
        self.affine &= self.model.rank is None

    def find(self, values: Mapping[str, Array], count: int) -> Starts:
        """The states of so many members whose varying values these are."""
        found = self.nowhere(count)
        left = sorted(self._together(values, count, found)) if self.affine else list(range(count))
        for i in left:
            self._alone({name: float(x[i]) for name, x in values.items()}, i, found)
        return found

    def nowhere(self, count: int) -> Starts:
        """States for so many members, none of them found."""
        n, r = len(self.coordinates), len(self.model.parameters)
        t, q, v, p = (np.full((count, *shape), np.nan) for shape in ((), (n,), (n,), (r,)))
        return Starts(t, q, v, p, {})

    # --- one at a time ----------------------------------------------------------------------------------

    def data(self, row: Mapping[str, float]) -> tuple[dict[str, float], dict[str, float]]:
        """Parameters and initial data of a member."""
        parameters = {name: x for name, x in row.items() if name in self.system.parameters}
        return parameters, {name: x for name, x in row.items() if name not in parameters}

    def _alone(self, row: Mapping[str, float], i: int, found: Starts) -> None:
        try:
            own = self.system.with_data(*self.data(row))
            state = own.state
            found.p[i] = list(own.parameter_values.values())
        except ModelError as error:
            found.failed[i] = error.message
            return
        found.t[i] = state.t
        found.q[i] = [state.position[c] for c in self.coordinates]
        found.v[i] = [state.velocity[c] for c in self.coordinates]

    # --- many at once -----------------------------------------------------------------------------------

    def _together(self, values: Mapping[str, Array], count: int, found: Starts) -> set[int]:
        """Solve what can be solved at once; returns the places that are left."""
        left: set[int] = set()
        varying = [name for name in self.system.parameters if name in values]
        p = np.full((count, len(self.model.parameters)), np.nan)
        for members in _groups([values[name] for name in varying], np.arange(count)):
            given = {name: float(values[name][members[0]]) for name in varying}
            p[members] = [float(x) for x in self.model.values(given)]
        fine = finite_rows(p)
        left.update(np.flatnonzero(~fine).tolist())
        deciding = [values[name][fine] for name in varying if name in self.deciding]
        for members in _groups(deciding, np.flatnonzero(fine)):
            try:
                left |= self._with_parameters(p, values, members, found)
            except ModelError:
                left.update(members.tolist())
        return left

    def _with_parameters(
        self, p: Array, values: Mapping[str, Array], members: Any, found: Starts
    ) -> set[int]:
        """The same for members whose parameters agree where constraints and initial data depend on them."""
        system, names = self.system, self.coordinates
        initial = system.initial or Initial()
        known = dict(zip(system.parameters, p[members[0]].tolist(), strict=True))
        own = {system.time: initial.t, **initial.position}
        own |= {key_name(c, 1): e for c, e in initial.velocity.items()}
        numbers = dict(zip(own, map(float, evaluate(own.values(), known)), strict=True))

        def column(name: str) -> Array:
            if name in values and name not in system.parameters:
                return np.asarray(values[name][members])
            return np.full(len(members), numbers.get(name, 0.0))

        t = column(system.time)
        q = np.stack([column(c) for c in names], axis=1)
        v = np.stack([column(key_name(c, 1)) for c in names], axis=1)
        free = [i for i, c in enumerate(names) if key_name(c, 1) not in {*numbers, *values}]
        kinematics = Kinematics(system, known)
        keys = [t] if self.timed else []
        keys += [q[:, names.index(c)] for c in self.entering]
        left: set[int] = set()
        done = np.zeros(len(members), bool)
        groups = list(_groups(keys, np.arange(len(members))))
        found_forms = [kinematics._forms(float(t[part[0]]), q[part[0]]) for part in groups]
        clear = _clearly_determined([None if one is None else one[0] for one in found_forms], free)
        for part, forms, is_clear in zip(groups, found_forms, clear, strict=True):
            if forms is None or not (is_clear or _determined(forms[0], free)):
                continue
            if len(forms[1]):
                v[part], done[part] = on_affine_constraints(*forms, v[part], free)
            else:
                done[part] = True
        done &= np.isfinite(t) & finite_rows(q) & finite_rows(v)
        done &= self._finite(p[members], t, q, v)
        found.t[members[done]], found.q[members[done]], found.v[members[done]] = t[done], q[done], v[done]
        found.p[members[done]] = p[members[done]]
        left.update(members[~done].tolist())
        return left

    def _finite(self, p: Array, t: Array, q: Array, v: Array) -> Any:
        """Where the Lagrangian and the forces have finite values."""
        values: dict[Any, Any] = {(name, 0): p[:, k] for k, name in enumerate(self.system.parameters)}
        values[self.system.time, 0] = t
        for i, c in enumerate(self.coordinates):
            values[c, 0], values[c, 1] = q[:, i], v[:, i]
        exprs = [part.expr for part in self.system.dynamics.parts] + list(self.system.forces.values())
        fine = np.ones(len(t), bool)
        for value in evaluate(exprs, values):
            fine &= np.isfinite(value)
        return fine


def _clearly_determined(matrices: list[Array | None], free: list[int]) -> list[bool]:
    """Where `_determined` is beyond doubt; all at once, as deciding takes longer than solving."""
    known = [A for A in matrices if A is not None and A.size]
    if not known:
        return [False] * len(matrices)
    rows = np.stack([unit_rows(A) for A in known])
    clear = _well_conditioned(rows.swapaxes(1, 2))
    if free:
        clear &= _well_conditioned(np.stack(known)[:, :, free])
    verdicts = iter(clear.tolist())
    return [bool(next(verdicts)) if A is not None and A.size else False for A in matrices]


def _well_conditioned(matrices: Array) -> Any:
    """Whether the columns of each are independent beyond doubt."""
    count, rows, columns = matrices.shape
    if columns > rows:
        return np.zeros(count, bool)
    return solve_stack(matrices, np.zeros((count, rows)))[1] > GOOD


def _determined(A: Array, free: list[int]) -> bool:
    """Whether the constraints are independent and determine the velocities that are left out."""
    if numerical_rank(A[:, free]) != len(free) and free:
        return False
    return not len(A) or numerical_rank(unit_rows(A)) == len(A)


def _groups(keys: list[Array], members: Any) -> Iterable[Any]:
    """The members with equal keys, in order of their first ones."""
    if not keys or not len(members):
        return [members] if len(members) else []
    bits = np.stack([np.ascontiguousarray(key).view(np.int64) for key in keys], axis=1)
    if (bits == bits[0]).all():
        return [members]
    _, which = np.unique(bits, axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    cuts = np.flatnonzero(np.diff(which.ravel()[order])) + 1
    return [members[part] for part in np.split(order, cuts)]
