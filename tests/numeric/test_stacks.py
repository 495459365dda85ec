"""Many systems at once agree with one at a time."""

from __future__ import annotations

import numpy as np
import pytest

from chetaev import numeric
from chetaev.numeric import stacks


@pytest.mark.parametrize(("count", "m", "n"), [(1, 1, 1), (7, 4, 4), (30, 9, 5)])
def test_a_stack_is_solved_as_its_members_are(count, m, n, monkeypatch):
    monkeypatch.setattr(stacks, "MEMBERS", 8)
    rng = np.random.default_rng(count)
    A, b = rng.uniform(-1, 1, (count, m, n)), rng.uniform(-1, 1, (count, m))
    x, ratio = numeric.solve_stack(A, b)
    for member, right, found, bound in zip(A, b, x, ratio, strict=True):
        sizes = numeric.singular_values(member)
        assert sizes[-1] / sizes[0] / n <= bound * (1 + 1e-12) <= sizes[-1] / sizes[0] * (1 + 1e-9)
        assert found == pytest.approx(numeric.least_squares(member, right), abs=1e-12 / bound)
    assert numeric.stack_times(A, x) == pytest.approx(np.einsum("kij,kj->ki", A, x), abs=1e-9)


def test_singular_members_do_not_touch_the_others():
    A = np.stack([np.eye(2), np.ones((2, 2)), np.zeros((2, 2)), np.full((2, 2), np.nan)])
    x, ratio = numeric.solve_stack(A, np.ones((4, 2)))
    assert x[0].tolist() == [1.0, 1.0]
    assert not (ratio[1:] > 1e-15).any()
