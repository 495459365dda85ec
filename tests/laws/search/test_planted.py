"""Integrals planted in random systems are found; in systems without any, nothing false is."""

from __future__ import annotations

import pytest
from tests.laws.search.planted import BARREN, KINDS, barren, planted

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.laws.rate import rate
from chetaev.laws.search.first_integrals import Differentials
from chetaev.laws.search.motion_modulo_prime import Motion
from chetaev.model.states.points import random_points
from portions import parts

EFFORT = 300_000
PLANTED = PLAIN = 200


def found(seed: int) -> bool:
    """Whether the planted function is a function of the laws that were found."""
    case = planted(seed)
    laws = ch.integrals(case.system, effort=EFFORT)
    motion = Motion(case.system)
    known = [motion.function(law.expression) for law in laws]
    planted_function = motion.function(case.integral)
    motion.meet([])
    point = motion.points(seed=11).draw()
    assert point.rate(planted_function) == 0, (case.kind, case.change, seed)
    stack = Differentials(motion, point, known)
    return not stack.grows(stack.of(planted_function))


def false_laws(seed: int) -> list[str]:
    """Laws whose rate does not vanish at points that the search has not seen, to 30 digits."""
    system = barren(seed)
    wrong = []
    for law in ch.integrals(system, effort=EFFORT):
        for point in random_points(system, 2, seed=seed + 1, digits=50):
            (value,) = evaluate_mp([rate(system, law.expression)], {**system.parameter_values, **point}, 50)
            if abs(value) > 1e-30:
                wrong.append(str(law))
    return wrong


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", [4, 15])
def test_K22_a_planted_integral_is_found(seed: int) -> None:
    assert found(seed), planted(seed)


@pytest.mark.parametrize("seed", parts([s for s in range(PLANTED) if s not in (4, 15)], slow=len(KINDS)))
def test_K22_planted_integrals_are_all_found(seed: int) -> None:
    assert found(seed), planted(seed)


@pytest.mark.parametrize("seed", parts(range(PLAIN), slow=len(BARREN)))
def test_K22_nothing_false_is_found_where_nothing_is_planted(seed: int) -> None:
    assert not false_laws(seed)
