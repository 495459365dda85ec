"""Energy: its rate on the constraint, and the exact condition for its conservation (SCOPE B4).

For E = v·∂L/∂v − L along the motion,

    dE/dt = −∂L/∂t + F·v + μ_a (∂f^a/∂v)·v.

The last term is the power of the constraint forces; those of a constraint f(t, q, v, a) = 0 on accelerations
act along ∂f/∂a instead. It vanishes when (∂f^a/∂v)·v = 0 on Q, which holds for
constraints homogeneous in the velocities, and also where the multipliers vanish: the constraint is then an
invariant relation of the free motion and does nothing. The three terms can also cancel. Each term is judged
for the parameters for which the verdict on the energy is given (:mod:`chetaev.laws.standpoint`).
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi

from chetaev.equations.law.normal_law import OnConstraint
from chetaev.equations.law.setup import Setup
from chetaev.equations.registry import equations
from chetaev.errors import ModelError
from chetaev.expr.exact import answer, ask
from chetaev.expr.exact.vanishing import Verdict
from chetaev.expr.graph.node import ZERO, Expr, symbol, symbols
from chetaev.laws.law import Law
from chetaev.laws.rate import EFFORT, is_first_integral
from chetaev.laws.search.written_integral import by_velocities
from chetaev.laws.standpoint import VALUES_GIVEN, Standpoint, standpoints
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.system import System


def terms_of_the_balance(system: System) -> list[Expr]:
    """E, −∂L/∂t, F·v and (∂f^a/∂v)·v for each constraint."""
    s = Setup(system)
    p = casadi.gradient(s.L, s.v)
    parts = s.matrices(casadi.dot(p, s.v) - s.L, -s.by_t(s.L), casadi.dot(s.F, s.v), s.rows.C @ s.v)
    return [row[0] for part in parts for row in part]


def is_kept_by_every_term(system: System, effort: int = EFFORT) -> bool:
    """Whether each term of dE/dt is proved to vanish on Q for the values given, which needs no accelerations.

    >>> import chetaev as ch
    >>> [is_kept_by_every_term(ch.load(name)) for name in ("rattleback", "leibniz-particle")]
    [True, False]
    """
    verdicts = vanish(system, terms_of_the_balance(system)[1:], standpoints(system)[-1], max(1, effort // 2))
    return all(v.is_zero and v.proved for v in verdicts)


def _shown(system: System, energy: Expr, effort: int) -> Expr:
    """The energy in normal form, monomial by monomial in the velocities where one fraction is much longer."""
    show = OnConstraint(system, effort)
    whole = show.plain(energy)
    if whole is energy:
        return energy
    velocities = [show.field.base(symbol(c, 1)) for c in system.coordinates]
    return answer(ask(lambda: by_velocities(show.field(energy), velocities, whole))) or whole


def energy_law(system: System, effort: int = EFFORT) -> Law:
    """The energy, whether it is conserved, and the reason."""
    if system.dynamics.hamiltonian is not None:
        return _hamiltonian_law(system, system.dynamics.hamiltonian, effort)
    given, *terms = terms_of_the_balance(system)
    energy = _shown(system, given, effort)
    verdict, standpoint = is_first_integral(system, energy, effort)
    parts = vanish(system, terms, standpoint, max(1, effort // 2))
    sure = verdict.is_zero and verdict.proved
    if not sure and all(v.is_zero and (v.proved or not verdict.is_zero) for v in parts):
        # dE/dt needs no accelerations
        points, digits = min(v.points for v in parts), min(v.digits for v in parts)
        verdict = Verdict(
            "zero", all(v.proved for v in parts), points, digits, "every term of dE/dt vanishes"
        )
    cause = _reason(system, energy, terms[0], parts, verdict, standpoint)
    row = "" if verdict.is_zero is None else "B4"
    return Law("energy", energy, cause, verdict, standpoint.words, row)


def _hamiltonian_law(system: System, H: Expr, effort: int) -> Law:
    """H on a phase space: dH/dt = ∂H/∂t + F·∂H + λ_A Y^A·∂H, as {H, H} = 0 (B13)."""
    verdict, standpoint = is_first_integral(system, H, effort)
    timed = any(name == system.time for name, _ in symbols(H))
    moved = "not conserved: its rate is ∂H/∂t, with what forces and reactions add"
    kept = "conserved because {H, H} = 0"
    kept += ", and forces and reactions do no work" if system.position_constraints else ""
    cause = kept if verdict.is_zero and not timed else moved
    return Law("energy", H, cause, verdict, standpoint.words, "" if verdict.is_zero is None else "B13")


def _idle_multipliers(system: System, standpoint: Standpoint) -> bool:
    """Whether all multipliers vanish on Q: the constraint is an invariant relation of the free motion."""
    try:
        multipliers = equations(system, "chetaev").multipliers
    except ModelError:
        return False
    return all(v.is_zero for v in vanish(system, multipliers, standpoint))


def _power(system: System) -> str:
    """What is tested for the power of the constraint forces: they act along ∂f/∂v, or along ∂f/∂a."""
    if not system.acceleration_constraints:
        return "(∂f/∂v)·v"
    if not (system.velocity_constraints or system.position_constraints):
        return "(∂f/∂a)·v"
    return "(∂f/∂v)·v, (∂f/∂a)·v"


def _reason(
    system: System, energy: Expr, by_time: Expr, parts: Sequence[Verdict], verdict: Verdict, view: Standpoint
) -> str:
    still, free, *reactions = (v.is_zero for v in parts)
    idle = False if False in reactions else None if None in reactions else True
    names = (("−∂L/∂t", still), ("F·v", free), (f"μ·{_power(system)}", idle))
    if energy is ZERO:
        return "zero in every state, since the Lagrangian is homogeneous of degree one in the velocities"
    if verdict.is_zero and still and free and idle:
        words = [
            "the Lagrangian does not depend on time" if by_time.op == "number" else "−∂L/∂t vanishes on Q"
        ]
        words.append(
            "the forces do no work" + (f" {VALUES_GIVEN}" if view.words == VALUES_GIVEN else "")
            if any(f is not ZERO for f in system.forces.values())
            else "there are no forces"
        )
        if reactions:
            words.append(f"the constraint forces do no work, since {_power(system)} = 0 on the constraint")
        return "conserved because " + ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + words[-1]
    if verdict.is_zero and still and free and _idle_multipliers(system, view):
        return (
            "conserved because the constraint is an invariant relation of the free motion: "
            "its multipliers vanish, and its force with them"
        )
    if verdict.is_zero:
        listed = " and ".join(term for term, zero in names if not zero)
        return f"conserved because {listed} cancel in dE/dt, although they do not vanish one by one"
    if verdict.is_zero is None:
        listed = ", ".join(term for term, zero in names if not zero)
        return "undecided" + (f": it is not shown that {listed} vanish" if listed else "")
    said = (
        ("the Lagrangian depends on time", still),
        ("the forces do work", free),
        (f"the constraint forces do work, since {_power(system)} ≠ 0 on the constraint", idle),
    )
    causes = [words for words, zero in said if zero is False]
    return "not conserved because " + " and ".join(causes or ["its rate does not vanish"])
