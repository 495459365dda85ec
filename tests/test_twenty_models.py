"""Models written from scratch by following the pages: they load, classify, compare, run, and obey facts.

Each has the kind of constraint that its writer expects, and a fact from a textbook that no part of the
package knows. They are written as a student, an engineer of robots, a lecturer, a researcher would: as files
and as arguments, with velocities as x' and x_dot, letters in Greek and in words.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import chetaev as ch
from portions import some

Fact = Callable[[ch.System], tuple[Any, Any]]


@dataclass(frozen=True)
class Model:
    """A model, its kind (holonomy, velocities, time), and a fact: two things equal up to a tolerance."""

    name: str
    kind: tuple[str, str, str]
    given: str | dict[str, Any]
    fact: Fact
    tolerance: float = 1e-6

    @property
    def system(self) -> ch.System:
        return (
            ch.loads(self.given, f"{self.name}.toml")
            if isinstance(self.given, str)
            else ch.System(**self.given)
        )


FREE = ("unconstrained", "none", "skleronomic")


def end(system: ch.System, until: float | None = None, **keywords: Any) -> Any:
    """The last state of a run, which must come to its end."""
    motion = ch.simulate(system, until=until, at=2, **keywords)
    assert motion.attrs["status"] == "done", motion.attrs["reason"]
    return motion.isel(time=-1)


# --- the student ----------------------------------------------------------------------------------


def whole_period(system: ch.System) -> tuple[Any, Any]:
    """T = 4 K(sin(θ₀/2)) √(l/g), K by the arithmetic-geometric mean; after it the pendulum is back."""
    a, b = 1.0, math.cos(1.0)
    for _ in range(8):
        a, b = (a + b) / 2, math.sqrt(a * b)
    last = end(system, 2 * math.pi / a * math.sqrt(2 / 9.81))
    return [last["θ"], last["θ_dot"]], [2, 0]


PENDULUM = Model(
    "pendulum",
    FREE,
    {
        "coordinates": ["θ"],
        "parameters": {"g": 9.81, "l": 2},
        "lagrangian": "θ'²/2 + g/l·cos(θ)",
        "initial": {"θ": 2, "θ_dot": 0},
    },
    whole_period,
)

CART = Model(
    "pendulum-on-a-cart",
    FREE,
    """
name = "Pendulum on a cart"
coordinates = ["x", "theta"]
[parameters]
M = 3
m = 1
l = 0.5
g = 9.81
[define]
px = "x' + l*theta'*cos(theta)"     # velocity of the bob
py = "l*theta'*sin(theta)"
[units]
x = "m"
theta = "rad"
M = "kg"
[dynamics]
kinetic = "M*x'^2/2 + m*(px^2 + py^2)/2"
potential = "-m*g*l*cos(theta)"
[initial.position]
theta = 1e-4
[initial.velocity]
x = 0
theta = 0
[run]
until = "pi*sqrt(M*l/((M + m)*g))"   # half a period of small oscillations
""",
    lambda s: (end(s)["theta"] * 1e4, -1),
)

CARTESIAN = Model(
    "pendulum-in-the-plane",
    ("holonomic", "none", "skleronomic"),
    {
        "coordinates": ["x", "y"],
        "parameters": {"m": 2, "g": 9.81, "l": 1.5},
        "lagrangian": "m*(x'^2 + y'^2)/2 - m*g*y",
        "constraints": {"position": ["x^2 + y^2 = l^2"]},
        "initial": {"x": "l", "y": 0, "y_dot": 0},
    },
    # let go from the height of the pivot, the string pulls with 3 m g at the bottom
    lambda s: (
        ch.simulate(s, until=2, events=[ch.Event("x", terminal=True)], at=2).isel(time=-1)["reaction_y"],
        3 * 2 * 9.81,
    ),
)

DRAG = Model(
    "falling-with-drag",
    FREE,
    """
