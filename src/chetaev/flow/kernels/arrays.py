"""The types of the kernels' arguments, as `small_compiler` understands them, and marks for kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar, overload

Kernel = TypeVar("Kernel", bound=Callable[..., Any])
Kind = TypeVar("Kind")


class Floats(Protocol):
    """An array of doubles: a numpy array in Python, a pointer in machine code."""

    @overload
    def __getitem__(self, index: int) -> float: ...
    @overload
    def __getitem__(self, index: slice) -> Floats: ...
    def __setitem__(self, index: int, value: float) -> None: ...


Uniforms = Floats
"""An array of doubles that is read only: where motions run in lanes, it is one for all of them."""


class Ints(Protocol):
    """An array of 64-bit integers."""

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Ints: ...
    def __setitem__(self, index: int, value: int) -> None: ...


Function = Callable[[float, Floats, Floats, Floats, Floats], int]


class Entry:
    """A name for an entry of one of a record's arrays: the next one, behind those of its bases."""

    place: int

    def __set_name__(self, record: type, name: str) -> None:
        kind = type(self)
        here = [part for part in vars(record).values() if isinstance(part, kind)]
        bases = [
            part for base in record.__mro__[1:] for part in vars(base).values() if isinstance(part, kind)
        ]
        self.place = len(bases) + here.index(self)


class Whole(Entry):
    """A name for an entry of a record's ``ints``."""

    def __get__(self, record: Any, owner: type | None = None) -> int:
        return int(record.ints[self.place])

    def __set__(self, record: Any, value: int) -> None:
        record.ints[self.place] = value


class Real(Entry):
    """A name for an entry of a record's ``reals``."""

    def __get__(self, record: Any, owner: type | None = None) -> float:
        return float(record.reals[self.place])

    def __set__(self, record: Any, value: float) -> None:
        record.reals[self.place] = value


class Alias(Generic[Kind]):
    """A name for an expression in a record, given as a function of it."""

    def __init__(self, read: Callable[[Any], Kind]) -> None:
        self.read = read

    def __get__(self, record: Any, owner: type | None = None) -> Kind:
        return self.read(record)


def place_of(record: type, name: str) -> int:
    """Where an entry of a record stands in its array."""
    part = next(vars(base)[name] for base in record.__mro__ if name in vars(base))
    assert isinstance(part, Entry)
    return part.place


def per_lane(function: Kernel) -> Kernel:
    """Mark what `flow.kernels.lanes` calls for all lanes at once, and `lane_compiler` translates."""
    return function


def open_to_schemes(function: Kernel) -> Kernel:
    """Mark what a scheme may have a function of its own for."""
    return function
