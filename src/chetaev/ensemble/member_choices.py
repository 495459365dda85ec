"""Which motions an ensemble has: grids, lists and random draws over parameters and initial data.

    over={"theta": "0.1:0.5:50", "m": [1, 2]}           all pairs: a grid, the last name varies fastest
    samples=1000, over={"theta": "uniform(0.1, 0.5)"}   random draws, also "normal(mean, deviation)"
    samples={"x": [...], "y": [...]}                     one member for each place of the lists

Grids and samples together are all pairs of both. A member has a number, and what it is follows from that
number alone. Random numbers belong to a member and a name, whoever needs them and when: NumPy's Philox is a
bijection of 256 bits, here of (number of the member, draw), under a key, here (seed, name); so member 17 is
the same in every chunk and on every core (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
1, 2, 3", 2011).

>>> import chetaev as ch
>>> some = members_of(ch.load("rolling-disc"), {"theta": "0:1:3", "psi_dot": [2, 3]}, None, 0)
>>> some.count, {name: values.tolist() for name, values in some.rows(2, 4).items()}
(6, {'theta': [0.5, 0.5], 'psi_dot': [2.0, 3.0]})
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chetaev.checked_arguments import count, shown, table
from chetaev.errors import ModelError, did_you_mean
from chetaev.expr.graph.evaluate import key_name
from chetaev.expr.language.scope import normal_name
from chetaev.flow.data.times import exact_number
from chetaev.flow.derive.digest import digest

if TYPE_CHECKING:
    from chetaev.model.system import System

Array = NDArray[np.float64]
BLOCK = 4
"""So many numbers come from one state of the generator."""
WORD = 2**64


def stream_of(name: str) -> int:
    """The number of the stream that a name has."""
    return int.from_bytes(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:8], "little")


def uniform(start: int, stop: int, name: str, seed: int, draw: int = 0) -> Array:
    """Numbers strictly between 0 and 1 for members `start` to `stop`, multiples of 2⁻⁵³ and a half.

    >>> float(uniform(3, 4, "theta", 1)[0]) == float(uniform(0, 10, "theta", 1)[3])
    True
    """
    block, before = divmod(start, BLOCK)
    bits = np.random.Philox(counter=block + draw * WORD, key=seed % WORD + stream_of(name) * WORD)
    return np.random.Generator(bits).random(before + stop - start)[before:] + 2.0**-54


def normal(start: int, stop: int, name: str, seed: int, draw: int = 0) -> Array:
    """Numbers with mean 0 and variance 1: the normal distribution's quantiles of `uniform`.

    >>> float(normal(0, 10_000, "x", 1).std().round(1))
    1.0
    """
    return np.array([*map(NormalDist().inv_cdf, uniform(start, stop, name, seed, draw).tolist())])


MOST = 10**12
"""Members of an ensemble; a year of work for a thousand processors."""
MOST_ON_AN_AXIS = 1_000_000
"""Values of a grid that is written start:stop:count."""
MOST_LISTED = 100_000_000
"""Values of an array, which stays in memory."""
EXPECTED = (
    "numbers, a grid start:stop:count such as 0.1:0.5:50, or with samples=… a distribution, "
    "uniform(low, high) or normal(mean, deviation)"
)
_DISTRIBUTION = re.compile(r"\s*(uniform|normal)\s*\(([^(),]*),([^(),]*)\)\s*", re.ASCII)


@dataclass(frozen=True)
class Draw:
    """What a value is drawn from: uniform between two numbers, or normal with mean and deviation."""

    kind: str
    first: float
    second: float

    def draw(self, start: int, stop: int, name: str, seed: int) -> Array:
        """The values of members `start` to `stop`."""
        if self.kind == "normal":
            return self.first + self.second * normal(start, stop, name, seed)
        return self.first + (self.second - self.first) * uniform(start, stop, name, seed)


@dataclass(frozen=True)
class Members:
    """The members of an ensemble, in order."""

    grid: Mapping[str, Array]  # values of each axis, by name; the last varies fastest but for the samples
    listed: Mapping[str, Array]  # lists of equal length, by name; one member for each place
    drawn: Mapping[str, Draw]  # distributions, by name
    samples: int  # how many members each point of the grid has
    seed: int  # of the draws

    @property
    def names(self) -> tuple[str, ...]:
        """What varies: parameters, ``x``, ``x_dot``, and time by its own name."""
        return (*self.grid, *self.listed, *self.drawn)

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes; the samples come last."""
        sizes = tuple(len(values) for values in self.grid.values())
        return sizes if not (self.listed or self.drawn or self.samples > 1) else (*sizes, self.samples)

    @property
    def count(self) -> int:
        """How many there are."""
        return math.prod(self.shape)

    def rows(self, start: int, stop: int) -> dict[str, Array]:
        """The values of members `start` to `stop`, by name."""
        numbers = np.arange(start, stop, dtype=np.int64)
        places = np.unravel_index(numbers, self.shape) if self.shape else (numbers,)
        found = {
            name: values[place] for (name, values), place in zip(self.grid.items(), places, strict=False)
        }
        found |= {name: values[places[-1]] for name, values in self.listed.items()}
        found |= {name: one.draw(start, stop, name, self.seed) for name, one in self.drawn.items()}
        return found

    def facts(self) -> dict[str, Any]:
        """What tells these members from others, as plain data: arrays by a hash of their bits."""
        return {  # lists, as the order of names is the order of members
            "grid": [[name, len(v), _bits(v)] for name, v in self.grid.items()],
            "listed": [[name, len(v), _bits(v)] for name, v in self.listed.items()],
            "drawn": [[name, d.kind, d.first, d.second] for name, d in self.drawn.items()],
            "samples": self.samples,
            "seed": self.seed,
        }


