"""Random systems: all formulations agree, and solutions correspond under transformations (K14, K19, K20).

Transformations: of points q = q(t, q̃), of the constraints f → A f, of the Lagrangian L → L + dG/dt, of
names, of the order of the constraints, and of the multipliers with them.
"""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chetaev as ch
from chetaev.equations.forms import chaplygin, chetaev, first_variation, lepage, reduced, sode, vakonomic
from chetaev.equations.law.law import SingularError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.calculus import Calculus
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import Scope
from chetaev.expr.print import to_text
from chetaev.model.states.points import random_points
from portions import examples

FORMS = (reduced, lepage, sode, chaplygin, first_variation)
KINDS = ("linear", "affine", "polynomial", "transcendental")

systems = st.builds(
    lambda m, kind, seed: random_system(random.Random(seed), m, kind),
    st.integers(2, 4),
    st.sampled_from(KINDS),
    st.integers(0, 10**9),
)
large_systems = st.builds(
    lambda m, kind, seed: random_system(random.Random(seed), m, kind),
    st.integers(2, 6),
    st.sampled_from(KINDS),
    st.integers(0, 10**9),
)


def random_system(rng, m, kind):
    """A Lagrangian with a regular Hessian in t, q, v, forces, and at most m − 1 constraints of one kind."""
    k = rng.randint(1, m - 1)
    q = [f"q{i}" for i in range(m)]
    rng.shuffle(q)

    def c():
        return f"({rng.randint(-9, 9)}/7)"

    def function():
        i, j = rng.choice(q), rng.choice(q)
        return rng.choice(
            [c(), f"{c()}*sin({i})", f"{c()}*{i}*{j}", f"{c()}*cos(t + {i})", f"exp(-{i}^2)*{c()}"]
        )

    L = [f"(2 + sin({rng.choice(q)} + t))*{x}'^2/2 + {x}'^4/{rng.randint(24, 60)}" for x in q]
    L += [f"cos({rng.choice(q)})*{x}'*{y}'/4" for x, y in itertools.pairwise(q)]
    L += [f"({function()})*{rng.choice(q)}'", f"-({function()})"]
    constraints = []
    for x in q[:k]:
        free = q[k:]
        terms = [f"({function()})*{y}'" for y in free]
        if kind in ("affine", "polynomial"):
            terms.append(f"({function()})")
        if kind == "polynomial":
            terms += [f"{c()}*{rng.choice(free)}'^2", f"{x}'^3/5"]
        if kind == "transcendental":
            terms += [f"({function()})*sin({rng.choice(free)}')", f"exp(-{x}'^2)/5"]
        constraints.append(f"{x}' + {' + '.join(terms)} = 0")
    forces = {rng.choice(q): f"{function()}*{rng.choice(q)}' + {function()}"}
    return ch.System(coordinates=sorted(q), lagrangian=" + ".join(L), constraints=constraints, forces=forces)


def difference(a, b):
    return max((abs(x - y) for x, y in zip(a, b, strict=True)), default=0) / max([1, *map(abs, b)])


def check_forms(system, count):
    reference = chetaev.derive(system)
    laws = [form.derive(system) for form in FORMS]
    for point in random_points(system, count):
        expected = reference.evaluate(point)[0]
        for law in laws:
            assert difference(law.evaluate(point)[0], expected) < 1e-38, law.form


@pytest.mark.slow
@settings(max_examples=examples(4))
@given(systems)
def test_K20_random_systems_all_formulations_agree(system):
    check_forms(system, 2)


@pytest.mark.slow
@settings(max_examples=examples(20))
@given(large_systems)
def test_K20_large_random_systems_all_formulations_agree(system):
    check_forms(system, 2)


