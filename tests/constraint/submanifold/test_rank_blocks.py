"""The rank condition of constraints that fall apart into blocks (K13)."""

from __future__ import annotations

import chetaev as ch
from chetaev.constraint.submanifold.rank_condition import rank_condition
from chetaev.constraint.submanifold.submanifold import Constraint
from formulas import formulas

NAMES = [f"{c}{i}" for i in range(5) for c in "xy"]


def test_speeds_of_five_particles_are_five_conditions() -> None:
    particles = ch.System(
        coordinates=NAMES,
        lagrangian=" + ".join(f"{c}'^2" for c in NAMES),
        constraints=[f"x{i}'^2 + y{i}'^2 = {i + 1}" for i in range(5)],
    )
    assert ch.classify(particles).reason("rank").startswith("the rank condition holds everywhere")


def test_places_of_a_cyclic_pursuit() -> None:
    chases = [f"x{i}'*(y{j} - y{i}) = y{i}'*(x{j} - x{i})" for i, j in ((0, 1), (1, 2), (2, 0))]
    found = rank_condition(Constraint.of(chases, NAMES[:6]))
    assert [list(place) for place in found.places] == formulas(
        [
            ["y1 - y0", "x1 - x0"],
            ["y2 - y1", "x2 - x1"],
            ["y2 - y0", "x2 - x0"],
        ],
        factor=True,
    )
    assert ", or " in found.where


def test_a_zero_at_which_f_is_not_defined_is_none() -> None:
    assert rank_condition(Constraint.of(["atan2(y', x') = th"], ["x", "y", "th"])).everywhere