def _bits(values: Array) -> str:
    return digest(np.ascontiguousarray(values, "<f8").tobytes())


def members_of(system: System, over: Any, samples: Any, seed: Any) -> Members:
    """The members that `over` and `samples` describe; a ModelError where they do not."""
    seed = count(seed, "the seed", 0, 2**64 - 1)
    axes = table(over, "over", 'values by name, such as {"theta": "0.1:0.5:50"}')
    listed: dict[str, Array] = {}
    many = 1
    if hasattr(samples, "keys") and not isinstance(samples, type):  # a table, one of pandas' too
        for key, values in ((key, samples[key]) for key in samples.keys()):  # noqa: SIM118
            listed[_name(system, key, listed)] = _numbers(values, key)
        lengths = {name: len(values) for name, values in listed.items()}
        if len(set(lengths.values())) > 1:
            raise ModelError(
                "the lists of samples differ in length: "
                + ", ".join(f"{name} has {size}" for name, size in lengths.items()),
                expected="one value of each for every member",
            )
        many = next(iter(lengths.values()), 1)
    elif samples is not None:
        many = count(samples, "the number of samples", 1, MOST)
    grid: dict[str, Array] = {}
    drawn: dict[str, Draw] = {}
    for key, value in axes.items():
        name = _name(system, key, {**listed, **grid, **drawn})
        found = _distribution(value, key) if isinstance(value, str) else None
        if found is None:
            grid[name] = _grid(value, key) if isinstance(value, str) else _numbers(value, key)
        else:
            drawn[name] = found
    if drawn and (samples is None or listed):
        raise ModelError(
            f"{next(iter(drawn))} is drawn at random, and how many draws there are to be is not said",
            remedy="give samples=N, on the command line --samples N",
        )
    made = Members(grid, listed, drawn, many, seed)
    if not 1 <= made.count <= MOST:
        raise ModelError(f"the ensemble has {made.count} members", expected=f"from 1 to {MOST}")
    return made


