r"""`ch.steer`: inputs that take a system from one state to another (SCOPE M6, K15).

Inputs are velocities that the constraints admit, or forces. A method proposes inputs:

* *chained*: two inputs without drift in chained form, z1' = v1, z2' = v2, z3' = z2 v1, …, found by the
machine; the
  chained system is linear in v2 once v1 is chosen, and is solved (:mod:`.chained`);
* *sinusoids*: in chained form, or of the inputs themselves, whose loops move the rest (:mod:`.sinusoids`);
* *optimal*: least kinetic energy, or least forces, by collocation with IPOPT (:mod:`.collocation`).

What is proposed is polished by Newton's method on the compiled, error-controlled flow
(:mod:`.newton_on_the_flow`), and an independent run with a finer tolerance says by how much the end is
missed. Where a law that no input changes has another value at the end, that is said instead.

>>> import chetaev as ch
>>> parked = ch.steer(ch.load("knife-edge"), {"phi": 0}, {"y": 1}, until=3)
>>> parked.end_error < 1e-8, parked.residual < 1e-8, parked.inputs
(True, True, ('u', "phi'"))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.control.collocation import ProposedInputs, proposal
from chetaev.analysis.control.control_affine import fields_or_names
from chetaev.analysis.control.controlled_rates import ControlledRates, rates
from chetaev.analysis.control.driven_system import Controls, Driven
from chetaev.analysis.control.geodesic import Vakonomic
from chetaev.analysis.control.newton_on_the_flow import polished
from chetaev.analysis.control.pontryagin import Conditions, conditions
from chetaev.analysis.control.sinusoids import amplitudes, sinusoid_proposals
from chetaev.analysis.control.steering import Steering, bound
from chetaev.analysis.control.steering_task import SteeringTask, along, read_task, unreachable, values_at
from chetaev.checked_arguments import choice
from chetaev.effort import EFFORT, expect_effort, written
from chetaev.errors import ModelError
from chetaev.expr.exact import GivenUp, ask
from chetaev.expr.graph.evaluate import evaluate
from chetaev.flow.data.labels import renamed
from chetaev.flow.data.simulate import simulate
from chetaev.model.system import System, expect_system

Array = NDArray[np.float64]
REACHED = 1e-8
"""The end counts as reached when no component is missed by more."""
SAMPLES = 401
ATTEMPTS = (
    (24, 0, 0.02), (24, 1, 0.02), (24, 0, 0.9), (32, 0, 0.02), (32, 1, 0.02), (32, 2, 0.9), (40, 3, 0.4),
    (40, 1, 0.02),
)  # fmt: skip
"""Degree, number of the guess, and how near to singular points, tried in this order."""
EXTREMALS = 2
"""Of so many vakonomic motions that with the least energy is taken."""
TRIED = 3
"""So many inputs of least energy are looked at for one near a vakonomic motion."""
EXTREMAL = 0.6
"""Where Pontryagin's conditions are missed by more, no vakonomic motion is near."""
MISSED = 0.01
"""Where they are missed by more, the inputs are not called those of a minimum."""
ONE = EFFORT // len(ATTEMPTS)
"""What one attempt counts."""
SMOOTH = 0.05
"""Weight of du/dτ in the search for forces: without it they may jump."""
METHODS = ("chained", "sinusoids", "optimal")


