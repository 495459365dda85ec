"""Claims about the matrix ∂f/∂v of constraints and its rank (SCOPE K15; (46)).

    jacobian = { of = ["x' - R*cos(phi)*psi'"], rows = [[1, "-R*cos(phi)", 0]], rank = 1 }

`of` are functions of (t, q, v), columns the coordinates in their order. Entries are derivatives on Q; the
rank is that at almost every state of Q: a minor of this size is not zero there, all larger ones are.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from chetaev.checked_arguments import shown
from chetaev.expr.graph.calculus import Calculus
from chetaev.expr.graph.node import Expr, sub, symbol
from chetaev.laws.standpoint import decisive
from chetaev.study.claims.claim_data import ClaimData
from chetaev.study.claims.closed_solution import determinant
from chetaev.study.claims.domain import Domain
from chetaev.study.claims.judgement import Judge, Statement

EXAMPLE = '{ of = ["x\' - y"], rows = [[1, 0]], rank = 1 }'


def jacobian(given: ClaimData) -> Judge:
    """Whether derivatives by velocities, and the rank of their matrix, are those claimed."""
    claimed = given.table("jacobian", EXAMPLE)
    given.only(("of", "rows", "rank"), claimed, "the matrix of a constraint")
    scope, columns = given.system.scope.but(purpose="a constraint function"), given.system.coordinates
    texts = given.texts("jacobian", EXAMPLE, claimed.get("of", ()))
    functions = [given.expression("jacobian", text, scope) for text in texts]
    rank, rows = claimed.get("rank"), claimed.get("rows", [])
    if rank is not None and (isinstance(rank, bool) or not isinstance(rank, int) or rank < 0):
        given.fail(f"'rank' is {shown(rank)}", "jacobian", expected="a whole number")
    if rank is None and not rows:
        given.fail("'jacobian' says neither what the matrix is nor its rank", expected=EXAMPLE)
    for row in _lists(given, rows, len(functions)) if rows else ():
        _lists(given, row, len(columns))
    read = [[given.expression("jacobian", entry, scope) for entry in row] for row in rows]
    domain, calculus = Domain.of(given, scope), Calculus()
    actual = calculus.matrix(calculus.jacobian(functions, [symbol(c, 1) for c in columns]))

    def judge(effort: int) -> tuple[Statement, ...]:
        parts = []
        for text, entries, found in zip(texts, read, actual, strict=bool(read)):
            for column, entry, derivative in zip(columns, entries, found, strict=True):
                verdict, words = domain.zero_on_q(sub(entry, derivative), effort)
                parts.append(
                    Statement.of(f"the derivative of {text} by {column}' is {entry}", verdict, words)
                )
        return (*parts, _rank(domain, actual, rank, effort)) if rank is not None else tuple(parts)

    return judge


def _rank(domain: Domain, matrix: list[list[Expr]], rank: int, effort: int) -> Statement:
    """Whether some minor of this size is not zero, and no larger one."""
    text = f"its rank is {rank} at almost every state"
    if rank > min(len(matrix), len(matrix[0])):
        return Statement(text, False, f"it has {len(matrix)} rows", True)
    larger = [domain.zero_on_q(minor, effort)[0] for minor in _minors(matrix, rank + 1)]
    own = [domain.zero_on_q(minor, effort)[0] for minor in _minors(matrix, rank)]
    nonzero = next((v for v in own if v.is_zero is False), None)
    if nonzero is None or any(v.is_zero is False for v in larger):
        settled = next((v for v in larger if v.is_zero is False), decisive(own))
        told = f"minors of size {rank + 1 if settled in larger else rank}: {settled}"
        return Statement(text, None if settled.is_zero is None else False, told, settled.proved)
    weakest = decisive([*larger]) if larger else nonzero
    told = f"a minor of size {rank}: {nonzero}" + (f"; those of size {rank + 1}: {weakest}" if larger else "")
    holds = None if weakest.is_zero is None else True
    return Statement(text, holds, told, nonzero.proved and weakest.proved)


def _minors(matrix: list[list[Expr]], size: int) -> list[Expr]:
    """All minors of a size; that of size 0 is 1."""
    return [
        determinant([matrix[i] for i in rows], columns)
        for rows in combinations(range(len(matrix)), size)
        for columns in combinations(range(len(matrix[0])), size)
    ]


def _lists(given: ClaimData, value: Any, size: int) -> Sequence[Any]:
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != size:
        given.fail(f"'jacobian' has {shown(value)}", "jacobian", expected=f"a list of {size} entries")
    return value
