"""Repeated calls do not grow: what is remembered is bounded, and libraries leave nothing behind.

The memory of the process is read between three rounds of the same call, after a first one in which caches
fill. What leaks grows in each of them: python-flint left 22 to 75 kB behind for texts of polynomials.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import chetaev as ch
from portions import parts

SKATE = {
    "coordinates": ["x", "y", "phi"],
    "lagrangian": "(x'^2 + y'^2 + phi'^2)/2",
    "constraints": ["y'*cos(phi) = x'*sin(phi)"],
    "initial": {"x'": 1, "phi'": 1},
}
PENDULUM = {"coordinates": ["a"], "lagrangian": "a'^2/2 + cos(a)", "initial": {"a": 1}}
CUBIC = {"coordinates": ["x"], "lagrangian": "x'^2/2 - (x^3 - x - 1)^2"}
SPRING = {"coordinates": ["x", "y"], "lagrangian": "(x'^2 + y'^2 - x^2 - y^2)/2", "initial": {"x": 1}}
SPHERE = {"coordinates": ["theta", "phi"], "lagrangian": "(theta'^2 + sin(theta)^2*phi'^2)/2"}
DEGENERATE = {
    "coordinates": ["x", "y"],
    "dynamics": {"lagrangian": "x*y' - (x^2 + y^2)/2", "degenerate": True},
}
SQUARES = {"a": "x^2 + y^2", "b": "x'^2 + y'^2", "c": "x*x' + y*y'"}
BODY = {"x, y": "z", "y, z": "x", "z, x": "y"}
DISC = ch.load("rolling-disc")


def made(parts: dict[str, Any]) -> ch.System:
    return ch.System(**parts)


CALLS: dict[str, Callable[[], Any]] = {
    "System": lambda: made(SKATE),
    "classify": lambda: ch.classify(made(SKATE)),
    "equations": lambda: str(ch.equations(made(SKATE), form="quasi")),
    "forms": lambda: ch.forms(made(SKATE)),
    "compare": lambda: ch.compare(made(PENDULUM), samples=2),
    "integrals": lambda: ch.integrals(made(PENDULUM)),
    "symmetries": lambda: ch.symmetries(made(SPRING)),
    "killing": lambda: ch.killing(made(SPHERE)),
    "helmholtz": lambda: ch.helmholtz(made(PENDULUM)),
    "measure": lambda: ch.measure(made(SKATE)),
    "hamilton": lambda: ch.hamilton(made(PENDULUM)),
    "bracket": lambda: ch.bracket(made(SKATE)).jacobi,
    "dirac": lambda: ch.dirac(made(DEGENERATE)).outcome,
    "hamiltonize": lambda: ch.hamiltonize(made(SKATE)).verdict,
    "linearize": lambda: ch.linearize(made(PENDULUM), at={"a": 0}),
    "equilibria": lambda: ch.equilibria(made(CUBIC)),
    "relative equilibria": lambda: ch.relative_equilibria(made(SPHERE), ["phi"], given={"phi'": 1}),
    "accessibility": lambda: ch.accessibility(made(SKATE)),
    "decoupling": lambda: ch.decoupling(made(SKATE), ["x", "phi"]),
    "reduce": lambda: ch.reduce(made(SPRING), invariants=SQUARES).closed,
    "on_algebra": lambda: ch.on_algebra(BODY, inertia=[1, 2, 3], names=["x", "y", "z"]).rates,
    "reversals": lambda: ch.reversals(made(PENDULUM)),
    "singular": lambda: ch.singular(made(SKATE)),
    "simulate": lambda: ch.simulate(DISC, until=1),
    "section": lambda: ch.section(made(PENDULUM), "a", crossings=2),
    "sensitivities": lambda: ch.sensitivities(made(PENDULUM), until=1),
    "ensemble": lambda: ch.ensemble(made(PENDULUM), {"a": [0.1, 0.2]}, until=1),
    "vakonomic": lambda: ch.vakonomic(made(SKATE), until=1),
    "periodic": lambda: ch.periodic(made(PENDULUM), {"a": 1}, period=6.7),
}
DEAR = {"integrals", "killing", "symmetries", "measure", "hamiltonize", "periodic", "relative equilibria"}
LONG = {*DEAR, "classify", "forms", "equations", "accessibility"}
"""Left to `make soak`."""
MANY = {"accessibility": 900, "equations": 500}
"""Calls until what is remembered of one system is as much as is remembered at all, some megabytes."""
ROUNDS = 3
LEAK = 5.0
"""Kilobytes a call."""


def kilobytes() -> float:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory of a process is read on Linux")
@pytest.mark.parametrize("name", parts(sorted(CALLS, key=LONG.__contains__), slow=10))
def test_calls_leave_nothing_behind(name: str) -> None:
    call, count = CALLS[name], 25 if name in DEAR else 60
    for _ in range(MANY.get(name, 2 * count)):
        call()
    grown = []
    for _ in range(ROUNDS):
        before = kilobytes()
        for _ in range(count):
            call()
        grown.append((kilobytes() - before) / count)
    assert min(grown) < LEAK, grown
