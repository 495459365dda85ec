"""The Taylor polynomials of a motion y' = X(y) at a state of Q, along directions: with fractions, or balls.

In a chart y of Q, with X(y₀ + r u) = Σ r^k X_k(u): the dependent positions and velocities are series in r
that solve φ = 0, f = 0 order by order, then accelerations and multipliers z those that solve K z + r = 0,
with the matrices at y₀ alone. Directions may be complex, since X is analytic where this succeeds; where a
function is not, or has no rational value and fractions were asked for, a
NoSeriesError is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import acb, acb_mat, acb_series, fmpq, fmpq_mat, fmpq_series

from chetaev.analysis.linear.exact_slopes import ExactSlopes
from chetaev.analysis.linear.exact_state import exact_state
from chetaev.analysis.linear.local_chart import LocalChart
from chetaev.errors import ExhaustedError
from chetaev.expr.exact import Element, Field
from chetaev.expr.exact.numbers.balls import constant_ball
from chetaev.expr.graph.node import Expr, ImplicitNumber
from chetaev.expr.graph.program import Arithmetic, Operation, run
from chetaev.expr.graph.table import DataTable
from chetaev.laws.standpoint import Standpoint
from chetaev.model.system import System

Vector = list[Any]
DEGREE = 3
ANALYTIC = ("sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "sqrt")
BITS = 256


class NoSeriesError(ExhaustedError):
    """A motion without a series here, as far as this kind of numbers tells."""


@dataclass(frozen=True)
class Ring:
    """Numbers, matrices and power series of one kind."""

    number: Callable[[Any], Any]
    value: Callable[[Element], Any]
    matrix: Callable[[list[list[Any]]], Any]
    series: Callable[[list[Any]], Any]

    def solve(self, rows: Sequence[Sequence[Any]], right: Sequence[Any]) -> Vector:
        """x with A x = b; a NoSeriesError where A may be singular."""
        if not rows:
            return []
        try:
            found = self.matrix([list(r) for r in rows]).solve(self.matrix([[x] for x in right]))
        except ZeroDivisionError:
            raise NoSeriesError("a matrix may be singular") from None
        return [row[0] for row in found.tolist()]


def _fraction(e: Element) -> fmpq:
    x = e.as_fraction()
    if x is None:
        raise NoSeriesError("not rational")
    return fmpq(x.numerator, x.denominator)


FRACTIONS = Ring(
    lambda x: fmpq(x.numerator, x.denominator) if isinstance(x, Fraction) else fmpq(x),
    _fraction,
    fmpq_mat,
    lambda c: fmpq_series(c, prec=DEGREE + 1),
)
BALLS = Ring(
    lambda x: acb(fmpq(x.numerator, x.denominator)) if isinstance(x, Fraction) else acb(x),
    lambda e: acb(e.evaluate({}, BITS)),
    acb_mat,
    lambda c: acb_series(c, prec=DEGREE + 1),
)


class TaylorOfMotion:
    """X_1(u), X_2(u), X_3(u) of the motion of the coordinates `kept` of a chart, at the state of a system."""

    def __init__(
        self, system: System, chart: LocalChart, kept: Sequence[int], view: Standpoint, field: Field,
        ring: Ring,
    ) -> None:  # fmt: skip
        self.ring, self.chart, self.kept, self.size = ring, chart, list(kept), len(system.coordinates)
        slopes = ExactSlopes(system)
        names = [(c, k) for k in (0, 1) for c in system.coordinates]
        state = exact_state(system, view, field)
        self.names, self.time = names, (system.time, 0)
        self.now = ring.series([ring.value(field(state[self.time]))])
        self.start = [ring.value(field(state[k])) for k in names]
        self.held = view.apply([row[0] for row in slopes.held])
        self.K = [view.apply(row) for row in slopes.K]
        self.rest = view.apply([row[0] for row in slopes.rest])
        point = slopes.at(field, view, state)
        self.G = [[ring.value(row[j]) for j in chart.dependent] for row in point.held]
        self.K_at = [[ring.value(e) for e in row] for row in point.K]
        self.series = _Series(ring)

    def along(self, direction: Sequence[Any]) -> list[Vector]:
        """X_1(u), X_2(u), X_3(u)."""
        ring, chart = self.ring, self.chart
        orders = [[x] + [ring.number(0)] * DEGREE for x in self.start]
        for i, x in zip(self.kept, direction, strict=True):
            orders[chart.places[i]][1] = x
        for k in range(1, DEGREE + 1):
            missed = [-s[k] for s in self._values(self.held, orders)]
            for j, x in zip(chart.dependent, ring.solve(self.G, missed), strict=True):
                orders[j][k] = x
        flat = self._values([*self.rest, *(e for row in self.K for e in row)], orders)
        rest, n = flat[: len(self.rest)], len(self.rest)
        K = [flat[n * (i + 1) : n * (i + 2)] for i in range(n)]
        z: list[Vector] = []
        for k in range(DEGREE + 1):
            known = [[K[i][j][k - o] * z[o][j] for o in range(k) for j in range(n)] for i in range(n)]
            right = [-x[k] - sum(terms, ring.number(0)) for x, terms in zip(rest, known, strict=True)]
            z.append(ring.solve(self.K_at, right))
        rates = [
            [orders[self.size + i][k] for i in range(self.size)] + z[k][: self.size]
            for k in range(DEGREE + 1)
        ]
        at_rest, *found = [[row[chart.places[i]] for i in self.kept] for row in rates]
        if not all(x.contains(0) if isinstance(x, acb) else x == 0 for x in at_rest):
            raise NoSeriesError("the state is rounded, and exactly it is none at rest")
        return found

    def _values(self, graphs: Sequence[Expr], orders: Sequence[Vector]) -> list[Any]:
        values = {k: self.ring.series(x) for k, x in zip(self.names, orders, strict=True)}
        return run(graphs, self.series, {**values, self.time: self.now})


class _Series(Arithmetic):
    """Power series over a ring."""

    def __init__(self, ring: Ring) -> None:
        self.ring = ring

    def number(self, value: Fraction) -> Any:
        return self.ring.series([self.ring.number(value)])

    def constant(self, name: str | ImplicitNumber) -> Any:
        if self.ring is FRACTIONS:
            raise NoSeriesError("not rational")
        return self.ring.series([acb(constant_ball(name))])

    def power(self, base: Any, exponent: Any, written: Fraction | None) -> Any:
        if written is None:
            return (exponent * base.log()).exp()
        if written.denominator == 1:
            return (base if written >= 0 else 1 / base) ** abs(int(written))
        root = base.sqrt() if written.denominator == 2 else (base.log() / written.denominator).exp()
        return root**written.numerator

    def function(self, name: str, args: Sequence[Any]) -> Any:
        if name in ("sinh", "cosh", "tanh"):
            up = args[0].exp()
            down = 1 / up
            plus, minus = (up + down) / 2, (up - down) / 2
            return {"sinh": minus, "cosh": plus}.get(name, minus / plus)
        if name not in ANALYTIC or not hasattr(args[0], name):
            raise NoSeriesError(f"no series of {name}")
        return getattr(args[0], name)()

    def table(self, data: DataTable, u: Any) -> Any:
        raise NoSeriesError("no series of a table")

    def operation(self, op: str) -> Operation:
        """One step; FLINT says by a ValueError that the result is no series."""
        found = super().operation(op)

        def step(args: Sequence[Any], value: Any) -> Any:
            try:
                return found(args, value)
            except ValueError as error:
                raise NoSeriesError(str(error)) from None

        return step
