"""The process that does the work of stages, so that it can be stopped at any moment.

One line of JSON in, ``{"stage": …, "model": …, "effort": …}``; lines of JSON out: ``{"begin": true}`` when
the clock starts, ``{"data": …, "values": …}`` as often as the stage has something, then
``{"end": …, "status": …}``, where the end is empty or the sentence that says why the stage did not come out.
The study kills the process when a stage is out of time and starts another; if the study itself is gone, the
process ends by itself.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chetaev.model.system import System

EXACT = ("numeric", "expr", "model", "geometry", "constraint", "equations", "compare", "laws")
ROOMS = {
    "motion": ("numeric", "expr", "model", "flow"),
    "agreement": (*EXACT, "flow"),
    "hamilton": (*EXACT, "hamilton"),
    "steady": (*EXACT, "flow", "analysis.linear", "analysis.steady"),
    "claims": (*EXACT, "flow", "study.claims"),
}
LIBRARIES = {"motion": ("base64", "casadi", "h5netcdf", "xarray", "chetaev.hamilton.dirac.dirac_run")}
"""What the stages work with; the exact ones with `EXACT` and `OTHERS`."""
OTHERS = ("numpy.ma", "numpy.random")


def main() -> None:
    """Answer requests until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the study decides when to stop
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing else may write into the answers
    for line in sys.stdin:
        for answer in answered(json.loads(line)):
            answers.write(json.dumps(answer, allow_nan=False) + "\n")
            answers.flush()


def _end_with(parent: int) -> None:
    """End when the study is gone: no one would read the answers."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def answered(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What a stage has, as it comes, and how it ended."""
    from chetaev.errors import ChetaevError, ModelError
    from chetaev.results import finite
    from chetaev.study.packed_objects import packed
    from chetaev.study.stages import STAGES

    try:
        system = _system(request["model"])
        prepare(request["stage"])
        yield {"begin": True}  # a stage's seconds are its own: reading and imports are no part of them
        for data in STAGES[request["stage"]](system, request["effort"]):
            plain = {key: value for key, value in data.items() if key != "values"}
            yield {"data": finite(plain), "values": packed(data.get("values"))}
    except ModelError as error:  # there is nothing to be found for this model, and it is said why
        yield {"end": str(error), "status": "left out"}
    except ChetaevError as error:
        yield {"end": str(error), "status": "undecided"}
    except MemoryError:
        yield {"end": "Out of memory; the model is too large for this machine", "status": "failed"}
    except Exception as error:
        yield {"end": f"An error in chetaev itself: {type(error).__name__}: {error}", "status": "failed"}
    else:
        yield {"end": "", "status": "done"}


def prepare(stage: str) -> None:
    """Import all that a stage may need, before its clock starts."""
    for name in LIBRARIES.get(stage, OTHERS):
        import_module(name)
    for room in ROOMS.get(stage, EXACT):
        package = import_module(f"chetaev.{room}")
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)


@lru_cache(maxsize=1)
def _system(model: str) -> System:
    from chetaev.model.file.loader import loads

    return loads(model, "model")


if __name__ == "__main__":
    main()
