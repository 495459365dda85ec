"""The small compiler beside Numba and C: what it costs to have code, and what the code costs.

The field of the rolling disc is one straight-line program. It is compiled by three: here, as Python text by
Numba, as C text by ``cc -O2``; and the loops of the integrator are run with each of them, so that only the
field differs. Besides, a compact DOP853 without projection, events or requested times is compiled by Numba
together with its field, and SciPy's runs with our compiled field. Everything is processor time, the smallest
of several measurements; rows for what is not installed are left out.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from run import Row, table

import chetaev as ch
from chetaev.flow.compile import loops
from chetaev.flow.compile.cache import Cache
from chetaev.flow.compile.machine import host
from chetaev.flow.compile.programs import Programs, forget
from chetaev.flow.derive.dynamics import solve_definite
from chetaev.flow.derive.program import from_casadi
from chetaev.flow.kernels.statuses import DONE, PAUSED
from chetaev.flow.run.array_calls import ONE_STATE
from chetaev.flow.run.compiled_field import compile_field
from chetaev.flow.run.integrate import integrate
from chetaev.flow.run.run_options import RunOptions
from chetaev.flow.run.session import Session
from chetaev.flow.schemes import DEFAULT, find

UNTIL, TOLERANCE = 100.0, 1e-9
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
FUSED = {"fma": "{} * {} + {}", "fms": "{} * {} - {}", "fnma": "{2} - {0} * {1}"}
NUMBA_LOOP = """
from math import cos, sin, sqrt
import numpy as np

def field(t, y, p, dy, aux):
{body}
    return 0

def run(y, end, tolerance, a, c, b, e3, e5, p):
    d = len(y)
    k, new, trial, aux = np.zeros((13, d)), np.zeros(d), np.zeros(d), np.zeros(d)
    t, h, last, count = 0.0, 1e-3, 1e-4, 0
    field(t, y, p, k[0], aux)
    while t < end:
        h = min(h, end - t)
        for s in range(1, 12):
            for i in range(d):
                total = 0.0
                for j in range(s):
                    total += a[s, j] * k[j, i]
                trial[i] = y[i] + h * total
            field(t + c[s] * h, trial, p, k[s], aux)
        fifth, third = 0.0, 0.0
        for i in range(d):
            total, x5, x3 = 0.0, 0.0, 0.0
            for j in range(12):
                total += b[j] * k[j, i]
                x5 += e5[j] * k[j, i]
                x3 += e3[j] * k[j, i]
            new[i] = y[i] + h * total
            scale = tolerance * (1.0 + max(abs(y[i]), abs(new[i])))
            fifth += (x5 / scale) ** 2
            third += (x3 / scale) ** 2
        error = h * fifth / sqrt((fifth + 0.01 * third) * d) if fifth > 0.0 else 0.0
        count += 1
        if error <= 1.0:
            t += h
            for i in range(d):
                y[i] = new[i]
            field(t, y, p, k[0], aux)
            h *= min(6.0, max(0.2, 0.9 * max(error, 1e-10) ** -0.105 * last ** 0.03))
            last = max(error, 1e-4)
        else:
            h *= min(0.9, max(0.1, 0.9 * error ** -0.125))
    return count
