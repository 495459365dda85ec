"""The rolling disc from model text to a 100 s motion at 1e-9, against the way SymPy's own users go.

Imports are excluded on both sides; ours runs in a process of its own with an empty cache (everything is derived and
compiled), and again with the cache it left. The integrators' loops, which belong to no model, are made once per
installation; the row "nothing cached at all" includes making them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from run import Row, table

UNTIL, TOLERANCE, REPEAT = 100.0, 1e-9, 5
STATE = ([0.0, 0.0, 0.0, 0.0, 0.3], [2.0, 0.0, 4.0, 1.0, 0.0])
ROOT = Path(__file__).resolve().parent.parent
MODEL = ROOT / "src" / "chetaev" / "model" / "gallery" / "rolling-disc.toml"

OURS = f"""
import sys, threading, time
import casadi, numpy
from chetaev.model.loader import loads
from chetaev.flow.field import compile_field
from chetaev.flow.integrate import integrate
from chetaev.flow import programs, tasks, dynamics, instructions, translate
text = open({str(MODEL)!r}).read()
start = time.perf_counter()
field = compile_field(loads(text))
run = integrate(field, 0.0, {STATE[0]}, {STATE[1]}, {UNTIL}, tolerance={TOLERANCE})
seconds = time.perf_counter() - start
assert run.status == "done", run.reason
print(seconds, *run.q[-1])
"""


def ours(cache: str) -> tuple[float, list[float]]:
    """Seconds in a fresh process with this cache directory, and the final positions."""
    environment = os.environ | {"CHETAEV_CACHE": cache, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", OURS], env=environment, capture_output=True, text=True, check=True)
    seconds, *q = map(float, done.stdout.split())
    return seconds, q


def with_loops_only() -> str:
    """A cache directory that holds the integrators' loops and no model."""
    directory = tempfile.mkdtemp()
    program = "from chetaev.flow.loops import library; library()"
    environment = os.environ | {"CHETAEV_CACHE": directory, "PYTHONPATH": str(ROOT / "src")}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
    return directory


def theirs() -> tuple[float, list[float]]:
    """`LagrangesMethod`, `lambdify(cse=True)`, `solve_ivp(DOP853)`: seconds and final positions."""
    import numpy as np
    import sympy as sm
    from scipy.integrate import solve_ivp
    from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

    start = perf_counter()
    m, g, R, I1, I2 = sm.symbols("m g R I1 I2")
    q = x, y, psi, phi, theta = dynamicsymbols("x y psi phi theta")
    v = xd, yd, pd, fd, td = [c.diff() for c in q]
    s, c = sm.sin(theta), sm.cos(theta)
    kinetic = m / 2 * (xd**2 + yd**2 + R**2 * td**2 + R**2 * fd**2 * s**2)
    kinetic -= m * R * (td * c * (xd * sm.sin(phi) - yd * sm.cos(phi)) + fd * s * (xd * sm.cos(phi) + yd * sm.sin(phi)))
    kinetic += I1 / 2 * (td**2 + fd**2 * c**2) + I2 / 2 * (pd - fd * s) ** 2
    constraints = [xd - R * sm.cos(phi) * pd, yd - R * sm.sin(phi) * pd]
    method = LagrangesMethod(kinetic - m * g * R * c, q, nonhol_coneqs=constraints)
    method.form_lagranges_equations()
    values = {m: 1, g: 9.8, R: 0.5, I1: 0.0625, I2: 0.125}
    names = sm.symbols("u0:10")
    known = dict(zip(v, names[5:], strict=True)) | dict(zip(q, names[:5], strict=True))
    mass = method.mass_matrix_full.subs(values).subs(known)
    forcing = method.forcing_full.subs(values).subs(known)
    function = sm.lambdify([names], [mass, forcing], cse=True)

    def rhs(t: float, state: np.ndarray) -> np.ndarray:
        matrix, load = function(state)
        return np.linalg.solve(matrix, load)[:10, 0]

    motion = solve_ivp(rhs, (0, UNTIL), STATE[0] + STATE[1], method="DOP853", rtol=TOLERANCE, atol=TOLERANCE)
    return perf_counter() - start, list(motion.y[:5, -1])


def measure() -> list[Row]:
    """The rows of this benchmark."""
    reference, q = theirs()
    empty, cold, warm = [], [], []
    for _ in range(REPEAT):
        directory = tempfile.mkdtemp()
        seconds, found = ours(directory)
        empty.append(seconds)
        shutil.rmtree(directory)
        directory = with_loops_only()
        cold.append(ours(directory)[0])
        warm.append(ours(directory)[0])
        shutil.rmtree(directory)
        assert max(abs(a - b) for a, b in zip(found, q, strict=True)) < 1e-4, "the two motions differ"
    against = "`LagrangesMethod` + `lambdify(cse)` + `solve_ivp(DOP853)`"
    what = "disc, text to 100 s at 1e-9"
    print(f"theirs {reference:.3f} s; ours {min(empty):.4f}, {min(cold):.4f}, {min(warm):.4f} s", file=sys.stderr)
    return [
        Row(f"{what}, nothing cached at all, loops included", against, min(empty) / reference),
        Row(f"{what}, model not seen before", against, min(cold) / reference, 1 / 50),
        Row(f"{what}, compiled code cached", against, min(warm) / reference, 1 / 200),
    ]


if __name__ == "__main__":
    print(table(measure()))
