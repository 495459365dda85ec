"""Least squares, kernels, pivots and determinants against numpy's, on matrices of every rank."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chetaev import numeric


@st.composite
def matrices(draw):
    """Matrices of small whole numbers, of any rank, scaled by powers of ten."""
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    rank = draw(st.integers(0, min(rows, columns)))
    whole = st.integers(-4, 4)
    left = np.array(draw(st.lists(whole, min_size=rows * rank, max_size=rows * rank)), dtype=float)
    right = np.array(draw(st.lists(whole, min_size=rank * columns, max_size=rank * columns)), dtype=float)
    product = (left.reshape(rows, rank)[:, :, None] * right.reshape(rank, columns)).sum(axis=1)
    return product * 10.0 ** draw(st.integers(-200, 200))


@given(matrices(), st.integers(0, 9))
def test_least_squares_are_numpys(A, seed):
    b = np.random.default_rng(seed).integers(-5, 6, A.shape[0]) * (abs(A).max() or 1)
    expected = np.linalg.lstsq(A, b, rcond=1e-10)[0]
    found = numeric.least_squares(A, b, rcond=1e-10)
    assert np.allclose(found, expected, rtol=1e-9, atol=1e-9 * (1 + abs(expected).max()))


@given(matrices())
def test_ranks_and_singular_values_are_numpys(A):
    expected = np.linalg.svd(A, compute_uv=False)
    assert np.allclose(numeric.singular_values(A), expected, rtol=1e-12, atol=1e-14 * expected[0])
    rank = int((expected > 1e-10 * expected[0]).sum())
    assert numeric.numerical_rank(A, 1e-10) == rank
    K = numeric.kernel(A, 1e-10)
    assert K.shape == (A.shape[1], A.shape[1] - rank)
    assert np.allclose(K.T @ K, np.eye(K.shape[1]), atol=1e-13)
    assert np.allclose(A @ K, 0, atol=1e-12 * (expected[0] or 1))
    assert len(numeric.pivot_columns(A, 6, 1e-10 * expected[0])) == rank
    rows = numeric.independent_rows(A / (expected[0] or 1), 1e-9)
    assert len(rows) == rank == np.linalg.matrix_rank(A[rows] / (expected[0] or 1), tol=1e-9)


def test_small_singular_values_beside_large_ones_are_accurate():
    A = np.diag([1.0, 1e-9, 1e-30]) + np.triu(np.full((3, 3), 1e-40), 1)
    assert numeric.singular_values(A).tolist() == pytest.approx([1.0, 1e-9, 1e-30], rel=1e-12)


def test_large_matrices():
    rng = np.random.default_rng(1)
    A, b = rng.normal(size=(40, 70)), rng.normal(size=40)
    assert np.allclose(numeric.least_squares(A, b), np.linalg.lstsq(A, b, rcond=None)[0])
    assert np.allclose(numeric.singular_values(A), np.linalg.svd(A, compute_uv=False))
    square = A[:, :40]
    assert np.allclose(numeric.inverse(square), np.linalg.inv(square))


def test_a_matrix_without_inverse_is_refused():
    with pytest.raises(numeric.SingularMatrixError, match="no inverse"):
        numeric.inverse(np.array([[1.0, 2.0], [2.0, 4.0]]))


def test_what_is_equal_up_to_roundoff_is_told_apart_by_its_place():
    """sin² + cos² twice: the last bits of two equal lengths are no reason for a choice."""
    for wobble in (-1e-15, 0.0, 1e-15):
        A = np.array([[1.0, 0.0, 1.0 + wobble], [0.0, 1.0 + wobble, 0.0]])
        assert numeric.pivot_columns(A, 2) == [0, 1]
        assert numeric.largest_minor(A, [(1, 2), (0, 1)]) == 0


def test_nothing_overflows():
    assert numeric.norm([3e300, 4e300]) == 5e300
    assert numeric.norm([3e-300, 4e-300]) == pytest.approx(5e-300, rel=1e-15)
    assert numeric.norm([]) == 0.0


@given(matrices(), st.lists(st.integers(-30, 30), min_size=6, max_size=6))
def test_units_of_rows_change_no_rank(A, powers):
    A = A / (abs(A).max() or 1)
    rank = int(np.linalg.matrix_rank(A, tol=1e-9))
    scaled = A * 10.0 ** np.array(powers[: len(A)])[:, None]
    assert numeric.numerical_rank(numeric.unit_rows(scaled)) == rank
    rows, columns = numeric.regular_minor(scaled)
    assert len(rows) == len(columns) == rank
    assert np.linalg.matrix_rank(A[np.ix_(rows, columns)], tol=1e-9) == rank


@given(matrices(), st.integers(0, 9))
def test_the_restricted_rank_is_that_of_the_product(A, seed):
    W = np.linalg.qr(A if A.shape[0] >= A.shape[1] else A.T)[0]
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], len(W))
    expected = np.linalg.matrix_rank(W.T @ np.diag(signs) @ W, tol=1e-9)
    assert numeric.restricted_rank(np.diag(signs), W) == expected
    assert numeric.restricted_rank(np.diag(1e-40 * signs), W) == expected


def test_newton_reaches_a_double_root_and_dependent_rows():
    x = numeric.onto(
        lambda x: (np.array([x[0] ** 2 + x[1] ** 2 - 1, 2 * x[0] ** 2 + 2 * x[1] ** 2 - 2]),
                   np.array([2 * x, 4 * x])),
        np.array([3.0, 4.0]),
    )  # fmt: skip
    assert x == pytest.approx([0.6, 0.8])
    x = numeric.onto(lambda x: ((x - 1) ** 2, np.diag(2 * (x - 1))), np.array([2.0]))
    assert x == pytest.approx([1.0], abs=1e-8)
    assert numeric.onto(lambda x: (x**2 + 1, np.diag(2 * x)), np.array([2.0])) is None
    assert numeric.onto(lambda x: (np.log(x), np.diag(1 / x)), np.array([-2.0])) is None
    x, left = numeric.descended(
        lambda x: (x[:1] * x[1:] - 6, np.array([[x[1], x[0]]])), np.array([1.0, 2.0]), [0]
    )
    assert (list(x), left) == ([3.0, 2.0], 0.0)


def test_many_columns_have_the_bits_of_each_alone() -> None:
    rng = np.random.default_rng(5)
    for rows, columns in ((1, 9), (3, 8), (40, 2)):
        A, x = rng.normal(size=(rows, columns)), rng.normal(size=(columns, 30))
        together = numeric.times(A, x)
        assert np.array_equal(together, np.stack([numeric.times(A, one) for one in x.T], axis=1))
        assert np.allclose(together, A @ x)
