"""What closed motions and return maps start from: the initial state, and periods that are given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.linear.residual import states_of_q
from chetaev.checked_arguments import number
from chetaev.errors import ModelError
from chetaev.flow.run.tangent_flow import TangentFlow
from chetaev.model.system import System

Array = NDArray[np.float64]


def state_of(system: System) -> tuple[float, Array]:
    """The initial time and (q, v)."""
    state = system.state
    parts = [[float(values[c]) for c in system.coordinates] for values in (state.position, state.velocity)]
    return float(state.t), np.array(parts[0] + parts[1])


def positive_period(period: Any) -> float:
    """A period that was given, if it can be one."""
    found = number(period, "the period", expected="a positive number")
    if not 1e-100 < found < 1e100:
        raise ModelError(f"the period is {found:g}", expected="a positive number")
    return found


def expect_period(system: System, flow: TangentFlow, period: float) -> None:
    """A ModelError if law and constraints do not repeat after this time."""
    for _, q, v in states_of_q(system, 8, seed=5):
        y = np.concatenate([q, v])
        for t in (0.0, 0.31, 0.77):
            first, second = t * period, (t + 1) * period
            pairs = [(flow.rate(x, y), *flow.normals.held(x, y)) for x in (first, second)]
            for a, b in zip(*pairs, strict=True):
                if not (np.isfinite(a).all() and np.isfinite(b).all()):
                    continue
                if np.abs(a - b).max(initial=0.0) > 1e-6 * (1 + np.abs(a).max(initial=0.0)):
                    raise ModelError(
                        f"law or constraints depend on {system.time} and do not repeat after {period:g}: "
                        f"not from {system.time} = {first:g} to {second:g}",
                        expected="a period of them, or a whole multiple of it",
                        remedy="for a forcing cos(w*t) that is 2*pi/w",
                    )


def is_period(flow: TangentFlow, period: float) -> bool:
    """Whether law and constraints repeat after this time."""
    try:
        expect_period(flow.system, flow, period)
    except ModelError:
        return False
    return True
