"""What the house knows of a scheme: a record, which the scheme's file holds as ``SCHEME``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any

from chetaev.flow.kernels import by_scheme

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Scheme:
    """An integrator: what it is, and what its loops need.

    Attributes
    ----------
    name
        As in ``method=NAME``.
    module
        The name of its file's module, ``__name__``.
    summary
        What it is and what it is for, in a few words.
    order
        Of the step.
    dense_order
        Of the motion inside the step.
    estimate
        The estimated error of a step of length h is of the size of this power of h.
    stages, end_stage
        How many derivatives are kept in a step, and the number of the one at its end, which the loops
        compute; number 0 is that at its start.
    vectors
        How many vectors the dense output has; three for Hermite's cubic, which a scheme need not bring.
    preserves
        What it keeps exactly besides the constraints, which every scheme is projected onto.
    reversible
        Whether a step back undoes a step.
    stiff
        Whether it is for stiff systems.
    coefficients
        Rows of numbers for `run.table`, filled up with zeros to the length of the longest.
    room
        How many doubles it has for itself in `run.room`, by the length of the state.

    Examples
    --------
    >>> from chetaev.flow.schemes import find
    >>> find("radau").order, find("radau").stiff, find("dop853").dense_order
    (5, True, 7)
    """

    name: str
    module: str
    summary: str
    order: int
    dense_order: int
    estimate: int
    stages: int
    end_stage: int
    vectors: int = 3
    preserves: tuple[str, ...] = ()
    reversible: bool = False
    stiff: bool = False
    coefficients: tuple[tuple[float, ...], ...] = ()
    room: Callable[[int], int] = field(default=lambda d: 0, repr=False, compare=False)

    @property
    def kernels(self) -> ModuleType:
        """The file with its step."""
        return sys.modules[self.module]

    @property
    def interpolate(self) -> Callable[..., Any]:
        """The state inside a step; see `kernels.by_scheme.interpolate`."""
        made: Callable[..., Any] = getattr(self.kernels, "interpolate", by_scheme.interpolate)
        return made

    @cached_property
    def table(self) -> NDArray[np.float64]:
        """The coefficients in one array, row by row."""
        import numpy as np

        made = np.zeros((max(len(self.coefficients), 1), max([1, *map(len, self.coefficients)])))
        for row, numbers in zip(made, self.coefficients, strict=False):
            row[: len(numbers)] = numbers
        made.flags.writeable = False
        return made.ravel()
