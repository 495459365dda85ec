"""Linear algebra over a field of functions, against SymPy and against its own definition."""

from __future__ import annotations

import random

import pytest
import sympy

from chetaev.expr.exact import Field
from chetaev.expr.exact.linear.matrix import determinant, echelon, inverse, is_nonzero, nullspace, rank, solve


def random_matrix(field, draw, rows, columns, density):
    x, y, z = field.symbols("x y z")
    atoms = [x, y, z, field.sin(x), field.cos(x), field.cos(y), field.one, field.one * 2]
    return [
        [
            draw.choice(atoms) + draw.randint(-1, 1) * draw.choice(atoms)
            if draw.random() < density
            else field.zero
            for _ in range(columns)
        ]
        for _ in range(rows)
    ]


def to_sympy(element):
    return sympy.sympify(str(element).replace("^", "**"))


@pytest.mark.few(5, 4)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n", [2, 3, 4])
def test_determinant_agrees_with_sympy(seed, n):
    field = Field()
    matrix = random_matrix(field, random.Random(seed), n, n, 0.8)
    theirs = sympy.Matrix([[to_sympy(a) for a in row] for row in matrix]).det(method="berkowitz")
    point = {"x": 0.3, "y": -1.1, "z": 2.7}
    ours = determinant(matrix)
    assert float(ours.evaluate(point, 80)) == pytest.approx(float(theirs.evalf(20, subs=point)), abs=1e-9)


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(5))
def test_solution_and_inverse_satisfy_their_equations(seed):
    field = Field()
    draw = random.Random(seed)
    matrix = random_matrix(field, draw, 4, 4, 0.6)
    for i in range(4):
        matrix[i][i] = matrix[i][i] + field.symbol(f"m{i}")
    right = random_matrix(field, draw, 1, 4, 1)[0]
    solution = solve(matrix, right)
    for row, b in zip(matrix, right, strict=True):
        assert sum((a * s for a, s in zip(row, solution, strict=True)), field.zero) == b
    other = inverse(matrix)
    for i, row in enumerate(matrix):
        for j in range(4):
            assert sum((row[k] * other[k][j] for k in range(4)), field.zero) == int(i == j)


@pytest.mark.parametrize("seed", range(5))
def test_kernel_is_annihilated_and_has_the_right_dimension(seed):
    field = Field()
    draw = random.Random(seed)
    matrix = random_matrix(field, draw, 3, 6, 0.5)
    matrix.append([a * field.symbol("x") - b for a, b in zip(matrix[0], matrix[1], strict=True)])
    basis = nullspace(matrix)
    assert len(basis) == 6 - rank(matrix)
    for w in basis:
        for row in matrix:
            assert sum((a * b for a, b in zip(row, w, strict=True)), field.zero).is_zero


def test_rank_sees_through_identities():
    field = Field()
    x, y = field.symbols("x y")
    s, c = field.sin(x), field.cos(x)
    assert rank([[s**2, c**2, field.one], [field.one - c**2, field.one - s**2, field.one]]) == 1
    assert rank([[c - s, 1 - 2 * s**2], [field.one, c + s]]) == 1
    r = field.sqrt(x * y)
    assert rank([[r, x], [y, r]]) == 1
    assert rank([[field.sqrt(x), field.abs(x)], [field.one, field.sqrt(x)]]) == 1


def test_large_sparse_matrix():
    field = Field()
    n = 20
    angles = [field.symbol(f"a{i}") for i in range(n + 1)]
    matrix = [[field.zero] * n for _ in range(n)]
    for i in range(n):
        matrix[i][i] = field.cos(angles[i])
        if i:
            matrix[i][i - 1] = field.sin(angles[i])
    product = field.one
    for i in range(n):
        product = product * field.cos(angles[i])
    assert determinant(matrix) == product
    assert rank(matrix) == n
    matrix[0][n - 1] = field.one
    assert is_nonzero(determinant(matrix))


def test_dependent_columns_can_be_chosen():
    field = Field()
    x, y = field.symbols("x y")
    e = echelon([[x, y, field.one]], columns=[1])
    assert e.pivots == [1]
    (first, second) = nullspace([[x, y, field.one]], columns=[0])
    assert first[0] == -y / x
    assert second[0] == -1 / x
    with pytest.raises(ValueError, match="rank"):
        nullspace([[x, field.zero], [field.zero, y]], columns=[0])


def test_singular_systems_are_refused():
    field = Field()
    x, y = field.symbols("x y")
    with pytest.raises(ValueError, match="singular"):
        solve([[x, y], [2 * x, 2 * y]], [x, y])
    with pytest.raises(ValueError, match="contradict"):
        solve([[x], [y]], [field.one, field.one])
