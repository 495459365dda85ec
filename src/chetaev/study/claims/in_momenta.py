"""Claims about momenta and the Hamiltonian (SCOPE K9, K24; (84)–(95)).

    momenta = { P_phi = "J*phi'", P_x = "m*x'/cos(phi)^2" }   # or false: there are none
    hamiltonian = "P_phi^2/(2*J) + P_x^2*cos(phi)^2/(2*m)"    # in t, q and momenta
    dependent = ["y"]                                         # whose velocities the others determine

The momenta are those of `ch.hamilton`, p_x without constraints and P_x with them. A Hamiltonian is judged
without an inverse of the Legendre map: with P = P(t, q, v) put in it has to be P_l v^l − L̄ on Q.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chetaev.errors import ModelError
from chetaev.expr.graph.node import Expr, add, mul, neg, sub, substitute, symbol
from chetaev.hamilton.momenta import Hamilton, hamilton
from chetaev.study.claims.claim_data import ClaimData
from chetaev.study.claims.domain import Domain
from chetaev.study.claims.judgement import Judge, Statement

Claimed = tuple[str, Expr, Callable[[Hamilton], Expr]]
"""The name of what is claimed, the function that it is said to be, and how far from it that is on Q."""


def momenta(given: ClaimData) -> Judge:
    """Whether the momenta are those claimed, or whether there are none."""
    claim = _InMomenta.of(given, "momenta")
    if given.data["momenta"] is False:
        return claim.denied
    claimed = given.table("momenta", '{ p_x = "m*x\'" }')
    given.only(claim.names, claimed, "a claim of momenta")
    scope = given.system.scope.but(purpose="a momentum")

    def read(name: str) -> Claimed:
        function = given.expression("momenta", claimed[name], scope)
        return name, function, lambda found: sub(function, found.momenta[name])

    return claim.judge([read(name) for name in claimed])


def hamiltonian(given: ClaimData) -> Judge:
    """Whether a function of t, q and momenta is the Hamiltonian."""
    claim, system = _InMomenta.of(given, "hamiltonian"), given.system
    values = {**system.scope.values, **{name: symbol(name) for name in claim.names}}
    scope = system.scope.but(order=0, purpose="a Hamiltonian", values=values)
    function = given.expression("hamiltonian", given.data["hamiltonian"], scope)

    def defect(found: Hamilton) -> Expr:
        P = found.momenta
        (on_q,) = substitute([function], {symbol(name): e for name, e in P.items()})
        energy = add(*(mul(e, symbol(c, 1)) for c, e in zip(found.independent, P.values(), strict=True)))
        return add(on_q, neg(energy), system.lagrangian)

    return claim.judge([("H", function, defect)])


@dataclass(frozen=True)
class _InMomenta:
    """A claim with names of momenta in it."""

    domain: Domain
    dependent: list[str] | None
    names: tuple[str, ...]

    @classmethod
    def of(cls, given: ClaimData, key: str) -> _InMomenta:
        dependent = given.texts("dependent", '["z"]') if "dependent" in given.data else None
        try:
            names = hamilton(given.system, dependent=dependent).names
        except ModelError as error:
            where = key if dependent is None else "dependent"
            given.fail(error.message, where, expected=error.expected, remedy=error.remedy)
        return cls(Domain.of(given, given.system.scope), dependent, names)

    def judge(self, claimed: list[Claimed]) -> Judge:
        """Each function is what it is said to be, where there are momenta."""

        def judged(effort: int) -> tuple[Statement, ...]:
            found = hamilton(self.domain.system, dependent=self.dependent, effort=effort)
            return tuple(self._part(found, *one, effort) for one in claimed)

        return judged

    def _part(
        self, found: Hamilton, name: str, function: Expr, defect: Callable[[Hamilton], Expr], effort: int
    ) -> Statement:
        text, formula = f"{name} = {function}", (symbol(name), function)
        if found.exists is False:
            return Statement(text, False, f"there are no momenta: {found.condition}", found.condition.proved)
        try:
            verdict, parameters = self.domain.zero_on_q(defect(found), effort)
        except ModelError as error:
            return Statement(text, None, error.message)
        return Statement.of(text, verdict, parameters, formula)

    def denied(self, effort: int) -> tuple[Statement, ...]:
        """There are no momenta where condition (89) fails."""
        found = hamilton(self.domain.system, dependent=self.dependent, effort=effort)
        holds = None if found.exists is None else not found.exists
        told = f"condition (89): {found.condition}"
        return (Statement("there are no nonholonomic momenta", holds, told, found.condition.proved),)
