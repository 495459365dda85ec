"""Systems of the size that people have: snakes, cars with trailers, arms, robots, random metrics."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path

import chetaev as ch

HERE = Path(__file__).parent.parent


def snake(links: int) -> ch.System:
    """A planar snake: links of length 2 l with passive wheels at their centres, driven at the joints."""
    joints = [f"p{i}" for i in range(1, links)]
    lines, x, y = [], "x'", "y'"
    angles = ["th"] + [f"t{i}" for i in range(2, links + 1)]
    rates = ["th'"] + [f"w{i}" for i in range(2, links + 1)]
    constraints, energy = ["x'*sin(th) = y'*cos(th)"], "x'^2 + y'^2"
    for i in range(2, links + 1):
        a, b, w, u = angles[i - 2], angles[i - 1], rates[i - 2], rates[i - 1]
        lines += [f'{b} = "{a} + p{i - 1}"', f'{u} = "{w} + p{i - 1}\'"']
        lines += [f'x{i} = "{x} + l*sin({a})*{w} + l*sin({b})*{u}"']
        lines += [f'y{i} = "{y} - l*cos({a})*{w} - l*cos({b})*{u}"']
        x, y = f"x{i}", f"y{i}"
        constraints.append(f"{x}*sin({b}) = {y}*cos({b})")
        energy += f" + {x}^2 + {y}^2"
    turning = " + ".join(f"{w}^2" for w in rates)
    forces = "\n".join(f'{p} = "-k*({p} - A*sin(om*t - {i})) - c*{p}\'"' for i, p in enumerate(joints))
    return ch.loads(
        f"""name = "Snake with {links} links"
coordinates = {["x", "y", "th", *joints]}
[parameters]
m = 1
l = 0.1
J = "m*l^2/3"
A = 0.8
om = 3
k = 20
c = 2
[define]
{chr(10).join(lines)}
[dynamics]
lagrangian = "m/2*({energy}) + J/2*({turning})"
[dynamics.forces]
{forces}
[constraints]
velocity = {constraints}
[initial.position]
{chr(10).join(f"{p} = {0.3 * (-1) ** i}" for i, p in enumerate(joints))}
[initial.velocity]
x = 0
p1 = 0
"""
    )


def car(trailers: int) -> ch.System:
    """A car that is driven and steered, with trailers, each hooked to the axle before it."""
    angles = [f"a{i}" for i in range(trailers + 1)]
    x, y, lines, energy = "x'", "y'", [], ["x'^2 + y'^2 + J*a0'^2"]
    constraints = ["x'*sin(a0) = y'*cos(a0)", "(x'*cos(a0) + y'*sin(a0))*sin(s) = l*a0'*cos(s)"]
    for i in range(1, trailers + 1):
        lines += [f'x{i} = "{x} + d*sin(a{i})*a{i}\'"', f'y{i} = "{y} - d*cos(a{i})*a{i}\'"']
        x, y = f"x{i}", f"y{i}"
        constraints.append(f"{x}*sin(a{i}) = {y}*cos(a{i})")
        energy.append(f"{x}^2 + {y}^2 + J*a{i}'^2")
    return ch.loads(
        f"""name = "Car with {trailers} trailers"
