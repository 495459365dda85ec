"""Energy: its rate on the constraint, and the exact condition for its conservation (SCOPE B4).

For E = v·∂L/∂v − L along the motion,

    dE/dt = −∂L/∂t + F·v + μ_a (∂f^a/∂v)·v.

The last term is the power of the constraint forces. It vanishes when (∂f^a/∂v)·v = 0 on Q, which holds for
constraints homogeneous in the velocities, and also where the multipliers vanish: the constraint is then a
first integral of the free motion and does nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi

from chetaev.equations.normal import OnConstraint, constraint_functions
from chetaev.equations.setup import Setup
from chetaev.expr.graph import Expr
from chetaev.expr.zero import Verdict, zero_test, zero_tests
from chetaev.laws.law import Law
from chetaev.laws.rate import is_first_integral
from chetaev.model.system import System


@dataclass(frozen=True)
class EnergyBalance:
    """The three sources of a change of energy, each with its zero test on Q."""

    energy: Expr
    time: Expr
    time_verdict: Verdict
    force: Expr
    force_verdict: Verdict
    reaction: tuple[Expr, ...]
    reaction_verdicts: tuple[Verdict, ...]


def balance(system: System) -> EnergyBalance:
    """−∂L/∂t, F·v, and (∂f^a/∂v)·v for each constraint."""
    s = Setup(system)
    p = casadi.gradient(s.L, s.v)
    rows = casadi.vertcat(s.by_v(s.f), casadi.jacobian(s.alpha, s.a))
    E, time, force, reaction = s.matrices(
        casadi.dot(p, s.v) - s.L, -s.by_t(s.L), casadi.dot(s.F, s.v), rows @ s.v
    )
    on = constraint_functions(system)
    directions = tuple(row[0] for row in reaction)
    return EnergyBalance(
        energy=OnConstraint(system, 2.0).plain(E[0][0]),
        time=time[0][0],
        time_verdict=zero_test(time[0][0], on),
        force=force[0][0],
        force_verdict=zero_test(force[0][0], on),
        reaction=directions,
        reaction_verdicts=tuple(zero_tests(directions, on)) if directions else (),
    )


def energy_law(system: System) -> Law:
    """The energy, whether it is conserved, and the reason."""
    parts = balance(system)
    verdict = is_first_integral(system, parts.energy)
    terms = (parts.time_verdict, parts.force_verdict, *parts.reaction_verdicts)
    if not verdict.is_zero and all(v.is_zero for v in terms):  # dE/dt needs no accelerations
        points, digits = min(v.points for v in terms), min(v.digits for v in terms)
        verdict = Verdict(
            "zero", all(v.proved for v in terms), points, digits, "every term of dE/dt vanishes"
        )
    return Law("energy", parts.energy, _reason(parts, verdict), verdict)


def _reason(parts: EnergyBalance, verdict: Verdict) -> str:
    still = parts.time_verdict.is_zero
    free = parts.force_verdict.is_zero
    idle = all(v.is_zero for v in parts.reaction_verdicts)
    if verdict.is_zero and still and free and idle:
        words = [
            "the Lagrangian does not depend on time" if parts.time.op == "number" else "−∂L/∂t vanishes on Q"
        ]
        words.append("there are no forces" if parts.force.op == "number" else "the forces do no work")
        if parts.reaction:
            words.append("the constraint forces do no work, since (∂f/∂v)·v = 0 on the constraint")
        return (
            "conserved because "
            + ", ".join(words[:-1])
            + (" and " if len(words) > 1 else "")
            + words[-1]
            + " (B4)"
        )
    if verdict.is_zero:
        return (
            "conserved although not every term of dE/dt vanishes: they cancel, or the multipliers vanish (B4)"
        )
    causes = []
    if not still:
        causes.append("the Lagrangian depends on time")
    if not free:
        causes.append("the forces do work")
    if not idle:
        causes.append("the constraint forces do work, since (∂f/∂v)·v ≠ 0 on the constraint")
    if verdict.is_zero is None:
        return "undecided; possible sources of change: " + "; ".join(causes or ["none found"])
    return "not conserved because " + " and ".join(causes or ["its rate does not vanish"]) + " (B4)"
