"""The door of the command line: small, so that an interrupt finds somebody in before the house is built.

Until the command runs, and after it, an interrupt ends the process at once; while it runs, an interrupt is a
KeyboardInterrupt, and the command cleans up. In no case is there a traceback; the exit status is 130.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` around it imports `enum`
import atexit
import gc
import os
import sys

from chetaev.interrupts import heard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

STATUS = 130


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit."""
    atexit.register(gc.freeze)  # at the end nothing is looked through once more for garbage: it all goes
    ours = (
        signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )  # not if the shell ignores interrupts
    try:
        if ours:
            signal.signal(signal.SIGINT, _end)
        from chetaev.program import run as run_program

        if ours:
            sys.unraisablehook = _unraisable
            signal.signal(signal.SIGINT, _raise)
        status = run_program(arguments)
        if ours:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        _end()
    if heard:
        # `python -m` dies of an interrupt that passed through `exec` of a text, such as dataclasses run, even
        # if it was handled; not if another text has been run since.
        exec("")
    sys.exit(status)


def run(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit status."""
    from chetaev.program import run as run_program

    return run_program(arguments)


def _end(number: int = 0, frame: FrameType | None = None) -> None:
    """End at once: nothing has been begun, or everything is over."""
    try:
        os.write(2, b"chetaev: interrupted\n")
    finally:
        os._exit(STATUS)


def _raise(number: int, frame: FrameType | None) -> None:
    heard.append(number)
    raise KeyboardInterrupt


def _unraisable(unraisable: Any) -> None:
    """An interrupt where nothing can be raised, as in a destructor, is raised again a moment later."""
    if not isinstance(unraisable.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    import _thread
    from threading import Timer

    again = Timer(0.01, _thread.interrupt_main)
    again.daemon = True
    again.start()