def _name(system: System, key: Any, taken: Mapping[str, Any]) -> str:
    """The name of a parameter, coordinate, velocity or of time, as it stands in data sets."""
    known = [*system.parameters, *(key_name(c, o) for o in (0, 1) for c in system.coordinates), system.time]
    name = normal_name(key.strip()) if isinstance(key, str) else ""
    if name not in system.parameters:
        bare = name.rstrip("'")
        if name == bare + "'" and bare in system.coordinates:
            name = key_name(bare, 1)
        elif name == "t" and name not in known:
            name = system.time
    if name not in known:
        raise ModelError(
            f"the ensemble varies {shown(key)}, which the model does not have",
            expected="one of " + ", ".join(known if len(known) <= 30 else [*known[:29], "…", system.time]),
            remedy=did_you_mean(name, known),
        )
    if name in taken:
        raise ModelError(f"the ensemble varies {name!r} twice", remedy="leave out one of them")
    return name


def _numbers(values: Any, name: Any) -> Array:
    wrong = ModelError(f"the values of {shown(name)} are {shown(values)}", expected=EXPECTED)
    if isinstance(values, (bool, bytes, Mapping, set, type)) or callable(values):
        raise wrong
    try:
        found = np.asarray(values)
        if found.dtype.kind == "O":
            if any(not isinstance(x, (Real, Decimal)) or isinstance(x, bool) for x in found.ravel()):
                raise wrong
        elif found.dtype.kind not in "iuf":
            raise wrong
        found = np.atleast_1d(found.astype(float))
    except (TypeError, ValueError, OverflowError):
        raise wrong from None
    if found.ndim != 1:
        raise wrong
    if found.size > MOST_LISTED:
        raise ModelError(f"{shown(name)} has {found.size} values", expected=f"at most {MOST_LISTED}")
    if not found.size:
        raise ModelError(f"there are no values of {shown(name)}", expected=EXPECTED)
    if not np.all(np.isfinite(found)):
        first = int(np.flatnonzero(~np.isfinite(found))[0])
        raise ModelError(
            f"value {first + 1} of {shown(name)} is {float(found[first])}", expected="finite numbers"
        )
    return found


def _distribution(text: str, name: Any) -> Draw | None:
    found = _DISTRIBUTION.fullmatch(text)
    if found is None:
        return None
    first, second = (float(_number(part, text, name)) for part in found.groups()[1:])
    if found[1] == "normal" and second < 0:
        raise ModelError(f"{shown(name)}: {text!r} has a negative deviation", expected=EXPECTED)
    if found[1] == "uniform" and second < first:
        raise ModelError(f"{shown(name)}: {text!r} has the larger end first", expected=EXPECTED)
    if not math.isfinite(second - first):
        raise ModelError(f"{shown(name)}: {text!r} is too wide for doubles", expected=EXPECTED)
    return Draw(found[1], first, second)


def _grid(text: str, name: Any) -> Array:
    """start:stop:count, each point rounded once; or numbers with commas between them."""
    if ":" not in text:
        return np.array([float(_number(part, text, name)) for part in text.split(",")])
    pieces = text.split(":")
    whole = pieces[-1].strip()
    if len(pieces) != 3 or not re.fullmatch(r"\d{1,30}", whole, re.ASCII):
        raise ModelError(f"{shown(name)}: {shown(text)} is no grid", expected=EXPECTED)
    many = count(int(whole), f"the number of values of {shown(name)}", 1, MOST_ON_AN_AXIS)
    start, stop = (_number(piece, text, name) for piece in pieces[:2])
    if many == 1:
        return np.array([float(start)])
    scale = math.lcm(start.denominator, stop.denominator)
    first, last, gaps = int(start * scale), int(stop * scale), many - 1
    below = scale * gaps
    return np.array([(first * gaps + k * (last - first)) / below for k in range(many)])


def _number(part: str, text: str, name: Any) -> Fraction:
    try:
        return exact_number(part)
    except ValueError as error:
        raise ModelError(f"{shown(name)}: {shown(text)}: {error}", expected=EXPECTED) from None
