"""Run by `test_mutations`: a process with all libraries, but without chetaev, that forks for every mutant.

A line of JSON comes in for each: which probe the comparison is to judge, or which tests are to be run, and
where to write. A line goes out when the mutant has ended, with its exit status.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

import casadi  # noqa: F401
import flint  # noqa: F401
import hypothesis  # noqa: F401
import llvmlite.binding  # noqa: F401
import mpmath  # noqa: F401
import numpy  # noqa: F401
import pytest
import sympy  # noqa: F401

SAMPLES = 4
OPTIONS = (
    "-x",
    "-q",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "-W",
    "ignore::pytest.PytestAssertRewriteWarning",
    "-m",
    "not soak",
)
"""A test that fails is enough, a slow one too; and hypothesis is here already."""


def noticed(name: str) -> str | None:
    """Who notices a mistake on this system: rows that disagree, or an error."""
    import chetaev as ch
    import probes

    try:
        table = ch.compare(probes.probe(name), samples=SAMPLES)
    except Exception as error:  # whatever a mutant raises, it is not silent
        return f"{type(error).__name__}"
    if not table.evaluated:
        return "nothing evaluated"
    rows = [row.form for row in table.rows if not row.agrees]
    return f"{', '.join(rows[-3:])}" if rows else None


def judged(where: str, by: str) -> int:
    """Import the mutant and print what notices it; the exit status."""
    sys.path.insert(0, where)
    import chetaev as ch

    assert Path(ch.__file__).is_relative_to(where), "another chetaev than the mutant was imported"
    if by.startswith("tests/"):
        return int(pytest.main([*OPTIONS, by]))
    print(json.dumps({"noticed": noticed(by)}))
    return 0


def child(asked: dict[str, Any]) -> None:
    """The forked process, which does not return."""
    status = 3
    try:
        written = os.open(asked["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(written, stream)
        status = judged(asked["where"], asked["by"])
    except BaseException:  # an import that fails, too
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    for line in sys.stdin:
        process = os.fork()
        if not process:
            child(json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
