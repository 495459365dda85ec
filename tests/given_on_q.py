"""Systems that are given on Q itself: by accelerations and velocities, or by A and B."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import chetaev as ch


def mixed(
    coordinates: Sequence[str], second: Mapping[str, Any], first: Mapping[str, Any], **options: Any
) -> ch.System:
    """x'' = … for the coordinates in `second`, y' = … for those in `first`."""
    return ch.System(
        coordinates=coordinates, dynamics={"accelerations": second, "velocities": first}, **options
    )


def on_submanifold(
    coordinates: Sequence[str],
    g: Mapping[str, str],
    A: Mapping[str, str],
    B: Mapping[tuple[str, str], str],
    **options: Any,
) -> ch.System:
    """A + B a = 0 on y' = g; what is left out is 0."""
    free = [c for c in coordinates if c not in g]
    rows = [[B.get((c, d), "0") for d in free] for c in free]
    return ch.System(
        coordinates=coordinates,
        constraints=[f"{c}' = {text}" for c, text in g.items()],
        dynamics={"A": dict.fromkeys(free, "0") | dict(A), "B": rows},
        **options,
    )
