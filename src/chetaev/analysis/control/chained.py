r"""Steering in chained form: with v1(t) chosen, z is linear in v2, and polynomials solve it.

With s = (t − t₀)/(t₁ − t₀), v1 = Δz1/T + A (1 − 2s) and v2 = Σ c_k s^k, k ≤ n, every z_i(t) is a
polynomial, and the shortest c follows from n − 1 linear equations. A is 0 where z1 has to change, else a
swing out and back. The inputs of the system come from running q' = g1 v1 + g2 (v2 − g1(z2) v1)/g2(z2).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise
from typing import Any

import casadi
import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

from chetaev.analysis.control.chained_form import ChainedForm, flat_outputs
from chetaev.analysis.control.collocation import ProposedInputs, points
from chetaev.analysis.control.geodesic import interpolated
from chetaev.analysis.control.sinusoids import Wave, chained_waves
from chetaev.analysis.control.steering_task import SteeringTask
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate
from chetaev.numeric import least_squares

Array = NDArray[np.float64]
InTime = Polynomial | Wave
SWINGS = (0.0, 1.0, -1.0, 3.0, -3.0, 10.0, -10.0)
"""How far z1 swings out, beside the largest change: wide swings turn gently."""
DEGREE = 48
"""Of the polynomials that the inputs become, at most."""
SUBSTEPS = 6
MOST = 3
"""So many are polished, those with the smallest inputs first."""
SMALL = 1e-3
"""A smaller change of z1, beside the other changes, needs a swing."""


def chained_proposals(task: SteeringTask, kinds: Collection[str], asked: bool) -> Iterator[ProposedInputs]:
    """Inputs by chained forms, "chained" by polynomials, "sinusoids" by these; a ModelError if they are asked
    for and there is no such form.
    """
    found: list[ProposedInputs] = []
    forms = 0
    if task.kinematic and not task.free:
        for pair in flat_outputs(task.control):
            forms += 1
            turned = (pair[0] + pair[1], pair[1] - pair[0])  # regular where a turn by 90 degrees is not
            for h in (pair, turned):
                for h1, h2 in (h, h[::-1]):
                    found += _by_form(task, ChainedForm(task.control, h1, h2), kinds)
                if found:
                    break
            if found and len(task.control.chart.symbols) > 3:
                break  # to look for further outputs costs more than it brings
    if asked and not forms:
        raise ModelError(
            "no chained form was found",
            expected="two inputs without drift whose brackets have the ranks 2, 3, 4, …",
            remedy="use method='sinusoids' or 'optimal', or leave it out",
        )  # fmt: skip
    yield from sorted(found, key=lambda p: float(np.sum(p.coefficients**2)))[:MOST]


def _by_form(task: SteeringTask, form: ChainedForm, kinds: Collection[str]) -> Iterator[ProposedInputs]:
    first, last = (_values(task, form, state) for state in (task.start, task.end))
    if first is None or last is None:
        return
    scale = max(float(np.abs(last - first).max()), 1e-9)
    still = abs(last[0] - first[0]) < SMALL * scale
    why = f"the constraints have chained form, with the flat outputs {form.h1}, {form.h2}"
    for swing in SWINGS:
        if swing == 0 and still:
            continue
        for kind, make in MAKERS.items():
            made = None
            if kind in kinds and not (swing == 0 and len(kinds) > 1 and kind == "sinusoids"):
                made = make(first, last, task.times[1] - task.times[0], swing * scale)
            c = None if made is None else _inputs(task, form, *made)
            if c is not None:
                yield ProposedInputs(c, kind, why + SAID[kind], 0)
                if swing == 0:
                    return


def _values(task: SteeringTask, form: ChainedForm, state: dict[str, float]) -> Array | None:
    """z at an end; None where the form is singular there."""
    q = np.array([state[c] for c in task.control.system.coordinates])
    z = np.array(form.z(q).full()).ravel()
    rate = np.array(form.rate(q, 1.0, 1.0).full())
    regular = (
        np.isfinite(z).all()
        and np.abs(z).max() < 1e6
        and np.isfinite(rate).all()
        and np.abs(rate).max() < 1e6
    )
    return z if regular else None


def polynomials(first: Array, last: Array, T: float, swing: float) -> tuple[Polynomial, Polynomial] | None:
    """v1 and v2 as polynomials in s that take a chained system from one state to another in the time T.

    >>> v1, v2 = polynomials(np.zeros(3), np.array([1.0, 0.0, 1.0]), 1.0, 0.0)
    >>> z3 = ((v2.integ() * v1).integ())(1.0)
    >>> bool(abs(z3 - 1) < 1e-12)
    True
    """
    v1 = Polynomial([(last[0] - first[0]) / T + swing / T, -2 * swing / T])
    n = len(first)

    def end(v2: Polynomial, start: Sequence[float]) -> Array:
        z = start[0] + T * v2.integ()
        found = [float(z(1.0))]
        for x in start[1:]:
            z = x + T * (z * v1).integ()
            found.append(float(z(1.0)))
        return np.array(found)

    rest = end(Polynomial([0.0]), first[1:].tolist())
    columns = [end(Polynomial([0.0] * k + [1.0]), [0.0] * (n - 1)) for k in range(n + 1)]
    c = least_squares(np.array(columns).T, last[1:] - rest)
    if not np.isfinite(c).all() or np.abs(c).max() > 1e7:
        return None
    v2 = Polynomial(c)
    missed = np.abs(end(v2, first[1:].tolist()) - last[1:]).max()
    return (v1, v2) if missed < 1e-8 * max(1.0, float(np.abs(c).max())) else None


MAKERS: dict[str, Callable[[Array, Array, float, float], tuple[InTime, InTime] | None]] = {
    "chained": polynomials,
    "sinusoids": chained_waves,
}
SAID = {"chained": "", "sinusoids": "; in it the inputs are sinusoids"}


def _inputs(task: SteeringTask, form: ChainedForm, v1: InTime, v2: InTime) -> Array | None:
    """The inputs along the motion, as polynomials; None where it meets a singular point."""
    system, frame = task.control.system, task.control.frame
    assert frame is not None
    t0, t1 = task.times
    tau, _, _ = points(DEGREE)
    s = (tau + 1) / 2
    s[0], s[-1] = 0.0, 1.0
    inner = np.concatenate([np.linspace(a, b, SUBSTEPS, endpoint=False) for a, b in pairwise(s)])
    steps = np.diff(np.append(inner, 1.0))
    q = np.array([task.start[c] for c in system.coordinates])
    T = t1 - t0
    walk = _kutta(form, T, v1, v2).mapaccum("walk", len(inner))
    later = np.array(walk(q, inner[None, :], steps[None, :]).full())[:, SUBSTEPS - 1 :: SUBSTEPS]
    states = np.column_stack([q, later])
    v = np.array(form.rate.map(len(s))(states, v1(s)[None, :], v2(s)[None, :]).full())
    if not (np.isfinite(states).all() and np.isfinite(v).all() and np.abs(v).max() < 1e6):
        return None
    known = system.values_at(t0 + T * s, states, v)
    u = np.array([np.broadcast_to(x, s.shape) for x in evaluate(list(frame.functions), known)])
    found = interpolated(u, DEGREE)
    sizes = np.abs(found).max(axis=0)
    last = max((k for k in range(DEGREE + 1) if sizes[k] > 1e-9 * sizes.max()), default=0)
    return found[:, : max(last, 12) + 1]


def _kutta(form: ChainedForm, T: float, v1: InTime, v2: InTime) -> Any:
    """A step of Kutta's method as a CasADi function of (q, s, h); good enough for what is polished later."""
    q, s, h = casadi.SX.sym("q", form.z.size1_in(0)), casadi.SX.sym("s"), casadi.SX.sym("h")

    def rate(s: Any, x: Any) -> Any:
        return T * form.rate(x, _symbolic(v1, s), _symbolic(v2, s))

    k1 = rate(s, q)
    k2 = rate(s + h / 2, q + h / 2 * k1)
    k3 = rate(s + h / 2, q + h / 2 * k2)
    k4 = rate(s + h, q + h * k3)
    return casadi.Function("step", [q, s, h], [q + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)])


def _symbolic(v: InTime, s: Any) -> Any:
    """An input as a CasADi expression in s."""
    if isinstance(v, Wave):
        return v.symbolic(s)
    made = casadi.SX(0)
    for x in reversed(v.coef.tolist()):
        made = made * s + x
    return made
