"""Constrained Hamiltonian dynamics on velocity phase space, multipliers by brackets (SCOPE B3, B5).

For a regular Lagrangian let p = ∂L/∂v, E = p·v − L and ω = dq^i ∧ dp_i, written in (q, v): entry (i, j) of
its matrix is ω(∂_i, ∂_j), so that ω(X, Y) = Xᵀ ω Y and X ⌟ ω = ωᵀ X, as for every 2-form in chetaev. A
constraint f^A has the semibasic 1-form φ^A = (∂f^A/∂v^i) dq^i, and the motion is the field X with

    X ⌟ ω = dE + (∂p_i/∂t − F_i) dq^i − μ_A φ^A,        X(f^A) + ∂f^A/∂t = 0

(Bates and Nester 3, with λ = −μ, extended by forces and explicit time). Let X_E solve the first equation
without multipliers and Y^A ⌟ ω = −φ^A. The bracket of a function with a 1-form is {f, φ^A} = Y^A(f), and
the multipliers solve

    M^{BA} μ_A = −(X_E(f^B) + ∂f^B/∂t),        M^{BA} = {f^B, φ^A}.

M^{BA} is symmetric, (∂f/∂v) M⁻¹ (∂f/∂v)ᵀ in coordinates; in a Lorentz metric it is singular where the span
of the ∂f^A/∂v is degenerate, such as a null direction, and the brackets then do not determine the
multipliers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import casadi
import numpy as np

from chetaev.equations.law.hypotheses import only_velocities
from chetaev.equations.law.law import Equations
from chetaev.equations.law.setup import Around, Setup
from chetaev.errors import ModelError
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.node import Expr
from chetaev.model.jet_functions import expect_coordinates, function_on
from chetaev.model.system import System, expect_system
from chetaev.numeric import inverse, numerical_rank, restricted_rank

ONE_FORMS = "the 1-forms of the form 'bracket' come from f(t, q, v) = 0, not from acceleration constraints"


class VelocityPhaseSpace:
    """ω in the coordinates (q, v), and the fields it makes of 1-forms."""

    def __init__(self, s: Setup) -> None:
        self.s = s
        self.p = casadi.gradient(s.L, s.v)
        by_q, self.M = s.by_q(self.p), s.by_v(self.p)
        rank = restricted_rank(s.number(casadi.densify(self.M)), np.eye(s.m))
        if rank < s.m:
            raise ModelError(
                f"the velocity Hessian ∂²L/∂v∂v has rank {rank} of {s.m}: ω is degenerate, and the form "
                "'bracket' needs its inverse",
                remedy="use form='chetaev' or form='reduced'",
            )
        # ω = dq^i ∧ (∂p_i/∂q^j dq^j + ∂p_i/∂v^j dv^j)
        self.omega = casadi.blockcat([[by_q - by_q.T, self.M], [-self.M, casadi.SX(s.m, s.m)]])

    def fields(self, forms: SX) -> SX:
        """X with X ⌟ ω equal to each column of 1-forms (components dq, then dv)."""
        return self.s.solve(self.omega.T, forms)

    def along(self, functions: SX, fields: SX) -> SX:
        """X(f): one row a function, one column a field."""
        return casadi.horzcat(self.s.by_q(functions), self.s.by_v(functions)) @ fields


def applies(s: Setup) -> None:
    """Raise unless ω and the matrix of the brackets {f^B, φ^A} are regular."""
    only_velocities(s, ONE_FORMS)
    space = VelocityPhaseSpace(s)
    if s.k:
        forms = casadi.vertcat(-s.by_v(s.f).T, casadi.SX(s.m, s.k))
        _check(s, space, space.along(s.f, space.fields(forms)))


def derive(system: System, chart: Around = None) -> Equations:
    """The multipliers by brackets: unknowns are the multipliers, the accelerations follow."""
    s = Setup(system, chart=chart)
    only_velocities(s, ONE_FORMS)
    space = VelocityPhaseSpace(s)
    energy = casadi.dot(space.p, s.v) - s.L
    forces = casadi.gradient(energy, s.q) + s.by_t(space.p) - s.F
    C = s.by_v(s.f)
    forms = casadi.vertcat(
        casadi.horzcat(forces, -C.T), casadi.horzcat(casadi.gradient(energy, s.v), casadi.SX(s.m, s.k))
    )
    fields = space.fields(forms)
    rates = space.along(s.f, fields)
    free, brackets = rates[:, 0] + s.by_t(s.f), rates[:, 1:]
    if s.k:
        _check(s, space, brackets)
    matrix, right, recover, offset, omega, X_E, Y = s.matrices(
        brackets, -free, fields[s.m :, 1:], fields[s.m :, 0], space.omega, fields[:, 0], fields[:, 1:].T
    )
    names = tuple(f"mu_{i + 1}" for i in range(s.k))
    identity = s.matrix(casadi.SX.eye(s.k)) if s.k else None
    column = [row[0] for row in right]
    return Equations(
        form="bracket",
        system=system,
        unknowns=names,
        matrix=matrix if s.k else [],
        right=column if s.k else [],
        recover=recover if s.k else [[] for _ in range(s.m)],
        offset=[row[0] for row in offset],
        multiplier_rows=identity,
        multiplier_offset=s.graphs(casadi.SX(s.k, 1)) if s.k else (),
        objects={
            "M_AB": matrix if s.k else [],
            "X_E": [row[0] for row in X_E],
            "Y": Y if s.k else [],
            "omega": omega,
        },
        source="Bates and Nester, section 3; B3, B5",
    )


def _check(s: Setup, space: VelocityPhaseSpace, brackets: SX) -> None:
    values = s.number(casadi.densify(brackets))
    C = np.abs(s.number(casadi.densify(s.by_v(s.f))))
    inverted = np.abs(inverse(s.number(casadi.densify(space.M))))
    size = np.sqrt(
        np.einsum("ai,ij,aj->a", C, inverted, C)
    )  # what the brackets would be without cancellation
    if numerical_rank(values / np.outer(size, size), least=1.0) < s.k:
        raise ModelError(
            "the matrix of brackets {f^B, φ^A} is singular: the directions ∂f/∂v are dependent, or "
            "degenerate in the metric ∂²L/∂v∂v (a null direction), and brackets do not determine μ (B5)",
            remedy="use form='reduced', which says whether the motion is determined",
        )


def bracket(system: System, function: Any, one_form: Sequence[Any] | Mapping[str, Any]) -> Expr:
    """{f, φ} = Y(f) with Y ⌟ ω = −φ, for a semibasic 1-form φ = φ_i dq^i.

    Parameters
    ----------
    system
        A system with a regular Lagrangian.
    function
        f(t, q, v): text, or an expression.
    one_form
        The components φ_i, one a coordinate; or by coordinate, zero where left out.

    Examples
    --------
    >>> import chetaev as ch
    >>> free = ch.System(coordinates=["x", "y"], lagrangian="m*(x'^2 + y'^2)/2", parameters={"m": 2})
    >>> print(bracket(free, "x'", {"x": 1}), bracket(free, "x*y'", ["0", "x"]))
    1/m x^2/m
    """
    from chetaev.equations.law.normal_law import OnConstraint

    expect_system(system, "bracket")
    f = function_on(system, function, "the function of a bracket")
    components = [function_on(system, e, "the 1-form of a bracket") for e in _components(system, one_form)]
    s = Setup(system)
    space = VelocityPhaseSpace(s)
    form = casadi.vertcat(-s.column(components), casadi.SX(s.m, 1))
    result = s.graphs(space.along(s.column([f]), space.fields(form)))[0]
    return OnConstraint(system, use_closed=False).plain(result)


def _components(system: System, one_form: Sequence[Any] | Mapping[str, Any]) -> list[Any]:
    names = system.coordinates
    if isinstance(one_form, Mapping):
        said = "the 1-form of a bracket has a component for {}, which is no coordinate"
        expect_coordinates(system, one_form, said, "components for")
        return [one_form.get(name, 0) for name in names]
    if isinstance(one_form, str) or not isinstance(one_form, Sequence) or len(one_form) != len(names):
        raise ModelError(
            f"the 1-form of a bracket is {one_form!r}"[:200],
            expected=f"{len(names)} components, one for each of {', '.join(names)}",
            remedy='a 1-form such as y dx is written {"x": "y"}',
        )
    return list(one_form)
