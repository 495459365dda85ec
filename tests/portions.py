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
    return [
        pytest.param(value, marks=pytest.mark.slow if i < slow else SOAK) for i, value in enumerate(values)
    ]


def some(values: Iterable[Any], every: int, slow: int = 1) -> list[Any]:
    """The values as parameters: every so-manieth, from the first on, is fast, the others are slow.

    Of these only every so-manieth (`slow`), where they are many; the rest is for `make soak`. A tuple has a
    value for each of several names.
    """
    found: list[Any] = []
    for i, value in enumerate(values):
        later = i - 1 - i // every  # its number among those that are not fast
        marks = () if i % every == 0 else SOAK if later % slow else (pytest.mark.slow,)
        found.append(pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=marks))
    return found


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
