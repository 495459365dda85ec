"""A long run of the rolling disc: 10⁴ s at 1e-12. How far do energy and constraints drift?"""

from __future__ import annotations

import sys
from time import perf_counter

import numpy as np
from run import Row, table

STATE = ([0.0, 0.0, 0.0, 0.2, 0.25], [3.9202663113649667, 0.7946773231802449, 8.0, 0.3, 0.1])


def measure() -> list[Row]:
    """The rows of this benchmark."""
    from chetaev.flow.run.compiled_field import compile_field
    from chetaev.flow.run.integrate import integrate
    from chetaev.model.file.loader import load

    field = compile_field(load("rolling-disc"))
    start = perf_counter()
    run = integrate(field, 0.0, *STATE, 1e4, at=np.linspace(0, 1e4, 10_001), tolerance=1e-12)
    assert run.status == "done", run.reason
    print(f"{run.statistics.steps} steps in {perf_counter() - start:.2f} s", file=sys.stderr)
    energy = float(np.max(np.abs(run.energy / run.energy[0] - 1)))
    residual = float(np.max(np.abs(run.residuals)))
    return [
        Row("disc, 10⁴ s at 1e-12: drift of the energy", "the energy", energy, 1e-9),
        Row("disc, 10⁴ s at 1e-12: largest residual of a constraint", "1", residual, 1e-13),
    ]


if __name__ == "__main__":
    print(table(measure()))
