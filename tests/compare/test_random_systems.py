"""Random systems against the oracle: redundant, singular, nonsmooth, prescribed, derived ones among them."""

from __future__ import annotations

import pytest

from chetaev.compare.compare import compare
from chetaev.compare.comparison_table import WITNESSES
from portions import parts, some
from random_families import FAMILIES, member

EACH, PARTS = 50, 10
"""Members of a family, and the parts that they are divided into: 500 in all, 25 of them slow tests."""


def check(family: object, seed: int) -> tuple[int, int]:
    """All rows agree, and the oracle has accelerations wherever a formulation has; says where they have."""
    table = compare(member(family, seed), samples=2, seed=seed)  # type: ignore[arg-type]
    assert table.agree or not table.evaluated, f"{family} {seed}\n{table}"
    rows = {row.form: row for row in table.rows}
    most = max(row.points for name, row in rows.items() if name not in WITNESSES)
    assert rows["oracle"].points == most, f"{family} {seed}\n{table}"
    return most, rows["compiled"].points if "compiled" in rows else 0


@pytest.mark.few(1)
@pytest.mark.parametrize("family", some(FAMILIES, 2), ids=lambda f: f.__name__)
def test_members_of_each_family_agree_with_the_oracle(family: object) -> None:
    check(family, 1000)


OTHER_FAMILIES = FAMILIES[1::2]
"""Those of which no member is among the fast tests."""


@pytest.mark.parametrize(
    ("part", "family"),
    parts(
        [(part, family) for part in range(PARTS) for family in (*OTHER_FAMILIES, *FAMILIES[::2])],
        len(OTHER_FAMILIES),
    ),
    ids=lambda x: getattr(x, "__name__", x),
)
def test_500_random_systems_agree_with_the_oracle(family: object, part: int) -> None:
    seeds = range(part * EACH // PARTS, (part + 1) * EACH // PARTS)
    found = [check(family, seed) for seed in seeds]
    assert sum(points for points, _ in found) > 0  # members may be singular throughout, families not