coordinates = ["z"]
parameters = {m = 80, g = 9.81, c = 0.25}
[dynamics]
lagrangian = "m*z'^2/2 - m*g*z"
[dynamics.forces]
z = "-c*abs(z')*z'"
[initial.velocity]
z = 0
""",
    lambda s: (end(s, 7)["z_dot"], -math.sqrt(80 * 9.81 / 0.25) * math.tanh(7 * math.sqrt(9.81 * 0.25 / 80))),
)

BOWL = Model(
    "ball-in-a-bowl",
    ("semiholonomic", "linear", "skleronomic"),
    """
name = "A ball that rolls in a bowl"
coordinates = ["θ", "ψ"]              # of the centre, and of the ball
[parameters]
R = 1.0
r = 0.1
m = 0.2
g = 9.81
J = "2/5*m*r^2"
[dynamics]
kinetic = "m*(R - r)^2*θ'^2/2 + J*ψ'^2/2"
potential = "-m*g*(R - r)*cos(θ)"
[constraints]
velocity = ["(R - r)*θ' = r*ψ'"]
[initial.position]
"θ" = 1e-4
[initial.velocity]
"θ" = 0
[run]
until = "pi*sqrt(7*(R - r)/(5*g))"
""",
    lambda s: (end(s)["θ"] * 1e4, -1),
)

YOYO = Model(
    "yo-yo",
    ("semiholonomic", "linear", "skleronomic"),
    {
        "coordinates": ["y", "phi"],
        "parameters": {"m": 1, "r": 0.02, "J": 0.0008, "g": 9.81},
        "lagrangian": "m*y_dot**2/2 + J*phi_dot**2/2 + m*g*y",
        "constraints": ["y_dot = r*phi_dot"],
        "initial": {"y": 0, "y_dot": 0},
    },
    lambda s: (end(s, 2)["y"], 9.81 / (1 + 0.0008 / 0.02**2) * 2),
)

# --- the engineer of robots -----------------------------------------------------------------------


def circle(system: ch.System) -> tuple[Any, Any]:
    """The rear axle runs on a circle of radius L/tan δ; all of the motor's work is kinetic energy."""
    motion = ch.simulate(system, at=50)
    radius = 2.5 / math.tan(0.4)
    found = np.hypot(motion["x"], motion["y"] - radius)
    work = 300 * radius * motion["theta"]  # force times arc
    return np.concatenate([found, motion["energy"] - motion["energy"][0]]), np.concatenate(
        [np.full(50, radius), work]
    )


STEERED = Model(
    "steered-vehicle",
    (
        "semiholonomic",  # one degree of freedom is left: it runs on its circle
        "linear",
        "skleronomic",
    ),
    """
name = "A car with rear drive and a fixed steering angle"
coordinates = ["x", "y", "theta"]
[parameters]
m = 1200
J = 1500
b = 1.2                 # centre of mass before the rear axle
L = 2.5
delta = 0.4
F = 300
[define]
vx = "x' - b*theta'*sin(theta)"
vy = "y' + b*theta'*cos(theta)"
[units]
x = "m"
y = "m"
theta = "rad"
m = "kg"
F = "N"
energy = "J"
[dynamics]
lagrangian = "m*(vx^2 + vy^2)/2 + J*theta'^2/2"
[dynamics.forces]
x = "F*cos(theta)"
y = "F*sin(theta)"
[constraints]
velocity = [
  "y'*cos(theta) = x'*sin(theta)",
  "y'*cos(theta + delta) - x'*sin(theta + delta) + L*theta'*cos(delta) = 0",
]
[initial.velocity]
x = 5
[run]
until = 8
""",
    circle,
)

WHEELS = Model(
    "two-driven-wheels",
    ("nonholonomic", "linear", "skleronomic"),
    {
        "coordinates": ["x", "y", "heading", "right", "left"],
        "parameters": {"m": 10, "J": 0.8, "I": 0.01, "r": 0.1, "w": 0.4, "tau": 0.5, "c": 0.25},
        "kinetic": "m*(x'^2 + y'^2)/2 + J*heading'^2/2 + I*(right'^2 + left'^2)/2",
        "forces": {"right": "tau - c*right'", "left": "tau - c*left'"},
        "constraints": [
            "y'*cos(heading) = x'*sin(heading)",
            "x'*cos(heading) + y'*sin(heading) = r*(right' + left')/2",
            "heading' = r*(right' - left')/w",
        ],
        "initial": {"heading": 0.3, "right_dot": 1, "left_dot": 0},
    },
    # each wheel comes to tau/c, the turning stops
    lambda s: (
        [end(s, 60)[n] for n in ("right_dot", "left_dot", "heading_dot", "x_dot")],
        [2, 2, 0, 0.2 * np.cos(end(s, 60)["heading"])],
    ),
)


