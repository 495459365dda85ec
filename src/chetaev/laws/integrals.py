"""`ch.integrals`: the conserved quantities of a system, found and judged.

>>> import chetaev as ch
>>> [law.name for law in ch.integrals(ch.load("knife-edge"))]
['energy', 'momentum of phi']
"""

from __future__ import annotations

from collections.abc import Mapping

from chetaev.asked import shown, table
from chetaev.effort import expect_effort
from chetaev.errors import ModelError
from chetaev.expr.graph import Expr
from chetaev.expr.parser import parse
from chetaev.laws.energy import energy_law
from chetaev.laws.law import Law
from chetaev.laws.momenta import momenta
from chetaev.laws.rate import EFFORT, is_first_integral
from chetaev.model.system import System, expect_system


def _named(candidates: Mapping[str, str | Expr] | None) -> Mapping[str, str | Expr]:
    """The candidates, if they are expressions by name."""
    found = table(candidates, "the candidates", 'expressions by name, such as {"area": "x*y\' - y*x\'"}')
    for name in found:
        if not isinstance(name, str) or not name:
            raise ModelError(f"a law has the name {shown(name)}", expected="a text")
    return found


def unjudged(system: System) -> dict[str, str]:
    """Quantities that the system does not have, each with the sentence why; empty for a Lagrangian system.

    >>> import chetaev as ch
    >>> unjudged(ch.System(coordinates=["x"], dynamics={"accelerations": {"x": "-x"}}))["energy"]
    'this system has no Lagrangian: its dynamics is given by accelerations and velocities (a mixed system)'
    """
    dynamics = system.dynamics
    missing = {}
    if dynamics.lagrangian is None:
        missing["energy"] = dynamics.lacks("Lagrangian")
    if not dynamics.constraints_react:
        missing["momenta"] = dynamics.lacks("momenta")
    return missing


def judged(
    system: System, candidates: Mapping[str, str | Expr] | None = None, *, effort: int = EFFORT
) -> list[Law]:
    """All quantities that were looked at, conserved or not: energy, momenta, and the candidates given.

    What the system does not have is told by :func:`unjudged`.
    """
    expect_system(system, "ch.integrals")
    effort = expect_effort(effort)
    missing = unjudged(system)
    laws = [] if "energy" in missing else [energy_law(system, effort)]
    laws += [] if "momenta" in missing else momenta(system, effort)
    for name, given in _named(candidates).items():
        if not isinstance(given, str | Expr):
            raise ModelError(f"the law {name!r} is {shown(given)}", expected="a text in the model language")
        expression = parse(given, system.scope.but(purpose="a law")) if isinstance(given, str) else given
        verdict, standpoint = is_first_integral(system, expression, effort)
        laws.append(Law(name, expression, "given by the user", verdict, standpoint.words))
    return laws


def integrals(
    system: System, candidates: Mapping[str, str | Expr] | None = None, *, effort: int = EFFORT
) -> list[Law]:
    """The conserved quantities among energy, momenta of cyclic coordinates, and candidates.

    Parameters
    ----------
    system
        The system.
    candidates
        Further quantities to judge, by name, in the model language: ``{"area": "x*y' - y*x'"}``.
    effort
        What the verdict on each may cost (:mod:`chetaev.effort`).
    """
    return [law for law in judged(system, candidates, effort=effort) if law.conserved]
