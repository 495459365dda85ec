"""The lanes as their kernels see them: an `Integration` of which every lane has its own numbers.

``reals``, ``p`` and ``work`` have the parts that they have for a single motion, each entry a vector. Whole
numbers are the same for all lanes; what counts or decides in each lane by itself is a number here.
"""

from __future__ import annotations

from dataclasses import dataclass

from chetaev.flow.kernels.arrays import Real, Uniforms, Whole
from chetaev.flow.kernels.integration import Integration

LANE_REALS = 32


@dataclass
class Lanes(Integration):
    """What a step in lanes needs: elimination without pivoting, steps of any length, no variations."""

    table: Uniforms
    # `tangent`, which no lane needs, is the function ``h`` of `lane_programs`

    steps = Real()  # type: ignore[assignment]
    rejected = Real()  # type: ignore[assignment]
    after_reject = Real()  # type: ignore[assignment]
    code = Real()  # why the step cannot be taken; 0 if it can
    wanted = Real()  # the step before it was cut at the end
    clipped = Real()  # 1: it was
    until = Real()  # the end of the step
    due = Real()  # the next time at which the state is wanted; infinite if at none
    outcome = Real()  # 1: the step is taken, 0: refused, −1: the lane cannot go on
    kept = Whole()  # numbers that stand behind the parameters, which decide them
    entering = Real()  # 1: a new member, whose field is to be computed

    @property
    def form(self) -> int:  # type: ignore[override]
        """Elimination without pivoting."""
        return 0

    @property
    def fixed(self) -> int:  # type: ignore[override]
        """Steps have any length."""
        return 0

    @property
    def directions(self) -> int:  # type: ignore[override]
        """No variations."""
        return 0
