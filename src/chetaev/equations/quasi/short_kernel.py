"""Short vectors of ker C without denominators: directions that an affine constraint admits.

For a chart D of dependent velocities the kernel has the basis [1; −C_D⁻¹ C_S]. Each of its vectors is
cleared of denominators and then of the common factor of its entries, with s² + c² = 1 taken into account by
the field:

    x' sin φ = y' cos φ, D = {y}:   (1, tan φ, 0)   becomes   (cos φ, sin φ, 0),

which vanishes nowhere. Vectors of several charts are candidates for a frame (SCOPE D1).

>>> from chetaev.constraint.submanifold.submanifold import Constraint
>>> Q = Constraint.of(["x'*sin(phi) = y'*cos(phi)"], ["x", "y", "phi"])
>>> [[str(e) for e in w] for w in kernel_vectors(Q)]
[['0', '0', '1'], ['cos(phi)', 'sin(phi)', '0']]
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import gcd, lcm

from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.expr.exact import Element, Field
from chetaev.expr.exact.linear.matrix import nullspace
from chetaev.expr.exact.polynomials.tower import Poly
from chetaev.expr.exact.readable.shorter_sums import leads_with_minus

CHARTS = 6
"""Choices of dependent velocities whose kernel vectors are looked at."""

MOST_COMBINED, MOST_SYMBOLS = 4, 4
"""Vectors and symbols from which combinations are made."""

Vector = tuple[Element, ...]


def kernel_vectors(constraint: Constraint) -> list[Vector]:
    """Candidates for a frame of ker C, shortest first."""
    rows = constraint.jacobian
    m = len(constraint.coordinates)
    field = constraint.field
    if not rows:
        return [tuple(field.one if i == j else field.zero for i in range(m)) for j in range(m)]
    found: dict[tuple[str, ...], Vector] = {}
    for chart in constraint.charts()[:CHARTS]:
        for vector in nullspace(rows, chart.D):
            short = primitive(vector)
            found.setdefault(tuple(f"{e.numerator}/{e.denominator}" for e in short), short)
    return sorted(found.values(), key=lambda w: (length(w), first_place(w)))


def combined(vectors: Sequence[Vector]) -> list[Vector]:
    """Shorter vectors among x^i a ± x^j b, without common factors.

    So x·(x² + y², 0, x z) + y·(0, x² + y², y z) is a multiple of (x, y, z), zero at the origin only.
    """
    if not vectors:
        return []
    field = vectors[0][0].field
    found: list[Vector] = []
    for a, b in combinations(vectors[:MOST_COMBINED], 2):
        names = sorted({s for w in (a, b) for e in w for s in e.symbols})[:MOST_SYMBOLS]
        limit = max(length(a), length(b))
        for one in names:
            for other in names:
                for sign in (1, -1):
                    x, y = field.symbol(*one), field.symbol(*other) * sign
                    made = [x * e + y * f for e, f in zip(a, b, strict=True)]
                    if all(e.is_blank for e in made):
                        continue
                    short = primitive(made)
                    if length(short) < limit:
                        found.append(short)
    return found


def length(vector: Sequence[Element]) -> int:
    """About how long the entries are: terms and their factors; those that are 0 take no place."""
    return sum(_weight(e) for e in vector if not e.is_blank)


def first_place(vector: Sequence[Element]) -> int:
    """Where the first entry that is not 0 stands."""
    return next(i for i, e in enumerate(vector) if not e.is_blank)


def primitive(vector: Sequence[Element]) -> Vector:
    """The vector times a function, so that its entries have no denominators and no common factor.

    Quotients of entries are taken by each entry in turn: the field cancels in a quotient what it does not see
    in a single polynomial.
    """
    best: Vector | None = None
    for pivot in vector:
        if pivot.is_blank:
            continue
        made = _cleared([e if e.is_blank else e / pivot for e in vector])
        if best is None or _size(made) < _size(best):
            best = made
    assert best is not None, "a kernel vector is not 0"
    return _positive(best)


def _size(vector: Vector) -> tuple[int, int]:
    used = [e for e in vector if not e.is_blank]
    return sum(not e.is_polynomial for e in used), sum(_weight(e) for e in used)


def _weight(element: Element) -> int:
    """Terms, and how many generators their products have."""
    tower = element.field.tower
    return sum(
        1 + sum(e for _, e in monomial)
        for p in (element.numerator, element.denominator)
        for monomial, _ in tower.terms(p)
    )


def _cleared(vector: list[Element]) -> Vector:
    """The vector times the common denominator of its entries."""
    field = vector[0].field
    common: Poly = field.one.numerator
    for e in vector:
        if not e.denominator.is_one():
            rest = field.divide(e.denominator, field.gcd(common, e.denominator))
            common = field.tower.product(common, rest)
    factor = field.polynomial(field.tower.reduce(common))
    return tuple(e if e.is_blank else e * factor for e in vector)


def _positive(vector: Vector) -> Vector:
    """The vector over the greatest common divisor of its numbers, its first term positive."""
    tower = vector[0].field.tower
    numbers = [c for e in vector for _, c in tower.terms(e.numerator)]
    top = gcd(*(int(c.p) for c in numbers))
    bottom = lcm(*(int(c.q) for c in numbers))
    first = next(e for e in vector if not e.is_blank)
    sign = -1 if leads_with_minus(first.to_expr()) else 1
    return tuple(e * Fraction(sign * bottom, top) for e in vector)


def parameter_content(element: Element, constants: frozenset[int]) -> Element:
    """The product of parameters, with a number, that divides all terms of a polynomial.

    `constants` are the generators that are parameters.
    """
    field = element.field
    powers: dict[int, int] | None = None
    for monomial, _ in field.tower.terms(element.numerator):
        own = {k: e for k, e in monomial if k in constants}
        powers = own if powers is None else {k: min(e, own[k]) for k, e in powers.items() if k in own}
    numbers = [c for _, c in field.tower.terms(element.numerator)]
    scale = Fraction(gcd(*(int(c.p) for c in numbers)), lcm(*(int(c.q) for c in numbers)))
    result = field.number(scale)
    for k, e in sorted((powers or {}).items()):
        result = result * field.variable(k) ** e
    below = field.polynomial(element.denominator)
    return result if below.is_number else result / parameter_content(below, constants)


def parameters_of(field: Field, names: Sequence[str]) -> frozenset[int]:
    """The generators that are parameters."""
    return frozenset(
        g.index for g in field.generators if g.kind == "symbol" and g.name in {(n, 0) for n in names}
    )
