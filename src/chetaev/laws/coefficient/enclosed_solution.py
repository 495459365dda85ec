"""Solutions of dC/ds = −C A(s) in numbers with bounds: Taylor series in balls, and a majorant for what
they leave out.

About a point s₀ the coefficients of A are computed in ball arithmetic, those of the solution Φ with Φ(s₀)
= 1 follow,

    (n + 1) Φ_{n+1} = −Σ_k Φ_k A_{n−k} .

If A has no singularity for |s − s₀| ≤ R and ‖A‖ ≤ M there (one evaluation over a complex ball), then by
Cauchy ‖A_n‖ ≤ M R⁻ⁿ, and the solution g = (1 − x/R)^(−MR) of g' = M g/(1 − x/R), g(0) = 1, majorizes Φ:

    ‖Φ_n‖ ≤ g_n = (MR)(MR + 1)…(MR + n − 1)/n! R⁻ⁿ,

so that what is left out for |x| ≤ h < R is at most g_{N+1} h^{N+1}/(1 − r), r = (MR + N)/(N + 1) · h/R <
1. Steps are chained, so every value is a ball that certainly contains it.

>>> from chetaev.expr.graph.node import number, symbol
>>> s = symbol("s")
>>> growth = Enclosed([[number(-1)]], s, Fraction(0))  # dc/ds = c
>>> print(growth.at(Fraction(1))[0][0].str(20))
[2.7182818284590452354 +/- 3.98e-20]
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

from flint import acb, arb, arb_series, ctx

from chetaev.errors import ModelError
from chetaev.expr.exact.effort.ask import answer, ask
from chetaev.expr.exact.numbers.balls import OutsideDomainError, ball_of, constant_ball, whole_power
from chetaev.expr.graph.node import Expr, ImplicitNumber
from chetaev.expr.graph.program import Arithmetic, run
from chetaev.expr.graph.table import DataTable

BITS = 160
ORDER = 48
"""Terms of a Taylor series."""
LARGEST = Fraction(1, 1)
SMALLEST = Fraction(1, 1 << 16)
"""Radii of the discs on which A is bounded."""
REACH = 8
"""A step is this part of the radius."""
MOST_STEPS = 4000

Balls = list[list[arb]]


@dataclass(frozen=True)
class TaylorStep:
    """Φ about one point, and the solution there."""

    centre: Fraction
    reach: Fraction
    """Where the series is used: |s − centre| ≤ reach."""
    coefficients: tuple[Balls, ...]
    """Φ_0, …, Φ_N, matrices of balls."""
    tail: arb
    """A bound of what they leave out."""
    start: Balls
    """C(centre)."""

    def at(self, s: Fraction) -> Balls:
        """C(s)."""
        x = ball_of(s - self.centre)
        n = len(self.start)
        total = self.coefficients[-1]
        for matrix in reversed(self.coefficients[:-1]):
            total = [[total[i][j] * x + matrix[i][j] for j in range(n)] for i in range(n)]
        wide = arb(0, self.tail)
        return _product(self.start, [[e + wide for e in row] for row in total])


class Enclosed:
    """The solution C of dC/ds = −C A(s) with C(start) = 1, rows being solutions.

    `matrix`: A, expressions in the coordinate alone; `coordinate`: s; `start`: where C is the unit matrix.
    """

    def __init__(self, matrix: Sequence[Sequence[Expr]], coordinate: Expr, start: Fraction) -> None:
        self.size = len(matrix)
        self.entries = [e for row in matrix for e in row]
        self.key = coordinate.value
        self.name = str(coordinate)
        self.start = start
        one = [[arb(int(i == j)) for j in range(self.size)] for i in range(self.size)]
        with ctx.workprec(BITS):
            self.right = [self._step(start, one)]
        self.left = list(self.right)

    def at(self, s: Fraction) -> Balls:
        """C(s) as balls; :class:`ModelError` if the way there meets a singularity of A."""
        with ctx.workprec(BITS):
            steps, sign = (self.right, 1) if s >= self.start else (self.left, -1)
            while sign * (s - steps[-1].centre) > steps[-1].reach:
                if len(steps) > MOST_STEPS:
                    raise self._singular(steps[-1].centre)
                last = steps[-1]
                following = last.centre + sign * last.reach
                steps.append(self._step(following, last.at(following)))
            place = bisect_right(
                [sign * (step.centre - self.start) for step in steps], sign * (s - self.start)
            )
            return steps[max(0, place - 1)].at(s)

    def _step(self, centre: Fraction, start: Balls) -> TaylorStep:
        radius, bound = self._disc(centre)
        reach = radius / REACH
        series = self._series(centre)
        coefficients = [[[arb(int(i == j)) for j in range(self.size)] for i in range(self.size)]]
        for n in range(ORDER):
            total = [[arb(0)] * self.size for _ in range(self.size)]
            for k in range(n + 1):
                term = _product(coefficients[k], series[n - k])
                total = [[a + b for a, b in zip(x, y, strict=True)] for x, y in zip(total, term, strict=True)]
            coefficients.append([[-e / (n + 1) for e in row] for row in total])
        return TaylorStep(centre, reach, tuple(coefficients), _tail(bound * ball_of(radius)), start)

    def _disc(self, centre: Fraction) -> tuple[Fraction, arb]:
        """A radius R and a bound of ‖A‖ for |s − centre| ≤ R, with MR small enough for a good tail."""
        radius = LARGEST
        while radius >= SMALLEST:
            r = ball_of(radius)
            box = acb(ball_of(centre) + arb(0, r), arb(0, r))
            values = self._values(box, COMPLEX)
            if values is not None and all(v.is_finite() for v in values):
                sizes = [acb(v).abs_upper() for v in values]
                rows = [sizes[i * self.size : (i + 1) * self.size] for i in range(self.size)]
                bound = max((sum(row, arb(0)) for row in rows), key=lambda x: float(x.upper()))
                if bound * r < 12:
                    return radius, bound
            radius /= 2
        raise self._singular(centre)

    def _series(self, centre: Fraction) -> list[Balls]:
        """The Taylor coefficients of A."""
        with _cap(ORDER + 1):
            values = self._values(arb_series([ball_of(centre), 1], prec=ORDER + 1), REAL_SERIES)
            if values is None:
                raise self._singular(centre)
            columns = []
            for value in values:
                found = (
                    [arb(value)]
                    if isinstance(value, arb)
                    else list((value + arb_series([0], prec=ORDER + 1)).coeffs())
                )
                columns.append(found[: ORDER + 1] + [arb(0)] * (ORDER + 1 - len(found)))
        if any(not x.is_finite() for column in columns for x in column):
            raise self._singular(centre)
        n = self.size
        return [[[columns[i * n + j][k] for j in range(n)] for i in range(n)] for k in range(ORDER + 1)]

    def _values(self, point: Any, arithmetic: _Analytic) -> list[Any] | None:
        return answer(ask(run, self.entries, arithmetic, {self.key: point}))

    def _singular(self, place: Fraction) -> ModelError:
        return ModelError(
            f"the equation of the coefficients is singular near {self.name} = {float(place):.4g}",
            expected=f"a range of {self.name} without singularities that begins at {float(self.start):.4g}",
        )


def _tail(exponent: arb) -> arb:
    """Σ_{n > N} g_n h^n for h = R/REACH, with MR given; independent of R."""
    term = arb(1)
    for n in range(ORDER + 1):
        term = term * (exponent + n) / ((n + 1) * REACH)
    ratio = (exponent + ORDER + 1) / ((ORDER + 2) * REACH)
    if not ratio < 1:
        raise OutsideDomainError("a series that does not converge fast enough")
    return (term / (1 - ratio)).upper()


def _product(a: Balls, b: Balls) -> Balls:
    n = len(b)
    return [[reduce(lambda x, y: x + y, (row[k] * b[k][j] for k in range(n))) for j in range(n)] for row in a]


@contextmanager
def _cap(length: int) -> Iterator[None]:
    """python-flint's own limit for the length of series, for a while."""
    before, ctx.cap = ctx.cap, length
    try:
        yield
    finally:
        ctx.cap = before


