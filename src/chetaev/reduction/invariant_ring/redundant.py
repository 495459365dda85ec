"""Relations that follow from others: members of the ideal that the others generate, by a Gröbner basis.

>>> from chetaev.expr.language.parser import parse
>>> import chetaev as ch
>>> letters = ch.System(coordinates=["a", "b", "c"], dynamics={"velocities": {"a": "0", "b": "0", "c": "0"}})
>>> given = [parse(e, letters.scope) for e in ("a - b^2", "a*c - b^2*c", "b - c")]
>>> [str(e) for e in without_members(given, ["a", "b", "c"])]
['a - b^2', 'b - c']
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import Any

from flint import Ordering, fmpz_mpoly_ctx, fmpz_mpoly_vec

from chetaev.expr.exact import Budget, Field, answer, ask
from chetaev.expr.exact.ideals.groebner_elimination import groebner
from chetaev.expr.graph.node import Expr, symbols

LIMITS = (60, 400, 4000)
"""Members of a basis, terms of each, bits of coefficients."""
EFFORT = 400_000


def without_members(relations: Sequence[Expr], letters: Sequence[str]) -> list[Expr]:
    """The relations without those in the ideal of simpler ones; all of them if that is not decided."""
    names = [(n, 0) for n in letters]
    names += sorted({s for e in relations for s in symbols(e)} - set(names))
    ring = fmpz_mpoly_ctx.get([f"x{i}" for i in range(len(names))], Ordering.degrevlex)
    polynomials = [_polynomial(ring, e, names) for e in relations]
    order = sorted(range(len(relations)), key=lambda i: len(str(relations[i])))
    kept: list[int] = []
    for i in order:
        known = [polynomials[j] for j in kept]
        if polynomials[i] is None or None in known or not _is_member(ring, polynomials[i], known):
            kept.append(i)
    return [relations[i] for i in sorted(kept)]


def _polynomial(ring: Any, e: Expr, names: Sequence[tuple[str, int]]) -> Any:
    found = answer(ask(lambda: Field(Budget(EFFORT))(e).coefficients(*names)))
    values = None if found is None else {m: c.as_fraction() for m, c in found.items()}
    if values is None or None in values.values():
        return None
    whole = {m: c for m, c in values.items() if c is not None}
    scale = lcm(1, *(c.denominator for c in whole.values()))
    return ring.from_dict({m: int(c * scale) for m, c in whole.items() if c})


def _is_member(ring: Any, p: Any, known: Sequence[Any]) -> bool:
    basis, complete = groebner(ring, known, LIMITS)
    return (
        complete and bool(basis) and bool(p.reduction_primitive_part(fmpz_mpoly_vec(basis, ring)).is_zero())
    )
