"""`ch.lyapunov`: Lyapunov exponents of a motion, by its compiled tangent flow on Q.

k orthonormal directions η tangent to Q are carried along, η' = (∂X/∂y) η, and made orthonormal again after
equal intervals of time (Benettin et al. 1980). With r_i the lengths that Gram and Schmidt find, the
exponents are the limits of (1/t) Σ log r_i; what is returned has them at the end of every interval, so that
one sees whether they have settled. Lengths are those of (q, v); the limits do not depend on units.

The sum of all dim Q exponents is the mean divergence of the motion on Q. Every independent law and every
direction along the motion of an autonomous system brings a zero.

>>> import chetaev as ch
>>> drag = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2", forces={"x": "-x'/5"})
>>> found = ch.lyapunov(drag, until=60, initial={"x": 1, "x'": 0})
>>> found.exponent.values.round(2).tolist()  # both have the real part -1/10
[-0.1, -0.1]
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chetaev.checked_arguments import count
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import key_name
from chetaev.flow.data.sensitivity import TangentSpace, smooth_programs
from chetaev.flow.kernels import statuses
from chetaev.flow.run.compiled_field import compile_field
from chetaev.flow.run.integrate import checked, why_it_ended
from chetaev.flow.run.run_arguments import prepared
from chetaev.flow.run.session import Session
from chetaev.flow.schemes import DEFAULT
from chetaev.model.system import System
from chetaev.numeric import norm, numerical_rank, product

Array = NDArray[np.float64]
INTERVALS = 200


def lyapunov(
    system: System,
    until: float | None = None,
    exponents: int | None = None,
    initial: Mapping[Any, Any] | None = None,
    tolerance: float | None = None,
    *,
    parameters: Mapping[str, Any] | None = None,
    intervals: int = INTERVALS,
    seed: int = 0,
) -> Any:
    """The largest Lyapunov exponents of a motion.

    Parameters
    ----------
    system, until, initial, tolerance, parameters
        As for :func:`chetaev.simulate`.
    exponents
        How many, largest first; all dim Q of them if left out.
    intervals
        After so many equal parts of the time directions are made orthonormal again.
    seed
        Of the first directions.

    Returns
    -------
    xarray.Dataset
        ``exponent`` (index), the values at the end, largest first; ``running`` (time, index), those up to
        each time in the order of the directions; ``state`` (time, name), the motion.
    """
    import xarray

    system, end, allowed = prepared(system, until, initial, tolerance, parameters, "ch.lyapunov")
    intervals = count(intervals, "the number of intervals", 1, 1_000_000)
    seed = count(seed, "the seed", 0, 2**62)
    if system.stops:
        raise ModelError("Lyapunov exponents need a smooth motion, and this system has stops")
    field, state = compile_field(system), system.state
    if not end > state.t:
        raise ModelError(
            f"the run ends at {end:g} and begins at {state.t:g}",
            expected="a final time after the initial one",
        )
    programs = smooth_programs(field, "Lyapunov exponents")
    q, v = ([values[c] for c in system.coordinates] for values in (state.position, state.velocity))
    y, _ = checked(field, state.t, q, v, end, None, allowed, DEFAULT, "null")
    values = np.array([float(x) for x in field.model.values(None)])
    space = TangentSpace(field)
    project = space.at(state.t, y, values)[0]
    dimension = numerical_rank(project)
    k = dimension if exponents is None else count(exponents, "the number of exponents", 1, dimension)
    directions = _orthonormal(product(_random(k, len(y), seed), project))[0]
    times = np.linspace(state.t, end, intervals + 1)
    sums, running, states = np.zeros(k), [], [y]
    for t0, t1 in pairwise(times):
        session = Session(
            programs, (), values, float(t0), np.concatenate([y, directions.ravel()]), float(t1), allowed,
            DEFAULT, "null", np.zeros(0), (), (), dense=False, project=True, directions=k,
        )  # fmt: skip
        code = session.run(1_000_000)
        if code != statuses.DONE:
            reason = why_it_ended(code, session, field, {}, y, "").reason
            raise ModelError(f"the motion does not reach {system.time} = {end:g}: {reason}")
        whole = session.state
        y = whole[: len(y)].copy()
        moved = whole[len(y) :].reshape(k, len(y))
        moved = product(moved, space.at(float(t1), y, values)[0])
        directions, lengths = _orthonormal(moved)
        if not (np.isfinite(lengths).all() and (lengths > 0).all()):
            raise ModelError(
                f"directions cannot be told apart after the interval that ends at {system.time} = {t1:g}",
                remedy="take more intervals, or fewer exponents",
            )
        sums = sums + np.log(lengths)
        running.append(sums / (t1 - state.t))
        states.append(y)
    names = [key_name(c, order) for order in (0, 1) for c in system.coordinates]
    return xarray.Dataset(
        {
            "exponent": ("index", np.sort(running[-1])[::-1]),
            "running": (("time", "index"), np.array(running)),
            "state": (("time", "name"), np.array(states[1:])),
        },
        {"time": times[1:], "index": np.arange(1, k + 1), "name": np.array(names, dtype=str)},
        {"title": system.name, "start_time": state.t, "end_time": end, "tolerance": allowed, "seed": seed},
    )


def _random(rows: int, columns: int, seed: int) -> Array:
    rng = random.Random(seed)
    return np.array([[rng.uniform(-1, 1) for _ in range(columns)] for _ in range(rows)])


def _orthonormal(rows: Array) -> tuple[Array, Array]:
    """Orthonormal rows by Gram and Schmidt, twice, and the lengths that were left of each."""
    found: list[Array] = []
    lengths = []
    for row in rows:
        rest = row.copy()
        for _ in range(2):
            for unit in found:
                rest = rest - float(product(unit, rest)) * unit
        length = norm(rest)
        lengths.append(length)
        found.append(rest / length if length > 0 else rest)
    return np.array(found), np.array(lengths)