coordinates = {["x", "y", "s", *angles]}
[parameters]
l = 1
d = 1.2
J = 0.3
[define]
{chr(10).join(lines)}
[dynamics]
lagrangian = "({" + ".join(energy)})/2 + s'^2/10"
[dynamics.forces]
s = "-s"
[constraints]
velocity = {constraints}
[initial.position]
s = 0.2
a0 = 0.1
[initial.velocity]
x = 1
s = 0
"""
    )


def pendulum(links: int) -> ch.System:
    """A chain of pendulums in absolute angles."""
    angles = [f"a{i}" for i in range(1, links + 1)]
    terms = []
    for i, a in enumerate(angles):
        for j, b in enumerate(angles):
            terms.append(f"{links - max(i, j)}*{a}'*{b}'*cos({a} - {b})/2")
    weight = " + ".join(f"{links - i}*g*cos({a})" for i, a in enumerate(angles))
    initial = {a: 0.4 + 0.1 * i for i, a in enumerate(angles)}
    return ch.System(
        coordinates=angles,
        lagrangian=f"{' + '.join(terms)} + {weight}",
        parameters={"g": 9.81},
        initial=initial,
    )


def _product(A: list[list[str]], B: list[list[str]]) -> list[list[str]]:
    def entry(i: int, j: int) -> str:
        terms = [f"{A[i][k]}*{B[k][j]}" for k in range(3) if "0" not in (A[i][k], B[k][j])]
        return " + ".join(terms) or "0"

    return [[entry(i, j) for j in range(3)] for i in range(3)]


def arm(joints: int) -> ch.System:
    """A spatial arm whose joints turn about z, y, y, x, y, x, …; equal links, weight."""
    axes = ["z", "y", "y", "x", "y", "x"] * 2
    lines: list[str] = []
    R = [["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1"]]
    omega, v, height = ["0", "0", "0"], ["0", "0", "0"], "0"
    energy, potential = [], []

    def named(name: str, text: str) -> str:
        if text in ("0", "1"):
            return text
        lines.append(f'{name} = "{text}"')
        return name

    for i in range(1, joints + 1):
        q, c, s = f"q{i}", f"cos(q{i})", f"sin(q{i})"
        k = "xyz".index(axes[i - 1])
        turn = [["1" if a == b else "0" for b in range(3)] for a in range(3)]
        a, b = [(1, 2), (2, 0), (0, 1)][k]
        turn[a][a] = turn[b][b] = c
        turn[a][b], turn[b][a] = f"(-{s})", s
        omega = [named(f"o{i}{n}", f"{omega[n]} + {R[n][k]}*{q}'") for n in range(3)]
        product = _product(R, turn)
        R = [[named(f"R{i}{n}{m}", product[n][m]) for m in range(3)] for n in range(3)]
        e = [R[n][0] for n in range(3)]
        cross = [
            f"{omega[(n + 1) % 3]}*{e[(n + 2) % 3]} - {omega[(n + 2) % 3]}*{e[(n + 1) % 3]}" for n in range(3)
        ]
        v = [named(f"v{i}{n}", f"{v[n]} + {cross[n]}") for n in range(3)]
        height = named(f"h{i}", f"{height} + {e[2]}")
        energy.append(" + ".join(f"{x}^2" for x in v) + " + J*(" + " + ".join(f"{x}^2" for x in omega) + ")")
        potential.append(height)
    return ch.loads(
        f"""name = "Arm with {joints} joints"
