"""Functions that are seen to be positive everywhere, or to vanish nowhere on Q.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> x, y = field.symbols("x y")
>>> positive(x**2 + 3), positive(1 + field.exp(x) * y**2), positive(x**2 - 1)
(True, True, False)

Sums of squares without a number vanish only where all their symbols do, which Q may exclude: x² + y² does not
vanish on x² + y² = 1.

Polynomials in sines and cosines may be positive for all angles (SCOPE K13, K23). The angles run through a
torus, which is compact: if p > 0 on it, finitely many boxes show it. A box is a product of intervals of the
angles; on each, ball arithmetic encloses p. Boxes whose enclosure is not positive are halved; a value that is
not positive at the middle of a box, or too many boxes, end the search without a proof. Each pair (sin, cos)
counts as an angle of its own, whatever it is the sine of: a proof stays one.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> a, b = field.symbols("a b")
>>> p = 3 - field.sin(a) * field.sin(b) - 2 * field.cos(a) * field.cos(b)
>>> positive_on_torus(p), positive_on_torus(p - 1)
(True, False)

Quadratic equations that are definite: Σ d_i ℓ_i² = 0 with d_i > 0 means that all ℓ_i vanish (SCOPE K13).

    x'² + x'y' + y'² = 0   is   x' = y' = 0,       x'² + y'² − 2x' + 1 = 0   is   x' = 1, y' = 0

The squares are completed exactly, one velocity after the other; all d_i must be seen to have one sign.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> x, y = field.symbol("x", 1), field.symbol("y", 1)
>>> f = x**2 + 2 * x * y + 3 * y**2
>>> [str(e) for e in squares(f, ["x", "y"])]
["x' + y'", "y'"]
>>> squares(f + 1, ["x", "y"])
[]
>>> squares(f - 1, ["x", "y"]) is None
True
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from flint import arb, fmpq

from chetaev.expr.exact import Element
from chetaev.expr.exact.functions.radicals import is_positive
from chetaev.expr.exact.polynomials.halfangle import pairs_in

if TYPE_CHECKING:
    from chetaev.constraint.submanifold.submanifold import Constraint
    from chetaev.expr.exact import Element

Name = tuple[str, int]


def positive(f: Element) -> bool:
    """Whether a polynomial is seen to be positive for all values of its symbols."""
    field, p = f.field, f.numerator
    if is_positive(field, p, strictly=True):
        return True
    exponential = any(
        c > 0 and monomial and all(field.generators[k].kind == "exp" for k, _ in monomial)
        for monomial, c in field.tower.terms(p)
    )
    return (exponential and is_positive(field, p)) or positive_on_torus(f)


def squares_of(f: Element) -> set[Name]:
    """The symbols that all vanish exactly where a sum of squares does; empty for other functions.

    Its terms are even, with positive numbers: powers of one symbol, and products with such a symbol in them.

    >>> from chetaev.expr.exact import Field
    >>> x, y = Field().symbols("x y")
    >>> sorted(squares_of(x**4 * y**2 + y**6 + x**2)), squares_of(x**2 * y**2 + y**2)
    ([('x', 0), ('y', 0)], {('y', 0)})
    """
    terms = []
    for monomial, c in f.field.tower.terms(f.numerator):
        names = [f.field.generators[k].name for k, _ in monomial if f.field.generators[k].kind == "symbol"]
        if c < 0 or len(names) < len(monomial) or not names or any(e % 2 for _, e in monomial):
            return set()
        terms.append({name for name in names if isinstance(name, tuple)})
    single = {name for names in terms if len(names) == 1 for name in names}
    return single if all(names & single for names in terms) else set()


def excluded(constraint: Constraint, names: Iterable[Name]) -> bool:
    """Whether symbols cannot all be 0 on Q: then some equation of Q says that a number other than 0 is 0."""
    zero = dict.fromkeys(names, constraint.chart.field.zero)
    if not zero:
        return False
    values = [f.subs(zero) for f in (*constraint.functions, *constraint.positions)]
    return any(v.is_number and not v.is_zero for v in values)


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


def squares(f: Element, names: Iterable[str]) -> list[Element] | None:
    """The functions ℓ_i that vanish where f does; empty if f vanishes nowhere; None if f is not definite."""
    top = Element(f.field, f.numerator, f.field.tower.one)
    velocities = [(q, 1) for q in names if (q, 1) in top.symbols]
    parts = top.coefficients(*velocities) if velocities else None
    if parts is None or max(sum(e) for e in parts) != 2:
        return None
    zero = f.field.zero
    n = len(velocities)
    form = [[zero] * (n + 1) for _ in range(n + 1)]  # over (v_1, …, v_n, 1)
    for exponents, c in parts.items():
        i, j = ([k for k, e in enumerate(exponents) for _ in range(e)] + [n, n])[:2]
        form[i][j] = form[i][j] + c / 2
        form[j][i] = form[j][i] + c / 2
    basis = [*(f.field.symbol(*v) for v in velocities), f.field.one]
    found: list[Element] = []
    sign = 0
    for i in range(n):
        d = form[i][i]
        if all(e.is_zero for e in form[i]):
            continue
        now = _sign(d)
        if not now or (sign and now != sign):
            return None
        sign = now
        row = [e / d for e in form[i]]
        found.append(sum((e * b for b, e in zip(basis, row, strict=True)), zero))
        form = [[form[j][k] - d * row[j] * row[k] for k in range(n + 1)] for j in range(n + 1)]
    rest = form[n][n]
    if rest.is_zero:
        return found
    return [] if sign and _sign(rest) == sign else None


def _sign(e: Element) -> int:
    """1 or −1 for a function that is seen to have this sign everywhere, else 0."""
    found = 1
    for p in (e.numerator, e.denominator):
        part = Element(e.field, p, e.field.tower.one)
        found *= 1 if positive(part) else -1 if positive(-part) else 0
    return found
