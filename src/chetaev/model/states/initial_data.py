"""Consistent initial data: a state on the constraint from the values a user gives.

Given values are kept. Positions left out start from 0 and move least to meet the position constraints
φ(t,q) = 0; velocities left out are solved from f(t,q,v) = 0, where a position constraint also counts with
dφ/dt = 0. Given values that miss a constraint by less than `ROUNDOFF` are set right; by more they
are an error that names the constraint. Where no velocity is given, nor determined by the constraints, the
system starts at rest if they allow it; else what the data leave undetermined is an error that names the free
velocities (SCOPE K13).

All derivatives come from the number engine, or, where the constraints are affine in the velocities, from
their coefficients; nothing is solved symbolically.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.errors import InitialDataError
from chetaev.expr.graph.evaluate import evaluate
from chetaev.model.states.kinematics import Array, Kinematics
from chetaev.model.states.stack_of_constraints import every_constraint
from chetaev.model.states.velocities_of_positions import velocities_of_positions
from chetaev.numeric import (
    ROUNDING,
    descended,
    dyadic,
    kernel,
    least_squares,
    norm,
    numerical_rank,
    unit_rows,
)
from chetaev.remedy_words import FILE, Speech

if TYPE_CHECKING:
    from chetaev.expr.language.parser import Equation
    from chetaev.model.checked_fields import Fields

DOMAIN = "start inside the domain of its functions: no division by 0, no root of a negative number"
ROUNDOFF = 1e-9
"""Given values that miss a constraint by less are set right."""
ULP = 2.0**-52
STARTS = 40
"""Starting points of Newton's method in the search for other branches."""


@dataclass(frozen=True)
class State:
    """A point of the constraint submanifold Q, in numbers.

    Attributes
    ----------
    t, position, velocity
        The state.
    residuals
        The value of each constraint there: position constraints, then velocity constraints.
    solved
        The names, ``x`` or ``x'``, of values that were solved and not given.
    branches
        Other solutions for the velocities left out, when the constraints allow several.
    """

    t: float
    position: Mapping[str, float]
    velocity: Mapping[str, float]
    residuals: tuple[float, ...]
    solved: tuple[str, ...] = ()
    branches: tuple[Mapping[str, float], ...] = ()


@np.errstate(all="ignore")  # what overflows or leaves a domain is found by looking at the values
def solve(
    fields: Fields,
    parameters: Mapping[str, float],
    guess: Mapping[str, float] | None = None,
    speech: Speech = FILE,
) -> State:
    """The initial state of a model, on its constraints; `speech` is for remedies."""
    initial = fields.initial
    assert initial is not None
    exprs = [initial.t, *initial.position.values(), *initial.velocity.values()]
    values = [float(x) for x in evaluate(exprs, parameters)]
    names = ["", *initial.position, *(n + "'" for n in initial.velocity)]  # "" is time: x may be called t
    for name, value in zip(names, values, strict=True):
        if not math.isfinite(value):
            what = name or fields.time
            error = InitialDataError(f"the initial value of {what} is {value}", expected="a finite number")
            raise error.about("initial", *_entry(name))
    given = dict(zip(names, values, strict=True))
    kinematics = Kinematics(fields, parameters)
    coordinates = fields.coordinates
    t = given[""]
    q = np.array([given.get(c, 0.0) for c in coordinates])
    free_q = [i for i, c in enumerate(coordinates) if c not in given]
    q = _solve_positions(kinematics, fields, t, q, free_q)
    v = np.array([given.get(c + "'", 0.0) for c in coordinates])
    free_v = [i for i, c in enumerate(coordinates) if c + "'" not in given]
    start = np.array([(guess or {}).get(c, 0.0) for c in coordinates])
    v, others = _solve_velocities(kinematics, fields, t, q, v, free_v, start, guess is not None, speech)
    _check_rank(kinematics, fields, t, q, v)
    phi = kinematics.position(t, q)[0]
    f = kinematics.velocity(t, q, v)[0][len(phi) :]
    moved = [coordinates[i] for i in free_q if fields.position_constraints]
    return State(
        t=t,
        position=dict(zip(coordinates, map(float, q), strict=True)),
        velocity=dict(zip(coordinates, map(float, v), strict=True)),
        residuals=(*map(float, phi), *map(float, f)),
        solved=(*moved, *(coordinates[i] + "'" for i in free_v)),
        branches=tuple({coordinates[i]: float(o[i]) for i in free_v} for o in others),
    )


# --- positions ------------------------------------------------------------------------------------


