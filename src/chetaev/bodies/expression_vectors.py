"""Small vectors of expressions: sums, products, turns about axes (SCOPE M2).

>>> from chetaev.expr.graph.node import symbol
>>> a = [symbol(f"a{i}") for i in (1, 2, 3)]
>>> [str(e) for e in turned("z", symbol("psi"), a)]
['cos(psi)*a1 - sin(psi)*a2', 'sin(psi)*a1 + cos(psi)*a2', 'a3']
"""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.expr.graph.node import ONE, ZERO, Expr, add, call, mul, neg, sub

Vector = Sequence[Expr]
AXES = {"x": 0, "y": 1, "z": 2}


def times(a: Expr, b: Expr) -> Expr:
    """The product, 0 if a factor is."""
    if ZERO in (a, b):
        return ZERO
    return b if a is ONE else a if b is ONE else mul(a, b)


def total(*terms: Expr) -> Expr:
    """The sum of the terms that are not 0."""
    kept = [e for e in terms if e is not ZERO]
    return add(*kept) if kept else ZERO


def minus(a: Expr, b: Expr) -> Expr:
    """a − b."""
    return a if b is ZERO else neg(b) if a is ZERO else sub(a, b)


def dot(a: Vector, b: Vector) -> Expr:
    """a·b."""
    return total(*(times(x, y) for x, y in zip(a, b, strict=True)))


def cross(a: Vector, b: Vector) -> list[Expr]:
    """a × b."""
    places = ((1, 2), (2, 0), (0, 1))
    return [minus(times(a[i], b[j]), times(a[j], b[i])) for i, j in places]


def apply(matrix: Sequence[Vector], a: Vector) -> list[Expr]:
    """A a."""
    return [dot(row, a) for row in matrix]


def turned(axis: str, angle: Expr, a: Vector, back: bool = False) -> list[Expr]:
    """R_axis(angle) a, or with the transpose for `back`."""
    k = AXES[axis]
    i, j = (k + 1) % 3, (k + 2) % 3
    c, s = call("cos", angle), call("sin", angle)
    found = list(a)
    first, second = times(s, a[j]), times(s, a[i])
    if back:
        found[i] = total(times(c, a[i]), first)
        found[j] = minus(times(c, a[j]), second)
    else:
        found[i] = minus(times(c, a[i]), first)
        found[j] = total(second, times(c, a[j]))
    return found


def axis(name: str, length: Expr) -> list[Expr]:
    """A vector along an axis."""
    found = [ZERO, ZERO, ZERO]
    found[AXES[name]] = length
    return found
