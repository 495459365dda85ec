"""Invariant measures of Euler's equations on Lie algebras: Kozlov's criterion is the truth (M4).

V. V. Kozlov (1988): with a kinetic energy alone there is an invariant measure with smooth positive density if
and only if tr ad_x = 0 for all x. Where it is not, a density is singular, and this has to be said.
"""

from __future__ import annotations

import random
import re
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations

import pytest
import sympy

import chetaev as ch
from formulas import formula, formulas
from portions import some

Brackets = dict[str, str]
COUNT = 40
SPECIAL: list[tuple[Brackets, bool]] = [
    ({"x, y": "z"}, True),  # Heisenberg
    ({"x, y": "z", "x, z": "-2*x", "y, z": "2*y"}, True),  # sl(2)
    ({"x, y": "z", "y, z": "x", "z, x": "y"}, True),  # so(3)
    ({"x, y": "y"}, False),  # the affine group of the line
    ({"a, x": "x", "a, y": "y"}, False),  # ρ = 1/(a quadratic form that vanishes on a line of equilibria)
    ({"a, x": "x - y", "a, y": "x + y"}, False),
    ({"a, x": "x", "a, y": "-y"}, True),
    ({"a, x": "x", "b, y": "y"}, False),
    ({"d, x": "x/2", "d, y": "y/2", "d, z": "z", "x, y": "z"}, False),  # the complex hyperbolic plane
    ({"d, x": "x", "d, y": "-y", "x, y": "z"}, True),
]


def _semidirect(matrix: list[list[int]]) -> Brackets:
    """ℝ a ⋉ ℝⁿ by a matrix: [a, e_j] = Σ_i A_ij e_i."""
    n = range(len(matrix))
    columns = {f"a, e{j}": [f"({matrix[i][j]})*e{i}" for i in n if matrix[i][j]] for j in n}
    return {pair: " + ".join(terms) for pair, terms in columns.items() if terms}


@cache
def _families() -> list[tuple[Brackets, bool, list[list[int]]]]:
    """Algebras, whether tr ad = 0, and a positive definite matrix of inertia."""
    draw, found = random.Random(5), list(SPECIAL)
    while len(found) < COUNT:
        n = draw.choice([2, 2, 3])
        matrix = [[draw.randint(-2, 2) for _ in range(n)] for _ in range(n)]
        if draw.random() < 0.4:
            matrix[0][0] -= sum(matrix[i][i] for i in range(n))
        if any(map(any, matrix)):
            found.append((_semidirect(matrix), not sum(matrix[i][i] for i in range(n))))
    cases = []
    for brackets, unimodular in found:
        m = range(len(_names(brackets)))
        root = [[draw.randint(-1, 1) for _ in m] for _ in m]
        inertia = [[sum(root[k][i] * root[k][j] for k in m) + 2 * (i == j) for j in m] for i in m]
        cases.append((brackets, unimodular, inertia))
    return cases


def _names(brackets: Brackets) -> list[str]:
    texts = (*brackets, *brackets.values())
    return sorted({name for text in texts for name in re.findall(r"[a-z]\d?", text)})


@pytest.mark.parametrize("case", some(range(COUNT), 10))
def test_M4_kozlovs_criterion(case: int) -> None:
    brackets, unimodular, inertia = _families()[case]
    found = ch.measure(ch.on_algebra(brackets, inertia=inertia, names=_names(brackets)).system)
    smooth = found.density is not None and not found.singular
    assert smooth is unimodular
    assert (found.obstruction is not None) is not unimodular
    if unimodular:
        assert found.evidence.startswith("proved")
    else:
        assert "no smooth positive time-independent density" in str(found)


