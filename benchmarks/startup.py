"""How long a user waits before anything happens, in units of importing SymPy; how long for a first motion.

The first motion, from the start of an interpreter to the data set of the rolling disc (100 s at 1e-9) with
compiled code on disk, is measured as processor time against the same in version 0.1, whose sources are taken
from this repository's history: as both run here, and without Dask, which xarray imported for version 0.1
where it is installed. Without that history the rows are left out with a notice.
"""

from __future__ import annotations

import io
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from time import perf_counter

from run import Row, table

REPEAT = 7
ROOT = Path(__file__).resolve().parent.parent
VERSION_01 = "5de966f"
MOTION = "import chetaev as ch; ch.simulate(ch.load('rolling-disc'), until=100.0, tolerance=1e-9)"
WITHOUT_DASK = "import sys; sys.modules['dask'] = None; "
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


def processor_seconds(program: str, sources: Path, cache: str) -> float:
    """Processor time of a program with these sources and cache, start included: the smallest of several."""
    environment = os.environ | {"PYTHONPATH": str(sources), "CHETAEV_CACHE": cache}
    times = []
    for _ in range(REPEAT):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", program], env=environment, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times[1:])  # the first fills caches


def first_motion() -> list[Row]:
    """A first motion against that of version 0.1."""
    got = subprocess.run(["git", "archive", VERSION_01, "src"], cwd=ROOT, capture_output=True)
    if got.returncode:
        print(f"startup: no {VERSION_01} in the history, so no version 0.1; skipped", file=sys.stderr)
        return []
    rows = []
    with tempfile.TemporaryDirectory() as place, tarfile.open(fileobj=io.BytesIO(got.stdout)) as archive:
        archive.extractall(place, filter="data")
        for words, before in (("", ""), (", without Dask", WITHOUT_DASK)):
            ours = processor_seconds(before + MOTION, ROOT / "src", f"{place}/ours")
            theirs = processor_seconds(before + MOTION, Path(place) / "src", f"{place}/theirs")
            library = processor_seconds(before + "import xarray", ROOT / "src", "off")
            print(f"first motion{words}: {ours:.3f} s, version 0.1 {theirs:.3f} s,", end=" ", file=sys.stderr)
            print(f"of which `import xarray` {library:.3f} s", file=sys.stderr)
            what = f"`import chetaev` and the first `ch.simulate` of a process{words}"
            rows.append(Row(what, "version 0.1", ours / theirs, 0.5))
    return rows


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
        *first_motion(),
    ]


if __name__ == "__main__":
    print(table(measure()))
