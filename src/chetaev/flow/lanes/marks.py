"""The mark of a kernel whose numbers are vectors, and arrays that all lanes share."""

from __future__ import annotations

from chetaev.flow.kernels.arrays import Floats, Kernel

Uniforms = Floats
"""An array of doubles, one for all lanes."""


def per_lane(function: Kernel) -> Kernel:
    """Mark a kernel that `lane_compiler` translates: every number stands for one number in each lane."""
    return function
