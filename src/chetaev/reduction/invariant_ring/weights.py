"""Weights of a linear action: joint eigenvalues of a Cartan subalgebra, by rational linear algebra.

Eigenvalues a and ±√s with rational a, s are had without number fields: √s = k √c with a square-free integer
c, and √c for different c are independent over the rationals, so a weight is the vector of its k by
(matrix, c). Where H_j² = s_j and H_k² = s_k with the same c, the eigenvalues of H_j H_k are rational and say
which signs go together. A torus has no roots.

>>> from flint import fmpq_mat
>>> turn = fmpq_mat([[0, -2, 0], [2, 0, 0], [0, 0, 0]])
>>> structure((turn,)).weights
((-1,), (0,), (1,))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import gcd, lcm
from typing import Any

from flint import fmpq, fmpq_mat, fmpz

from chetaev.reduction.invariant_ring.polynomials import nullspace, solve

Weight = tuple[int, ...]


@dataclass(frozen=True)
class Structure:
    """What is known of a Lie algebra of matrices."""

    weights: tuple[Weight, ...]
    """Of the representation, with their multiplicities."""
    is_torus: bool
    """Whether it has no roots."""
    vectors: int | None = None
    """n if the action is a multiple of that of 𝔰𝔬(n) on vectors; None otherwise."""


class _UnknownError(Exception):
    """Weights that are not found by these means."""


def structure(generators: Sequence[fmpq_mat]) -> Structure | None:
    """The structure of the algebra that the matrices span; None if it is not found."""
    basis = independent_matrices(generators)
    try:
        brackets = structure_constants(basis)
        if brackets is None:
            return None
        cartan = _cartan(basis, brackets)
        if cartan is None:
            return None
        elements = [_combination(c, basis) for c in cartan]
        weights = _joint_weights(elements)
        adjoint = [_adjoint(c, brackets) for c in cartan]
        roots = _joint_weights(adjoint)
    except _UnknownError:
        return None
    return _assembled(weights, roots, len(cartan), basis)


def _assembled(
    weights: list[dict[Any, Fraction]], roots: list[dict[Any, Fraction]], rank: int, basis: Sequence[fmpq_mat]
) -> Structure | None:
    keys = sorted({k for w in (*weights, *roots) for k in w})
    scale = {k: lcm(1, *(w.get(k, Fraction(0)).denominator for w in (*weights, *roots))) for k in keys}

    def vector(w: dict[Any, Fraction]) -> Weight:
        return tuple(int(w.get(k, Fraction(0)) * scale[k]) for k in keys)

    whole = _shortened([vector(w) for w in (*weights, *roots)])
    own, ad = sorted(whole[: len(weights)]), whole[len(weights) :]
    nonzero = [r for r in ad if any(r)]
    if len(ad) - len(nonzero) != rank:
        return None
    return Structure(tuple(own), not nonzero, _vectors(own, nonzero, len(basis)) if nonzero else None)


def _shortened(vectors: list[Weight]) -> list[Weight]:
    """Divided by the common divisor of each component."""
    if not vectors:
        return vectors
    divisors = [gcd(*column) or 1 for column in zip(*vectors, strict=True)]
    return [tuple(x // d for x, d in zip(v, divisors, strict=True)) for v in vectors]


def _vectors(weights: Sequence[Weight], roots: Sequence[Weight], dimension: int) -> int | None:
    """n if weights are c times ±ε_i (and 0) and the roots those of 𝔰𝔬(n): characters settle that."""
    n = next((n for n in range(3, dimension + 3) if n * (n - 1) // 2 == dimension), None)
    if n is None or len(weights) % n:
        return None
    copies = len(weights) // n
    zero = (0,) * len(weights[0])
    kinds = sorted(set(weights) - {zero})
    if len(kinds) != 2 * (n // 2) or any(weights.count(w) != copies for w in kinds):
        return None
    if weights.count(zero) != copies * (n % 2):
        return None
    ends = {w: tuple(-x for x in w) for w in kinds}
    if any(minus not in ends for minus in ends.values()):
        return None
    expected = {_sum(a, b) for a in kinds for b in kinds if b not in (a, ends[a])}
    expected |= set(kinds) if n % 2 else set()
    return n if expected == set(roots) and len(expected) == len(roots) else None


def _sum(a: Weight, b: Weight) -> Weight:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def independent_matrices(matrices: Sequence[fmpq_mat]) -> list[fmpq_mat]:
    """Those that are no combinations of earlier ones."""
    kept: list[fmpq_mat] = []
    for A in matrices:
        if fmpq_mat([B.entries() for B in (*kept, A)]).rank() > len(kept):
            kept.append(A)
    return kept


def structure_constants(basis: Sequence[fmpq_mat]) -> list[list[list[fmpq]]] | None:
    """c^k_ij with [A_i, A_j] = c^k_ij A_k; None if a bracket is no combination."""
    if not basis:
        return None
    columns = fmpq_mat([list(row) for row in zip(*(A.entries() for A in basis), strict=True)])
    table = []
    for A in basis:
        row = []
        for B in basis:
            found = solve(columns, (A * B - B * A).entries())
            if found is None:
                return None
            row.append(found)
        table.append(row)
    return table


def _cartan(basis: Sequence[fmpq_mat], c: list[list[list[fmpq]]]) -> list[list[fmpq]] | None:
    """Commuting elements that are their own centralizer: given ones, else one that is generic."""
    n = len(basis)
    for start in range(n):
        chosen = [start]
        for j in range(n):
            if j not in chosen and all(not any(c[i][j]) for i in chosen):
                chosen.append(j)
        elements = [[fmpq(int(k == i)) for k in range(n)] for i in chosen]
        if _centralizer(elements, c) == len(chosen):
            return elements
    generic = [fmpq(i + 1) for i in range(n)]
    return [generic] if _centralizer([generic], c) == 1 else None


def _adjoint(x: Sequence[fmpq], c: list[list[list[fmpq]]]) -> fmpq_mat:
    n = len(x)
    return fmpq_mat(
        [[sum((x[i] * c[i][j][k] for i in range(n)), fmpq(0)) for j in range(n)] for k in range(n)]
    )


def _centralizer(elements: Sequence[Sequence[fmpq]], c: list[list[list[fmpq]]]) -> int:
    rows = [row for x in elements for row in _adjoint(x, c).tolist()]
    return len(elements[0]) - fmpq_mat(rows).rank()


def _combination(x: Sequence[fmpq], basis: Sequence[fmpq_mat]) -> fmpq_mat:
    return sum((A * a for a, A in zip(x, basis, strict=True)), fmpq_mat(basis[0].nrows(), basis[0].ncols()))


def _joint_weights(matrices: Sequence[fmpq_mat]) -> list[dict[Any, Fraction]]:
    """Joint eigenvalues of commuting semisimple matrices, with multiplicities, as {(matrix, c): k}."""
    found = []
    for piece in _pieces(list(matrices), 0):
        piece_size = piece[0].nrows()
        squares = [_eigenvalue(H) for H in piece]
        first: dict[int, int] = {}
        for j, (_, core) in enumerate(squares):
            if core not in (0, 1):
                first.setdefault(core, j)
        for signs in product((1, -1), repeat=len(first)):
            sign = dict(zip(first, signs, strict=True))
            weight: dict[Any, Fraction] = {}
            for j, (k, core) in enumerate(squares):
                if core == 1:
                    weight[j, 1] = k
                elif core:
                    head = first[core]
                    lead = squares[head][0] * sign[core]
                    own = lead if j == head else _entry(piece[head] * piece[j]) / (lead * core)
                    weight[j, core] = own
            found += [weight] * (piece_size // 2 ** len(first))
    return found


def _entry(H: fmpq_mat) -> Fraction:
    """The number that a scalar matrix is."""
    x = H[0, 0]
    return Fraction(int(x.p), int(x.q))


def _eigenvalue(H: fmpq_mat) -> tuple[Fraction, int]:
    """(k, c) for a matrix that is k (c = 1) or whose square is k² c; (0, 0) for zero."""
    polynomial = H.minpoly()
    if polynomial.degree() == 1:
        a = -polynomial[0] / polynomial[1]
        return Fraction(int(a.p), int(a.q)), 1 if a else 0
    s = -polynomial[0] / polynomial[2]
    top, bottom = int(s.p), int(s.q)
    core, root = (1, 1) if top > 0 else (-1, 1)
    for p, e in fmpz(abs(top * bottom)).factor():
        root *= int(p) ** (e // 2)
        core *= int(p) ** (e % 2)
    return Fraction(root, bottom), core


def _pieces(matrices: list[fmpq_mat], j: int) -> Iterator[list[fmpq_mat]]:
    """The matrices on joint eigenspaces over the rationals, also of all products of two."""
    if j < len(matrices):
        yield from _split(matrices, matrices[j], j + 1)
        return
    for i, A in enumerate(matrices):
        for B in matrices[:i]:
            factors = (A * B).minpoly().factor()[1]
            if len(factors) > 1 and all(f.degree() == 1 for f, _ in factors):
                yield from _split(matrices, A * B, j)
                return
    yield matrices


def _split(matrices: list[fmpq_mat], H: fmpq_mat, then: int) -> Iterator[list[fmpq_mat]]:
    for f, e in H.minpoly().factor()[1]:
        if e > 1 or f.degree() > 2 or (f.degree() == 2 and f[1]):
            raise _UnknownError
        value = fmpq_mat(H.nrows(), H.nrows())
        power = _unit(H.nrows())
        for i in range(f.degree() + 1):
            value += power * f[i]
            power = power * H
        yield from _pieces(_restricted(matrices, nullspace(value)), then)


def _unit(n: int) -> fmpq_mat:
    return fmpq_mat([[int(i == j) for j in range(n)] for i in range(n)])


def _restricted(matrices: Sequence[fmpq_mat], basis: Sequence[Sequence[fmpq]]) -> list[fmpq_mat]:
    """The matrices on the span of vectors that they take into itself."""
    K = fmpq_mat([list(v) for v in basis]).transpose()
    gram = K.transpose() * K
    return [gram.inv() * (K.transpose() * (H * K)) for H in matrices]


def hilbert_basis_degree(weights: Sequence[Weight], limit: int = 20_000) -> int | None:
    """The greatest degree of a minimal solution m ≥ 0 of Σ m_i w_i = 0 (Contejean and Devie's algorithm).

    Copies of a weight do not change it: a solution splits as its sum over the copies does. None beyond a
    number of vectors looked at.
    """
    kinds = sorted(set(weights))
    units = [tuple(int(i == j) for j in range(len(kinds))) for i in range(len(kinds))]
    found: list[tuple[int, ...]] = []
    level = {u: kinds[i] for i, u in enumerate(units)}
    looked = 0
    while level:
        solved = [m for m, value in level.items() if not any(value)]
        found += solved
        following: dict[tuple[int, ...], Weight] = {}
        for m, value in level.items():
            if not any(value):
                continue
            for i, w in enumerate(kinds):
                looked += 1
                if looked > limit:
                    return None
                if sum(a * b for a, b in zip(value, w, strict=True)) < 0:
                    new = tuple(a + b for a, b in zip(m, units[i], strict=True))
                    if not any(all(x >= y for x, y in zip(new, s, strict=True)) for s in found):
                        following[new] = tuple(a + b for a, b in zip(value, w, strict=True))
        level = following
    return max((sum(m) for m in found), default=0)
