"""Symmetries (Sa7, Sa8, K10, K22): two derivations of the variational equation, motions that go to motions,
planted ones found, given ones judged."""

from __future__ import annotations

import random

import numpy as np
import pytest

import chetaev as ch
from chetaev.geometry import MixedSpace, SecondOrderGeometry
from chetaev.laws.symmetry.linearized import Linearized
from chetaev.model.jet_functions import function_on
from formulas import formula, formulas

TERMS = ("x", "y*z", "sin(x)", "x'", "t*x'", "z", "x*x'", "1")


def random_mixed(seed: int) -> tuple[ch.System, SecondOrderGeometry]:
    """The same mixed equations as a system and as a geometry."""
    rng = random.Random(seed)

    def function() -> str:
        extra = " + x'^2*y/3" if seed % 2 else ""
        return " + ".join(f"{rng.randint(1, 3)}*{f}" for f in rng.sample(TERMS, 2)) + extra

    first, second = {"y": function(), "z": function()}, {"x": function()}
    system = ch.System(coordinates=["x", "y", "z"], dynamics={"accelerations": second, "velocities": first})
    space = MixedSpace(["x"], ["y", "z"], first)
    return system, SecondOrderGeometry(space, space.second_order_field([second["x"]]))


@pytest.mark.parametrize("seed", range(4))
def test_Sa7_both_derivations_leave_the_same_defects(seed: int) -> None:
    """∇²X̄ + ∇X̃ + (Φ + Ψ)(X) in closed form, and Γ(ζ), Γ²(ζ) with implicit derivatives; fields and forms."""
    system, G = random_mixed(seed)
    lin, rng = Linearized(system), random.Random(50 + seed)
    names = [system.coordinates[i] for i in (*lin.dependent, *lin.independent)]
    assert sorted(names) == ["x", "y", "z"]
    mu = [f"{rng.choice(TERMS)}*{rng.choice(TERMS)}" for _ in range(3)]
    X = G.along(independent=[mu[0]], dependent=mu[1:])
    slopes = [row[0] for row in G.space.slopes]
    zeta = {"x": X.independent[0]}
    zeta |= {n: m + b * X.independent[0] for n, m, b in zip("yz", X.dependent, slopes, strict=True)}
    ours = lin.symmetry_defects([zeta[c].to_expr() for c in system.coordinates])
    theirs = G.symmetry_defect(X)
    dependent = [dict(zip("yz", theirs.dependent, strict=True))[system.coordinates[i]] for i in lin.dependent]
    _same(G, [*dependent, *theirs.independent], ours)
    given = [function_on(system, m) for m in mu]
    adjoint = G.adjoint_defect(G.form_along(independent=[mu[0]], dependent=mu[1:]))
    dependent = [
        dict(zip("yz", adjoint.dependent, strict=True))[system.coordinates[i]] for i in lin.dependent
    ]
    _same(G, [*(-e for e in dependent), *adjoint.independent], lin.adjoint_defects(given))


def _same(G, expected, graphs) -> None:
    first = {(n, 1): g for n, g in zip(G.space.dependent, G.space.g, strict=True)}
    for e, graph in zip(expected, graphs, strict=True):
        assert G.space.chart.field(graph).subs(first) == e


SYSTEMS = {
    "heisenberg": lambda: ch.load("heisenberg").with_initial(x=0.3, y=0.4, x_dot=1, y_dot=0.5),
    "unsolvable": lambda: ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints=["z' + z'^3/5 + sin(z') = x'*y + cos(y)*x'^2/4"],
        initial={"x": 0.1, "y": 0.2, "z": 0, "x_dot": 0.7, "y_dot": 0.4},
    ),
    "ball-on-rotating-table": lambda: ch.load("ball-on-rotating-table"),
}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n == "unsolvable" else [pytest.mark.slow]) for n in SYSTEMS]
)
def test_Sa7_symmetries_take_motions_to_motions(name: str) -> None:
    """A motion that starts a little along the field stays a little along it: the integrator is the other
    route.
    """
    system = SYSTEMS[name]()
    found = ch.symmetries(system)
    assert found
    assert all(one.of_dynamics for one in found)
    state = system.state
    base = _run(system)
    moved = [one for one in found if one.components.keys() - {system.time}]
    for one in moved[:3]:
        start, end = _zeta(system, one, state.t, base, 0), _zeta(system, one, base.time.values[-1], base, -1)
        step = 1e-5
        shifted = {c: float(base[c][0]) + step * z for c, z in zip(system.coordinates, start, strict=True)}
        rates = _rates(system, one, base)
        shifted |= {
            f"{c}_dot": float(base[f"{c}_dot"][0]) + step * r
            for c, r in zip(system.coordinates, rates, strict=True)
        }
        other = _run(system, shifted)
        change = [(float(other[c][-1]) - float(base[c][-1])) / step for c in system.coordinates]
        assert np.allclose(change, end, atol=2e-3, rtol=2e-3), one.words


