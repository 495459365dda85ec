"""O. Krupková, Geometric mechanics on nonholonomic submanifolds (2010), §4.1, 4.2 and 4.5 (SCOPE K13,
K16–K18, K23)."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.constraint import AdaptedChart, Constraint, ConstraintData, classify
from chetaev.constraint.integrability.conditions import (
    brackets,
    equation,
    ideal,
    projection,
    row_floor,
    velocity_hessian,
    weigh,
)
from chetaev.constraint.integrability.theorem7 import NAMES, exact_conditions, locals_of, theorem7
from chetaev.constraint.kind.regularity import regularity
from chetaev.constraint.submanifold.canonical_distribution import (
    canonical_fields,
    constrained_prolongation,
    projected_fields,
)
from chetaev.constraint.submanifold.evidence import Allowance
from chetaev.expr.exact.linear.matrix import determinant
from chetaev.expr.exact.vanishing import zero_test
from chetaev.model.system import System
from formulas import any_order

AFFINE = [["x' + y*z' = 0"], ["x' + z*z' = 0"], ["x' = t*y' + y"], ["x' = y*z' + t*x"], ["x' = y", "y' = z"]]
NONLINEAR = [
    ["x'^2 + y'^2 = z'^2"],
    ["x'^2 + y'^2 + z'^2 = 1/(1 + t^2)"],
    ["x'*y' = z' + x"],
    ["x' = exp(y')"],
]


def constraint(equations: list[str]) -> Constraint:
    return Constraint.of(equations, ["x", "y", "z"])


@pytest.mark.few(2)
@pytest.mark.parametrize("equations", AFFINE + NONLINEAR)
def test_theorem_6_affine_iff_projectable(equations: list[str]) -> None:
    """The projections of C at points of Q over the same point of Y agree iff Q is affine."""
    import numpy as np

    Q = constraint(equations)
    affine = equations in AFFINE
    m, k = 3, Q.codimension
    agree = []
    for z in Q.points[:6]:
        rows = []
        for seed in range(4):
            start = z.copy()
            start[1 + m :] += np.random.default_rng(seed).normal(size=m)
            other = Q.numbers._newton(start, slice(1 + m, None), slice(0, k))
            if other is not None:
                C = Q.numbers.first(other)[list(Q.survey.rows), 1 + m :]
                rows.append(np.column_stack([-C @ other[1 + m :], C]))
        if len(rows) > 1:
            both = np.vstack([r / np.linalg.norm(r) for r in rows])
            agree.append(int(np.linalg.matrix_rank(both, tol=1e-6)) == k)
    assert all(agree) == affine
    assert classify(Q.given).projectable == affine


@pytest.mark.parametrize("equations", AFFINE)
def test_equation_63_projection_of_the_canonical_fields(equations: list[str]) -> None:
    Q = constraint(equations)
    lower = projected_fields(Q)
    upper = canonical_fields(Q)
    for X, Y in zip(lower, upper, strict=False):
        assert list(X.components) == list(Y.components[:4])


@pytest.mark.few(6)
@pytest.mark.parametrize("equations", AFFINE + NONLINEAR)
def test_theorem_7_conditions_agree(equations: list[str]) -> None:
    Q = constraint(equations)
    T = theorem7(Q, Allowance())
    answers = {x < 1e-8 for x in T.numeric.values()}
    assert answers == {T.integrable}
    if equations in AFFINE:
        assert set(exact_conditions(Q, Allowance()).values()) == {T.integrable}
        assert set(T.exact) == set(NAMES)


def test_theorem_7_each_condition_is_its_own_formula() -> None:
    """Values differ: (64) contains velocities, ideal and brackets all pairs of fields; zeros agree."""
    for equations, zero in ((["x' + y*z' = 0"], False), (["x' + z*z' = 0"], True)):
        at = locals_of(constraint(equations))
        floor = row_floor(at)
        for condition in (brackets, ideal, projection, equation):
            assert (weigh([condition(a) for a in at], floor) < 1e-9) == zero
        assert weigh([velocity_hessian(a) for a in at], floor) < 1e-9


def test_equation_64_has_accelerations_for_a_nonlinear_constraint() -> None:
    """x' = y'²/2: ∂_c g/∂q = 0 and d_c/dt ∂g/∂y' = y'', so (64) fails for accelerations that are not zero."""
    Q = constraint(["x' = y'^2/2"])
    chart = AdaptedChart(Q, (0,))
    assert chart.d(chart.B[0][0]) == Q.chart.at_order(2)("y''")
    assert classify(Q.given).holonomy == "nonholonomic"


