"""Every law that is printed for a gallery model is constant along its motion (K22, L4, B4)."""

from __future__ import annotations

import numpy as np
import pytest
from tests.portions import parts

import chetaev as ch
from chetaev.model.gallery import names

FIRST = ["heisenberg", "dog-pursues-man", "caratheodory-sleigh", "suslov", "particle-on-cone", "pursuit"]
"""These run with the slow tests."""


@pytest.mark.parametrize("name", parts([*FIRST, *(n for n in names() if n not in FIRST)], len(FIRST)))
def test_K22_laws_of_the_gallery_do_not_drift(name: str) -> None:
    system = ch.load(name)
    if system.stops:
        pytest.skip("its laws hold between impacts")
    most = 1e-2 if name.startswith("brachistochrone") else 1e-6  # starts beside y = 0, where L is singular
    laws = {f"law{i}": str(law.expression) for i, law in enumerate(ch.integrals(system))}
    motion = ch.simulate(system, until=system.state.t + 2.0, tolerance=1e-10, laws=laws)
    for n in laws:
        values = motion[n].values
        assert np.abs(values - values[0]).max() <= most * max(1.0, np.abs(values).max()), laws[n]
