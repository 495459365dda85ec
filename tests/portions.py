"""Long lists of cases: some with the fast tests, the rest with the slow ones."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest

TIMES = int(os.environ.get("CHETAEV_EXAMPLES", "1"))
"""How many times the usual number of examples properties are tried with; above 1, nothing else is run."""

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


def examples(usual: int) -> int:
    """How many examples a property is tried with: the usual number, and many times that with `make soak`."""
    return usual * TIMES
