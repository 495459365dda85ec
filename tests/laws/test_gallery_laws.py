"""Every law that is printed for a gallery model is constant along its motion (K22, L4, B4)."""

from __future__ import annotations

import numpy as np
import pytest

import chetaev as ch
from galleries import MODELS
from portions import parts

FIRST = ["heisenberg", "dog-pursues-man", "caratheodory-sleigh", "suslov", "particle-on-cone", "pursuit"]
"""These run with the slow tests."""
SMOOTH = [name for name, system in MODELS.items() if not system.stops]
"""Laws hold between impacts."""


@pytest.mark.parametrize("name", parts([*FIRST, *(n for n in SMOOTH if n not in FIRST)], len(FIRST)))
def test_K22_laws_of_the_gallery_do_not_drift(name: str) -> None:
    system = ch.load(name)
    most = 1e-2 if name.startswith("brachistochrone") else 1e-6  # starts beside y = 0, where L is singular
    laws = {f"law{i}": str(law.expression) for i, law in enumerate(ch.integrals(system))}
    motion = ch.simulate(system, until=system.state.t + 2.0, tolerance=1e-10, laws=laws)
    for n in laws:
        values = motion[n].values
        assert np.abs(values - values[0]).max() <= most * max(1.0, np.abs(values).max()), laws[n]
