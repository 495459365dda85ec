"""Equilibria by a certified search in a box, where the equations are no polynomials.

Krawczyk's operator on a box X with midpoint m, Y ≈ F'(m)⁻¹: K(X) = m − Y F(m) + (1 − Y F'(X)) (X − m). If
K(X) lies inside X there is exactly one zero in X; if it misses X, or a component of F excludes 0 on X, there
is none; else X is halved. Arithmetic is that of balls, so that what is said is proved. What is left
undecided after a counted number of boxes is reported as such; zeros in there that Newton's method finds from
a few points are proved in small boxes around them. Where boxes stay undecided around one place, as they do at
the zero of sinh x − x, its plainest point is given, to be asked whether the functions vanish there exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from itertools import product as iterate
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx

from chetaev.errors import ModelError
from chetaev.expr.exact.numbers.balls import BallProgram, OutsideDomainError
from chetaev.expr.graph.node import Expr, ImplicitNumber
from chetaev.numeric import SingularMatrixError, inverse

Name = tuple[str, int]
Box = tuple[tuple[Fraction, Fraction], ...]
MOST_BOXES = 6000
SEEDS = (Fraction(1, 2), Fraction(1, 5), Fraction(4, 5), Fraction(1, 20), Fraction(19, 20))
"""Where Newton's method begins in each range, if boxes stay undecided."""
MOST_SEEDS = 125
MOST_PLACES = 400
MOST_QUOTIENTS = 40
"""Of a continued fraction: one with more is not plain."""
WIDTH = Fraction(1, 10**6)


@dataclass(frozen=True)
class SearchedZeros:
    """Zeros in a box, each unique in a small one around it; how many boxes stayed undecided, and the plainest
    point of each place where they lie together.
    """

    zeros: list[dict[Name, float]]
    undecided: int
    doubtful: list[dict[Name, float]]


def search(
    functions: Sequence[Expr], unknowns: Sequence[Name], box: Mapping[Name, tuple[float, float]]
) -> SearchedZeros:
    """All zeros of as many functions as unknowns in a box."""
    if len(functions) != len(unknowns):
        raise ModelError(
            f"{len(functions)} equations for {len(unknowns)} unknowns, and the equations are no polynomials: "
            "a certified search needs as many equations as unknowns",
            remedy="ch.linearize(system, at=…) judges a state that you know",
        )
    program = BallProgram(functions)
    start: Box = tuple((Fraction(box[u][0]), Fraction(box[u][1])) for u in unknowns)
    queue, count = [start], 0
    left: list[Box] = []
    zeros: list[list[float]] = []
    while queue:
        count += 1
        here = queue.pop(0)
        if count > MOST_BOXES:
            left.append(here)
            continue
        verdict, centre = _judge(program, unknowns, here)
        if verdict == "one":
            assert centre is not None
            if not any(max(abs(a - b) for a, b in zip(z, centre, strict=True)) < 1e-9 for z in zeros):
                zeros.append(centre)
        elif verdict == "halve":
            queue += _halves(here)
        elif verdict == "open":
            left.append(here)
    if left:
        zeros += _seeded(program, unknowns, start, zeros)
    doubtful = [[float(plainest(a, b)) for a, b in place] for place in together(left)]
    return SearchedZeros(
        [dict(zip(unknowns, z, strict=True)) for z in zeros],
        len(left),
        [dict(zip(unknowns, z, strict=True)) for z in doubtful],
    )


