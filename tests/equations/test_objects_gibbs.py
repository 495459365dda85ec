"""Objects of `gibbs-appell`, `gibbs-geometric` and `gibbs-sasaki` by their definitions (L6, L7)."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.equations.forms import gibbs_appell, gibbs_geometric
from chetaev.expr.language.parser import parse
from objects import (
    Jets,
    christoffel,
    close,
    gradient_in_a,
    identity,
    is_kernel,
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
def test_L6_the_gibbs_function_and_the_quasi_velocities(seed):
    """∂S/∂a = d/dt ∂L/∂v − ∂L/∂q; ∂u/∂v W = 1, C W = 0; Q = Wᵀ F."""
    system = wide_system(seed + 90)
    J = Jets(system)
    free = ch.equations(system, "gauss").unknowns
    mixed = [f"{u[:-1]}*(2 + sin({u[:-2]})) + t*{free[0][:-1]}/3" for u in free]
    for law in (ch.equations(system, "gibbs-appell"), gibbs_appell.derive(system, mixed)):
        point = J.point(seed)
        gradient_in_a(law.S, J, point, F=False)
        push = sum(a * J.L.diff(q) for a, q in zip(J.a, J.q, strict=True))
        close(numbers([[law.S]], system, point), [J.column([(J.d(J.d(J.L)) - 3 * push) / 2], point)])
        W = numbers(law.frame, system, point)
        close(product(J.C(point), W), [[0] * len(free) for _ in J.f])
        u = [J.read(e) for e in law.quasi_velocities]
        close(product(J.jacobian(u, J.v, point), W), identity(len(free)))
        close(numbers([law.Q], system, point), product([J.column(J.F, point)], W))
    close([J.column(u, point)], [numbers([[parse(e, system.scope) for e in mixed]], system, point)[0]])


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_L6_the_geometric_gibbs_function_and_its_section(seed):
    """d₂G = ε; ε(ξ_L) = 0 and G(ξ_L) = 0 for the free motion; C̄ = ker C. Any section has the same d₂G."""
    system = wide_system(seed + 100)
    J = Jets(system)
    point = J.point(seed)
    law = ch.equations(system, "gibbs-geometric")
    gradient_in_a(law.G, J, point)
    xi = numbers([law.xi], system, point)[0]
    close([J.epsilon(point, xi)], [[0] * J.m])
    there = {**point["all"], **{(c, 2): x for c, x in zip(system.coordinates, xi, strict=True)}}
    close(numbers([[law.G]], system, {**point, "all": there}), [[0]])
    is_kernel(J, numbers(law.C_bar, system, point), point)
    other = gibbs_geometric.derive(system, [f"{c}^2 + t" for c in system.coordinates])
    gradient_in_a(other.G, J, point)
    close(numbers([other.xi], system, point), [[x**2 + point["t"] for x in point["q"]]])


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", SEEDS)
def test_L7_the_sasaki_metric(seed):
    """g^TQ(w, w) = g(q̇, q̇) + g(Kw, Kw) with Kw = v̇ + Γ(q̇, v); G = ½ g(a + Γ(v, v), a + Γ(v, v))."""
    system = quadratic_system(seed, affine=bool(seed % 2))
    law, J = ch.equations(system, "gibbs-sasaki"), Jets(system)
    point = J.point(seed)
    g, Gamma = J.M(point), christoffel(J, point)
    close(numbers(law.g, system, point), g)
    for found, expected in zip(law.Gamma, Gamma, strict=True):
        close(numbers(found, system, point), expected)
    T = [[sum(G[i][j] * point["v"][i] for i in range(J.m)) for j in range(J.m)] for G in Gamma]
    K = [[*t, *one] for t, one in zip(T, identity(J.m), strict=True)]  # Kw of w = (q̇, v̇)
    H = [[*one, *([0] * J.m)] for one in identity(J.m)]
    expected = plus(product(transposed(H), g, H), product(transposed(K), g, K))
    close(numbers(law.sasaki, system, point), expected)
    A = product(K, transposed([[*point["v"], *point["a"]]]))
    close(numbers([[law.G]], system, point), times(0.5, product(transposed(A), g, A)))
