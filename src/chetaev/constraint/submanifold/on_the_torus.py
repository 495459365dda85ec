"""Polynomials in sines and cosines that are positive for all angles (SCOPE K13, K23).

The angles run through a torus, which is compact: if p > 0 on it, finitely many boxes show it. A box is a
product of intervals of the angles; on each, ball arithmetic encloses p. Boxes whose enclosure is not positive
are halved; a value that is not positive at the middle of a box, or too many boxes, end the search without a
proof. Each pair (sin, cos) counts as an angle of its own, whatever it is the sine of: a proof stays one.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> a, b = field.symbols("a b")
>>> p = 3 - field.sin(a) * field.sin(b) - 2 * field.cos(a) * field.cos(b)
>>> positive_on_torus(p), positive_on_torus(p - 1)
(True, False)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flint import arb, fmpq

from chetaev.expr.exact.polynomials.halfangle import pairs_in

if TYPE_CHECKING:
    from chetaev.expr.exact import Element

MOST_ANGLES, MOST_TERMS, MOST_BOXES = 3, 60, 2000
COST = 4
"""Of one term in one box, in units of effort."""

Interval = tuple[fmpq, fmpq]
"""Middle and half width, in full turns."""
Term = tuple[fmpq, list[tuple[int, int]]]


def positive_on_torus(f: Element) -> bool:
    """Whether the numerator is proved to be positive for all angles; it has no other generators."""
    field, p = f.field, f.numerator
    pairs = pairs_in(field, p)
    angles = {k for pair in pairs for k in pair}
    if (
        not pairs
        or len(pairs) > MOST_ANGLES
        or len(p) > MOST_TERMS
        or not angles.issuperset(field.tower.used(p))
    ):
        return False
    terms: list[Term] = [(q, list(monomial)) for monomial, q in field.tower.terms(p)]
    boxes: list[tuple[Interval, ...]] = [((fmpq(1, 2), fmpq(1, 2)),) * len(pairs)]
    for _ in range(MOST_BOXES):
        if not boxes:
            return True
        field.tower.budget.spend(COST * len(terms))
        box = boxes.pop()
        if _value(terms, pairs, box) > 0:
            continue
        if not _value(terms, pairs, tuple((middle, fmpq(0)) for middle, _ in box)) > 0:
            return False
        widest = max(range(len(box)), key=lambda i: (box[i][1], -i))
        middle, half = box[widest][0], box[widest][1] / 2
        boxes += [(*box[:widest], (middle + side * half, half), *box[widest + 1 :]) for side in (-1, 1)]
    return False


def _value(terms: list[Term], pairs: tuple[tuple[int, int], ...], box: tuple[Interval, ...]) -> arb:
    """A ball that contains all values in a box."""
    at: dict[int, arb] = {}
    for (sine, cosine), (middle, half) in zip(pairs, box, strict=True):
        angle = 2 * arb.pi() * arb(arb(middle), arb(half))
        at[sine], at[cosine] = angle.sin(), angle.cos()
    total = arb(0)
    for q, monomial in terms:
        product = arb(q)
        for k, e in monomial:
            product = product * at[k] ** e
        total = total + product
    return total
