"""Strict minima that second derivatives do not show: lowest terms on the kernel of the Hessian (SCOPE M6).

Let V be smooth with V = V_2 + …, V_2 ≥ 0. By the splitting lemma (Gromoll and Meyer 1969) there are
coordinates (y, z), z those of the kernel of V_2, in which V = ½ Σ d_i y_i² + G(z); G(z) = V(y(z), z) with
∂V/∂y = 0, and its Taylor polynomial is found by substitution. Where G has pure powers b_i z_i^{e_i}, all e_i
even and b_i > 0, a term c z^α counts by its weight Σ α_i/e_i: above 1 it is small beside the pure powers;
below 1 it must be even in each z_i with c > 0; of weight 1 it must be that, or be outweighed: |z^α| ≤ Σ
(α_i/e_i) |z_i|^{e_i}. For two z the terms P of weight 1 are positive if P(s, 1) and P(s, −1) have no real
zero. Then G has a strict minimum, and so has V.

The lowest form G_k of G takes negative values if k is odd, or at a witness.

>>> from fractions import Fraction as F
>>> str(lowest({(2, 0): F(1, 2), (1, 2): F(1), (0, 4): F(1)}, 2, 4))  # x²/2 + x y² + y⁴
'minimum, degree 4'
>>> str(lowest({(2, 0): F(1, 2), (1, 2): F(2), (0, 4): F(1)}, 2, 4))
'lower, degree 4'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import lcm, prod
from typing import Any

from flint import fmpz_poly

from chetaev.analysis.steady.real_number import RealNumber

Exponents = tuple[int, ...]
Number = Fraction | RealNumber
Polynomial = dict[Exponents, Number]
Matrix = list[list[Number]]
WITNESSES = (0, 1, -1, 2, -2)


@dataclass(frozen=True)
class Lowest:
    """How a function behaves at a point where its derivatives vanish."""

    kind: str
    """``"minimum"``: a strict one; ``"lower"``: lower values in every neighbourhood."""
    degree: int
    """Of the terms that say so."""
    direction: tuple[Number, ...] = ()
    """For ``"lower"``: along which the lowest terms on the kernel of the Hessian are negative."""

    def __str__(self) -> str:
        return f"{self.kind}, degree {self.degree}"


def lowest(V: Polynomial, variables: int, order: int) -> Lowest | None:
    """What a Taylor polynomial of a certain order at 0 says; None where it says nothing.

    Terms of degree 0 do not count; there must be none of degree 1.
    """
    V = {m: c for m, c in V.items() if c and sum(m) > 0}
    if any(sum(m) == 1 for m in V):
        return None
    hessian = [[_second(V, i, j, variables) for j in range(variables)] for i in range(variables)]
    split = diagonal(hessian)
    if split is None:
        return None
    columns, d = split
    if any(x < 0 for x in d):
        return None  # seen by linear theory
    rank = sum(x > 0 for x in d)
    if rank == variables:
        return Lowest("minimum", 2)
    if not V:
        return None
    G = _on_kernel(_turned(V, columns, order), d[:rank], order)
    if not G:
        return None
    degree = _is_minimum(G, variables - rank)
    if degree is not None:
        return Lowest("minimum", degree)
    witness = _witness(G, variables - rank)
    if witness is None:
        return None
    k, z = witness
    direction = tuple(
        sum((columns[i][rank + j] * x for j, x in enumerate(z)), Fraction(0)) for i in range(variables)
    )
    return Lowest("lower", k, direction)


def diagonal(symmetric: Matrix) -> tuple[Matrix, list[Number]] | None:
    """P and d with Pᵀ H P = diag d, zeros last; None where a minor [[0, h], [h, 0]] shows both signs.

    >>> from fractions import Fraction as F
    >>> diagonal([[F(1), F(1)], [F(1), F(1)]])[1], diagonal([[F(0), F(1)], [F(1), F(0)]])
    ([Fraction(1, 1), Fraction(0, 1)], None)
    """
    n = len(symmetric)
    H = [list(row) for row in symmetric]
    P: Matrix = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]
    for k in range(n):
        pivot = next((i for i in range(k, n) if H[i][i]), None)
        if pivot is None:
            if any(H[i][j] for i in range(k, n) for j in range(k, n)):
                return None
            break
        H[k], H[pivot] = H[pivot], H[k]
        for row in H + P:
            row[k], row[pivot] = row[pivot], row[k]
        for j in range(k + 1, n):
            factor = H[k][j] / H[k][k]
            for row in P + H:
                row[j] -= factor * row[k]
            H[j] = [x - factor * y for x, y in zip(H[j], H[k], strict=True)]
    return P, [H[i][i] for i in range(n)]


def _second(V: Polynomial, i: int, j: int, variables: int) -> Number:
    exponents = tuple((k == i) + (k == j) for k in range(variables))
    return V.get(exponents, Fraction(0)) * (2 if i == j else 1)


def _times(a: Polynomial, b: Polynomial, order: int) -> Polynomial:
    """The product up to a degree."""
    found: Polynomial = {}
    for m, x in a.items():
        for n, y in b.items():
            if sum(m) + sum(n) <= order:
                key = tuple(i + j for i, j in zip(m, n, strict=True))
                found[key] = found.get(key, Fraction(0)) + x * y
    return {m: c for m, c in found.items() if c}


def _composed(V: Polynomial, values: Sequence[Polynomial], order: int) -> Polynomial:
    """V with polynomials in the place of its variables, up to a degree."""
    size = len(next(iter(values[0])))
    one: Polynomial = {(0,) * size: Fraction(1)}
    powers: dict[tuple[int, int], Polynomial] = {}
    total: Polynomial = {}
    for exponents, c in V.items():
        term = {m: x * c for m, x in one.items()}
        for i, e in enumerate(exponents):
            for k in range(1, e + 1):
                if (i, k) not in powers:
                    powers[i, k] = _times(powers.get((i, k - 1), one), values[i], order)
            if e:
                term = _times(term, powers[i, e], order)
        for m, x in term.items():
            total[m] = total.get(m, Fraction(0)) + x
    return {m: c for m, c in total.items() if c}


def _unit(i: int, size: int) -> Exponents:
    return tuple(int(k == i) for k in range(size))


def _turned(V: Polynomial, columns: Matrix, order: int) -> Polynomial:
    """V in the coordinates w of x = P w."""
    n = len(columns)
    return _composed(V, [{_unit(j, n): x for j, x in enumerate(row)} for row in columns], order)


def _on_kernel(V: Polynomial, d: Sequence[Number], order: int) -> Polynomial:
    """G(z) up to a degree, from V = ½ Σ d_i y_i² + R(y, z): y_i = −(∂R/∂y_i)/d_i again and again."""
    n, r = len(next(iter(V))), len(d)
    free = n - r
    zero: Polynomial = {(0,) * free: Fraction(0)}
    z: list[Polynomial] = [{_unit(j, free): Fraction(1)} for j in range(free)]
    if not r:
        return V
    squares = {tuple(2 * k for k in _unit(i, n)) for i in range(r)}
    slopes = []
    for i in range(r):
        slope: Polynomial = {}
        for m, c in V.items():
            if m[i] and m not in squares:
                slope[tuple(e - (k == i) for k, e in enumerate(m))] = c * m[i]
        slopes.append(slope)
    y: list[Polynomial] = [zero] * r
    for _ in range(order):
        y = [
            {m: -c / x for m, c in _composed(s, [*y, *z], order).items()} or zero
            for s, x in zip(slopes, d, strict=True)
        ]
    return _composed(V, [*y, *z], order)


def _is_minimum(G: Polynomial, variables: int) -> int | None:
    """The largest degree of the terms that show a strict minimum; None if they do not."""
    pure: list[int] = []
    for i in range(variables):
        degrees = [sum(m) for m in G if m[i] == sum(m)]
        if not degrees or (e := min(degrees)) % 2 or G[tuple(e * k for k in _unit(i, variables))] < 0:
            return None
        pure.append(e)
    face: Polynomial = {}
    left = {i: G[tuple(e * k for k in _unit(i, variables))] for i, e in enumerate(pure)}
    for m, c in G.items():
        weight = sum((Fraction(a, e) for a, e in zip(m, pure, strict=True)), Fraction(0))
        even = c > 0 and all(a % 2 == 0 for a in m)
        if weight < 1 and not even:
            return None
        if weight == 1:
            face[m] = c
            if not even:
                for i, (a, e) in enumerate(zip(m, pure, strict=True)):
                    left[i] -= (c if c > 0 else -c) * Fraction(a, e)
    outweighed = all(x > 0 for x in left.values())
    if outweighed or (variables == 2 and _is_positive(face)):
        return max(pure)
    return None


def _is_positive(face: Polynomial) -> bool:
    """Whether a quasihomogeneous polynomial in two variables is positive outside of 0."""
    rational = {m: c for m, c in face.items() if isinstance(c, Fraction)}
    if len(rational) < len(face):
        return False  # roots are isolated for rational coefficients
    scale = lcm(*(c.denominator for c in rational.values()))
    for side in (1, -1):
        coefficients = [0] * (max(m[0] for m in face) + 1)
        for m, c in rational.items():
            coefficients[m[0]] += int(c * scale) * side ** m[1]
        roots: Any = fmpz_poly(coefficients).complex_roots()
        if any(z.imag == 0 for z, _ in roots):
            return False
    return True


def _witness(G: Polynomial, variables: int) -> tuple[int, tuple[int, ...]] | None:
    """The degree of the lowest form, and where it is negative."""
    k = min(sum(m) for m in G)
    form = {m: c for m, c in G.items() if sum(m) == k}
    for z in product(WITNESSES, repeat=min(variables, 4)):
        z = (*z, *[0] * (variables - len(z)))
        if sum(c * prod(x**e for x, e in zip(z, m, strict=True)) for m, c in form.items()) < 0:
            return k, z
    return None
