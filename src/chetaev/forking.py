"""A process that forks while other threads are at work: the child must not wait for threads it does not have.

Before a fork the locks of this package are taken, outermost first, so that no thread is inside of what they
guard, and imports under way are given a moment to end. In the child, modules that are still half-made are
dropped, to be imported anew, and so are locks that Python 3.11 hides in cached properties: a thread that held
one is not there to give it back.

A lock is handed over when its module is imported: ``guard(lock, depth)``, a smaller depth for a lock that is
taken before others.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from functools import cached_property
from typing import Any

PATIENCE = 0.5
"""Seconds that imports of other threads are waited for."""
_guarded: list[tuple[int, Any]] = []


def guard(lock: Any, depth: int) -> None:
    """Take this lock before every fork; of several locks, those of smaller depth first."""
    _guarded.append((depth, lock))
    _guarded.sort(key=lambda pair: pair[0])


def _before() -> None:
    end = time.monotonic() + PATIENCE
    while _importing() and time.monotonic() < end:  # they may wait for what another library took for the fork
        time.sleep(0.002)
    for _, lock in _guarded:
        lock.acquire()


def _after() -> None:
    for _, lock in reversed(_guarded):
        lock.release()


def _importing() -> list[str]:
    """Modules that are being imported."""
    known = [(name, getattr(module, "__spec__", None)) for name, module in list(sys.modules.items())]
    return [name for name, spec in known if getattr(spec, "_initializing", False)]


def _drop_half_made_modules() -> None:
    """Modules that a thread of the parent was importing are imported anew, by whoever needs them."""
    locks = getattr(sys.modules.get("_frozen_importlib"), "_module_locks", {})
    for name in _importing():
        lock = locks[name]() if name in locks else None
        if getattr(lock, "owner", None) not in (None, threading.get_ident()):
            del sys.modules[name]
            locks.pop(name, None)


def _in_child() -> None:
    _after()
    _drop_half_made_modules()
    for name, module in list(sys.modules.items()):
        if name.startswith("chetaev") and module is not None:
            for kind in [v for v in list(vars(module).values()) if isinstance(v, type)]:
                _renew(kind)


def _renew(kind: type) -> None:
    for value in list(vars(kind).values()):
        if isinstance(value, cached_property) and hasattr(value, "lock"):
            value.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_in_child)
