"""The rolling disc from model text to a 100 s motion at 1e-9, against the way SymPy's own users go.

Both start from the initial state of the gallery's model. Every measurement is processor time in a process of
its own, imports excluded on both sides; the table has the ratio of the medians, the minima are printed too.

Ours, all in new processes:

- first model after installation: an empty cache; this includes the integrators' loops, which do not depend on
  the model and are compiled once, in a thread that begins with the first import;
- nothing of it cached: those loops are there; no model has been seen, the disc is the first of its process;
- compiled code cached: a process that has run another, trivial model before, as one that lives for a while
  has; then the same for the first model of a process, for which no limit is set.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from run import Row, table

UNTIL, TOLERANCE, REPEAT = 100.0, 1e-9, 5
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
from chetaev.model import initial
text = open({str(MODEL)!r}).read()
first = open({str(OTHER)!r}).read()
if sys.argv[1] == "second":
    integrate(compile_field(loads(first)), 0.0, [0.0, 0.0, 0.0], [0.0, 0.0, 1.0], 1.0)
start = time.process_time()
system = loads(text)
state = system.state
q, v = list(state.position.values()), list(state.velocity.values())
run = integrate(compile_field(system), state.t, q, v, {UNTIL}, tolerance={TOLERANCE})
seconds = time.process_time() - start
assert run.status == "done", run.reason
print(seconds, *run.q[-1])
"""


THEIRS = f"""
import time
import numpy as np
import sympy as sm
from scipy.integrate import solve_ivp
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

start = time.process_time()
m, g, R, I1, I2 = sm.symbols("m g R I1 I2")
q = _, _, _, phi, theta = dynamicsymbols("x y psi phi theta")
v = xd, yd, pd, fd, td = [c.diff() for c in q]
s, c = sm.sin(theta), sm.cos(theta)
along = xd * sm.cos(phi) + yd * sm.sin(phi)
across = xd * sm.sin(phi) - yd * sm.cos(phi)
kinetic = m / 2 * (xd**2 + yd**2 + R**2 * td**2 + R**2 * fd**2 * s**2)
kinetic -= m * R * (td * c * across + fd * s * along)
kinetic += I1 / 2 * (td**2 + fd**2 * c**2) + I2 / 2 * (pd - fd * s) ** 2
constraints = [xd - R * sm.cos(phi) * pd, yd - R * sm.sin(phi) * pd]
method = LagrangesMethod(kinetic - m * g * R * c, q, nonhol_coneqs=constraints)
method.form_lagranges_equations()
values = {{m: 1, g: 9.8, R: 0.5, I1: 0.0625, I2: 0.125}}
names = sm.symbols("u0:10")
known = dict(zip(v, names[5:], strict=True)) | dict(zip(q, names[:5], strict=True))
mass = method.mass_matrix_full.subs(values).subs(known)
forcing = method.forcing_full.subs(values).subs(known)
function = sm.lambdify([names], [mass, forcing], cse=True)

def rhs(t, state):
    matrix, load = function(state)
    return np.linalg.solve(matrix, load)[:10, 0]

state = [0, 0, 0, 0, 0.4, 1.5, 0, 3, 0, 0]
motion = solve_ivp(rhs, (0, {UNTIL}), state, method="DOP853", rtol={TOLERANCE}, atol={TOLERANCE})
seconds = time.process_time() - start
print(seconds, *motion.y[:5, -1])
"""


def timed(script: str, *arguments: str, cache: str = "off") -> tuple[float, list[float]]:
    """Seconds in a fresh process with this cache directory, and the final positions."""
    environment = os.environ | {"CHETAEV_CACHE": cache, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    seconds, *q = map(float, done.stdout.split())
    return seconds, q


def measure() -> list[Row]:
    """The rows of this benchmark."""
    seconds: dict[str, list[float]] = {name: [] for name in ("theirs", "empty", "cold", "warm", "warm first")}
    for _ in range(REPEAT):
        theirs, q = timed(THEIRS)
        with tempfile.TemporaryDirectory() as directory:
            seconds["empty"].append(timed(OURS, "first", cache=directory)[0])
        with tempfile.TemporaryDirectory() as directory:
            timed("import chetaev.flow.integrate; print(0)", cache=directory)
            cold, found = timed(OURS, "first", cache=directory)
            seconds["warm first"] += [timed(OURS, "first", cache=directory)[0] for _ in range(3)]
            timed(OURS, "second", cache=directory)
            seconds["warm"] += [timed(OURS, "second", cache=directory)[0] for _ in range(3)]
        assert max(abs(a - b) for a, b in zip(found, q, strict=True)) < 1e-4, "the two motions differ"
        seconds["theirs"].append(theirs)
        seconds["cold"].append(cold)
    print("seconds, median (minimum):", file=sys.stderr)
    for name, values in seconds.items():
        print(f"  {name:10s} {median(values):.5f} ({min(values):.5f})", file=sys.stderr)
    against = "`LagrangesMethod` + `lambdify(cse)` + `solve_ivp(DOP853)`"
    what = "disc, text to 100 s at 1e-9"
    ratio = {name: median(values) / median(seconds["theirs"]) for name, values in seconds.items()}
    return [
        Row(f"{what}, first model after installation", against, ratio["empty"]),
        Row(f"{what}, nothing of it cached", against, ratio["cold"], 1 / 50),
        Row(f"{what}, compiled code cached", against, ratio["warm"], 1 / 200),
        Row(f"{what}, compiled code cached, first model of the process", against, ratio["warm first"]),
    ]


if __name__ == "__main__":
    print(table(measure()))
