"""Polynomials in parameters with integer coefficients: strata where some vanish, values modulo p (K22)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from operator import mul as times

from flint import fmpz_mod_mpoly_ctx, fmpz_mpoly, nmod_poly

from chetaev.expr.exact.numbers.number_echelon import modulo
from chetaev.expr.graph.node import ONE, Expr, add, call, mul, neg, number, power, substitute, symbol
from chetaev.laws.search.primes import UnluckyError


@dataclass(frozen=True)
class Stratum:
    """Where some conditions hold: some of the parameters are rational functions of the others."""

    conditions: tuple[fmpz_mpoly, ...]
    """The polynomials that vanish."""
    solved: Mapping[int, tuple[fmpz_mpoly, fmpz_mpoly]]
    """Numerator and denominator by number of the parameter; only parameters that are left occur."""
    left: tuple[int, ...]
    """The numbers of the parameters that are left."""

    def at(self, values: Sequence[int], p: int) -> list[int]:
        """Residues of all parameters from those that are left."""
        size = len(self.left) + len(self.solved)
        point = [0] * size
        for i, x in zip(self.left, values, strict=True):
            point[i] = x
        for i, (above, below) in self.solved.items():
            under = value_at(below, point, p)
            if not under:
                raise UnluckyError
            point[i] = value_at(above, point, p) * pow(under, -1, p) % p
        return point


def through(
    lines: Sequence[tuple[list[int], nmod_poly]], base: Sequence[int], p: int
) -> dict[tuple[int, ...], int]:
    """The polynomial with these values on lines through `base`, its first coefficient 1, by exponents."""
    n, degree = len(base), lines[0][1].degree()
    ring = fmpz_mod_mpoly_ctx.get([f"x{i}" for i in range(n)], p, "lex")  # type: ignore[call-arg, arg-type]
    moved = [x - u for x, u in zip(ring.gens(), base, strict=True)]
    total = ring.constant(0)
    for k in range(degree + 1):
        monomials = [m for m in product(range(k + 1), repeat=n) if sum(m) == k]
        rows = [[*(monomial_at(w, m, p) for m in monomials), int(poly[k])] for w, poly in lines]
        solution = modulo(rows, len(monomials) + 1, p).solution()
        if solution is None or len(solution) != len(monomials):
            raise UnluckyError
        for i, m in enumerate(monomials):
            term = reduce(times, (x**e for x, e in zip(moved, m, strict=True)), ring.constant(1))
            total += int(solution[i]) * term
    found = {tuple(int(e) for e in m): int(c) for m, c in total.to_dict().items()}
    lead = pow(found[max(found)], -1, p)
    return {m: c * lead % p for m, c in found.items()}


def joined(outer: Mapping[str, Expr], inner: Mapping[str, Expr]) -> dict[str, Expr]:
    """Solutions one after the other, the inner ones put into the outer ones."""
    put = {symbol(n): e for n, e in inner.items()}
    return {**{n: substitute([e], put)[0] for n, e in outer.items()}, **inner}


def value_at(poly: fmpz_mpoly, point: Sequence[int], p: int) -> int:
    """The value modulo p."""
    return sum(int(c) * monomial_at(point, m, p) for m, c in poly.to_dict().items()) % p


def monomial_at(values: Sequence[int], exponents: Sequence[int], p: int) -> int:
    """A product of powers modulo p."""
    result = 1
    for x, e in zip(values, exponents, strict=True):
        if e:
            result = result * pow(x, int(e), p) % p
    return result


def is_positive(poly: fmpz_mpoly) -> bool:
    """Whether all exponents are even and all coefficients of one sign, one of them a constant."""
    terms = poly.to_dict()
    signs = {c > 0 for c in terms.values()}
    return len(signs) == 1 and all(e % 2 == 0 for m in terms for e in m) and any(not any(m) for m in terms)


def linear_parts(poly: fmpz_mpoly, i: int) -> tuple[fmpz_mpoly, fmpz_mpoly]:
    """c₀ and c₁ of poly = c₀ + c₁ x_i."""
    slope = poly.derivative(i)
    return poly - slope * poly.context().gens()[i], slope


def put_in(
    pair: tuple[fmpz_mpoly, fmpz_mpoly], i: int, above: fmpz_mpoly, below: fmpz_mpoly
) -> tuple[fmpz_mpoly, fmpz_mpoly]:
    """A quotient with x_i = above/below put in."""
    degree = max(int(e.degrees()[i]) for e in pair)
    ring = above.context()
    found = []
    for poly in pair:
        total = above * 0
        for m, c in poly.to_dict().items():
            rest = [int(e) for e in m]
            k, rest[i] = rest[i], 0
            total += ring.from_dict({tuple(rest): int(c)}) * above**k * below ** (degree - k)
        found.append(total)
    common = found[0].gcd(found[1])
    return found[0] // common, found[1] // common


def expression(poly: fmpz_mpoly, names: Sequence[str]) -> Expr:
    """A polynomial in parameters as an expression."""
    terms = []
    for m, c in poly.to_dict().items():
        factors = [
            power(symbol(n), number(int(e))) if e > 1 else symbol(n)
            for n, e in zip(names, m, strict=True)
            if e
        ]
        size = abs(int(c))
        term = mul(*([number(size)] if size != 1 or not factors else []), *factors)
        terms.append(neg(term) if int(c) < 0 else term)
    return add(*terms) if terms else number(0)


def quotient(above: fmpz_mpoly, below: fmpz_mpoly, names: Sequence[str]) -> Expr:
    """A quotient of polynomials as an expression."""
    top, bottom = expression(above, names), expression(below, names)
    return top if bottom is ONE or str(bottom) == "1" else top / bottom


def branches(poly: fmpz_mpoly, names: Sequence[str]) -> list[dict[str, Expr]]:
    """Both solutions of a quadratic equation for one of the parameters."""
    degrees = [int(e) for e in poly.degrees()]
    chosen = next((i for i, e in enumerate(degrees) if e == 2), None)
    if chosen is None:
        return []
    x = poly.context().gens()[chosen]
    a = poly.derivative(chosen).derivative(chosen)
    b = poly.derivative(chosen) - a * x
    c = 2 * poly - a * x**2 - 2 * b * x  # twice the rest; a is twice the coefficient of x²
    inside = b**2 - a * c
    if inside.is_constant() and int(inside.leading_coefficient()) < 0:
        return []
    roots = call("sqrt", expression(inside, names))
    middle, below = expression(-b, names), expression(a, names)
    return [{names[chosen]: (middle + r) / below if b else r / below} for r in (roots, neg(roots))]
