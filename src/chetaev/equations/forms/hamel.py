"""The Boltzmann–Hamel equations in an adapted frame (SCOPE D1, D5; Delphenich (2.9)–(2.17), (3.41), (4.23)).

Quasi-velocities u^I = (u^s, u^a) with u^a = f^a the constraint functions. If they are affine in v, they are
the coframe θ^I = J^I_i dq^i + j^I dt of space-time beside θ^0 = dt, with the frame e_0 = ∂_t + e_0^i ∂_i,
e_I = e_I^i ∂_i: the velocity is e_0 + u^I e_I, e_s span the admissible variations, and with structure
functions and momenta

    [e_A, e_B] = c^I_AB e_I  (A, B = 0, …, m),    L̄(t, q, u) = L(t, q, v),    p_I = ∂L̄/∂u^I = e_I^i ∂L/∂v^i,

the variations δu^I = d/dt σ^I + c^I_AK u^A σ^K (u^0 = 1, δq = e_K σ^K) give

    d/dt p_s − e_s(L̄) + c^I_sA p_I u^A = Q_s,      u^a = 0,   Q_s = e_s^i F_i.

The rows A = 0 are what affine and time-dependent constraints add. All momenta p_I occur, not only p_s: this
is why the constraints must not be put into L beforehand.

If constraints or quasi-velocities are not affine, e_I = (∂v^i/∂u^I) ∂/∂q^i depends on u, and c^I_As u^A
gives way to

    N^I_s = (∂u^I/∂v^i) (d/dt ∂v^i/∂u^s − ∂v^j/∂u^s ∂v^i/∂q^j|_u):   d/dt p_s − e_s(L̄) − N^I_s p_I = Q_s

(Hamel's equations in nonlinear quasi-velocities), which contains quasi-accelerations through ∂²v/∂u∂u.
Derivatives at fixed u are taken in ambient coordinates: ∂/∂q|_u = ∂/∂q − (J⁻¹ ∂u/∂q)·∂/∂v. No multipliers
occur. A fundamental form φ = F dq + Π dv (D4) has p_I = e_I^i Π_i, and F − Π ∂v/∂u ∂u/∂q in the place of
∂L̄/∂q.
"""

from __future__ import annotations

from typing import Any

import casadi

from chetaev.equations.law.hypotheses import (
    Plane,
    affine_parts,
    are_affine,
    complete_frame,
    no_acceleration_constraints,
    some_freedom,
)
from chetaev.equations.law.law import Equations
from chetaev.equations.law.setup import Around, Setup
from chetaev.equations.quasi.given_quasi_velocities import Given, named, written_in
from chetaev.expr.graph.engine import SX
from chetaev.model.system import System


class HamelFrame:
    """The adapted frame of quasi-velocities and constraints.

    `u`: all quasi-velocities (u^s, u^a) as functions on J¹Y, `n` of them are free; `J`, `E`: the coframe
    ∂u/∂v and the frame ∂v/∂u, m×m.
    """

    def __init__(self, s: Setup, quasi_velocities: Given | None) -> None:
        free, self.labels = _free(s, quasi_velocities)
        self.s, self.n = s, free.numel()
        self.u = casadi.vertcat(free, s.f)
        self.affine = are_affine(s, self.u)
        self.J, self.j = affine_parts(s, self.u)
        self.E = s.solve(self.J, casadi.SX.eye(s.m))

    def by_q(self, column: SX) -> SX:
        """∂/∂q at fixed t, u."""
        return self.s.by_q(column) - self.s.by_v(column) @ (self.E @ self.s.by_q(self.u))

    def force(self) -> SX:
        """∂L̄/∂q as a row, or what a form φ = F dq + Π dv has in its place: F at fixed u, F − Π ∂u/∂q."""
        if self.s.system.dynamics.lagrangian is not None:
            return self.by_q(self.s.L)
        return self.s.push.T - self.s.Pi.T @ (self.E @ self.s.by_q(self.u))

    def by_u(self, column: SX) -> SX:
        """∂/∂u at fixed t, q."""
        return self.s.by_v(column) @ self.E

    @property
    def drift(self) -> SX:
        """The accelerations without quasi-accelerations: a = E u' + drift."""
        return -self.E @ self.s.along(self.u)

    def structure(self) -> list[SX]:
        """c^I_AB for A, B = 0, …, m: m matrices, one an I; for an affine frame (D1)."""
        s, m = self.s, self.s.m
        fields = casadi.horzcat(-self.E @ self.j, self.E)  # spatial parts of e_0, e_1, …, e_m
        here = casadi.vertcat(s.t, s.q)
        along = []  # along[A][:, B] = e_A(e_B)
        for A in range(m + 1):
            direction = casadi.vertcat(1 if A == 0 else 0, fields[:, A])
            derivative = casadi.jtimes(casadi.vec(fields), here, direction)
            along.append(casadi.reshape(derivative, m, m + 1))
        brackets = [[along[A][:, B] - along[B][:, A] for B in range(m + 1)] for A in range(m + 1)]
        parts = [self.J @ casadi.horzcat(*row) for row in brackets]  # parts[A][I, B]
        return [casadi.vertcat(*(part[i, :] for part in parts)) for i in range(m)]


