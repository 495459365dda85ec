"""Constraints put together from pieces: abs, sign, min, max and √(u²) of functions of the velocities.

    |x'| = y'   is   x' = y' where x' > 0   and   −x' = y' where x' < 0

In normal form all of these functions are sign(u); where u depends on velocities, sign(u) = ±1 makes a branch
of each piece. A piece counts only if some of its points have the signs that it is made for.

>>> from chetaev.constraint.submanifold.constraint_data import ConstraintData
>>> field = Field()
>>> given = ConstraintData.of(["abs(x') = y' + 2*z'"], ["x", "y", "z"])
>>> found = pieces(field, field(given.velocity[0]), {"x", "y", "z"})
>>> [str(p) for p in found.elements], [str(u) for u in found.signs_of]
(["x' - y' - 2*z'", "-(x' + y' + 2*z')"], ["x'"])
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.constraint.submanifold.constraint_in_numbers import Numbers
from chetaev.expr.exact import Element, Field
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr

MAX_SIGNS = 3
POINTS = 24


@dataclass(frozen=True)
class Pieces:
    """The elements that vanish on the pieces, and the functions whose signs tell the pieces apart."""

    elements: tuple[Element, ...]
    signs_of: tuple[Element, ...] = ()


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
    return Pieces(elements, tuple(field.generators[k].args[0] for k in signs))


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
