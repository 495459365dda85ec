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
"""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.expr.exact import Budget, GivenUp, ask
from chetaev.expr.graph.node import ZERO, Expr
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
