"""Dirac's algorithm with forces and constraints on velocities: what is determined decides, not brackets.

Linear systems have another way to the answer, the matrix pencil P(s) of their equations: its corank over the
rational functions of s is the number of arbitrary functions, the degree of the greatest common divisor of its
maximal minors the dimension of what can be told apart.
"""

from __future__ import annotations

from itertools import combinations

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import chetaev as ch
from portions import examples

s = sympy.Symbol("s")
NAMES = "xyz"


def system(
    lagrangian: str, coordinates: str, forces: dict[str, str] | None = None, constraints: tuple[str, ...] = ()
) -> ch.System:
    dynamics = {"lagrangian": lagrangian, "degenerate": True, "forces": forces or {}}
    return ch.System(coordinates=coordinates.split(), dynamics=dynamics, constraints=list(constraints))


FORCED = {
    "friction determines a multiplier": ("x'^2/2", "x y", {"y": "-y'"}, (), "second class", 0, 1, 1.5),
    "a force makes a constraint": ("x'^2/2", "x y", {"y": "-x'"}, (), "mixed", 1, 1, 0.5),
    "a force carries gauge on": ("x'^2/2", "x y", {"x": "-y"}, (), "gauge", 1, 0, 0),
    "all determined by friction": ("(x' - y)^2/2", "x y", {"x": "-x'"}, (), "second class", 0, 3, 0.5),
    "lightlike": ("x'*y'", "x y", {}, ("x' = 0",), "gauge", 1, 0, 0),
    "no gauge": ("(x'^2 + y'^2 + z'^2)/2", "x y z", {}, ("z' = y*x'",), "regular", 0, 1, 2),
    "a velocity fixed": ("x'^2/2 + y'*z'", "x y z w", {}, ("w' = y*x'",), "second class", 0, 1, 3),
    "gauge of two steps": ("(x' - y)^2/2 + z'^2/2 + w'^2/2", "x y z w", {}, ("z' = w*w'",), "mixed", 2, 1, 1),
    "nothing is left": ("2*x*y' - x*y - y^2", "x y", {}, ("x' = -y",), "second class", 0, 4, 0),
}


@pytest.mark.parametrize("name", FORCED)
def test_B7_forces_and_constraints_on_velocities(name: str) -> None:
    lagrangian, coordinates, forces, constraints, outcome, first, second, freedom = FORCED[name]
    found = ch.dirac(system(lagrangian, coordinates, forces, constraints))
    assert found.outcome == outcome, str(found)
    assert (found.first_class, found.second_class, found.degrees_of_freedom) == (first, second, freedom)
    assert bool(found.free) == (outcome in ("gauge", "mixed")) == bool(found.gauge)


def test_B7_gauge_that_forces_carry_on_is_said() -> None:
    carried = ch.dirac(system("x'^2/2", "x y", {"x": "-y"}))
    assert any("moves 3 independent directions" in note for note in carried.notes)
    lightlike = ch.dirac(system("x'*y'", "x y", {}, ("x' = 0",)))
    assert lightlike.free == ("lambda_1",)  # y'' = lambda_1 is arbitrary


numbers = st.sampled_from([0, 0, 0, 1, -1, 2])


def told_apart(P: sympy.Matrix) -> tuple[int, int]:
    """The rank of P(s), and the degree of the greatest common divisor of its maximal minors."""
    rank, divisor = P.rank(), sympy.Integer(0)
    for rows in combinations(range(P.rows), rank):
        for columns in combinations(range(P.cols), rank):
            divisor = sympy.gcd(divisor, sympy.expand(P.extract(rows, columns).det()))
    return rank, int(sympy.degree(divisor, s)) if divisor.has(s) else 0


@pytest.mark.slow
@settings(max_examples=examples(10), deadline=None)
@given(st.data(), st.booleans())
def test_B7_forced_linear_systems_agree_with_their_matrix_pencil(data: st.DataObject, bound: bool) -> None:
    def row() -> list[int]:
        return data.draw(st.lists(numbers, min_size=3, max_size=3))

    def matrix() -> sympy.Matrix:
        return sympy.Matrix([row(), row(), row()])

    q, v = sympy.symbols(list(NAMES)), sympy.symbols([f"{c}_dot" for c in NAMES])
    A, B, K, D, E = sympy.Matrix([row(), [0] * 3, [0] * 3]), matrix(), matrix(), matrix(), matrix()
    Q, V = sympy.Matrix(q), sympy.Matrix(v)
    L = sympy.expand(((A * V + B * Q).dot(A * V + B * Q) + (V.T * B * Q + Q.T * K * Q)[0]) / 2)
    F = sympy.zeros(3, 1) if bound else D * V + E * Q
    P = sympy.zeros(3, 3)
    for i in range(3):
        for j in range(3):
            gyroscopic = L.diff(v[i], q[j]) - L.diff(q[i], v[j]) - F[i].diff(v[j])
            P[i, j] = L.diff(v[i], v[j]) * s**2 + gyroscopic * s - L.diff(q[i], q[j]) - F[i].diff(q[j])
    constraints = []
    if bound:
        c, d = row(), row()
        if not any(c):
            return
        free = sympy.Matrix.hstack(*sympy.Matrix([c]).nullspace()).T
        P = (free * P).col_join(sympy.Matrix([[a * s + b for a, b in zip(c, d, strict=True)]]))
        constraints = [f"{sympy.Matrix(c).dot(V) + sympy.Matrix(d).dot(Q)} = 0"]
    if not any(L.has(x) for x in v):
        return
    forces = {n: str(f) for n, f in zip(NAMES, F, strict=True) if f != 0}
    found = ch.dirac(system(str(L), " ".join(NAMES), forces, tuple(constraints)))
    rank, states = told_apart(P)
    assert len(found.free) == 3 - rank, str(found)
    assert bool(found.free) == (found.outcome in ("gauge", "mixed"))
    assert found.first_class + found.second_class == len(found.primary) + len(found.secondary)
    assert states - bool(constraints) <= 2 * found.degrees_of_freedom <= states, str(found)
