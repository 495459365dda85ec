"""The rolling disc from model text to a 100 s motion at 1e-9, against the way SymPy's own users go.

Both start from the initial state of the gallery's model. Every measurement is processor time in a process of
its own, imports excluded on both sides; the table has the ratio of the medians, the minima are printed too.

Ours ends either with the states at the integrator's steps, which is what `solve_ivp` gives, or with the data
set of `ch.simulate`: 1001 times, accelerations, reactions, energy, residuals, provenance. It starts either

- with nothing cached: an empty cache directory, the disc is the first model of its process;
- with compiled code on disk: as the first model of a new process; or in one that has run another, trivial
  model before, as one that lives for a while has.

The goals are for the data set: 75 times as fast as theirs with nothing cached, 400 times with compiled code
on disk in a new process. The limits of the states are what earlier versions kept.
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
import casadi, numpy, xarray
import chetaev as ch
from chetaev.flow.run.compiled_field import compile_field
from chetaev.flow.run.integrate import integrate
from chetaev.flow.derive import dynamics, program
from chetaev.flow.compile import loops, model_functions, programs
from chetaev.flow.data import simulate
from chetaev.hamilton.dirac import dirac_run as _run
from chetaev.model.dynamics import lagrangian
from chetaev.model.file import loader
from chetaev.model.states import initial_data, redundancy
text = open({str(MODEL)!r}).read()
loops.library()
if sys.argv[1] == "later":
    ch.simulate(ch.loads(open({str(OTHER)!r}).read()), until=1.0)
start = time.process_time()
system = ch.loads(text)
if sys.argv[2] == "states":
    state = system.state
    q, v = list(state.position.values()), list(state.velocity.values())
    run = integrate(compile_field(system), state.t, q, v, {UNTIL}, tolerance={TOLERANCE})
    seconds, end = time.process_time() - start, run.q[-1]
else:
    motion = ch.simulate(system, until={UNTIL}, tolerance={TOLERANCE})
    seconds = time.process_time() - start
    end = [float(motion[name][-1]) for name in system.coordinates]
print(seconds, *end)
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
    ends = ("states", "data set")
    seconds: dict[str, list[float]] = {"theirs": []}
    for _ in range(REPEAT):
        theirs, q = timed(THEIRS)
        seconds["theirs"].append(theirs)
        for end in ends:
            with tempfile.TemporaryDirectory() as directory:
                cold, found = timed(OURS, "first", end, cache=directory)
                assert max(abs(a - b) for a, b in zip(found, q, strict=True)) < 1e-4, "the two motions differ"
                seconds.setdefault(f"{end}, nothing cached", []).append(cold)
                timed(OURS, "later", end, cache=directory)
                for name, when in (("code on disk, new process", "first"), ("code on disk, later", "later")):
                    again = [timed(OURS, when, end, cache=directory)[0] for _ in range(3)]
                    seconds.setdefault(f"{end}, {name}", []).extend(again)
    print("seconds, median (minimum):", file=sys.stderr)
    for name, values in seconds.items():
        print(f"  {name:36s} {median(values):.5f} ({min(values):.5f})", file=sys.stderr)
    against = "`LagrangesMethod` + `lambdify(cse)` + `solve_ivp(DOP853)`"
    limits = {
        "states, nothing cached": 1 / 50,
        "states, code on disk, later": 1 / 200,
        "data set, nothing cached": 1 / 75,
        "data set, code on disk, new process": 1 / 400,
    }
    whole = median(seconds["theirs"])
    return [
        Row(f"disc, text to 100 s at 1e-9: {name}", against, median(values) / whole, limits.get(name))
        for name, values in seconds.items()
        if name != "theirs"
    ]


if __name__ == "__main__":
    print(table(measure()))
