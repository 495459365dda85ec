"""`ch.simulate`: from a system to a data set.

>>> import chetaev as ch
>>> motion = ch.simulate(ch.load("leibniz-particle"), until=1.0, at=[0.0, 0.5, 1.0])
>>> motion.attrs["status"], dict(motion.sizes)["time"]
('done', 3)
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from chetaev.checked_arguments import count, flag, function, number, shown, table
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import key_name
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import parse
from chetaev.flow.data.dataset import to_dataset
from chetaev.flow.data.times import spread, with_end
from chetaev.flow.run.compiled_field import CompiledField, compile_field
from chetaev.flow.run.events import Event, listed
from chetaev.flow.run.integrate import checked_times, integrate
from chetaev.flow.run.motion import Run, Statistics
from chetaev.flow.run.run_options import FINEST, MAX_STEPS, RunOptions, prepared
from chetaev.flow.run.supplied_forces import Force, Supplied
from chetaev.flow.schemes import DEFAULT, find
from chetaev.model.system import System
from chetaev.model.system_arguments import as_list

if TYPE_CHECKING:
    import xarray

    from chetaev.flow.data.quasi_motion import QuasiMotion

CHECKED = 2048
"""The second run of a check takes at least so many steps."""
LEAST = 1e-300
"""No step is shorter."""


def simulate(
    system: System,
    until: float | None = None,
    at: ArrayLike | int | str | None = None,
    initial: Mapping[Any, Any] | None = None,
    tolerance: float | None = None,
    *,
    parameters: Mapping[str, Any] | None = None,
    events: Iterable[Event | str | Expr] = (),
    forces: Mapping[str, Force] | None = None,
    laws: Mapping[str, str | Expr] | None = None,
    method: str = DEFAULT,
    step: float | None = None,
    form: str | None = None,
    quasi: bool = False,
    check: bool = False,
    precision: int | None = None,
    progress: Callable[[float], None] | None = None,
    max_step: float | None = None,
    max_steps: int = MAX_STEPS,
) -> xarray.Dataset:
    """Integrate a system on its constraints.

    Parameters
    ----------
    system, until, at, initial, tolerance, parameters
        As for `ch.simulate`, which is the same where the accelerations are determined.
    events
        Expressions whose zeros are found; see :class:`chetaev.Event`. What was found and what is shown of
        those that were not stands in ``attrs["events"]`` and ``attrs["watched"]``.
    forces
        Python functions of (t, q, v) by coordinate, added to the model's own forces; q and v are tables by
        name. See `chetaev.flow.run.supplied_forces` for what is lost.
    laws
        Expressions to evaluate along the motion, by name; they become variables of the result.
    method
        The name of a scheme; see :func:`chetaev.schemes`.
    step
        The length of all steps, for a scheme that has fixed ones.
    form
        ``"quasi"`` to integrate (q, u) in the quasi-velocities of ``[quasi]`` or in natural ones, which
        then are variables of the result; velocities are on the constraints by construction.
    quasi
        Whether quasi-velocities are variables of the result, by name.
    check
        Whether to run again with a hundredth of the tolerance and with steps of at most 1/2048 of the run,
        or with half of the `step`, and report the difference of the final states.
    precision
        Digits, for a run in mpmath beyond double precision: slow, for checks. The data set holds the nearest
        doubles; ``attrs["final_state"]`` has all digits of the last state.
    progress
        Called some ten times a second with the part of the work that is done, from 0 to 1.
    max_step
        The longest step, where the scheme chooses its length: forces that act in a place or a time shorter
        than a step are then not stepped over.
    max_steps
        After so many steps the run gives up, with the status ``"max steps"`` and what it has.

    Returns
    -------
    xarray.Dataset
        Dimension ``time``; variables ``x``, ``x_dot``, ``x_ddot`` for each coordinate, ``energy``,
        ``power`` (of the constraint forces), ``multiplier`` and ``residual`` by constraint; provenance in
        ``attrs``. A run that ends early keeps everything up to there, with the reason in ``attrs``.
    """
    asked_times, until = with_end(at, until)
    system, end, allowed = prepared(system, until, initial, tolerance, parameters, "ch.simulate")
    max_steps = count(max_steps, "max_steps", 1, 2**62)
    state = system.state
    expressions = _laws(system, laws)
    events = listed(events if callable(events) else as_list(events, "events"))
    check = flag(check, "check")
    progress = function(progress, "progress")
    max_step = longest_step(max_step, method, step, precision)
    if precision is not None:
        precision = count(precision, "the precision in digits", 15, 1000)
    in_quasi = _quasi_motion(system, form, precision)
    if flag(quasi, "quasi") or in_quasi is not None or (system.quasi and events):
        from chetaev.flow.data.quasi_motion import quasi_laws, read_events

        named = quasi_laws(system)
        events = read_events(system, events, named)
        if quasi or in_quasi is not None:
            expressions = {**named, **expressions}
    times = spread(asked_times, state.t, end)
    functions = table(forces, "forces")
    if system.stops and (functions or precision is not None):
        raise ModelError("a run with stops takes neither forces=… nor precision=…")
    if in_quasi is not None and (functions or system.stops):
        raise ModelError("a run with form='quasi' takes neither forces=… nor stops")
    _expect_one_scheme(system, method)
    if find(method).fixed or step is not None:
        _expect_fixed_steps(system, method, tolerance, form, precision)
    supplied = Supplied(system, functions) if functions else None
    own = field = compile_field(system if supplied is None else supplied.system)
    q = [state.position[c] for c in system.coordinates]
    v = [state.velocity[c] for c in system.coordinates]
    if in_quasi is not None:
        field = compile_field(in_quasi.carrier.system)
        q, v = in_quasi.start()

    def reporter(before: float, runs: int) -> Callable[[float], None] | None:
        """Reports the part of the work that is done, from the times that an integrator reaches."""
        if progress is None:
            return None
        span = end - state.t or 1.0
        return lambda t: progress((before + (float(t) - state.t) / span) / runs)

    if precision is not None:
        if supplied is not None:
            raise ModelError("Python functions run in doubles", remedy="leave out precision=…")
        precise, digits = _precise(system, field, times, end, precision, events, method, reporter(0, 1))
        return to_dataset(system, precise, expressions, digits)

    options = RunOptions(allowed, method, step, max_steps, events, max_step=max_step)

    def run(options: RunOptions, before: float = 0.0) -> Run:
        if system.stops:
            from chetaev.flow.run.impacts import integrate_with_stops

            return integrate_with_stops(
                system, state.t, q, v, end, times, options, reporter(before, 2 if check else 1)
            )
        progress = reporter(before, 2 if check else 1)
        made = integrate(field, state.t, q, v, end, times, options, progress=progress, supplied=supplied)
        return made if in_quasi is None else in_quasi.back(made, own)

    result = run(options)
    extra: dict[str, Any] = {}
    if supplied is not None:
        callables = {
            name: getattr(force, "__name__", type(force).__name__) for name, force in supplied.forces.items()
        }
        extra["supplied_forces"] = json.dumps(callables)
    if step is not None:
        extra["step"] = float(step)
    if check and step is not None:
        finer = run(options.changed(step=step / 2), before=1.0)
        extra |= {"check_error": final_difference(result, finer), "check_step": float(step) / 2}
    elif check:
        span = abs(end - state.t) / max(CHECKED, 2 * result.statistics.steps)
        short = min(span, max_step or span)
        finer = run(options.changed(tolerance=max(allowed / 100, FINEST), max_step=short or None), before=1.0)
        extra |= {"check_error": final_difference(result, finer), "check_tolerance": finer.tolerance}
    if in_quasi is not None:
        extra["form"] = "quasi"
    return to_dataset(system, result, expressions, extra)


def longest_step(max_step: Any, method: str, step: float | None, precision: int | None) -> float | None:
    """The longest step, where one is given."""
    if max_step is None:
        return None
    if precision is not None or step is not None or find(method).fixed:
        raise ModelError(
            "max_step=… is for runs in doubles that choose the length of their steps",
            remedy="leave out max_step=…, or step=…, precision=… and a method with steps of one length",
        )
    return number(max_step, "the longest step", LEAST, expected="a positive number")


def _expect_one_scheme(system: System, method: str) -> None:
    """That impacts do not meet a scheme that changes on the way."""
    if system.stops and find(method).chooses:
        raise ModelError(
            f"a run with stops has one scheme, and {method!r} changes it on the way",
            remedy=f"take one of {' and '.join(map(repr, find(method).chooses))}",
        )


def _expect_fixed_steps(
    system: System, method: str, tolerance: float | None, form: str | None, precision: int | None
) -> None:
    """Refuse what a run with steps of one length does not have."""
    if find(method).fixed and tolerance is not None:
        raise ModelError(
            f"the method {method!r} has steps of one length, which no tolerance governs",
            remedy="leave out the tolerance; check=True runs again with half of the step",
        )
    chosen = "stops" if system.stops else f"form={form!r}" if form is not None else ""
    if precision is not None:
        chosen = "precision=…"
    if chosen:
        raise ModelError(
            f"a run with {chosen} chooses its steps itself",
            remedy=f"leave out step=… and take method={DEFAULT!r}, or leave out {chosen}",
        )


def _quasi_motion(system: System, form: str | None, precision: int | None) -> QuasiMotion | None:
    """What integrates in quasi-velocities, where that is chosen for."""
    if form is None:
        return None
    if not isinstance(form, str) or form != "quasi":
        raise ModelError(
            f"a run in the form {shown(form)} is asked for",
            expected="form='quasi', or none",
            remedy="all other forms have the same motions in (q, v): leave it out",
        )
    if precision is not None:
        raise ModelError("form='quasi' runs in doubles", remedy="leave out form=… or precision=…")
    from chetaev.flow.data.quasi_motion import QuasiMotion  # loads CasADi, which cached code does not need

    return QuasiMotion(system)


def _precise(
    system: System,
    field: CompiledField,
    times: Any,
    end: float,
    digits: int,
    events: Iterable[Event | str | Expr],
    method: str,
    progress: Callable[[float], None] | None,
) -> tuple[Run, dict[str, Any]]:
    """A run in mpmath as a run in doubles, and the attributes that keep its digits."""
    if listed(events):
        raise ModelError("events are found by the compiled integrators only", remedy="leave out precision=…")
    if method != DEFAULT:
        raise ModelError(f"the method {method!r} runs in doubles", remedy="leave out method=… or precision=…")
    if system.tables:
        raise ModelError("tables of data run in doubles", remedy="leave out precision=…")
    from chetaev.flow.run.many_digit_motions import (
        integrate_precise,  # loads CasADi, which cached code does not need
    )

    moments = checked_times(system.state.t, end, times).tolist()
    if not moments:
        raise ModelError("no times are asked for", expected="at least one", remedy="leave out precision=…")
    made = integrate_precise(system, end, moments, digits, progress)
    values = np.array([[float(x) for x in state] for state in made.states])
    n = len(system.coordinates)
    steps = Statistics(made.steps, 0, made.evaluations, 0, 0, "bordered", 0.0)
    q, v = values[:, :n], values[:, n:]
    run = Run(
        field, {}, np.array([float(t) for t in made.times]), q, v, "done", "the run reached its end",
        float(made.times[-1]), (q[-1], v[-1]), None, (), steps, 10.0 ** (8 - digits), "extrapolation",
    )  # fmt: skip
    names = [key_name(c, o) for o in (0, 1) for c in system.coordinates]
    last = {name: str(x) for name, x in zip(names, made.states[-1], strict=True)}
    return run, {"precision": digits, "final_state": json.dumps(last)}


def final_difference(a: Run, b: Run) -> float:
    """The largest difference of two final states, relative to their size (or 1); nan if they end apart."""
    if a.status != b.status or not math.isclose(a.time, b.time, rel_tol=1e-6, abs_tol=1e-9):
        return math.nan
    x, y = np.concatenate(a.state), np.concatenate(b.state)
    return float(np.abs(x - y).max() / max(1.0, np.abs(y).max()))


def _laws(system: System, laws: Mapping[str, str | Expr] | None) -> dict[str, Expr]:
    given = table(laws, "laws", "expressions by name, such as {'speed': \"x'\"}")
    if not given:
        return {}
    scope = system.scope.but(purpose="a law", kind="law")
    found: dict[str, Expr] = {}
    for name, law in given.items():
        if not isinstance(name, str) or not isinstance(law, (str, Expr)):
            raise ModelError(
                f"the law {shown(name)} is {shown(law)}", expected="a text in the model language, by name"
            )
        if not name or name.startswith(".") or "/" in name:
            raise ModelError(f"a law is named {name!r}", expected="a name that a file can have, without '/'")
        found[name] = parse(law, scope) if isinstance(law, str) else law
    return found
