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
    """Inequalities e > 0 that hold together exactly where the statement `says` is true.

    Attributes
    ----------
    conditions
        The expressions e.
    says
        What they are equivalent to, up to their boundaries.
    assumed
        Symbols that were taken to be positive.
    holds
        False if some condition cannot hold at all for such symbols; None otherwise.
    zeros
        How many eigenvalues are zero whatever the parameters are; they are set aside.
    """

    conditions: tuple[Expr, ...]
    says: str
    assumed: tuple[str, ...]
    holds: bool | None
    zeros: int

    facts = "says holds zeros"

    def __str__(self) -> str:
        listed = " and ".join(f"{e} > 0" for e in self.conditions)
        if self.holds is False:
            listed = "never"
        beside = f", {self.zeros} zero{'' if self.zeros == 1 else 's'} aside" if self.zeros else ""
        whose = f" (for {', '.join(self.assumed)} > 0)" if self.assumed else ""
        return f"{listed or 'always'}: {self.says}{beside}{whose}"

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return super().to_json() | {
            "conditions": [f"{e} > 0" for e in self.conditions],
            "assumed_positive": list(self.assumed),
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
    for c in conditions:
        sign, product = _essential(c, positive)
        if product is None:
            if sign < 0:
                holds = False
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
    return Criteria(
        tuple(e.to_expr() for e in shown), says, tuple(n for n in positive if n in used), holds, zeros
    )


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


def _essential(e: Element, positive: Sequence[str]) -> tuple[int, Element | None]:
    """The sign and the factors of e that decide its sign; None if nothing is left that can change it."""
    field = e.field
    whole = field.polynomial(field.tower.multiply(e.numerator, e.denominator))
    k, parts = factors(field, whole.numerator)
    sign = 1 if k > 0 else -1
    product: Element | None = None
    for f, exponent in parts:
        if exponent % 2 == 0:
            continue
        side = _side(f, positive)
        if side:
            sign *= side
        else:
            product = f if product is None else product * f
    return sign, product


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
