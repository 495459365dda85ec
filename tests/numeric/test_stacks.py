"""Many systems at once agree with one at a time."""

from __future__ import annotations

import numpy as np
import pytest

from chetaev import numeric


@pytest.mark.parametrize(("count", "m", "n"), [(1, 1, 1), (7, 4, 4), (30, 9, 5)])
def test_a_stack_is_solved_as_its_members_are(count, m, n):
    rng = np.random.default_rng(count)
    A, b = rng.uniform(-1, 1, (count, m, n)), rng.uniform(-1, 1, (count, m))
    x, ratio = numeric.solve_stack(A, b)
    for member, right, found, bound in zip(A, b, x, ratio, strict=True):
        sizes = numeric.singular_values(member)
        assert sizes[-1] / sizes[0] / n <= bound * (1 + 1e-12) <= sizes[-1] / sizes[0] * (1 + 1e-9)
        assert found == pytest.approx(numeric.least_squares(member, right), abs=1e-12 / bound)


def test_singular_members_do_not_touch_the_others():
    A = np.stack([np.eye(2), np.ones((2, 2)), np.zeros((2, 2)), np.full((2, 2), np.nan)])
    x, ratio = numeric.solve_stack(A, np.ones((4, 2)))
    assert x[0].tolist() == [1.0, 1.0]
    assert not (ratio[1:] > 1e-15).any()


@pytest.mark.parametrize(("m", "n", "rank"), [(5, 3, 3), (5, 4, 2), (4, 6, 3), (3, 2, 0)])
def test_the_shortest_solutions_of_a_stack_are_those_of_the_pseudoinverse(m, n, rank):
    rng = np.random.default_rng(10 * m + n)
    B, T = rng.uniform(-1, 1, (40, m, rank)), rng.uniform(-1, 1, (40, rank, n))
    B[3] *= 1e-9  # small, not singular
    A = np.einsum("kij,kjl->kil", B, T)
    b = np.einsum("kij,kj->ki", A, rng.uniform(-1, 1, (40, n)))
    for first in range(3):  # whatever the first member is like
        found = numeric.shortest_stack(A[first:], b[first:], rank)
        expected = [np.linalg.lstsq(x, y, rcond=1e-9)[0] for x, y in zip(A[first:], b[first:], strict=True)]
        assert found == pytest.approx(np.array(expected).reshape(-1, n), rel=1e-6, abs=1e-8)


def test_a_first_member_in_which_columns_are_lost_spoils_no_other():
    A = np.array([[[0.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1e-12]]])
    found = numeric.shortest_stack(A[1:], np.array([[2.0, 3.0], [2.0, 3e-12]]), 2)
    assert found == pytest.approx(np.array([[2.0, 3.0], [2.0, 3.0]]))
    thin = np.array([[[0.0, 0.0, 0.0]] * 2, [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]])
    with np.errstate(all="ignore"):
        found = numeric.shortest_stack(thin, np.array([[0.0, 0.0], [2.0, 3.0]]), 2)
    assert found[1] == pytest.approx([1.0, 3.0, 1.0])
