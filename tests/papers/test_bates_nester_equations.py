"""Bates and Nester, On D'Alembert's principle, sections 1 to 3 (B1–B5). The paper numbers no equations.

Signs: sections 1 and 3.2 write d/dt ∂l/∂v − ∂l/∂q = λ c_v, which is our convention. Sections 2 and 3.3
write X⌟ω = dh + λφ with ω = −dϑ₀ = dq ∧ dp, which is ṗ = −∂h/∂q − λφ: the two λ differ in sign, unremarked;
section 4.2 has ṗ = … + λφ again (and prints ∂h₀/∂p for ∂h₀/∂q).
"""

from __future__ import annotations

from typing import Any

import casadi
import mpmath
import pytest

import chetaev as ch
from chetaev.equations.forms import chetaev, dalembert
from chetaev.equations.law.setup import Setup
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.expr.graph.node import ZERO
from chetaev.model.states.points import random_points

SYSTEMS = [
    ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="((2 + sin(y))*x'^2 + (1 + x^2)*y'^2 + z'^2 + x*y'*z'/2)/2 - x*z",
        constraints=["z'^2 = x'^2 + y'^2 + x*y' + t"],
        name="curved, rheonomic",
    ),
    ch.load("appell-hamel"),
    ch.load("central-force-constant-speed"),
]
TWO = ch.System(
    coordinates=["x", "y", "z"],
    lagrangian="((2 + sin(y))*x'^2 + (1 + x^2)*y'^2 - z'^2 + x*y'*z'/2)/2 - x*z",
    constraints=["z' = 3*x'^2 + y", "y' = z'^2*x"],
    name="two constraints, Lorentz signature",
)


def numbers(graphs: Any, point: dict[Any, Any]) -> Any:
    """Values of nested lists of graphs."""
    if isinstance(graphs, list) and graphs and isinstance(graphs[0], list):
        return [numbers(part, point) for part in graphs]
    return evaluate_mp(graphs, point, 50)


def dot(x: Any, y: Any) -> Any:
    return sum(a * b for a, b in zip(x, y, strict=True))


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: s.name)
def test_section_1_the_plane_in_covariant_accelerations_has_a_dot_on_its_index(system: ch.System) -> None:
    """B1: c_k̇ a^k + (c_k v^k − c_ȧ Γ^a_kl v^k v^l + c_t) = 0 with a^b = v̇^b + Γ^b_kl v^k v^l."""
    equations, reference = dalembert.derive(system), chetaev.derive(system)
    for point in random_points(system, 2, seed=1):
        a, _ = reference.evaluate(point)
        v = [point[(c, 1)] for c in system.coordinates]
        spray = [dot(v, [dot(row, v) for row in part]) for part in numbers(equations.Gamma, point)]
        covariant = [x + y for x, y in zip(a, spray, strict=True)]
        C, rest = numbers(reference.C, point)[0], numbers(reference.c, point)[0]
        assert abs(dot(C, covariant) + rest - dot(C, spray)) < 1e-40


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: s.name)
def test_section_1_the_free_acceleration_less_its_normal_part(system: ch.System) -> None:
    """B1: a_constrained = a − a_⊥ with a_⊥^k = −λ g^kr c_ṙ, and a_⊥ is g-orthogonal to the plane."""
    equations, reference = dalembert.derive(system), chetaev.derive(system)
    with mpmath.workdps(50):
        for point in random_points(system, 2, seed=2):
            a, (lam,) = reference.evaluate(point)
            M, C = (mpmath.matrix(numbers(x, point)) for x in (reference.M, reference.C))
            F = mpmath.matrix(
                evaluate_mp([system.forces.get(c, ZERO) for c in system.coordinates], point, 50)
            )
            free = mpmath.lu_solve(M, F - mpmath.matrix(numbers(reference.h, point)))
            normal = -lam * mpmath.lu_solve(M, C.T)
            assert mpmath.norm(free - normal - mpmath.matrix(a)) < 1e-38 * (1 + mpmath.norm(free))
            W = mpmath.matrix(numbers(dalembert.admissible_variations(system), point))
            assert mpmath.norm(W.T * M * normal) < 1e-38 * (1 + mpmath.norm(normal))
            assert abs(evaluate_mp(equations.lambda_, point, 50)[0] - lam) < 1e-38 * (1 + abs(lam))


