"""Deriving the equations of motion: chetaev against SymPy's mechanics, and growth with the size of the system.

Ratios of times measured in one run; operation counts are exact.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import sympy
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

import chetaev as ch
from chetaev.equations import reduced
from chetaev.equations.display import rows
from chetaev.model.points import sample_point


def measure(work: Callable[[], Any], repeat: int) -> float:
    """The median time of a few runs."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def sympy_disc() -> Any:
    """The rolling disc by LagrangesMethod with multipliers, and the solution for accelerations and multipliers."""
    t = dynamicsymbols._t
    x, y, psi, phi, theta = q = dynamicsymbols("x y psi phi theta")
    xd, yd, psid, phid, thetad = [c.diff(t) for c in q]
    m, g, R, I1, I2 = sympy.symbols("m g R I1 I2", positive=True)
    s, c = sympy.sin, sympy.cos
    T = m / 2 * (xd**2 + yd**2 + R**2 * thetad**2 + R**2 * phid**2 * s(theta) ** 2)
    T -= m * R * (thetad * c(theta) * (xd * s(phi) - yd * c(phi)) + phid * s(theta) * (xd * c(phi) + yd * s(phi)))
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


def main() -> None:
    """Print the table."""
    disc = ch.load("rolling-disc")
    reduced.derive(disc)
    theirs = measure(sympy_disc, 3)

    def afresh() -> Any:
        sample_point.cache_clear()
        return reduced.derive(disc)

    plain = measure(afresh, 15)
    normal = measure(lambda: rows(afresh()), 15)
    print("| work | against | ratio |")
    print("|---|---|---|")
    against = "LagrangesMethod and its solution"
    print(f"| reduced equations of the disc, unsimplified | {against} | {theirs / plain:.0f} × faster |")
    print(f"| reduced equations of the disc, normal forms | {against} | {theirs / normal:.0f} × faster |")
    sizes = (2, 4, 6, 8, 10, 12)
    results = []
    for n in sizes:
        system = car(n)
        law = reduced.derive(system)
        results.append((n, law.operations, measure(lambda s=system: reduced.derive(s), 3)))
    for n, operations, seconds in results:
        print(f"| car with {n} bodies, reduced | {operations} operations | {seconds / results[0][2]:.1f} × the first |")
    first, last = results[0], results[-1]
    span = math.log(last[0] / first[0])
    by_count, by_time = (math.log(last[i] / first[i]) / span for i in (1, 2))
    print(f"| growth from N = {first[0]} to {last[0]} | N^{by_count:.1f} operations | N^{by_time:.1f} in time |")


if __name__ == "__main__":
    main()
