"""Criteria of stability as inequalities in the parameters: Routh and Hurwitz, exact (SCOPE M3, M6).

A factor p(s) of the characteristic polynomial whose coefficients are functions of parameters (and of
constant velocities) has all roots on the left exactly if Hurwitz's determinants are positive. Where p is
even, p(s) = q(s²), as it is for conservative motions, no root lies on the left only; none lies on the right
exactly if all roots of q are real and not positive: then the strict inequalities say that q has positive
coefficients and a Hermite form (Hankel matrix of power sums) that is positive definite, so that all roots
are imaginary and simple.

An inequality is shown as a product of what can change sign: squares, and factors that are positive for
positive parameters, are left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chetaev.expr.exact import Element
from chetaev.expr.exact.field.field import Generator
from chetaev.expr.exact.functions.radicals import factors
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.graph.node import Expr
from chetaev.results import PlainData

ASYMPTOTIC = "all eigenvalues lie on the left: asymptotically stable"
SPECTRAL = "no eigenvalue lies on the right: necessary for stability"
MOST_DEGREE = 8


@dataclass(frozen=True)
class Criteria(PlainData):
    """Inequalities e > 0 that hold together where the statement `says` is true, up to their boundaries.

    Attributes
    ----------
    conditions
        The expressions e.
    says
        What they are equivalent to: exactly if all eigenvalues are to lie on the left, otherwise up to their
        boundaries, where an eigenvalue may lie on the imaginary axis.
    assumed
        Symbols that were taken to be positive.
    holds
        False if some condition cannot hold at all for such symbols; None otherwise.
    zeros
        How many eigenvalues are zero whatever the parameters are; they are set aside.
    unless
        Functions whose zeros are left out: where `holds` is False the boundaries of the conditions, of which
        nothing is said; else zeros of squares in the conditions, where not all eigenvalues lie on the left.
    """

    conditions: tuple[Expr, ...]
    says: str
    assumed: tuple[str, ...]
    holds: bool | None
    zeros: int
    unless: tuple[Expr, ...] = ()

    facts = "says holds zeros"

    def __str__(self) -> str:
        edge = " or ".join(f"{e} = 0" for e in self.unless)
        if self.holds is False:
            listed = "never" + (f", except perhaps where {edge}" if edge else "")
        else:
            listed = " and ".join(f"{e} > 0" for e in self.conditions) or "always"
            listed += ", up to the boundary" if self.is_open else ""
            listed += f", unless {edge}" if edge else ""
        beside = f", {self.zeros} zero{'' if self.zeros == 1 else 's'} aside" if self.zeros else ""
        whose = f" (for {', '.join(self.assumed)} > 0)" if self.assumed else ""
        return f"{listed}: {self.says}{beside}{whose}"

    @property
    def is_open(self) -> bool:
        """Whether the conditions are sufficient, and necessary with ≥ instead of > only."""
        return bool(self.conditions) and self.says == SPECTRAL

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return super().to_json() | {
            "conditions": [f"{e} > 0" for e in self.conditions],
            "assumed_positive": list(self.assumed),
            "unless": [f"{e} = 0" for e in self.unless],
        }


def criteria(polynomials: Sequence[Sequence[Element]], positive: Sequence[str]) -> Criteria | None:
    """The criteria for some factors of a characteristic polynomial; None where they are too long."""
    zeros = 0
    conditions: list[Element] = []
    asymptotic = True
    for coefficients in polynomials:
        low = next(i for i, c in enumerate(coefficients) if not c.is_zero)
        zeros += low
        rest = [c / coefficients[-1] for c in coefficients[low:]]
        if len(rest) - 1 > MOST_DEGREE:
            return None
        if len(rest) == 1:
            continue
        if all(c.is_zero for c in rest[1::2]):
            asymptotic = False
            conditions += _imaginary(rest[::2])
        else:
            conditions += _hurwitz(rest)
    asymptotic = asymptotic and not zeros
    shown: list[Element] = []
    holds: bool | None = None
    failing: list[list[Element]] = []  # for each condition that never holds, where it is 0
    squares: list[Element] = []
    for c in conditions:
        sign, product, even = _essential(c, positive)
        squares += [e for e in even if e not in squares]
        if product is None:
            if sign < 0:
                holds = False
                failing.append(even)
            continue
        e = product * sign
        if not any(e == other for other in shown):
            shown.append(e)
    shown = [
        e
        for i, e in enumerate(shown)
        if not any(i != j and _side(e - other, positive) > 0 for j, other in enumerate(shown))
    ]  # what follows from another one is left out
    used = {n for e in shown for n, _ in e.symbols} | {n for c in conditions for n, _ in c.symbols}
    says = ASYMPTOTIC if asymptotic else SPECTRAL
    assumed = tuple(n for n in positive if n in used)
    unless = squares if asymptotic else []
    if holds is False:
        unless = _common_zeros(failing)
    elif shown:  # what is a factor of a condition is not 0 where the condition holds
        odd = [f for e in shown for f, _ in factors(e.field, e.numerator)[1]]
        unless = [e for e in unless if e not in odd and -e not in odd]
    edge = tuple(e.to_expr() for e in unless)
    return Criteria(tuple(e.to_expr() for e in shown), says, assumed, holds, zeros, edge)


def _common_zeros(lists: Sequence[Sequence[Element]]) -> list[Element]:
    """Functions one of which is 0 exactly where every list has a zero: what is in all of them, and the sum of
    the squares of the products of what is left.
    """
    common = [e for e in lists[0] if all(e in other for other in lists)]
    rest = [[e for e in one if e not in common] for one in lists]
    if not all(rest):
        return common
    products = [math.prod(one[1:], start=one[0]) for one in rest]
    return [*common, sum((e * e for e in products[1:]), products[0] * products[0])]


def _hurwitz(a: Sequence[Element]) -> list[Element]:
    """Hurwitz's determinants of s^n + a_{n−1} s^{n−1} + … + a_0, a from a_0 upwards."""
    n = len(a) - 1
    zero = a[0].field.zero

    def entry(i: int, j: int) -> Element:
        k = n - (2 * (j + 1) - (i + 1))  # row i, column j: coefficient of s^{n - (2j - i)}
        return a[k] if 0 <= k <= n else zero

    found = [
        linear.determinant([[entry(i, j) for j in range(size)] for i in range(size)]) for size in range(1, n)
    ]
    return [*found, a[0]]