"""


def lines(program: Any, declare: str, end: str, n: int) -> list[str]:
    """The straight-line program as assignments; positions and velocities are one vector, y."""
    written = []
    for number, (name, *arguments) in enumerate(program.code):
        if name == "input":
            which, index = arguments
            value = "t" if which == 0 else f"p[{index}]" if which == 3 else f"y[{index + (which - 1) * n}]"
        elif name == "const":
            value = repr(float(arguments[0]))
        elif name in SIGNS:
            value = f" {SIGNS[name]} ".join(f"x{a}" for a in arguments)
        elif name == "neg":
            value = f"-x{arguments[0]}"
        elif name in FUSED:
            value = FUSED[name].format(*(f"x{a}" for a in arguments))
        else:
            value = f"{name}({', '.join(f'x{a}' for a in arguments)})"
        written.append(f"{declare}x{number} = {value}{end}")
    written += [f"dy[{i}] = y[{n + i}]{end}" for i in range(n)]
    written += [f"dy[{n + i}] = x{v}{end}" for i, v in enumerate(program.outputs[0])]
    return written


def least(work: Callable[[], Any], repeat: int) -> float:
    """The smallest processor time of several."""
    found = []
    for _ in range(repeat):
        start = process_time()
        work()
        found.append(process_time() - start)
    return min(found)


def by_c(text: list[str], directory: str) -> tuple[float, Any]:
    """Seconds (of the clock: the compiler is another process) and the C function."""
    source, library = Path(directory) / "f.c", Path(directory) / "f.so"
    head = "#include <math.h>\nlong f(double t, double *y, double *p, double *dy, double *aux) {\n"
    body = "\n".join(text)
    source.write_text(f"{head}{body}\nfor (int i = 0; i < 6; ++i) aux[i] = 1.0;\nreturn 0;\n}}\n")
    start = perf_counter()
    command = ["cc", "-O2", "-march=native", "-shared", "-fPIC", "-o", str(library), str(source), "-lm"]
    subprocess.run(command, check=True)
    return perf_counter() - start, ctypes.CDLL(str(library)).f


def import_time(module: str) -> float:
    """Seconds to import a module beyond NumPy, in processes of their own."""

    def once(program: str) -> float:
        start = perf_counter()
        subprocess.run([sys.executable, "-c", program], check=True)
        return perf_counter() - start

    plain = min(once("import numpy") for _ in range(5))
    return min(once(f"import numpy, {module}") for _ in range(5)) - plain


def with_field(session: Callable[[], Session], address: int) -> Callable[[], Any]:
    """A run of the loops in which the field stands at an address."""

    class Elsewhere:
        def address(self, name: str) -> int:
            return address

    def work() -> None:
        one = session()
        one.start()
        one.loop.slice = 10**6
        one._rhs = Elsewhere()  # type: ignore[assignment]
        while (status := one.slice()) == PAUSED:
            one.go_on(status)
        assert status == DONE, f"the run ended with status {status}"

    return work


def measure() -> list[Row]:
    """The rows of this benchmark."""
    system = ch.load("rolling-disc")
    field = compile_field(system)
    model = field.model
    n, state = model.size, system.state
    start = [[part[c] for c in system.coordinates] for part in (state.position, state.velocity)]
    programs = Programs(model, Cache(off=True))
    elimination = programs.elimination(programs.first_chart)
    free, _ = solve_definite(elimination.reduced, elimination.right)
    program = from_casadi(programs.dynamics.arguments.list(), [elimination.accelerations(free)])
    y0 = np.array([float(x) for x in np.concatenate(start)])
    p = np.array([float(x) for x in model.values()])

    def session() -> Session:
        end = np.array([UNTIL])
        return Session(programs, p, 0.0, y0, UNTIL, end, RunOptions(TOLERANCE, project=False))

    def ours_made() -> None:
        forget()
        fresh = Programs(model, Cache(off=True))
        fresh.code("rhs", fresh.first_chart, "null")

    ours_made()
    make = least(ours_made, 5)
    loop_make = least(lambda: loops.make(DEFAULT, host()), 3)
    run = least(lambda: session().run(10**6), 20)
    whole = least(lambda: integrate(field, 0.0, *start, UNTIL, tolerance=TOLERANCE), 20)
    rows = [Row("integrators' loops, compiling them", "compiling the disc's programs", loop_make / make)]
    rows += [_scipy(programs.code("rhs", programs.first_chart, "null"), y0, p, whole)]
    if shutil.which("cc"):
        with tempfile.TemporaryDirectory() as directory:
            seconds, function = by_c(lines(program, "const double ", ";", n), directory)
            address = ctypes.cast(function, ctypes.c_void_p).value or 0
            rows.append(Row("`cc -O2` of the disc's field", "compiling its programs here", seconds / make))
            other = least(with_field(session, address), 20)
            rows.append(Row("100 s of the disc, loops with the field of `cc`", "with ours", other / run))
    else:
        print("there is no C compiler, cc: no rows for it", file=sys.stderr)
    try:
        import numba
    except ImportError:
        print("numba is not installed: no rows for it", file=sys.stderr)
        return rows
    return rows + _numba(numba, program, n, y0, p, session, make, run)


def _scipy(library: Any, y0: Any, p: Any, whole: float) -> Row:
    from scipy.integrate import solve_ivp

    compiled, aux = ONE_STATE(library.address("f")), np.empty(len(y0))

    def rhs(t: float, y: Any) -> Any:
        y, dy = np.ascontiguousarray(y), np.empty(len(y0))
        compiled(t, y.ctypes.data, p.ctypes.data, dy.ctypes.data, aux.ctypes.data)
        return dy

    def work() -> Any:
        return solve_ivp(rhs, (0, UNTIL), y0, method="DOP853", rtol=TOLERANCE, atol=TOLERANCE)

    return Row("100 s of the disc, SciPy's DOP853 with our compiled field", "ours", least(work, 3) / whole)


def _numba(
    numba: Any, program: Any, n: int, y0: Any, p: Any, session: Callable[[], Session], make: float, run: float
) -> list[Row]:
    body = "\n".join(f"    {line}" for line in lines(program, "", "", n))
    text = NUMBA_LOOP.replace("{body}", body + "\n    for i in range(6):\n        aux[i] = 1.0")
    space: dict[str, Any] = {}
    exec(compile(text, "numba_loop", "exec"), space)
    start = process_time()
    kinds = numba.types
    signature = kinds.int64(kinds.double, *[kinds.CPointer(kinds.double)] * 4)
    alone = numba.cfunc(signature)(space["field"])
    field_make = process_time() - start
    space["field"] = numba.njit(space["field"])
    jitted, scheme = numba.njit(space["run"]), find(DEFAULT)
    rows = scheme.table.reshape(-1, 16)
    coefficients = (rows[:16], rows[16], rows[12, :12], rows[17, :12], rows[18, :12])
    start = process_time()
    jitted(y0.copy(), 1e-3, TOLERANCE, *coefficients, p)
    loop_make = process_time() - start
    compact = least(lambda: jitted(y0.copy(), UNTIL, TOLERANCE, *coefficients, p), 20)
    other = least(with_field(session, alone.address), 20)
    imports = import_time("numba") / import_time("llvmlite.binding")
    return [
        Row("`import numba`, beyond NumPy", "`import llvmlite.binding`", imports),
        Row("Numba's compiling of the disc's field", "compiling its programs here", field_make / make),
        Row("Numba's compiling of a compact DOP853 with the field", "the same", loop_make / make),
        Row("100 s of the disc, loops with the field of Numba", "with ours", other / run),
        Row("100 s of the disc, compact DOP853 by Numba", "our loops, without projection", compact / run),
    ]


if __name__ == "__main__":
    print(table(measure()))
