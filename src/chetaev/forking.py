"""A process that forks while other threads are at work: the child must not wait for threads it does not have.

Before a fork three things are seen to. The locks of this package are taken, outermost first, so that no
thread is inside of what they guard. Imports that other threads have under way, and their calls into CasADi,
which works without the interpreter's lock and has locks of its own that nobody can take, are let end, as
long as they get on: one that does not may wait for what another library has locked for this very fork. And
this thread then keeps the interpreter to itself for a moment, in which objects of CasADi that are just
being thrown away are gone.

In the child the locks of imports that did not end are dropped with the half-made modules, which are imported
anew; so are locks that Python 3.11 hides in cached properties: a thread that held one is not there to give it
back.

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

PATIENCE = 2.0
"""Seconds after which what does not get on in other threads is waited for no longer."""
MOMENTS = 100
"""Milliseconds, at most, in which this thread keeps the interpreter and the others come to rest."""
_guarded: list[tuple[int, Any]] = []
_switching: list[float] = []


def guard(lock: Any, depth: int) -> None:
    """Take this lock before every fork; of several locks, those of smaller depth first."""
    _guarded.append((depth, lock))
    _guarded.sort(key=lambda pair: pair[0])


def _before() -> None:
    _switching.append(sys.getswitchinterval())
    start = time.monotonic()
    seen, end, last = _progress(), start + PATIENCE, start + 10 * PATIENCE
    while True:
        for _, lock in _guarded:
            lock.acquire()
        sys.setswitchinterval(10 * PATIENCE)  # nobody comes in between this and the fork
        busy = _locked_imports() or _inside_casadi()
        if not busy or time.monotonic() > min(end, last):
            if "casadi" in sys.modules and threading.active_count() > 1:
                _come_to_rest()
            return
        _release()
        time.sleep(0.002)
        if (now := _progress()) != seen:
            seen, end = now, time.monotonic() + PATIENCE


def _release() -> None:
    sys.setswitchinterval(_switching[-1])
    for _, lock in reversed(_guarded):
        lock.release()


def _after() -> None:
    _release()
    _switching.pop()


def _inside_casadi() -> list[tuple[int, int]]:
    """Threads that have called CasADi and wait for its answer, and where they have."""
    others = [(who, frame) for who, frame in sys._current_frames().items() if who != threading.get_ident()]
    return [
        (who, frame.f_lasti) for who, frame in others if frame.f_globals.get("__name__") == "casadi.casadi"
    ]


def _module_locks() -> dict[str, Any]:
    """The interpreter's locks, one for each module somebody is importing: weak references by name."""
    return getattr(sys.modules.get("_frozen_importlib"), "_module_locks", {})


def _come_to_rest() -> None:
    """Keep the interpreter until every other thread waits for it (on Linux; elsewhere a fixed time)."""
    from ctypes import PyDLL, create_string_buffer

    system = PyDLL(None)  # its calls, unlike those of `os`, do not let other threads run
    text = create_string_buffer(512)
    tasks = [f"/proc/self/task/{thread.native_id}/stat".encode() for thread in threading.enumerate()]
    tasks = [task for task in tasks if str(threading.get_native_id()).encode() not in task.split(b"/")]
    for _ in range(MOMENTS):
        system.usleep(1000)
        states = []
        for task in tasks:
            if (file := system.open(task, os.O_RDONLY)) >= 0:
                system.read(file, text, 511)
                system.close(file)
                states.append(text.value.rpartition(b")")[2].split()[0])
        if states and not {b"R", b"D"} & set(states):
            return


def _locked_imports() -> list[str]:
    """Modules that another thread is importing."""
    locks = [(name, reference()) for name, reference in list(_module_locks().items())]
    ours = (None, threading.get_ident())
    return [name for name, lock in locks if getattr(lock, "owner", None) not in ours]


def _progress() -> tuple[int, list[str], list[tuple[int, int]]]:
    """What changes while other threads get on."""
    return len(sys.modules), _locked_imports(), _inside_casadi()


def _drop_half_made_modules() -> None:
    """Modules that a thread of the parent was importing are imported anew, by whoever needs them."""
    locks = _module_locks()
    for name in _locked_imports():
        locks.pop(name, None)
        if getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False):
            del sys.modules[name]


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
