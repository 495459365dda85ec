"""The comparison: what is compared, where, and what it says."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.compare.compare import compare
from portions import some

SMALL = [
    "rolling-disc",
    "leibniz-particle",
    "appell-hamel",
    "knife-edge",
    "pendulum-moving-support",
    "suslov",
    "relativistic-particle-homogeneous",
    "double-pendulum",
    "decelerated-particle",
    "implicit-constraint",
]


@pytest.mark.few(2, 2)
@pytest.mark.parametrize("name", some(SMALL, 2))
def test_K20_gallery_formulations_agree(name: str) -> None:
    result = compare(ch.load(name), samples=4)
    assert result.agree, str(result)
    assert all(r.points == 4 for r in result.rows)


def test_one_coordinate_without_constraints_has_all_its_formulations() -> None:
    system = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2*cos(t)", forces={"x": "-x'"})
    result = compare(system, samples=2)
    assert result.agree
    assert len(result.rows) >= 9


@pytest.mark.parametrize(
    "arguments",
    [
        {"coordinates": ["x", "y"], "lagrangian": "x'*y - y'*x + x^2 + y^2"},
        {"coordinates": ["x", "y"], "lagrangian": "x'^2/2 - y*x^2", "degenerate": True},
    ],
)
def test_K23_nothing_to_compare_where_the_law_is_singular_everywhere(arguments: dict[str, object]) -> None:
    result = compare(ch.System(**arguments), samples=2)  # type: ignore[arg-type]
    assert not result.evaluated
    assert not result.agree


def test_L8_redundant_constraints_are_no_obstacle_for_gauss() -> None:
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="x'^2 + y'^2 + z'^2 - x*z",
        constraints=["x' = y'", "2*x' = 2*y'"],
    )
    result = compare(system, samples=2)
    assert result.evaluated
    assert result.agree
    assert "gauss" in {r.form for r in result.rows if r.points}


@pytest.mark.slow
def test_K15_vakonomic_is_compared_where_the_constraint_is_semiholonomic() -> None:
    result = compare(ch.load("semiholonomic-disc"), samples=2)
    assert result.agree
    assert "vakonomic" in {r.form for r in result.rows if r.points == 2}
    other = compare(ch.load("knife-edge"), samples=2)
    assert "semiholonomic" in other.excluded["vakonomic"]
