"""Random points, free or on a submanifold Q = {f = 0}, each certified.

All symbols but k get random rational values; the k others are solved from the k constraints by Newton's
method, and the root is proved to exist by interval Newton in ball arithmetic:

    N(X) = m − J(X)⁻¹ f(m) ⊂ interior of X   implies exactly one root in X, and it lies in N(X).

For constraints affine in the solved symbols this is one exact step. Different points use different
solved symbols (charts), different scales and signs. Everything is reproducible from a seed.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from flint import arb, arb_mat, ctx, fmpq

from chetaev.expr.exact.effort import cost
from chetaev.expr.exact.effort.budget import Budget
from chetaev.expr.exact.numbers.balls import BallProgram, OutsideDomainError
from chetaev.expr.graph.node import Expr
from chetaev.expr.graph.program import Name


@dataclass
class Point:
    """A point: chosen rational values, and symbols solved from the constraints (by their midpoints).

    `cost` is what it took to find it, the tries before it in vain included; `prices` those of its boxes.
    """

    chosen: dict[Name, Fraction]
    solved: list[Name] = field(default_factory=list)
    middle: list[arb] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    boxes: dict[int, dict[Name, arb]] = field(default_factory=dict)
    prices: dict[int, int] = field(default_factory=dict)
    cost: int = 0

    def describe(self) -> dict[Name, Fraction | float]:
        """The coordinates, exact where they were chosen."""
        known: dict[Name, Fraction | float] = dict(self.chosen)
        known.update({n: float(m) for n, m in zip(self.solved, self.middle, strict=True)})
        return known


class Sampler:
    """A reproducible source of points.

    `names`: symbols that need values; `constraints`: expressions that are to vanish; `values`: symbols with
    given values; `numbers`: numbers that occur in the expressions: some points are put near them.
    """

    def __init__(
        self,
        names: Sequence[Name],
        constraints: Sequence[Expr] = (),
        values: Mapping[Name, Fraction] | None = None,
        numbers: Sequence[Fraction] = (),
        seed: int = 0,
    ) -> None:
        self.random = random.Random(seed)
        self.values = dict(values or {})
        self.constraints = list(constraints)
        self.program = BallProgram(self.constraints)
        self.names = sorted({*names, *self.program.names} - self.values.keys())
        self.solvable = sorted(set(self.program.names) - self.values.keys())
        self.numbers = [q for q in {*numbers, *self.program.numbers} if abs(q) > 1 and abs(q) < 10**9]
        self.tries = 0
        self.spent = 0
        self.dropped: set[int] = set()

    def draw(self, budget: Budget) -> Point | None:
        """The next point; None if none is found in a number of tries, or for what is left of the effort."""
        before = self.spent
        for _ in range(60 if self.constraints else 1):
            if budget.over:
                return None
            self.tries += 1
            point = Point(self._random_values())
            start = self.spent
            found = not self.constraints or self._solve(point)
            budget.count(self.spent - start)
            if found:
                point.cost = self.spent - before
                return point
        return None

    def _gradients(
        self, balls: Mapping[Name, arb], names: Sequence[Name]
    ) -> tuple[list[arb], list[list[arb]]]:
        self.spent += cost.values(len(self.program.steps), ctx.prec, len(names))
        return self.program.gradients(balls, names)

    def _random_values(self) -> dict[Name, Fraction]:
        mode = (self.tries + 1) % 9
        chosen = {n: self._random_number(mode) for n in self.names}
        chosen.update(self.values)
        return chosen

    def _random_number(self, mode: int) -> Fraction:
        r = self.random
        unit = Fraction(r.randint(1, 9973), 9974 - r.randint(0, 3))
        sign = r.choice((-1, 1))
        if mode == 1:
            return 3 * unit
        if mode == 0:
            return -3 * unit
        if mode == 2:
            return 3 * unit * sign
        if mode == 3:
            return unit
        if mode == 4:
            return 1 + 4 * unit
        if mode == 5 and self.numbers:
            return r.choice(self.numbers) * (1 + sign * unit / 2)
        if mode == 6:
            return sign * unit * r.choice((Fraction(1, 30), 1, 30))
        if mode == 7:
            return sign * unit * r.choice((1, 10, 100, 3000))
        return 2 * unit * sign

    # -- points on Q ---------------------------------------------------------------------------------
    def _solve(self, point: Point) -> bool:
        try:
            with ctx.workprec(80):
                if not self._choose_chart(point) or not self._newton(point, 60):
                    return False
                return self.box(point, 128) is not None
        except OutsideDomainError:
            return False

    def _balls(self, point: Point) -> dict[Name, arb]:
        balls = {n: arb(fmpq(v.numerator, v.denominator)) for n, v in point.chosen.items()}
        balls.update(zip(point.solved, point.middle, strict=True))
        return balls

    def _choose_chart(self, point: Point) -> bool:
        """Pick as many symbols as constraints with an invertible Jacobian, highest order first."""
        balls = self._balls(point)
        _, rows = self._gradients(balls, self.solvable)
        table = [[float(v) if v.is_finite() else 0.0 for v in row] for row in rows]
        sizes = [max(map(abs, row), default=0.0) for row in table]  # constraints may have any factor
        style = self.tries % 3
        top = max((n[1] for n in self.solvable), default=0)
        weights = [
            self.random.uniform(0.2, 1.0) * (1.0 if style == 2 or n[1] == top else 1e-6 if style else 1e-3)
            for n in self.solvable
        ]
        for _ in range(len(table)):
            best = max(
                ((abs(table[a][j]) * weights[j], a, j) for a in range(len(table)) for j in range(len(weights))
                 if a not in point.rows and self.solvable[j] not in point.solved),
                default=(0.0, -1, -1),
            )  # fmt: skip
            _, a, j = best
            if a < 0 or best[0] <= 1e-12 * sizes[a]:
                break
            point.rows.append(a)
            point.solved.append(self.solvable[j])
            for b in range(len(table)):
                if b not in point.rows:
                    ratio = table[b][j] / table[a][j]
                    table[b] = [x - ratio * y for x, y in zip(table[b], table[a], strict=True)]
                    if max(map(abs, table[b]), default=0.0) <= 1e-9 * sizes[b]:
                        table[b] = [0.0] * len(weights)
        point.middle = [balls[n].mid() for n in point.solved]
        for n in point.solved:
            del point.chosen[n]
        return bool(point.rows)

    def _newton(self, point: Point, steps: int) -> bool:
        """Newton's method with midpoints, damped, to the working precision."""
        size = None
        tiny = arb(2) ** (12 - ctx.prec)
        for _ in range(steps):
            values, rows = self._gradients(self._balls(point), point.solved)
            residual = [values[a].mid() for a in point.rows]
            jacobian = arb_mat([[v.mid() for v in rows[a]] for a in point.rows])
            step = _solved(jacobian, arb_mat([[r] for r in residual]))
            moves = [step[i, 0].mid() for i in range(len(point.rows))]
            size = max(float(abs(m)) / (1 + float(abs(x))) for m, x in zip(moves, point.middle, strict=True))
            if not size < 1e12:
                return False
            damp = arb(1) if size < 1 else arb(1) / size
            point.middle = [(x - damp * m).mid() for x, m in zip(point.middle, moves, strict=True)]
            if size < float(tiny):
                return max(float(abs(x)) for x in point.middle) < 1e6
        return False

    def box(self, point: Point, bits: int) -> dict[Name, arb] | None:
        """Balls that contain the coordinates of one true point of Q, at a given precision."""
        found = point.boxes.get(bits)
        if found is None:
            before = self.spent
            try:
                with ctx.workprec(bits + 20):
                    found = self._certify(point, bits) if point.solved else self._balls(point)
            except OutsideDomainError:
                found = None
            point.prices[bits] = self.spent - before
            if found is not None:
                point.boxes[bits] = found
        return found

    def _certify(self, point: Point, bits: int) -> dict[Name, arb] | None:
        if not self._newton(point, 12):
            return None
        balls = self._balls(point)
        middle = dict(zip(point.solved, point.middle, strict=True))
        self.spent += cost.values(len(self.program.steps), ctx.prec)
        values = self.program.run(balls)
        f = arb_mat([[values[a]] for a in point.rows])
        for radius in (bits * 3 // 4, bits // 2, bits // 3):
            wide = dict(balls)
            for n in point.solved:
                wide[n] = arb(middle[n], arb(2) ** (-radius))
            try:
                _, rows = self._gradients(wide, point.solved)
                step = _solved(arb_mat([rows[a] for a in point.rows]), f)
            except OutsideDomainError:
                continue
            result = {n: middle[n] - step[i, 0] for i, n in enumerate(point.solved)}
            if all(wide[n].contains_interior(result[n]) for n in point.solved):
                balls.update(result)
                return balls if self._others_vanish(point, balls) else None
        return None

    def _others_vanish(self, point: Point, balls: dict[Name, arb]) -> bool:
        """Constraints beyond the rank must hold too, as far as the balls show."""
        rest = set(range(len(self.constraints))) - set(point.rows)
        if not rest:
            return True
        self.dropped |= rest
        values = self.program.run(balls)
        return all(values[a].contains(0) for a in rest)


def _solved(matrix: arb_mat, right: arb_mat) -> arb_mat:
    """The solution of a linear system; FLINT says by a ZeroDivisionError that the matrix may be singular."""
    try:
        return matrix.solve(right)
    except ZeroDivisionError:
        raise OutsideDomainError("a matrix may be singular") from None
