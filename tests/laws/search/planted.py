"""Random systems with a first integral of degree ≤ 2 that a random change of coordinates hides.

A base system in u¹, u², u³ has an integral by construction; then u = φ(q) with a random triangular
polynomial φ.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import chetaev as ch

KINDS = ("free", "potential", "time", "forces", "linear", "affine", "nonlinear", "quadratic")


@dataclass(frozen=True)
class Planted:
    """A system, and a function that is constant along its motion."""

    kind: str
    system: ch.System
    integral: str


def planted(seed: int) -> Planted:
    """The system of a seed; kinds in turn."""
    rng = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    a, b, c, d = (rng.choice((-2, -1, 1, 2, 3)) for _ in range(4))
    # u1 = x + a y + b y^2,  u2 = y + c z,  u3 = z
    u = {"u1": f"(x + ({a})*y + ({b})*y^2)", "u2": f"(y + ({c})*z)", "u3": "z"}
    w = {"w1": f"(x' + ({a})*y' + 2*({b})*y*y')", "w2": f"(y' + ({c})*z')", "w3": "z'"}

    def hidden(text: str) -> str:
        for name, value in {**w, **u}.items():
            text = text.replace(name, value)
        return text

    kinetic = f"(w1^2 + {abs(a) + 1}*w2^2 + w3^2)/2"
    forces: dict[str, str] = {}
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
            lagrangian = kinetic
            F2, F3 = f"(-({abs(d)})*w2 + u3)", "(-w3)"
            forces = {"y": F2, "z": f"({c})*{F2} + {F3}"}
        case "linear":
            lagrangian, constraints, integral = kinetic, [f"w3 = ({d})*u2*w1"], "w2"
        case "affine":
            lagrangian, constraints, integral = f"{kinetic} + u1", [f"w3 = ({d})*u2*w2 + 1"], "w1 - t"
        case "nonlinear":
            lagrangian, constraints, integral = (
                kinetic,
                [f"w1^2 + {abs(a) + 1}*w2^2 + w3^2 = {abs(d) + 1}"],
                "w2 + w1",
            )
        case _:
            lagrangian, integral = f"{kinetic} - u1^2/2 - u2^4 - u3*u2", "w1^2 + u1^2"
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian=hidden(lagrangian),
        forces={name: hidden(f) for name, f in forces.items()},
        constraints=[hidden(e) for e in constraints],
    )
    return Planted(kind, system, hidden(integral))
