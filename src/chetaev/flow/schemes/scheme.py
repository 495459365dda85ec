"""What the package knows of a scheme: a record, which the scheme's file holds as ``SCHEME``."""

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
    fixed
        Whether all steps have one length, ``step=…``.
    in_lanes
        Whether its kernels can run in the lanes of a vector, one motion in each (see `kernels.lanes`).
    on_constraints
        Whether its states satisfy the constraints; one that does not says in its summary what it satisfies.
    inverts_masses
        Whether it needs a regular ∂²L/∂v², and not only for a regular reduced matrix.
    equations
        What a step solves, by the law of a model: for a scheme that is a system of equations (see
        `flow.derive.step_law`) and not a step of its own.
    needs
        For such a scheme: why it does not apply to a model; "" where it does.
    steps_in
        The module with its `step`, if that is not its own.
    record
        The class of its file that names what stands in its room, if there is one.
    substeps
        The parts of a step, of length γ_i h, that a composition has.
    tangent
        Whether it needs the derivative of the field.
    blocks
        The kinds of its unknowns, see `flow.derive.step_law`.
    chooses
        Names of the schemes that it chooses between: the first to begin with, the second where that is stiff.
    coefficients
        Rows of numbers for `run.table`, filled up with zeros to the length of the longest.
    room
        How many doubles it has for itself in `run.room`, by the length of the state.

    Examples
    --------
    >>> from chetaev.flow.schemes import find
    >>> find("radau").order, find("radau").stiff, find("dop853").dense_order
    (5, True, 7)
    >>> find("discrete-gradient").to_json()["preserves"]
    ['energy']
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
    fixed: bool = False
    in_lanes: bool = field(default=False, repr=False)
    on_constraints: bool = True
    inverts_masses: bool = field(default=False, repr=False)
    equations: Callable[..., Any] | None = field(default=None, repr=False, compare=False)
    needs: Callable[..., str] = field(default=lambda model: "", repr=False, compare=False)
    steps_in: str = field(default="", repr=False)
    record: str = field(default="", repr=False)
    substeps: tuple[float, ...] = field(default=(1.0,), repr=False)
    tangent: bool = field(default=False, repr=False)
    blocks: tuple[int, ...] = field(default=(), repr=False)
    chooses: tuple[str, ...] = ()
    coefficients: tuple[tuple[float, ...], ...] = field(default=(), repr=False)
    room: Callable[[int], int] = field(default=lambda d: 0, repr=False, compare=False)

    def to_json(self) -> dict[str, Any]:
        """What a user may want to know, as plain data."""
        words = ("name", "summary", "order", "dense_order", "preserves", "reversible", "stiff", "fixed")
        return {word: list(x) if isinstance(x := getattr(self, word), tuple) else x for word in words}

    @property
    def kernels(self) -> ModuleType:
        """The file with its step."""
        return sys.modules[self.steps_in or self.module]

    @property
    def loops(self) -> str:
        """The name of its machine code: schemes whose steps are the same loop share it."""
        return (self.steps_in or self.module).rpartition(".")[2].replace("_", "-")

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