def _run(system, initial=None):
    at = [system.state.t, system.state.t + 0.5, system.state.t + 1.0]
    return ch.simulate(system, until=at[-1], at=at, initial=initial, tolerance=1e-11)


def _values(system, t, run, i):
    point = {system.time: float(t), **system.parameter_values}
    point |= {c: float(run[c][i]) for c in system.coordinates}
    return point | {(c, 1): float(run[f"{c}_dot"][i]) for c in system.coordinates}


def _zeta(system, one, t, run, i):
    from chetaev.expr.graph.evaluate import evaluate
    from chetaev.expr.graph.node import ZERO

    point = _values(system, t, run, i)
    graphs = [one.components.get(n, ZERO) for n in (system.time, *system.coordinates)]
    tau, *xi = evaluate(graphs, point)
    return [x - point[c, 1] * tau for x, c in zip(xi, system.coordinates, strict=True)]


def _rates(system, one, run):
    """dζ/dt at the start, by a short run."""
    h = 1e-4
    t = system.state.t
    short = ch.simulate(system, until=t + 2 * h, at=[t, t + h, t + 2 * h], tolerance=1e-12)
    z = [_zeta(system, one, t + i * h, short, i) for i in range(3)]
    return [(-3 * a + 4 * b - c) / (2 * h) for a, b, c in zip(*z, strict=True)]


@pytest.mark.slow
def test_Sa7_the_space_can_be_searched_again_in_other_coordinates() -> None:
    """A planted algebra: the free particle on z' = y x' after an invertible change of x, y, z."""
    plain = ch.symmetries(ch.load("heisenberg"))
    change = {"x": "(u + v)", "y": "(v - w)", "z": "(w + 2*u)"}
    rates = {"x": "(u' + v')", "y": "(v' - w')", "z": "(w' + 2*u')"}
    L = "({x}^2 + {y}^2 + {z}^2)/2".format(**rates)
    hidden = ch.System(
        coordinates=["u", "v", "w"], lagrangian=L, constraints=[f"{rates['z']} = {change['y']}*{rates['x']}"]
    )
    found = ch.symmetries(hidden)
    assert len(found) == len(plain) == 6
    assert {one.of_lagrangian for one in found} == {True, False}
    assert found.algebra is not None
    assert found.algebra.closed
    assert all(one.of_dynamics and "proved" in one.evidence for one in found)


def test_K10_K22_what_a_field_is_a_symmetry_of() -> None:
    skate = ch.load("knife-edge")
    one, two, three = ch.symmetries(
        skate, fields=[{"x": 1}, {"x": "-y", "y": "x", "phi": 1}, {"x": "-sin(phi)", "y": "cos(phi)"}]
    )
    assert (one.of_dynamics, one.of_lagrangian, one.of_constraint, one.of_connection) == (True,) * 4
    assert one.divergence == formula("m*g*t*sin(alpha)")
    assert (two.of_dynamics, two.of_lagrangian, two.of_constraint) == (False, False, True)
    assert (three.of_dynamics, three.of_lagrangian) == (True, False)  # of the motion, though not of L
    galilei = ch.System(coordinates=["x"], lagrangian="x'^2/2")
    (boost,) = ch.symmetries(galilei, fields=[{"x": "t"}])
    assert boost.divergence == formula("x")
    data = boost.to_json()
    assert data["of_lagrangian"] is True
    assert data["components"] == formulas({"x": "t"})


def test_Sa8_adjoint_symmetries_give_integrals_and_lagrangians() -> None:
    found = {one.words: one for one in ch.symmetries(ch.load("heisenberg"), "adjoint")}
    assert found["sqrt(y^2 + 1) ω^x"].integral == formula("x'*sqrt(y^2 + 1)")
    assert found["t ω^y"].integral == formula("y'*t - y")
    oscillator = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2")
    one, two = ch.symmetries(oscillator, "adjoint", fields=[{"x": "x"}, {"x": "sin(t)"}])
    assert one.new_lagrangian == formula("(x' - x)*(x' + x)")
    assert two.integral == formula("x'*sin(t) - x*cos(t)")
    (none,) = ch.symmetries(oscillator, "adjoint", fields=[{"x": "x*x'"}])
    assert none.of_dynamics is False
    assert none.integral is None


