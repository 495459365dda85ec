r"""Least kinetic energy to all digits: Newton's method on the vakonomic motion itself (SCOPE K15).

The vakonomic equations of L = ½v·M v are those of L̂ = L + σ'_a f^a without constraints
(:mod:`chetaev.flow.data.vakonomic`), with μ_a = σ'_a. From fixed q₀ the end depends on v₀ = W(q₀) w and μ₀,
as many unknowns as positions; its derivatives come from the compiled integrator. The inputs along the
motion found are then written as polynomials.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.control.collocation import chebyshev, points
from chetaev.analysis.control.steering_task import SteeringTask, along
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr, add, div, mul, number
from chetaev.flow.data.sensitivity import integrate_sensitivities
from chetaev.flow.data.simulate import simulate
from chetaev.flow.data.vakonomic import extended
from chetaev.flow.run.compiled_field import compile_field
from chetaev.model.jet_functions import fresh_names
from chetaev.model.system import System
from chetaev.numeric import aimed, least_squares

Array = NDArray[np.float64]
STEPS = 25
MOST_STEPS = 500
"""Of one shot: a motion that takes more turns too fast to be of least energy."""
ROUGHLY = 1e-5
"""So near with a coarse tolerance, before the motion is computed to all digits."""
NEAR = 1e-11
DEGREES = (24, 40, 64, 96)


@dataclass(frozen=True)
class Geodesic:
    """A vakonomic motion that ends where it should: velocities and multipliers at its start, its inputs."""

    velocity: Array
    multipliers: Array
    coefficients: Array
    miss: float


class Vakonomic:
    """The vakonomic motions of ½v·M v from the start of a task."""

    def __init__(self, task: SteeringTask) -> None:
        self.task, system = task, task.control.system
        s = Setup(system)
        M, C = s.matrices(s.inertia[0], s.by_v(s.f))
        v = s.velocities
        terms: list[Expr] = [mul(M[i][j], v[i], v[j]) for i in range(s.m) for j in range(s.m)]
        self.M, self.C, self.system = M, C, system
        self.q = np.array([task.start[c] for c in system.coordinates])
        self.plain = System(
            coordinates=list(system.coordinates),
            lagrangian=div(add(*terms), number(2)),
            constraints=list(system.velocity_constraints),
            parameters=dict(system.parameters),
            define={n: d.args[0] for n, d in system.definitions.items()},
            time=system.time,
        )

    @staticmethod
    def applies(task: SteeringTask) -> bool:
        """Whether there are constraints on velocities only, and neither time nor a drift."""
        control = task.control
        system = control.system
        return bool(system.velocity_constraints) and not (
            system.position_constraints or control.timed or task.free or not control.drift.is_zero
        )

    def _at(self, table: list[list[Expr]], v: Array) -> Array:
        known = self.system.values_at(self.task.times[0], self.q, v)
        flat = evaluate([e for row in table for e in row], known)
        return np.array(flat, float).reshape(len(table), -1)

    def multipliers(self, v: Array, p: Array) -> Array:
        """μ with p = M v + Cᵀ μ."""
        return least_squares(self._at(self.C, v).T, p - self._at(self.M, v) @ v)

    def frame(self) -> Array:
        """W at the start, columns."""
        frame = self.task.control.frame
        assert frame is not None
        known = self.system.values_at(self.task.times[0], self.q, np.zeros_like(self.q))
        columns = []
        for s in frame.symbols:
            u = {e.value: float(e is s) for e in frame.symbols}
            columns.append([float(x) for x in evaluate(list(frame.velocities), {**known, **u})])
        return np.array(columns).T

    def end(self, v: Array, mu: Array, tolerance: float) -> tuple[Array, Array]:
        """Positions at the end, and their derivatives by (v, μ) at the start."""
        larger, names = self._extended(v, mu)
        n, k = len(v), len(mu)
        state = larger.state
        q0 = [state.position[c] for c in larger.coordinates]
        v0 = [state.velocity[c] for c in larger.coordinates]
        field, t1 = compile_field(larger), self.task.times[1]
        found = integrate_sensitivities(field, state.t, q0, v0, t1, tolerance, {}, MOST_STEPS)
        places = [list(larger.coordinates).index(c) for c in (*self.system.coordinates, *names)]
        m = len(larger.coordinates)
        columns = [m + i for i in places[: n + k]]
        return found.state[0][places[:n]], found.initial[np.ix_(places[:n], columns)]

    def _extended(self, v: Array, mu: Array) -> tuple[System, list[str]]:
        names = self.system.coordinates
        start = {**dict(zip(names, map(float, self.q), strict=True)),
                 **{c + "_dot": float(x) for c, x in zip(names, v, strict=True)},
                 self.system.time: self.task.times[0]}  # fmt: skip
        placed = self.plain.with_initial(start)
        larger, integrals = extended(placed, fresh_names(placed, len(mu)), [float(x) for x in mu])
        return larger, list(integrals)

    def shoot(self, v: Array, p: Array) -> Geodesic | None:
        """Newton's method from a velocity and momenta at the start; None where it does not arrive."""
        W = self.frame()
        w = least_squares(W, v)
        mu = self.multipliers(W @ w, p)
        target = np.array([self.task.end[c] for c in self.system.coordinates])

        def missed(x: Array, tolerance: float) -> tuple[Array, Array] | None:
            try:
                end, slopes = self.end(W @ x[: len(w)], x[len(w) :], tolerance)
            except ModelError:
                return None
            return end - target, np.hstack([slopes[:, : len(v)] @ W, slopes[:, len(v) :]])

        found = aimed(partial(missed, tolerance=1e-9), np.concatenate([w, mu]), ROUGHLY, STEPS)
        if found is None or found.miss > ROUGHLY:
            return None
        found = aimed(partial(missed, tolerance=1e-12), found.x, NEAR, STEPS - found.steps)
        if found is None or found.miss > NEAR:
            return None
        return self._inputs(W @ found.x[: len(w)], found.x[len(w) :], found.miss)

    def _inputs(self, v: Array, mu: Array, miss: float) -> Geodesic | None:
        """The quasi-velocities along the motion as polynomials."""
        frame = self.task.control.frame
        assert frame is not None
        t0, t1 = self.task.times
        for N in DEGREES:
            tau, _, _ = points(N)
            larger, _ = self._extended(v, mu)
            at = t0 + (t1 - t0) * (tau + 1) / 2
            at[0], at[-1] = t0, t1
            run = simulate(larger, t1, at, tolerance=1e-12)
            if run.attrs["status"] != "done":
                return None
            known = along(self.system, run, at)
            u = np.array([np.broadcast_to(x, at.shape) for x in evaluate(list(frame.functions), known)])
            made = interpolated(u, N)
            small = 1e-9 * max(1.0, float(np.abs(made).max()))
            if float(np.abs(made[:, -2:]).max()) < small or DEGREES[-1] == N:
                return Geodesic(v, mu, made, miss)
        return None


def interpolated(values: Array, N: int) -> Array:
    """Chebyshev coefficients of polynomials through values at the points, shape (rows, N + 1)."""
    tau, _, _ = points(N)
    T = chebyshev(tau, N)
    halves = np.array([0.5 if j in (0, N) else 1.0 for j in range(N + 1)])
    c = np.asarray((values * halves) @ T.T * 2 / N)
    c[:, 0] /= 2
    c[:, -1] /= 2
    return c