def test_theorem_8_semiholonomic_canonical_distribution_is_spanned_by_prolongations() -> None:
    """D of x' + z z' = 0 is spanned by ∂/∂t, ∂/∂y, ∂/∂z − z ∂/∂x; each has a constrained prolongation."""
    Q = constraint(["x' + z*z' = 0"])
    for field in ({"t": 1}, {"y": 1}, {"z": 1, "x": "-z"}):
        X = constrained_prolongation(Q, field)  # type: ignore[arg-type]
        phi = Q.jacobian[0]
        value = sum(
            (
                c * (X[q] - Q.chart.field.symbol(q, 1) * X["t"])
                for c, q in zip(phi, Q.coordinates, strict=True)
            ),
            Q.chart.field.zero,
        )
        assert zero_test(value.to_expr(), [Q.functions[0].to_expr()]).is_zero


def test_theorem_8_fails_for_a_nonholonomic_constraint() -> None:
    """∂/∂y lies in D of x' + y z' = 0 but has no constrained prolongation."""
    from chetaev.constraint.submanifold.canonical_distribution import obstruction

    assert obstruction(constraint(["x' + y*z' = 0"]), {"y": 1})


def test_equation_52_semiholonomic_constraints_are_total_derivatives() -> None:
    c = classify(ConstraintData.of(["x' + z*z' = 0"], ["x", "y", "z"]))
    Q = constraint(["x' + z*z' = 0"])
    u = Q.chart(c.integrals[0].expression)
    rate = Q.chart.cut_total_derivative(u)
    assert (rate * Q.functions[0].diff("x'") - Q.functions[0] * rate.diff("x'")).is_zero


@pytest.mark.parametrize(
    "name", ["leibniz-particle", "particle-on-cone", "rolling-disc", "suslov", "implicit-constraint"]
)
def test_equation_86_regularity_matrix(name: str) -> None:
    """det of ∂²L̄/∂v∂v − (∂L/∂v^a) ∂²g^a/∂v∂v from the closed g equals det Wᵀ M W on Q."""
    system = ch.load(name)
    Q = Constraint(system)
    form = Q.normal_forms()[0]
    D = tuple(Q.coordinates.index(q) for q in form.velocities)
    D = tuple(sorted(D))
    J = Q.chart
    L = J(system.lagrangian)
    g = {(q, 1): J(e) for q, e in form.velocities.items()}
    free = [q for i, q in enumerate(Q.coordinates) if i not in D]
    bar = L.subs(g)
    rows = []
    for r in free:
        row = []
        for s in free:
            entry = bar.diff((r, 1), (s, 1))
            for q, e in g.items():
                entry = entry - L.diff(q).subs(g) * e.diff((r, 1), (s, 1))
            row.append(entry)
        rows.append(row)
    closed = determinant(rows)
    chart = AdaptedChart(Q, D)
    names = [(q, 1) for q in Q.coordinates]
    W = []
    for s, q in enumerate(free):
        column = [J.field.zero] * len(names)
        column[Q.coordinates.index(q)] = J.field.one
        for a, i in enumerate(D):
            column[i] = chart.B[a][s]
        W.append(column)
    M = [[L.diff(a, b) for b in names] for a in names]
    ambient = determinant(
        [
            [
                sum(
                    (x[i] * M[i][j] * y[j] for i in range(len(names)) for j in range(len(names))),
                    J.field.zero,
                )
                for y in W
            ]
            for x in W
        ]
    ).subs(g)
    assert zero_test((closed - ambient).to_expr()).is_zero


def test_equation_86_singular_although_M_is_regular() -> None:
    """Krupková after (68): regularity of B does not imply regularity of B̄."""
    s = System(coordinates=["x", "y"], lagrangian="x'^2/2 - y'^2/2", constraints=["y' = x' + x"])
    r = regularity(s)
    assert r.regular is False
    assert classify(s).regular is False


def test_equation_86_vanishing_set() -> None:
    s = System(coordinates=["x", "y"], lagrangian="x'^2/2 - y'^2/2", constraints=["y' = x*x'"])
    r = regularity(s)
    assert r.regular
    assert r.vanishing == any_order("x + 1", "x - 1", factor=True)