def _solve_positions(kin: Kinematics, fields: Fields, t: float, q: Array, free: list[int]) -> Array:
    constraints = fields.position_constraints
    if not constraints:
        return q
    _finite(fields, kin.position(t, q)[0], "position")
    phi, jacobian = kin.position(t, q)
    if np.abs(phi).max() <= _allowed(jacobian, q):
        return descended(partial(kin.position, t), q, list(range(len(q))))[0]
    if not free:
        if _is_rounding(constraints, fields, kin.parameters, t, q, np.zeros(len(q))):
            return q
        raise _missed(phi, constraints, "position")
    rng = np.random.default_rng(0)
    best: Array | None = None
    for attempt in range(STARTS):
        start = q.copy()
        if attempt:
            start[free] += dyadic(rng.normal(size=len(free)) * 10.0 ** rng.uniform(-3, 1))
        found, residual = descended(partial(kin.position, t), start, free)
        if residual <= 1e-10 * (1 + np.abs(found).max()):
            found = _nearest(partial(kin.position, t), q, found, free)
            if best is None or norm(found - q) < norm(best - q) - 1e-9:
                best = found
            if attempt == 0:
                break
    if best is None:
        raise _missed(phi, constraints, "position", "no choice of the positions left out helps")
    # where the way back to q is orthogonal to the constraint, the distance may be largest: step aside once
    aside = best.copy()
    aside[free] += dyadic(1e-3 * rng.normal(size=len(free)))
    aside, residual = descended(partial(kin.position, t), aside, free)
    if residual <= 1e-10 * (1 + np.abs(aside).max()):
        aside = _nearest(partial(kin.position, t), q, aside, free)
        if norm(aside - q) < norm(best - q) - 1e-6:
            return aside
    return best


def _nearest(function: Any, origin: Array, x: Array, free: list[int]) -> Array:
    """Slide along φ = 0 towards the point nearest to `origin`: steepest descent in the tangent space."""
    for _ in range(200):
        jacobian = function(x)[1][:, free]
        if not np.all(np.isfinite(jacobian)):
            break
        pull = (origin - x)[free]
        tangent = pull - least_squares(jacobian, jacobian @ pull)
        if norm(tangent) <= 1e-12 * (1 + norm(x)):
            break
        for scale in (1.0, 0.5, 0.1, 0.01):
            trial = x.copy()
            trial[free] += scale * tangent
            trial, residual = descended(function, trial, free)
            if residual < 1e-10 * (1 + np.abs(trial).max()) and norm(trial - origin) < norm(x - origin) * (
                1 - 1e-14
            ):
                x = trial
                break
        else:
            break
    return x


# --- velocities -----------------------------------------------------------------------------------


def _solve_velocities(
    kin: Kinematics,
    fields: Fields,
    t: float,
    q: Array,
    v: Array,
    free: list[int],
    guess: Array,
    guessed: bool,
    speech: Speech,
) -> tuple[Array, list[Array]]:
    equations = [*fields.position_constraints, *fields.velocity_constraints]

    def function(x: Array) -> tuple[Array, Array]:
        return kin.velocity(t, q, x)

    if not free:
        f, jacobian = function(v)
        _finite(fields, f, "velocity")
        if len(f) and np.abs(f).max() > _allowed(jacobian, v):
            held = f[: len(fields.position_constraints)]
            if np.abs(held).max(initial=0.0) > _allowed(jacobian, v) or not _is_rounding(
                fields.velocity_constraints, fields, kin.parameters, t, q, v
            ):
                raise _missed(f, equations, "velocity")
            return v, []
        return descended(function, v, list(range(len(v))))[0], []
    rest = np.zeros(len(v)) if len(free) == len(v) else None  # what is meant where no velocity is given
    start = v.copy()
    start[free] = guess[free]
    if not equations:
        found = velocities_of_positions(fields, kin.parameters, t, q)
        if found is not None:
            fixed = [i for i in range(len(v)) if i not in free]
            if np.abs((found - v)[fixed]).max(initial=0.0) <= 1e-9 * (1 + np.abs(found).max()):
                return found, []
        if rest is not None:
            return rest, []
        raise _undetermined(fields, free, np.zeros((0, len(free))), speech)
    solutions = _search(function, start, free, kin.linear(t, q))
    if not solutions:
        f, jacobian = function(start)
        _finite(fields, f, "velocity")
        _differentiable(jacobian)
        raise _hidden(fields) or _contradiction(function, fields, start, free, equations)
    determined = []
    for x in solutions:
        _, jacobian = function(x)
        _differentiable(jacobian)
        if numerical_rank(jacobian[:, free]) == len(free):
            determined.append(x)
    if not determined:
        if rest is not None:
            f, jacobian = function(rest)
            generic = max(numerical_rank(function(x)[1]) for x in solutions)
            if np.abs(f).max() <= ROUNDOFF and numerical_rank(jacobian) == generic:  # no tip of a cone
                return rest, []
        raise _hidden(fields) or _undetermined(fields, free, function(solutions[0])[1][:, free], speech)
    # without a guess the branch with the larger velocities' sum comes first: a stated, reproducible choice
    determined.sort(key=lambda x: norm((x - start)[free]) if guessed else -float(x[free].sum()))
    shown = [_without_dust(function, x, free) for x in determined]
    return shown[0], shown[1:]


