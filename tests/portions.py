"""Long lists of cases: some with the fast tests, the rest with the slow ones.

`some` and `parts` divide a list of parameters; `@pytest.mark.few(3)` divides all cases of a test.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import pytest

TIMES = float(os.environ.get("CHETAEV_EXAMPLES", "0.3"))
"""How many times the usual number of examples properties are tried with; above 1, nothing else is run.

`make slow` tries the usual number, `make soak` ten times that.
"""

SOAK = (pytest.mark.slow, pytest.mark.soak)
"""The marks of what only `make soak` runs: further cases of a test that has enough without them."""


def parts(values: Iterable[Any], slow: int) -> list[Any]:
    """The values as parameters: the first ones are slow, the others are for `make soak`."""
    return [_parameter(value, (pytest.mark.slow,) if i < slow else SOAK) for i, value in enumerate(values)]


def _parameter(value: Any, marks: tuple[Any, ...]) -> Any:
    """A parameter of a test; a tuple has a value for each of several names."""
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=marks)


def some(values: Iterable[Any], every: int, slow: int = 6) -> list[Any]:
    """The values as parameters: every so-manieth, from the first on, is fast; some of the others are slow.

    Of these so many (`slow`) at most, spread evenly over the list; the rest is for `make soak`.
    """
    values = list(values)
    later = [i for i in range(len(values)) if i % every]
    chosen = {later[n * len(later) // slow] for n in range(slow)} if len(later) > slow else {*later}
    return [
        _parameter(value, () if i % every == 0 else (pytest.mark.slow,) if i in chosen else SOAK)
        for i, value in enumerate(values)
    ]


def evenly(values: list[Any], number: int) -> list[Any]:
    """So many of the values, evenly spread; the first is among them."""
    return [values[i * len(values) // number] for i in range(min(number, len(values)))]


def divide(items: Iterable[pytest.Item]) -> None:
    """Mark as slow what `few(fast, slow)` leaves of the cases of a test, and as soak what that leaves."""
    families: defaultdict[tuple[Any, ...], list[pytest.Item]] = defaultdict(list)
    for item in items:
        mark = item.get_closest_marker("few")
        if mark and not item.get_closest_marker("slow"):
            families[item.path, getattr(item, "originalname", item.name), mark.args].append(item)
    for (*_, (fast, *slow)), cases in families.items():
        kept = evenly(cases, fast)
        others = [case for case in cases if case not in kept]
        later = evenly(others, *slow) if slow else others
        for case in others:
            for mark in [pytest.mark.slow] if case in later else SOAK:
                case.add_marker(mark)


def examples(usual: int) -> int:
    """How many examples a property is tried with, at least one."""
    return max(1, round(usual * TIMES))
