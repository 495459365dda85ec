"""Is there no point of Q where given functions vanish? (SCOPE K13, K23)

"The rank condition fails where x' = 0 and y' = 0" says nothing if x'^2 + y'^2 = 1 on Q. All equations are
written as polynomials in the generators of the function field, with the relations between these
(s² + c² = 1, r² = u, E Ē = 1 for exponentials). If 1 is a combination of them (Hilbert's Nullstellensatz: the
Gröbner basis is 1), or one of the basis is positive everywhere, there is no such point. Before that, factors
that vanish nowhere are left out, and sums of squares are replaced by what they mean. A "yes" is proved; "no"
means that no proof was found.

>>> from chetaev.constraint.submanifold.submanifold import Constraint
>>> Q = Constraint.of(["x'^2 + y'^2 = 1"], ["x", "y"])
>>> is_empty(Q, [Q.chart("x'"), Q.chart("y'")]), is_empty(Q, [Q.chart("x'")])
(True, False)
>>> is_empty(Q, [Q.chart("sin(x)*cos(y)"), Q.chart("cos(x)*cos(y)"), Q.chart("sin(y)")])
True
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from flint import Ordering, fmpz_mpoly_ctx

from chetaev.constraint.submanifold.constraint_in_numbers import Array, Numbers
from chetaev.constraint.submanifold.positive_functions import positive, squares, squares_of
from chetaev.expr.exact import Element
from chetaev.expr.exact.ideals.groebner_elimination import from_ring, groebner, to_ring, with_relations

if TYPE_CHECKING:
    from chetaev.constraint.submanifold.submanifold import Constraint

LIMITS = (80, 400, 4000)
"""Members of the basis, terms of each, bits of coefficients."""
MAX_VARIABLES = 40
STARTS, FEW = 40, 4


def is_empty(constraint: Constraint, functions: Sequence[Element]) -> bool:
    """Whether it is proved that the functions have no common zero on Q; they belong to its field."""
    asked, own = meaning(functions, constraint.coordinates), constraint.meaning
    if asked is None or own is None:
        return True
    polynomials = [e for e in (*asked, *own) if not e.is_zero]
    if any(e.is_number for e in polynomials):
        return True
    return _contradict(polynomials, constraint.coordinates)


def meaning(functions: Iterable[Element], names: Iterable[str]) -> list[Element] | None:
    """Functions that vanish exactly where all of these do; None if one of these vanishes nowhere."""
    found: list[Element] = []
    for f in functions:
        means = _meaning(f, names)
        if means is None:
            return None
        found += means
    return found


def _meaning(f: Element, names: Iterable[str]) -> list[Element] | None:
    """Functions that vanish exactly where f does; None if f vanishes nowhere."""
    if f.is_zero:
        return []
    field, rest = f.field, f.field.one
    for p, _ in f.numerator.factor()[1]:
        factor = field.polynomial(field.tower.reduce(p))
        if not (positive(factor) or positive(-factor)):
            rest = rest * factor
    if rest.is_number:
        return None
    for e in (rest, -rest):
        single = squares_of(e)
        if single:
            return [field.symbol(*name) for name in sorted(single)]
    lines = squares(rest, names)
    if lines is None:
        return [rest]
    return lines or None


def _contradict(equations: list[Element], names: Iterable[str], again: bool = True) -> bool:
    """Whether 1, or something positive, is a combination of the numerators and the relations.

    Sums of squares among the combinations are replaced by what they mean, and then asked `again`.
    """
    names = tuple(names)
    field = equations[0].field
    members, used = with_relations(field, [e.numerator for e in equations])
    order = sorted(used)
    inverses = [k for k in order if field.generators[k].kind == "exp"]
    if len(order) + len(inverses) > MAX_VARIABLES:
        return False
    names = [f"g{k}" for k in order] + [f"i{k}" for k in inverses]
    ring = fmpz_mpoly_ctx.get(names, Ordering.degrevlex)
    place = {k: i for i, k in enumerate(order)}
    basis = [to_ring(field, p, place, ring) for p in members]
    gens = ring.gens()
    basis += [gens[place[k]] * gens[len(order) + i] - 1 for i, k in enumerate(inverses)]
    split: list[Element] = []
    for p in groebner(ring, basis, LIMITS)[0]:
        if p.is_constant():
            return True
        if not any(p.degrees()[len(order) :]):
            element = from_ring(field, p, place)
            if positive(element) or positive(-element):
                return True
            means = _meaning(element, names) if again else [element]
            if means is None:
                return True
            split += means if len(means) > 1 else []
    return bool(split) and _contradict([*equations, *split], names, again=False)


def points_where(constraint: Constraint, functions: Sequence[Element]) -> list[Array]:
    """Up to `FEW` points of Q where all functions vanish, by Newton steps in doubles; time moves, too."""
    shown = meaning(functions, constraint.coordinates)
    if shown is None:
        return []
    given = constraint.given
    extended = replace(
        given, velocity=(*given.velocity, *(e.to_expr() for e in shown)), labels=(), state=given.state
    )
    numbers = Numbers(extended)
    starts = numbers.starts(seed=17)
    found: list[Array] = []
    with np.errstate(all="ignore"):
        for _ in range(STARTS):
            z = numbers.solve(next(starts), time=True)
            if z is not None:
                found.append(z)
                if len(found) == FEW:
                    break
    return found
