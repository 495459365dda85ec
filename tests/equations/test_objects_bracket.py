"""The objects of the form `bracket` by their definitions, and what may be given to a bracket (B3, B5)."""

from __future__ import annotations

import pytest
import sympy

import chetaev as ch
from chetaev.equations.forms.bracket import bracket, derive
from chetaev.expr.graph.node import ONE, ZERO, symbol
from formulas import formula, formulas
from objects import Jets, close, inverse, numbers, product, transposed, wide_system


@pytest.mark.parametrize("seed", range(2))
def test_B3_omega_X_E_and_Y_by_their_definitions(seed):
    """ω = dq∧dp with entries ω(∂_i, ∂_j); X_E ⌟ ω = dE + (∂p/∂t − F) dq; Y^A ⌟ ω = −φ^A, all in SymPy."""
    system = wide_system(seed)
    law = derive(system)
    J = Jets(system)
    z = [*J.q, *J.v]
    p = [sympy.diff(J.L, v) for v in J.v]
    # dq^i∧dp_i on the coordinate fields: ∂q^i/∂z_a ∂p_i/∂z_b − (a ↔ b)
    omega = [
        [sum(q.diff(a) * r.diff(b) - q.diff(b) * r.diff(a) for q, r in zip(J.q, p, strict=True)) for b in z]
        for a in z
    ]
    energy = sum(r * v for r, v in zip(p, J.v, strict=True)) - J.L
    forces = [r.diff(J.t) - f for r, f in zip(p, J.F, strict=True)] + [0] * J.m
    right = [energy.diff(a) + g for a, g in zip(z, forces, strict=True)]
    point = J.point(seed)
    w = J.values(omega, point)
    close(numbers(law.omega, system, point), w)
    X = numbers([law.X_E], system, point)[0]
    close([X[: J.m]], [[point["v"][i] for i in range(J.m)]])  # X_E is of second order
    close(product([X], w), J.values([right], point))
    for Y, f in zip(numbers(law.Y, system, point), J.f, strict=True):
        phi = [[-f.diff(v) for v in J.v] + [0] * J.m]
        close(product([Y], w), J.values(phi, point))


@pytest.mark.parametrize("seed", range(2))
def test_B5_the_matrix_of_brackets_by_its_definition(seed):
    """M^{BA} = Y^A(f^B), and the inverse of ∂²L/∂v∂v between the rows of ∂f/∂v."""
    system = wide_system(seed + 20)
    law, J = derive(system), Jets(system)
    point = J.point(seed)
    C = J.jacobian(J.f, J.v, point)
    M = J.values([[J.L.diff(u, v) for v in J.v] for u in J.v], point)
    found = numbers(law.M_AB, system, point)
    close(found, product(C, inverse(M), transposed(C)))
    gradient = J.values([[f.diff(a) for a in (*J.q, *J.v)] for f in J.f], point)
    Y = numbers(law.Y, system, point)
    close(found, product(gradient, transposed(Y)))


def test_B3_without_constraints_there_are_no_brackets():
    law = derive(ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2"))
    assert [law.M_AB, law.Y] == [[], []]
    assert list(law.X_E) == formulas(["x'", "-x"])


FREE = ch.System(coordinates=["x", "y"], lagrangian="m*(x'^2 + y'^2)/2", parameters={"m": 2})


@pytest.mark.parametrize(
    "given",
    [
        ("x'", ["1", "0"]),
        (symbol("x", 1), [ONE, ZERO]),
        ("x_dot", {"x": "1"}),
        ("x' + t*y", {"x": 1, "y": 0}),
    ],
)
def test_B3_text_expressions_numbers_and_names_are_read(given):
    assert bracket(FREE, *given) == formula("1/m")


@pytest.mark.parametrize(
    ("function", "form", "sentence"),
    [
        ("x'", ["1"], "1-form of a bracket"),
        ("x'", ["1", "0", "0"], "1-form of a bracket"),
        ("x'", "1, 0", "1-form of a bracket"),
        ("x'", {"z": "1"}, "component for 'z'"),
        ("z'", ["1", "0"], "unknown name 'z'"),
        (symbol("w"), [ONE, ZERO], "contains 'w'"),
        (symbol("x", 2), [ONE, ZERO], "contains \"x''\""),
        ("x''", [ONE, ZERO], "may not contain an acceleration"),
        ("x'", [symbol("w", 1), ZERO], 'contains "w\'"'),
        (None, [ONE, ZERO], "function of a bracket is None"),
        ("x'", [None, None], "1-form of a bracket is None"),
        ("x'", 5, "1-form of a bracket is 5"),
    ],
)
def test_B3_what_no_bracket_has_is_refused(function, form, sentence):
    with pytest.raises(ch.ModelError, match=sentence):
        bracket(FREE, function, form)
