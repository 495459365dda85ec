"""Effort that no machine changes: calls of functions are counted, not seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Count:
    """Calls of Python's and of C's functions until now."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        if event in ("call", "c_call"):
            self.calls += 1


@contextmanager
def counted() -> Iterator[Count]:
    """Counts the calls that are made inside, in this thread."""
    count, before = Count(), sys.getprofile()
    sys.setprofile(count)
    try:
        yield count
    finally:
        sys.setprofile(before)


def calls(action: Callable[[], object]) -> int:
    """How many calls an action makes."""
    with counted() as count:
        action()
    return count.calls
