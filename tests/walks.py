"""Three walks through the package: which files a task meets, and how often they call each other.

    python tests/walks.py      the table of CONTRIBUTING, each walk in a new process, programs from the cache

A call counts where a function of one file calls one of another, with the bodies of modules that are imported
on the way. Below each row stand the rooms that call each other, from left to right.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

PACKAGE = str(Path(__file__).resolve().parent.parent / "src" / "chetaev") + os.sep


def motion() -> None:
    """From the text of the rolling disc to its trajectory."""
    import chetaev as ch
    from chetaev.model import gallery

    text = (Path(gallery.__file__).parent / "rolling-disc.toml").read_text(encoding="utf-8")
    ch.simulate(ch.loads(text), until=10)


def verdict() -> None:
    """From two texts to two verdicts: one proved to be zero, one refuted."""
    from chetaev.expr.exact.vanishing import zero_test
    from chetaev.expr.language.parser import parse
    from chetaev.expr.language.scope import Scope

    scope = Scope.of(["x", "y"])
    for text in ("sin(x + y) - sin(x)*cos(y) - cos(x)*sin(y)", "sqrt(x^2 + y^2) - x - y"):
        zero_test(parse(text, scope))


def sweep() -> None:
    """A thousand discs, by the command line, into a store."""
    from chetaev.cli import main

    with tempfile.TemporaryDirectory() as place:
        grid = "theta=0.1:0.5:1000"
        main(
            [
                "sweep",
                "rolling-disc",
                "--grid",
                grid,
                "--until",
                "1",
                "--threads",
                "1",
                "-o",
                f"{place}/a.zarr",
            ]
        )


WALKS: dict[str, tuple[str, Callable[[], None]]] = {
    "motion": ("text → motion", motion),
    "verdict": ("text → verdict", verdict),
    "sweep": ("a sweep of 1,000", sweep),
}


def walked(walk: Callable[[], None]) -> dict[str, Any]:
    """Files and functions that a walk meets, pairs of files and of rooms with the calls between them."""
    calls: Counter[tuple[str, str]] = Counter()
    met: set[tuple[str, str]] = set()

    def see(frame: FrameType, event: str, _: object) -> None:
        here, before = frame.f_code.co_filename, frame.f_back
        if event == "call" and here.startswith(PACKAGE):
            met.add((here, frame.f_code.co_qualname))
            while before is not None and not before.f_code.co_filename.startswith(PACKAGE):
                before = before.f_back
            if before is not None and before.f_code.co_filename != here:
                calls[before.f_code.co_filename, here] += 1

    sys.setprofile(see)
    try:
        walk()
    except SystemExit:
        pass
    finally:
        sys.setprofile(None)
    rooms: Counter[str] = Counter()
    for (a, b), count in calls.items():
        left, right = (file.removeprefix(PACKAGE).split(os.sep)[0] for file in (a, b))
        if left != right:
            rooms[f"{left} {right}"] += count
    return {
        "files": len({file for file, _ in met}),
        "functions": len(met),
        "pairs of files": len(calls),
        "calls between files": sum(calls.values()),
        "calls between rooms": sum(rooms.values()),
        "rooms": dict(rooms.most_common()),
    }


def table() -> str:
    """All walks as rows of a table."""
    rows = []
    for name, (title, _) in WALKS.items():
        with tempfile.TemporaryDirectory() as cache:
            for _ in range(2):  # the first one fills the cache
                run = subprocess.run(
                    [sys.executable, __file__, name],
                    capture_output=True, text=True, check=True, env={**os.environ, "CHETAEV_CACHE": cache},
                )  # fmt: skip
        found = json.loads(run.stdout.splitlines()[-1])
        numbers = (found[key] for key in found if key != "rooms")
        rows.append(f"| {title} | " + " | ".join(f"{n:,}" for n in numbers) + " |")
        rows.append("  " + ", ".join(f"{pair.replace(' ', '→')} {n}" for pair, n in found["rooms"].items()))
    return "\n".join(rows)


if __name__ == "__main__":
    print(json.dumps(walked(WALKS[sys.argv[1]][1])) if len(sys.argv) > 1 else table())