def applies(s: Setup) -> None:
    """Raise unless the constraints are independent, and none is on accelerations."""
    _free(s, None)
    _ = s.L


def _free(s: Setup, quasi_velocities: Given | None) -> tuple[SX, tuple[str, ...]]:
    """The free quasi-velocities and their names."""
    no_acceleration_constraints(s, "hamel", "needs them on velocities, as members of a coframe")
    own, plane = named(s.system, quasi_velocities), Plane(s)
    some_freedom(plane, "hamel", "has one equation for each free quasi-velocity")
    u, labels = complete_frame(s, plane, None if own is None else own[1])
    return u, labels if own is None else own[0]


def derive(system: System, quasi_velocities: Given | None = None, chart: Around = None) -> Equations:
    """Hamel's equations: unknowns are the free quasi-accelerations.

    `system`: the system, constraints of any kind on positions and velocities; `quasi_velocities`:
    quasi-velocities in the model language, as many as there are degrees of freedom, in a list or by name,
    those of ``[quasi]`` if left out, else independent velocities.

    >>> import chetaev as ch
    >>> sleigh = derive(ch.load("knife-edge"), ["phi'", "x'*cos(phi) + y'*sin(phi)"])
    >>> len(sleigh.momenta), len(sleigh.structure[0])
    (3, 4)
    """
    s = Setup(system, chart=chart)
    frame = HamelFrame(s, quasi_velocities)
    n, E = frame.n, frame.E
    E_s = E[:, :n]
    momenta = E.T @ s.Pi
    force = E_s.T @ s.F
    bar_L_q = frame.force()  # ∂L̄/∂q, a row
    objects: dict[str, Any] = {}
    # d/dt p_s = matrix·u' + known, by the total derivative with a = E_s u' + drift
    p_s = momenta[:n]
    matrix = frame.by_u(p_s)[:, :n]
    known = s.along(p_s) + s.by_v(p_s) @ frame.drift - E_s.T @ bar_L_q.T - force
    if frame.affine:
        c = frame.structure()
        u = casadi.vertcat(1, frame.u[:n])
        for i, part in enumerate(c):
            known += momenta[i] * (part[1 : n + 1, : n + 1] @ u)
        objects["structure"] = [s.matrix(part) for part in c]
    else:
        v_q = frame.by_q(s.v)
        columns = [E_s[:, r] for r in range(n)]
        # N^I_s = N[I, s] + N_u[s][I, r] u'^r
        N = [frame.J @ (s.along(e) + s.by_v(e) @ frame.drift - v_q @ e) for e in columns]
        N_u = [frame.J @ frame.by_u(e)[:, :n] for e in columns]
        known -= casadi.vertcat(*(part.T @ momenta for part in N))
        matrix -= casadi.vertcat(*(momenta.T @ part for part in N_u))
        objects |= {"N": s.matrix(casadi.horzcat(*N)), "N_u": [s.matrix(part) for part in N_u]}
    return Equations(
        form="hamel",
        system=system,
        unknowns=tuple(f"{label}'" for label in frame.labels),
        matrix=s.matrix(matrix),
        right=s.graphs(-known),
        recover=s.matrix(E_s),
        offset=s.graphs(frame.drift),
        objects={
            "frame": s.matrix(E),
            "coframe": s.matrix(frame.J),
            "quasi_velocities": s.graphs(frame.u),
            "momenta": s.graphs(momenta),
        }
        | objects
        | written_in(s, quasi_velocities),
        source="Delphenich (2.9)–(2.17), (3.41), (4.23), with Hamel's structure terms; D1, D5",
    )
