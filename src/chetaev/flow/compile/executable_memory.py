r"""Memory that first takes code and then runs it, and is never open to both.

>>> import ctypes
>>> if runs_here():  # mov eax, 7; ret
...     memory = ExecutableMemory(6)
...     memory.fill(b"\xb8\x07\x00\x00\x00\xc3")
...     assert ctypes.CFUNCTYPE(ctypes.c_int)(memory.start)() == 7
"""

from __future__ import annotations

import ctypes
import mmap
import platform
import sys
from functools import cache
from typing import Any


@cache
def runs_here() -> bool:
    """Whether code that calls functions as on x86-64 under Linux and macOS can be put into memory here.

    It is tried: a system may refuse to run what was written.
    """
    if sys.platform not in ("linux", "darwin") or platform.machine().lower() not in ("x86_64", "amd64"):
        return False
    try:
        ExecutableMemory(1).fill(b"\xc3")  # ret
    except (OSError, RuntimeError):
        return False
    return True


@cache
def _protect() -> Any:
    return ctypes.CDLL(None, use_errno=True).mprotect


class ExecutableMemory:
    """So many bytes from the address `start` on; they stay there as long as this object lives."""

    def __init__(self, size: int) -> None:
        self._memory = mmap.mmap(-1, max(size, 1), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.start = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))

    def fill(self, code: bytes | bytearray) -> None:
        """Take the code; from then on it can be run, and not be changed."""
        self._memory[: len(code)] = code
        size = ctypes.c_size_t(len(self._memory))
        if _protect()(ctypes.c_void_p(self.start), size, mmap.PROT_READ | mmap.PROT_EXEC):
            raise RuntimeError("the system does not run code that is made in memory")
