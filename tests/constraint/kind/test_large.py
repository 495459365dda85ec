"""Systems with half as many constraints as coordinates have the answers of small ones (SCOPE K18)."""

from __future__ import annotations

import random

import pytest

import chetaev as ch
from chetaev.constraint import Constraint
from chetaev.constraint.integrability.curvature import curvature_rank
from chetaev.constraint.submanifold.constraint_data import ConstraintData, blocks
from formulas import any_order

SIZE = 24


def system(rows: list[str], size: int = SIZE) -> ch.System:
    names = [f"x{i}" for i in range(size)]
    kinetic = " + ".join(f"{q}'^2" for q in names)
    return ch.System(coordinates=names, lagrangian=f"({kinetic})/2", constraints=rows)


def chained(size: int) -> list[str]:
    return [f"x{i}' = x{i + 1}*x0'" for i in range(1, size // 2 + 1)]


def dense(size: int) -> list[str]:
    rng, half = random.Random(7), size // 2
    right = [
        " + ".join(f"{rng.randint(1, 9)}*x{rng.randrange(size)}*x{j}'" for j in range(half, size))
        for _ in range(half)
    ]
    return [f"x{i}' = {terms}" for i, terms in enumerate(right)]


@pytest.mark.slow
def test_K18_the_flag_of_a_long_chain_is_followed_to_its_end() -> None:
    found = ch.classify(system(chained(SIZE)))
    assert found.growth_vector == tuple(range(SIZE // 2, SIZE + 1))
    assert found.holonomy == "nonholonomic"
    assert "4 conditions" in found.reason("holonomy")


@pytest.mark.slow
def test_K18_dense_constraints_are_proved_nonholonomic_by_a_point() -> None:
    found = ch.classify(system(dense(SIZE)))
    assert found.growth_vector == (SIZE // 2, SIZE)
    assert "proved" in found.reason("holonomy")
    assert "tested" not in found.reason("holonomy")


@pytest.mark.slow
def test_K18_every_block_has_its_integral() -> None:
    rows = [f"x{2 * i + 1}*x{2 * i + 1}' + x{2 * i}*x{2 * i}' = 0" for i in range(SIZE // 2)]
    found = ch.classify(system(rows))
    assert found.holonomy == "semiholonomic"
    expected = [f"x{2 * i}^2 + x{2 * i + 1}^2" for i in range(SIZE // 2)]
    assert [u.expression for u in found.integrals] == any_order(*expected, factor=True)


@pytest.mark.slow
def test_K18_constant_coefficients_are_integrated_in_any_number() -> None:
    rng = random.Random(5)
    rows = [
        " + ".join(f"({rng.randint(-9, 9)})*x{j}'" for j in range(SIZE)) + " = 0" for _ in range(SIZE // 2)
    ]
    found = ch.classify(system(rows))
    assert found.holonomy == "semiholonomic"
    assert "4 conditions" in found.reason("holonomy")
    assert len(found.integrals) == SIZE // 2


@pytest.mark.slow
def test_K18_a_rheonomic_system_is_decided() -> None:
    rows = [f"x{2 * i + 1}' = t*x{(2 * i + 2) % SIZE}*x{2 * i}' + sin(t)" for i in range(SIZE // 2)]
    found = ch.classify(system(rows))
    assert (found.holonomy, found.time) == ("nonholonomic", "rheonomic")


@pytest.mark.parametrize(
    ("rows", "rank"),
    [
        (["z' = y*x'"], 1),
        (["z*z' = x*x' + y*y'"], 0),
        (["z' = t*x'"], 1),  # rheonomic: the bracket with ∂/∂t
        (["z' = t"], 0),
        (["z'*cos(x) = sin(x)*y'", "w' = z*x' + t"], 1),
        (["sqrt(1 + x^2)*z' = y*x'"], 1),
        (["exp(y)*z' = exp(y)*x' + x*exp(2*y)*w'", "y' = w'"], 1),
    ],
)
def test_K18_the_curvature_at_a_point(rows: list[str], rank: int) -> None:
    assert curvature_rank(Constraint.of(rows, ["x", "y", "z", "w"])) == rank


def test_blocks_share_no_coordinate_and_lose_no_equation() -> None:
    given = ConstraintData.of(
        ["x' = y*z'", "u' = w'", "w' = t*p'"], ["x", "y", "z", "u", "w", "p", "free"], ["x = z^2"]
    )
    parts = blocks(given)
    assert [b.coordinates for b in parts] == [("x", "y", "z"), ("u", "w", "p")]
    kept = {f for b in parts for f in (*b.velocity, *b.position)}
    assert kept == {*given.velocity, *given.position}
    assert sum(len(b.velocity) + len(b.position) for b in parts) == len(kept)
