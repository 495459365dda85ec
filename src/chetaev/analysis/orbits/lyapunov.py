"""`ch.lyapunov`: Lyapunov exponents of a motion, by its compiled tangent flow on Q.

k orthonormal directions η tangent to Q are carried along, η' = (∂X/∂y) η, and made orthonormal again after
each step (Benettin et al. 1980). With r_i the lengths that Gram and Schmidt find, the
exponents are the limits of (1/t) Σ log r_i; what is returned has them at the end of every interval, so that
one sees whether they have settled. Lengths are those of (q, v), without velocities that equations of first
order give; the limits do not depend on units. Their sum is the mean rate of the volume that the directions
span, (1/t) ∫ Σ ⟨η_i, η_i'⟩ dt, which is integrated besides; where both differ, there is no answer.

The sum of all dim Q exponents is the mean divergence of the motion on Q: at every time without constraints
and for equations of first order, else in the limit, since Q is bent in (q, v). Every independent law and
every direction along the motion of an autonomous system brings a zero.

>>> import chetaev as ch
>>> drag = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2", forces={"x": "-x'/5"})
>>> found = ch.lyapunov(drag, until=60, initial={"x": 1, "x'": 0})
>>> found.exponent.values.round(2).tolist()  # both have the real part -1/10
[-0.1, -0.1]
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chetaev.checked_arguments import count
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import key_name
from chetaev.flow.kernels.stretch import DOUBT, INTEGRAL, SLOPE, STEP
from chetaev.flow.run.integrate import checked
from chetaev.flow.run.run_options import RunOptions, prepared
from chetaev.flow.run.tangent_flow import TangentFlow, orthonormal
from chetaev.model.system import System

Array = NDArray[np.float64]
ROUNDED = 1e-6
"""Parts of the integral that its errors beside the doubt of the trapezoidal rule may be."""


def lyapunov(
    system: System,
    until: float | None = None,
    exponents: int | None = None,
    initial: Mapping[Any, Any] | None = None,
    tolerance: float | None = None,
    *,
    parameters: Mapping[str, Any] | None = None,
    intervals: int | None = None,
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
        The running values are told after so many equal parts of the time; if left out, after some steps.
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
    intervals = None if intervals is None else count(intervals, "the number of intervals", 1, 1_000_000)
    seed = count(seed, "the seed", 0, 2**62)
    state = system.state
    if not end > state.t:
        raise ModelError(
            f"the run ends at {end:g} and begins at {state.t:g}",
            expected="a final time after the initial one",
        )
    flow = TangentFlow(system, allowed, "Lyapunov exponents")
    q, v = ([values[c] for c in system.coordinates] for values in (state.position, state.velocity))
    y, _ = checked(flow.field, state.t, q, v, end, None, RunOptions(allowed))
    normals = flow.normals.at(state.t, y)
    dimension = len(y) - len(normals)
    k = dimension if exponents is None else count(exponents, "the number of exponents", 1, dimension)
    directions, _ = orthonormal(_random(k, len(y), seed), normals)
    marks = None if intervals is None else np.linspace(state.t, end, intervals + 1)[1:]
    sums, times, running, states = np.zeros(k), [], [], []
    for t, reached, logarithms, known in flow.stretches(state.t, y, end, directions, marks):
        volume = known
        if not np.isfinite(logarithms).all():
            raise ModelError(
                f"directions cannot be told apart after the interval that ends at {system.time} = {t:g}",
                remedy="take fewer exponents, or a smaller tolerance",
            )
        sums = sums + logarithms
        times.append(t)
        running.append(sums / (t - state.t))
        states.append(reached)
    _expect_volume(float(np.sum(sums)), volume, end - state.t)
    names = [key_name(c, order) for order in (0, 1) for c in system.coordinates]
    return xarray.Dataset(
        {
            "exponent": ("index", np.sort(running[-1])[::-1]),
            "running": (("time", "index"), np.array(running)),
            "state": (("time", "name"), np.array(states)),
        },
        {"time": np.array(times), "index": np.arange(1, k + 1), "name": np.array(names, dtype=str)},
        {"title": system.name, "start_time": state.t, "end_time": end, "tolerance": allowed, "seed": seed},
    )


def _expect_volume(found: float, volume: Array, duration: float) -> None:
    """That the sum of logarithms is the integral of the rate of volume, as well as that is known."""
    known = float(volume[INTEGRAL] - volume[SLOPE] * volume[STEP] * (volume[STEP] / 12))
    if not abs(found - known) <= volume[DOUBT] + ROUNDED * (1 + abs(known)):
        raise ModelError(
            f"the exponents add up to {found / duration:.6g}, and the volume that their directions span has "
            f"the mean rate {known / duration:.6g}: contraction is lost beside growth",
            remedy="take a smaller tolerance, or fewer exponents",
        )


def _random(rows: int, columns: int, seed: int) -> Array:
    rng = random.Random(seed)
    return np.array([[rng.uniform(-1, 1) for _ in range(columns)] for _ in range(rows)])
