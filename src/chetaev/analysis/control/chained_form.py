r"""Chained form of two inputs without drift, found by the machine (Murray and Sastry 1993).

    z1' = v1,   z2' = v2,   z3' = z2 v1,   …,   zn' = z_{n−1} v1.

For a function h1 take the basis of D = span{a, b} with g1(h1) = 1, g2(h1) = 0, and with another h2

    z1 = h1,   zn = h2,   z_{k−1} = g1(z_k),   q' = g1 v1 + g2 w,   v2 = g1(z2) v1 + g2(z2) w.

h1 and h2 are flat outputs: states and inputs are functions of them and their derivatives. Where the derived
flag grows by one at each step (Goursat; a car with trailers), three functions F are constant along the
characteristics C of its last member E but one; with any field X of E, h1 and h2 are two functions of F that
X leaves constant (Martin and Rouchon 1994), if C and X together are involutive, which is proved. X along
F_i = const and orthogonal to it are tried. The middle of the last axle is found so. z_k are made by
automatic differentiation; written out they are long.

>>> import chetaev as ch
>>> from chetaev.analysis.control.control_affine import control_affine
>>> car = control_affine(ch.load("car-with-trailers-2"), None)
>>> [str(h) for h in next(flat_outputs(car))]
['3*sin(theta1) + 3*sin(theta2) - y', '3*cos(theta1) + 3*cos(theta2) - x']
"""

from __future__ import annotations

from collections.abc import Iterator

import casadi

from chetaev.analysis.control.control_affine import ControlAffine
from chetaev.analysis.control.invariants import invariants
from chetaev.expr.exact import Element, GivenUp, ask
from chetaev.expr.exact.linear.matrix import dot
from chetaev.expr.graph.engine import Engine
from chetaev.expr.graph.node import symbol
from chetaev.geometry import Distribution, GeometryError, VectorField

MOST = 8
"""Pairs of flat outputs that are tried."""


def flat_outputs(control: ControlAffine) -> Iterator[tuple[Element, Element]]:
    """Pairs (h1, h2); none where the system has no chained form, or none was found."""
    if control.level != "kinematic" or len(control.inputs) != 2 or not control.drift.is_zero or control.timed:
        return
    if control.on or control.chart.dimension < 3:
        return
    pairs = _flat_outputs(control)
    for _ in range(MOST):
        try:
            pair = ask(next, pairs, None)
        except GeometryError:  # fields that cannot be bracketed
            return
        if pair is None or isinstance(pair, GivenUp):
            return
        yield pair


def _flat_outputs(control: ControlAffine) -> Iterator[tuple[Element, Element]]:
    """Pairs of functions, each constant along an involutive distribution of rank n − 2 between C and E."""
    n, chart = control.chart.dimension, control.chart
    flag = Distribution.spanned_by(control.inputs, (), chart, check=False).derived_flag
    if flag.ranks != tuple(range(2, n + 1)) or len(flag.members) < len(flag.ranks):
        return
    E = flag.members[-2]
    C = [] if n == 3 else list(E.cauchy_characteristics.fields)
    F = list(chart.coordinates)
    if C:
        F = invariants(Distribution.spanned_by(C, (), chart, check=False), C)
    if len(F) != 3:
        return
    seen: set[frozenset[str]] = set()
    for X in _directions(E, C, F):
        between = Distribution.spanned_by([*C, X], (), chart, check=False)
        if between.rank != n - 2 or not between.is_involutive:
            continue
        found = invariants(between, [*C, X])
        pair = frozenset(map(str, found))
        if len(found) == 2 and pair not in seen:
            seen.add(pair)
            yield found[0], found[1]


def _directions(E: Distribution, C: list[VectorField], F: list[Element]) -> list[VectorField]:
    """Fields of E independent of C: along F_i = const, and orthogonal to these in the coordinates F."""
    span = Distribution.spanned_by(C, (), E.chart, check=False) if C else None
    plane: list[VectorField] = []
    for X in E.fields:
        if span is None or not span.contains(X):
            plane.append(X)
            span = Distribution.spanned_by([*C, *plane], (), E.chart, check=False)
    if len(plane) != 2:
        return []
    a, b = plane
    images = [[X.derivative(f) for f in F] for X in plane]
    along, across = [], []
    for r, s in zip(*images, strict=True):
        if r.is_zero and s.is_zero:
            continue
        X = _combined(a, s, b, -r)
        image = [s * x - r * y for x, y in zip(*images, strict=True)]
        along.append(X)
        p, q = (dot(image, other) for other in images)
        if not (p.is_zero and q.is_zero):
            across.append(_combined(a, q, b, -p))
    return across + along


def _combined(a: VectorField, x: Element, b: VectorField, y: Element) -> VectorField:
    """x a + y b."""
    return VectorField.of(a.chart, [x * s + y * t for s, t in zip(a.components, b.components, strict=True)])


class ChainedForm:
    """z by q, and q' by z1' = v1, z2' = v2, as CasADi functions.

    `h1`, `h2`: the flat outputs; `z`: q → (z1, …, zn); `rate`: (q, v1, v2) → q'.
    """

    def __init__(self, control: ControlAffine, h1: Element, h2: Element) -> None:
        self.h1, self.h2 = h1, h2
        engine = Engine()
        q = engine.column([symbol(*s) for s in control.chart.symbols])
        a, b = (engine.column([e.to_expr() for e in Y.components]) for Y in control.inputs)
        first, last = engine(h1.to_expr()), engine(h2.to_expr())
        if control.inputs[0].derivative(h1).is_zero:
            a, b = b, a
        g1 = a / casadi.jtimes(first, q, a)
        g2 = b - casadi.jtimes(first, q, b) * g1
        z = [last]
        while len(z) < control.chart.dimension - 1:
            z.insert(0, casadi.jtimes(z[0], q, g1))
        v1, v2 = casadi.SX.sym("v1"), casadi.SX.sym("v2")
        w = (v2 - casadi.jtimes(z[0], q, g1) * v1) / casadi.jtimes(z[0], q, g2)
        self.z = casadi.Function("z", [q], [casadi.vertcat(first, *z)])
        self.rate = casadi.Function("rate", [q, v1, v2], [g1 * v1 + g2 * w])
