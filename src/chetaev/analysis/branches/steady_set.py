"""The set of equilibria or steady motions as zeros of a function of state and parameter (SCOPE M3, M6).

With the residual r(q, v, a, μ; p) = (M a + h − F − Cᵀμ, C a + c) the steady motions in which some cyclic
coordinates move are the zeros of

    G(w) = (r, f, φ),   w = (positions, speeds, a_D, μ, parameter),

where positions of cyclic coordinates have their given values, all other coordinates rest, and only the
accelerations a_D of the chart's dependent velocities are not 0. If the motion goes along a one-parameter
group of symmetries Σ c_i ξ_i instead, v = Σ c_i ξ_i(q) and a = (∂v/∂q) v, and the speeds are the c_i. Nothing
is eliminated: M may be singular, and multipliers come along.

The equations may be dependent and leave more than one dimension. So many unknowns are held at their values
(first those that nothing depends on, then speeds), and as many independent equations are kept as there are
unknowns left, the parameter not counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi
import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.linear.residual import Residual
from chetaev.analysis.linear.steady_directions import Moving
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import key_name
from chetaev.model.system import System
from chetaev.numeric import (
    CLEAR,
    independent_rows,
    least_squares,
    newton,
    norm,
    numerical_rank,
    pivot_columns,
)

Array = NDArray[np.float64]
NOISE = 1e-10
"""A row of the Jacobian below this part of what it is elsewhere is roundoff."""
NEAR = 1e-9
"""A zero of G is reached where the next step is this small."""


@dataclass(frozen=True)
class Unknown:
    """One entry of w: its name, whether people see it, and its group in the order of what is solved for."""

    name: str
    shown: bool
    group: int


class SteadySet:
    """G and its derivatives, at first with everything free; :meth:`held_at` makes it a curve.

    `unknowns`: the entries of w; `parameter`: the place of the parameter among them.
    """

    def __init__(
        self, system: System, residual: Residual, moving: Moving, dependent: Sequence[int],
        parameter: str, values: Mapping[str, float], further: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self.system, self.residual, self.moving = system, residual, moving
        names, n = system.coordinates, len(system.coordinates)
        self.unknowns: list[Unknown] = []
        symbols: list[Any] = []

        def unknown(name: str, shown: bool, group: int) -> Any:
            self.unknowns.append(Unknown(name, shown, group))
            symbols.append(casadi.SX.sym(name))
            return symbols[-1]

        q = [
            casadi.SX(values[c]) if c in moving.cyclic else unknown(c, True, 1 if c != parameter else 3)
            for c in names
        ]
        column = casadi.vertcat(*q)
        if moving.fields:
            rates = [unknown(name, True, 2) for name in moving.rates]
            engine = residual.dynamics.engine
            flow = casadi.SX.zeros(n)
            for rate, one in zip(rates, moving.fields, strict=True):
                flow += rate * engine.column([e for _, e in one.along])
            flow = self._at(flow, column)
            v, a = flow, casadi.jtimes(flow, column, flow)
        else:
            v = casadi.vertcat(
                *(unknown(key_name(c, 1), True, 2) if c in moving.cyclic else casadi.SX(0) for c in names)
            )
            pushed = [i for i in dependent if moving.cyclic]
            a = casadi.SX.zeros(n)
            for i in pushed:
                a[i] = unknown(f"a_{names[i]}", False, 0)
        mu = casadi.vertcat(
            *(unknown(f"mu_{i}", False, 0) for i in range(residual.mu.numel()))
        ) if residual.mu.numel() else casadi.SX.zeros(0)  # fmt: skip
        shown = [u.name for u in self.unknowns if u.shown]
        p = self._parameters([n for n in (parameter, *further) if n not in shown], unknown, values)
        self.parameter = [u.name for u in self.unknowns].index(parameter)
        self.w = casadi.vertcat(*symbols)
        source = casadi.vertcat(residual.q, residual.v, residual.a, residual.mu, residual.t, residual.p)
        target = casadi.vertcat(column, v, a, mu, 0, p)
        parts = casadi.vertcat(residual.r, residual.f, residual.phi)
        self.G = casadi.densify(casadi.substitute(parts, source, target))
        self._state = casadi.Function("state", [self.w], [casadi.densify(x) for x in (column, v, p)])
        self._first = casadi.Function(
            "G", [self.w], [self.G, casadi.densify(casadi.jacobian(self.G, self.w))]
        )

    def _at(self, expression: Any, q: Any) -> Any:
        return casadi.substitute(
            expression,
            casadi.vertcat(self.residual.q, self.residual.p),
            casadi.vertcat(q, casadi.DM(self.residual.model.default_values)),
        )

    def _parameters(self, names: Sequence[str], unknown: Any, values: Mapping[str, float]) -> Any:
        """The parameters as functions of those that change; others given by expressions follow them."""
        model = self.residual.model
        listed = list(model.parameters)
        if not names:
            return casadi.DM([values[n] for n in listed])
        column = self.residual.dynamics.engine.column([model.parameters[n] for n in listed])
        for name in names:
            column[listed.index(name)] = unknown(name, True, 3)
        for _ in listed:
            if not casadi.depends_on(column, self.residual.p):
                break
            column = casadi.substitute(column, self.residual.p, column)
        return column

    def __call__(self, w: Array) -> tuple[Array, Array]:
        """G and its Jacobian."""
        g, jacobian = (np.array(x.full()) for x in self._first(w))
        return g[:, 0], jacobian

    def state(self, w: Array) -> tuple[Array, Array, Array]:
        """q, v and the values of all parameters."""
        q, v, p = (np.array(x.full())[:, 0] for x in self._state(w))
        return q, v, p

    @cached_property
    def _second(self) -> Any:
        weights = casadi.SX.sym("psi", self.G.numel())
        hessian, _ = casadi.hessian(casadi.dot(weights, self.G), self.w)
        return casadi.Function("H", [self.w, weights], [casadi.densify(hessian)])

    def second(self, w: Array, weights: Array) -> Array:
        """The second derivatives of weights·G."""
        return np.array(self._second(w, weights).full())

    def reached(self, w: Array, free: Sequence[int]) -> Array | None:
        """A zero of G near w, with only some unknowns changing; None if none is reached."""
        places = list(free)
        w = self._settled(w)
        unit = np.maximum(np.abs(w[places]), 1.0)

        def inside(x: Array) -> tuple[Array, Array]:
            full = w.copy()
            full[places] = x * unit
            g, jacobian = self(full)
            J = jacobian[:, places] * unit
            scale = np.maximum(np.abs(J).max(axis=1, initial=0.0), 1e-12)
            return g / scale, J / scale[:, None]

        end = newton(inside, w[places] / unit, goal=1e-12, steps=40)
        if end is None or end.step > NEAR or np.abs(end.f).max(initial=0.0) > NEAR:
            return None
        full = w.copy()
        full[places] = (end.x - least_squares(end.jacobian, end.f)) * unit
        return full

    def _settled(self, w: Array) -> Array:
        """With the accelerations and multipliers that fit best: G is affine in them."""
        hidden = [i for i, u in enumerate(self.unknowns) if not u.shown]
        if not hidden:
            return w
        w = w.copy()
        w[hidden] = 0.0
        g, jacobian = self(w)
        if np.isfinite(g).all() and np.isfinite(jacobian).all():
            w[hidden] = least_squares(jacobian[:, hidden], -g)
        return w

    def rank(self, w: Array) -> int:
        """How many equations are independent at a point."""
        return numerical_rank(self._unit_rows(w), CLEAR)

    def _unit_rows(self, w: Array) -> Array:
        """The Jacobian with rows of length 1; those that are nothing but roundoff are 0.

        What is roundoff is seen beside the same row at a point near that is no zero of G.
        """
        _, jacobian = self(w)
        aside = np.array([0.1 * (-1) ** i * (1 + i % 3) / 3 for i in range(len(w))])
        _, general = self(w + aside * np.where(w == 0, 0.01, np.abs(w)))
        usual = np.linalg.norm(general, axis=1) if np.isfinite(general).all() else np.zeros(len(jacobian))
        lengths = np.linalg.norm(jacobian, axis=1)
        kept = lengths > NOISE * usual
        return np.where(kept[:, None], jacobian / np.where(kept, lengths, 1.0)[:, None], 0.0)

    def curve(self, w: Array, hold: Sequence[str]) -> CurveOfZeros:
        """The curve through a zero of G on which everything is held that must be."""
        names = [u.name for u in self.unknowns]
        held = [names.index(n) for n in hold]
        free = [i for i in range(len(names)) if i not in held]
        work = self._unit_rows(w)
        rank = numerical_rank(work[:, free], CLEAR)
        missing = len(free) - rank - 1
        if missing < 0:
            raise ModelError(
                f"with {', '.join(hold) or 'nothing'} held nothing is left that could change with "
                f"{names[self.parameter]}",
                remedy="hold less: hold=[…]",
            )
        chosen = _pivots(work, [[i for i in free if self.unknowns[i].group == g] for g in (0, 1, 2, 3)], rank)
        rest = [i for i in free if i not in chosen and i != self.parameter][::-1][:missing]
        held = sorted([*held, *rest])
        free = [i for i in free if i not in held]
        rows = independent_rows(work[:, free], CLEAR)
        if len(rows) != len(free) - 1:
            raise ModelError(
                "the start is a singular point of the family: more than one branch goes through it",
                remedy="start at another value of the parameter",
            )
        return CurveOfZeros(self, w, free, held, rows)


def _pivots(matrix: Array, groups: Sequence[Sequence[int]], count: int) -> list[int]:
    """So many independent columns, from the first group as many as there are, then from the next."""
    chosen: list[int] = []
    rest = np.array(matrix)
    for group in groups:
        if not group or len(chosen) == count:
            continue
        places = [group[j] for j in pivot_columns(rest[:, list(group)], count - len(chosen), smallest=CLEAR)]
        for j in places:
            column = rest[:, j] / norm(rest[:, j])
            rest = rest - np.outer(column, column @ rest)
            chosen.append(j)
    return chosen


class CurveOfZeros:
    """G restricted to the unknowns that change, in units in which all of them have size one.

    `free`, `held`: places in w that change, and that are held at the values of the start; `rows`: the
    equations that are kept.
    """

    def __init__(
        self, steady: SteadySet, start: Array, free: Sequence[int], held: Sequence[int], rows: Sequence[int]
    ) -> None:
        self.steady, self.base = steady, start
        self.free, self.held, self.rows = list(free), list(held), list(rows)
        self.place = self.free.index(steady.parameter)
        self.unit = np.array([self._unit(i) for i in self.free])
        self._scale: Array | None = None

    def _unit(self, i: int) -> float:
        u, x = self.steady.unknowns[i], abs(float(self.base[i]))
        return max(1.0, x) if u.shown else 100.0 * max(1.0, x)

    def with_range(self, width: float) -> None:
        """The range of the parameter is its unit."""
        self.unit[self.place] = width

    def full(self, x: Array) -> Array:
        """w at a point of the curve."""
        w = self.base.copy()
        w[self.free] = x * self.unit
        return w

    def short(self, w: Array) -> Array:
        """The unknowns that change, in their units."""
        return np.asarray(w[self.free] / self.unit)

    def __call__(self, x: Array) -> tuple[Array, Array]:
        """The kept equations and their Jacobian; each row in the unit of its largest entry."""
        g, jacobian = self.steady(self.full(x))
        J = jacobian[np.ix_(self.rows, self.free)] * self.unit
        scale = self._rows(J)
        return g[self.rows] / scale, J / scale[:, None]

    def _rows(self, J: Array) -> Array:
        if self._scale is None:
            self._scale = np.maximum(np.abs(J).max(axis=1, initial=0.0), 1e-12)
        return self._scale

    def second(self, x: Array, weights: Array) -> Array:
        """The second derivatives of weights·(kept equations)."""
        full = np.zeros(self.steady.G.numel())
        full[self.rows] = weights if self._scale is None else weights / self._scale
        H = self.steady.second(self.full(x), full)[np.ix_(self.free, self.free)]
        return np.asarray(H * np.outer(self.unit, self.unit))

    def miss(self, x: Array) -> float:
        """How far the equations that are not kept are from holding."""
        g, jacobian = self.steady(self.full(x))
        scale = np.maximum(np.abs(jacobian * self.unit_of_all).max(axis=1, initial=0.0), 1e-6)
        return float(np.abs(g / scale).max(initial=0.0))

    @cached_property
    def unit_of_all(self) -> Array:
        """Units of all unknowns."""
        unit = np.ones(len(self.base))
        unit[self.free] = self.unit
        return unit