def falls_over(system: ch.System) -> tuple[Any, Any]:
    """The growth rate λ of a tilt: from the 2 × 2 mass matrix at the top."""
    m, J, M, i, r, length, g = 20, 1.5, 3, 0.02, 0.2, 0.6, 9.81
    rolling, coupling, swinging = m + M + i / r**2, m * length, m * length**2 + J
    rate = math.sqrt(m * g * length / (swinging - coupling**2 / rolling))
    return end(system, 0.8)["tilt"] * 1e6, math.cosh(0.8 * rate)


SEGWAY = Model(
    "balancing-robot",
    ("semiholonomic", "linear", "skleronomic"),
    """
coordinates = ["s", "roll", "tilt"]
[parameters]
m = 20
J = 1.5
M = 3
i = 0.02
r = 0.2
l = 0.6
g = 9.81
[dynamics]
kinetic = "M*s'^2/2 + i*roll'^2/2 + m*((s' + l*tilt'*cos(tilt))^2 + (l*tilt'*sin(tilt))^2)/2 + J*tilt'^2/2"
potential = "m*g*l*cos(tilt)"
[constraints]
velocity = ["s' = r*roll'"]
[initial.position]
tilt = 1e-6
[initial.velocity]
s = 0
tilt = 0
""",
    falls_over,
    tolerance=1e-4,
)


def trailer_aligns(system: ch.System) -> tuple[Any, Any]:
    """Behind a truck that drives straight, tan(θ/2) of the trailer decays with the way: e^(−s/L)."""
    last = end(system, 3)
    return math.tan(float(last["theta"]) / 2), math.tan(0.3) * math.exp(-float(last["x"]) / 4)


TRAILER = Model(
    "truck-with-trailer",
    ("nonholonomic", "linear", "skleronomic"),
    {
        "coordinates": ["x", "y", "phi", "theta"],
        "parameters": {"M": 5, "m": 1e-9, "J": 2, "L": 4},
        "define": {"tx": "x' + L*theta'*sin(theta)", "ty": "y' - L*theta'*cos(theta)"},
        "lagrangian": "M*(x'^2 + y'^2)/2 + J*phi'^2/2 + m*(tx^2 + ty^2)/2",
        "constraints": ["x'*sin(phi) = y'*cos(phi)", "tx*sin(theta) = ty*cos(theta)"],
        "initial": {"theta": 0.6, "x_dot": 2, "phi_dot": 0},
    },
    trailer_aligns,
)


def heads_for_the_target(system: ch.System) -> tuple[Any, Any]:
    motion = ch.simulate(system, at=40)
    course = np.arctan2(motion["y_dot"], motion["x_dot"])
    return course.values, np.arctan2(2 * motion["time"] - motion["y"], 30 - motion["x"]).values


PURSUIT = Model(
    "pursuit",
    ("nonholonomic", "linear", "rheonomic"),
    """
name = "A drone that heads for a moving target"
coordinates = ["x", "y"]
[parameters]
m = 1
X = 30
u = 2
[define]
Y = "u*t"                              # the target runs along x = X
[dynamics]
lagrangian = "m*(x'^2 + y'^2)/2"
[dynamics.forces]
x = "1 - 0.1*x'"
y = "-0.1*y'"
[constraints]
velocity = ["x'*(Y - y) = y'*(X - x)"]
[initial.velocity]
x = 1
[run]
until = 5
""",
    heads_for_the_target,
)


def stops(system: ch.System) -> tuple[Any, Any]:
    return end(system, 3)["x"], 4**2 / (2 * 0.4 * 9.81)


