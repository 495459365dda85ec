"""What the tests of the number path share: a cache of their own, and systems ready to run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import chetaev as ch
from chetaev.flow.run.compiled_field import CompiledField, compile_field


@pytest.fixture(scope="session", autouse=True)
def flow_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A cache directory that no user's runs have touched."""
    before = os.environ.get("CHETAEV_CACHE")
    os.environ["CHETAEV_CACHE"] = directory = str(tmp_path_factory.mktemp("flow-cache"))
    yield directory
    if before is None:
        del os.environ["CHETAEV_CACHE"]
    else:
        os.environ["CHETAEV_CACHE"] = before


Started = tuple[CompiledField, float, np.ndarray, np.ndarray]


@pytest.fixture(scope="session")
def start(flow_cache: str) -> Callable[[str], Started]:
    """The field and the initial state of a gallery model: ``field, t, q, v = start("rolling-disc")``."""
    known: dict[str, Started] = {}

    def of(name: str) -> Started:
        if name not in known:
            system = ch.load(name)
            s = system.state
            q, v = (np.array([part[c] for c in system.coordinates]) for part in (s.position, s.velocity))
            known[name] = (compile_field(system), float(s.t), q, v)
        return known[name]

    return of


@pytest.fixture(scope="session")
def make(flow_cache: str) -> Callable[..., CompiledField]:
    """A field from the parts of a system: ``make("x y", "x'^2/2 + y'^2/2", constraints=[…])``."""

    def field(coordinates: str, lagrangian: str, **rest: Any) -> CompiledField:
        return compile_field(ch.System(coordinates=coordinates.split(), lagrangian=lagrangian, **rest))

    return field
