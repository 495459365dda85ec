"""10,000 rolling discs for 10 s at 1e-9 on all cores, and 10⁶ members in bounded memory.

Processor time, in one run, turn by turn; the smallest of several. The references:

- hand-written scalar C with OpenMP, ``gcc -O3 -march=native -ffast-math`` (`ensemble_reference.c`), which
  projects nothing, and answers no question but this one;
- the same in lanes of AVX-512, eight discs with one step size, where the processor has them;
- heyoka's ensemble mode, if `CHETAEV_HEYOKA` names a Python that has it: it needs an environment of its own.

The memory is the peak of a process with a store, for 10⁴ and for 10⁶ members of a short run.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from run import Row, table

SIDE, UNTIL, TOLERANCE, REPEAT = 100, 10.0, 1e-9, 5
SOURCE = Path(__file__).with_name("ensemble_reference.c")
SPIN, LEAN = (2.0, 8.0), (0.1, 0.5)

HEYOKA = f"""
import json, time, sys
import numpy as np
import heyoka as hy
m, g, R, I1, I2 = 1.0, 9.8, 0.5, 0.0625, 0.125
x, y, psi, phi, theta, w, f, t = hy.make_vars("x", "y", "psi", "phi", "theta", "w", "f", "t")
mR = m * R * R
A, B = I1 + mR, I2 + mR
fd = t * ((2 * I1 - I2) * f * hy.sin(theta) + I2 * w) / (I1 * hy.cos(theta))
wd = (I2 + 2 * mR) / B * f * t * hy.cos(theta) + hy.sin(theta) * fd
td = (m * g * R * hy.sin(theta) + ((B - I1) * f * hy.sin(theta) - B * w) * f * hy.cos(theta)) / A
system = [(x, R * hy.cos(phi) * w), (y, R * hy.sin(phi) * w), (psi, w), (phi, f), (theta, t)]
system += [(w, wd), (f, fd), (t, td)]
made = hy.taylor_adaptive(system, np.zeros(8), tol={TOLERANCE})
states = np.array(json.load(sys.stdin))
def start(made, i):
    made.time = 0.0
    made.state[:] = states[i]
    return made
hy.ensemble_propagate_until(made, 0.1, 8, start)
begun = time.process_time()
found = hy.ensemble_propagate_until(made, {UNTIL}, len(states), start)
print(time.process_time() - begun, *found[-1][0].state[:5])
"""

MEMORY = """
import resource, sys, tempfile
import chetaev as ch
with tempfile.TemporaryDirectory() as place:
    ch.ensemble(
        ch.load("knife-edge"), {"phi_dot": "uniform(1, 2)"}, int(sys.argv[1]), until=0.1, tolerance=1e-4,
        store=place + "/out.zarr", chunk=10_000,
    )
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def reference(directory: str, lanes: int) -> Any:
    """The compiled reference."""
    target = Path(directory) / f"reference{lanes}.so"
    options = ["-O3", "-march=native", "-mprefer-vector-width=512"] if lanes > 1 else ["-O3", "-march=native"]
    options += ["-ffast-math", "-fopenmp", "-shared", "-fPIC", f"-DLANES={lanes}"]
    subprocess.run(["gcc", *options, "-o", str(target), str(SOURCE), "-lm"], check=True)
    function = ctypes.CDLL(str(target)).discs
    function.restype = ctypes.c_long
    return function


def by_hand(
    function: Any,
    starts: np.ndarray,
    p: np.ndarray,
    threads: int,
    until: float = UNTIL,
    tolerance: float = TOLERANCE,
) -> tuple[float, np.ndarray]:
    """Seconds of the reference, and the final states."""
    from chetaev.flow.schemes import find

    weights, final = find("dop853").table, np.empty_like(starts)
    begun = process_time()
    function(
        ctypes.c_size_t(len(starts)), *(ctypes.c_void_p(x.ctypes.data) for x in (weights, starts, p)),
        ctypes.c_double(until), ctypes.c_double(tolerance), ctypes.c_void_p(final.ctypes.data), threads,
    )  # fmt: skip
    return process_time() - begun, final


def of_heyoka(starts: np.ndarray) -> float | None:
    """Seconds of heyoka's ensemble mode; None without it."""
    import json

    python = os.environ.get("CHETAEV_HEYOKA")
    if not python:
        print("ensemble: no CHETAEV_HEYOKA, so no heyoka to compare with; skipped", file=sys.stderr)
        return None
    states = np.concatenate([starts[:, :5], starts[:, 7:]], axis=1)[:: len(starts) // 1000]
    done = subprocess.run(
        [python, "-c", HEYOKA], input=json.dumps(states.tolist()), capture_output=True, text=True, check=True
    )
    return float(done.stdout.split()[0]) * len(starts) / len(states)


def measure() -> list[Row]:
    """The rows of this benchmark."""
    import chetaev as ch
    from chetaev.ensemble.ensemble_engine import cores

    if shutil.which("gcc") is None:
        print("ensemble: no gcc here, so no reference to compare with; skipped", file=sys.stderr)
        return memory()
    disc = ch.load("rolling-disc")
    over = {"theta": np.linspace(*LEAN, SIDE), "psi_dot": np.linspace(*SPIN, SIDE)}
    first = ch.ensemble(disc, over, until=UNTIL, tolerance=TOLERANCE, keep=["initial", "final"])
    starts = np.ascontiguousarray(first.initial.values)
    p = np.array(list(disc.parameter_values.values()))
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    kinds = {1: "hand-written scalar C with OpenMP"} | (
        {8: "hand-written C in lanes of AVX-512, one step for eight"} if "avx512f" in flags else {}
    )
    with tempfile.TemporaryDirectory() as directory:
        functions = {lanes: reference(directory, lanes) for lanes in kinds}
        ours: list[float] = []
        theirs: dict[int, list[float]] = {lanes: [] for lanes in kinds}
        for _ in range(REPEAT):
            begun = process_time()
            found = ch.ensemble(disc, over, until=UNTIL, tolerance=TOLERANCE)
            ours.append(process_time() - begun)
            for lanes, function in functions.items():
                seconds, final = by_hand(function, starts, p, cores())
                theirs[lanes].append(seconds)
                error = np.median(np.abs(final - found.final.values))
                assert error < 1e-5, f"{kinds[lanes]}: the motions differ by {error:.1e}"
    print(f"ours {min(ours):.3f} s,", {k: round(min(v), 3) for k, v in theirs.items()}, file=sys.stderr)
    what = f"{SIDE * SIDE} discs for 10 s at 1e-9, `ch.ensemble`"
    limits = {1: 1 / 1.5, 8: 1.5}
    rows = [Row(what, kinds[k], min(ours) / min(v), limits[k]) for k, v in theirs.items()]
    heyoka = of_heyoka(starts)
    if heyoka is not None:
        rows.append(Row(what, "heyoka's ensemble mode", min(ours) / heyoka, 1 / 3))
    return rows + memory()


def memory() -> list[Row]:
    """The peak of memory for many members."""
    peaks = []
    for members in (10_000, 1_000_000):
        done = subprocess.run(
            [sys.executable, "-c", MEMORY, str(members)], capture_output=True, text=True, check=True
        )
        peaks.append(float(done.stdout))
    print(f"peak {peaks[0] / 1024:.0f} and {peaks[1] / 1024:.0f} megabytes", file=sys.stderr)
    return [Row("peak of memory, 10⁶ members into a store", "10⁴ members", peaks[1] / peaks[0], 1.5)]


if __name__ == "__main__":
    print(table(measure()))
