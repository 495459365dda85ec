"""DESIGN, "One idea": on any system all formulations give the same accelerations (K20, Theorem 9)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chetaev as ch
from chetaev.compare.compare import compare
from chetaev.equations.field import LawField
from chetaev.model.states.points import random_points
from portions import examples, parts, some
from random_systems import KINDS, random_system


def check(seed: int, kinds: tuple[str, ...] = KINDS) -> None:
    """In double precision to 1e-9; what is doubtful there is decided with 50 digits."""
    system = random_system(seed, kinds)
    found = [n for n in ch.forms(system) if n != "vakonomic"]
    assert {"chetaev", "reduced"} <= set(found)
    points = list(random_points(system, 3, seed, 20))
    q, v = (np.array([[float(p[(c, o)]) for c in system.coordinates] for p in points]) for o in (0, 1))
    t = np.array([float(p["t"]) for p in points])
    values = {n: LawField(ch.equations(system, n))(t, q, v) for n in found}
    reference = values["chetaev"]
    size = np.maximum(1, np.abs(reference).max(axis=-1, keepdims=True))
    doubtful = [n for n in found if not np.abs(values[n] - reference).max() <= 1e-9 * size.max()]
    if doubtful:
        decided = compare(system, samples=2, seed=seed)
        assert decided.agree, f"seed {seed}, {doubtful}: {decided}"


@pytest.mark.slow
@settings(max_examples=examples(3))
@given(st.integers(0, 10**6))
def test_K20_random_systems_all_formulations_agree(seed: int) -> None:
    check(seed)


@pytest.mark.parametrize("part", parts(range(50), 1))
def test_K20_500_random_systems_all_formulations_agree(part: int) -> None:
    for seed in range(part * 10, (part + 1) * 10):
        check(1000 + seed)


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", some(KINDS, 2))
def test_K20_each_kind_of_constraint_with_50_digits(kind: str) -> None:
    result = compare(random_system(1, (kind,), most=4), samples=2, seed=1)
    assert result.agree, str(result)
    assert max(r.difference for r in result.rows if r.difference is not None and r.form != "compiled") < 1e-35
