r"""From rest to rest along decoupling fields, one after the other (SCOPE M6).

On a segment from t_a to t_b the motion is q' = s'(t) V(q) with s from 0 to S and rests at both ends,

    s = S (10σ³ − 15σ⁴ + 6σ⁵),   σ = (t − t_a)/(t_b − t_a),      inputs u_a = s'' c_a(q) + s'² d_a(q),

where V = Σ c_a Y_a and ½⟨V : V⟩ = Σ d_a Y_a. The amounts S of a sequence of fields are found by Newton's
method on the composition of their flows; then every segment is run with its forces, as a model of its own,
and where the last one ends is what counts. Bullo and Lynch 2001; Bullo and Lewis 2005, chapter 13.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import casadi
import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.control.control_affine import control_affine
from chetaev.analysis.control.decoupling import Decoupling
from chetaev.analysis.control.driven_system import with_inputs
from chetaev.analysis.control.steering import bound
from chetaev.analysis.control.steering_task import read_task
from chetaev.errors import ModelError
from chetaev.expr.graph.engine import Engine
from chetaev.expr.graph.node import Expr, add, div, mul, neg, number, symbol
from chetaev.flow.data.simulate import simulate
from chetaev.laws.standpoint import standpoints
from chetaev.model.system import System
from chetaev.numeric import aimed
from chetaev.results import PlainData, Table

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]
REACHED = 1e-8
STEPS = 60
"""Of Kutta's method along one field."""
NEWTON = 30
MISSES = 6
"""So often a step towards the end may fail."""
GUESSES = 6
SAMPLES = 101


@dataclass(frozen=True)
class KinematicPlan(PlainData):
    """A motion along decoupling fields.

    Attributes
    ----------
    segments
        For each the number of the field, the amount S, the time of its start and of its end.
    systems
        The model of each segment, with its forces: ``ch.simulate(plan.systems[0])``.
    motion
        All segments one after the other.
    end_error
        By how much the end is missed, positions and velocities.
    """

    segments: tuple[tuple[int, float, float, float], ...]
    systems: tuple[System, ...]
    motion: xarray.Dataset
    end_error: float

    facts = "segments end_error"

    def __str__(self) -> str:
        lines = [f"V{k} by {S:.6g} from {a:g} to {b:g}" for k, S, a, b in self.segments]
        return "\n".join([*lines, f"end missed by: {bound(self.end_error)}"])

    def _repr_html_(self) -> str:
        rows = tuple((f"V{k}", f"{S:.6g}", f"{a:g}", f"{b:g}") for k, S, a, b in self.segments)
        return Table(("field", "amount", "from", "to"), rows, f"end missed by {bound(self.end_error)}").html()


def planned(
    found: Decoupling, start: Mapping[str, Any], end: Mapping[str, Any], until: float
) -> KinematicPlan:
    """The plan, or a ModelError where none was found."""
    if not found.fields:
        raise ModelError("there are no decoupling fields to move along")
    task = read_task(control_affine(found.system, found.inputs), start, end, until, ())
    moving = [n for n in task.start if n.endswith("_dot") and (task.start[n] or task.end[n])]
    if moving:
        raise ModelError(
            f"{moving[0]} is not zero", expected="rests at the start and at the end of a motion along fields"
        )
    names = found.system.coordinates
    first, last = (np.array([state[c] for c in names]) for state in (task.start, task.end))
    best = np.inf
    for order, amounts in _amounts(found, first, last):
        try:
            result = _run(found, order, amounts, first, last, task.times)
        except ModelError:  # a segment begins where constraints depend on each other
            continue
        if result is None:
            continue
        best = min(best, result.end_error)
        if result.end_error <= REACHED:
            return result
    near = f"; the nearest one missed the end by {bound(float(best))}" if np.isfinite(best) else ""
    raise ModelError(
        f"no motion along decoupling fields was found{near}",
        remedy="go there by way of other states, or use ch.steer with the same inputs",
    )


def _amounts(found: Decoupling, first: Array, last: Array) -> Any:
    """Sequences of fields and amounts that lead from first to last."""
    n, count = len(first), len(found.fields)
    made = [_flow(found.system, list(V.values())) for V in found.fields]
    flows = [flow for flow, _ in made]
    sizes = [float(np.abs(np.array(V(first).full())).max(initial=0.0)) for _, V in made]
    units = [1 / x if np.isfinite(x) and x > 1e-9 else 1.0 for x in sizes]
    for shift in range(count):
        for length in (n, 2 * n):
            order = [(i + shift) % count for i in range(length)]
            S = casadi.MX.sym("S", length)
            q = casadi.MX(first)
            for i, k in enumerate(order):
                q = flows[k](q, S[i])
            end = casadi.Function("end", [S], [q, casadi.jacobian(q, S)])
            for guess in range(GUESSES):
                amounts = _newton(end, np.array([units[k] for k in order]), last, guess)
                if amounts is not None:
                    yield order, amounts


