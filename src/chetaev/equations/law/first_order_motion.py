"""Lagrangians affine in the velocities: their motion is one of first order on Y (SCOPE K9; Krupková (26)).

    L = p_i(t, q) v^i − H(t, q):      (∂p_i/∂q^j − ∂p_j/∂q^i) q̇^j = F_i − ∂H/∂q^i − ∂p_i/∂t.

Where the matrix Ω on the left is regular and there are no constraints, q̇ = Ω⁻¹(…) is evaluated as a program,
without a closed form. Whoever asks for motions, states of rest or their neighbourhood takes this system,
whose velocities follow from its positions. Dirac's algorithm (:mod:`chetaev.hamilton.dirac`) has the rest.

>>> import chetaev as ch
>>> oscillator = ch.System(
...     coordinates=["x", "v"], dynamics={"lagrangian": "v*x' - (v^2 + x^2)/2", "degenerate": True}
... )
>>> [str(e) for e in first_order_motion(oscillator).velocity_constraints]
["x' = v", "v' = -x"]
"""

from __future__ import annotations

from functools import lru_cache

from chetaev.expr.graph.node import Expr
from chetaev.model.states.stack_of_constraints import every_constraint
from chetaev.model.system import System
from chetaev.numeric import numerical_rank


def first_order_motion(system: System) -> System:
    """The system q̇ = g(t, q) that a Lagrangian affine in the velocities has; itself for all others."""
    return _of_first_order(system) or system


@lru_cache(maxsize=64)
def _of_first_order(system: System) -> System | None:
    if not system.degenerate or system.dynamics.lagrangian is None or every_constraint(system):
        return None
    import casadi  # every run comes by here, and few have such a Lagrangian

    from chetaev.equations.law.setup import Setup
    from chetaev.expr.graph.engine import is_linear

    s = Setup(system)
    mass, rest = s.inertia
    law = rest - s.F
    if mass.nnz() or not is_linear(law, s.v):
        return None
    omega = casadi.densify(s.by_v(law))
    if numerical_rank(s.number(omega)) < s.m:
        return None
    at_rest = casadi.substitute(law, s.v, casadi.SX.zeros(s.m))
    rates = dict(zip(system.coordinates, s.graphs(-s.solve(omega, at_rest)), strict=True))
    changed = {"dynamics": {"velocities": rates}}
    return system._changed(changed, changed)


def momenta_and_energy(system: System) -> dict[str, Expr]:
    """p = ∂L/∂v and E = p·v − L, functions of t and q on the motion, by their names in data sets."""
    import casadi

    from chetaev.equations.law.setup import Setup

    s = Setup(system)
    names = [f"p_{c}" for c in system.coordinates] + ["energy"]
    column = casadi.vertcat(s.Pi, casadi.dot(s.Pi, s.v) - s.L)
    pairs = zip(names, s.graphs(column), strict=True)
    return {name: e for name, e in pairs if name not in system.names}