BRAKE = Model(
    "braking-block",
    FREE,
    {
        "coordinates": ["x"],
        "parameters": {"m": 3, "mu": 0.4, "g": 9.81, "eps": 1e-4},
        "lagrangian": "m*x'^2/2",
        "forces": {"x": "-mu*m*g*tanh(x'/eps)"},  # dry friction, smoothed
        "initial": {"x_dot": 4},
        "tolerance": 1e-8,
    },
    stops,
    tolerance=1e-3,
)

# --- the lecturer ---------------------------------------------------------------------------------

HOOP = Model(
    "bead-on-a-spinning-hoop",
    FREE,
    {
        "coordinates": ["theta"],
        "parameters": {"R": 0.3, "g": 9.81, "Omega": 8},
        "lagrangian": "R^2*(theta'^2 + Omega^2*sin(theta)^2)/2 + g*R*cos(theta)",
        "initial": {"theta": "acos(g/(Omega^2*R))", "theta_dot": 0},
    },
    lambda s: (end(s, 5)["theta"], math.acos(9.81 / (64 * 0.3))),
)

CONE = Model(
    "conical-pendulum",
    ("holonomic", "none", "skleronomic"),
    """
coordinates = ["x", "y", "z"]
[parameters]
m = 1
g = 9.81
l = 2
alpha = 0.5
omega = "sqrt(g/(l*cos(alpha)))"
[dynamics]
lagrangian = "m*(x'^2 + y'^2 + z'^2)/2 - m*g*z"
[constraints]
position = ["x^2 + y^2 + z^2 = l^2"]
[initial.position]
x = "l*sin(alpha)"
z = "-l*cos(alpha)"
[initial.velocity]
x = 0
y = "omega*l*sin(alpha)"
[run]
until = "3*pi/(2*omega)"
""",
    lambda s: ([end(s)[n] for n in "xyz"], [0, -2 * math.sin(0.5), -2 * math.cos(0.5)]),
)

FOUCAULT = Model(
    "foucault",
    FREE,
    {
        "coordinates": ["x", "y"],
        "parameters": {"k": 4, "Omega": 0.05},
        "lagrangian": "(x'^2 + y'^2)/2 + Omega*(x*y' - y*x') - k*(x^2 + y^2)/2",
        "initial": {"x": 1, "x_dot": 0, "y_dot": "-Omega"},
    },
    # the plane of the swing turns with −Ω: in the turning frame it is a line
    lambda s: (
        end(s, 10)["y"] * math.cos(0.5) + end(s, 10)["x"] * math.sin(0.5),
        0,
    ),
)

SLIDER = Model(
    "slider-crank",
    ("holonomic", "none", "skleronomic"),
    """
coordinates = ["phi", "x"]
[parameters]
J = 0.05
m = 0.4
r = 0.1
l = 0.25
[dynamics]
lagrangian = "J*phi'^2/2 + m*x'^2/2"
[constraints]
position = ["(x - r*cos(phi))^2 + (r*sin(phi))^2 = l^2"]
[initial.position]
x = "r + l"
[initial.velocity]
phi = 20
[run]
until = 1
""",
    lambda s: (
        [end(s)["x"], end(s)["energy"]],
        [0.1 * np.cos(end(s)["phi"]) + np.sqrt(0.25**2 - 0.01 * np.sin(end(s)["phi"]) ** 2), 10],
    ),
)

KAPITZA = Model(
    "shaken-pendulum",
    FREE,  # of the constraints: there are none; time is in the Lagrangian
    {
        "coordinates": ["phi"],
        "parameters": {"l": 0.2, "g": 9.81, "a": 0.02, "w": 200},
        "define": {"h": "a*cos(w*t)", "dh": "-a*w*sin(w*t)"},
        "lagrangian": "l^2*phi'^2/2 - l*dh*sin(phi)*phi' - g*(h + l*cos(phi))",
        "initial": {"phi": 0.05, "phi_dot": 0},
    },
    # shaken fast enough, a²w² > 2 g l, it stands on its head
    lambda s: (float(abs(ch.simulate(s, until=5, at=2001)["phi"]).max()) < 0.2, True),
)

