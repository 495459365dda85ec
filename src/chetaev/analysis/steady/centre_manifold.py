"""Stability on a centre manifold of one or two dimensions, the rest of the spectrum on the left (SCOPE M6).

Where zero is a simple eigenvalue, A q = 0 and pᵀA = 0 with pᵀq = 1, the motion on the centre manifold is

    u' = a₂ u² + a₃ u³ + …,   a₂ = pᵀX₂(q);   if a₂ = 0:  a₃ = pᵀ(X₃(q) + B(q, w)),   A w = −X₂(q),

unstable if a₂ ≠ 0 or a₃ > 0, asymptotically stable if a₂ = 0 and a₃ < 0. Where ±iω are, A q = iω q, it is a
focus, ż = iω z + g z|z|²/2 + … (Lyapunov; Kuznetsov, Elements of Applied Bifurcation Theory, section 5.4),

    g = pᵀ(C(q, q, q̄) + B(q̄, (2iω − A)⁻¹ B(q, q)) − 2 B(q, A⁻¹ B(q, q̄))),

unstable if Re g > 0, asymptotically stable if Re g < 0. X_k are Taylor polynomials of the motion, B and C the
polar forms of 2 X_2 and 6 X_3. Fractions first, for a₂ = 0; then balls, whose signs are proved. By the
reduction principle (Pliss 1964) stability on the manifold is stability. Where Re g = 0 and the acceleration
of one coordinate is even in its velocity, the state is a centre (Birkhoff 1915).

>>> import chetaev as ch
>>> for force in ("x^2*x'", "-x*x' - x'^3 + x'^2"):
...     model = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2", forces={"x": force})
...     print(ch.equilibria(model)[0].stable)
False
True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import acb, acb_mat, ctx

from chetaev.analysis.linear.exact_slopes import ExactSlopes
from chetaev.analysis.linear.exact_state import modest
from chetaev.analysis.linear.linearization import Linearization
from chetaev.analysis.steady.taylor_of_motion import (
    BALLS,
    BITS,
    FRACTIONS,
    NoSeriesError,
    Ring,
    TaylorOfMotion,
    Vector,
)
from chetaev.expr.exact import GivenUp, answer, ask
from chetaev.laws.standpoint import standpoints
from chetaev.model.states.stack_of_constraints import every_constraint
from chetaev.model.system import System


def by_centre_manifold(system: System, near: Linearization, effort: int) -> tuple[bool, str] | None:
    """The verdict where one zero or one pair ±iω lies on the axis and all others on the left; else None."""
    spectrum = near.spectrum
    axis = [r for r in spectrum.roots if r.side == 0]
    zero = len(axis) == 1 and axis[0].value == 0
    pair = len(axis) == 2 and axis[0].value == -axis[1].value
    simple = all(r.multiplicity == 1 for r in axis)
    if not (spectrum.certain and simple and (zero or pair)):
        return None
    if spectrum.count(-1) + len(axis) < len(spectrum.values):
        return None
    names = near.chart.names(system.coordinates)
    kept, view = [names.index(n) for n in near.states], standpoints(system)[-1]
    with ctx.workprec(BITS):
        for ring in (FRACTIONS, BALLS) if zero else (BALLS,):
            taylor = ask(TaylorOfMotion, system, near.chart, kept, view, modest(effort), ring)
            if isinstance(taylor, GivenUp):
                continue
            found = ask(_at_zero if zero else _at_pair, taylor)
            if found is not None and not isinstance(found, GivenUp):
                return found
    return _reversible(system, effort) if pair else None


def _reversible(system: System, effort: int) -> tuple[bool, str] | None:
    """One coordinate, whose acceleration is even in the velocity: motions near it are closed."""
    if len(system.coordinates) > 1 or every_constraint(system):
        return None
    field, velocity = modest(effort), (system.coordinates[0], 1)
    slopes, view = ExactSlopes(system), standpoints(system)[-1]

    def is_even() -> bool:
        law = [field(e) for e in view.apply([slopes.K[0][0], slopes.rest[0][0]])]
        turned = [e.subs({velocity: -field.symbol(*velocity)}) for e in law]
        return all((x - y).is_zero is True for x, y in zip(law, turned, strict=True))

    even = answer(ask(is_even))
    return (True, "with a motion its reversal is one, so that motions near are closed") if even else None


def _at_zero(taylor: TaylorOfMotion) -> tuple[bool, str] | None:
    ring = taylor.ring
    A = _linear_part(taylor)
    q, p = _null_vectors(ring, A)
    _, second, third = taylor.along(q)
    rate = _dot(p, second)
    if _sign(rate):
        return False, "on the centre manifold, along which the eigenvalue is 0, u' = a*u^2 + … with a ≠ 0"
    if ring is not FRACTIONS:
        return None
    w = _bordered(ring, A, [-x for x in second])
    sign = _sign(_dot(p, third) + _dot(p, _polar(taylor, q, w)))
    what = f"u' = a*u^3 + … with a {'<' if sign < 0 else '>'} 0"
    return (sign < 0, f"on the centre manifold, along which the eigenvalue is 0, {what}") if sign else None


def _at_pair(taylor: TaylorOfMotion) -> tuple[bool, str] | None:
    A = _linear_part(taylor)
    above = [z for z in acb_mat(A).eig(multiple=True) if z.real.contains(0) and z.imag > 0]
    if len(above) != 1:
        return None
    iw = acb(0, above[0].imag)  # that it lies on the axis is known
    q, p = _null_vectors(BALLS, _less(A, iw))
    q_bar = [x.conjugate() for x in q]
    squares = [2 * x for x in taylor.along(q)[1]]
    bar = taylor.along(q_bar)
    sums, differences = (taylor.along([x + s * y for x, y in zip(q, q_bar, strict=True)]) for s in (1, -1))
    mixed = _polar(taylor, q, q_bar)
    cubes = [x - y - 2 * z for x, y, z in zip(sums[2], differences[2], bar[2], strict=True)]
    twice = [-x for x in BALLS.solve(_less(A, 2 * iw), squares)]
    still = BALLS.solve(A, mixed)
    g = _dot(p, cubes) + _dot(p, _polar(taylor, q_bar, twice)) - 2 * _dot(p, _polar(taylor, q, still))
    sign = _sign(acb(g.real))
    if not sign:
        return None
    words = "negative" if sign < 0 else "positive"
    return sign < 0, f"the first Lyapunov coefficient of the pair on the imaginary axis is {words}"


def _linear_part(taylor: TaylorOfMotion) -> list[Vector]:
    """A, by columns X_1(e_j)."""
    n = len(taylor.kept)
    units = [[taylor.ring.number(int(i == j)) for i in range(n)] for j in range(n)]
    return [list(row) for row in zip(*(taylor.along(e)[0] for e in units), strict=True)]


def _less(A: list[Vector], s: acb) -> list[Vector]:
    """A − s."""
    return [[x - s if i == j else x for j, x in enumerate(row)] for i, row in enumerate(A)]


def _polar(taylor: TaylorOfMotion, u: Vector, w: Vector) -> Vector:
    """B(u, w) = X_2(u + w) − X_2(u) − X_2(w)."""
    both = taylor.along([x + y for x, y in zip(u, w, strict=True)])[1]
    return [x - y - z for x, y, z in zip(both, taylor.along(u)[1], taylor.along(w)[1], strict=True)]


def _bordered(ring: Ring, N: list[Vector], right: Sequence[Any], last: int = 0) -> Vector:
    """x with N x + b s = right and c·x = last: regular where N has a simple zero, b and c being general."""
    n = len(N)
    b, c = ([ring.number(1 + (k * k * m) % 7) for k in range(n)] for m in (3, 5))
    rows = [[*row, x] for row, x in zip(N, b, strict=True)] + [[*c, ring.number(0)]]
    return ring.solve(rows, [*right, ring.number(last)])[:n]


def _null_vectors(ring: Ring, N: list[Vector]) -> tuple[Vector, Vector]:
    """q and p with N q = 0, pᵀN = 0 and pᵀq = 1."""
    zeros = [ring.number(0)] * len(N)
    q, p = (_bordered(ring, x, zeros, 1) for x in (N, [list(column) for column in zip(*N, strict=True)]))
    size = _dot(p, q)
    if not _sign(size) and not (ring is BALLS and not size.contains(0)):
        raise NoSeriesError("the eigenvalue may be multiple")
    return q, [x / size for x in p]


def _dot(u: Vector, w: Vector) -> Any:
    return sum((x * y for x, y in zip(u[1:], w[1:], strict=True)), u[0] * w[0])


def _sign(x: Any) -> int:
    """Of a fraction, or of a real ball where it is proved; else 0."""
    real = x.real if isinstance(x, acb) else x
    return 1 if real > 0 else -1 if real < 0 else 0
