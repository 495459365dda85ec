"""Models without `[view]`: what stands where is computed here once more, by hand, from the coordinates."""

import numpy as np
import pytest

import chetaev as ch
from chetaev.view.automatic import automatic
from chetaev.view.scenes import scene
from random_systems import random_system

G = {"g": 9.8}


def made(coordinates, lagrangian, parameters, position, velocity, **more):
    initial = position | {f"{c}_dot": x for c, x in velocity.items()}
    return ch.System(
        coordinates=coordinates.split(), lagrangian=lagrangian, parameters=parameters, initial=initial, **more
    )


CART = (
    "M*x'^2/2 + m/2*((x' + l*a'*cos(a))^2 + (l*a'*sin(a))^2)"
    " + m/2*((x' + l*a'*cos(a) + l*b'*cos(b))^2 + (l*a'*sin(a) + l*b'*sin(b))^2) + m*g*l*(2*cos(a) + cos(b))"
)
EXPANDED = (
    "(M + 2*m)*x'^2/2 + m*l^2*a'^2 + m*l^2*b'^2/2 + 2*m*l*x'*a'*cos(a) + m*l*x'*b'*cos(b)"
    " + m*l^2*a'*b'*cos(a - b) + m*g*l*(2*cos(a) + cos(b))"
)
ARM = (
    "(m + M)*l^2*q1'^2/2 + M*k^2*(q1' + q2')^2/2 + M*l*k*q1'*(q1' + q2')*cos(q2)"
    " + (m + M)*g*l*cos(q1) + M*g*k*cos(q1 + q2)"
)
TRAILER = "m/2*(x'^2 + y'^2) + J/2*a'^2 + m/2*((x' + d*sin(b)*b')^2 + (y' - d*cos(b)*b')^2) + J/2*b'^2"
SNAKE = (
    "m/2*(x'^2 + y'^2) + J*a'^2/2 + J*b'^2/2"
    " + m/2*((x' + l*a'*sin(a) + l*b'*sin(b))^2 + (y' - l*a'*cos(a) - l*b'*cos(b))^2)"
)
DISC = (
    "m/2*(x'^2 + y'^2 + R^2*s'^2 + R^2*sin(s)^2*p'^2) - m*R*(x'*(sin(s)*cos(p)*p' + cos(s)*sin(p)*s')"
    " - y'*(-sin(s)*sin(p)*p' + cos(s)*cos(p)*s')) + I/2*(s'^2 + cos(s)^2*p'^2) + I*(u' - sin(s)*p')^2"
    " - m*g*R*cos(s)"
)
ROLLS = ["x' = R*cos(p)*u'", "y' = R*sin(p)*u'"]
WHEELS = ["x'*cos(a) + y'*sin(a) + w*a' = R*p1'", "x'*cos(a) + y'*sin(a) - w*a' = R*p2'"]
HANGING = {"M": 2, "m": 1, "l": 0.5, **G}
SEGWAY = "(M*R^2 + J)*p'^2/2 + m/2*((R*p' + l*s'*cos(s))^2 + (l*s'*sin(s))^2) + J*s'^2/2 - m*g*l*cos(s)"
SKATE = "m*R^2/2*(theta'^2 + sin(theta)^2*phi'^2) + J/2*(psi' + cos(theta)*phi')^2 - m*R*cos(theta)"
BALL = [
    "x' = R*(theta'*sin(phi) - psi'*sin(theta)*cos(phi))",
    "y' = -R*(theta'*cos(phi) + psi'*sin(theta)*sin(phi))",
]
SPIN = "m/2*(x'^2 + y'^2) + I/2*(phi'^2 + theta'^2 + psi'^2 + 2*phi'*psi'*cos(theta))"


def cart(p, q):
    first = [q["x"] + p["l"] * np.sin(q["a"]), -p["l"] * np.cos(q["a"])]
    last = [first[0] + p["l"] * np.sin(q["b"]), first[1] - p["l"] * np.cos(q["b"])]
    return {"box": [[q["x"], 0]], "point": [first, last]}


def arm(p, q):
    first = [p["l"] * np.sin(q["q1"]), -p["l"] * np.cos(q["q1"])]
    both = q["q1"] + q["q2"]
    return {"point": [first, [first[0] + p["k"] * np.sin(both), first[1] - p["k"] * np.cos(both)]]}


def sphere(p, q, sign=-1):
    s = np.sin(q["theta"])
    return {
        "point": [
            [p["R"] * s * np.cos(q["phi"]), p["R"] * s * np.sin(q["phi"]), sign * p["R"] * np.cos(q["theta"])]
        ]
    }