def test_M4_a_root_vanishes_where_its_radicand_does() -> None:
    forces = {"x": "x'*sqrt(x'^2 + y'^2)", "y": "y'*sqrt(x'^2 + y'^2)"}
    found = ch.measure(ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", forces=forces))
    assert found.density == formula("1/sqrt(x'^2 + y'^2)^3", factor=True)
    assert found.singular == formulas(("x'^2 + y'^2",), factor=True)


def test_M4_a_function_that_vanishes_nowhere_is_not_named() -> None:
    """sin² ≤ 1: 5 sin²a sin²b + 3 sin²a − 18 < 0 everywhere."""
    factor = "18 - 3*sin(a)^2 - 5*sin(a)^2*sin(b)^2"
    system = ch.System(coordinates=["a", "b"], lagrangian=f"(({factor})*a'^2 + b'^2)/2")
    found = ch.measure(system)
    assert found.preserved
    assert not found.singular


Constants = dict[tuple[int, int], dict[int, Fraction | int]]
HALF = Fraction(1, 2)
OTHERS: list[tuple[int, Constants, bool]] = [  # dimension, [e_i, e_j] = Σ c_k e_k, whether tr ad = 0
    (4, {(3, 0): {1: 1}, (3, 1): {0: -1}, (0, 1): {2: 1}}, True),  # the oscillator's algebra
    (4, {(0, 1): {1: 1}, (2, 3): {3: 1}}, False),  # two affine groups of lines
    (
        4,
        {(0, 1): {2: 1}, (0, 2): {1: -1}, (3, 1): {1: 1}, (3, 2): {2: 1}},
        False,
    ),  # similarities of the plane
    (4, {(0, 1): {1: 1}, (0, 2): {2: 1, 1: 1}, (0, 3): {3: 1, 2: 1}}, False),
    (4, {(0, 1): {1: 1}, (0, 2): {2: 1, 1: 1}, (0, 3): {3: -2}}, True),
    (5, {(0, 1): {1: 1}, (2, 3): {4: 1}, (3, 4): {2: 1}, (4, 2): {3: 1}}, False),
    (5, {(0, 1): {4: 1}, (2, 3): {4: 1}}, True),
    (
        6,  # a line of equilibria in general position: five coordinates are solved for
        {
            **{(5, i): {i: HALF} for i in range(4)},
            **{(5, 4): {4: 1}, (0, 1): {4: 1}, (2, 3): {4: 1}},
        },
        False,
    ),
]


@pytest.mark.few(2, 6)
@pytest.mark.parametrize("case", [0, 1, 7, *range(2, 7), *range(8, 24)])
def test_M4_kozlovs_criterion_in_any_basis(case: int) -> None:
    n, constants, unimodular = OTHERS[case % len(OTHERS)]
    draw = random.Random(case)
    basis = sympy.eye(n)
    for i, j in permutations(range(n), 2):
        if draw.random() < 0.4:
            basis[i, :] = basis[i, :] + draw.choice([-1, 1, 2]) * basis[j, :]
    names, inverse = "pqruvw"[:n], basis.inv()

    def bracket(a: sympy.Matrix, b: sympy.Matrix) -> sympy.Matrix:
        found = sympy.zeros(1, n)
        for (i, j), values in constants.items():
            for k, c in values.items():
                found[k] += sympy.Rational(c) * (a[i] * b[j] - a[j] * b[i])
        return found * inverse

    brackets = {
        f"{names[i]}, {names[j]}": " + ".join(f"({c})*{name}" for c, name in zip(found, names, strict=True))
        for i, j in combinations(range(n), 2)
        if not (found := bracket(basis[i, :], basis[j, :])).is_zero_matrix
    }
    root = [[draw.randint(-1, 1) for _ in range(n)] for _ in range(n)]
    inertia = [[sum(r[i] * r[j] for r in root) + 2 * (i == j) for j in range(n)] for i in range(n)]
    found = ch.measure(ch.on_algebra(brackets, inertia=inertia, names=list(names)).system)
    assert (found.density is not None and not found.singular) is unimodular
    assert (found.obstruction is not None) is not unimodular
