"""Linear algebra with many digits, against exact fractions."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from chetaev.expr.graph.evaluate import mp_context
from chetaev.numeric import SingularMatrixError
from chetaev.numeric.many_digits import (
    half,
    independent_rows,
    least_norm,
    outside,
    pseudo_inverse,
    singular_kernel,
    solve,
    solve_carefully,
)

mp = mp_context(50)


def numbers(rng: random.Random, rows: int, columns: int) -> list[list[Fraction]]:
    return [[Fraction(rng.randint(-9, 9), rng.randint(1, 5)) for _ in range(columns)] for _ in range(rows)]


def matrix(rows: list[list[Fraction]]):
    return mp.matrix([[mp.mpf(x.numerator) / x.denominator for x in row] for row in rows])


def close(a, b, digits: int = 40) -> bool:
    return all(abs(x - y) < mp.mpf(10) ** -digits * (1 + abs(y)) for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("seed", range(6))
def test_both_solutions_satisfy_the_system_whatever_its_units(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.randint(1, 6)
    A, x = matrix(numbers(rng, n + seed % 2, n)), matrix(numbers(rng, n, 1))
    for j in range(n):
        x[j] *= mp.mpf(10) ** (5 * j)
        for i in range(A.rows):
            A[i, j] *= mp.mpf(10) ** (3 * i - 5 * j)
    for solved in (solve, solve_carefully):
        assert close(solved(mp, A, A * x), x, 35)


def test_a_singular_matrix_is_refused_by_both() -> None:
    A = mp.matrix([[1, 2], [2, 4]])
    A[0, 0] = mp.mpf(1) / 3
    A[0, 1] = mp.mpf(2) / 3
    for solved in (solve, solve_carefully):
        with pytest.raises(SingularMatrixError):
            solved(mp, A, mp.matrix([1, 2]))


def test_only_what_is_beside_the_terms_is_a_rounding_error_for_the_careful_one() -> None:
    A, b = mp.matrix([[1, 1], [1, 1 + mp.mpf(10) ** -30]]), mp.matrix([1, 2])
    assert close(solve_carefully(mp, A, b), [1 - mp.mpf(10) ** 30, mp.mpf(10) ** 30], 15)
    A[1, 1] = 1 + mp.mpf(10) ** -40
    with pytest.raises(SingularMatrixError):
        solve_carefully(mp, A, b)


@pytest.mark.parametrize("seed", range(6))
def test_ranks_of_elimination_and_of_singular_values_agree(seed: int) -> None:
    rng = random.Random(seed)
    rank, rows, columns = rng.randint(0, 3), 4, 5
    P, R = numbers(rng, rows, rank), numbers(rng, rank, columns)
    A = [
        [sum((p * r[j] for p, r in zip(row, R, strict=True)), Fraction(0)) for j in range(columns)]
        for row in P
    ]
    kept, rest = independent_rows([[*row, Fraction(0)] for row in A], Fraction(1, 10**25))
    found, kernel, left = singular_kernel(mp, matrix(A), columns, half(mp))
    assert len(kept) == found
    assert set(rest) == set(range(rows)) - set(kept)
    assert kernel.cols == columns - found
    assert left.cols == rows - found
    assert mp.norm(matrix(A) * kernel) < half(mp)
    assert mp.norm(left.T * matrix(A)) < half(mp)


def test_a_row_that_depends_but_asks_for_more_leaves_what_it_asks() -> None:
    rows = [[1, 2, 3], [2, 4, 7], [0, 1, 1]]
    assert independent_rows([[mp.mpf(x) for x in row] for row in rows], half(mp)) == ([0, 2], {1: 1})


@pytest.mark.parametrize("seed", range(4))
def test_the_shortest_solution_is_that_of_the_pseudo_inverse(seed: int) -> None:
    rng = random.Random(seed)
    C, c = matrix(numbers(rng, 2, 4)), matrix(numbers(rng, 2, 1))
    x = least_norm(mp, C, c)
    assert close(C * x, c)
    assert close(x, pseudo_inverse(mp, C) * c)
    v = matrix(numbers(rng, 4, 1))
    assert mp.norm(C * outside(mp, C, v)) < half(mp)
    with pytest.raises(ZeroDivisionError):
        least_norm(mp, mp.matrix([[1, 2], [2, 4]]), mp.matrix([1, 2]))