def disc(p, q):
    lean = p["R"] * np.sin(q["s"])
    return {
        "disc": [[q["x"] - lean * np.sin(q["p"]), q["y"] + lean * np.cos(q["p"]), p["R"] * np.cos(q["s"])]]
    }


MODELS = {
    "double pendulum on a cart": (
        made("x a b", CART, HANGING, {"a": 1, "b": 0.5}, {"x": 0.2, "a": 0, "b": 0}),
        cart,
    ),
    "the same, squares multiplied out": (
        made("x a b", EXPANDED, HANGING, {"a": 1, "b": 0.5}, {"x": 0.2, "a": 0, "b": 0}),
        cart,
    ),
    "arm in relative angles": (
        made("q1 q2", ARM, {"m": 1, "M": 2, "l": 1, "k": 0.7, **G}, {"q1": 1, "q2": 0.5}, {"q1": 0, "q2": 0}),
        arm,
    ),
    "spherical pendulum": (
        made(
            "theta phi",
            "m*R^2/2*(theta'^2 + sin(theta)^2*phi'^2) + m*g*R*cos(theta)",
            {"m": 1, "R": 2, **G},
            {"theta": 1, "phi": 0},
            {"theta": 0, "phi": 1},
        ),
        sphere,
    ),
    "bead on a surface": (
        made(
            "x y",
            "m/2*(x'^2 + y'^2 + (2*k*x*x' + 2*k*y*y')^2) - m*g*k*(x^2 + y^2)",
            {"m": 1, "k": 0.5, **G},
            {"x": 1, "y": 0},
            {"x": 0, "y": 1},
        ),
        lambda p, q: {"point": [[q["x"], q["y"], p["k"] * (q["x"] ** 2 + q["y"] ** 2)]]},
    ),
    "robot with a trailer": (
        made(
            "x y a b",
            TRAILER,
            {"m": 1, "J": 0.1, "d": 0.8},
            {"a": 0.5, "b": 0},
            {"a": 0.5, "x": 1},
            constraints=["x'*sin(a) = y'*cos(a)", "x'*sin(b) - y'*cos(b) + d*b' = 0"],
        ),
        lambda p, q: {
            "point": [[q["x"], q["y"]], [q["x"] - p["d"] * np.cos(q["b"]), q["y"] - p["d"] * np.sin(q["b"])]],
            "blade": [[q["x"], q["y"]], [q["x"] - p["d"] * np.cos(q["b"]), q["y"] - p["d"] * np.sin(q["b"])]],
        },
    ),
    "segway": (
        made(
            "p s",
            SEGWAY,
            {"M": 1, "m": 3, "J": 0.02, "R": 0.2, "l": 0.8, **G},
            {"p": 0, "s": 0.2},
            {"p": 0, "s": 0},
        ),
        lambda p, q: {
            "wheel": [[p["R"] * q["p"], 0]],
            "point": [[p["R"] * q["p"] + p["l"] * np.sin(q["s"]), p["l"] * np.cos(q["s"])]],
        },
    ),
    "snake": (
        made(
            "x y a b",
            SNAKE,
            {"m": 1, "J": 0.1, "l": 0.5},
            {"a": 0.3, "b": 0},
            {"x": 1, "a": 0.2, "b": 0.1},
            constraints=["x'*sin(a) = y'*cos(a)"],
        ),
        lambda p, q: {
            "blade": [[q["x"], q["y"]]],
            "point": [
                [q["x"], q["y"]],
                [
                    q["x"] - p["l"] * (np.cos(q["a"]) + np.cos(q["b"])),
                    q["y"] - p["l"] * (np.sin(q["a"]) + np.sin(q["b"])),
                ],
            ],
        },
    ),
    "ball in a bowl": (
        made(
            "x y z",
            "7/10*m*(x'^2 + y'^2 + z'^2) - m*g*z",
            {"m": 1, "R": 1, **G},
            {"x": 0.6, "y": 0, "z": -0.8},
            {"x": 0, "y": 1},
            constraints={"position": ["x^2 + y^2 + z^2 = R^2"]},
        ),
        lambda p, q: {"point": [[q["x"], q["y"], q["z"]]]},
    ),
    "skate on a sphere": (
        made(
            "theta phi psi",
            SKATE,
            {"m": 1, "R": 2, "J": 0.2},
            {"theta": 1, "phi": 0, "psi": 0.3},
            {"theta": 0.5, "psi": 1},
            constraints=["sin(psi)*theta' = cos(psi)*sin(theta)*phi'"],
        ),
        lambda p, q: sphere(p, q, 1),
    ),
    "leaning disc": (
        made(
            "x y u p s",
            DISC,
            {"m": 1, "R": 0.5, "I": 0.0625, **G},
            {"s": 0.3, "p": 0, "u": 0, "x": 0, "y": 0},
            {"u": 3, "p": 0.5, "s": 0},
            constraints=ROLLS,
        ),
        disc,
    ),
    "rolling ball": (
        made(
            "x y phi theta psi",
            SPIN,
            {"m": 1, "R": 0.3, "I": 0.036},
            {"theta": 1, "phi": 0, "psi": 0},
            {"theta": 2, "psi": 1, "phi": 0.5},
            constraints=BALL,
        ),
        lambda p, q: {"ball": [[q["x"], q["y"], p["R"]]]},
    ),
    "drive": (
        made(
            "x y a p1 p2",
            "m/2*(x'^2 + y'^2) + J*a'^2/2 + I/2*(p1'^2 + p2'^2)",
            {"m": 5, "J": 0.5, "I": 0.02, "R": 0.1, "w": 0.3},
            {"a": 0.3},
            {"p1": 8, "p2": 5},
            constraints=["y'*cos(a) = x'*sin(a)", *WHEELS],
        ),
        lambda p, q: {
            "wheel": [
                [q["x"] + k * p["w"] * np.sin(q["a"]), q["y"] - k * p["w"] * np.cos(q["a"])] for k in (1, -1)
            ]
        },
    ),
    "spring pendulum": (
        made(
            "r a",
            "m/2*(r'^2 + r^2*a'^2) + m*g*r*cos(a) - k/2*(r - 1)^2",
            {"m": 1, "k": 20, **G},
            {"r": 1.2, "a": 0.6},
            {"r": 0, "a": 0},
        ),
        lambda p, q: {"point": [[q["r"] * np.sin(q["a"]), -q["r"] * np.cos(q["a"])]]},
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_bodies_stand_where_the_lagrangian_and_the_constraints_say(name):
    system, expected = MODELS[name]
    motion = ch.simulate(system, until=1.5, at=31)
    shown = scene(system, motion)
    q = {c: motion[c].values for c in system.coordinates}
    for body, places in expected(system.parameter_values, q).items():
        own = [b.tracks["position"] for b in shown.bodies if b.name == body]
        for place in places:
            flat = [
                max(np.abs(track[:, k] - x).max() for k, x in enumerate(place))
                for track in (np.broadcast_to(t, (31, 3)) for t in own)
            ]
            assert min(flat, default=np.inf) < 1e-6, (name, body)


def test_a_wheel_rolls_without_sliding():
    """Its lowest point is at rest: v + ω × (−R e_z) = 0, ω from the rotation of the body."""
    for name, radius in (("leaning disc", 0.5), ("rolling ball", 0.3), ("drive", 0.1)):
        system, _ = MODELS[name]
        motion = ch.simulate(system, until=0.5, at=2001)
        shown = scene(system, motion, frames=2001)
        for body in (b for b in shown.bodies if b.name in ("disc", "ball", "wheel")):
            turned, place = body.tracks["rotation"], np.broadcast_to(body.tracks["position"], (2001, 3))
            dt = motion.time.values[2] - motion.time.values[0]
            rate = np.einsum("nij,nkj->nik", (turned[2:] - turned[:-2]) / dt, turned[1:-1])
            omega = np.stack([rate[:, 2, 1], rate[:, 0, 2], rate[:, 1, 0]], axis=1)
            contact = place[1:-1] * [1, 1, 0]
            if name == "leaning disc":
                contact = np.stack([motion.x.values, motion.y.values, 0 * motion.x.values], axis=1)[1:-1]
            speed = (place[2:] - place[:-2]) / dt + np.cross(omega, contact - place[1:-1])
            assert np.abs(speed[:, :2]).max() < 1e-4, name
            assert np.allclose(np.linalg.norm(contact - place[1:-1], axis=1), radius)


def test_what_is_not_understood_is_a_phase_portrait():
    mixed = made(
        "u w", "(1 + w^2)*u'^2/2 + w'^2/2 + u*u'*w' - u^2", {}, {"u": 1, "w": 0.2}, {"u": 0, "w": 0.4}
    )
    shown = scene(mixed, ch.simulate(mixed, until=1.0, at=11))
    assert [b.text for b in shown.bodies if b.kind == "label"] == ["u", "u'"]
    assert shown.caption.startswith("A phase portrait")


def test_rods_keep_their_lengths_and_surfaces_hold_their_points():
    system, _ = MODELS["double pendulum on a cart"]
    shown = scene(system, ch.simulate(system, until=1.0, at=21))
    rods = [b for b in shown.bodies if "from" in b.tracks]
    assert len(rods) == 2
    for rod in rods:
        assert np.allclose(np.linalg.norm(rod.tracks["to"] - rod.tracks["from"], axis=1), 0.5)
    system, _ = MODELS["ball in a bowl"]
    surface = scene(system, ch.simulate(system, until=1.0, at=21)).body("surface")
    assert np.allclose(np.linalg.norm(surface.mesh.vertices, axis=1), 1, atol=1e-4)


NOT_THAT = {
    "a car that turns about a point is no disc": (
        made(
            "x y a",
            "m/2*((x' - b*a'*sin(a))^2 + (y' + b*a'*cos(a))^2) + J/2*a'^2",
            {"m": 1, "J": 1, "L": 2, "d": 0.4, "b": 1},
            {},
            {"x": 1},
            constraints=["y'*cos(a) = x'*sin(a)", "y'*cos(a + d) - x'*sin(a + d) + L*a'*cos(d) = 0"],
        ),
        {"disc", "ball", "wheel"},
    ),
    "the length of a path is no spin": (
        made(
            "s x y p",
            "s'^2/2 + p'^2/2 + x'^2/2 + y'^2/2",
            {},
            {},
            {"s": 1, "p": 1},
            constraints=["x' = s'*cos(p)", "y' = s'*sin(p)"],
        ),
        {"disc", "ball", "wheel"},
    ),
    "rates of spin in space are no wheels": (
        made(
            "x y a b",
            "m/2*(x'^2 + y'^2) + J/2*(a'^2 + b'^2)",
            {"m": 1, "J": 1, "R": 0.1, "W": 2},
            {"x": 1, "y": 0},
            {"x": 0, "y": 0},
            constraints=["x' - R*b' = -W*y", "y' + R*a' = W*x"],
        ),
        {"disc", "ball", "wheel", "blade"},
    ),
    "an angle with another name is no length": (
        made(
            "s roll tilt",
            "M*s'^2/2 + J*roll'^2/2 + m/2*((s' + l*tilt'*cos(tilt))^2 + (l*tilt'*sin(tilt))^2)"
            " - m*g*l*cos(tilt)",
            {"M": 1, "J": 1, "m": 1, "l": 1, "r": 0.2, **G},
            {"tilt": 0.1},
            {"s": 0, "tilt": 0},
            constraints=["s' = r*roll'"],
        ),
        {"label"},
    ),
    "heavy rods have other lengths than points": (
        made(
            "a b",
            "m*l^2/6*(b'^2 + 4*a'^2 + 3*a'*b'*cos(a - b)) + m*g*l/2*(3*cos(a) + cos(b))",
            {"m": 1, "l": 1, **G},
            {"a": 1, "b": 0},
            {"a": 0, "b": 0},
        ),
        {"rod"},
    ),
    "the way along a wire is no straight line": (
        made("x", "m/2*x'^2*(1 + 4*x^2) - m*g*x^2", {"m": 1, **G}, {"x": 1}, {"x": 0}),
        {"box", "curve"},
    ),
    "a cycloid has no rod": (
        made(
            "s", "m/2*(((1 - cos(s))*s')^2 + (sin(s)*s')^2) - m*g*cos(s)", {"m": 1, **G}, {"s": 1}, {"s": 0}
        ),
        {"rod"},
    ),
    "gravity is no spring": (
        made(
            "r phi", "m/2*(r'^2 + r^2*phi'^2) + k/r", {"m": 1, "k": 1}, {"r": 1, "phi": 0}, {"r": 0, "phi": 1}
        ),
        {"spring", "rod"},
    ),
}


@pytest.mark.parametrize("name", NOT_THAT)
def test_no_picture_is_false(name):
    system, never = NOT_THAT[name]
    shown = scene(system, ch.simulate(system, until=0.5, at=11))
    assert not {b.name for b in shown.bodies} & never


@pytest.mark.parametrize(
    "name", ["suslov", "rattleback", "snakeboard", "relativistic-particle", "heisenberg"]
)
def test_any_model_has_a_picture(name):
    system = ch.load(name)
    motion = ch.simulate(system, until=0.3, at=5)
    assert len(scene(system, motion, view=automatic(system, motion)).bodies) > 1


@pytest.mark.parametrize("seed", range(0, 60, 4))
def test_any_random_system_has_a_picture(seed):
    """No law is such that looking for points in it fails: powers, waves of velocities, roots."""
    system = random_system(seed)
    system = system.with_initial(system.random_states(1, seed=1)[0])
    motion = ch.simulate(system, until=0.1, at=3)
    assert scene(system, motion).bodies
