"""The mark of a kernel that runs in all lanes."""

from __future__ import annotations

from chetaev.flow.kernels.arrays import Kernel


def per_lane(function: Kernel) -> Kernel:
    """Mark a kernel that `lane_driver` calls for all lanes at once, and `lane_compiler` translates."""
    return function