def test_Sa8_linear_and_nonlinear_constraints_that_are_mixed_systems() -> None:
    """A Lagrangian of the second-order part, although the velocity of y is a nonlinear function."""
    mixed = {"accelerations": {"x": "-x"}, "velocities": {"y": "x'^2*x"}}
    system = ch.System(coordinates=["x", "y"], dynamics=mixed)
    (one,) = ch.symmetries(system, "adjoint", fields=[{"x": "x"}])
    assert one.of_dynamics is True
    assert one.new_lagrangian is not None
    (energy,) = ch.symmetries(system, "adjoint", fields=[{"x": "x'"}])
    assert energy.integral == formula("(x'^2 + x^2)/2")


def test_dynamical_symmetries_depend_on_velocities() -> None:
    fields = [one.components for one in ch.symmetries(ch.load("heisenberg"), "dynamical")]
    assert formulas({"x": "x'", "y": "y'", "z": "z'"}) in fields  # time, as a field along the motion
    assert formulas({"x": "y'"}) in fields


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"kind": "lie"}, "the kind is 'lie'"),
        ({"degree": -1}, "the degree is -1"),
        ({"fields": [{"u": 1}]}, "the component 'u'"),
        ({"fields": {"x": 1}}, "a list of fields"),
        ({"fields": ["x"]}, "its components by name"),
        ({"fields": [{"x": "y'"}]}, "contains y'"),
        ({"fields": [{"x": "k*y"}]}, "k"),
        ({"kind": "dynamical", "fields": [{"t": 1}]}, "a component along t"),
        ({"effort": 0}, "the effort is 0"),
    ],
)
def test_bad_input_is_a_sentence(arguments: dict, sentence: str) -> None:
    with pytest.raises(ch.ModelError) as error:
        ch.symmetries(ch.load("heisenberg"), **arguments)
    assert sentence in str(error.value)


def test_constraints_on_accelerations_are_refused() -> None:
    with pytest.raises(ch.ModelError, match="submanifold"):
        ch.symmetries(ch.load("acceleration-constraint"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_Sa7_planted_symmetries_are_found(seed: int) -> None:
    """q1 is ignorable; hidden by a random linear change q = A u the field A⁻¹ e₁ is found among others."""
    rng = random.Random(seed)
    while True:
        A = [[rng.randint(-2, 2) for _ in range(3)] for _ in range(3)]
        if round(np.linalg.det(A)):
            break
    u = ["a", "b", "c"]
    q = ["(" + " + ".join(f"({x})*{n}" for x, n in zip(row, u, strict=True)) + ")" for row in A]
    v = ["(" + " + ".join(f"({x})*{n}'" for x, n in zip(row, u, strict=True)) + ")" for row in A]
    nonlinear = f" + {v[1]}^2/3" if seed % 2 else ""
    system = ch.System(
        coordinates=u,
        lagrangian=f"({v[0]}^2 + 2*{v[1]}^2 + 3*{v[2]}^2)/2 + {q[1]}*{v[0]} - {q[1]}^2*{q[2]}",
        constraints=[f"{v[2]} = {q[1]}*{v[0]} - {q[2]}*{v[1]}{nonlinear}"],
        forces={"a": f"-k*{q[1]}"},
        parameters={"k": "1/3"},
    )
    inverse = np.linalg.inv(A)[:, 0]
    planted = {n: str(ch_fraction(x)) for n, x in zip(u, inverse, strict=True)}
    assert ch.symmetries(system, fields=[planted])[0].of_dynamics is True
    found = ch.symmetries(system)
    assert all(one.of_dynamics for one in found)
    constant = [one for one in found if system.time not in one.components]
    rows = [[float(str_fraction(one.components.get(n))) for n in u] for one in constant if _plain(one)]
    assert np.linalg.matrix_rank(np.array([*rows, inverse])) == np.linalg.matrix_rank(np.array(rows))


def ch_fraction(x: float):
    from fractions import Fraction

    return Fraction(x).limit_denominator(1000)


def str_fraction(e):
    from fractions import Fraction

    return Fraction(0) if e is None else Fraction(str(e))


def _plain(one) -> bool:
    return all(e.op in ("number", "neg", "div") for e in one.components.values())


def test_kinks_are_spoken_of() -> None:
    found = ch.symmetries(ch.System(coordinates=["x"], lagrangian="x'^2/2 - abs(x)"), fields=[{"x": 1}])
    assert "kinks of abs" in found.remark


def test_a_constraint_is_no_law() -> None:
    circle = ch.System(
        coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - y", constraints={"position": ["x^2 + y^2 = 1"]}
    )
    assert all(one.integral is None for one in ch.symmetries(circle, "adjoint", fields=[{"y": "y"}]))