@pytest.mark.slow
@pytest.mark.soak
@settings(max_examples=500)
@given(large_systems)
def test_K20_many_random_systems_all_formulations_agree(system):
    check_forms(system, 2)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "velocity", ["z' = y*x' - x*y'", "x'^2 + y'^2 + z'^2 = 2 + w^2", "z' + z'^3 = sin(w')"]
)
def test_K20_position_and_velocity_constraints_together(velocity):
    check_forms(
        ch.System(
            coordinates=["x", "y", "z", "w"],
            lagrangian="(x'^2 + y'^2 + z'^2 + (2 + cos(x))*w'^2)/2 - x*z + t*y*w'",
            constraints={"position": ["x + x^3 + y*sin(w) = t/3"], "velocity": [velocity]},
            forces={"y": "-y'*w", "w": "x'"},
        ),
        3,
    )


# --- point transformations --------------------------------------------------------------------------


def transformed(system, rng):
    """The system in coordinates p with q = q(t, p) near the identity; graphs of q, q', ∂q/∂p, d'q'/dt."""
    p = [f"p{i}" for i in range(len(system.coordinates))]
    scope = Scope.of(p, (), "t", order=0)
    texts = []
    for i, x in enumerate(p):
        y = rng.choice([n for n in p if n != x])
        texts.append(f"{x} + sin({y} + {rng.randint(1, 3)}*t)/4 + {x}^3/{rng.randint(20, 30)} + {i}*t/7")
    q = [parse(text, scope) for text in texts]
    calculus = Calculus()
    base = [graph.symbol("t"), *(graph.symbol(n) for n in p)]
    along = calculus.column([graph.ONE, *(graph.symbol(n, 1) for n in p)])
    q_dot = calculus.graphs(calculus.directional(q, base, along))
    q_p = calculus.matrix(calculus.jacobian(q, base[1:]))
    cut = calculus.graphs(calculus.directional(q_dot, base, along))
    swap = {graph.symbol(c): e for c, e in zip(system.coordinates, q, strict=True)}
    swap |= {graph.symbol(c, 1): e for c, e in zip(system.coordinates, q_dot, strict=True)}
    forces = [system.forces.get(c, graph.ZERO) for c in system.coordinates]
    residuals = [e.residual for e in system.velocity_constraints]
    L, *rest = graph.substitute([system.lagrangian, *residuals, *forces], swap)
    f, F = rest[: len(residuals)], rest[len(residuals) :]
    new_forces = {
        name: to_text(graph.add(*(graph.mul(q_p[i][j], F[i]) for i in range(len(F)))))
        for j, name in enumerate(p)
    }
    other = ch.System(
        coordinates=p, lagrangian=to_text(L), constraints=[f"{to_text(e)} = 0" for e in f], forces=new_forces
    )
    return other, q, q_dot, q_p, cut


@settings(max_examples=examples(4))
@given(systems, st.integers(0, 10**6), st.sampled_from((chetaev, *FORMS)))
def test_covariance_under_point_transformations(system, seed, form):
    other, q, q_dot, q_p, cut = transformed(system, random.Random(seed))
    here, there = chetaev.derive(system), form.derive(other)
    m = len(system.coordinates)
    for point in random_points(other, 1):
        values = evaluate_mp([*q, *q_dot, *cut, *(e for row in q_p for e in row)], point, 50)
        image = {"t": point["t"]}
        image |= {(c, 0): values[i] for i, c in enumerate(system.coordinates)}
        image |= {(c, 1): values[m + i] for i, c in enumerate(system.coordinates)}
        a = there.evaluate(point)[0]
        pushed = [
            values[2 * m + i] + sum(values[3 * m + i * m + j] * a[j] for j in range(m)) for i in range(m)
        ]
        expected = here.evaluate(image)[0]
        assert difference(pushed, expected) < 1e-38


# --- other changes that change nothing ---------------------------------------------------------------


def changed(system, **changes):
    """The system with another Lagrangian, constraints or coordinates."""
    data = {
        "coordinates": system.coordinates,
        "lagrangian": to_text(system.lagrangian),
        "constraints": [f"{to_text(e.residual)} = 0" for e in system.velocity_constraints],
        "forces": {c: to_text(f) for c, f in system.forces.items()},
    }
    return ch.System(**(data | changes))