def _imaginary(b: Sequence[Element]) -> list[Element]:
    """All roots of x^n + b_{n−1} x^{n−1} + … + b_0 are real, simple and negative."""
    n = len(b) - 1
    found = list(b[:-1])[::-1]
    if n == 1:
        return found
    sums = _power_sums(b, 2 * n - 1)
    for size in range(2, n + 1):
        found.append(linear.determinant([[sums[i + j] for j in range(size)] for i in range(size)]))
    return found


def _power_sums(b: Sequence[Element], count: int) -> list[Element]:
    """Newton's identities: p_0, p_1, … of the roots of a monic polynomial."""
    n = len(b) - 1
    field = b[0].field
    sums = [field.one * n]
    for k in range(1, count):
        total = sum((b[n - i] * sums[k - i] for i in range(1, min(k, n + 1))), field.zero)
        sums.append(-(total + b[n - k] * k) if k <= n else -total)
    return sums


def _essential(e: Element, positive: Sequence[str]) -> tuple[int, Element | None, list[Element]]:
    """The sign and the factors of e that decide its sign; None if nothing is left that can change it. Last,
    the factors with even exponents that may vanish.
    """
    field = e.field
    whole = field.polynomial(field.tower.multiply(e.numerator, e.denominator))
    k, parts = factors(field, whole.numerator)
    sign = 1 if k > 0 else -1
    product: Element | None = None
    squares = []
    for f, exponent in parts:
        side = _side(f, positive)
        if exponent % 2 == 0:
            squares += [] if side else [f]
            continue
        if side:
            sign *= side
        else:
            product = f if product is None else product * f
    return sign, product, squares


def _side(f: Element, positive: Sequence[str]) -> int:
    """±1 if a polynomial in positive symbols and even powers of others has coefficients of one sign."""
    field = f.field
    signs = set()
    for monomial, c in field.tower.terms(field.tower.project(f.numerator)):
        for k, exponent in monomial:
            g = field.generators[k]
            plain = g.kind == "root" or (g.kind == "symbol" and g.name in {(n, 0) for n in positive})
            if not plain and (exponent % 2 or g.kind != "symbol"):
                return 0
        strict = all(_is_positive(field.generators[k], positive) for k, _ in monomial)
        signs.add((1 if c > 0 else -1, strict))
    sides = {s for s, _ in signs}
    return sides.pop() if len(sides) == 1 and any(strict for _, strict in signs) else 0


def _is_positive(generator: Generator, positive: Sequence[str]) -> bool:
    """Whether a generator is a positive symbol, or a root of what is positive."""
    if generator.kind == "root":
        return _side(generator.args[0], positive) > 0
    return generator.name in {(n, 0) for n in positive}