class ZeroOfFunctions:
    """A zero that is alone in a small box around doubles, enclosed as narrowly as one likes (Krawczyk)."""

    def __init__(self, program: BallProgram, zero: Mapping[Name, float]) -> None:
        self.program, self.names, self.doubles = program, list(zero), list(zero.values())
        self._known: dict[int, list[arb]] = {}

    def balls(self, bits: int) -> list[arb]:
        """Its coordinates; an OutsideDomainError where no box of that size is seen to hold it."""
        if bits not in self._known:
            with ctx.workprec(2 * bits + 64):
                self._known[bits] = self._enclosed(bits)
        return self._known[bits]

    def _enclosed(self, bits: int) -> list[arb]:
        x = [arb(v) for v in self.doubles]
        for _ in range(max(3, bits.bit_length() - 3)):  # Newton's method doubles the digits
            value, slopes = self._at(x)
            step = _solved(slopes, value).entries()
            x = [arb((a - b).mid()) for a, b in zip(x, step, strict=True)]
        size = max([1.0, *(abs(v) for v in self.doubles)])
        X = [arb(a, size * 2.0 ** max(-1000, -bits)) for a in x]
        value, middle = self._at(x)
        slopes, n = self._at(X)[1], len(x)
        one = arb_mat([[int(i == j) for j in range(n)] for i in range(n)])
        inverse = _solved(arb_mat([[arb(y.mid()) for y in row] for row in middle.tolist()]), one)
        shift = (one - inverse * slopes) * arb_mat([[b - a] for a, b in zip(x, X, strict=True)])
        K = [a - b + c for a, b, c in zip(x, (inverse * value).entries(), shift.entries(), strict=True)]
        if not all(b.contains_interior(k) for b, k in zip(X, K, strict=True)):
            raise OutsideDomainError("a zero that is not enclosed")
        return K

    def _at(self, x: Sequence[arb]) -> tuple[arb_mat, arb_mat]:
        value, slopes = self.program.gradients(dict(zip(self.names, x, strict=True)), self.names)
        return arb_mat([[v] for v in value]), arb_mat(slopes)


class EnclosedNumber(ImplicitNumber):
    """One coordinate of a zero."""

    def __init__(self, zero: ZeroOfFunctions, place: int) -> None:
        self.zero, self.place = zero, place

    def ball(self) -> arb:
        """A ball of the working precision."""
        return self.zero.balls(ctx.prec)[self.place]


def _solved(matrix: arb_mat, right: arb_mat) -> arb_mat:
    """x with A x = b."""
    try:
        return matrix.solve(right)
    except ZeroDivisionError:  # FLINT's word for a matrix that may be singular
        raise OutsideDomainError("a matrix may be singular") from None


def together(boxes: Sequence[Box]) -> list[Box]:
    """The hulls of boxes that touch each other, from the lowest on; no more than `MOST_PLACES`.

    >>> half = Fraction(1, 2)
    >>> together([((half, 1),), ((0, half),), ((3, 4),)]) == [((0, 1),), ((3, 4),)]
    True
    """
    hulls: list[Box] = []
    for box in sorted(boxes):
        if len(hulls) > MOST_PLACES:
            break
        touching = [h for h in hulls if all(a <= d and c <= b for (a, b), (c, d) in zip(h, box, strict=True))]
        hulls = [h for h in hulls if h not in touching]
        hulls.append(tuple((min(p)[0], max(q for _, q in p)) for p in zip(box, *touching, strict=True)))
    return hulls