@settings(max_examples=examples(4))
@given(systems, st.sampled_from((chetaev, *FORMS)))
def test_covariance_under_mixing_the_constraints(system, form):
    """f → A f with A(t, q, v) invertible: the same motion; the multipliers change by A⁻ᵀ."""
    residuals = [f"({to_text(e.residual)})" for e in system.velocity_constraints]
    x, y = system.coordinates[:2]
    k = len(residuals)
    mixed = [f"(2 + sin({x}' + {y}))*{residuals[i]}" for i in range(k)]
    mixed = [
        f"{mixed[i]} + {x}*{y}'*{residuals[i + 1]} = 0" if i + 1 < k else f"{mixed[i]} = 0" for i in range(k)
    ]
    other = changed(system, constraints=mixed)
    one, two, reference = form.derive(system), form.derive(other), chetaev.derive(other)
    for point in random_points(system, 1):
        expected, mu = chetaev.derive(system).evaluate(point)
        assert difference(one.evaluate(point)[0], expected) < 1e-38
        assert difference(two.evaluate(point)[0], expected) < 1e-38
        diagonal, above = evaluate_mp(
            [parse(f"2 + sin({x}' + {y})", system.scope), parse(f"{x}*{y}'", system.scope)], point, 50
        )
        nu = reference.evaluate(point)[1]
        back = [diagonal * nu[i] + (above * nu[i - 1] if i else 0) for i in range(k)]
        assert difference(back, mu) < 1e-38


@settings(max_examples=examples(4))
@given(systems, st.sampled_from((chetaev, *FORMS, vakonomic)))
def test_covariance_under_a_total_time_derivative(system, form):
    """L + dG/dt with G(t, q) has the same equations, vakonomic ones too."""
    x, y = system.coordinates[:2]
    G = f"{x}^2*sin({y} + t) + t*exp({y}/3)"
    calculus = Calculus()
    base = [graph.symbol("t"), *(graph.symbol(c) for c in system.coordinates)]
    along = calculus.column([graph.ONE, *(graph.symbol(c, 1) for c in system.coordinates)])
    rate = calculus.graphs(calculus.directional([parse(G, system.scope)], base, along))[0]
    other = changed(system, lagrangian=f"{to_text(system.lagrangian)} + {to_text(rate)}")
    one, two = form.derive(system), form.derive(other)
    for point in random_points(system, 1):
        if form is vakonomic:
            point = vakonomic.extend(one, point)
        try:
            expected = one.evaluate(point)[0]
        except SingularError:
            continue
        assert difference(two.evaluate(point)[0], expected) < 1e-36


@settings(max_examples=examples(4))
@given(systems, st.randoms(use_true_random=False), st.sampled_from((chetaev, *FORMS)))
def test_covariance_under_relabelling_and_the_order_of_constraints(system, rng, form):
    """Other names in another order, and the constraints permuted: accelerations and multipliers go along."""
    names = dict(zip(system.coordinates, [f"z{i}" for i in range(len(system.coordinates))], strict=True))
    order = list(names.values())
    rng.shuffle(order)
    swap = {graph.symbol(a, n): graph.symbol(b, n) for a, b in names.items() for n in (0, 1)}
    residuals = [e.residual for e in system.velocity_constraints]
    permuted = list(range(len(residuals)))
    rng.shuffle(permuted)
    L, *rest = graph.substitute([system.lagrangian, *residuals, *system.forces.values()], swap)
    forces = dict(zip((names[c] for c in system.forces), map(to_text, rest[len(residuals) :]), strict=True))
    other = ch.System(
        coordinates=order,
        lagrangian=to_text(L),
        constraints=[f"{to_text(rest[i])} = 0" for i in permuted],
        forces=forces,
    )
    law, reference = form.derive(other), chetaev.derive(system)
    for point in random_points(system, 1):
        renamed = {(names[k[0]], k[1]) if isinstance(k, tuple) else k: x for k, x in point.items()}
        expected, mu = reference.evaluate(point)
        found = dict(zip(order, law.evaluate(renamed)[0], strict=True))
        assert difference([found[names[c]] for c in system.coordinates], expected) < 1e-38
        nu = chetaev.derive(other).evaluate(renamed)[1]
        assert difference(nu, [mu[i] for i in permuted]) < 1e-38
