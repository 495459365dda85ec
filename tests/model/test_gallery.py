"""The gallery: every model loads, round-trips, starts on its constraints; rigid bodies are derived again."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
import tomllib

import pytest
import sympy
from sympy import Matrix, cos, sin

import chetaev as ch
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.language.parser import parse
from chetaev.expr.language.sympy_bridge import convert, sympy_symbol
from chetaev.model import gallery
from chetaev.model.system import System
from galleries import MODELS

NAMES = ch.gallery()


@pytest.fixture(params=NAMES)
def model(request: pytest.FixtureRequest) -> System:
    return MODELS[request.param]


def test_the_gallery_is_complete():
    """Item 5 of the issue: the seven of Swaczyna, and those of the other papers and books."""
    wanted = [
        "decelerated-particle",
        "dog-pursues-man",
        "pursuit",
        "leibniz-particle",
        "particle-on-cone",
        "rolling-disc",
        "rolling-disc-swaczyna",
        "ball-on-rotating-table",
        "ball-on-accelerated-table",
        "vertical-disc-torques",
        "heisenberg",
        "suslov",
        "brachistochrone-metric",
        "relativistic-particle",
        "relativistic-particle-scalar",
        "central-force-constant-speed",
        "caratheodory-sleigh",
        "nonholonomic-particle",
        "knife-edge",
        "snakeboard",
        "appell-hamel",
        "perpendicular-velocities",
        "contact-oscillator",
        "rolling-ball",
        "disc-on-incline",
        "double-pendulum",
        "pendulum-moving-support",
        "damped-sleigh",
        "charged-particle-magnetic",
    ]
    assert set(wanted) <= set(NAMES)
    assert sorted(NAMES) == NAMES
    assert len(NAMES) == len(set(NAMES)) >= 46


def test_a_model_says_what_it_is(model):
    assert model.name != "untitled"
    assert len(model.summary) > 20
    assert len(model.source) > 10
    assert model.until_value is not None
    assert model.until_value > model.state.t
    assert model.degrees_of_freedom >= 1 or model.dynamics.hamiltonian is not None


def test_the_initial_state_lies_on_the_constraints(model):
    count = len(model.position_constraints) + len(model.velocity_constraints)
    assert len(model.state.residuals) == count
    assert all(abs(r) <= 1e-12 for r in model.state.residuals)
    values = {**model.parameter_values, model.time: model.state.t, **model.state.position}
    values |= {(n, 1): v for n, v in model.state.velocity.items()}
    for equation in model.velocity_constraints:
        assert abs(evaluate([equation.residual], values)[0]) <= 1e-12


def test_the_given_values_are_kept(model):
    values = model.parameter_values
    for part, state in (("position", model.state.position), ("velocity", model.state.velocity)):
        for name, expr in getattr(model.initial, part).items():
            assert state[name] == pytest.approx(evaluate([expr], values)[0], rel=1e-9, abs=1e-9)


@pytest.mark.few(39)
def test_the_round_trip_is_exact(model):
    text = model.to_toml()
    again = ch.loads(text)
    assert again == model
    assert again.to_toml() == text
    assert hash(again) == hash(model)
    assert all(x is y for x, y in zip(again.dynamics.functions, model.dynamics.functions, strict=True))
    assert again.state == model.state


@pytest.mark.few(18)
def test_copies_are_equal(model):
    for again in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model)):
        assert again == model
        assert again.to_toml() == model.to_toml()


def test_every_parameter_and_definition_is_used(model):
    equations = [
        *model.position_constraints, *model.velocity_constraints, *model.acceleration_constraints
    ]  # fmt: skip
    roots = [*model.dynamics.functions, *(s for e in equations for s in (e.lhs, e.rhs))]
    assert model.initial is not None
    roots += [*model.initial.position.values(), *model.initial.velocity.values()]
    roots += [e for stop in model.stops for e in (stop.position, stop.restitution)]
    used = {name for name, _ in graph.symbols(*roots, *model.parameters.values())}
    assert set(model.parameters) <= used
    assert set(model.definitions) == {d.value for d in graph.definitions(*roots)}


def test_heads_are_read_without_building_models():
    rows = {row["name"]: row for row in gallery.heads()}
    assert list(rows) == NAMES
    for name, model in MODELS.items():
        assert rows[name]["title"] == model.name
        assert rows[name]["summary"] == model.summary
        assert tomllib.loads(gallery.read(name).decode())["coordinates"] == list(model.coordinates)


# --- rigid bodies, from their rotation matrices --------------------------------------------------

time = sympy.Symbol("t")


def moving(*names: str) -> list[sympy.Expr]:
    return [sympy.Function(name)(time) for name in names]


def rotation(axis: str, angle: sympy.Expr) -> Matrix:
    c, s = cos(angle), sin(angle)
    return {
        "x": Matrix([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": Matrix([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": Matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


def vector(skew: Matrix) -> Matrix:
    return Matrix([skew[2, 1], skew[0, 2], skew[1, 0]])


def space_velocity(matrix: Matrix) -> Matrix:
    """The angular velocity in the frame at rest: R' Rᵀ."""
    return vector(matrix.diff(time) * matrix.T)


