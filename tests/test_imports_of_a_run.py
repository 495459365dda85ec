"""What a run imports: from text to a data set nothing but what the motion needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
import chetaev as ch
rooms = set(sys.modules)  # those named like a public function have their empty package made at once
motion = ch.simulate(ch.load("rolling-disc"), until=0.5)
assert motion.attrs["status"] == "done"
print(*(name for name, module in sys.modules.items() if module is not None and name not in rooms))
"""
NEVER = (
    "chetaev.analysis", "chetaev.commands", "chetaev.compare.compare", "chetaev.constraint",
    "chetaev.equations.law.setup", "chetaev.equations.registry", "chetaev.expr.exact",
    "chetaev.expr.language.mistakes", "chetaev.geometry", "chetaev.hamilton.dirac.dirac",
    "chetaev.hamilton.momenta", "chetaev.laws", "chetaev.model.states.dependent_rows", "chetaev.reduction",
    "chetaev.study.study", "chetaev.variation", "chetaev.view", "dask", "flint", "h5py", "matplotlib",
    "mpmath", "plotly", "rich", "scipy", "sympy", "typer", "zarr",
)  # fmt: skip
"""Rooms and libraries that a motion has no use for."""
ONLY_ONCE = ("casadi", "chetaev.expr.graph.engine", "chetaev.flow.derive.dynamics")
"""What derives a program; where it is kept, nothing is derived."""


def imported(directory: Path) -> set[str]:
    environment = os.environ | {"CHETAEV_CACHE": str(directory)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.slow
def test_a_run_imports_no_room_to_its_right_and_no_library_that_it_does_not_need(tmp_path: Path) -> None:
    first, second = imported(tmp_path), imported(tmp_path)
    assert not first.intersection(NEVER)
    assert first.issuperset(ONLY_ONCE)
    assert not second.intersection(NEVER + ONLY_ONCE)
    assert len([name for name in second if name.startswith("chetaev.")]) < 150


LEFT = """
import atexit, gc
atexit.register(lambda: print("frozen", gc.get_freeze_count() > 10_000))
from chetaev.cli import main
main(["list"])
"""


def test_a_command_leaves_without_a_last_search_for_garbage() -> None:
    done = subprocess.run([sys.executable, "-c", LEFT], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("frozen True\n")


def test_importing_starts_no_thread() -> None:
    program = "import threading, chetaev.flow.data.simulate; print(threading.active_count())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