def _without_dust(function: Any, x: Array, free: list[int]) -> Array:
    """The solution with 0 for solved values that are rounding error: the equations hold as well with it."""
    for i in free:
        trial = np.where(np.arange(len(x)) == i, 0.0, x)
        f, jacobian = function(trial)
        allowed = ULP * (np.abs(jacobian) @ np.abs(trial))
        if 0 < abs(x[i]) <= ULP * np.abs(x).max() and np.all(np.abs(f) <= allowed):
            x = trial
    return x


def _search(function: Any, start: Array, free: list[int], linear: bool) -> list[Array]:
    """Different solutions for the free entries, found by Newton's method from many starting points."""
    rng = None if linear else np.random.default_rng(0)
    found: list[Array] = []
    size = 1 + np.abs(start).max()
    for attempt in range(1 if linear else STARTS):
        x = start.copy()
        if attempt and rng is not None:
            x[free] += dyadic(rng.normal(size=len(free)) * 10.0 ** rng.uniform(-2, 1)) * size
        x, residual = descended(function, x, free)
        allowed = _allowed(function(x)[1], x)
        if not residual <= allowed:
            continue
        if residual > allowed * 1e-3:  # the given values miss by roundoff: they are set right too
            x, residual = descended(function, x, list(range(len(x))))
        if all(np.abs(x - y).max() > 1e-7 * (1 + np.abs(x).max()) for y in found):
            found.append(x)
        if len(found) > 3 and numerical_rank(function(x)[1][:, free]) < len(free):
            break  # a continuum of solutions, not branches
    return found


# --- verdicts -------------------------------------------------------------------------------------


def _allowed(jacobian: Array, x: Array) -> float:
    """How large a residual counts as roundoff: 1e-9 of the terms that cancel in it."""
    if not jacobian.size or not np.all(np.isfinite(jacobian)):
        return ROUNDOFF
    return ROUNDOFF * max(1.0, float((np.abs(jacobian) @ np.abs(x)).max()))


def _is_rounding(
    equations: Sequence[Equation],
    fields: Fields,
    parameters: Mapping[str, float],
    t: float,
    q: Array,
    v: Array,
) -> bool:
    """Whether balls around the doubles of a state meet all equations: a state there that is exact meets them
    for all that doubles can tell, as at a multiple root of a polynomial with large coefficients.
    """
    from flint import arb, ctx

    from chetaev.expr.exact import GivenUp, ask
    from chetaev.expr.exact.numbers.balls import BallProgram

    values = {(n, 0): x for n, x in parameters.items()} | {(fields.time, 0): t}
    for order, level in enumerate((q, v)):
        values |= {(c, order): x for c, x in zip(fields.coordinates, map(float, level), strict=True)}
    program = BallProgram([e.residual for e in equations])
    with ctx.workprec(53):
        missed = ask(program.run, {k: arb(x, ULP * abs(x)) for k, x in values.items()})
    return not isinstance(missed, GivenUp) and all(x.contains(0) for x in missed)


def _entry(name: str) -> tuple[str, ...]:
    """Where the initial value of time (an empty name), x or x' stands in [initial]."""
    if not name:
        return ("t",)
    return ("velocity", name.removesuffix("'")) if name.endswith("'") else ("position", name)


def _constraint(fields: Fields, index: int) -> tuple[str, str, int]:
    """Where a constraint stands, counted through the levels."""
    for level in ("position", "velocity"):
        count = len(getattr(fields, f"{level}_constraints"))
        if index < count:
            return "constraints", level, index
        index -= count
    return "constraints", "acceleration", index


def _finite(fields: Fields, values: Array, level: str) -> None:
    equations = [*fields.position_constraints, *fields.velocity_constraints]
    for i, value in enumerate(values):
        if not np.isfinite(value):
            raise InitialDataError(
                f"the {level} constraint {equations[i]} has no finite value at the initial state",
                remedy=DOMAIN,
            ).about(*_constraint(fields, i))


def _differentiable(jacobian: Array) -> None:
    if not np.all(np.isfinite(jacobian)):
        raise InitialDataError(
            "the constraints have no finite derivatives at the initial state",
            remedy="start inside the domain of their functions",
        )


def _missed(values: Array, equations: Sequence[Any], level: str, more: str = "") -> InitialDataError:
    worst = int(np.abs(values).argmax())
    return InitialDataError(
        f"the initial {level} misses the constraint {equations[worst]} by {values[worst]:.3g}"
        + (f"; {more}" if more else ""),
        expected=f"lhs − rhs below {ROUNDOFF:g}",
        remedy="leave one of the values out, and it is solved from the constraint",
    ).about("initial", level)


