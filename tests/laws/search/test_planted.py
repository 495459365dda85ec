"""Integrals planted in random systems are found; in systems without any, nothing false is."""

from __future__ import annotations

import pytest
from tests.laws.search.planted import KINDS, planted

import chetaev as ch
from chetaev.laws.search.first_integrals import Differentials
from chetaev.laws.search.motion import Motion
from portions import parts, some

EFFORT = 300_000


def found(seed: int) -> bool:
    """Whether the planted function is a function of the laws that were found."""
    case = planted(seed)
    laws = ch.integrals(case.system, effort=EFFORT)
    motion = Motion(case.system)
    known = [motion.function(law.expression) for law in laws]
    planted_function = motion.function(case.integral)
    point = motion.points(seed=11).draw()
    assert point.rate(planted_function) == 0, (case.kind, seed)
    stack = Differentials(motion, point, known)
    return not stack.grows(stack.of(planted_function))


@pytest.mark.parametrize("seed", some(range(len(KINDS))[::-1], 2))
def test_K22_a_planted_integral_is_found(seed: int) -> None:
    assert found(seed), planted(seed)


@pytest.mark.parametrize("first", parts(range(8, 96, 8), 2))
def test_K22_planted_integrals_are_all_found(first: int) -> None:
    missed = [seed for seed in range(first, first + 8) if not found(seed)]
    assert not missed
