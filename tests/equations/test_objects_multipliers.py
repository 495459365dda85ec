"""Objects of `chetaev`, `euler-lagrange`, `vakonomic`, `first-variation`, `gauss` and `internal`, read back.

Each is recomputed from the text of L, F and f by SymPy, on systems of every kind.
"""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.equations.forms import internal
from chetaev.expr.graph.node import symbol
from objects import Jets, close, gradient_in_a, is_kernel, numbers, product, transposed, wide_system

SEEDS = range(2)


def unconstrained(system: ch.System) -> ch.System:
    return ch.System(
        coordinates=system.coordinates,
        lagrangian=str(system.lagrangian),
        forces={n: str(e) for n, e in system.forces.items()},
        parameters={n: str(e) for n, e in system.parameters.items()},
    )


def h(J, point):
    """d'/dt ∂L/∂v − ∂L/∂q, a row."""
    return J.column([J.along(J.L.diff(v)) - J.L.diff(q) for q, v in zip(J.q, J.v, strict=True)], point)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_K14_M_h_C_and_c_of_the_equations_with_multipliers(seed):
    system = wide_system(seed + 40)
    law, J = ch.equations(system, "chetaev"), Jets(system)
    point = J.point(seed)
    close(numbers(law.M, system, point), J.M(point))
    close(numbers([law.h], system, point), [h(J, point)])
    close(numbers(law.C, system, point), J.C(point))
    close(numbers([law.c], system, point), [J.c(point)])


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", SEEDS)
def test_K6_A_and_B_of_the_euler_lagrange_form(seed):
    """E_σ = A_σ + B_σν a^ν with E = ∂L/∂q − d/dt ∂L/∂v + F, at some accelerations."""
    system = unconstrained(wide_system(seed + 50))
    law, J = ch.equations(system, "euler-lagrange"), Jets(system)
    point = J.point(seed)
    A, B, a = numbers([law.A], system, point)[0], numbers(law.B, system, point), point["a"]
    epsilon = J.epsilon(point, a)
    close([[x + y[0] for x, y in zip(A, product(B, transposed([a])), strict=True)]], [[-e for e in epsilon]])
    close(B, [[-x for x in row] for row in J.M(point)])
    close(numbers(law.M, system, point), J.M(point))
    close(numbers([law.h], system, point), [h(J, point)])


@pytest.mark.parametrize("seed", SEEDS)
def test_K15_the_vakonomic_lagrangian_is_L_plus_mu_f(seed):
    system = wide_system(seed + 60)
    law, J = ch.equations(system, "vakonomic"), Jets(system)
    point = J.point(seed)
    mu = [i + 2 for i in range(len(J.f))]
    assert len(law.mu) == len(J.f)
    off_q = {**point, "v": [x + 1 for x in point["v"]]}  # on Q the multipliers would not be seen
    named = dict(zip(law.mu, mu, strict=True))
    velocities = {(c, 1): x for c, x in zip(system.coordinates, off_q["v"], strict=True)}
    off_q["all"] = {**point["all"], **named, **velocities}
    expected = J.L + sum(x * f for x, f in zip(mu, J.f, strict=True))
    close(numbers([[law.L_hat]], system, off_q), [J.column([expected], off_q)])


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_D4_F_Pi_and_W_of_the_first_variation(seed):
    system = wide_system(seed + 70)
    law, J = ch.equations(system, "first-variation"), Jets(system)
    point = J.point(seed)
    push = [J.L.diff(q) + f for q, f in zip(J.q, J.F, strict=True)]
    close(numbers([law.F], system, point), [J.column(push, point)])
    close(numbers([law.Pi], system, point), [J.column([J.L.diff(v) for v in J.v], point)])
    is_kernel(J, numbers(law.W, system, point), point)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_L8_gauss_function_and_its_plane(seed):
    """∂Z/∂a is the reaction d/dt ∂L/∂v − ∂L/∂q − F; the plane is C a + c = 0 with directions W."""
    system = wide_system(seed + 80)
    law, J = ch.equations(system, "gauss"), Jets(system)
    point = J.point(seed)
    close(numbers(law.C, system, point), J.C(point))
    close(numbers([law.c], system, point), [J.c(point)])
    is_kernel(J, numbers(law.W, system, point), point)
    gradient_in_a(law.Z, J, point)
    rest = {(c, 2): 0 for c in system.coordinates}  # Z is meant up to a constant of the fibre: 0 at a = 0
    close(numbers([[law.Z]], system, {**point, "all": {**point["all"], **rest}}), [[0]])


def test_L9_the_plane_of_constraints_on_accelerations():
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + 3*y'^2)/2 - x*y",
        constraints={"acceleration": ["(2 + x'^2)*y'' - x*x'' = y'^3"]},
    )
    point = Jets(system).point()
    x, _ = point["q"]
    v, w = point["v"]
    for form in ("gauss", "chetaev"):
        law = ch.equations(system, form)
        close(numbers(law.C, system, point), [[-x, 2 + v**2]])
        close(numbers([law.c], system, point), [[-(w**3)]])


@pytest.mark.parametrize(
    ("names", "positions"),
    [
        (["x", "y", "z"], ["x^2 + y^2 + z^2 = 4 + sin(t)"]),
        (["x", "y", "z", "w"], ["x + y^3 = 1 + t/9", "exp(z) + x = w + w^3"]),
    ],
)
def test_K12_slopes_of_dependent_coordinates(names, positions):
    """φ_D w_q = −φ_S and φ_D w_t = −φ_t: moved along them a point stays on φ = 0."""
    kinetic = " + ".join(f"{c}'^2" for c in names)
    system = ch.System(coordinates=names, lagrangian=kinetic, constraints={"position": positions})
    law, J = internal.derive(system), Jets(system)
    point = J.point(1)
    S = [system.coordinates.index(u.rstrip("'")) for u in law.unknowns]
    D = [i for i in range(J.m) if i not in S]
    phi_q, phi_t = J.jacobian(J.phi, J.q, point), J.column([e.diff(J.t) for e in J.phi], point)
    w_q, w_t = numbers(law.w_q, system, point), numbers([law.w_t], system, point)[0]
    on_s = [[row[i] for i in S] for row in phi_q]
    on_d = product([[row[i] for i in D] for row in phi_q], w_q)
    close(on_d, [[-x for x in row] for row in on_s])
    close(product([[row[i] for i in D] for row in phi_q], transposed([w_t])), [[-x] for x in phi_t])


def test_names_that_multipliers_would_share_are_lengthened():
    system = ch.System(
        coordinates=["mu_1", "y"], lagrangian="mu_1'^2 + y'^2", constraints=["y' = mu_1*mu_1'"]
    )
    law = ch.equations(system, "vakonomic")
    assert law.mu[0] not in system.coordinates
    assert symbol(law.mu[0]).value == (law.mu[0], 0)