MASSLESS = Model(
    "massless-wheel",
    ("semiholonomic", "linear", "skleronomic"),
    {
        "coordinates": ["x", "psi"],
        "parameters": {"m": 2, "R": 0.5},
        "lagrangian": "m*x'^2/2",  # the wheel has no inertia: ∂²L/∂v∂v is singular, the motion is not
        "constraints": ["x' = R*psi'"],
        "forces": {"psi": "1.5"},
        "initial": {"x_dot": 0},
    },
    lambda s: (end(s, 2)["x"], 1.5 / 0.5 / 2 * 2),
)

# --- the researcher -------------------------------------------------------------------------------

TURNTABLE = Model(
    "ball-on-a-turntable",
    ("nonholonomic", "affine", "skleronomic"),
    """
name = "A ball that rolls on a turntable"
coordinates = ["x", "y", "a", "b", "c"]     # a', b', c' are the spin in space: T is the same in all axes
[parameters]
m = 1
R = 0.05
Omega = 7
J = "2/5*m*R^2"
[dynamics]
lagrangian = "m*(x'^2 + y'^2)/2 + J*(a'^2 + b'^2 + c'^2)/2"
[constraints]
velocity = ["x' - R*b' = -Omega*y", "y' + R*a' = Omega*x"]
[initial.position]
x = 0.3
[initial.velocity]
x = 0.1
y = 0.2
c = 1
[run]
until = "2*pi/(2*Omega/7)"                  # its path is a circle, passed with 2 Ω/7
""",
    lambda s: ([end(s)["x"], end(s)["y"], end(s)["c_dot"]], [0.3, 0, 1]),
)

BLADE = Model(
    "turning-blade",
    ("nonholonomic", "linear", "rheonomic"),
    {
        "coordinates": ["x", "y"],
        "parameters": {"m": 1, "w": 0.5},
        "lagrangian": "m*(x'^2 + y'^2)/2",
        "constraints": ["x'*sin(w*t) = y'*cos(w*t)"],
        "initial": {"x_dot": 3},
    },
    lambda s: ([end(s, 4)["x"], end(s, 4)["y"]], [6 * math.sin(2), 6 - 6 * math.cos(2)]),
)

THERMOSTAT = Model(
    "isokinetic",
    ("nonholonomic", "nonlinear", "skleronomic"),
    """
name = "Three oscillators at one temperature"
coordinates = ["x", "y", "z"]
parameters = {K = 2}
[dynamics]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "(x^2 + 2*y^2 + 3*z^2)/2 + x*y*z"
[constraints]
velocity = ["(x'^2 + y'^2 + z'^2)/2 = K"]
[initial.position]
x = 1
[initial.velocity]
y = 1
z = 0.5
[run]
until = 10
""",
    # a = F − (F·v) v/v², as Gauss's principle has it
    lambda s: (
        [end(s)["x_ddot"], (end(s)["x_dot"] ** 2 + end(s)["y_dot"] ** 2 + end(s)["z_dot"] ** 2) / 2],
        [_gauss(end(s)), 2],
    ),
)


def _gauss(last: Any) -> Any:
    x, y, z, u, v, w = (float(last[n]) for n in ("x", "y", "z", "x_dot", "y_dot", "z_dot"))
    force = np.array([-x - y * z, -2 * y - x * z, -3 * z - x * y])
    velocity = np.array([u, v, w])
    return (force - force @ velocity * velocity / (velocity @ velocity))[0]


PROFILE = Model(
    "speed-by-the-clock",
    ("nonholonomic", "nonlinear", "rheonomic"),
    {
        "coordinates": ["x", "y"],
        "parameters": {"v0": 1, "a": 0.5},
        "lagrangian": "(x'^2 + y'^2)/2",
        "constraints": ["x'^2 + y'^2 = (v0 + a*t)^2"],
        "initial": {"x_dot": 0.6},
    },
    lambda s: ([end(s, 4)["x"], end(s, 4)["y"]], [0.6 * 8, 0.8 * 8]),
)

