"""The same accelerations and multipliers from SymPy's own mechanics (K14, K20)."""

from __future__ import annotations

import pytest
import sympy
from mpmath import mp
from sympy.physics.mechanics import (
    KanesMethod,
    LagrangesMethod,
    Particle,
    Point,
    ReferenceFrame,
    dynamicsymbols,
)

import chetaev as ch
from chetaev.equations.forms import chetaev, lepage, reduced
from chetaev.expr.language.sympy_bridge import convert, sympy_symbol
from chetaev.model.states.points import random_points
from portions import some

SYSTEMS = (
    "rolling-disc", "vertical-rolling-disc", "knife-edge", "caratheodory-sleigh", "heisenberg",
    "contact-oscillator", "snakeboard", "disc-on-incline", "dog-pursues-man", "ball-on-accelerated-table",
    "magnetic-nonholonomic-particle", "pendulum-cartesian",
)  # fmt: skip


def dynamic(system):
    """L and the constraints in SymPy's functions of time; the functions by coordinate."""
    t = dynamicsymbols._t
    functions = {c: dynamicsymbols(c) for c in system.coordinates}
    swap = {sympy_symbol(c, 1): f.diff(t) for c, f in functions.items()}
    swap |= {sympy_symbol(c): f for c, f in functions.items()} | {sympy_symbol(system.time): t}
    velocity = [e.residual for e in system.velocity_constraints]
    position = [e.residual for e in system.position_constraints]
    L, *rest = (e.subs(swap) for e in convert([system.lagrangian, *velocity, *position], expand=True))
    return L, rest[: len(velocity)], rest[len(velocity) :], functions


def solve_at(method, functions, point, system):
    """Accelerations and multipliers of a LagrangesMethod at a point, with 30 digits; forces stand right."""
    t = dynamicsymbols._t
    numbers = [(f.diff(t), point[c, 1]) for c, f in functions.items()]
    numbers += [(f, point[c, 0]) for c, f in functions.items()]
    numbers += [(t, point[system.time]), *((sympy_symbol(p), point[p]) for p in system.parameters)]
    matrix = method.mass_matrix_full.subs(numbers).evalf(40)
    right = method.forcing_full.subs(numbers).evalf(40)
    given = dict(zip(system.forces, convert(list(system.forces.values()), expand=True), strict=True))
    swap = {sympy_symbol(c, k): point[c, k] for c in system.coordinates for k in (0, 1)}
    swap |= {sympy_symbol(n): point[n] for n in (system.time, *system.parameters)}
    for i, c in enumerate(functions):
        right[len(functions) + i] += given[c].subs(swap).evalf(40) if c in given else 0
    with mp.workdps(40):
        A = mp.matrix([[mp.mpf(str(x)) for x in matrix.row(i)] for i in range(matrix.rows)])
        x = mp.lu_solve(A, mp.matrix([mp.mpf(str(b)) for b in right]))
    m = len(functions)
    return list(x[m : 2 * m]), list(x[2 * m :])


@pytest.mark.slow
@pytest.mark.parametrize("name", some(SYSTEMS, 3))
def test_K14_LagrangesMethod_with_multipliers(name):
    system = ch.load(name)
    L, velocity, position, functions = dynamic(system)
    method = LagrangesMethod(L, list(functions.values()), nonhol_coneqs=velocity, hol_coneqs=position)
    method.form_lagranges_equations()
    for point in random_points(system, 1, seed=5, digits=40):
        a, multipliers = solve_at(method, functions, point, system)
        for form in (chetaev, reduced, lepage):
            b = form.derive(system).evaluate(point, 40)[0]
            assert max(abs(x - y) for x, y in zip(a, b, strict=True)) < 1e-25 * max([1, *map(abs, b)])
        mu = chetaev.derive(system).evaluate(point, 40)[1]
        # the same sign: d/dt ∂L/∂v − ∂L/∂q = μ_a ∂f^a/∂v
        assert max(abs(x - y) for x, y in zip(multipliers, mu, strict=True)) < 1e-25 * max([1, *map(abs, mu)])


def test_K20_KanesMethod_of_a_particle_with_a_nonholonomic_constraint():
    """z' = y x', as in the Heisenberg system with mass 1."""
    x, y, z, u1, u2, u3 = dynamicsymbols("x y z u1 u2 u3")
    t = dynamicsymbols._t
    frame, origin, P = ReferenceFrame("N"), Point("O"), Point("P")
    origin.set_vel(frame, 0)
    P.set_pos(origin, x * frame.x + y * frame.y + z * frame.z)
    P.set_vel(frame, u1 * frame.x + u2 * frame.y + u3 * frame.z)
    method = KanesMethod(
        frame,
        q_ind=[x, y, z],
        u_ind=[u1, u2],
        u_dependent=[u3],
        kd_eqs=[x.diff(t) - u1, y.diff(t) - u2, z.diff(t) - u3],
        velocity_constraints=[u3 - y * u1],
    )
    method.kanes_equations([Particle("P", P, 1)], [(P, 0 * frame.x)])
    rates = method.mass_matrix.LUsolve(method.forcing)
    system = ch.System(
        coordinates=["x", "y", "z"], lagrangian="(x'^2 + y'^2 + z'^2)/2", constraints=["z' = y*x'"]
    )
    for point in random_points(system, 3, digits=30):
        numbers = {u1: point["x", 1], u2: point["y", 1], u3: point["z", 1], y: point["y", 0]}
        with mp.workdps(40):
            found = [mp.mpf(str(e.subs(numbers).evalf(30))) for e in rates]
        for form in (chetaev, reduced, lepage):
            a = form.derive(system).evaluate(point, 30)[0]
            assert max(abs(p - q) for p, q in zip(found, a, strict=True)) < 1e-20


def substituted(name, dependent):
    """Accelerations of the free coordinates when the constraints are put into L first, and the right ones."""
    system = ch.load(name)
    L, velocity, _, functions = dynamic(system)
    t = dynamicsymbols._t
    rates = [functions[c].diff(t) for c in dependent]
    L_bar = L.subs(sympy.solve(velocity, rates, dict=True)[0])
    free = {c: f for c, f in functions.items() if c not in dependent}
    assert not any(L_bar.has(functions[c]) for c in dependent)
    method = LagrangesMethod(L_bar, list(free.values()))
    method.form_lagranges_equations()
    point = next(random_points(system, 1, seed=5, digits=40))
    wrong = solve_at(method, free, point, system)[0]
    right = dict(zip(system.coordinates, chetaev.derive(system).evaluate(point, 40)[0], strict=True))
    return wrong, [right[c] for c in free]


@pytest.mark.slow
def test_K20_substituting_the_constraint_into_the_lagrangian_is_wrong_for_the_rolling_disc():
    """It forgets C^a_α ∂L/∂v^a: the Euler–Lagrange equations of L̄ are not the equations of motion."""
    wrong, right = substituted("rolling-disc", ["x", "y"])
    assert max(abs(x - y) for x, y in zip(wrong, right, strict=True)) > 0.1


def test_K20_for_the_vertical_disc_it_happens_to_be_right():
    """There C^a_α ∂L/∂v^a = 0 on Q, although C ≠ 0: a trap for who tries the shortcut on this example."""
    wrong, right = substituted("vertical-rolling-disc", ["x", "y"])
    assert max(abs(x - y) for x, y in zip(wrong, right, strict=True)) < 1e-25
