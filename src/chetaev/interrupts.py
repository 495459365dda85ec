"""Interrupts that the command line heard: a library may turn the KeyboardInterrupt into something else.

What catches every exception and goes on asks here first whether the exception was an interrupt.
"""

from __future__ import annotations

heard: list[int] = []
"""Signals that were turned into a KeyboardInterrupt."""


def expect_none() -> None:
    """A KeyboardInterrupt if one was raised before, whatever became of it."""
    if heard:
        raise KeyboardInterrupt
