"""Generators of invariant rings, how they are known to be all, and the image of the quotient map (B11)."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

import pytest
from flint import fmpq_mat, fmpz_mat

from chetaev.errors import ModelError
from chetaev.reduction.invariant_ring.hilbert_series import Dimensions, hilbert_basis_degree, series
from chetaev.reduction.invariant_ring.image import image
from chetaev.reduction.invariant_ring.linear_action import LinearAction, generated_group
from chetaev.reduction.invariant_ring.polynomials import Polynomials
from chetaev.reduction.invariant_ring.ring import invariant_ring
from chetaev.reduction.invariant_ring.weights import structure
from formulas import any_order, formulas


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


@pytest.mark.parametrize("name", KNOWN)
def test_B11_generators_of_the_invariant_ring_are_all(name):
    action, count, independent, degree = KNOWN[name]
    found = invariant_ring(action)
    assert found.complete
    assert found.how.startswith("all: ")
    assert (len(found.generators), found.rank) == (count, independent)
    assert max(i + j for i, j in found.degrees) == degree


@pytest.mark.parametrize("name", [name for name, known in KNOWN.items() if not known[0].is_finite])
def test_B11_dimensions_from_weights_are_those_of_null_spaces(name):
    """Two derivations that share nothing: constant terms of characters, and null spaces of derivations."""
    action = KNOWN[name][0]
    known = structure(action.generators)
    dimensions = Dimensions(known)
    space = Polynomials(action)
    for i, j in [(1, 0), (2, 0), (1, 1), (2, 1), (2, 2)]:
        if len(space.monomials(i, j)) < 120:
            assert dimensions(i, j) == len(space.invariants(i, j)), (i, j)


def test_B11_the_generating_function_of_two_vectors_is_weyls():
    """1/(1 − t²)³ for rotations of two vectors in space."""
    above, below = series(structure(rotations(3)))
    common = above.gcd(below)
    assert [int(c) for c in (below // common).coeffs()] in (
        [1, 0, -3, 0, 3, 0, -1],
        [-1, 0, 3, 0, -3, 0, 1],
    )


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


@pytest.mark.parametrize("seed", range(4))
def test_B11_compactness_is_decided_by_an_invariant_form(seed):
    compact = LinearAction(3, turned(rotations(3), seed))
    M = compact.inner_product()
    for A in compact.generators:
        assert not any((A.transpose() * M + M * A).entries())
    boost = turned((fmpq_mat([[0, 1, 0], [1, 0, 0], [0, 0, 0]]),), seed)
    assert LinearAction(3, boost).inner_product() is None


def values_at(ring, point):
    return [Fraction(int(p(*point))) for p in ring.generators]


@pytest.mark.parametrize("name", [n for n in KNOWN if KNOWN[n][1] < 10])
def test_B11_points_of_the_image_satisfy_the_inequalities(name):
    ring = invariant_ring(KNOWN[name][0])
    found = image(ring, [f"s{i}" for i in range(len(ring.generators))])
    if found is None:
        assert ring.space.action.inner_product() is None
        return
    rng = random.Random(7)
    for _ in range(60):
        point = [rng.randint(-9, 9) for _ in range(2 * ring.space.size)]
        sigma = [int(v) for v in values_at(ring, point)]
        assert all(p(*sigma) >= 0 for p in found.inequalities)


def test_B11_points_inside_have_preimages_and_points_outside_none():
    """Rotations of space: a, c ≥ 0, ac ≥ b² (Cauchy, Schwarz), nothing more and nothing less."""
    ring = invariant_ring(LinearAction(3, rotations(3)))
    found = image(ring, ["a", "b", "c"])
    assert found.sufficient
    assert list(found.inequalities) == formulas(["a", "c", "a*c - b^2"])
    assert list(found.singular) == any_order("a + c", "a*c - b^2", factor=True)
    rng = random.Random(3)
    inside = 0
    for _ in range(200):
        a, b, c = (rng.uniform(-1, 2) for _ in range(3))
        if a >= 0 and c >= 0 and a * c >= b * b and a > 0:
            x, u = a**0.5, b / a**0.5
            w = (c - u * u) ** 0.5
            assert abs(x * x - a) + abs(x * u - b) + abs(u * u + w * w - c) < 1e-12
            inside += 1
        else:  # no vectors have these products
            assert a < 0 or c < 0 or a * c < b * b
    assert inside > 20


def test_B11_the_image_of_a_swap_is_exact_both_ways():
    """x ↔ y in the plane: a state is found for every point that satisfies what is said."""
    ring = invariant_ring(LinearAction(2, (), generated_group([fmpq_mat([[0, 1], [1, 0]])])))
    expected = ["x0 + x1", "u0 + u1", "x0*x1", "x0*u0 + x1*u1", "u0*u1"]
    assert list(ring.generators) == formulas(expected)  # in this order: image names them
    found = image(ring, ["p", "w", "q", "r", "z"])
    assert found.sufficient
    rng = random.Random(11)
    kept = 0
    for _ in range(300):
        p, w, q, z = (rng.uniform(-2, 2) for _ in range(4))
        # the relation, quadratic in r: r² − p w r + p² z + w² q − 4 q z = 0
        half, rest = p * w / 2, p * p * z + w * w * q - 4 * q * z
        if half * half < rest:
            continue
        r = half + (half * half - rest) ** 0.5
        inside = all(float(_at(e, (p, w, q, r, z))) >= -1e-12 for e in found.inequalities)
        real = p * p >= 4 * q and w * w >= 4 * z
        assert inside == real, (p, w, q, r, z)
        kept += inside
        if real:
            x = (p + (p * p - 4 * q) ** 0.5) / 2
            y = p - x
            u = [(w + s * (w * w - 4 * z) ** 0.5) / 2 for s in (1, -1)]
            assert min(abs(x * a + y * (w - a) - r) for a in u) < 1e-9
    assert kept > 20


def _at(polynomial, values):
    total = 0.0
    for exponents, c in polynomial.to_dict().items():
        term = int(c.p) / int(c.q)
        for x, e in zip(values, exponents, strict=True):
            term *= x ** int(e)
        total += term
    return total


def test_B11_an_infinite_group_is_not_listed():
    with pytest.raises(ModelError, match="more than 500 elements"):
        generated_group([fmpq_mat([[1, 1], [0, 1]])])