def body_velocity(matrix: Matrix) -> Matrix:
    """The angular velocity in the body: Rᵀ R'."""
    return vector(matrix.T * matrix.diff(time))


def plain(expression: sympy.Expr, names: tuple[str, ...]) -> sympy.Expr:
    """Functions of time and their derivatives as the symbols of the bridge."""
    for name in names:
        function = sympy.Function(name)(time)
        expression = expression.subs(function.diff(time), sympy_symbol(name, 1)).subs(
            function, sympy_symbol(name)
        )
    return expression


def vanishes(expression: sympy.Expr) -> bool:
    """Whether a polynomial in velocities, sines and cosines is zero: remainders modulo s² + c² = 1."""
    pairs = []
    for angle in sorted({f.args[0] for f in expression.atoms(sin, cos)}, key=str):
        s, c = sympy.Dummy("s"), sympy.Dummy("c")
        expression = expression.subs({sin(angle): s, cos(angle): c})
        pairs.append((s, c))
    expression = sympy.expand(expression)
    for s, c in pairs:
        expression = sympy.expand(sympy.rem(expression, c**2 + s**2 - 1, c))
    return expression == 0


def assert_equal(model: System, exprs: list[graph.Expr], expected: list[sympy.Expr]) -> None:
    for ours, theirs in zip(convert(exprs, expand=True), expected, strict=True):
        assert vanishes(ours - plain(theirs, model.coordinates))


@pytest.mark.slow
def test_gallery_Sw6_rolling_disc_kinetic_energy_and_rolling_condition():
    """(37) with the spin's sign set right: R = Rz(φ) Rx(−θ) Ry(ψ), centre P + R (sin θ N + cos θ Z)."""
    model = MODELS["rolling-disc"]
    x, y, psi, phi, theta = moving(*model.coordinates)
    m, R, I1, I2, g = (sympy_symbol(n) for n in ("m", "R", "I1", "I2", "g"))
    frame = rotation("z", phi) * rotation("x", -theta)
    body = frame * rotation("y", psi)
    radius = R * frame * Matrix([0, 0, 1])
    centre = Matrix([x, y, 0]) + radius
    omega = body_velocity(body)
    kinetic = m * centre.diff(time).dot(centre.diff(time)) / 2
    kinetic += (I1 * omega[0] ** 2 + I2 * omega[1] ** 2 + I1 * omega[2] ** 2) / 2
    assert model.kinetic is not None
    assert model.potential is not None
    assert_equal(model, [model.kinetic, model.potential], [kinetic, m * g * centre[2]])
    contact = centre.diff(time) + space_velocity(body).cross(-radius)
    assert_equal(model, [e.residual for e in model.velocity_constraints], list(contact[:2]))
    assert vanishes(plain(contact[2], model.coordinates))


