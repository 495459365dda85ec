"""From initial data to a motion.

>>> import chetaev as ch
>>> from chetaev.flow.run.compiled_field import compile_field
>>> from chetaev.flow.run.events import Event
>>> skate = ch.System(
...     coordinates=["x", "y", "phi"],
...     lagrangian="(x'^2 + y'^2)/2 + phi'^2/20 + 4.9*x",
...     constraints=["x'*sin(phi) = y'*cos(phi)"],
... )
>>> run = integrate(compile_field(skate), 0.0, [0, 0, 0], [0, 0, 1], 12.0, events=[Event("x'", direction=-1)])
>>> run.status, run.q.shape == (len(run.times), 3)
('done', True)
>>> [round(e.time, 6) for e in run.events][:2]  # the cycloid turns back at π/2 and 3π/2
[1.570796, 4.712389]
>>> bool(abs(run.residuals).max() < 1e-14)
True
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chetaev.checked_arguments import number
from chetaev.errors import ModelError
from chetaev.expr.graph.node import Expr
from chetaev.flow.compile.programs import Programs
from chetaev.flow.derive.modes import unfold, without_tables
from chetaev.flow.run.array_calls import Array
from chetaev.flow.run.compiled_field import CompiledField
from chetaev.flow.run.diagnose import STOP, why_it_ended
from chetaev.flow.run.events import outcome, read
from chetaev.flow.run.motion import Dense, KinkBranches, Run, Statistics
from chetaev.flow.run.pulses import Pulses
from chetaev.flow.run.run_options import USUAL_OPTIONS, RunOptions, checked_tolerance
from chetaev.flow.run.session import FORMS, Session
from chetaev.flow.run.supplied_forces import Supplied
from chetaev.flow.schemes import DEFAULT, find, fixed_methods
from chetaev.numeric import balanced, numerical_rank

SHORTEST = 1e-15
"""Fixed steps are longer than this part of the times of the run, which doubles tell apart to 2e-16."""


def integrate(
    field: CompiledField,
    t0: float,
    q0: ArrayLike,
    v0: ArrayLike,
    t1: float,
    at: ArrayLike | None = None,
    options: RunOptions = USUAL_OPTIONS,
    *,
    parameters: Mapping[str, Any] | None = None,
    progress: Callable[[float], None] | None = None,
    supplied: Supplied | None = None,
    stops: Sequence[Expr] = (),
    **changes: Any,
) -> Run:
    """Integrate the motion of a field from (t0, q0, v0), a state on the constraints, to t1, either way.

    The result is at the times `at`, in the direction of the run, or at every step. The `options`, or some
    `changes` of them by name, say how it is integrated, such as the `tolerance`, from 2e-15 to 0.1: see
    :class:`RunOptions`. `progress` is called with the time that has been reached now and then.

    Values of `parameters` are laid over the model's own, and some may be `supplied` by Python functions
    (`flow.run.supplied_forces`). The `stops` are expressions that are positive, or about to be: where one
    comes down to zero the run ends with the status ``"stop"``, and `Run.stop` is its number
    (`flow.run.impacts`).
    """
    options = options.changed(**changes)
    model = field.model
    start, times = checked(field, t0, q0, v0, t1, at, options)
    known, graphs = read(options.events, model)
    values = dict(parameters or {})
    numbers = np.array([float(x) for x in model.values(values)])
    if model.lookups:
        numbers = np.append(numbers, np.zeros(sum(len(x.names) for x in model.lookups)))
    programs, switches = branched(field)
    length = checked_step(options, field, switches, supplied)
    if length and abs(t1 - t0) / length > options.max_steps:
        raise ModelError(
            f"a run from {t0:g} to {t1:g} with steps of {length:g} has more than {options.max_steps} of them",
            remedy="take longer steps, or allow more with max_steps (--max-steps)",
        )
    if length and length <= SHORTEST * max(abs(t0), abs(t1)):
        raise ModelError(
            f"steps of {length:g} are too short to be told apart in a run from {t0:g} to {t1:g}",
            remedy="count the time from a nearer moment, or take longer steps",
        )
    session = Session(
        programs, numbers, float(t0), start, float(t1), None if times is None else times[times != t0],
        options.changed(events=known), switches=switches, graphs=graphs, supplied=supplied,
        stops=without_tables(stops, model.lookups),
    )  # fmt: skip
    if not length:
        values_of = dict(zip(model.parameters, map(float, numbers), strict=False))
        pulses = Pulses(model.graphs, model.time, model.parameters)
        session.marks = pulses.tops(values_of, float(t0), float(t1))
    session.determined = lambda t, y: bool(
        np.all(np.isfinite(field(t, y[: model.size], y[model.size : 2 * model.size], values)))
    )
    if supplied is not None:
        supplied.error = None
        session.supply(float(t0), start)
    code = session.run(options.max_steps, progress)
    if supplied is not None and supplied.error is not None:
        raise supplied.error
    end = session.state
    index = session.loop.event_index - session.first_event
    name = known[index].name if 0 <= index < len(known) else ""
    diagnosis = why_it_ended(code, session, field, values, start, name)
    rows = session.out[: session.loop.out_count]
    first = np.concatenate([[t0], start])[None]
    repeats = 1 if times is None else int(np.sum(times == t0))
    rows = np.concatenate([np.repeat(first, repeats, axis=0), rows])
    n = model.size
    crossings, watched = outcome(session, known)
    return Run(
        field, values, rows[:, 0], rows[:, 1 : n + 1], rows[:, n + 1 : 2 * n + 1],
        diagnosis.status, diagnosis.reason, session.t, (end[:n], end[n : 2 * n]), diagnosis.smallest,
        crossings, _statistics(session), options.tolerance, options.method,
        _dense(session, t0) if options.dense else None, watched,
        _branches(session, field) if switches else None,
        supplied, session.loop.event_index - session.first_stop if code == STOP else None,
    )  # fmt: skip


def _branches(session: Session, field: CompiledField) -> KinkBranches:
    sliding, n = session.sliding, session.n

    def modes_at(t: Array, q: Array, v: Array) -> Array:
        return sliding.modes_at(t, q[:, :n], v[:, :n])

    moded = CompiledField(session.programs, field.form)
    return KinkBranches(moded, tuple(session.switches), tuple(sliding.changes), modes_at)


def branched(field: CompiledField) -> tuple[Programs, tuple[Expr, ...]]:
    """The programs an integrator may use: those of the field itself unless there are kinks."""
    model, switches = unfold(field.model)
    if not switches:
        return field.programs, ()
    return Programs(model, field.programs.cache), switches


def checked(
    field: CompiledField, t0: float, q0: ArrayLike, v0: ArrayLike, t1: float, at: ArrayLike | None,
    options: RunOptions,
) -> tuple[Array, Array | None]:  # fmt: skip
    """The initial state and the requested times, or an error that says what is wrong with them."""
    n = field.model.size
    q, v = np.asarray(q0, float), np.asarray(v0, float)
    if q.shape != (n,) or v.shape != (n,):
        raise ModelError(
            f"the initial state has shapes {q.shape} and {v.shape}",
            expected=f"({n},) and ({n},): {', '.join(field.model.coordinates)}",
        )
    if not (np.all(np.isfinite(q)) and np.all(np.isfinite(v)) and math.isfinite(t0) and math.isfinite(t1)):
        raise ModelError("the initial state or a time is not finite", expected="numbers")
    checked_tolerance(options.tolerance)
    find(options.method)
    if options.form not in FORMS:
        raise ModelError(f"unknown form {options.form!r}", expected=", ".join(map(repr, FORMS)))
    state = np.concatenate([q, v])
    if at is None:
        return state, None
    return state, checked_times(t0, t1, at)


def checked_step(
    options: RunOptions, field: CompiledField, switches: Sequence[Expr], supplied: Supplied | None = None
) -> float:
    """The length of the steps, 0 if the scheme chooses it; an error where the scheme does not apply."""
    method, step = options.method, options.step
    scheme = find(method)
    if step is not None:
        step = number(step, "the step", expected="a positive number")
        if not step > 0:
            raise ModelError(f"the step is {step:g}", expected="a positive number")
    if options.dense and scheme.chooses:
        raise ModelError(
            f"the method {method!r} keeps no motion as a function of time, and a contact needs one",
            remedy=f"take one of {' and '.join(map(repr, scheme.chooses))}",
        )
    if not scheme.fixed:
        if step is not None:
            raise ModelError(
                f"the method {method!r} chooses its steps itself, and step={step:g} is asked for",
                remedy=f"give a tolerance instead, or a method with fixed steps: {fixed_methods()}",
            )
        return 0.0
    if step is None:
        raise ModelError(
            f"the method {method!r} has steps of one length, and none is given",
            remedy="give step=… (on the command line --step H)",
        )
    model = field.model
    lacking = scheme.needs(model)
    if not lacking and switches:
        lacking = "smooth functions, and the model contains abs, sign, min or max of the state"
    if not lacking and supplied is not None:
        lacking = "forces with derivatives, and these are Python functions"
    if not lacking and scheme.inverts_masses and (rank := generic_rank_of_masses(field)) < model.size:
        lacking = f"a regular matrix ∂²L/∂v², and here its rank is {rank} of {model.size}"
    if lacking:
        raise ModelError(
            f"the method {method!r} needs {lacking}",
            remedy=f"use method={DEFAULT!r}, which does without",
        )
    return step


def generic_rank_of_masses(field: CompiledField) -> int:
    """The rank of M at points of no distinction; that of a regular M where it has no value at any of them."""
    n = field.model.size
    states = np.random.default_rng(1).uniform(-0.5, 0.5, (8, 2 * n))
    masses = field.matrices(0.5, states[:, :n], states[:, n:])[0]
    known = [mass for mass in masses if np.all(np.isfinite(mass))]
    return max((numerical_rank(balanced(mass)) for mass in known), default=n)


def checked_times(t0: float, t1: float, at: ArrayLike) -> Array:
    """The requested times, if they are in order and within the run."""
    times = np.atleast_1d(np.asarray(at, float))
    direction = 1.0 if t1 >= t0 else -1.0
    if times.ndim != 1 or not np.all(np.isfinite(times)):
        raise ModelError("the requested times are not a list of numbers")
    if np.any(direction * np.diff(times) < 0):
        raise ModelError(
            "the requested times are out of order",
            expected=f"times that {'grow' if direction > 0 else 'fall'}, from {t0:g} on",
        )
    outside = [t for t in times if direction * (t - t0) < 0 or direction * (t - t1) > 0]
    if outside:
        raise ModelError(
            f"the requested time {outside[0]:g} lies outside the run from {t0:g} to {t1:g}",
            remedy="move the end of the run",
        )
    return times


def _statistics(session: Session) -> Statistics:
    loop = session.loop
    return Statistics(
        loop.steps, loop.rejected, loop.evaluations, session.charts.count, session.branch_changes,
        session.form, loop.drift, tuple(session.scheme_changes),
    )  # fmt: skip


def _dense(session: Session, t0: float) -> Dense | None:
    rows = session.dense[: session.loop.dense_count]
    if not len(rows):
        return None
    d = session.dim
    vectors = rows[:, 2 + d :].reshape(len(rows), session.scheme.vectors, d)
    n = 2 * session.n
    return Dense(
        rows[:, 0].copy(), rows[:, 1].copy(), rows[:, 2 : 2 + n].copy(), vectors[:, :, :n].copy(),
        session.scheme.name, float(t0), session.t,
    )  # fmt: skip
