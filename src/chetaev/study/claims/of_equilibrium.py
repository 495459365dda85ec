"""Claims about stability of equilibria (SCOPE M3).

    stable = true
    at = { theta = 0 }        # where; coordinates that are left out may have any value

Every equilibrium that `ch.equilibria` finds there has to be stable, or unstable.
"""

from __future__ import annotations

from collections.abc import Mapping

from chetaev.analysis.steady.equilibria import equilibria
from chetaev.analysis.steady.equilibrium import Equilibrium
from chetaev.errors import ModelError
from chetaev.expr.exact.vanishing import zero_test
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr, sub
from chetaev.laws.standpoint import standpoints
from chetaev.model.system import System
from chetaev.study.claims.claim_data import ClaimData
from chetaev.study.claims.judgement import Judge, Statement


def stable(given: ClaimData) -> Judge:
    """Whether the equilibria at a place are stable, or unstable."""
    system, claimed = given.system, given.flag("stable", True)
    places = given.table("at", "{ theta = 0 }")
    given.coordinates("at", places)
    scope = system.scope.but(order=0, purpose="the place of an equilibrium")
    read = {name: given.expression("at", text, scope) for name, text in places.items()}
    where = ", ".join(f"{name} = {e}" for name, e in read.items())
    word = "stable" if claimed else "unstable"

    def judge(effort: int) -> tuple[Statement, ...]:
        text = f"the equilibrium at {where} is {word}"
        try:
            found = equilibria(_placed(system, read), effort=effort)
        except ModelError as error:
            return (Statement(text, None, error.message),)
        there = [one for one in found if _is_at(system, one, read, effort)]
        if not there:
            return (Statement(text, None, f"no equilibrium is known to be there; {found.searched}"),)
        return tuple(
            Statement(
                f"the equilibrium at {one.where or where} is {word}",
                None if one.stable is None else one.stable is claimed,
                one.reason,
                one.stable is not None,
            )
            for one in there
        )

    return judge


def _placed(system: System, place: Mapping[str, Expr]) -> System:
    """The system with initial data at rest at the place: of a family of equilibria the member there is looked
    at. The system itself where these are no data of it.
    """
    try:
        found = system.with_initial({**place, **{f"{c}_dot": 0 for c in system.coordinates}})
        _ = found.state
    except ModelError:
        return system
    return found


def _is_at(system: System, one: Equilibrium, place: Mapping[str, Expr], effort: int) -> bool:
    """Whether an equilibrium, or the member of its family that was looked at, has these coordinates, for the
    values given; coordinates on which nothing depends may have any value.
    """
    ignored = one.linearization.relative_to if one.linearization else ()
    of_member = [name for name in place if name in one.free and name not in ignored]
    bound = {name: e for name, e in place.items() if name not in one.free}
    if any(name not in one.exact for name in bound):
        return False
    placed = evaluate(
        [place[name] for name in of_member], {(n, 0): x for n, x in system.parameter_values.items()}
    )
    if placed != [one.state.get(name) for name in of_member]:
        return False
    differences = standpoints(system)[-1].apply([sub(e, one.exact[name]) for name, e in bound.items()])
    return all(zero_test(difference, effort=effort).is_zero for difference in differences)