def test_gallery_Sw6_printed_disc_has_the_other_sign():
    """rolling-disc-swaczyna keeps what the paper prints; the two differ exactly by the sign of the spin."""
    right, printed = MODELS["rolling-disc"], MODELS["rolling-disc-swaczyna"]
    assert right.coordinates == printed.coordinates
    flip = {sympy_symbol("psi", 1): -sympy_symbol("psi", 1)}
    ours, theirs = convert([right.lagrangian, printed.lagrangian], expand=True)
    assert not vanishes(ours - theirs)
    assert vanishes((ours - ours.subs(flip)) + (theirs - theirs.subs(flip)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rolling-ball", "ball-on-rotating-table", "ball-on-accelerated-table"])
def test_gallery_Sw7_ball_angular_velocity(name):
    """ω in the frame at rest from Rz(ψ) Rx(θ) Rz(φ)."""
    model = MODELS[name]
    theta, phi, psi = moving("theta", "phi", "psi")
    omega = space_velocity(rotation("z", psi) * rotation("x", theta) * rotation("z", phi))
    ours = {n: model.definitions[n] for n in ("wx", "wy", "wz") if n in model.definitions}
    assert len(ours) >= 2
    assert_equal(model, list(ours.values()), list(omega[: len(ours)]))


def test_gallery_Sw7_rolling_ball_condition():
    model = MODELS["rolling-ball"]
    x, y, theta, phi, psi = moving("x", "y", "theta", "phi", "psi")
    R = sympy_symbol("R")
    omega = space_velocity(rotation("z", psi) * rotation("x", theta) * rotation("z", phi))
    contact = Matrix([x, y, R]).diff(time) + omega.cross(Matrix([0, 0, -R]))
    assert_equal(model, [e.residual for e in model.velocity_constraints], list(contact[:2]))


@pytest.mark.slow
def test_gallery_suslov_kinetic_energy_and_constraint():
    model = MODELS["suslov"]
    psi, theta, phi = moving("psi", "theta", "phi")
    omega = body_velocity(rotation("z", psi) * rotation("x", theta) * rotation("z", phi))
    I11, I22, I33, I13, I23 = (sympy_symbol(n) for n in ("I11", "I22", "I33", "I13", "I23"))
    inertia = Matrix([[I11, 0, I13], [0, I22, I23], [I13, I23, I33]])
    assert_equal(model, [model.lagrangian], [(omega.T * inertia * omega)[0] / 2])
    assert_equal(model, [model.velocity_constraints[0].residual], [omega[2]])


def test_gallery_D6_vertical_disc_is_the_upright_rolling_disc():
    """The constraint of vertical-rolling-disc is that of the rolling disc."""
    model = MODELS["vertical-rolling-disc"]
    assert len(model.velocity_constraints) == 2
    assert model.degrees_of_freedom == 2


def test_gallery_Sw1_constraint_holds_at_the_start():
    """Decelerated particle: |q'|² t = const, so the motion starts at t = 1."""
    model = MODELS["decelerated-particle"]
    assert model.state.t == 1.0
    assert len(model.velocity_constraints) == 1
    assert (model.time, 0) in graph.symbols(model.velocity_constraints[0].residual)


def test_gallery_L4_heisenberg_constraint():
    model = MODELS["heisenberg"]
    assert model.velocity_constraints[0].residual is parse("z' - y*x'", model.scope)


def test_gallery_relativistic_four_velocity_is_normed():
    """B8: w'² − x'² − y'² = c² for the Minkowski metric, at the start."""
    model = MODELS["relativistic-particle"]
    assert model.time == "tau"
    v, c = model.state.velocity, model.parameter_values["c"]
    space = sum(v[n] ** 2 for n in v if n != "w")
    assert v["w"] ** 2 - space == pytest.approx(c**2, rel=1e-12)
    assert v["w"] > 0


def test_gallery_dog_has_the_speed_of_the_report():
    model = MODELS["dog-pursues-man"]
    assert math.hypot(*model.state.velocity.values()) == pytest.approx(2.0, rel=1e-12)


@pytest.mark.slow
def test_gallery_snakeboard_goes_forwards():
    import chetaev as ch

    motion = ch.simulate(ch.load("snakeboard"))
    assert motion.attrs["status"] == "done"
    per_swing = [float(motion.x.sel(time=i * 2 * 3.14159265 / 3, method="nearest")) for i in range(6)]
    steps = [b - a for a, b in itertools.pairwise(per_swing)]
    assert all(later > earlier > 0 for earlier, later in itertools.pairwise(steps))


@pytest.mark.parametrize("name", ["appell-hamel", "appell-hamel-linear"])
def test_gallery_the_weight_stays_above_the_wheel(name):
    import chetaev as ch

    motion = ch.simulate(ch.load(name))
    assert float(motion.z.min()) - 0.2 > 2 * 0.3


def test_gallery_B12_angular_momentum_keeps_its_direction_and_grows():
    import numpy as np

    import chetaev as ch

    motion = ch.simulate(ch.load("central-force-constant-speed"))
    q = np.stack([motion[n] for n in "xyz"])
    v = np.stack([motion[f"{n}_dot"] for n in "xyz"])
    momentum = np.cross(q.T, v.T)
    size = np.linalg.norm(momentum, axis=1)
    assert size[-1] > 2 * size[0]
    directions = momentum / size[:, None]
    assert np.abs(directions - directions[0]).max() < 1e-6
