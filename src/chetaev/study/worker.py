"""The process that does exact work for a study, so that it can be stopped at any moment.

One line of JSON in, one line out: ``{"stage": …, "model": …, "seconds": …}`` gives ``{"data": …}`` or
``{"error": …}``. The study kills the process when a stage is out of time and starts another.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any


def main() -> None:
    """Answer requests until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the study decides when to stop
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing else may write into the answers
    for line in sys.stdin:
        request = json.loads(line)
        answers.write(json.dumps(answer(request)) + "\n")
        answers.flush()


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The data of a stage, or the sentence that says why there are none."""
    from chetaev.errors import ChetaevError
    from chetaev.model.loader import loads
    from chetaev.study.stages import STAGES

    try:
        system = loads(request["model"], "model")
        return {"data": STAGES[request["stage"]](system, float(request["seconds"]))}
    except ChetaevError as error:
        return {"error": str(error)}
    except Exception as error:
        return {"error": f"an error in chetaev itself: {type(error).__name__}: {error}"}


if __name__ == "__main__":
    main()