# -- graphs on series and on complex balls -----------------------------------------------------------
class _Analytic(Arithmetic):
    """Functions of one variable that are analytic, on power series of balls and on complex balls."""

    def __init__(self, number: Callable[[arb], Any]) -> None:
        self.of_ball = number

    def number(self, value: Fraction) -> Any:
        return self.of_ball(ball_of(value))

    def constant(self, name: str | ImplicitNumber) -> Any:
        return self.of_ball(constant_ball(name))

    def power(self, base: Any, exponent: Any, written: Fraction | None) -> Any:
        if written is None or written.denominator > 2:
            return (_logarithm(base) * exponent).exp()
        whole = whole_power(
            _root(base) if written.denominator == 2 else base, abs(written.numerator), base * 0 + 1
        )
        return whole if written >= 0 else self.quotient(1, whole)

    def quotient(self, a: Any, b: Any) -> Any:
        """A quotient of balls or of series; these have none where the first coefficient of b may be 0."""
        try:
            return a / b
        except (ZeroDivisionError, ValueError) as error:  # so FLINT says it
            raise OutsideDomainError(str(error)) from None

    def function(self, name: str, args: Sequence[Any]) -> Any:
        if len(args) > 1:
            raise OutsideDomainError(f"{name} has no series here")
        (u,) = args
        match name:
            case "sin" | "cos" | "tan" | "exp" | "atan":
                if name == "atan" and isinstance(u, acb):
                    _root(u * u + 1)  # finite only away from the cuts
                return getattr(u, name)()
            case "sqrt":
                return _root(u)
            case "log":
                return _logarithm(u)
            case "sinh":
                return (u.exp() - (-u).exp()) / 2
            case "cosh":
                return (u.exp() + (-u).exp()) / 2
            case "tanh":
                return self.quotient(u.exp() - (-u).exp(), u.exp() + (-u).exp())
            case "asinh":
                return _logarithm(u + _root(u * u + 1))
        raise OutsideDomainError(f"{name} has no series here")

    def table(self, data: DataTable, u: Any) -> Any:
        raise OutsideDomainError("a table of data has no series")


def _root(u: Any) -> Any:
    """√u, where it is analytic on the whole ball."""
    return _finite(u.sqrt(analytic=True)) if isinstance(u, acb) else u.sqrt()


def _logarithm(u: Any) -> Any:
    return _finite(u.log(analytic=True)) if isinstance(u, acb) else u.log()


def _finite(u: acb) -> acb:
    if not u.is_finite():
        raise OutsideDomainError("a branch point is too near")
    return u


REAL_SERIES = _Analytic(lambda x: x)
COMPLEX = _Analytic(acb)
