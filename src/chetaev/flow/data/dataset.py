"""A run as a labelled data set, with its provenance."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import llvmlite
import numpy as np

import chetaev
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate, key_name
from chetaev.expr.graph.node import Expr
from chetaev.flow.data.labels import Facts, Labelled, data_set, renamed
from chetaev.flow.run.events import Crossing, Watched
from chetaev.flow.run.motion import Run
from chetaev.model.reading.unit_labels import RESULTS, unit_of
from chetaev.model.states.stack_of_constraints import every_constraint

if TYPE_CHECKING:
    import xarray

    from chetaev.model.system import System

VERSIONS = json.dumps(
    {
        "chetaev": chetaev.__version__,
        "casadi": version("casadi"),
        "llvmlite": llvmlite.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
)
"""What made a data set."""
_LONG_NAMES = {
    "energy": "energy v·∂L/∂v − L",
    "power": "power of the constraint forces",
    "multiplier": "multipliers μ: d/dt ∂L/∂v − ∂L/∂q = F + μ ∂f/∂v",
    "residual": "constraints at velocity level, those on accelerations at theirs, lhs − rhs",
    "position_residual": "position constraints, lhs − rhs",
}


_SHORT = {
    **{"days": "d", "hours": "h", "minutes": "min", "seconds": "s", "milliseconds": "ms"},
    **{"microseconds": "us", "nanoseconds": "ns"},
}
_NOT_UNIQUE = "; not unique, as constraints are redundant: those of least norm"


def to_dataset(
    system: System, run: Run, laws: Mapping[str, Expr] | None = None, extra: Mapping[str, Any] | None = None
) -> xarray.Dataset:
    """The run with every quantity that belongs to it, laws evaluated along it, and further attributes."""
    run = _with_end(run)
    other = renamed(system.coordinates)
    time, constraint, position = (other.get(k, k) for k in ("time", "constraint", "position_constraint"))
    variables: dict[str, Labelled] = {}
    accelerations = run.accelerations
    for i, name in enumerate(system.coordinates):
        for derivative, values in enumerate((run.q, run.v, accelerations)):
            labels = _units(system, name, derivative)
            variables[key_name(name, derivative)] = (time, values[:, i], labels)
    reserved: dict[str, Any] = {}
    if system.dynamics.has_energy:
        reserved["energy"] = (time, run.energy)
    if reacting := system.dynamics.constraints_react:
        reserved["power"] = (time, run.power)
    coordinates: dict[str, Labelled] = {time: (time, run.times, _units(system, system.time))}
    every = [str(e) for e in every_constraint(system)]
    rows = run.field.model.on_velocities
    if every:
        coordinates[constraint] = (constraint, every, {})
        for i, name in enumerate(system.coordinates if reacting else ()):
            reserved[f"reaction_{name}"] = (time, run.reactions[:, i])
        seen = np.concatenate([run.residuals[:, :rows], run.acceleration_residuals], axis=1)
        if reacting:
            reserved["multiplier"] = ((time, constraint), run.multipliers)
        reserved["residual"] = ((time, constraint), seen)
    if system.position_constraints:
        coordinates[position] = (position, [str(e) for e in system.position_constraints], {})
        reserved["position_residual"] = ((time, position), run.residuals[:, rows:])
    for key, value in reserved.items():
        labels = _units(system, key) if key in RESULTS and key not in system.coordinates else {}
        variables[other.get(key, key)] = (*value, {"long_name": _long_name(key, run)} | labels)
    for name, values in _evaluated(system, run, laws or {}).items():
        if name in variables or name in coordinates:
            raise ModelError(
                f"a law is named {name!r}, which is a variable already", remedy="choose another name"
            )
        variables[name] = (time, values, {})
    attributes = _attributes(system, run, extra or {})
    if getattr(run, "contact", None) is not None:
        _with_contacts(system, run, time, variables, coordinates, attributes)
    if other:
        attributes["names"] = json.dumps(other)
    return data_set(variables, coordinates, attributes)


def _units(system: System, name: str, order: int = 0) -> dict[str, str]:
    """The label of units as an attribute; words for times are short, else xarray reads time spans."""
    label = unit_of(system, name, order)
    return {"units": _SHORT.get(label.casefold(), label)} if label else {}


def _with_contacts(
    system: System,
    run: Any,
    time: str,
    variables: dict[str, Labelled],
    coordinates: dict[str, Labelled],
    attrs: dict[str, Any],
) -> None:
    """What happened at stops: the normal forces, the impacts and the contacts."""
    names = [f"{stop.position} >= 0" for stop in system.stops]
    coordinates["stop"] = ("stop", names, {})
    variables["contact"] = (
        (time, "stop"),
        run.contact,
        {"long_name": "normal force μ ≥ 0 of a contact, along ∂φ/∂q"},
    )
    attrs["impacts"] = Facts(
        {"time": x.time, "stop": names[x.stop], "before": x.before, "after": x.after} for x in run.impacts
    )
    attrs["contacts"] = Facts({"stop": names[i], "from": a, "to": b} for i, a, b in run.contacts)


def _long_name(key: str, run: Run) -> str:
    if key.startswith("reaction_"):
        return f"reaction force on {key.removeprefix('reaction_')}: μ ∂f/∂v"
    if key == "multiplier" and run.field.model.dynamics.lagrangian is None:
        return "multipliers μ: dΠ/dt = F + μ ∂f/∂v" + _NOT_UNIQUE * (run.field.model.rank is not None)
    if key == "multiplier" and run.field.model.rank is not None:
        return _LONG_NAMES[key] + _NOT_UNIQUE
    return _LONG_NAMES[key]


def _with_end(run: Run) -> Run:
    """A run that ended early, with its last state as the last row."""
    from dataclasses import replace

    if run.finished and run.status != "event":
        return run
    if len(run.times) and run.times[-1] == run.time:
        return run
    return replace(
        run,
        times=np.append(run.times, run.time),
        q=np.vstack([run.q, run.state[0]]),
        v=np.vstack([run.v, run.state[1]]),
    )


def _evaluated(system: System, run: Run, laws: Mapping[str, Expr]) -> dict[str, Any]:
    if not laws:
        return {}
    results = evaluate(laws.values(), system.values_at(run.times, run.q.T, run.v.T))
    return {n: np.broadcast_to(r, run.times.shape) for n, r in zip(laws, results, strict=True)}


def _event(e: Crossing) -> dict[str, Any]:
    made: dict[str, Any] = {"name": e.name, "time": e.time, "kind": e.kind, "direction": e.direction}
    if e.kind != "crossing":
        made |= {"from": e.span[0], "to": e.span[1], "accuracy": e.accuracy if e.accuracy < np.inf else None}
    return made | {"position": [float(x) for x in e.q], "velocity": [float(x) for x in e.v]}


def _watched(w: Watched) -> dict[str, Any]:
    return {
        "name": w.name,
        "found": w.found,
        "excluded": w.excluded,
        "at_least": w.least if w.excluded and w.least < np.inf else None,
        "spacing": w.spacing,
        "not_examined": w.not_examined,
        "poles": w.poles,
        "jumps": w.jumps,
        "statement": w.statement,
    }


def _attributes(system: System, run: Run, extra: Mapping[str, Any]) -> dict[str, Any]:
    steps = run.statistics
    attributes: dict[str, Any] = {
        "title": system.name,
        "model": system.text,
        "parameters": json.dumps(system.parameter_values),
        "status": run.status,
        "reason": run.reason,
        "end_time": run.time,
        "tolerance": run.tolerance,
        "method": run.method,
        "steps": steps.steps,
        "rejected": steps.rejected,
        "evaluations": steps.evaluations,
        "chart_changes": steps.chart_changes,
        "elimination": steps.form,
        "events": Facts(_event(e) for e in run.events),
        "watched": Facts(_watched(w) for w in run.watched),
        "versions": VERSIONS,
    }
    if steps.scheme_changes:
        attributes["schemes"] = Facts({"time": t, "method": name} for t, name in steps.scheme_changes)
    if run.branches is not None:
        where = [str(s) for s in run.branches.switches]
        changes = [{"time": c.time, "of": where[c.index], "mode": c.mode} for c in run.branches.changes]
        held = [{"zero": zero, "from": a, "to": b} for zero, a, b in run.branches.held(run.time)]
        attributes |= {"modes": Facts(changes), "held": Facts(held)}
    if run.smallest_singular_value is not None:
        attributes["smallest_singular_value"] = run.smallest_singular_value
    return attributes | dict(extra)
