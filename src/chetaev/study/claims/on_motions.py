"""Claims about every motion: equations that hold along it, functions that are constant (SCOPE K14, K20, K22).

    equations = "x'' = g*x'*z'/v0^2"      # accelerations, and multipliers mu_1, mu_2, …, have their values
    conserved = ["phi'", "x'*cos(phi)"]
    not_conserved = "x*y' - y*x'"

An equation lhs = rhs holds when lhs − rhs, with the accelerations of the equations of motion put in, is zero
on Q. Multipliers have the sign of this package: d/dt ∂L/∂v − ∂L/∂q = F + μ_a ∂f^a/∂v.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chetaev.equations.law.setup import Setup
from chetaev.equations.registry import equations as derive
from chetaev.errors import ModelError
from chetaev.expr.exact.vanishing import Verdict
from chetaev.expr.graph.node import Expr, substitute, symbol, symbols
from chetaev.expr.language.scope import Scope
from chetaev.laws.jumps_of_signs import jumps
from chetaev.laws.rate import solved_accelerations
from chetaev.laws.reality import real_verdict
from chetaev.model.dynamics.poisson import Poisson
from chetaev.model.states.stack_of_constraints import Stack
from chetaev.model.system import System
from chetaev.study.claims.claim_data import ClaimData
from chetaev.study.claims.domain import Domain
from chetaev.study.claims.judgement import Judge, Statement


def equations(given: ClaimData) -> Judge:
    """Whether equations hold along every motion."""
    system = given.system
    scope = _with_multipliers(system)
    texts = given.texts("equations", "\"x'' = -g\"")
    read = [given.equation("equations", text, scope) for text in texts]
    domain = Domain.of(given, system.scope)
    return lambda effort: tuple(
        Statement.of(text, *holds_on_motions(domain, equation.residual, effort), (equation.lhs, equation.rhs))
        for text, equation in zip(texts, read, strict=True)
    )


def conserved(given: ClaimData) -> Judge:
    """Whether functions are constant along every motion."""
    rates = _rates(given, "conserved")
    return lambda effort: tuple(Statement.of(*found) for found in rates(effort))


def not_conserved(given: ClaimData) -> Judge:
    """Whether functions change along some motion: each has a state at which its rate is not zero."""
    rates = _rates(given, "not_conserved")
    return lambda effort: tuple(Statement.denied(*found) for found in rates(effort))


def _rates(given: ClaimData, key: str) -> Callable[[int], list[tuple[str, Verdict, str, Expr]]]:
    """Functions as text, the verdicts on their rates, for which parameters, and as expressions."""
    system = given.system
    scope = system.scope.but(purpose="a conserved quantity")
    texts = given.texts(key, "\"x*y' - y*x'\"")
    read = [given.expression(key, text, scope) for text in texts]
    domain = Domain.of(given, system.scope)

    def found(function: Expr, effort: int) -> tuple[Verdict, str]:
        if not domain.relations:
            return real_verdict(system, function, effort)
        verdict, words = holds_on_motions(domain, _rate(system, function), effort)
        if verdict.is_zero and (at := jumps(system, function, effort)):
            return Verdict("undecided", False, method=f"it jumps where {at[0]} = 0"), words
        return verdict, words

    return lambda effort: [(t, *found(f, effort), f) for t, f in zip(texts, read, strict=True)]


def _rate(system: System, function: Expr) -> Expr:
    """dF/dt with accelerations, as a function of (t, q, v, a)."""
    s = Setup(system)
    F = s(function)
    (rate,) = s.graphs(s.along(F) + s.by_v(F) @ s.a)
    return rate


def holds_on_motions(domain: Domain, residual: Expr, effort: int) -> tuple[Verdict, str]:
    """Whether a function of (t, q, v, a, μ) is zero along every motion, and for which parameters in words."""
    try:
        on_q = _on_q(domain.system, residual)
    except ModelError as error:
        return Verdict("undecided", False, method=error.message), ""
    return domain.zero_on_q(on_q, effort)


def _on_q(system: System, residual: Expr) -> Expr:
    """The function with accelerations and multipliers replaced by their values."""
    if isinstance(system.dynamics, Poisson):
        return _on_phase_space(system, system.dynamics, residual)
    used = symbols(residual)
    put: dict[Expr, Expr] = {}
    if any(order == 2 for _, order in used):
        accelerations = solved_accelerations(system)
        put |= {symbol(c, 2): a for c, a in zip(system.coordinates, accelerations, strict=True)}
    names = multiplier_names(system)
    if any((name, 0) in used for name in names):
        values: Sequence[Expr] = derive(system, "chetaev").multipliers
        put |= {symbol(name): value for name, value in zip(names, values, strict=True)}
    (found,) = substitute([residual], put)
    return found


def _on_phase_space(system: System, dynamics: Poisson, residual: Expr) -> Expr:
    """The function with z'' = ∂ż/∂t + ż'·∂ż/∂z and z' = ż(t, z) put in."""
    s, rates = Setup(system), list(dynamics.velocities.values())
    second = s.graphs(s.along(s.column(rates)))
    (cut,) = substitute([residual], dict(zip(s.accelerations, second, strict=True)))
    (found,) = substitute([cut], dict(zip(s.velocities, rates, strict=True)))
    return found


def multiplier_names(system: System) -> list[str]:
    """mu_1, mu_2, …: position constraints first; none where one is a name of the model."""
    if isinstance(system.dynamics, Poisson) or not system.dynamics.constraints_react:
        return []
    names = [f"mu_{i + 1}" for i in range(Stack.of_constraints(system).rows)]
    return [] if any(name in system.scope.values for name in names) else names


def _with_multipliers(system: System) -> Scope:
    values = {**system.scope.values, **{name: symbol(name) for name in multiplier_names(system)}}
    return system.scope.but(order=2, purpose="an equation of a claim", values=values)
