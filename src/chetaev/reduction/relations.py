"""Polynomial relations R(σ) = 0 between invariants on Q (SCOPE B11).

More invariants than independent ones satisfy relations: null vectors of their monomials at points of Q. Those
whose last monomial is a multiple of that of an earlier relation say nothing new.

>>> import chetaev as ch
>>> from chetaev.laws.search.motion_modulo_prime import Motion
>>> from chetaev.reduction.expressed import letters, tidy
>>> from chetaev.reduction.given_invariants import read_invariants
>>> plane = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2")
>>> texts = {"a": "x^2 + y^2", "b": "x*x' + y*y'", "c": "x'^2 + y'^2", "l": "x*y' - y*x'"}
>>> motion = Motion(plane)
>>> alphabet = letters(motion, read_invariants(plane, texts))
>>> [str(tidy(r)) for r in relations(motion, alphabet, missing=1)]
['b^2 + l^2 - a*c']

Relations that follow from others: members of the ideal that the others generate, by a Gröbner basis.

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

from chetaev.expr.exact import Budget, Field, GivenUp, answer, ask
from chetaev.expr.exact.ideals.groebner_elimination import groebner
from chetaev.expr.graph.node import ZERO, Expr, symbols
from chetaev.laws.search.function_space import Space
from chetaev.laws.search.motion_modulo_prime import Motion, PointOnQ
from chetaev.laws.search.nullspace import exact, of_table
from chetaev.reduction.expressed import Letter, ansatz, sampled, tidy, written

MOST_DEGREE = 6


def relations(
    motion: Motion, alphabet: Sequence[Letter], missing: int, effort: int = 10_000_000
) -> list[Expr]:
    """At least `missing` relations of least degree, proposed, not proved; fewer if none are found."""
    budget = Budget(effort)
    found: list[Expr] = []
    for members in ansatz(alphabet, MOST_DEGREE):
        space = Space.of(motion, [x.atom for x in alphabet], members)
        more = ask(_of, motion, space, alphabet, budget)
        if isinstance(more, GivenUp):
            break
        found = more
        if len(found) >= missing:
            break
    return found


def _of(motion: Motion, space: Space, alphabet: Sequence[Letter], budget: Budget) -> list[Expr]:
    """The relations of a space of monomials, none a multiple of an earlier one."""
    sample, values, _ = sampled(motion, space, 0, budget)
    null = of_table(values, len(space), sample[0].residues.p, budget)
    found, leading = [], list[dict[int, int]]()

    def rows(point: PointOnQ) -> list[list[int]]:
        return [space.values(point)]

    for j, vector in zip(null.free, null.vectors, strict=True):
        last = dict(space.members[j])
        if any(all(last.get(i, 0) >= e for i, e in m.items()) for m in leading):
            continue
        leading.append(last)
        solved = exact(motion, rows, vector, budget=budget)
        if solved is None:
            continue
        relation = written(space, alphabet, solved)
        if tidy(relation) is not ZERO:  # not one between functions of the same invariants, as e^a e^−a = 1
            found.append(relation)
    return found


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
