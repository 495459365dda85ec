"""Bodies of revolution that roll on a plane, as models."""

from __future__ import annotations

import chetaev as ch


def loaded_sphere(d: str = "1/4") -> ch.System:
    """A ball of radius R whose centre of mass is at the distance d from its centre, on its axis.

    The axis is n = (sin θ cos φ, sin θ sin φ, cos θ), ω = φ' Z + θ' (−sin φ, cos φ, 0) + ψ' n; the centre
    of the ball moves by ω × R Z.
    """
    about_x = "(-theta'*sin(phi) + psi'*sin(theta)*cos(phi))"
    about_y = "(theta'*cos(phi) + psi'*sin(theta)*sin(phi))"
    gx = "(x' - d*(theta'*cos(theta)*cos(phi) - phi'*sin(theta)*sin(phi)))"
    gy = "(y' - d*(theta'*cos(theta)*sin(phi) + phi'*sin(theta)*cos(phi)))"
    kinetic = (
        f"m*({gx}^2 + {gy}^2 + d^2*theta'^2*sin(theta)^2)/2"
        " + I1*(theta'^2 + phi'^2*sin(theta)^2)/2 + I3*(psi' + phi'*cos(theta))^2/2"
    )
    return ch.System(
        coordinates=["x", "y", "phi", "theta", "psi"],
        parameters={"m": 1, "R": 1, "d": d, "I1": "2/5", "I3": "1/2", "g": 9.8},
        lagrangian=f"{kinetic} + m*g*d*cos(theta)",
        constraints=[f"x' = R*{about_y}", f"y' = -R*{about_x}"],
        initial={"position": {"theta": 1}, "velocity": {"phi": 0.7, "theta": 0.3, "psi": 2}},
    )


def disc(I1: str, I2: str) -> ch.System:
    """A body with a sharp circular edge and other moments of inertia than a disc's."""
    return ch.load("rolling-disc").with_parameters({"I1": I1, "I2": I2})
