"""`ch.dirac`: a degenerate Lagrangian brought to its end (SCOPE B7, B8).

>>> import chetaev as ch
>>> oscillator = ch.System(
...     coordinates=["x", "y"], dynamics={"lagrangian": "x*y' - (x^2 + y^2)/2", "degenerate": True}
... )
>>> found = ch.dirac(oscillator)
>>> found.outcome, found.degrees_of_freedom, str(found.bracket("x", "y"))
('second class', 1, '-1')
"""

from __future__ import annotations

from chetaev.effort import expect_effort
from chetaev.errors import ModelError
from chetaev.hamilton.dirac.algorithm import PhaseRates, explore
from chetaev.hamilton.dirac.dirac_result import Dirac, DiracBranch
from chetaev.hamilton.horizontal import within
from chetaev.hamilton.legendre import legendre
from chetaev.hamilton.phase_space import PhaseSpace, expect_on_velocities
from chetaev.laws.standpoint import Standpoint, standpoints
from chetaev.model.system import System, expect_system

EFFORT = 10**7


def dirac(system: System, *, effort: int = EFFORT) -> Dirac:
    """Dirac's algorithm: constraints on phase space, their classes, gauge, what motion is left.

    Parameters
    ----------
    system
        A system with a Lagrangian, regular or not; constraints on positions and velocities may be there.
    effort
        What the exact computations may cost (:mod:`chetaev.effort`).

    Returns
    -------
    Dirac
        ``.outcome``, ``.primary``, ``.secondary``, ``.first_class``, ``.second_class``,
        ``.degrees_of_freedom``, ``.gauge``, ``.bracket(F, G)``, ``.equations``, ``.branches``.
    """
    expect_system(system, "ch.dirac")
    effort = expect_effort(effort)
    expect_on_velocities(system, "ch.dirac", "Dirac's algorithm knows no constraints on accelerations")
    free, *given = standpoints(system)
    found = _explored(system, free, effort)
    for standpoint in given:
        other = _explored(system, standpoint, effort)
        if _signature(other) != _signature(found):  # the values given are special ones
            return other
    return found


def _signature(result: Dirac) -> list[tuple[object, ...]]:
    return [
        (b.outcome, len(b.primary), len(b.secondary), b.contradiction is None and b.first_class)
        for b in result.branches
    ]


def _alike(one: DiracBranch, other: DiracBranch) -> bool:
    """Whether branches of two sheets have the same constraints and the same motion, as they are written."""
    if (one.primary, one.secondary) != (other.primary, other.secondary):
        return False
    if one.contradiction is not None or other.contradiction is not None:
        return one.contradiction == other.contradiction
    return dict(one.equations) == dict(other.equations)


def _explored(system: System, standpoint: Standpoint, effort: int) -> Dirac:
    space = PhaseSpace(system, standpoint, effort)

    def explored() -> Dirac:
        sheets = legendre(space)
        branches: list[DiracBranch] = []
        for sheet in sheets:
            motion = PhaseRates(space, sheet)
            notes = (f"on the sheet H = {sheet.hamiltonian} of v(q, p)",) if len(sheets) > 1 else ()
            for branch in (DiracBranch(motion, b) for b in explore(motion, notes)):
                if len(sheets) == 1 or not any(_alike(branch, other) for other in branches):
                    branches.append(branch)
        if not branches:
            raise ModelError(
                "no motion was found: p = ∂L/∂v does not hold at the velocities that Dirac's algorithm leaves"
            )
        branches.sort(key=lambda b: b.contradiction is not None)
        L = space.element(system.lagrangian)
        momenta = {n: L.diff(v).to_expr() for n, v in zip(space.momenta, space.v, strict=True)}
        return Dirac(sheets[0].hamiltonian.to_expr(), momenta, standpoint.words, tuple(branches))

    return within(explored, "Dirac's algorithm")
