"""Constraints put together from pieces: abs, sign, min, max and √(u²) of functions of the velocities.

    |x'| = y'   is   x' = y' where x' > 0   and   −x' = y' where x' < 0

In normal form all of these functions are sign(u); where u depends on velocities, sign(u) = ±1 makes a branch
of each piece. A piece counts only if some of its points have the signs that it is made for. A piece that is 0
= 0 is no equation: |x'| = x' holds by itself where x' > 0 and is the inequality x' ≥ 0.

>>> from chetaev.constraint.submanifold.constraint_data import ConstraintData
>>> field = Field()
>>> given = ConstraintData.of(["abs(x') = y' + 2*z'"], ["x", "y", "z"])
>>> found = pieces(field, field(given.velocity[0]), {"x", "y", "z"})
>>> [str(p) for p in found.elements], [str(u) for u in found.signs_of]
(["x' - y' - 2*z'", "-(x' + y' + 2*z')"], ["x'"])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.constraint.submanifold.constraint_in_numbers import Numbers
from chetaev.expr.exact import Element, Field
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr, symbols

MAX_SIGNS = 3
POINTS, RANDOM = 24, 4000


@dataclass(frozen=True)
class Pieces:
    """The elements that vanish on the pieces, the functions whose signs tell these apart, and the signs."""

    elements: tuple[Element, ...]
    signs_of: tuple[Element, ...] = ()
    signs: tuple[tuple[int, ...], ...] = ()

    def holds_by_itself(self) -> str:
        """Where a piece is 0 = 0, at signs that occur, in words; "" if there is none."""
        for element, signs in zip(self.elements, self.signs, strict=False):
            if element.is_zero and _occur(self.signs_of, signs):
                told = zip(self.signs_of, signs, strict=True)
                return " and ".join(f"{u} {'>' if sign > 0 else '<'} 0" for u, sign in told)
        return ""


def pieces(field: Field, f: Element, names: set[str]) -> Pieces:
    """The pieces of f = 0, one for each choice of signs; f itself if there is none."""
    tower = field.tower
    signs = [
        k
        for k in tower.used(f.numerator)
        if field.generators[k].kind == "sign"
        and any(order and name in names for name, order in field.generators[k].args[0].symbols)
    ]
    if not signs or len(signs) > MAX_SIGNS:
        return Pieces((f,))
    found = [f.numerator]
    for k in signs:
        split = [tower.collect(p, (k,)) for p in found]
        found = [
            sum((part * sign**power for (power,), part in parts.items()), tower.zero)
            for parts in split
            for sign in (1, -1)
        ]
    elements = tuple(field.polynomial(tower.reduce(p)) for p in found)
    chosen = tuple(product((1, -1), repeat=len(signs)))
    return Pieces(elements, tuple(field.generators[k].args[0] for k in signs), chosen)


def _occur(functions: Sequence[Element], signs: Sequence[int]) -> bool:
    """Whether functions have these signs at one of some random points."""
    exprs = [u.to_expr() for u in functions]
    rng = np.random.default_rng(5)
    values = {name: rng.normal(size=RANDOM) * 2.0 for name in sorted(symbols(*exprs))}
    found = [np.broadcast_to(np.sign(np.asarray(x, dtype=float)), RANDOM) for x in evaluate(exprs, values)]
    return bool(np.any(np.all([x == sign for x, sign in zip(found, signs, strict=True)], axis=0)))


def reached(given: ConstraintData, f: Expr, piece: Expr) -> bool:
    """Whether f vanishes at some points where the piece does."""
    numbers = Numbers(replace(given, velocity=(piece,), labels=()))
    points = numbers.points(POINTS, seed=3)
    if not points:
        return False
    columns = np.array(points).T
    values = dict(zip((s.value for s in given.variables), columns, strict=True))
    missed = np.abs(np.broadcast_to(np.asarray(evaluate([f], values)[0], dtype=float), len(points)))
    return bool(np.any(missed <= 1e-7 * (1 + np.abs(columns).max(axis=0))))
