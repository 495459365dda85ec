"""Accelerations of 10,000 discs on one core, against hand-written C for the reduced equations.

The reference is `flow_disc_reference.c`, compiled with ``gcc -O3 -march=native``; without gcc the row is
left out with a notice. Both sides read and write the same row-major arrays and are called from Python
through one function call.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from run import Row, table

COUNT, REPEAT = 10_000, 200
SOURCE = Path(__file__).with_name("flow_disc_reference.c")


def reference(directory: str) -> Any:
    """The compiled reference, or None without a compiler."""
    if shutil.which("gcc") is None:
        return None
    target = Path(directory) / "reference.so"
    options = ["-O3", "-march=native", "-shared", "-fPIC"]
    subprocess.run(["gcc", *options, "-o", str(target), str(SOURCE), "-lm"], check=True)
    return ctypes.CDLL(str(target)).disc_many


def states() -> tuple[np.ndarray, np.ndarray]:
    """Random states on the constraint, the lean away from the singular ±90°."""
    generator = np.random.default_rng(1)
    q, v = generator.normal(size=(COUNT, 5)), generator.normal(size=(COUNT, 5))
    q[:, 4] = 0.4 * q[:, 4].clip(-2.5, 2.5)
    v[:, 0] = 0.5 * np.cos(q[:, 3]) * v[:, 2]
    v[:, 1] = 0.5 * np.sin(q[:, 3]) * v[:, 2]
    return q, v


def measure() -> list[Row]:
    """The rows of this benchmark."""
    from chetaev.flow.run.compiled_field import compile_field
    from chetaev.model.file.loader import load

    with tempfile.TemporaryDirectory() as directory:
        function = reference(directory)
        if function is None:
            print("flow_rhs: no gcc here, so no reference to compare with; skipped", file=sys.stderr)
            return []
        field = compile_field(load("rolling-disc"))
        q, v = states()
        p = np.array(field.model.values(), dtype=float)
        a = np.empty_like(q)
        pointers = [ctypes.c_void_p(x.ctypes.data) for x in (q, v, p, a)]
        ours, theirs = [], []
        found = field(0.0, q, v)
        for _ in range(REPEAT):  # turn by turn, so that both see the same weather
            start = perf_counter()
            function(ctypes.c_size_t(COUNT), *pointers)
            theirs.append(perf_counter() - start)
            start = perf_counter()
            found = field(0.0, q, v)
            ours.append(perf_counter() - start)
        error = np.max(np.abs(found - a) / (1 + np.abs(a)))
        assert error < 1e-12, f"the two right-hand sides differ by {error:.1e}"
    print(
        f"ours {min(ours) / COUNT * 1e9:.1f} ns, C {min(theirs) / COUNT * 1e9:.1f} ns a state",
        file=sys.stderr,
    )
    what = f"disc, accelerations of {COUNT} states, one core"
    return [Row(what, "hand-written scalar C, gcc -O3 -march=native", min(ours) / min(theirs), 1.5)]


if __name__ == "__main__":
    print(table(measure()))
