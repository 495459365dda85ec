"""`ch.section`: where a motion crosses a surface, again and again (Poincaré's section).

>>> import chetaev as ch
>>> spring = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2")
>>> found = ch.section(spring, "x", crossings=3, initial={"x": 1, "x'": 0})
>>> found.time.values.round(6).tolist()  # upwards: 3/2 pi, 7/2 pi, 11/2 pi
[4.712389, 10.995574, 17.27876]
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from chetaev.checked_arguments import count, number
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import key_name
from chetaev.flow.run.compiled_field import compile_field
from chetaev.flow.run.events import Event
from chetaev.flow.run.integrate import integrate
from chetaev.flow.run.run_options import prepared
from chetaev.model.system import System, expect_system

FIRST = 16.0
"""The first stretch of time that is looked at; each further one is half as long again as all before."""
LONGEST = 1e6
APART = 1e-9
"""Two crossings that are not farther apart are one, seen at the end of one stretch and at the next start."""


def section(
    system: System,
    event: Event | str,
    crossings: int = 100,
    initial: Mapping[Any, Any] | None = None,
    tolerance: float | None = None,
    *,
    until: float = LONGEST,
    parameters: Mapping[str, Any] | None = None,
) -> Any:
    """The states in which a motion crosses a surface.

    Parameters
    ----------
    system, initial, tolerance, parameters
        As for :func:`chetaev.simulate`.
    event
        An expression of the model language that vanishes on the surface, crossed upwards; a
        :class:`chetaev.Event` says another direction.
    crossings
        How many crossings.
    until
        A time at which the search ends anyway.

    Returns
    -------
    xarray.Dataset
        With dimension ``crossing``: ``time``, ``x``, ``x_dot``, … ; ``attrs["status"]`` is ``"done"``, or why
        there are fewer crossings, with ``attrs["reason"]``.
    """
    import xarray

    expect_system(system, "ch.section")
    crossings = count(crossings, "the number of crossings", 1, 10_000_000)
    limit = number(until, "the final time")
    system, _, allowed = prepared(system, limit, initial, tolerance, parameters, "ch.section")
    watched = event if isinstance(event, Event) else Event(event, direction=1)
    field, state = compile_field(system), system.state
    if not limit > state.t:
        raise ModelError(
            f"the search ends at {limit:g} and the motion begins at {state.t:g}",
            expected="a final time after the initial one",
        )
    t = state.t
    q, v = (np.array([x[c] for c in system.coordinates]) for x in (state.position, state.velocity))
    found: list[tuple[float, Any, Any]] = []
    stretch, status, reason = FIRST, "done", ""
    while len(found) < crossings:
        if t >= limit:
            status, reason = "few crossings", f"{len(found)} of {crossings} crossings until {limit:g}"
            break
        run = integrate(field, t, q, v, min(t + stretch, limit), [], tolerance=allowed, events=[watched])
        for c in run.events:
            last = found[-1][0] if found else -math.inf
            if c.kind == "crossing" and c.time > last + APART * max(1.0, abs(c.time)):
                found.append((c.time, c.q, c.v))
        if run.status not in ("done", "event"):
            status, reason = run.status, run.reason
            break
        if watched.terminal and run.status == "event":
            break
        t, (q, v) = run.time, run.state
        stretch = max(FIRST, math.floor(0.5 * (t - state.t)))
    found = found[:crossings]
    columns: dict[str, Any] = {}
    for order in (0, 1):
        for i, name in enumerate(system.coordinates):
            values = [(q, v)[order][i] for _, q, v in found]
            columns[key_name(name, order)] = ("crossing", np.array(values))
    return xarray.Dataset(
        columns,
        {"crossing": np.arange(len(found)), "time": ("crossing", np.array([x[0] for x in found]))},
        {"title": system.name, "event": watched.name, "direction": int(watched.direction),
         "tolerance": allowed, "status": status, "reason": reason},
    )  # fmt: skip
