"""`ch.basins`: which initial states end at which attractor (SCOPE M3, M6).

Motions from all points of a grid of two initial values, or parameters, are run to a time, side by side
(:func:`chetaev.ensemble`), and the state in which each ends is compared with the attractors: those that are
given, else the equilibria that :func:`chetaev.equilibria` finds and whose eigenvalues all lie on the left.
Angles are compared up to whole turns.

>>> import chetaev as ch
>>> well = ch.System(
...     coordinates=["x"], lagrangian="x'^2/2 - (x^2 - 1)^2/4", forces={"x": "-x'/2"}, name="Two wells"
... )
>>> print(ch.basins(well, {"x": "-2:2:20", "x_dot": "-1:1:10"}, until=60))
Two wells: where motions end, over x and x_dot
   50.00%  x = 1
   50.00%  x = -1
tested: 200 motions to t = 60, each with the attractor that it is nearer to than 0.02 at the end
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from chetaev.analysis.orbits.basin_map import FAILED, UNSETTLED, Basins
from chetaev.analysis.steady.equilibria import equilibria
from chetaev.analysis.steady.equilibrium import Equilibrium
from chetaev.analysis.steady.in_box import angles
from chetaev.checked_arguments import number, shown, table, with_dot
from chetaev.effort import EFFORT, expect_effort
from chetaev.ensemble.ensemble import ensemble
from chetaev.equations.law.first_order_motion import first_order_motion
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate, key_name
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import normal_name
from chetaev.model.reading.expression_values import graph_of
from chetaev.model.states.stack_of_constraints import every_constraint
from chetaev.model.system import System, expect_system
from chetaev.model.system_arguments import as_list

NEAR = 0.01
"""Part of the smallest distance of two attractors that counts as near; itself, where there is one."""
ENDED = ("done", "event")


def basins(
    system: System,
    over: Mapping[str, Any],
    until: float | None = None,
    attractors: Iterable[Any] | None = None,
    *,
    within: float | None = None,
    initial: Mapping[Any, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    tolerance: float | None = None,
    effort: int = EFFORT,
    progress: Callable[[float], None] | None = None,
) -> Basins:
    """Where the motions of a system end, over two initial values.

    Parameters
    ----------
    system
        The system.
    over
        Two grids by name, as for :func:`chetaev.ensemble`: ``{"x": "-2:2:200", "x_dot": "-2:2:200"}``.
    until, initial, parameters, tolerance, progress
        As for :func:`chetaev.ensemble`.
    attractors
        States, ``{"x": 1, "x_dot": 0}``, in which what is left out counts for nothing, or equilibria that
        `ch.equilibria` found; left out, all that it finds with every eigenvalue on the left.
    within
        How near to an attractor a motion has to end, in each of its values; a hundredth of the smallest
        distance of two attractors if left out.
    effort
        What the search for equilibria may cost (:mod:`chetaev.effort`).

    Returns
    -------
    Basins
        With ``.labels``, ``.attractors``, ``.shares``, ``to_xarray()`` and ``to_json()``; `ch.plot` draws it.
    """
    expect_system(system, "ch.basins")
    system = first_order_motion(system)
    effort = expect_effort(effort)
    grid = table(over, "over", 'two grids by name, such as {"x": "-2:2:200", "x_dot": "-2:2:200"}')
    if len(grid) != 2:
        raise ModelError(
            f"basins need two values that vary, and {len(grid)} are given",
            expected='two grids by name, such as {"x": "-2:2:200", "x_dot": "-2:2:200"}',
        )
    here = system if parameters is None else system.with_parameters(table(parameters, "the parameters"))
    ends = _found(here, effort) if attractors is None else _given(here, attractors)
    turns = _turns(here)
    near = _within(within, ends, turns)
    runs = ensemble(
        system, grid, until=until, initial=initial, parameters=parameters, tolerance=tolerance,
        progress=progress,
    )  # fmt: skip
    axes = json.loads(runs.attrs["axes"])
    shape = tuple(axes.values())
    states = {str(n): runs.final.values[:, i] for i, n in enumerate(runs.state.values)}
    labels = np.full(runs.sizes["run"], UNSETTLED, dtype=np.int64)
    for k, state in enumerate(ends):
        off = [_apart(states[n], x, n in turns) for n, x in state.items()]
        labels[np.all([d <= near for d in off], axis=0) & (labels == UNSETTLED)] = k
    labels[~np.isin(runs.status.values, ENDED)] = FAILED
    columns = [runs[n if n in runs.coords else f"{n}_"].values.reshape(shape) for n in axes]
    names = tuple(axes)
    return Basins(
        system.name or "Unnamed system", (names[0], names[1]), columns[0][:, 0], columns[1][0],
        labels.reshape(shape), tuple(ends), near, float(runs.end_time.max()),
    )  # fmt: skip


def _found(system: System, effort: int) -> list[dict[str, float]]:
    """Equilibria that attract: every eigenvalue on the left, but for zeros along a family."""
    found = []
    for e in equilibria(system, effort=effort):
        if e.stable is not True or e.linearization is None:
            continue
        spectrum = e.linearization.spectrum
        zeros = sum(r.multiplicity for r in spectrum.roots if r.value == 0) if e.free else 0
        if spectrum.count(-1) + zeros == len(spectrum.values):
            found.append(_state(e))
    if not found:
        raise ModelError(
            "no equilibrium was found that attracts what is near: none has all eigenvalues on the left",
            remedy='give attractors=[{"x": 1, "x_dot": 0}, …]',
        )
    return found


def _state(e: Equilibrium) -> dict[str, float]:
    aside = {*e.free, *(e.linearization.relative_to if e.linearization is not None else ())}
    return {n: float(x) for n, x in e.state.items() if n not in aside}


def _given(system: System, attractors: Any) -> list[dict[str, float]]:
    names = [key_name(c, order) for order in (0, 1) for c in system.coordinates]
    found = []
    for item in as_list(attractors, "attractors"):
        if isinstance(item, Equilibrium):
            found.append(_state(item))
            continue
        state = {}
        for written, value in table(item, "an attractor", 'a state such as {"x": 1, "x_dot": 0}').items():
            name = with_dot(normal_name(written) if isinstance(written, str) else written)
            if name not in names:
                words = f"an attractor has {shown(written)}, which is neither a coordinate nor a velocity"
                raise ModelError.unknown(words, written, names)
            e = parse(value, system.scope) if isinstance(value, str) else graph_of(value, system.scope)
            try:
                state[name] = float(evaluate([e], dict(system.parameter_values))[0])
            except (KeyError, ValueError, TypeError, ArithmeticError):
                raise ModelError(
                    f"the value of {name} of an attractor is {shown(value)}", expected="a finite number"
                ) from None
            if not math.isfinite(state[name]):
                raise ModelError(f"the value of {name} of an attractor is {state[name]}", expected="a number")
        if not state:
            raise ModelError("an attractor is empty", expected='a state such as {"x": 1, "x_dot": 0}')
        found.append(state)
    if not found:
        raise ModelError("no attractors are given", expected="at least one state")
    return found


def _turns(system: System) -> set[str]:
    functions = [*system.dynamics.functions, *(e.residual for e in every_constraint(system))]
    found = angles(functions)
    return {n for n, order in found if not order}


def _apart(values: Any, x: float, turns: bool) -> Any:
    gap = np.abs(values - x)
    return np.abs(gap - 2 * math.pi * np.round(gap / (2 * math.pi))) if turns else gap


def _within(within: Any, ends: list[dict[str, float]], turns: set[str]) -> float:
    if within is not None:
        return float(number(within, "the distance that counts as near", 1e-12, 1e12))
    gaps = []
    for a, b in itertools.combinations(ends, 2):
        shared = a.keys() & b.keys()
        gap = max((float(_apart(a[n], b[n], n in turns)) for n in shared), default=0.0)
        if gap <= 0:
            raise ModelError("two attractors are the same", remedy="name what tells them apart")
        gaps.append(gap)
    return NEAR * min(gaps, default=1.0)