TWINS = Model(
    "equal-speeds",
    ("nonholonomic", "nonlinear", "skleronomic"),
    {
        "coordinates": ["x1", "y1", "x2", "y2"],
        "parameters": {"g": 9.81},
        "lagrangian": "(x1'^2 + y1'^2 + x2'^2 + y2'^2)/2 - g*y1",
        "constraints": ["x1'^2 + y1'^2 = x2'^2 + y2'^2"],
        "initial": {"x1_dot": 3, "y1_dot": 0, "x2_dot": 0},
    },
    # half of the energy of the fall is in each: v² = v₀² + g h
    lambda s: (end(s, 1)["x2_dot"] ** 2 + end(s, 1)["y2_dot"] ** 2, 9 - 9.81 * end(s, 1)["y1"]),
)

RELATIVISTIC = Model(
    "relativistic-charge",
    FREE,
    """
coordinates = ["x"]
parameters = {m = 1, c = 2, qE = 3}
[dynamics]
lagrangian = "-m*c^2*sqrt(1 - x'^2/c^2) + qE*x"
[initial.velocity]
x = 0
[run]
until = 5
""",
    lambda s: (end(s)["x"], 4 / 3 * (math.sqrt(1 + (3 * 5 / 2) ** 2) - 1)),
)

GEARED = Model(
    "geared-accelerations",
    ("semiholonomic", "none", "skleronomic"),
    {
        "coordinates": ["x", "y"],
        "parameters": {"F": 13},
        "lagrangian": "(x'^2 + 3*y'^2)/2",
        "forces": {"x": "F"},
        "constraints": {"acceleration": ["y'' = 2*x''"]},
        "initial": {"x_dot": 0, "y_dot": 1},
    },
    # x'' = F/(1 + 3·2²)
    lambda s: ([end(s, 2)["x"], end(s, 2)["y"]], [2, 6]),
)

MOTORED = Model(
    "motor-and-path",
    ("semiholonomic", "linear", "skleronomic"),
    """
name = "A vehicle with a motor on a clothoid, without a Lagrangian"
coordinates = ["s", "x", "y", "phi"]
parameters = {p = 2, c = 0.5, k = 0.05}
[units]
s = "m"
x = "m"
y = "m"
phi = "rad"
[dynamics.accelerations]
s = "p - c*s'^2"
[dynamics.velocities]
x = "s'*cos(phi)"
y = "s'*sin(phi)"
phi = "k*s*s'"
[initial.velocity]
s = 0
""",
    # s' = √(p/c) tanh(√(p c) t), and φ = k s²/2 along the path
    lambda s: (
        [end(s, 2)["s_dot"], end(s, 2)["phi"] - 0.025 * end(s, 2)["s"] ** 2],
        [2 * math.tanh(2), 0],
    ),
)

MODELS = [
    *(PENDULUM, CART, CARTESIAN, DRAG, BOWL, YOYO, STEERED, WHEELS, SEGWAY, TRAILER, PURSUIT, BRAKE, HOOP),
    *(CONE, FOUCAULT, SLIDER, KAPITZA, MASSLESS, TURNTABLE, BLADE, THERMOSTAT, PROFILE, TWINS, RELATIVISTIC),
    *(GEARED, MOTORED),
]


@pytest.mark.few(3, 3)
@pytest.mark.parametrize(
    "model",
    some([m for m in MODELS if m is not PROFILE] + [PROFILE], 2),
    ids=lambda m: m.name,
)
def test_it_is_of_the_kind_its_writer_expects(model: Model) -> None:
    kind = ch.classify(model.system)
    assert (kind.holonomy, kind.velocities, kind.time) == model.kind


@pytest.mark.few(6, 6)
@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.name)
def test_it_runs_and_obeys_a_fact_of_the_textbook(model: Model) -> None:
    found, expected = model.fact(model.system)
    assert np.allclose(
        np.array(found, float), np.array(expected, float), rtol=model.tolerance, atol=model.tolerance
    )


@pytest.mark.few(1, 2)
@pytest.mark.parametrize("model", some(MODELS, 4), ids=lambda m: m.name)
def test_its_formulations_agree_and_it_is_written_back(model: Model) -> None:
    system = model.system
    assert ch.compare(system, samples=1).agree
    assert ch.loads(system.to_toml()) == system
