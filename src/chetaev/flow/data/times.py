"""The times of a result: what `at` means, in Python and on the command line.

    at=[0, 0.5, 2]     "0,0.5,2"      these times, in the order of the run
    at="0:10:0.1"                     start:stop:step, computed exactly; with the stop if a step meets it
    at="0,1,2:4:0.5"                  both, one after the other
    at=101             "101 times"    so many times, evenly spaced from the start to the end of the run

Where the times are given and `until` is not, the run ends at the last of them.

>>> [float(t) for t in read("0:1:0.25")], read("3 times")
([0.0, 0.25, 0.5, 0.75, 1.0], 3)
>>> float(read("0:10:0.1")[3])  # 3/10 to the last digit, not 0.1 + 0.1 + 0.1
0.3
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from math import lcm
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chetaev.checked_arguments import count, shown
from chetaev.errors import ModelError

POINTS = 1001
"""Times of the result if none are asked for."""
MOST = 10_000_000
"""More times than this are not kept in memory."""
EXPECTED = "times such as 0,0.5,1, a range start:stop:step such as 0:10:0.1, or a number such as '101 times'"
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?(?:/\d{1,30})?", re.ASCII)

Times = NDArray[np.float64]


def wanted(at: Any, option: str = "at") -> Times | int | None:
    """Times, how many there are to be, or None if nothing is said; a ModelError if it is none of these."""
    if at is None:
        return None
    if isinstance(at, str):
        return read(at, option)
    if isinstance(at, (int, np.integer)) and not isinstance(at, bool):
        return count(at, "the number of times", 1, MOST)
    wrong = ModelError(
        f"the times are {shown(at)}",
        expected="a list of numbers, a range as '0:10:0.1', or their number",
    )
    if isinstance(at, (bool, bytes, Mapping, set, float)):
        raise wrong
    try:
        times = np.asarray(at)
        numbers = times.dtype.kind == "O" and all(isinstance(t, (Real, Decimal)) for t in times.ravel())
        if times.dtype.kind not in "iufb" and not numbers:
            raise wrong
        return np.atleast_1d(times.astype(float))
    except (TypeError, ValueError, OverflowError):
        raise wrong from None


def last(times: Times | int | None) -> float | None:
    """Where a run ends whose times are given and not its end; None if they do not say."""
    if times is None or isinstance(times, int) or times.ndim != 1 or not times.size:
        return None
    return float(times[-1])


def spread(times: Times | int | None, start: float, end: float) -> Any:
    """The times themselves, spread evenly over the run where only their number is given."""
    many = POINTS if times is None else times
    if not isinstance(many, int):
        return many
    return np.linspace(start, end, many) if many > 1 else np.array([end])


def read(text: str, option: str = "at") -> Times | int:
    """Times from text: numbers and ranges with commas between them, or ``N times``."""
    many = re.fullmatch(r"\s*(\d{1,12})\s*times\s*", text, re.ASCII)
    if many:
        return count(int(many[1]), "the number of times", 1, MOST)
    found: list[float] = []
    for part in text.split(","):
        found += _range(part, text, option) if ":" in part else [float(_number(part, text, option))]
    return np.array(found)


def exact_number(part: str) -> Fraction:
    """A number or a quotient of whole numbers; a ValueError says what is wrong with another text.

    >>> exact_number(" 1/3 ")
    Fraction(1, 3)
    """
    part = part.strip()
    if not _NUMBER.fullmatch(part):
        raise ValueError(f"{shown(part)} is not a number" if part else "a number is missing")
    above, _, below = part.partition("/")
    try:
        value = Fraction(above) / int(below or "1")
        float(value)
    except ZeroDivisionError:
        raise ValueError(f"{part!r} divides by zero") from None
    except OverflowError:
        raise ValueError(f"{part!r} is beyond double precision") from None
    return value


def _number(part: str, text: str, option: str) -> Fraction:
    try:
        return exact_number(part)
    except ValueError as error:
        raise ModelError(f"{option} {text!r}: {error}", expected=EXPECTED) from None


def _range(part: str, text: str, option: str) -> list[float]:
    """start, start + step, … up to stop, each rounded once."""
    pieces = part.split(":")
    if len(pieces) != 3:
        raise ModelError(
            f"{option} {text!r}: {part.strip()!r} has {len(pieces)} numbers",
            expected="three: start:stop:step",
            remedy="for so many evenly spaced times write '101 times'",
        )
    start, stop, step = (_number(piece, text, option) for piece in pieces)
    if step == 0 or (stop - start) / step < 0:
        raise ModelError(
            f"{option} {text!r}: steps of {pieces[2].strip()} do not lead from {pieces[0].strip()} "
            f"to {pieces[1].strip()}",
            expected="a step in the direction of the range, not zero",
            remedy="for a run backwards give a negative step",
        )
    many = int((stop - start) / step) + 1
    if many > MOST:
        raise ModelError(f"{option} {text!r}: these are {many} times", expected=f"at most {MOST}")
    scale = lcm(start.denominator, step.denominator)
    first, stride = int(start * scale), int(step * scale)
    return [(first + k * stride) / scale for k in range(many)]  # of integers, so it is rounded once


def with_end(at: ArrayLike | int | str | None, until: Any) -> tuple[Times | int | None, Any]:
    """The times that are asked for, and the end of the run: the last of them where `until` is left out."""
    times = wanted(at)
    return times, last(times) if until is None else until
