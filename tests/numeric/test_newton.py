"""Newton's method for functions that are dear: how it goes on, and when it ends."""

from __future__ import annotations

import numpy as np
import pytest

from chetaev.numeric import aimed
from chetaev.numeric.linear import least_squares, norm
from chetaev.numeric.newton import LONGEST, SLOW, newton


def test_the_shortest_change_reaches_the_goal_and_no_further():
    """x² + y² = 4 from (1, 1): along the diagonal, and no step after |f| ≤ goal."""
    seen = []

    def f(x):
        seen.append(x)
        return np.array([x[0] ** 2 + x[1] ** 2 - 4]), 2 * x[None, :]

    end = aimed(f, np.array([1.0, 1.0]), 1e-10)
    assert end.x == pytest.approx([np.sqrt(2), np.sqrt(2)], abs=1e-10)
    assert end.miss <= 1e-10
    assert len(seen) == end.steps + 1
    assert aimed(f, end.x, 1e-10).steps == 0


def test_steps_that_lead_away_are_halved():
    """Newton's whole steps diverge for atan from 2."""
    end = aimed(lambda x: (np.arctan(x), np.diag(1 / (1 + x * x))), np.array([2.0]), 1e-12)
    assert end.miss <= 1e-12
    assert abs(end.x[0]) <= 1e-12


def test_where_there_is_no_value_steps_are_halved_and_a_start_without_one_is_refused():
    def f(x):
        return (np.log(x), np.diag(1 / x)) if x[0] > 0 else None

    assert aimed(f, np.array([10.0]), 1e-12).x == pytest.approx([1.0])
    assert aimed(f, np.array([-1.0]), 1e-12) is None


def test_nothing_is_hoped_for_where_steps_bring_little():
    """x² + 1 has no zero; and steps that are twenty times too short are left after SLOW of them."""
    end = aimed(lambda x: (x * x + 1, np.diag(2 * x)), np.array([1.0]), 1e-12)
    assert end.miss >= 1.0
    end = aimed(lambda x: (x - 1, np.array([[20.0]])), np.array([0.0]), 1e-12)
    assert end.steps == SLOW
    assert end.miss == pytest.approx(0.95**SLOW)


@pytest.mark.few(7)
@pytest.mark.parametrize("seed", range(20))
def test_steps_that_go_round_in_rounding_errors_end_where_all_steps_would(seed: int) -> None:
    """Contradicting equations: the nearest point is found at once, and nothing is gained then."""
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(4, 2)), rng.normal(size=4)
    seen = []

    def f(x):
        seen.append(x)
        return (A * x).sum(axis=1) - b, A

    end = newton(f, rng.normal(size=2), steps=200 + seed)
    assert len(seen) < 60
    x = seen[0]
    for _ in range(200 + seed):
        step = least_squares(A, f(x)[0])
        x = x - LONGEST / max(LONGEST, norm(step)) * step
    assert end.x.tobytes() == x.tobytes()
