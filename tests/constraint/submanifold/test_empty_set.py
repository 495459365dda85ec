"""Where the rank condition or regularity fails: only sets that Q meets are named (SCOPE K13, K23)."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.constraint import Constraint
from chetaev.constraint.submanifold.empty_set import is_empty, points_where
from formulas import formulas
from portions import some

EVERYWHERE = [
    "bead-on-rotating-hoop", "car-with-trailers-2", "central-force-constant-speed", "decelerated-particle",
    "differential-drive", "implicit-constraint", "implicit-constraint-quintic", "leibniz-particle",
    "pendulum-cartesian", "pendulum-moving-support", "relativistic-particle",
    "relativistic-particle-homogeneous", "relativistic-particle-scalar",
    "relativistic-particle-scalar-homogeneous",
]  # fmt: skip
SOMEWHERE = [
    "appell-hamel",
    "dog-pursues-man",
    "particle-on-cone",
    "pursuit",
    "semiholonomic-cone",
    "snakeboard",
]


@pytest.mark.parametrize("name", some(EVERYWHERE, 2))
def test_K13_the_rank_condition_holds_everywhere(name: str) -> None:
    found = ch.classify(ch.load(name))
    assert found.rank_fails_where == ()
    assert "the rank condition holds everywhere (proved" in found.reason("rank")
    assert found.singular_where == ()


@pytest.mark.parametrize("name", SOMEWHERE)
def test_K13_where_it_fails_is_a_set_that_Q_meets(name: str) -> None:
    found = ch.classify(ch.load(name))
    assert found.rank_fails_where
    assert "the rank condition fails where" in found.reason("rank")


@pytest.mark.parametrize("name", ["rolling-disc-swaczyna", "snakeboard", "implicit-constraint"])
def test_K23_regular_wherever_it_is_defined(name: str) -> None:
    assert ch.classify(ch.load(name)).singular_where == ()


def test_K23_a_coordinate_singularity_stays_named() -> None:
    assert list(ch.classify(ch.load("suslov")).singular_where) == formulas(["sin(theta)"], factor=True)


@pytest.mark.parametrize(
    ("constraint", "functions", "empty"),
    some([
        ("x'^2 + y'^2 = 1", ["x'", "y'"], True),
        ("x'^2 + y'^2 = 1 + x^2", ["x'*y", "y'*y", "y - 1"], True),
        ("x' = y*z'", ["exp(x) + y^2"], True),
        ("x' = y*z'", ["exp(x) - 1"], False),
        ("x' = y*z'", ["x^2 + x*y + y^2", "x + y - 1"], True),
        ("x' = y*z'", ["x^2 + x*y + y^2", "z - 1"], False),
        ("sqrt(x'^2 + y'^2) = 2", ["x'", "y'"], True),
        ("x' = y*z'", ["2 + cos(x)"], True),
        ("x' = y*z'", ["1 + cos(x)"], False),
        ("x' = y*z'", ["x*y - 1", "x"], True),
    ], 5),
)  # fmt: skip
def test_K13_emptiness_is_proved_and_points_are_found(
    constraint: str, functions: list[str], empty: bool
) -> None:
    Q = Constraint.of([constraint], ["x", "y", "z"])
    elements = [Q.chart(f) for f in functions]
    assert is_empty(Q, elements) is empty
    assert bool(points_where(Q, elements)) is not empty


def test_K13_what_is_neither_excluded_nor_met_is_said_so() -> None:
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2",
        constraints=["(x^4 + y^4 + x*y + 1)*x' + (x^4 + y^4 + x*y + 1)*sin(y)*y' = 0"],
    )
    assert "fails where" not in ch.classify(system).reason("rank")


def test_K15_vakonomic_equations_that_agree_for_one_lagrangian_are_said_to() -> None:
    words = ch.compare(ch.load("decelerated-particle"), samples=2).excluded["vakonomic"]
    assert "accelerations are Chetaev's at all 3 points tested" in words
    words = ch.compare(ch.load("knife-edge"), samples=2).excluded["vakonomic"]
    assert "differ at 3 of 3 points tested" in words
