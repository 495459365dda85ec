"""Objects of `dalembert` and `connection`, and the geometry of ∇, by definition (B1, L1, L2, L5)."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.equations.forms.connection import energy_preserving, second_fundamental_form, torsion
from chetaev.equations.forms.dalembert import admissible_variations, energy_rate, first_variation
from objects import (
    Jets,
    christoffel,
    close,
    covariant_derivative,
    derivative,
    inverse,
    is_kernel,
    normal_projection,
    numbers,
    plus,
    product,
    quadratic_system,
    times,
    transposed,
    wide_system,
)

SEEDS = range(2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("quadratic", [True, False])
def test_B1_the_orthogonal_projection_and_what_it_projects(seed, quadratic):
    system = quadratic_system(seed + 5, affine=True) if quadratic else wide_system(seed + 110)
    law, J = ch.equations(system, "dalembert"), Jets(system)
    point = J.point(seed)
    C, M = J.C(point), J.M(point)
    P = numbers(law.P, system, point)
    close(product(P, P), P)
    close(product(C, P), [[0] * J.m for _ in C])
    close(product(M, P), transposed(product(M, P)))  # M-orthogonal
    assert abs(sum(P[i][i] for i in range(J.m)) - (J.m - len(J.f))) < 1e-30  # onto all of ker C
    close(numbers(law.M_AB, system, point), product(C, inverse(M), transposed(C)))
    a, mu = law.evaluate(point["all"])
    close([J.epsilon(point, a)], product(numbers([law.lambda_], system, point), C))
    close(numbers([law.lambda_], system, point), [mu])
    free = numbers([law.free], system, point)[0]
    if "Gamma" in law.objects:
        Gamma = christoffel(J, point)
        for found, expected in zip(law.Gamma, Gamma, strict=True):
            close(numbers(found, system, point), expected)
        v = [point["v"]]
        free = [x - product(v, G, transposed(v))[0][0] for x, G in zip(free, Gamma, strict=True)]
    close([J.epsilon(point, free)], [[0] * J.m])


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_B4_energy_and_its_rate(seed):
    """ė along the motion by the chain rule, and by λ_A C^A·v + F·v − ∂L/∂t."""
    system = wide_system(seed + 120)
    law, J = ch.equations(system, "dalembert"), Jets(system)
    point = J.point(seed)
    energy = sum(v * J.L.diff(v) for v in J.v) - J.L
    close(numbers([[law.energy]], system, point), [J.column([energy], point)])
    close(
        numbers([law.reaction_power], system, point),
        transposed(product(J.C(point), transposed([point["v"]]))),
    )
    applied = sum(f * v for f, v in zip(J.F, J.v, strict=True)) - J.L.diff(J.t)
    close(numbers([[law.applied_power]], system, point), [J.column([applied], point)])
    a, _ = law.evaluate(point["all"])
    close([[energy_rate(law, point["all"])]], [J.column([J.d(energy)], {**point, "a": a})])


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_L10_admissible_variations_and_the_first_variation(seed):
    """δq = W σ; the integrand p·δv + (∂L/∂q + F)·δq has the coefficients of σ and σ̇."""
    system = wide_system(seed + 130, ("linear", "affine"))
    J = Jets(system)
    point = J.point(seed)
    W = admissible_variations(system)
    is_kernel(J, numbers(W, system, point), point)
    sigma, sigma_dot = first_variation(system)
    W_s = [[J.read(e) for e in row] for row in W]
    p, push = [J.L.diff(v) for v in J.v], [J.L.diff(q) + f for q, f in zip(J.q, J.F, strict=True)]
    n = len(W[0])
    by_dot = [sum(p[i] * W_s[i][r] for i in range(J.m)) for r in range(n)]
    by_sigma = [sum(push[i] * W_s[i][r] + p[i] * J.d(W_s[i][r]) for i in range(J.m)) for r in range(n)]
    close(numbers([sigma_dot], system, point), [J.column(by_dot, point)])
    close(numbers([sigma], system, point), [J.column(by_sigma, point)])


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("affine", [False, True])
def test_L1_the_constrained_connection(seed, affine):
    system = quadratic_system(seed + 9, affine)
    law, J = ch.equations(system, "connection"), Jets(system)
    point = J.point(seed)
    P, project = numbers(law.P, system, point), normal_projection(J)
    close(numbers(law.g, system, point), J.M(point))
    for found, expected in zip(law.Gamma, christoffel(J, point), strict=True):
        close(numbers(found, system, point), expected)
    close(P, project(point))
    nu = numbers([law.nu], system, point)
    close(transposed(product(P, transposed(nu))), nu)  # ν is normal, and P ċ = ν on Q
    close(product(P, transposed([point["v"]])), transposed(nu))
    D, Gamma = covariant_derivative(J, project, point), christoffel(J, point)
    for i, rows in enumerate(law.nabla):
        expected = [[Gamma[i][j][k] + D[j][i][k] for k in range(J.m)] for j in range(J.m)]
        close(numbers(rows, system, point), expected, digits=25)
    a, mu = law.evaluate(point["all"])
    reaction = product(numbers([law.lambda_], system, point), J.M(point))
    close([J.epsilon(point, a)], reaction)
    close(product([mu], J.C(point)), reaction)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_L2_second_fundamental_form_and_torsion(seed):
    """S(X, Y) = (∇^g_X P)(Y) on W; T^i_jk = ∇^i_jk − ∇^i_kj; on D it is −P[X, Y]."""
    system = quadratic_system(seed + 14, potential=False, m=4, k=2)
    J = Jets(system)
    point, m = J.point(seed), range(J.m)
    D = covariant_derivative(J, normal_projection(J), point)
    S, W = second_fundamental_form(system)
    w = numbers(W, system, point)
    is_kernel(J, w, point)
    for i, rows in enumerate(S):
        part = [[D[j][i][k] for k in m] for j in m]
        close(numbers(rows, system, point), product(transposed(w), part, w), digits=25)
    T, integrable = torsion(system)
    assert not integrable
    for i, rows in enumerate(T):
        close(numbers(rows, system, point), [[D[j][i][k] - D[k][i][j] for k in m] for j in m], digits=25)
    fields = [[J.read(e) for e in row] for row in W]  # on D the torsion is −P[X, Y]
    X, Y = ([row[c] for row in fields] for c in (0, 1))
    bracket = [sum(X[j] * Y[i].diff(J.q[j]) - Y[j] * X[i].diff(J.q[j]) for j in m) for i in m]
    normal = product(normal_projection(J)(point), transposed([J.column(bracket, point)]))
    x, y = ([[row[c] for row in w]] for c in (0, 1))
    found = [[product(x, numbers(rows, system, point), transposed(y))[0][0]] for rows in T]
    close(found, times(-1, normal), digits=25)


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", SEEDS)
def test_L5_the_energy_preserving_connection(seed):
    """∇̃ g = 0, and ∇̃_X Y = ∇_X Y for Y in D: by differences of g and of P."""
    system = quadratic_system(seed + 19, potential=False)
    J = Jets(system)
    point, m = J.point(seed), range(J.m)
    N = [numbers(rows, system, point) for rows in energy_preserving(system)]
    g = J.M(point)
    for j in m:
        form = [[N[i][j][k] for k in m] for i in m]
        lowered = product(g, form)
        close(derivative(J.M, point, "q", j), plus(lowered, transposed(lowered)), digits=25)
    law = ch.equations(system, "connection")
    W = numbers(second_fundamental_form(system)[1], system, point)
    for i in m:
        close(product(N[i], W), product(numbers(law.nabla[i], system, point), W), digits=25)
