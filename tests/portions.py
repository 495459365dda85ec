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


def examples(usual: int) -> int:
    """How many examples a property is tried with: the usual number, and many times that with `make soak`."""
    return usual * TIMES
