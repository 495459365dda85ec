"""Deriving the equations of motion, against SymPy's mechanics, and growth with the size of the system."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import sympy
from run import Row, table
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

import chetaev as ch
from chetaev.equations.forms import reduced
from chetaev.equations.law.law_display import rows
from chetaev.model.states.points import _generic_point


def median(work: Callable[[], Any], repeat: int) -> float:
    """The median processor time of a few runs."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


def sympy_disc() -> Any:
    """The rolling disc by LagrangesMethod, solved for accelerations and multipliers."""
    t = dynamicsymbols._t
    q = dynamicsymbols("x y psi phi theta")
    phi, theta = q[3:]
    xd, yd, psid, phid, thetad = [c.diff(t) for c in q]
    m, g, R, I1, I2 = sympy.symbols("m g R I1 I2", positive=True)
    s, c = sympy.sin, sympy.cos
    T = m / 2 * (xd**2 + yd**2 + R**2 * thetad**2 + R**2 * phid**2 * s(theta) ** 2)
    T -= m * R * thetad * c(theta) * (xd * s(phi) - yd * c(phi))
    T -= m * R * phid * s(theta) * (xd * c(phi) + yd * s(phi))
    T += I1 / 2 * (thetad**2 + phid**2 * c(theta) ** 2) + I2 / 2 * (psid - phid * s(theta)) ** 2
    L = T - m * g * R * c(theta)
    method = LagrangesMethod(L, q, nonhol_coneqs=[xd - R * c(phi) * psid, yd - R * s(phi) * psid])
    method.form_lagranges_equations()
    return method.mass_matrix_full.LUsolve(method.forcing_full)


def car(trailers: int) -> ch.System:
    """A car with N trailers: m = N + 3 coordinates, k = N + 1 constraints."""
    q = ["x", "y", "delta", *(f"theta{i}" for i in range(trailers))]
    constraints = ["y'*cos(theta0) = x'*sin(theta0)"]
    kinetic = "m*(x'^2 + y'^2)/2 + J*delta'^2/2 + " + " + ".join(f"J*theta{i}'^2/2" for i in range(trailers))
    u, w = "x'", "y'"
    for i in range(1, trailers):
        u += f" + d*sin(theta{i})*theta{i}'"
        w += f" - d*cos(theta{i})*theta{i}'"
        constraints.append(f"({w})*cos(theta{i}) = ({u})*sin(theta{i})")
        kinetic += f" + m*(({u})^2 + ({w})^2)/2"
    constraints.append("theta0' = (x'*cos(theta0) + y'*sin(theta0))*tan(delta)/d")
    return ch.System(coordinates=q, lagrangian=kinetic, constraints=constraints,
                     parameters={"m": 1, "J": 0.2, "d": 0.7}, name=f"car with {trailers} bodies")  # fmt: skip


def measure() -> list[Row]:
    """Ratios of times in one run; growth as exponents of the size."""
    disc = ch.load("rolling-disc")
    reduced.derive(disc)

    def afresh() -> Any:
        _generic_point.cache_clear()
        return reduced.derive(disc)

    theirs = median(sympy_disc, 3)
    plain = median(afresh, 15)
    normal = median(lambda: rows(afresh()), 15)
    against = "`LagrangesMethod` and its solution"
    sizes = (2, 4, 6, 8, 10, 12)
    operations, seconds = [], []
    for n in sizes:
        system = car(n)
        operations.append(reduced.derive(system).operations)
        seconds.append(median(lambda s=system: reduced.derive(s), 3))
    span = math.log(sizes[-1] / sizes[0])
    return [
        Row("reduced equations of the disc, unsimplified", against, plain / theirs, 1 / 20),
        Row("reduced equations of the disc, in normal form", against, normal / theirs, 1 / 5),
        Row(
            "exponent of growth, car with 2 to 12 bodies",
            "operations",
            math.log(operations[-1] / operations[0]) / span,
            3,
        ),
        Row(
            "exponent of growth, car with 2 to 12 bodies",
            "time",
            math.log(seconds[-1] / seconds[0]) / span,
            3,
        ),
    ]


if __name__ == "__main__":
    print(table(measure()))
