"""Is a body convex? Its principal radii of curvature are nowhere negative (SCOPE M2).

Both are positive where their sum and their product are. The sphere of directions is covered by the six faces
of a cube, and these by squares; on each, ball arithmetic encloses sum and product. Squares whose enclosure is
not positive are quartered, the largest first. A direction in which a radius is certainly negative is a
witness; if squares are left when the count is used up, the answer rests on the directions tried.

>>> from chetaev.bodies.support_function import read_support
>>> print(convexity(read_support("sqrt(4*g1^2 + g2^2 + g3^2)", {})))
convex (proved)
>>> print(convexity(read_support("R*sqrt(g1^2 + g2^2)", {"R": 1})))
convex: both radii are nowhere seen to be negative, in 1056 directions
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx, fmpq

from chetaev.bodies.support_function import NORMAL, Support
from chetaev.errors import ModelError
from chetaev.expr.exact.effort.ask import answer, ask
from chetaev.expr.exact.numbers.balls import BallProgram
from chetaev.expr.graph.node import ZERO
from chetaev.expr.print import to_text

MOST_SQUARES = 6_000
FIRST = 8
"""Squares along the edge of a face to begin with."""
BITS = 80

Square = tuple[int, int, Fraction, Fraction, Fraction]
"""A face of the cube (axis and sign), and a square on it: middle and half of the edge."""


@dataclass(frozen=True)
class Convexity:
    """Whether a body is convex."""

    holds: bool | None  # true if proved, False with a witness, None if no direction tried shows the contrary
    directions: int  # how many were tried
    # γ with a negative radius of curvature, and sum and product of the radii there
    witness: tuple[tuple[float, ...], float, float] | None = None

    def __str__(self) -> str:
        if self.holds:
            return "convex (proved)"
        if self.witness is None:
            return f"convex: both radii are nowhere seen to be negative, in {self.directions} directions"
        gamma, sum_, product = self.witness
        place = ", ".join(f"{x:.4g}" for x in gamma)
        return (
            f"not convex: for γ = ({place}) the principal radii of curvature have the sum {sum_:.4g} and "
            f"the product {product:.4g}"
        )


def convexity(support: Support) -> Convexity:
    """The answer for the values given."""
    functions = support.with_values(support.curvature)
    if functions[0] is ZERO:
        raise ModelError(
            f"the support function {to_text(support.function)[:100]} is that of a point or of a body with "
            "corners, on which it does not roll",
            expected="a body whose radii of curvature are not both 0",
        )
    program = BallProgram(functions)
    flat = functions[1] is ZERO  # an edge: one radius is 0 everywhere
    pending = deque(_squares())
    tried, left = 0, False
    with ctx.workprec(BITS):
        while pending:
            if tried >= MOST_SQUARES:
                return Convexity(None, tried)
            face, sign, u, v, half = pending.popleft()
            tried += 1
            found = _radii(program, face, sign, u, v, half)
            if found is not None and found[0] > 0 and (flat or found[1] > 0):
                continue
            gamma, middle = _direction(face, sign, u, v, Fraction(0)), _radii(program, face, sign, u, v)
            if middle is not None and (middle[0] < 0 or (not flat and middle[1] < 0)):
                shown = tuple(float(x) for x in gamma)
                return Convexity(False, tried, (shown, float(middle[0]), float(middle[1])))
            if half < Fraction(1, 512):
                left = True
                continue
            h = half / 2
            pending += [(face, sign, u + a * h, v + b * h, h) for a in (-1, 1) for b in (-1, 1)]
    return Convexity(None if left else True, tried)


def _squares() -> Iterator[Square]:
    half = Fraction(1, FIRST)
    for face in range(3):
        for sign in (1, -1):
            for i in range(FIRST):
                for j in range(FIRST):
                    yield face, sign, (2 * i + 1) * half - 1, (2 * j + 1) * half - 1, half


def _direction(face: int, sign: int, u: Fraction, v: Fraction, half: Fraction) -> list[arb]:
    """γ on a square, or at its middle: (±1, u, v)/√(1 + u² + v²), turned to the face."""
    width = arb(fmpq(half.numerator, half.denominator))
    a, b = (arb(arb(fmpq(x.numerator, x.denominator)).mid(), width) for x in (u, v))
    size = (1 + a * a + b * b).sqrt()
    found = [arb(sign) / size, a / size, b / size]
    return [found[(i - face) % 3] for i in range(3)]


def _radii(
    program: BallProgram, face: int, sign: int, u: Fraction, v: Fraction, half: Fraction = Fraction(0)
) -> list[arb] | None:
    """Sum and product of the radii; None where they are not seen to be finite."""
    gamma = _direction(face, sign, u, v, half)
    found = answer(ask(program.run, {(n, 0): x for n, x in zip(NORMAL, gamma, strict=True)}))
    return found if found is not None and all(x.is_finite() for x in found) else None
