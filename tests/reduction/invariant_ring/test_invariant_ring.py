"""Generators of invariant rings, and how they are known to be all (B11)."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from flint import fmpq_mat, fmpz_mat

from chetaev.errors import ModelError
from chetaev.reduction.invariant_ring.polynomials import LinearAction, generated_group
from chetaev.reduction.invariant_ring.ring import invariant_ring
from chetaev.reduction.invariant_ring.weights import hilbert_basis_degree


def rotations(n, copies=1):
    """Generators of 𝔰𝔬(n) on several vectors."""
    found = []
    for i, j in combinations(range(n), 2):
        A = fmpq_mat(n * copies, n * copies)
        for c in range(copies):
            A[c * n + i, c * n + j], A[c * n + j, c * n + i] = -1, 1
        found.append(A)
    return tuple(found)


def turned(matrices, seed):
    """The same in other coordinates."""
    rng = random.Random(seed)
    n = matrices[0].nrows()
    P = fmpq_mat([[rng.randint(-3, 3) for _ in range(n)] for _ in range(n)])
    while P.det() == 0:
        P = fmpq_mat([[rng.randint(-3, 3) for _ in range(n)] for _ in range(n)])
    return tuple(P * A * P.inv() for A in matrices)


def weights(*values):
    """A rotation with these speeds in planes."""
    n = 2 * len(values)
    A = fmpq_mat(n, n)
    for k, w in enumerate(values):
        A[2 * k, 2 * k + 1], A[2 * k + 1, 2 * k] = -w, w
    return (A,)


SHIFT = fmpq_mat([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
SL2 = (fmpq_mat([[1, 0], [0, -1]]), fmpq_mat([[0, 1], [0, 0]]), fmpq_mat([[0, 0], [1, 0]]))
QUATERNIONS = (
    fmpq_mat([[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, -1], [0, 0, 1, 0]]),
    fmpq_mat([[0, 0, -1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, -1, 0, 0]]),
    fmpq_mat([[0, 0, 0, -1], [0, 0, -1, 0], [0, 1, 0, 0], [1, 0, 0, 0]]),
)
ROOT_TWO = fmpq_mat([[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, -2], [0, 0, 1, 0]])
LORENTZ = (
    fmpq_mat([[0, -1, 0], [1, 0, 0], [0, 0, 0]]),
    fmpq_mat([[0, 0, 1], [0, 0, 0], [1, 0, 0]]),
    fmpq_mat([[0, 0, 0], [0, 0, 1], [0, 1, 0]]),
)
SWAP, CYCLE = fmpq_mat([[0, 1, 0], [1, 0, 0], [0, 0, 1]]), fmpq_mat([[0, 1, 0], [0, 0, 1], [1, 0, 0]])

KNOWN = {
    # name: action, number of generators, how many are independent, their highest degree
    "rotations of the plane": (LinearAction(2, rotations(2)), 4, 3, 2),
    "rotations of space": (LinearAction(3, rotations(3)), 3, 3, 2),
    "rotations of four dimensions": (LinearAction(4, rotations(4)), 3, 3, 2),
    "rotations of two vectors": (LinearAction(6, rotations(3, 2)), 14, 9, 3),
    "rotations of space, hidden": (LinearAction(3, turned(rotations(3), 5)), 3, 3, 2),
    "a circle with weights 1 and 2": (LinearAction(4, weights(1, 2)), 20, 7, 3),
    "a circle with weights 2 and 3": (LinearAction(4, weights(2, 3)), 32, 7, 5),
    "unit quaternions": (LinearAction(4, QUATERNIONS), 6, 5, 2),
    "unit quaternions, hidden": (LinearAction(4, turned(QUATERNIONS, 2)), 6, 5, 2),
    "turns with the speeds 1 and √2": (LinearAction(4, (ROOT_TWO,)), 8, 6, 2),
    "two turns, hidden": (LinearAction(4, turned((*weights(1, 0), *weights(0, 1)), 3)), 8, 6, 2),
    "boosts and turns": (LinearAction(3, LORENTZ), 3, 3, 2),
    "a boost": (LinearAction(2, (fmpq_mat([[0, 1], [1, 0]]),)), 4, 3, 2),
    "a shift (unipotent)": (LinearAction(3, (SHIFT,)), 6, 5, 2),
    "the special linear group": (LinearAction(2, SL2), 1, 1, 2),
    "permutations of three": (LinearAction(3, (), generated_group([SWAP, CYCLE])), 9, 6, 3),
    "a quarter turn": (LinearAction(2, (), generated_group([fmpq_mat([[0, -1], [1, 0]])])), 14, 4, 4),
}


WITHOUT_BOUND = {
    "unit quaternions",
    "unit quaternions, hidden",
    "a shift (unipotent)",
    "the special linear group",
}
"""No theorem that is used bounds the degrees of their generators, which are those known all the same."""


@pytest.mark.few(12)
@pytest.mark.parametrize("name", KNOWN)
def test_B11_generators_of_the_invariant_ring_are_those_known(name):
    action, count, independent, degree = KNOWN[name]
    found = invariant_ring(action)
    assert found.complete == (name not in WITHOUT_BOUND)
    assert found.how.startswith("all: " if found.complete else "all up to degree 6; whether there are more")
    assert (len(found.generators), found.rank) == (count, independent)
    assert max(i + j for i, j in found.degrees) == degree


def test_B11_products_of_generators_span_what_there_is_in_higher_degrees():
    """Generators up to degree 3 of the circle with weights 1 and 2 give all invariants of degree 4."""
    ring = invariant_ring(LinearAction(4, weights(1, 2)))
    for i, j in [(4, 0), (3, 1), (2, 2)]:
        monomials = ring.space.monomials(i, j)
        rows = []
        for e in ring.products(i, j):
            terms = ring.product(e).to_dict()
            rows.append([int(terms.get(m, 0)) for m in monomials])
        assert fmpz_mat(rows).rank() == len(ring.space.invariants(i, j))


def test_B11_minimal_solutions_bound_the_degrees_of_a_torus():
    assert hilbert_basis_degree([(1,), (-1,)]) == 2
    assert hilbert_basis_degree([(2,), (-3,), (1,)]) == 5
    assert hilbert_basis_degree([(1, 0), (-1, 0), (0, 1), (0, -1)]) == 2
    assert hilbert_basis_degree([(1,), (1,)]) == 0


def test_B11_an_action_whose_structure_is_not_found_says_up_to_which_degree():
    """Upper triangular matrices: neither reductive nor one nilpotent matrix."""
    triangular = (fmpq_mat([[1, 0], [0, -1]]), fmpq_mat([[0, 1], [0, 0]]))
    found = invariant_ring(LinearAction(2, triangular))
    assert not found.complete
    assert found.how == "all up to degree 6; whether there are more is not known"


def test_B11_an_infinite_group_is_not_listed():
    with pytest.raises(ModelError, match="more than 500 elements"):
        generated_group([fmpq_mat([[1, 1], [0, 1]])])