def steer(
    system: System,
    start: Mapping[str, Any] | None = None,
    end: Mapping[str, Any] | None = None,
    until: float | None = None,
    *,
    inputs: Iterable[str] | None = None,
    free: Iterable[str] = (),
    method: str | None = None,
    effort: int = EFFORT,
) -> Steering:
    """Inputs that take a system from a start to an end.

    Parameters
    ----------
    system
        The system; its constraints affine in the velocities.
    start
        Positions laid over the model's own (0 where it says nothing); velocities, ``x'`` or ``x_dot``, are
        0 unless given, and only for inputs that are forces.
    end
        Likewise; positions left out are to be as at the start, velocities 0.
    until
        The final time; the model's own if left out.
    inputs
        Coordinates, on which forces act, and parameters of the law, in which it is affine. If left out, the
        inputs are the quasi-velocities of the model, or natural ones.
    free
        Coordinates, and velocities ``x_dot``, that may end anywhere.
    method
        ``"chained"``, ``"sinusoids"`` or ``"optimal"``; the first that applies if left out.
    effort
        How many attempts are made (:mod:`chetaev.effort`).

    Returns
    -------
    Steering
        The inputs as functions of time, the motion, the error at the end, the cost.

    Raises
    ------
    ModelError
        Where the end is proved to be out of reach, and where nothing was found within the effort.
    """
    expect_system(system, "ch.steer")
    effort = expect_effort(effort)
    if method is not None:
        method = choice(method, "the method", METHODS)
    control = ask(fields_or_names, system, inputs)
    if isinstance(control, GivenUp):
        raise ModelError("the vector fields of the system are too long to be written down")
    if not control.inputs:
        raise ModelError(
            "the constraints leave no velocity to choose, so that there is nothing to steer with"
        )
    task = read_task(control, start, end, until, free)
    reason = unreachable(task)
    if reason is not None:
        raise ModelError(reason, remedy="choose an end with the same value")
    made = rates(control)
    best = np.inf
    kept: list[Steering] = []
    for attempt in _attempts(task, made, method, effort):
        driven = _driven(task, attempt.coefficients.shape[1] - 1)
        found = polished(driven, attempt.coefficients, task.places(), task.target(), attempt.within)
        if found is None:
            continue
        best = min(best, found.miss)
        if found.miss > REACHED / 10:
            continue
        result = _result(task, made, driven, found.coefficients, attempt, found.steps)
        if result.end_error > REACHED:
            continue
        if result.optimality is None:
            return result
        kept.append(_refined(task, made, result, attempt.aim))
        if sum(r.vakonomic is not None for r in kept) == EXTREMALS or len(kept) == TRIED:
            break
    if kept:
        chosen = min(kept, key=lambda r: (r.vakonomic is None, r.cost))
        if chosen.vakonomic is None and (chosen.optimality or 0.0) > MISSED:
            why = "little kinetic energy; no minimum, for Pontryagin's conditions do not hold"
            return replace(chosen, why=why)
        return chosen
    near = f"; the nearest motion missed it by {bound(float(best))}" if np.isfinite(best) else ""
    raise ModelError(
        f"no inputs were found that reach the end within effort {written(effort)}{near}",
        remedy="give more time or effort=…, name what may end anywhere in free=…, or go there by way of "
        "other states; ch.accessibility says whether inputs reach all states near",
    )


