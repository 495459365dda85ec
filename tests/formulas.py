"""Formulas by their values: ``found == formula("x*y' - y*x'")``, whatever form was chosen and printed.

The text of an expression is read in the model language by the few lines below and evaluated with mpmath,
so that no part of chetaev but the printing of `str` takes part. Two formulas are the same if they have the
same values, or both none, at points, and the one found has no name that the expected one lacks.

Options: ``positive="m k"`` are names that have positive values; with ``factor=True`` a constant factor, not
0, does not count, as for sets of zeros and conserved quantities; ``on=system`` compares on Q, at states of
the system, where other coordinates and velocities may stand for the expected ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from random import Random
from typing import Any

from mpmath.ctx_mp import MPContext

from chetaev import System

POINTS = 6
"""At so many points must values agree."""
TRIES = 120
"""Of so many at most; formulas that have no value at most of these are not compared."""

_mp = MPContext()
_mp.dps = 50
_PART = re.compile(
    r"\s*(?:(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?)|(?P<name>(?:∂/∂)?[^\W\d]\w*'*)|(?P<sign>[-+*/^(),]))\s*"
)
_FUNCTIONS = "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp sqrt sign"
_MEANING: dict[str, Any] = {name: getattr(_mp, name) for name in _FUNCTIONS.split()}
_MEANING |= {"log": _mp.ln, "abs": abs, "min": min, "max": max, "pi": +_mp.pi, "e": +_mp.e}


@cache
def read(text: str) -> tuple[Callable[[Mapping[str, Any]], Any], frozenset[str]]:
    """A text of the model language as a function of the values of its names, and these names.

    So are vector fields: ∂/∂x is a name, with a distance behind its coefficient.
    """
    text = text.replace(" ∂", "*∂").replace("+*∂", "+ ∂").replace("-*∂", "- ∂")
    written, names, at = "", set(), 0
    while at < len(text):
        part = _PART.match(text, at)
        assert part, f"{text!r} is not a formula at {text[at:]!r}"
        at, (number, name, sign) = part.end(), part.groups()
        if name and name not in _MEANING:
            names.add(name)
        written += f"number({number!r})" if number else f"at[{name!r}]" if name else sign.replace("^", "**")
    try:
        code = compile(written.strip(), text, "eval")
    except SyntaxError as error:
        raise AssertionError(f"{text!r} is not a formula") from error
    return lambda at: eval(code, {"number": _mp.mpf, "at": {**_MEANING, **at}}), frozenset(names)


def value(text: str, at: Mapping[str, Any]) -> Any:
    """The real value at a point; None where there is none."""
    try:
        found = read(text)[0](at)
    except (ZeroDivisionError, ValueError, TypeError):  # TypeError: min and max of what is not real
        return None
    return _mp.mpf(found) if not isinstance(found, _mp.mpc) and _mp.isfinite(found) else None


def points(names: Iterable[str], positive: str = "", on: System | None = None) -> Iterator[dict[str, Any]]:
    """Points with exact values between 1/5 and 2 in absolute value; at every other one all are positive.

    States of a system with its parameters, if one is given.
    """
    states = [] if on is None else on.random_states(POINTS, seed=1)
    for k in range(TRIES if on is None else POINTS):
        at = {}
        for name in names:
            chance = Random(f"{name} {k}")
            size = _mp.mpf(chance.randrange(200, 2000)) / 1000
            at[name] = size if k % 2 == 0 or name in positive.split() else chance.choice((-1, 1)) * size
        if on is not None:
            at |= on.parameter_values | {n.replace("_dot", "'"): x for n, x in states[k].items()}
        yield at


def same(found: str, expected: str, factor: bool | str = False, **where: Any) -> bool:
    """Whether two formulas, equations or inequalities have the same values.

    `factor` may be ``"positive"``, too; `where` are options of :func:`points`.
    """
    (f, f_sign), (e, e_sign) = map(_sides, (found, expected))
    if (f_sign, e_sign) != ("", ""):  # the same where the differences of the sides are multiples
        return f_sign == e_sign and same(f, e, "positive" if f_sign in "<≤" else True, **where)
    every = points(sorted(read(f)[1] | read(e)[1]), **where)
    both = ((value(f, at), value(e, at)) for at in every)
    pairs = list(islice((pair for pair in both if pair != (None, None)), POINTS))
    assert len(pairs) == POINTS, f"{found} and {expected} have values at too few points"
    if any(None in pair for pair in pairs):
        return False
    # States on Q are doubles.
    tolerance = _mp.mpf("1e-25") if where.get("on") is None else 1e-9
    if factor and any(abs(b) > tolerance for _, b in pairs):
        here = max(pairs, key=lambda pair: abs(pair[1]))
        ratio = here[0] / here[1]
        allowed = ratio if factor == "positive" else abs(ratio)
        return allowed > tolerance and all(abs(a - ratio * b) < tolerance * (1 + abs(a)) for a, b in pairs)
    return all(abs(a - b) <= tolerance * (1 + abs(a) + abs(b)) for a, b in pairs)


def _sides(text: str) -> tuple[str, str]:
    """The difference of the sides, smaller - larger, and the relation between them, "" if there is none."""
    parts = re.split(" (=|!=|≠|<|≤|>|≥) ", text)
    if len(parts) == 1:
        return text, ""
    left, sign, right = parts
    if sign in ">≥":
        left, right = right, left
    return f"({left}) - ({right})", {">": "<", "≥": "≤", "≠": "!="}.get(sign, sign)


def names_in(shown: object) -> frozenset[str]:
    """The names that stand in a formula as it is printed; what is defined has its name there."""
    return read(_sides(str(shown))[0])[1]


class formula:  # noqa: N801  (written like a function, as pytest.approx is)
    """Equal to whatever prints as a formula with the same values and no other names.

    What has other names and yet the same values, such as x - x and 0, is neither equal nor unequal.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, text: str, **options: Any) -> None:
        self.text, self.options, self.names = text, options, names_in(text)
        if system := options.get("on"):
            self.names |= {name + prime for name in system.coordinates for prime in ("", "'")}

    def __eq__(self, other: object) -> bool:
        return not self != other and names_in(other) <= self.names

    def __ne__(self, other: object) -> bool:
        return other is None or not same(str(other), self.text, **self.options)

    def __repr__(self) -> str:
        return f"formula({self.text!r})"


