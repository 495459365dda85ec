"""The rolling disc, 100 s at 1e-9: what a run costs beside its integration in hand-written C.

The reference is the scalar program of `ensemble_reference.c` for one disc, ``gcc -O3 -march=native
-ffast-math``: DOP853 with our error estimates and step control, the reduced equations, no projection, no
pivots to watch, no dense output; it hands back the last state. Ours is

- the integration: `integrate` with a compiled field, to the states at all steps;
- the whole `ch.simulate` of a model that has run before: 1001 times, accelerations, reactions, energy,
  residuals, provenance, labelled.

Processor time, turn by turn, the smallest of many; all in one process.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from run import Row, table

from ensemble import by_hand, reference

UNTIL, TOLERANCE, REPEAT = 100.0, 1e-9, 40


def smallest(calls: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Seconds of each, the smallest of several, taken turn by turn."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(REPEAT):
        for name, call in calls.items():
            begun = process_time()
            call()
            seconds[name].append(process_time() - begun)
    return {name: min(values) for name, values in seconds.items()}


def measure() -> list[Row]:
    """The rows of this benchmark."""
    import chetaev as ch
    from chetaev.flow.run.compiled_field import compile_field
    from chetaev.flow.run.integrate import integrate

    if shutil.which("gcc") is None:
        print("flow_integration: no gcc here, so no reference to compare with; skipped", file=sys.stderr)
        return []
    disc = ch.load("rolling-disc")
    q, v = list(disc.state.position.values()), list(disc.state.velocity.values())
    start, p = np.array([[*q, *v]]), np.array(list(disc.parameter_values.values()))
    field = compile_field(disc)
    with tempfile.TemporaryDirectory() as directory:
        function = reference(directory, 1)
        _, final = by_hand(function, start, p, 1, UNTIL, TOLERANCE)
        run = integrate(field, 0.0, q, v, UNTIL, tolerance=TOLERANCE)
        error = np.max(np.abs(final[0] - np.concatenate(run.state)))
        assert error < 1e-4, f"the two motions differ by {error:.1e}"
        found = smallest(
            {
                "C": lambda: by_hand(function, start, p, 1, UNTIL, TOLERANCE),
                "integration": lambda: integrate(field, 0.0, q, v, UNTIL, tolerance=TOLERANCE),
                "simulate": lambda: ch.simulate(disc, until=UNTIL, tolerance=TOLERANCE),
            }
        )
    print({name: f"{1e3 * value:.2f} ms" for name, value in found.items()}, file=sys.stderr)
    against = "its integration in hand-written C, `-O3 -march=native -ffast-math`"
    whole = found["C"]
    return [
        Row("disc, 100 s at 1e-9: the integration", against, found["integration"] / whole, 1.5),
        Row("the same: `ch.simulate` of a known model", against, found["simulate"] / whole, 3.0),
    ]


if __name__ == "__main__":
    print(table(measure()))
