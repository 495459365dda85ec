"""The reduced Lagrange–d'Alembert equations (SCOPE M4, M6; Bloch, Krishnaprasad, Marsden and Murray 1996).

In an invariant frame Z = (H_α, S_b) of D with velocities w = (ṙ^α, Ω^b), the restricted Lagrangian
l(r, ṙ, Ω) = L(q, w^A Z_A) and the momenta P = ∂L/∂v at v = w^A Z_A, d'Alembert's principle along Z_A is

    d/dt ∂l/∂w^A = Z_A(l) + w^B ⟨P, [Z_B, Z_A]⟩ + F·Z_A.

Along S_b, where l does not change, this is the momentum equation for p_b = ∂l/∂Ω^b; along H_α it is the
equation of the shape, with the curvature [H_β, H_α] of the connection as gyroscopic term. With Ω from p all
are functions of (t, r, ṙ, p): the coordinates of the orbits drop out, which is proved by differentiation.
For S = 0 these are Čaplygin's equations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from chetaev.errors import ModelError
from chetaev.expr.exact import Element
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.graph.node import ZERO, Expr, add, neg
from chetaev.reduction.chaplygin.action import Vector
from chetaev.reduction.chaplygin.splitting import Splitting
from chetaev.reduction.expressed import at_one_place


@dataclass(frozen=True)
class RestrictedLagrangian:
    """l = G_AB w^A w^B/2 + a_A w^A − V in the frame."""

    quadratic: list[Vector]
    linear: Vector
    rest: Element

    def at(self, w: Vector, zero: Element) -> Element:
        """The value."""
        total = zero
        for row, speed in zip(self.quadratic, w, strict=True):
            total = total + linear.dot(row, w) * speed / 2
        return total + linear.dot(self.linear, w) + self.rest if w else self.rest

    def to_expr(self, w: Vector) -> Expr:
        """The sum, each coefficient by itself."""
        terms = []
        for i, a in enumerate(w):
            for j in range(i, len(w)):
                e = self.quadratic[i][j] * a * w[j]
                terms.append(e / 2 if i == j else e)
        terms += [e * a for e, a in zip(self.linear, w, strict=True)]
        terms.append(self.rest)
        return _sum([e for e in terms if not e.is_blank])


def _sum(terms: Vector) -> Expr:
    """A sum, with minus before what is shorter so."""
    shown = []
    for e in terms:
        plain, turned = e.to_expr(), (-e).to_expr()
        shown.append(neg(turned) if len(str(turned)) < len(str(plain)) else plain)
    return add(*shown) if shown else ZERO


def _parts(split: Splitting, shape: Callable[[Element, str], Element]) -> RestrictedLagrangian | None:
    """Of a Lagrangian that is quadratic in the velocities."""
    action = split.action
    names, frame = action.names, [*split.horizontal, *split.sections]
    P = [action.lagrangian.diff((c, 1)) for c in names]
    G = [[p.diff((c, 1)) for c in names] for p in P]
    if any((c, 1) in e.symbols for row in G for e in row for c in names):
        return None
    still = {(c, 1): action.field.zero for c in names}
    moved = [[linear.dot(row, x) for row in G] for x in frame]
    quadratic = [[shape(linear.dot(x, y), "the metric") for y in moved] for x in frame]
    P = [p.subs(still) for p in P]
    return RestrictedLagrangian(
        quadratic,
        [shape(linear.dot(P, x), "the linear part of L") for x in frame],
        shape(action.lagrangian.subs(still), "the potential"),
    )


@dataclass(frozen=True)
class ReducedEquations:
    """Functions of r, ṙ, Ω and p, elements of the action's field.

    Attributes
    ----------
    speeds, momenta
        The names of Ω^b and p_b.
    lagrangian, parts
        l(r, ṙ, Ω), and its parts of degree 2, 1 and 0 if it has no others.
    inertia, offset
        p_b = I_bc Ω^c + a_b.
    metric, right
        g_αβ r̈^β = right_α, functions of (t, r, ṙ, p).
    rates
        ṗ_b, functions of (t, r, ṙ, p).
    gyroscopic
        w^B ⟨P, [Z_B, H_α]⟩, functions of (r, ṙ, Ω).
    dependent
        ṙ^a of the other shape coordinates, by name.
    curvature
        [H_α, H_β] for α < β.
    lifted
        The velocities of the orbits' coordinates as functions of (q, ṙ, p).
    """

    split: Splitting
    speeds: tuple[str, ...]
    momenta: tuple[str, ...]
    lagrangian: Element
    parts: RestrictedLagrangian | None
    inertia: list[Vector]
    offset: Vector
    metric: list[Vector]
    right: Vector
    rates: Vector
    gyroscopic: Vector
    dependent: dict[str, Element]
    curvature: dict[tuple[str, str], Vector]
    lifted: dict[str, Element]


def derive(split: Splitting, speeds: Sequence[str], momenta: Sequence[str]) -> ReducedEquations:
    """The equations."""
    action = split.action
    field, names = action.field, action.names
    zero = field.zero
    H, S = split.horizontal, split.sections
    frame = [*H, *S]
    w = [field.symbol(c, 1) for c in split.moving] + [field.symbol(u) for u in speeds]
    velocity = [
        sum((x[i] * speed for x, speed in zip(frame, w, strict=True)), zero) for i in range(len(names))
    ]
    put = {(c, 1): e for c, e in zip(names, velocity, strict=True)}
    shape = partial(of_shape, split.group)
    parts = _parts(split, shape)
    restricted = (
        shape(action.lagrangian.subs(put), "the restricted Lagrangian")
        if parts is None
        else parts.at(w, field.zero)
    )
    P = [action.lagrangian.diff((c, 1)).subs(put) for c in names]
    F = [e.subs(put) for e in action.forces]
    along: list[Element] = []
    turning: list[Element] = []
    for x in frame:
        turn = zero
        for y, speed in zip(frame, w, strict=True):
            if y is not x:
                turn = turn + speed * linear.dot(P, action.bracket(y, x))
        turning.append(shape(turn, "the gyroscopic term"))
        along.append(turning[-1] + shape(linear.dot(F, x), "the force"))
    by_w = [restricted.diff((c, 1)) for c in split.moving]
    shape_rates = {c: velocity[names.index(c)] for c in split.shape}
    count = len(H)
    right = []
    for i, x in enumerate(H):
        total = along[i]
        for c in split.shape:
            total = total + x[names.index(c)] * restricted.diff((c, 0))
            total = total - by_w[i].diff((c, 0)) * shape_rates[c]
        total = total - by_w[i].diff((action.system.time, 0))
        right.append(total)
    inertia, offset = [], []
    if speeds and parts is not None:
        inertia = [row[count:] for row in parts.quadratic[count:]]
        offset = parts.linear[count:]
    by_p = _speeds(inertia, offset, speeds, momenta)

    def of_p(e: Element) -> Element:
        return e.subs(by_p) if by_p else e

    return ReducedEquations(
        split,
        tuple(speeds),
        tuple(momenta),
        restricted,
        parts,
        inertia,
        offset,
        [[of_p(e.diff((c, 1))) for c in split.moving] for e in by_w]
        if parts is None
        else [row[:count] for row in parts.quadratic[:count]],
        [of_p(e) for e in right],
        [of_p(e) for e in along[count:]],
        turning[:count],
        {c: of_p(shape_rates[c]) for c in split.shape if c not in split.moving},
        _curvature(split),
        {c: of_p(velocity[names.index(c)]) for c in split.group},
    )


def _speeds(
    inertia: list[Vector], offset: Vector, speeds: Sequence[str], momenta: Sequence[str]
) -> dict[tuple[str, int], Element]:
    """Ω from p."""
    if not speeds:
        return {}
    f = offset[0].field
    given = [f.symbol(n) - a for n, a in zip(momenta, offset, strict=True)]
    solved = linear.solve(inertia, given)
    return {(u, 0): e for u, e in zip(speeds, solved, strict=True)}


def _curvature(split: Splitting) -> dict[tuple[str, str], Vector]:
    """[H_α, H_β]: vertical where all shape velocities are independent."""
    found = {}
    for i, a in enumerate(split.moving):
        for j in range(i):
            found[split.moving[j], a] = split.action.bracket(split.horizontal[j], split.horizontal[i])
    return found


def of_shape(group: Sequence[str], e: Element, what: str) -> Element:
    """An invariant function at one place of the orbits; a sentence if it depends on the place."""
    for c in group:
        if not e.is_free_of((c, 0)):
            raise ModelError(
                f"{what} {str(e.to_expr())[:120]} depends on {c}, which the group moves",
                expected="functions that the group leaves as they are",
            )
    return at_one_place(e, group)
