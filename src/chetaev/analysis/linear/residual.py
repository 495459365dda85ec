"""The derivatives of the motion at a state, in doubles, by the implicit function theorem (SCOPE M3, M6).

    r(t, q, v, a, μ; p, u) = (M a + h − F − u − Cᵀμ,  C a + c) = 0

determines z = (a, μ), accelerations and multipliers; so ∂z/∂(q, v, p, u) = −(∂r/∂z)⁻¹ ∂r/∂(q, v, p, u), one
linear system, whose matrices are Jacobians of CasADi's graphs of the model. Nothing is eliminated as a
function, and M may be singular where the reduced matrix is not. u are additional generalized forces.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi
import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.linear.redundant_rows import redundant_rows
from chetaev.errors import ExhaustedError, ModelError
from chetaev.expr.graph.node import Expr, symbols
from chetaev.flow.derive.dynamics import DerivedDynamics
from chetaev.flow.derive.ingredients import Ingredients
from chetaev.model.system import System
from chetaev.numeric import (
    SingularMatrixError,
    balanced,
    bordered_units,
    numerical_rank,
    shortest_move,
    solve,
)

Array = NDArray[np.float64]
SINGULAR = "the law is singular at this state: accelerations are not determined there"
ELSEWHERE = "choose another state; ch.singular(system) says where a law is singular"


class NoLinearizationError(ModelError):
    """A state at which the motion has no derivative, or is not determined: that is shown there."""


class KinkError(NoLinearizationError):
    """A state at which the law has a kink."""


class CoarseError(ModelError, ExhaustedError):
    """A regular state whose numbers doubles are too coarse for."""


def states_of_q(system: System, count: int, seed: int) -> list[tuple[float, Array, Array]]:
    """Random states (t, q, v) of Q."""
    names = system.coordinates
    return [
        (data[system.time], np.array([data[c] for c in names]), np.array([data[c + "_dot"] for c in names]))
        for data in system.random_states(count, seed=seed)
    ]


@dataclass(frozen=True)
class Slopes:
    """Derivatives at one state."""

    a: Array
    """The accelerations there, shape (m,)."""
    by_state: Array
    by_parameter: Array
    by_force: Array
    by_time: Array
    """∂a/∂(q, v), ∂a/∂p, ∂a/∂F, ∂a/∂t: shapes (m, 2m), (m, r), (m, m), (m, 1)."""
    held: Array
    held_by_time: Array
    """G = ∂(φ, f)/∂(q, v), independent rows, and the same by t."""
    phi_q: Array
    f_v: Array
    """Its blocks that decide about charts."""


class Residual:
    """The residual of a system as CasADi functions of (t, q, v, p), with outputs if any are asked for."""

    def __init__(self, system: System, outputs: tuple[Expr, ...] = ()) -> None:
        self.system = system
        model = Ingredients.of_constraints(
            system, parameters=dict(system.parameters), dynamics=system.dynamics
        )
        self.redundant = redundant_rows(system)
        self.model = model
        d = self.dynamics = DerivedDynamics(model)
        self.size = model.size
        held = [i for i in range(len(model.position)) if i not in self.redundant]
        on_f = [i for i in range(model.on_velocities) if i not in self.redundant]
        rows = [i for i in range(model.rows) if i not in self.redundant]
        self.t, self.q, self.v, self.p = d.arguments.list()
        self.state = casadi.vertcat(self.q, self.v)
        C, c = d.matrix[rows, :], d.rest[rows]
        self.a, self.mu = casadi.SX.sym("a", self.size), casadi.SX.sym("mu", len(rows))
        self.r = casadi.vertcat(d.inertia(self.a) - C.T @ self.mu, C @ self.a + c)
        self.phi, self.f = d.phi[held], d.f[on_f]
        self.outputs = d.expressions(outputs)

    @property
    def arguments(self) -> list[Any]:
        """t, q, v, p."""
        return [self.t, self.q, self.v, self.p]

    @cached_property
    def _first(self) -> Any:
        z = casadi.vertcat(self.a, self.mu)
        still = casadi.substitute(self.r, z, casadi.SX.zeros(z.numel()))
        constraints = casadi.vertcat(self.phi, self.f)
        parts = [casadi.jacobian(self.r, z), still]
        parts += [casadi.jacobian(constraints, x) for x in (self.state, self.t)]
        parts += [casadi.jacobian(self.phi, self.q), casadi.jacobian(self.f, self.v)]
        return casadi.Function("first", self.arguments, [casadi.densify(x) for x in parts])

    @cached_property
    def _second(self) -> Any:
        parts = [casadi.jacobian(self.r, x) for x in (self.state, self.p, self.t)]
        arguments = [*self.arguments, casadi.vertcat(self.a, self.mu)]
        return casadi.Function("second", arguments, [casadi.densify(x) for x in parts])

    @cached_property
    def _outputs(self) -> Any:
        parts = [self.outputs] + [casadi.jacobian(self.outputs, x) for x in (self.state, self.p)]
        return casadi.Function("outputs", self.arguments, [casadi.densify(x) for x in parts])

    @property
    def autonomous(self) -> bool:
        """Whether time occurs nowhere in law and constraints."""
        return not casadi.depends_on(casadi.vertcat(self.r, self.phi, self.f), self.t)

    def occurs(self, name: str) -> tuple[bool, bool]:
        """Whether a parameter occurs in the law and whether in a constraint, also through others."""
        places = [i for i, n in enumerate(self.system.parameters) if _follows(self.system, n, name)]
        p = self.p[places]
        return casadi.depends_on(self.r, p), casadi.depends_on(casadi.vertcat(self.phi, self.f), p)

    def _expect_levels(self, t: float, q: Array, v: Array, p: Array) -> None:
        """A ModelError where φ = 0 bounds positions although its rate follows from the other constraints."""
        every = self.dynamics.phi
        if self.phi.numel() == every.numel():
            return
        parts = [casadi.densify(casadi.jacobian(x, self.q)) for x in (self.phi, every)]
        kept, whole = (
            np.array(x.full()) for x in casadi.Function("levels", self.arguments, parts)(t, q, v, p)
        )
        if numerical_rank(whole) > numerical_rank(kept):
            raise ModelError(
                "the rate of a position constraint follows from the other constraints, so that Q is a level "
                "of a conserved quantity: there is no chart of it here",
                remedy="leave that position constraint out, and keep the level by the initial state",
            )

    def at(self, t: float, q: Array, v: Array, p: Array) -> Slopes:
        """All derivatives at a state."""
        self._expect_levels(t, q, v, p)
        K, r, held, held_t, phi_q, f_v = (np.array(x.full()) for x in self._first(t, q, v, p))
        if not all(np.isfinite(x).all() for x in (K, r, held)):
            raise NoLinearizationError(
                "the law has no finite value at this state",
                remedy="choose a state inside the domain of its functions",
            )
        m, k = self.size, self.mu.numel()
        rows = columns = np.ones(m + k)
        if K.size and numerical_rank(balanced(K)) < len(K):
            rows, columns = bordered_units(K, m)
            K = rows[:, None] * K * columns
            if numerical_rank(balanced(K)) < len(K):
                raise NoLinearizationError(SINGULAR, remedy=ELSEWHERE)
        try:
            z = columns * solve(K, -r[:, 0] * rows)
            by_x, by_p, by_t = (np.array(x.full()) for x in self._second(t, q, v, p, z))
            forces = np.vstack([-np.eye(m), np.zeros((k, m))])
            right = np.hstack([by_x, by_p, forces, by_t])
            found = -(columns[:, None] * solve(K, right * rows[:, None]))[:m]
        except SingularMatrixError:
            raise NoLinearizationError(SINGULAR, remedy=ELSEWHERE) from None
        if not np.isfinite(found).all():
            raise NoLinearizationError(
                "the law has no derivative at this state",
                remedy="linearise where its functions are smooth",
            )
        x, f = by_x.shape[1], by_p.shape[1]
        state, parameter, force, time = np.split(found, [x, x + f, x + f + m], axis=1)
        return Slopes(z[:m], state, parameter, force, time, held, held_t, phi_q, f_v)

    def misses(self, t: float, q: Array, v: Array, p: Array) -> float:
        """How far a state is from the constraints."""
        held = casadi.densify(casadi.vertcat(self.phi, self.f))
        slopes = casadi.densify(casadi.jacobian(held, self.state))
        missed, matrix = (
            np.array(x.full()) for x in casadi.Function("held", self.arguments, [held, slopes])(t, q, v, p)
        )
        return float(np.abs(shortest_move(matrix, missed[:, 0])).max(initial=0.0)) if missed.size else 0.0

    def outputs_at(self, t: float, q: Array, v: Array, p: Array) -> tuple[Array, Array, Array]:
        """Outputs and their derivatives by (q, v) and p."""
        value, by_x, by_p = (np.array(x.full()) for x in self._outputs(t, q, v, p))
        return value[:, 0], by_x, by_p


def _follows(system: System, name: str, other: str) -> bool:
    """Whether a parameter is another one or is defined by it."""
    if name == other:
        return True
    value = system.parameters[name]
    return any(n in system.parameters and _follows(system, n, other) for n, _ in symbols(value))
