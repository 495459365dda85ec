"""Identity testing: a program that gives 0 at random points modulo random primes is zero (Schwartz, Zippel).

A rational function N/D of generators (:mod:`.rational_form`) is given by a program, N of degree d at most
with whole coefficients whose sizes add up to 2^h at most: both are computed with the program, step by step,
as products and sums of what its steps are. Let N not be zero. A random prime below 2⁶¹ divides all its
coefficients with probability h/60 over the number of primes; else N vanishes at a random point modulo p with
probability d/p. So one draw of a prime and a point misleads with probability

    ε ≤ d/2⁶⁰ + (h/60)/2⁵³.

With roots r_i² = u_i, i = 1 … m, whose radicands are independent modulo squares, f is zero in the extension
or its norm is not, of 2^m times the degree and the size; so ε is 2^m times as large. That the radicands are
independent is shown: the quadratic characters of independent ones at some points have rank m over GF(2),
those of dependent ones never do. If T points were drawn to have k at which all roots exist, and the program
is 0 at all k, then the error of calling it zero is at most

    (T ε)^k < 2⁻¹²⁸.

A residue refutes nothing: a letter may stand for a function that has more relations.

>>> from chetaev.expr.graph.node import call, symbol
>>> x, y = symbol("x"), symbol("y")
>>> identity = call("sin", x + y) - call("sin", x) * call("cos", y) - call("cos", x) * call("sin", y)
>>> print(identically_zero(identity))
identity testing at 3 points modulo primes, error below 2^-128
>>> identically_zero(identity + x) is None
True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from math import ceil, log2
from random import Random
from typing import Any

from flint import fmpz, nmod_mat

from chetaev.expr.exact.effort.budget import Budget
from chetaev.expr.exact.numbers.rational_form import NoResidueError, RationalForm
from chetaev.expr.exact.numbers.residues import ResidueArithmetic, UnluckyError, root
from chetaev.expr.graph.node import Expr
from chetaev.expr.graph.program import Arithmetic, GraphProgram
from chetaev.expr.graph.table import DataTable

SECURITY = 128
"""The error is below 2 to the power of minus so much."""
MOST_ROOTS = 6
"""Of which all exist at one point of 64."""
SPARE = 24
"""More points than radicands at which the characters of these are looked at."""
PRICE = 10
"""What a step of a program costs, at all points together."""
MOST_POINTS = 40
"""A program so large that it needs more points is not tested."""


@dataclass(frozen=True)
class Identity:
    """That a function is zero, but for an error below 2^−`SECURITY`."""

    points: int

    def __str__(self) -> str:
        return f"identity testing at {self.points} points modulo primes, error below 2^-{SECURITY}"


def identically_zero(
    function: Expr, on: Sequence[Expr] = (), budget: Budget | None = None
) -> Identity | None:
    """That a function is zero, on the equations `on` if there are any; None if that is not shown.

    An error of the family of :class:`~chetaev.errors.ExhaustedError` says what has no residue.
    """
    form = RationalForm([function], on)
    if budget is not None:
        budget.spend(PRICE * len(form.program))
    draw = _Draw(form)
    m = len(form.roots)
    if m > MOST_ROOTS:
        raise NoResidueError(f"{m} roots do not exist at the same points modulo a prime")
    size = _size(form)
    if m and not draw.independent():
        return None
    loss = log2(size.degree / 2.0**60 + (size.height / 60 + 1) / 2.0**53) + m + log2(MOST_POINTS << (m + 4))
    points = ceil(SECURITY / -loss) if loss < -2 else MOST_POINTS + 1
    if points > MOST_POINTS:
        raise NoResidueError(f"a program of degree {size.degree} needs too many points")
    for _ in range(points):
        if draw.value(1 << (m + 4)) != 0:
            return None
    return Identity(points)


class _Draw:
    """Random primes and points, by a seed that the program is."""

    def __init__(self, form: RationalForm) -> None:
        self.form, self.names = form, form.names
        self.radicands = [(r.value, GraphProgram([u])) for r, u in form.roots]
        self.functions = GraphProgram(form.functions)
        text = "\n".join(f"{op} {args} {value}" for op, args, value in form.program.steps)
        self.rng = Random(sha256(text.encode()).digest())

    def prime(self) -> int:
        """A random prime p ≡ 3 mod 4 between 2⁶⁰ and 2⁶¹."""
        while True:
            p = self.rng.randrange(2**60 + 3, 2**61, 4)
            if fmpz(p).is_prime():
                return p

    def point(self) -> tuple[ResidueArithmetic, dict[Any, int]]:
        """A prime and residues for the generators."""
        p = self.prime()
        return ResidueArithmetic(p), {n: self.rng.randrange(p) for n in self.names}

    def take_roots(self, arithmetic: ResidueArithmetic, at: dict[Any, int], count: int) -> None:
        """Residues for the first roots."""
        for r, u in self.radicands[:count]:
            at[r] = root(u.values(arithmetic, at)[0], 2, arithmetic.p)

    def value(self, tries: int) -> int:
        """The function at a point where all roots exist and nothing is divided by 0."""
        for _ in range(tries):
            arithmetic, at = self.point()
            try:
                self.take_roots(arithmetic, at, len(self.radicands))
                return int(self.functions.values(arithmetic, at)[0])
            except UnluckyError:
                continue
        raise NoResidueError("no points at which all roots exist modulo a prime were found")

    def independent(self) -> bool:
        """Whether the radicands are independent modulo squares, those that contain roots over the others."""
        levels: list[list[int]] = []
        level: dict[Expr, int] = {}
        for i, (r, u) in enumerate(self.form.roots):
            inside = set(GraphProgram([u]).names)
            level[r] = 1 + max((level[s] for s in level if s.value in inside), default=-1)
            levels += [[] for _ in range(level[r] + 1 - len(levels))]
            levels[level[r]].append(i)
        return all(self._of_full_rank(group) for group in levels)

    def _of_full_rank(self, group: Sequence[int]) -> bool:
        rows: list[list[int]] = []
        for _ in range((len(group) + SPARE) << min(group[0], MOST_ROOTS)):
            arithmetic, at = self.point()
            p = arithmetic.p
            try:
                self.take_roots(arithmetic, at, group[0])
                values = GraphProgram([self.form.roots[i][1] for i in group]).values(arithmetic, at)
            except UnluckyError:
                continue
            if all(values):
                rows.append([int(pow(v, (p - 1) // 2, p) != 1) for v in values])
        return bool(rows) and nmod_mat(rows, 2).rank() == len(group)


# -- degrees and sizes of the polynomials that a program is --------------------------------------------------
Factors = dict[int, int]
"""What a function is divided by: numbers of divisors, with their exponents."""


@dataclass(frozen=True)
class _Size:
    """N/D: the degree of N, log₂ of the sum of the sizes of its coefficients, and the factors of D."""

    degree: int
    height: float
    below: Factors


_GENERATOR = _Size(1, 0.0, {})


def _size(form: RationalForm) -> _Size:
    """Of the function; a root √(A/B) counts as √(AB)/B, half of what AB is."""
    sizes, at = _Sizes(), dict.fromkeys(form.names, _GENERATOR)
    for r, u in form.roots:
        above = GraphProgram([u]).values(sizes, at)[0]
        degree, height = sizes.below(above.below)
        at[r.value] = _Size(-(-(above.degree + degree) // 2), (above.height + height) / 2, above.below)
    found: _Size = GraphProgram(form.functions).values(sizes, at)[0]
    return found


class _Sizes(Arithmetic):
    """Bounds of degrees and sizes; divisors are kept as factors, so that sums have a common denominator."""

    def __init__(self) -> None:
        self.factors: list[tuple[int, float]] = []
        self.divisors: dict[Any, tuple[int, Any]] = {}

    def below(self, factors: Factors) -> tuple[int, float]:
        """Degree and size of a product of factors."""
        degrees, heights = (sum(e * self.factors[k][i] for k, e in factors.items()) for i in (0, 1))
        return int(degrees), heights

    def _factor(self, key: Any, kept: Any, degree: int, height: float) -> int:
        if key not in self.divisors:
            self.factors.append((degree, height))
            self.divisors[key] = len(self.factors) - 1, kept
        return self.divisors[key][0]

    def number(self, value: Fraction) -> _Size:
        """A number, its denominator a factor."""
        q = value.denominator
        below = {} if q == 1 else {self._factor(("number", q), None, 0, log2(q)): 1}
        return _Size(0, log2(max(1, abs(value.numerator))), below)

    def sum(self, terms: Sequence[_Size]) -> _Size:
        """Over the common denominator."""
        below: Factors = {}
        for a in terms:
            for k, e in a.below.items():
                below[k] = max(e, below.get(k, 0))
        degree, height = 0, 0.0
        for a in terms:
            more = self.below({k: e - a.below.get(k, 0) for k, e in below.items()})
            degree, height = max(degree, a.degree + more[0]), max(height, a.height + more[1])
        return _Size(degree, height + log2(len(terms)), below)

    def product(self, factors: Sequence[_Size]) -> _Size:
        """Nothing is cancelled."""
        below: Factors = {}
        for a in factors:
            for k, e in a.below.items():
                below[k] = e + below.get(k, 0)
        return _Size(sum(a.degree for a in factors), sum(a.height for a in factors), below)

    def negative(self, a: _Size) -> _Size:
        """The same."""
        return a

    def quotient(self, a: _Size, b: _Size) -> _Size:
        """a D/N where b = N/D; that N is a factor from now on, the same one wherever b divides."""
        degree, height = self.below(b.below)
        return self.product([a, _Size(degree, height, {self._factor(id(b), b, b.degree, b.height): 1})])

    def power(self, base: _Size, exponent: Any, written: Fraction | None) -> _Size:
        """A whole power."""
        assert written is not None
        n = abs(int(written))
        factor = base if written >= 0 else self.quotient(_Size(0, 0.0, {}), base)
        return _Size(n * factor.degree, n * factor.height, {k: n * e for k, e in factor.below.items()})

    def constant(self, name: Any) -> Any:
        """None: constants are letters."""
        raise NoResidueError("a constant has been given a letter")

    def function(self, name: str, args: Sequence[Any]) -> Any:
        """None: functions are letters or rational."""
        raise NoResidueError(f"{name} has been given a letter")

    def table(self, data: DataTable, u: Any) -> Any:
        """None."""
        raise NoResidueError("a table of data has no residue")
