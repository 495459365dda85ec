"""Geometry and variations are reachable from ``import chetaev as ch`` (SCOPE K8, K16, K21, D8, Sa4)."""

from __future__ import annotations

import subprocess
import sys

import pytest

import chetaev as ch
from chetaev.errors import ModelError
from chetaev.expr.language.parser import parse


@pytest.mark.slow
def test_one_import_is_enough() -> None:
    code = (
        "import chetaev as ch; ch.geometry.prolong; ch.geometry.MixedSpace; ch.variation.field_equations;"
        "ch.variation.first_variation; ch.variation.constrained_first_variation"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert {"geometry", "variation"} <= {*dir(ch), *ch.__all__}


def test_what_is_listed_is_there() -> None:
    for room in (ch.geometry, ch.variation):
        assert all(hasattr(room, name) for name in room.__all__)


@pytest.mark.parametrize("name", ["steered-car", "sleigh-on-q"])
def test_K25_Sa1_the_geometry_of_a_model_on_Q_has_its_accelerations(name: str) -> None:
    system = ch.load(name)
    on_q = ch.variation.SystemOnQ.of(system)
    law = ch.equations(system).accelerations
    for c in system.coordinates:
        given = {str(e.lhs): e.rhs for e in system.velocity_constraints}
        assert on_q.accelerations[c] == on_q.constraint.chart(law[c]) or c not in on_q.independent, given
    assert on_q.space.is_second_order(on_q.second_order_field)


def test_only_systems_on_Q_are_taken() -> None:
    with pytest.raises(ModelError, match="given by kinetic and potential energy, not on Q"):
        ch.variation.SystemOnQ.of(ch.load("knife-edge"))
    implicit = ch.System(
        coordinates=["x", "y"],
        dynamics={"A": {"x": "-x"}, "B": [["-1"]]},
        constraints=["y'^3 + y' = x'"],
    )
    with pytest.raises(ModelError, match="not in normal form"):
        ch.variation.SystemOnQ.of(implicit)


def test_first_variations_of_a_form_are_refused() -> None:
    with pytest.raises(ModelError, match="no Lagrangian"):
        ch.variation.first_variation(ch.load("ziegler-pendulum"), {"a": "t", "b": "t"}, {"a": "t"}, (0, 1))


def test_definitions_of_a_model_on_Q_are_read_again() -> None:
    system = ch.System(
        coordinates=["s", "x"],
        define={"w": "k*s"},
        dynamics={"accelerations": {"s": "-w"}, "velocities": {"x": "w*s'"}},
        parameters={"k": 2},
    )
    on_q = ch.variation.SystemOnQ.of(system)
    assert on_q.accelerations["s"] == on_q.constraint.chart(parse("-k*s", on_q.system.scope))
