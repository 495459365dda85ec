"""A lock where no kernel keeps one: a file that names its owner, and that its owner writes again and again.

Whoever finds such a file watches it. If it changes, its owner is at work, and the newcomer is refused; if it
does not change for `BEATS` beats, its owner has been lost with its machine, and the newcomer takes it over.
No two clocks are compared. An owner that finds another's name in the file has been taken for lost, and stops;
what both have written has the same bits.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from chetaev.ensemble.store_places import GOES_ON, Directory, Remote
from chetaev.errors import ModelError

NAME = ".chetaev/owner"
BEAT = 10.0
"""Seconds between two signs of life."""
BEATS = 4
"""So many beats without one, and the owner is lost."""


def owner() -> dict[str, Any]:
    """Who asks, as others see it."""
    return {"host": platform.node(), "process": os.getpid()}


def refused(url: str, content: bytes) -> ModelError:
    """The error for a store at which another sweep works."""
    try:
        said = json.loads(content)
        who = f"process {said['process']} on {said['host']}"
    except (ValueError, KeyError, TypeError):
        who = "another process"
    return ModelError(
        f"another sweep works on {url!r}: {who}", remedy="wait for it to end, or choose another store"
    )


@contextlib.contextmanager
def leased(place: Directory | Remote) -> Iterator[Callable[[], None]]:
    """Hold the lock of a store; yields what raises a ModelError once another has taken it over."""
    token = os.urandom(8).hex()

    def sign(beat: int) -> bytes:
        return json.dumps({**owner(), "token": token, "beat": beat}).encode()

    def is_mine() -> bool:
        return f'"{token}"'.encode() in (place.read(NAME) or b"")

    while not place.create(NAME, sign(0)):
        _expect_lost(place)
        place.remove(NAME)
    if not is_mine():  # where creating a file is not one operation, the last one to write has it
        raise refused(place.url, place.read(NAME) or b"")
    ended, lost = threading.Event(), threading.Event()

    def beats() -> None:
        beat = 0
        while not ended.wait(BEAT):
            beat += 1
            with contextlib.suppress(ModelError):  # the next one may come through
                if not is_mine():
                    lost.set()
                    return
                place.write(NAME, sign(beat))

    def expect_held() -> None:
        if lost.is_set():
            raise ModelError(f"another sweep has taken {place.url!r} over", remedy=GOES_ON)

    beating = threading.Thread(target=beats, name="chetaev-lease", daemon=True)
    beating.start()
    try:
        yield expect_held
    finally:
        ended.set()
        beating.join()
        with contextlib.suppress(ModelError):
            if is_mine():
                place.remove(NAME)


def _expect_lost(place: Directory | Remote) -> None:
    """Refuse unless the owner of a lock is gone; watch it where that cannot be asked."""
    found = place.read(NAME)
    if found is None or _is_gone(found):
        return
    for _ in range(2 * BEATS):
        time.sleep(BEAT / 2)
        now = place.read(NAME)
        if now is None:
            return
        if now != found:
            raise refused(place.url, now)


def _is_gone(content: bytes) -> bool:
    """Whether a lock was left behind by a process of this machine that is no more."""
    try:
        who = json.loads(content)
        if who["host"] != platform.node() or sys.platform == "win32":
            return False
        os.kill(int(who["process"]), 0)
    except ProcessLookupError:
        return True
    except (ValueError, KeyError, TypeError, OSError, OverflowError):
        return False
    return False
