"""A straight-line program as a function of one state, before it is code for any machine.

    i64 f(double t, double *y, double *p, double *out, double *aux)        y = (q, v)

The result is a set of flags: 1 the chart is weak here, 2 an argument of sin or cos is too large. The
text that LLVM makes code of is written by `flow.compile.translate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chetaev.flow.derive.straight_line import Program


@dataclass(frozen=True)
class Store:
    """Where the entries of an output go: pointer ``out`` or ``aux``, from an offset on."""

    pointer: str
    offset: int = 0


@dataclass(frozen=True)
class OneState:
    """A program as a function of one state."""

    name: str  # of the function
    program: Program  # its arguments are t, q, v, p, and what stands behind (q, v), if it uses that
    size: int  # number of coordinates n
    stores: Sequence[Store | None]  # where each output goes; None for an output that is not stored
    libm: bool = False  # whether sin and cos call the C library
    velocities: bool = False  # whether v is copied to the first n places of ``out``, as in a field on (q, v)
    margin: int | None = None  # the output that is negative where the chart is weak

    @property
    def places(self) -> list[tuple[str, int, int]]:
        """Pointer, index and value number of everything that is stored."""
        return [
            (store.pointer, store.offset + i, value)
            for output, store in zip(self.program.outputs, self.stores, strict=True)
            if store is not None
            for i, value in enumerate(output)
        ]

    @property
    def watched(self) -> int | None:
        """The value that is negative where the chart is weak."""
        return None if self.margin is None else self.program.outputs[self.margin][0]


def entry(size: int, argument: int, index: int) -> tuple[str, int]:
    """Where an entry of an argument but t stands: pointer ``y`` or ``p``, and the index there.

    >>> entry(5, 2, 3)  # v₃ of five coordinates
    ('y', 8)
    """
    if argument == 3:
        return "p", index
    return "y", index + size * (0, 0, 1, 0, 2)[argument]
