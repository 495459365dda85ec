"""Random systems with a first integral of degree ≤ 2 that a random change of coordinates hides, and systems
that are made so that there is none.

A base system in u¹, u², u³ has an integral by construction; then u = φ(q) with a random invertible φ:
triangular polynomials, a linear map of all coordinates, a shear by a sine, or an exponential scale.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import chetaev as ch

KINDS = ("free", "potential", "time", "forces", "linear", "affine", "nonlinear", "quadratic", "rotating",
         "homogeneous")  # fmt: skip
CHANGES = ("triangular", "linear", "sine", "exponential")


@dataclass(frozen=True)
class Planted:
    """A system, and a function that is constant along its motion."""

    kind: str
    change: str
    system: ch.System
    integral: str


def change(name: str, rng: random.Random) -> Callable[[str], str]:
    """Text in u1, u2, u3, w1, w2, w3 (their velocities) as text in x, y, z."""
    a, b, c = (rng.choice((-2, -1, 1, 2, 3)) for _ in range(3))
    match name:
        case "triangular":
            u = [f"(x + ({a})*y + ({b})*y^2)", f"(y + ({c})*z)", "z"]
            w = [f"(x' + ({a})*y' + 2*({b})*y*y')", f"(y' + ({c})*z')", "z'"]
        case "linear":  # determinant 1
            u = [f"(x + ({a})*y)", f"(({b})*x + (1 + ({a})*({b}))*y + ({c})*z)", "z"]
            w = [f"(x' + ({a})*y')", f"(({b})*x' + (1 + ({a})*({b}))*y' + ({c})*z')", "z'"]
        case "sine":
            u = [f"(x + ({a})*sin(y))", "y", f"(z + ({b})*y)"]
            w = [f"(x' + ({a})*cos(y)*y')", "y'", f"(z' + ({b})*y')"]
        case _:
            u = ["x", f"(y + ({a})*x)", f"(z + ({b})*exp(x))"]
            w = ["x'", f"(y' + ({a})*x')", f"(z' + ({b})*exp(x)*x')"]

    def hidden(text: str) -> str:
        for i in range(3):
            text = text.replace(f"w{i + 1}", w[i]).replace(f"u{i + 1}", u[i])
        return text

    return hidden


def planted(seed: int) -> Planted:
    """The system of a seed; kinds in turn, and changes of coordinates in turn."""
    rng = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    hiding = CHANGES[(seed // len(KINDS)) % len(CHANGES)]
    hidden = change(hiding, rng)
    m, d = abs(rng.choice((-2, -1, 1, 2))) + 1, rng.choice((-2, -1, 1, 2, 3))
    kinetic = f"(w1^2 + {m}*w2^2 + w3^2)/2"
    constraints: list[str] = []
    integral = "w1"
    match kind:
        case "free":
            lagrangian, integral = kinetic, f"u1*w3 - u3*w1 + ({d})*w2"
        case "potential":
            lagrangian = f"{kinetic} - ({d})*u2^2*u3 - u3^2"
        case "time":
            lagrangian = f"{kinetic} - t*u2 - u3^2"
        case "forces":
            return _forced(rng, m, d)
        case "linear":
            lagrangian, constraints, integral = kinetic, [f"w3 = ({d})*u2*w1"], "w2"
        case "affine":
            lagrangian, constraints, integral = f"{kinetic} + u1", [f"w3 = ({d})*u2*w2 + 1"], "w1 - t"
        case "nonlinear":
            lagrangian, constraints = kinetic, [f"w1^2 + {m}*w2^2 + w3^2 = {abs(d) + 1}"]
            integral = "w2 + w1"
        case "rotating":
            lagrangian = f"{kinetic} + ({d})*(u1*w3 - u3*w1)"
            integral = f"w1 - 2*({d})*u3"
        case "homogeneous":  # speed times a function of u2 alone
            lagrangian, constraints, integral = kinetic, [f"w3 = ({d})*w1"], "w1"
        case _:
            lagrangian, integral = f"{kinetic} - u1^2/2 - u2^4 - u3*u2", "w1^2 + u1^2"
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian=hidden(lagrangian),
        constraints=[hidden(e) for e in constraints],
    )
    return Planted(kind, hiding, system, hidden(integral))


def _forced(rng: random.Random, m: int, d: int) -> Planted:
    """Forces on u2 and u3 alone keep w1; F_q = F_u ∂u/∂q."""
    a, b, c = (rng.choice((-2, -1, 1, 2, 3)) for _ in range(3))
    w1, w2, w3 = f"(x' + ({a})*y' + 2*({b})*y*y')", f"(y' + ({c})*z')", "z'"
    F2, F3 = f"(-({abs(d)})*{w2} + z)", f"(-{w3})"
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian=f"({w1}^2 + {m}*{w2}^2 + {w3}^2)/2",
        forces={"y": F2, "z": f"({c})*{F2} + {F3}"},
    )
    return Planted("forces", "triangular", system, w1)


BARREN = ("damped", "driven", "magnetic", "linear", "affine", "nonlinear", "time", "three")


def barren(seed: int) -> ch.System:
    """A system with forces and terms that break what the kind would keep: mostly nothing is conserved."""
    rng = random.Random(1000 + seed)
    kind = BARREN[seed % len(BARREN)]
    a, b, c, d = (rng.choice((-3, -2, -1, 1, 2, 3)) for _ in range(4))
    V = f"x^4/4 + ({a})*x^2*y^3 + y^4 + ({b})*x*y + z^2 + ({c})*x*z^3"
    kinetic = f"(x'^2 + {abs(d) + 1}*y'^2 + z'^2)/2"
    forces = {"x": f"-{abs(a)}*x' + ({b})*y", "y": f"-y'*x^2 + ({c})*z", "z": f"-z' + ({d})*x*y"}
    constraints: list[str] = []
    lagrangian = f"{kinetic} - ({V})"
    match kind:
        case "driven":
            forces |= {"x": f"sin(2*t) + ({a})*y*x'", "z": "t*x - z'"}
        case "magnetic":
            lagrangian += f" + ({a})*x*y*z' + ({b})*z^2*y'"
        case "linear":
            constraints = [f"z' = (y + ({a})*x^2)*x' + ({b})*x*y'"]
        case "affine":
            constraints = [f"z' = ({a})*y*x' + ({b})*x + 1"]
        case "nonlinear":
            constraints = [f"x'^2 + {abs(d) + 1}*y'^2 + z'^2 = 1 + x^2"]
        case "time":
            constraints = [f"z' = t*x' + ({a})*y*y'"]
        case "three":
            lagrangian = f"{kinetic} + x*x'*y' - ({V})"
    return ch.System(
        coordinates=["x", "y", "z"], lagrangian=lagrangian, forces=forces, constraints=constraints
    )
