"""IPOPT with an ear for Ctrl-C: it asks after every iteration whether it should stop.

CasADi works without the interpreter, which therefore sees no interrupt until a solver has ended. While one
runs, an interrupt sets a flag; after each iteration the interpreter is called, sees the flag, and the
solver stops.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import casadi


class Watch(casadi.Callback):  # type: ignore[misc]  # casadi ships no type information
    """What IPOPT calls after each iteration; 1 tells it to stop."""

    def __init__(self, unknowns: int, conditions: int) -> None:
        casadi.Callback.__init__(self)
        self.sizes = {"x": unknowns, "lam_x": unknowns, "g": conditions, "lam_g": conditions, "f": 1}
        self.stopped = False
        self.construct("watch", {})

    def get_n_in(self) -> int:
        """As many as a solver has results."""
        return int(casadi.nlpsol_n_out())

    def get_n_out(self) -> int:
        """Whether to stop."""
        return 1

    def get_name_in(self, i: int) -> str:
        """Their names."""
        return str(casadi.nlpsol_out(i))

    def get_name_out(self, i: int) -> str:
        """The name of the answer."""
        return "ret"

    def get_sparsity_in(self, i: int) -> Any:
        """Their shapes."""
        size = self.sizes.get(casadi.nlpsol_out(i), 0)
        return casadi.Sparsity.dense(size, 1) if size else casadi.Sparsity(0, 0)

    def eval(self, arguments: Any) -> list[int]:
        """1 after an interrupt."""
        return [int(self.stopped)]

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Turn interrupts into a flag, and raise KeyboardInterrupt at the end if there was one."""
        ours = threading.current_thread() is threading.main_thread()
        if not ours or signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None):
            yield
            return

        def stop(number: int, frame: Any) -> None:
            self.stopped = True

        before = signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
        if self.stopped:
            raise KeyboardInterrupt
