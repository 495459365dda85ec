"""Claims about an invariant measure (SCOPE M4, K22).

    measure = "sqrt(y^2 + 1)"     # the density ρ of ρ dq dv^s; or false: there is none
    dependent = ["z"]             # whose velocities the constraints are solved for; the others are the v^s

ρ is preserved where Γ(ρ) + ρ div Γ = 0 on Q, and ρ is not the number 0. That there is none means: no smooth
positive density that does not depend on time.
"""

from __future__ import annotations

from chetaev.equations.law.first_order_motion import first_order_motion
from chetaev.equations.law.normal_law import ChosenChart
from chetaev.equations.law.sharp_constraints import sharp
from chetaev.errors import ModelError
from chetaev.expr.graph.node import symbol, symbols
from chetaev.laws.measure.measure import measure as ask_measure
from chetaev.laws.symmetry.linearized import Linearized
from chetaev.study.claims.claim_data import ClaimData
from chetaev.study.claims.domain import Domain
from chetaev.study.claims.judgement import Judge, Statement


def measure(given: ClaimData) -> Judge:
    """Whether a density is preserved, or whether none is."""
    system = given.system
    dependent = given.texts("dependent", '["z"]') if "dependent" in given.data else None
    if given.data["measure"] is False:
        return lambda effort: (_none(given, effort),)
    scope = system.scope.but(purpose="a density")
    density = given.expression("measure", given.data["measure"], scope)
    domain = Domain.of(given, system.scope)
    if dependent is not None:
        try:
            _ = ChosenChart(system, dependent).dependent
        except ModelError as error:
            given.fail(error.message, "dependent", expected=error.expected, remedy=error.remedy)

    def judge(effort: int) -> tuple[Statement, ...]:
        text, formula = f"ρ = {density}", (symbol("rho"), density)
        try:
            lin = Linearized(first_order_motion(sharp(system)), dependent)
        except ModelError as error:
            return (Statement(text, None, error.message),)
        rho = lin.s(density)
        (defect,) = lin.s.graphs(lin.gamma(rho) + rho * lin.divergence)
        density_itself, _ = domain.zero_on_q(density, effort)
        if density_itself.is_zero:
            return (Statement(text, False, "it is zero, which is no density", density_itself.proved),)
        verdict, parameters = domain.zero_on_q(defect, effort)
        return (Statement.of(text, verdict, parameters, formula),)

    return judge


def _none(given: ClaimData, effort: int) -> Statement:
    text = "no smooth positive density that does not depend on time is preserved"
    try:
        found = ask_measure(given.system, effort=effort)
    except ModelError as error:
        return Statement(text, None, error.message)
    timely = found.density is not None and (given.system.time, 0) in symbols(found.density)
    if found.density is not None and not found.singular and not timely:
        told = f"ρ = {found.density} is preserved ({found.evidence})"
        return Statement(text, False, told, found.evidence.startswith("proved"))
    if found.obstruction is None or found.obstruction.ignorable:
        return Statement(text, None, str(found))
    return Statement(text, True, str(found.obstruction), found.obstruction.proof.proved)
