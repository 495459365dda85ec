"""Momenta of ignorable coordinates (SCOPE K10, B10).

A coordinate q^i is ignorable when ∂L/∂q^i = 0. Its momentum p_i = ∂L/∂v^i is conserved when no force and no
constraint force acts along it; a constraint force does, in general, act on an ignorable coordinate, and
then the symmetry gives no conservation law: d p_i/dt = F_i + μ_a ∂f^a/∂v^i.
"""

from __future__ import annotations

import casadi

from chetaev.equations.normal import OnConstraint, constraint_functions
from chetaev.equations.setup import Setup
from chetaev.expr.graph import ZERO
from chetaev.expr.zero import zero_tests
from chetaev.laws.law import Law
from chetaev.laws.rate import is_first_integral
from chetaev.model.system import System


def momenta(system: System) -> list[Law]:
    """The momentum of every ignorable coordinate, with the verdict."""
    s = Setup(system)
    gradient, p, reaction = s.matrices(
        casadi.gradient(s.L, s.q),
        casadi.gradient(s.L, s.v),
        casadi.vertcat(s.by_v(s.f), casadi.jacobian(s.alpha, s.a)),
    )
    on = constraint_functions(system)
    ignorable = zero_tests([row[0] for row in gradient], on)
    show = OnConstraint(system, 2.0)
    laws = []
    for i, (name, verdict) in enumerate(zip(system.coordinates, ignorable, strict=True)):
        if not verdict.is_zero or p[i][0] is ZERO:
            continue
        expression = show.plain(p[i][0])
        proof = is_first_integral(system, expression)
        acted = any(row[i] is not ZERO for row in reaction)
        if proof.is_zero:
            why = "although a constraint acts on it" if acted else "and no constraint acts on it"
            origin = f"{name} is ignorable {why} (K10)"
        else:
            cause = "a constraint force acts on it" if acted else "a force acts on it"
            origin = f"{name} is ignorable, but {cause}"
        laws.append(Law(f"momentum of {name}", expression, origin, proof))
    return laws
