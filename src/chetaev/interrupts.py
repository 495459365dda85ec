"""Ctrl-C on the command line: no traceback, exit status 130, whatever the moment.

Before the command starts, and after it has ended, an interrupt ends the process at once. While it runs, an
interrupt is a KeyboardInterrupt, and the command cleans up. Libraries may turn that exception into another
one, so interrupts are also noted in `heard`: what catches every exception and goes on calls `expect_none`.
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False  # as in `typing`: this file is imported before all others
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

STATUS = 130
"""The exit status of what was interrupted: 128 and the number of SIGINT, as shells have it."""
AGAIN = 0.01
"""Seconds after which an interrupt that could not be raised is raised again."""

heard: list[int] = []
"""Signals that were turned into a KeyboardInterrupt."""


def expect_none() -> None:
    """A KeyboardInterrupt if one was raised before, whatever became of it."""
    if heard:
        raise KeyboardInterrupt


def are_ours() -> bool:
    """Whether Python handles interrupts: not if the shell has this process ignore them."""
    return signal.getsignal(signal.SIGINT) is signal.default_int_handler


def end_at_once() -> None:
    """From now on an interrupt ends the process."""
    signal.signal(signal.SIGINT, end)


def raise_them() -> None:
    """From now on an interrupt is a KeyboardInterrupt; one in a destructor, a moment later."""
    sys.unraisablehook = _raise_later
    signal.signal(signal.SIGINT, _raise)


def ignore() -> None:
    """From now on an interrupt does nothing: the command has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def end(number: int = 0, frame: FrameType | None = None) -> None:
    """End the process at once: nothing has been begun, or everything is over."""
    try:
        os.write(2, b"chetaev: interrupted\n")
    finally:
        os._exit(STATUS)


def _raise(number: int, frame: FrameType | None) -> None:
    heard.append(number)
    raise KeyboardInterrupt


def _raise_later(unraisable: Any) -> None:
    if not isinstance(unraisable.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    from threading import Timer

    again = Timer(AGAIN, signal.raise_signal, [signal.SIGINT])
    again.daemon = True
    again.start()