def plainest(a: Fraction, b: Fraction) -> Fraction:
    """The fraction with the smallest denominator in a ≤ x ≤ b, of these the nearest to 0 (Stern, Brocot).

    >>> print(plainest(Fraction(-1, 9), Fraction(1, 7)), plainest(Fraction(3, 10), Fraction(2, 5)))
    0 1/3
    >>> print(plainest(Fraction(-5, 2), Fraction(-3, 2)))
    -2
    """
    if a <= 0 <= b:
        return Fraction(0)
    if b < 0:
        return -plainest(-b, -a)
    below: list[int] = []
    for _ in range(MOST_QUOTIENTS):
        whole = -(-a.numerator // a.denominator)
        if whole <= b:
            a = Fraction(whole)
            break
        below.append(whole - 1)
        a, b = 1 / (b - below[-1]), 1 / (a - below[-1])
    for n in reversed(below):
        a = n + 1 / a
    return a


def _seeded(
    program: BallProgram, unknowns: Sequence[Name], box: Box, known: list[list[float]]
) -> list[list[float]]:
    """Further zeros, by Newton's method from a grid of points: each proved to be alone in a small box."""
    found: list[list[float]] = []
    for weights in islice(iterate(SEEDS, repeat=len(box)), MOST_SEEDS):
        x = [float(a + (b - a) * w) for (a, b), w in zip(box, weights, strict=True)]
        try:
            for _ in range(4):
                x = _polish(program, unknowns, x)
            if not all(a <= y <= b for (a, b), y in zip(box, x, strict=True)):  # also where it is no number
                continue
            near = [*known, *found]
            if any(max(abs(a - b) for a, b in zip(z, x, strict=True)) < 1e-9 for z in near):
                continue
            small = tuple((Fraction(y) - WIDTH, Fraction(y) + WIDTH) for y in x)
            verdict, centre = _judge(program, unknowns, small)
        except (OutsideDomainError, SingularMatrixError):  # Newton's method leads nowhere from there
            continue
        if verdict == "one" and centre is not None:
            found.append(centre)
    return found


def _halves(box: Box) -> list[Box]:
    widths = [b - a for a, b in box]
    i = widths.index(max(widths))
    a, b = box[i]
    middle = (51 * a + 49 * b) / 100  # not the middle, where solutions like to be
    return [(*box[:i], part, *box[i + 1 :]) for part in ((a, middle), (middle, b))]


def _ball(a: Fraction, b: Fraction) -> arb:
    lower, upper = (arb(x.numerator) / arb(x.denominator) for x in (a, b))
    return lower.union(upper)


def _judge(program: BallProgram, unknowns: Sequence[Name], box: Box) -> tuple[str, list[float] | None]:
    with ctx.workprec(128):
        X = [_ball(a, b) for a, b in box]
        middle = [arb((a + b).numerator) / arb((a + b).denominator) / 2 for a, b in box]
        try:
            values, slopes = program.gradients(dict(zip(unknowns, X, strict=True)), unknowns)
            if any(not y.contains(0) and y.is_finite() for y in values):
                return "none", None
            centre, at_centre = program.gradients(dict(zip(unknowns, middle, strict=True)), unknowns)
        except OutsideDomainError:
            small = max(b - a for a, b in box) < Fraction(1, 1000)
            return ("open" if small else "halve"), None
        J = np.array([[float(y.mid()) for y in row] for row in at_centre])
        try:
            Y = _inverse(J)
        except SingularMatrixError:
            return "halve", None
        n = len(unknowns)
        K = []
        for i in range(n):
            total = middle[i]
            for j in range(n):
                total = total - arb(float(Y[i, j])) * centre[j]
            for j in range(n):
                entry = arb(1 if i == j else 0)
                for k in range(n):
                    entry = entry - arb(float(Y[i, k])) * slopes[k][j]
                total = total + entry * (X[j] - middle[j])
            K.append(total)
        if any(not y.is_finite() for y in K):
            return "halve", None
        if any(not y.overlaps(x) for y, x in zip(K, X, strict=True)):
            return "none", None
        if all(x.contains_interior(y) for x, y in zip(X, K, strict=True)):
            return "one", _polish(program, unknowns, [float(y.mid()) for y in K])
        return "halve", None


def _polish(program: BallProgram, unknowns: Sequence[Name], x: list[float]) -> list[float]:
    for _ in range(6):
        values, slopes = program.gradients({u: arb(v) for u, v in zip(unknowns, x, strict=True)}, unknowns)
        J = np.array([[float(y.mid()) for y in row] for row in slopes])
        step = _inverse(J) @ np.array([float(y.mid()) for y in values])
        x = [a - float(b) for a, b in zip(x, step, strict=True)]
    return x


def _inverse(J: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The inverse; a matrix whose inverse has no finite entries counts as singular."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = inverse(J) if np.isfinite(J).all() else J
    if not np.isfinite(found).all():
        raise SingularMatrixError("the inverse is no matrix of numbers")
    return found
