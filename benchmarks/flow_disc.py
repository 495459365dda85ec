"""The rolling disc from model text to a 100 s motion at 1e-9, against the way SymPy's own users go.

Processor time, imports excluded on both sides. Ours runs in a process of its own that has run one other,
trivial model before, so that what happens once per process (building the parser's tables, starting LLVM)
and once per installation (the integrators' loops) is done; the disc is then parsed, derived, compiled and
run with a cache that has never seen it, and again, in a new process, with the cache of that run. The first
row has no such preparation: an empty cache, the first model.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time

from run import Row, table

UNTIL, TOLERANCE, REPEAT = 100.0, 1e-9, 5
STATE = ([0.0, 0.0, 0.0, 0.2, 0.25], [3.9202663113649667, 0.7946773231802449, 8.0, 0.3, 0.1])
ROOT = Path(__file__).resolve().parent.parent
GALLERY = ROOT / "src" / "chetaev" / "model" / "gallery"
MODEL, OTHER = GALLERY / "rolling-disc.toml", GALLERY / "knife-edge.toml"

OURS = f"""
import sys, time
import casadi, numpy
from chetaev.model.loader import loads
from chetaev.flow.field import compile_field
from chetaev.flow.integrate import integrate
from chetaev.flow import programs, tasks, dynamics, instructions, translate
text = open({str(MODEL)!r}).read()
first = open({str(OTHER)!r}).read()
if sys.argv[1] == "prepared":
    integrate(compile_field(loads(first)), 0.0, [0.0, 0.0, 0.0], [0.0, 0.0, 1.0], 1.0)
start = time.process_time()
field = compile_field(loads(text))
run = integrate(field, 0.0, {STATE[0]}, {STATE[1]}, {UNTIL}, tolerance={TOLERANCE})
seconds = time.process_time() - start
assert run.status == "done", run.reason
print(seconds, *run.q[-1])
"""


def ours(cache: str, how: str = "prepared") -> tuple[float, list[float]]:
    """Seconds in a fresh process with this cache directory, and the final positions."""
    environment = os.environ | {"CHETAEV_CACHE": cache, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", OURS, how]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    seconds, *q = map(float, done.stdout.split())
    return seconds, q


def theirs() -> tuple[float, list[float]]:
    """`LagrangesMethod`, `lambdify(cse=True)`, `solve_ivp(DOP853)`: seconds and final positions."""
    import numpy as np
    import sympy as sm
    from scipy.integrate import solve_ivp
    from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

    start = process_time()
    m, g, R, I1, I2 = sm.symbols("m g R I1 I2")
    q = _, _, _, phi, theta = dynamicsymbols("x y psi phi theta")
    v = xd, yd, pd, fd, td = [c.diff() for c in q]
    s, c = sm.sin(theta), sm.cos(theta)
    kinetic = m / 2 * (xd**2 + yd**2 + R**2 * td**2 + R**2 * fd**2 * s**2)
    kinetic -= (
        m
        * R
        * (td * c * (xd * sm.sin(phi) - yd * sm.cos(phi)) + fd * s * (xd * sm.cos(phi) + yd * sm.sin(phi)))
    )
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
    return process_time() - start, list(motion.y[:5, -1])


def measure() -> list[Row]:
    """The rows of this benchmark."""
    reference, q = theirs()
    empty, cold, warm = [], [], []
    for _ in range(REPEAT):
        with tempfile.TemporaryDirectory() as directory:
            empty.append(ours(directory, "unprepared")[0])
        with tempfile.TemporaryDirectory() as directory:
            seconds, found = ours(directory)
            cold.append(seconds)
            warm.append(ours(directory)[0])
        assert max(abs(a - b) for a, b in zip(found, q, strict=True)) < 1e-4, "the two motions differ"
    against = "`LagrangesMethod` + `lambdify(cse)` + `solve_ivp(DOP853)`"
    what = "disc, text to 100 s at 1e-9"
    print(
        f"theirs {reference:.3f} s; ours {min(empty):.4f}, {min(cold):.4f}, {min(warm):.4f} s",
        file=sys.stderr,
    )
    return [
        Row(f"{what}, first model after installation", against, min(empty) / reference),
        Row(f"{what}, nothing of it cached", against, min(cold) / reference, 1 / 50),
        Row(f"{what}, compiled code cached", against, min(warm) / reference, 1 / 200),
    ]


if __name__ == "__main__":
    print(table(measure()))
