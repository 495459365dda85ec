"""Where two records of facts differ, and whether the second one says less, something else, or more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

TOLERANCE = 1e-9
TOLERANCES = {"end": 1e-8, "time": 1e-8}
"""Relative to the largest number of a row; motions are integrated with tolerance 1e-11."""
SMALL = 1e-3
"""Rows of smaller numbers are compared as if one were so large: roundoff of zeros is no difference."""
DEPENDENT = 1e-8
NO_ANSWERS = ("refused", "failed", "gave up", "crashed", "undecided", "None")
STRENGTH = ("tested", "proved")


class Difference(NamedTuple):
    """One difference: ``worse`` (an answer is lost), ``different`` or ``better`` (there was none)."""

    kind: str
    where: str
    old: Any
    new: Any

    def __str__(self) -> str:
        return f"{self.kind:9} {self.where}: {_short(self.old)} -> {_short(self.new)}"


def differences(old: Any, new: Any, where: str = "") -> Iterator[Difference]:
    """The differences between two pieces of data, in their order."""
    name = where.rpartition("/")[2]
    if isinstance(old, dict) and isinstance(new, dict):
        if "span" in old and "span" in new:
            if not _same_span(old["span"], new["span"]):
                yield Difference("different", where, old["span"], new["span"])
            return
        for key in {**old, **new}:
            place = f"{where}/{key}" if where else str(key)
            if key not in new:
                yield Difference("worse", place, old[key], None)
            elif key not in old:
                yield Difference("better", place, None, new[key])
            else:
                yield from differences(old[key], new[key], place)
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield Difference("different", where, old, new)
        elif _row(old) and _row(new):
            yield from _numbers(old, new, TOLERANCES.get(name, TOLERANCE), where)
        else:
            for i, pair in enumerate(zip(old, new, strict=True)):
                yield from differences(*pair, f"{where}/{i}")
    elif isinstance(old, float) and isinstance(new, float):
        yield from _numbers([old], [new], TOLERANCES.get(name, TOLERANCE), where)
    elif type(old) is not type(new) or old != new:
        yield Difference(_kind(old, new), where, old, new)


def _kind(old: Any, new: Any) -> str:
    if _answered(old) != _answered(new):
        return "worse" if _answered(old) else "better"
    words = [str(x).rpartition(" ")[::2] for x in (old, new)]
    if words[0][0] == words[1][0] and {words[0][1], words[1][1]} == set(STRENGTH):
        return "worse" if words[0][1] == "proved" else "better"
    return "different"


def _answered(x: Any) -> bool:
    return x is not None and not (isinstance(x, str) and x.startswith(NO_ANSWERS))


def _row(x: list[Any]) -> bool:
    return all(y is None or (isinstance(y, int | float) and not isinstance(y, bool)) for y in x)


def _numbers(old: list[Any], new: list[Any], tolerance: float, where: str) -> Iterator[Difference]:
    lost = [(a is None) - (b is None) for a, b in zip(old, new, strict=True)]
    if any(lost):
        yield Difference("worse" if min(lost) < 0 else "better", where, old, new)
        return
    a, b = (np.array([x for x in row if x is not None], dtype=float) for row in (old, new))
    if a.size and not np.abs(a - b).max() <= tolerance * max(SMALL, np.abs(a).max()):
        yield Difference("different", where, old, new)


def _same_span(old: list[list[Any]], new: list[list[Any]]) -> bool:
    """Whether the rows span the same space, at the points where all have values."""
    if not old or not new:
        return len(old) == len(new)
    if {len(row) for row in old} != {len(row) for row in new}:
        return False
    seen = [all(row[i] is not None for row in (*old, *new)) for i in range(len(old[0]))]
    if sum(seen) < len(seen) // 2:  # too few to tell
        return old == new
    a, b = (np.array(rows, dtype=float)[:, seen] for rows in (old, new))
    p, q = _orthonormal(a), _orthonormal(b)
    return len(p) == len(q) and bool(np.abs(a - a @ q.T @ q).max(initial=0.0) <= DEPENDENT)


def _orthonormal(rows: Any) -> Any:
    _, sizes, basis = np.linalg.svd(rows, full_matrices=False)
    return basis[sizes > DEPENDENT * max(1.0, sizes.max(initial=0.0))]


def _short(x: Any) -> str:
    text = str(x)
    return text if len(text) <= 160 else f"{text[:160]}…"
