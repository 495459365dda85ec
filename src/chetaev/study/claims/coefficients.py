"""Claims about the coefficients of the reduced equations Ā_l + B̄_ls a^s = 0 in a chart (K19; (67), (68)).

    coefficients = { dependent = ["z"], A = ["m*g*x'/z'"], B = [["-m*(1 + x'^2/z'^2)"]] }

`dependent` names the velocities that the constraints are solved for; rows belong to the other coordinates in
their order. Ā and B̄ have Krupková's signs: B̄ = −∂²L/∂v∂v without constraints.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chetaev.checked_arguments import shown
from chetaev.equations.forms import lepage
from chetaev.expr.graph.node import sub, symbol
from chetaev.study.claims.claim_data import ClaimData
from chetaev.study.claims.domain import Domain
from chetaev.study.claims.judgement import Judge, Statement

EXAMPLE = '{ dependent = ["z"], A = ["m*g*x\'/z\'"] }'


def coefficients(given: ClaimData) -> Judge:
    """Whether Ā and B̄ are those claimed."""
    system = given.system
    claimed = given.table("coefficients", EXAMPLE)
    given.only(("dependent", "A", "B"), claimed, "a claim of coefficients")
    dependent = given.texts("coefficients", '["z"]', claimed.get("dependent", ()))
    given.coordinates("coefficients", dependent)
    if not {"A", "B"} & set(claimed):
        given.fail("'coefficients' says neither what A is nor what B is", expected=EXAMPLE)
    size = len(system.coordinates) - len(dependent)
    found: list[tuple[str, Any, tuple[int, ...]]] = []
    if "A" in claimed:
        row = _row(given, "A", claimed["A"], size)
        found += [(f"A_{i + 1}", text, (i,)) for i, text in enumerate(row)]
    if "B" in claimed:
        rows = _row(given, "B", claimed["B"], size)
        for i, texts in enumerate(rows):
            entries = _row(given, "B", texts, size)
            found += [(f"B_{i + 1}{j + 1}", text, (i, j)) for j, text in enumerate(entries)]
    scope = system.scope.but(purpose="a coefficient")
    read = [(name, text, at, given.expression("coefficients", text, scope)) for name, text, at in found]
    domain = Domain.of(given, system.scope)

    def judge(effort: int) -> tuple[Statement, ...]:
        law = lepage.derive(system, dependent)
        parts = []
        for name, text, at, claimed_one in read:
            actual = law.A[at[0]] if len(at) == 1 else law.B[at[0]][at[1]]
            verdict, parameters = domain.zero_on_q(sub(claimed_one, actual), effort)
            formula = (symbol(name), claimed_one)
            parts.append(Statement.of(f"{name} = {text}", verdict, parameters, formula))
        return tuple(parts)

    return judge


def _row(given: ClaimData, name: str, value: Any, size: int) -> Sequence[Any]:
    """A list of so many entries."""
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != size:
        given.fail(f"{name!r} is {shown(value)}", "coefficients", expected=f"a list of {size} entries")
    return value
