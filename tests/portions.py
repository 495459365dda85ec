"""Long lists of cases: some with the fast tests, the rest with the slow ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

SOAK = (pytest.mark.slow, pytest.mark.soak)
"""The marks of what only `make soak` runs: further cases of a test that has enough without them."""


def parts(values: Iterable[Any], slow: int) -> list[Any]:
    """The values as parameters: the first ones are slow, the others are for `make soak`."""
    return [
        pytest.param(value, marks=pytest.mark.slow if i < slow else SOAK) for i, value in enumerate(values)
    ]


def some(values: Iterable[Any], every: int) -> list[Any]:
    """The values as parameters: every so-manieth, from the first on, is fast, the others are slow."""
    return [
        value if i % every == 0 else pytest.param(value, marks=pytest.mark.slow)
        for i, value in enumerate(values)
    ]
