"""Names in a data set: results and dimensions keep clear of the names of the coordinates.

A coordinate may be called ``time`` or ``energy``; the dimension, or the result, then gets an underscore, and
``attrs["names"]`` says so.

>>> renamed(("time", "x"))
{'time': 'time_'}
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from chetaev.expr.graph.evaluate import key_name

if TYPE_CHECKING:
    import xarray

RESERVED = (
    "time", "constraint", "position_constraint", "energy", "power", "multiplier", "residual",
    "position_residual",
)  # fmt: skip


def reserved(coordinates: Iterable[str]) -> tuple[str, ...]:
    """The names of results and dimensions for a system with these coordinates."""
    return (*RESERVED, *(f"reaction_{name}" for name in coordinates))


def renamed(coordinates: Iterable[str]) -> dict[str, str]:
    """What bears another name than its own beside these coordinates, and which."""
    known = tuple(coordinates)
    taken = {key_name(name, order) for name in known for order in range(3)}
    result = {}
    for key in reserved(known):
        name = key
        while name in taken:
            name += "_"
        taken.add(name)
        if name != key:
            result[key] = name
    return result


def name_of(motion: xarray.Dataset, key: str) -> str:
    """The name of a result or dimension in a data set."""
    names = motion.attrs.get("names")
    return str(json.loads(names).get(key, key)) if names else key


def length(motion: xarray.Dataset) -> int:
    """The number of times."""
    return int(motion.sizes[name_of(motion, "time")])
