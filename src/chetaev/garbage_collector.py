"""Python's garbage collector, kept still for a moment.

Reading and compiling make many objects that all live on, and no cycles worth a search; the searches would
take a part of the time that is felt.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """No garbage collection meanwhile.

    >>> with collector_at_rest():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
