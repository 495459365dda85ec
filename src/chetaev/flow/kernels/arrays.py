"""The types of the kernels' arguments, as `chetaev.flow.kernel` understands them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, overload


class Floats(Protocol):
    """An array of doubles: a numpy array in Python, a pointer in machine code."""

    @overload
    def __getitem__(self, index: int) -> float: ...
    @overload
    def __getitem__(self, index: slice) -> Floats: ...
    def __setitem__(self, index: int, value: float) -> None: ...


class Ints(Protocol):
    """An array of 64-bit integers."""

    def __getitem__(self, index: int) -> int: ...
    def __setitem__(self, index: int, value: int) -> None: ...


Function = Callable[[float, Floats, Floats, Floats, Floats], int]
