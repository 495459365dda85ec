"""How long a user waits before anything happens, in units of importing SymPy."""

from __future__ import annotations

import subprocess
import sys
from time import perf_counter

from run import Row, table

REPEAT = 7
START, IMPORT = "the start of the interpreter", '`python -c "import sympy"`'
LIST = "import sys; sys.argv = ['chetaev', 'list']; from chetaev.cli import main; main()"
HEAVY = {"sympy", "casadi", "llvmlite", "flint", "xarray", "pandas", "scipy"}
"""What listing the gallery has no use for."""


def seconds(program: str) -> float:
    """Wall time of a Python program in a process of its own: the smallest of several runs."""
    times = []
    for _ in range(REPEAT):
        start = perf_counter()
        subprocess.run([sys.executable, "-c", program], stdout=subprocess.DEVNULL, check=True)
        times.append(perf_counter() - start)
    return min(times)


def modules_after(program: str) -> set[str]:
    """The top-level modules that a program has imported when it ends."""
    report = "import atexit, os, sys; atexit.register(lambda: os.write(2, ' '.join(sys.modules).encode()))\n"
    done = subprocess.run(
        [sys.executable, "-c", report + program], capture_output=True, text=True, check=True
    )
    return {module.partition(".")[0] for module in done.stderr.split()}


def measure() -> list[Row]:
    """The rows of this benchmark; fails when the light command imports a heavy library."""
    heavy = modules_after(LIST) & HEAVY
    assert not heavy, f"chetaev list imports {', '.join(sorted(heavy))}"
    bare, sympy, listing = seconds("pass"), seconds("import sympy"), seconds(LIST)
    libraries = seconds("import numpy, sympy")
    package = seconds("import numpy, sympy, chetaev; chetaev.System; chetaev.load")
    return [
        Row(f"`chetaev list`, beyond {START}", IMPORT, (listing - bare) / sympy, 1.0),
        Row("`import chetaev`, beyond NumPy and SymPy", IMPORT, (package - libraries) / sympy, 1.0),
    ]


if __name__ == "__main__":
    print(table(measure()))