def _contradiction(
    function: Any, fields: Fields, start: Array, free: list[int], equations: Sequence[Any]
) -> InitialDataError:
    x, _ = descended(function, start, free)
    f, jacobian = function(x)
    worst = int(
        np.flatnonzero(np.abs(f) >= 0.99 * np.abs(f).max())[-1]
    )  # the later one contradicts the earlier
    names = ", ".join(fields.coordinates[i] + "'" for i in free)
    if numerical_rank(jacobian) < min(jacobian.shape) and len(f) > 1:
        return InitialDataError(
            f"the constraints contradict each other at the initial state: {equations[worst]} is missed by "
            f"{f[worst]:.3g} whatever {names} is",
            remedy="remove or correct one of the constraints",
        ).about(*_constraint(fields, worst))
    return InitialDataError(
        f"no value of {names} satisfies the constraint {equations[worst]} with the velocities given; "
        f"the best misses it by {abs(f[worst]):.3g}",
        remedy="change the given initial values, or leave more velocities out",
    ).about("initial", "velocity")


def _hidden(fields: Fields) -> InitialDataError | None:
    """The error where velocity constraints imply relations between positions; None where none is found."""
    from chetaev.model.states.hidden_positions import hidden_positions  # rarely asked, and not small

    listed = ", ".join(f"{e} = 0" for e in hidden_positions(fields))
    return (
        listed
        and InitialDataError(
            f"the velocity constraints imply a relation between positions: {listed}",
            remedy="give it as a position constraint too; then positions and velocities are solved from it",
        ).about("constraints", "velocity")
    ) or None


def _undetermined(fields: Fields, free: list[int], jacobian: Array, speech: Speech) -> InitialDataError:
    """Which velocities the constraints leave free."""
    missing = len(free) - numerical_rank(jacobian)
    if jacobian.shape[0]:
        open_directions = kernel(jacobian, ROUNDING)
        loose = [free[j] for j in range(len(free)) if np.abs(open_directions[j]).max(initial=0.0) > 1e-8]
    else:
        loose = free
    names = [fields.coordinates[i] + "'" for i in loose]
    listed = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    which = (
        "it"
        if missing == len(names) == 1
        else "all of them"
        if missing == len(names)
        else f"{missing} of them"
    )
    return InitialDataError(
        "the initial velocities do not determine the state: "
        f"{listed} {'is' if len(names) == 1 else 'are'} free",
        expected=f"values for {which} {speech.initial_velocities}",
        remedy=speech.velocities([name.rstrip("'") for name in names[:missing]]),
    ).about("initial", "velocity")


def _rank_nearby(kin: Kinematics, t: float, q: Array, v: Array) -> int:
    """The largest rank of the rows at a few points of Q around a state."""
    rng, found = Random(9), [0]
    for spread in (0.01, 0.1, 0.3, 1.0):
        near_q, near_v = (
            x + spread * np.array([rng.uniform(-1, 1) * (1 + abs(y)) for y in x]) for x in (q, v)
        )
        every = list(range(len(q)))
        near_q, missed = descended(partial(kin.position, t), near_q, every)
        near_v, also = descended(partial(kin.velocity, t, near_q), near_v, every)
        rows = kin.rows(t, near_q, near_v)
        if max(missed, also) < 1e-9 * (1 + np.abs(near_q).max() + np.abs(near_v).max()) and np.all(
            np.isfinite(rows)
        ):
            found.append(numerical_rank(unit_rows(rows)))
    return max(found)


def _check_rank(kin: Kinematics, fields: Fields, t: float, q: Array, v: Array) -> None:
    rows = kin.rows(t, q, v)
    equations = every_constraint(fields)
    _differentiable(rows)
    scaled = unit_rows(rows)
    found = numerical_rank(scaled)
    if found == len(equations) or 0 < found == _rank_nearby(kin, t, q, v):
        return  # redundant constraints say the same thing twice, everywhere: see `model.redundancy`
    i = bisect_left(range(len(equations)), True, key=lambda i: numerical_rank(scaled[: i + 1]) <= i)
    i = min(i, len(equations) - 1)
    level = "velocities" if i < len(equations) - len(fields.acceleration_constraints) else "accelerations"
    rest = (
        f"depends on those before it ({equations[0]}{', …' if i > 1 else ''})"
        if i
        else f"has no derivative in the {level}"
    )
    raise _hidden(fields) or InitialDataError(
        f"the constraints are dependent at the initial state: {equations[i]} {rest}; "
        f"rank {'∂f/∂v' if level == 'velocities' else '(∂f/∂v, ∂α/∂a)'} = {found} of {len(equations)}",
        remedy="start where they are independent, or remove the constraint",
    ).about(*_constraint(fields, i))