def _flow(system: System, V: list[Expr]) -> Any:
    """(q, S) → the end of q' = S V(q) after the time 1, by Kutta's method; and V."""
    engine = Engine()
    view = standpoints(system)[-1]
    q = engine.column([symbol(c) for c in system.coordinates])
    field = casadi.Function("V", [q], [engine.column(view.apply(V))])
    x, S = casadi.SX.sym("x", len(V)), casadi.SX.sym("S")
    h = S / STEPS
    k1 = field(x)
    k2 = field(x + h / 2 * k1)
    k3 = field(x + h / 2 * k2)
    step = casadi.Function("step", [x, S], [x + h / 6 * (k1 + 2 * k2 + 2 * k3 + field(x + h * k3))])
    return step.fold(STEPS), field


def _newton(end: Any, units: Array, last: Array, guess: int) -> Array | None:
    """Amounts that lead to the end, by Newton's method: at once or, if that fails, by way of other ends."""
    size = 0.4 * (1 + guess // 2)
    S = units * np.array([size * math.cos(1.7 * i + 2.3 * guess) for i in range(len(units))])
    begin = np.array(end(S)[0].full()).ravel()
    if not np.isfinite(begin).all():
        return None
    done, part, misses = 0.0, 1.0, 0
    while done < 1.0 and misses < MISSES:
        aim = min(done + part, 1.0)
        found = _nearer(end, S, units, begin + aim * (last - begin))
        if found is None:
            part, misses = part / 3, misses + 1
        else:
            S, done, part = found, aim, 1.5 * part
    return S if done >= 1.0 and np.abs(S).max() < 1e3 else None


def _nearer(end: Any, S: Array, units: Array, last: Array) -> Array | None:
    """Newton's method from amounts nearby."""

    def missed(x: Array) -> tuple[Array, Array]:
        q, J = (np.array(part.full()) for part in end(units * x))
        return q.ravel() - last, J * units

    found = aimed(missed, S / units, 1e-11, NEWTON)
    return units * found.x if found is not None and found.miss < 1e-8 else None


def _run(
    found: Decoupling, order: list[int], amounts: Array, first: Array, last: Array, times: tuple[float, float]
) -> KinematicPlan | None:
    """Every segment with its forces, on the law itself."""
    import xarray

    names = found.system.coordinates
    bounds = np.linspace(times[0], times[1], len(order) + 1)
    q, v = first, np.zeros(len(first))
    segments, systems, motions = [], [], []
    for i, k in enumerate(order):
        a, b, S = float(bounds[i]), float(bounds[i + 1]), float(amounts[i])
        at = {**dict(zip(names, map(float, q), strict=True)), **{n + "_dot": 0.0 for n in names}}
        made = with_inputs(found.system, found.inputs, _inputs(found, k, S, a, b), {}, (), b)
        made = made.with_initial({**at, found.system.time: a})
        motion = simulate(made, b, SAMPLES, tolerance=1e-12)
        if motion.attrs["status"] != "done":
            return None
        q, v = (np.array([float(motion[n + e].values[-1]) for n in names]) for e in ("", "_dot"))
        segments.append((k + 1, S, a, b))
        systems.append(made)
        motions.append(motion)
    miss = max(float(np.abs(q - last).max()), float(np.abs(v).max()))
    dimension = next(d for d in motions[0].dims if motions[0].sizes[d] == SAMPLES)
    whole = xarray.concat(motions, dimension, combine_attrs="drop")
    whole = whole.assign_attrs(title=found.system.name, model=found.system.text)
    return KinematicPlan(tuple(segments), tuple(systems), whole, miss)


def _inputs(found: Decoupling, k: int, S: float, a: float, b: float) -> list[Expr]:
    """s'' c_a + s'² d_a as functions of time and position."""
    A, length = Fraction(a), Fraction(b) - Fraction(a)
    sigma = div(add(symbol(found.system.time), neg(number(A))), number(length))
    rest = add(number(1), neg(sigma))
    speed = mul(number(30 * Fraction(S) / length), sigma, sigma, rest, rest)
    push = mul(number(60 * Fraction(S) / length**2), sigma, rest, add(number(1), neg(mul(number(2), sigma))))
    return [
        add(mul(push, c), mul(speed, speed, d))
        for c, d in zip(found.coefficients[k], found.curvatures[k], strict=True)
    ]