def _attempts(
    task: SteeringTask, made: ControlledRates, method: str | None, effort: int
) -> Iterable[ProposedInputs]:
    """Proposals, the cheapest first."""
    from chetaev.analysis.control.chained import chained_proposals

    if method == "sinusoids":
        yield from chained_proposals(task, [method], asked=False)
        yield from sinusoid_proposals(task)
        return
    if method != "optimal":
        kinds = METHODS[:2] if method is None else [method]
        yield from chained_proposals(task, kinds, asked=method == "chained")
        if method == "chained":
            return
    system, t0 = task.control.system, task.times[0]
    first, last = (_states(made, task, values_at(system, state, t0)) for state in (task.start, task.end))
    fixed = np.array([_is_fixed(task, s) for s in made.states])
    smooth = 0.0 if task.kinematic else SMOOTH
    for N, guess, margin in ATTEMPTS[: max(1, min(len(ATTEMPTS), effort // ONE))]:
        found = proposal(
            made, len(task.control.inputs), first, last, fixed, task.times, N, guess, smooth, margin
        )
        if found is not None:
            yield found
    if method is None:
        yield from sinusoid_proposals(task)


def _is_fixed(task: SteeringTask, state: tuple[str, int]) -> bool:
    """Whether a state has a prescribed end: quasi-velocities have, unless a velocity is free."""
    name, order = state
    if name in task.control.system.coordinates and not order:
        return name not in task.free
    return not any(n.endswith("_dot") for n in task.free) or (
        name in task.control.system.coordinates and name + "_dot" not in task.free
    )


def _states(made: ControlledRates, task: SteeringTask, known: dict[Any, Any]) -> Array:
    """x where t, q and v are known; with arrays, along a motion, shape (states, times)."""
    frame = task.control.frame
    if frame is not None and not task.kinematic:
        u = evaluate(list(frame.functions), known)
        known = known | {s.value: x for s, x in zip(frame.symbols, u, strict=True)}
    shape = np.shape(known[task.control.system.time])
    return np.array([np.broadcast_to(known[s], shape) for s in made.states], float)


def _driven(task: SteeringTask, degree: int) -> Driven:
    control = task.control
    frame = control.frame if task.kinematic else None
    return Driven(control.system, frame, control.names, degree, *task.times, task.start)


def _result(
    task: SteeringTask, made: ControlledRates, driven: Driven, c: Array, attempt: ProposedInputs, steps: int
) -> Steering:
    """The motion by an independent run, and what is to be said of it."""
    control = task.control
    system = driven.with_controls(c)
    controls = Controls(control.names, c, *task.times)
    motion = simulate(system, task.times[1], SAMPLES, tolerance=1e-12)
    axis = renamed(system.coordinates).get("time", "time")
    if motion.attrs["status"] != "done":
        end_error = np.inf
    else:
        names = [*control.system.coordinates, *(n + "_dot" for n in control.system.coordinates)]
        end = np.array([float(motion[n].values[-1]) for n in names])
        end_error = float(np.abs(end[task.places()] - task.target()).max(initial=0.0))
    t = np.asarray(motion[axis].values, float)
    inputs = np.array(list(controls(t).values()))
    label = "input" if "input" not in motion.variables else "input_"
    motion = motion.assign_coords({label + "_name": list(control.names)})
    motion[label] = ((axis, label + "_name"), inputs.T)
    motion = motion.assign_attrs(time_axis=axis)
    x = _states(made, task, along(control.system, motion, t))
    cost = _cost(made, t, x, inputs)
    seen: Conditions | None = None
    if attempt.method == "optimal" and task.kinematic and made.metric and not task.free:
        seen = conditions(made, t, x, inputs)
    return Steering(
        control.level, attempt.method, attempt.why, controls, system, motion, end_error,
        _residual(task, motion, t), cost,
        None if seen is None else seen.missed, None, () if seen is None else tuple(map(float, seen.momenta)),
        attempt.iterations + steps,
        harmonics=() if attempt.within is None else amplitudes(c, attempt.within),
    )  # fmt: skip


def _refined(task: SteeringTask, made: ControlledRates, rough: Steering, aim: str) -> Steering:
    """The vakonomic motion near inputs of least energy, by shooting; the inputs themselves without one."""
    if rough.optimality is None or rough.optimality > EXTREMAL or not Vakonomic.applies(task):
        return rough
    flow = Vakonomic(task)
    v = np.array([float(rough.motion[c + "_dot"].values[0]) for c in task.control.system.coordinates])
    found = flow.shoot(v, np.array(rough.momenta))
    if found is None:
        return rough
    driven = _driven(task, found.coefficients.shape[1] - 1)
    better = polished(driven, found.coefficients, task.places(), task.target())
    if better is None or better.miss > REACHED / 10:
        return rough
    why = f"{aim}; a minimum by IPOPT, then shooting on the vakonomic equations"
    proposed = ProposedInputs(found.coefficients, "optimal", why, rough.iterations)
    result = _result(task, made, driven, better.coefficients, proposed, better.steps)
    if result.end_error > REACHED or result.cost > 1.01 * rough.cost + 1e-9:
        return rough
    return replace(result, vakonomic=found.miss, multipliers=tuple(map(float, found.multipliers)))


def _cost(made: ControlledRates, t: Array, x: Array, inputs: Array) -> float:
    """By Simpson's rule."""
    running = np.array(made.cost.map(len(t))(t[None, :], x, inputs).full()).ravel()
    weights = np.array([1.0 if i in (0, len(t) - 1) else (4.0 if i % 2 else 2.0) for i in range(len(t))])
    return float(np.sum(weights * running)) * float(t[-1] - t[0]) / (3 * (len(t) - 1))


def _residual(task: SteeringTask, motion: Any, t: Array) -> float:
    system = task.control.system
    rows = [*system.position_constraints, *system.velocity_constraints]
    found = evaluate([e.residual for e in rows], along(system, motion, t)) if task.control.frame else []
    return max((float(np.abs(r).max(initial=0.0)) for r in map(np.asarray, found)), default=0.0)
