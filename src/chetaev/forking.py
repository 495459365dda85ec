"""A process that forks while other threads are at work: the child must not wait for threads it does not have.

Before a fork the locks of this package are taken, outermost first, so that no thread is inside of what they
guard, and imports under way are waited for. In the child, locks that Python 3.11 hides in cached properties
are made anew: a thread that held one is not there to give it back.

A lock is handed over when its module is imported: ``guard(lock, depth)``, a smaller depth for a lock that is
taken before others.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from functools import cached_property
from importlib import import_module
from typing import Any

_guarded: list[tuple[int, Any]] = []


def guard(lock: Any, depth: int) -> None:
    """Take this lock before every fork; of several locks, those of smaller depth first."""
    _guarded.append((depth, lock))
    _guarded.sort(key=lambda pair: pair[0])


def _before() -> None:
    while True:
        _wait_for_imports()
        for _, lock in _guarded:
            lock.acquire()
        if not _importing():  # one may have begun while a lock was waited for
            return
        _after()


def _after() -> None:
    for _, lock in reversed(_guarded):
        lock.release()


def _importing() -> list[str]:
    """Modules that other threads are importing; in the child they would stay half-made, and locked."""
    known = [(name, getattr(module, "__spec__", None)) for name, module in list(sys.modules.items())]
    return [name for name, spec in known if getattr(spec, "_initializing", False) and name not in _stuck]


_stuck: set[str] = set()
"""Modules that this very thread is importing: there is nobody to wait for."""


def _wait_for_imports() -> None:
    _stuck.clear()
    while waiting := _importing():
        with contextlib.suppress(Exception):
            import_module(waiting[0])  # comes back when the other thread is done, or at once in its own
        if waiting[0] in _importing():
            _stuck.add(waiting[0])


def _in_child() -> None:
    _after()
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
