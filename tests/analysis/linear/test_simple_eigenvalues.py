"""Simple eigenvalues are enclosed beside multiple ones, which show no sign."""

from __future__ import annotations

import numpy as np
import pytest
from flint import acb_mat, arb, ctx, fmpq_mat
from hypothesis import given
from hypothesis import strategies as st

from chetaev.analysis.linear.enclosed_spectrum import simple_eigenvalues

ENTRIES = st.integers(-4, 4)


@given(
    st.lists(ENTRIES.filter(bool), min_size=1, max_size=4, unique=True),
    st.lists(ENTRIES, min_size=36, max_size=36),
    st.integers(1, 2),
)
def test_of_turned_jordan_blocks(simple: list[int], turn: list[int], zeros: int) -> None:
    """A = P J P⁻¹ with a block of zeros: each simple eigenvalue has its ball, the others a wide one."""
    n = len(simple) + zeros
    P = fmpq_mat(n, n, [turn[6 * i + j] + (17 if i == j else 0) for i in range(n) for j in range(n)])
    J = fmpq_mat(n, n, [0] * (n * n))
    for i, x in enumerate(simple):
        J[zeros + i, zeros + i] = x
    if zeros == 2:
        J[0, 1] = 1
    with ctx.workprec(256):
        exact = P * J * P.inv()
        matrix = acb_mat([[arb(exact[i, j]) for j in range(n)] for i in range(n)])
        balls, others = simple_eigenvalues(matrix)
        assert len(balls) + len(others) == n
        for x in simple:
            assert sum(not z.real.contains(0) and z.contains(x) for z in balls) == 1
        assert sum(not z.real.contains(0) for z in balls) == len(simple)
        assert zeros == 1 or others == [0j, 0j]


def test_a_multiple_eigenvalue_that_is_not_zero_keeps_its_place_and_has_no_sign() -> None:
    with ctx.workprec(256):
        balls, others = simple_eigenvalues(acb_mat([[-1, 1, 0], [0, -1, 0], [0, 0, 2]]))
    assert [float(z.real.mid()) for z in balls] == pytest.approx([2])
    assert np.array(others) == pytest.approx([-1, -1], abs=1e-6)


@pytest.mark.parametrize("width", [1e-40, 1e-3])
def test_a_wide_matrix_shows_less(width: float) -> None:
    with ctx.workprec(256):
        blurred = acb_mat([[arb(1, width), 1, 0], [0, arb(1, width), 0], [0, 0, arb(-2, width)]])
        balls, _ = simple_eigenvalues(blurred)
        signs = sorted(np.sign(float(z.real.mid())) for z in balls if not z.real.contains(0))
    assert signs == ([-1.0] if width < 1e-12 else [])