coordinates = {[f"q{i}" for i in range(1, joints + 1)]}
[parameters]
g = 9.81
J = 0.1
[define]
{chr(10).join(lines)}
[dynamics]
kinetic = "({" + ".join(energy)})/2"
potential = "g*({" + ".join(potential)})"
[initial.position]
{chr(10).join(f"q{i} = {0.2 * i}" for i in range(1, joints + 1))}
"""
    )


def arm_on_base() -> ch.System:
    """A planar arm with two links on a base with two driven wheels."""
    return ch.System(
        coordinates=["x", "y", "th", "a", "b"],
        define={
            "u1": "x' - l*sin(th + a)*(th' + a')",
            "v1": "y' + l*cos(th + a)*(th' + a')",
            "u2": "u1 - l*sin(th + a + b)*(th' + a' + b')",
            "v2": "v1 + l*cos(th + a + b)*(th' + a' + b')",
        },
        lagrangian="M*(x'^2 + y'^2)/2 + J*th'^2/2 + m*(u1^2 + v1^2 + u2^2 + v2^2)/2"
        " + I*((th' + a')^2 + (th' + a' + b')^2)/2",
        constraints=["x'*sin(th) = y'*cos(th)"],
        forces={"a": "-k*a", "b": "-k*b"},
        parameters={"M": 5, "J": 0.4, "m": 1, "I": 0.02, "l": 0.5, "k": 3},
        initial={"a": 0.3, "b": 0.5, "x_dot": 1, "th_dot": 0.2, "a_dot": 0, "b_dot": 0},
    )


def skid_steer() -> ch.System:
    """A robot with four driven wheels that slip sideways, with smooth friction."""
    friction = "-mu*m*g/4*tanh(({})/slip)"
    slips = {
        "vx": "x'*cos(th) + y'*sin(th)",
        "vy": "-x'*sin(th) + y'*cos(th)",
        "F1": friction.format("vx - w*th' - R*pl'"),
        "F2": friction.format("vx + w*th' - R*pr'"),
        "S1": friction.format("vy + b*th'"),
        "S2": friction.format("vy - b*th'"),
    }
    return ch.System(
        coordinates=["x", "y", "th", "pl", "pr"],
        define=slips,
        lagrangian="m*(x'^2 + y'^2)/2 + J*th'^2/2 + I*(pl'^2 + pr'^2)/2",
        forces={
            "x": "2*((F1 + F2)*cos(th) - (S1 + S2)*sin(th))",
            "y": "2*((F1 + F2)*sin(th) + (S1 + S2)*cos(th))",
            "th": "2*(w*(F2 - F1) + b*(S1 - S2))",
            "pl": "T1 - 2*R*F1",
            "pr": "T2 - 2*R*F2",
        },
        parameters={
            "m": 20,
            "J": 1.5,
            "I": 0.05,
            "mu": 0.6,
            "g": 9.81,
            "slip": 0.05,
            "w": 0.3,
            "b": 0.25,
            "R": 0.12,
            "T1": 0.4,
            "T2": 0.5,
        },
        initial={"x_dot": 0.5, "y_dot": 0, "th_dot": 0.1, "pl_dot": 4, "pr_dot": 4},
    )


def ball_with_pendulum(quaternions: bool) -> ch.System:
    """A ball that rolls on a plane and carries a pendulum at its centre, in the plane of x and z."""
    if quaternions:
        coordinates = ["x", "y", "q0", "q1", "q2", "q3", "a"]
        definitions = {
            "ox": "2*(q0*q1' - q1*q0' + q2*q3' - q3*q2')",
            "oy": "2*(q0*q2' - q2*q0' + q3*q1' - q1*q3')",
            "oz": "2*(q0*q3' - q3*q0' + q1*q2' - q2*q1')",
        }
        constraints: dict[str, list[str]] = {
            "position": ["q0^2 + q1^2 + q2^2 + q3^2 = 1"],
            "velocity": ["x' = R*oy", "y' = -R*ox"],
        }
        initial = {"q0": 1, "a": 0.4, "x_dot": 0.2, "y_dot": 0.1, "q3_dot": 0.1, "a_dot": 0}
    else:
        coordinates = ["x", "y", "psi", "theta", "phi", "a"]
        definitions = {
            "ox": "theta'*cos(psi) + phi'*sin(theta)*sin(psi)",
            "oy": "theta'*sin(psi) - phi'*sin(theta)*cos(psi)",
            "oz": "psi' + phi'*cos(theta)",
        }
        constraints = {"velocity": ["x' = R*oy", "y' = -R*ox"]}
        initial = {"theta": 1, "a": 0.4, "psi_dot": 0.1, "theta_dot": 0.3, "phi_dot": 0.2, "a_dot": 0}
    return ch.System(
        coordinates=coordinates,
        define=definitions,
        lagrangian="M*(x'^2 + y'^2)/2 + J*(ox^2 + oy^2 + oz^2)/2"
        " + m*((x' + l*cos(a)*a')^2 + y'^2 + l^2*sin(a)^2*a'^2)/2 + m*g*l*cos(a)",
        constraints=constraints,
        parameters={"M": 1, "J": 0.01, "m": 0.5, "l": 0.08, "g": 9.81, "R": 0.15},
        initial=initial,
    )


def random_metric(seed: int) -> ch.System:
    """Five to eight coordinates, a metric with sines, one to three linear constraints."""
    rng = random.Random(seed)
    n = 5 + seed % 4
    names = [f"x{i}" for i in range(1, n + 1)]
    squares = [f"(2 + sin({rng.choice(names)}))*{c}'^2" for c in names]
    mixed = [f"cos({rng.choice(names)})*{a}'*{b}'/4" for a, b in pairwise(names)]
    constraints = []
    for k in range(1 + seed % 3):
        chosen = rng.sample(names[k + 1 :], 2)
        constraints.append(f"{names[k]}' = sin({chosen[0]})*{chosen[1]}' + {rng.choice(names)}*{names[-1]}'")
    return ch.System(
        coordinates=names,
        lagrangian=f"({' + '.join([*squares, *mixed])})/2 - cos({names[0]}) - {names[1]}^2",
        constraints=constraints,
        initial={
            **{c: 0.1 * i for i, c in enumerate(names)},
            **{f"{c}_dot": 0.3 for c in names[len(constraints) :]},
        },
    )


SYSTEMS: dict[str, Callable[[], ch.System]] = {
    "snake 2": partial(snake, 2),
    "snake 4": partial(snake, 4),
    "snake 8": partial(snake, 8),
    "car + 1": partial(car, 1),
    "car + 5": partial(car, 5),
    "car + 20": partial(car, 20),
    "bicycle": lambda: ch.load(str(HERE / "analysis/linear/bicycle.toml")),
    "ball, quaternions": partial(ball_with_pendulum, True),
    "ball, Euler angles": partial(ball_with_pendulum, False),
    "segway": lambda: ch.load(str(HERE / "golden/models/segway.toml")),
    "arm on a base": arm_on_base,
    "double pendulum": partial(pendulum, 2),
    "triple pendulum": partial(pendulum, 3),
    "arm, 6 joints": partial(arm, 6),
    "skid-steer": skid_steer,
    "snakeboard": lambda: ch.load("snakeboard"),
    "random 5": partial(random_metric, 0),
    "random 6": partial(random_metric, 1),
    "random 7": partial(random_metric, 2),
    "random 8": partial(random_metric, 3),
}