class any_order:  # noqa: N801
    """Equal to a collection of formulas that are the same up to their order."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, *members: Any, **options: Any) -> None:
        self.members = formulas(list(members), **options)

    def __eq__(self, other: object) -> bool:
        left = list(self.members)
        for one in other if isinstance(other, Iterable) else ():
            which = next((k for k, expected in enumerate(left) if one == expected), None)
            if which is None:
                return False
            del left[which]
        return isinstance(other, Iterable) and not left

    def __repr__(self) -> str:
        return f"any_order({self.members})"


class sentence:  # noqa: N801
    """Equal to a sentence that has these parts one after the other: words, then a formula, then words, …"""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, *parts: str) -> None:
        self.words, self.expected = parts[::2], [formula(part) for part in parts[1::2]]

    def __eq__(self, other: object) -> bool:
        groups = "(.+?)".join(map(re.escape, self.words)) + ("" if self.words[-1] else "$")
        told = re.search(groups, str(other))
        return told is not None and list(told.groups()) == self.expected

    def __repr__(self) -> str:
        return f"sentence({self.words}, {self.expected})"


def formulas(data: Any, **options: Any) -> Any:
    """The data with a :class:`formula` in place of every text in it."""
    if isinstance(data, str):
        return formula(data, **options)
    if isinstance(data, Mapping):
        return {name: formulas(one, **options) for name, one in data.items()}
    if isinstance(data, list | tuple):
        return type(data)(formulas(one, **options) for one in data)
    return data
