"""Objects of `hamel` and `quasi` by their definitions: frame, coframe, momenta, structure, N (D1, D5)."""

from __future__ import annotations

import pytest

from chetaev.equations.forms import hamel, quasi
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.model.states.points import random_points
from objects import (
    Jets,
    close,
    inverse,
    numbers,
    plus,
    product,
    quadratic_system,
    times,
    transposed,
    wide_system,
)

SEEDS = range(2)


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", SEEDS)
def test_D1_frame_coframe_momenta_and_structure_functions(seed):
    """J = ∂u/∂v, E = J⁻¹, p_I = E_I·∂L/∂v; [e_A, e_B] = c^I_AB e_I for e_0 = ∂_t + e_0^i ∂_i and the e_I."""
    system = quadratic_system(seed + 24, affine=True)
    law, J = hamel.derive(system, ["x'*(2 + y) + t", "y' + x'*sin(z) + x"]), Jets(system)
    point, m = J.point(seed), J.m
    u = [J.read(e) for e in law.quasi_velocities]
    close([J.column(u[-1:], point)], [[0]])  # the constraint is a member
    rows = [[e.diff(v) for v in J.v] for e in u]
    coframe = J.values(rows, point)
    close(numbers(law.coframe, system, point), coframe)
    E = inverse(coframe)
    close(numbers(law.frame, system, point), E)
    close(numbers([law.momenta], system, point), product([J.column([J.L.diff(v) for v in J.v], point)], E))
    # θ^I = J^I_i dq^i + j^I dt; dθ^I(e_A, e_B) = −θ^I([e_A, e_B]) = −c^I_AB
    still = dict.fromkeys(J.v, 0)
    forms = [[e.subs(still), *row] for e, row in zip(u, rows, strict=True)]
    z = [J.t, *J.q]
    e_0 = [1, *(-x[0] for x in product(E, transposed([J.column([f[0] for f in forms], point)])))]
    fields = [e_0, *([0, *column] for column in transposed(E))]
    for form, found in zip(forms, law.structure, strict=True):
        both = range(m + 1)
        d = J.values([[form[j].diff(z[i]) - form[i].diff(z[j]) for j in both] for i in both], point)
        close(numbers(found, system, point), times(-1, product(fields, d, transposed(fields))))


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_D5_nonlinear_quasi_velocities(seed):
    """N^I_s = (∂u^I/∂v^i)(d/dt ∂v^i/∂u^s − ∂v^j/∂u^s ∂v^i/∂q^j|_u), at some quasi-accelerations."""
    system = wide_system(seed + 160, ("polynomial", "transcendental", "implicit"))
    law, J = hamel.derive(system), Jets(system)
    point, n = J.point(seed), J.m - len(J.f)
    u = [J.read(e) for e in law.quasi_velocities]
    coframe = J.jacobian(u, J.v, point)
    E = inverse(coframe)
    close(numbers(law.coframe, system, point), coframe)
    close(numbers(law.frame, system, point), E)
    close(numbers([law.momenta], system, point), product([J.column([J.L.diff(v) for v in J.v], point)], E))
    u_dot = [[i + 2] for i in range(n)] + [[0]] * (J.m - n)
    drift = J.column([J.along(e) for e in u], point)
    a = [x[0] for x in product(E, plus(u_dot, times(-1, transposed([drift]))))]
    J_dot = J.values([[J.d(e.diff(v)) for v in J.v] for e in u], {**point, "a": a})
    E_dot = times(-1, product(E, J_dot, E))
    v_q = times(-1, product(E, J.jacobian(u, J.q, point)))
    expected = product(coframe, plus(E_dot, times(-1, product(v_q, E))))
    N = numbers(law.N, system, point)
    for s in range(n):
        moved = product(numbers(law.N_u[s], system, point), u_dot[:n])
        found = [[N[i][s] + moved[i][0]] for i in range(J.m)]
        close(found, [[row[s]] for row in expected])


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", SEEDS)
def test_D1_velocities_and_quasi_velocities_undo_each_other(seed):
    """q' = V(t, q, u) at u = u(t, q, v) gives back the velocities of points of Q; the frame has both."""
    system = quadratic_system(seed + 27, affine=True)
    law = quasi.derive(system)
    names = system.coordinates
    assert tuple(law.quasi_frame.velocities) == tuple(law.velocities.values())
    assert tuple(law.quasi_frame.functions) == tuple(law.quasi_velocities.values())
    for point in random_points(system, 3, seed=seed):
        u = evaluate_mp(list(law.quasi_velocities.values()), point, 50)
        here = {**point, **dict(zip((s.value for s in law.quasi_frame.symbols), u, strict=True))}
        v = evaluate_mp([law.velocities[c] for c in names], here, 50)
        assert max(abs(x - point[c, 1]) for x, c in zip(v, names, strict=True)) < 1e-40