@pytest.mark.parametrize("system", [*SYSTEMS, TWO], ids=lambda s: s.name)
def test_sections_2_and_3_3_hamiltonian_multipliers_have_the_opposite_sign(system: ch.System) -> None:
    """B3, B5: λ_A from ⟨dc^A, X_h⟩ + λ_B ⟨dc^A, φ^B#⟩ = 0.

    ⟨dc^A, φ^B#⟩ = −M^AB = −g^ab c^A_ȧ c^B_ḃ; the print leaves the dots out.
    c^A(t, q, v(q, p)) on T*Q has {c, h} = ∂c/∂q ∂h/∂p − ∂c/∂p ∂h/∂q; here by v = g⁻¹(p − …), l quadratic.
    With explicit time ∂c/∂t is added.
    """
    s = Setup(system)
    g = casadi.hessian(s.L, s.v)[0]
    p_symbol = casadi.SX.sym("p", s.m)
    p = casadi.gradient(s.L, s.v)
    b = casadi.substitute(p, s.v, casadi.SX.zeros(s.m))
    v_of_p = s.solve(g, p_symbol - b)  # g does not depend on v
    on_dual = {
        "h": casadi.substitute(casadi.dot(p, s.v) - s.L, s.v, v_of_p),
        "c": casadi.substitute(s.f, s.v, v_of_p),
    }
    phi = casadi.substitute(s.by_v(s.f), s.v, v_of_p)
    h_q, h_p = (casadi.gradient(on_dual["h"], x) for x in (s.q, p_symbol))
    c_q, c_p, c_t = (casadi.jacobian(on_dual["c"], x) for x in (s.q, p_symbol, s.t))
    bracket = c_q @ h_p - c_p @ h_q + c_t
    pairing = -c_p @ phi.T  # φ^# = −φ_a ∂/∂p_a
    back = [s.graphs(casadi.substitute(x, p_symbol, p)) for x in (bracket, casadi.vec(pairing))]
    normals = dalembert.derive(system)
    with mpmath.workdps(50):
        for point in random_points(system, 2, seed=3):
            brackets, flat = numbers(back[0], point), numbers(back[1], point)
            k = s.k
            paired = mpmath.matrix(k, k)
            for i in range(k):
                for j in range(k):
                    paired[i, j] = flat[i + k * j]
            M_AB = mpmath.matrix(numbers(normals.M_AB, point))
            assert mpmath.norm(paired + M_AB) < 1e-38 * (1 + mpmath.norm(M_AB))
            hamiltonian = mpmath.lu_solve(paired, -mpmath.matrix(brackets))
            _, lagrangian = chetaev.derive(system).evaluate(point)
            for x, y in zip(hamiltonian, lagrangian, strict=True):
                assert abs(x + y) < 1e-38 * (1 + abs(y))


def test_section_3_1_constant_energy_is_no_constraint() -> None:
    """B4: λ = 0, also for a Lagrangian that is not quadratic."""
    energy = "x'^4*3/4 + x'^2/2 + y'^2/2 + x^2*y"
    system = ch.System(
        coordinates=["x", "y"], lagrangian="x'^4/4 + x'^2/2 + y'^2/2 - x^2*y", constraints=[f"{energy} = 2"]
    )
    equations = dalembert.derive(system)
    for point in random_points(system, 3, seed=4):
        assert abs(equations.evaluate(point)[1][0]) < 1e-40


@pytest.mark.parametrize("name", ["central-force-constant-speed", "appell-hamel", "implicit-constraint"])
def test_section_3_2_energy_rate(name: str) -> None:
    """B4: ė = λ_A c^A_v·v, zero for homogeneous constraints."""
    system = ch.load(name)
    equations = dalembert.derive(system)
    s = Setup(system)
    e = casadi.dot(casadi.gradient(s.L, s.v), s.v) - s.L
    rate = s.graphs(s.along(e) + s.by_v(e) @ s.a)[0]
    for point in random_points(system, 2, seed=5):
        a, mu = equations.evaluate(point)
        values = {**point, **{(c, 2): x for c, x in zip(system.coordinates, a, strict=True)}}
        power = dot(mu, evaluate_mp(equations.reaction_power, point, 50))
        assert abs(evaluate_mp([rate], values, 50)[0] - power) < 1e-38 * (1 + abs(power))
        assert (abs(power) < 1e-38) is (name == "appell-hamel")


def test_section_3_3_lorentz_signature_needs_more_than_independence() -> None:
    """B5: c = x' − y' is a good constraint, but null for dx² − dy² + dz²: M^AB = 0."""
    system = ch.System(
        coordinates=["x", "y", "z"], lagrangian="(x'^2 - y'^2 + z'^2)/2", constraints=["x' = y'"]
    )
    with pytest.raises(ch.ModelError, match="indefinite metric allows"):
        dalembert.derive(system)
