"""Every object that a law publishes is read back by a test that knows its definition: none is forgotten."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

import chetaev as ch
from chetaev.equations.registry import FORMS
from objects import TESTED, quadratic_system
from random_systems import random_system

HERE = Path(__file__).parent
SYSTEMS = [
    quadratic_system(1, affine=True),
    random_system(3, most=3),
    random_system(5, kinds=("implicit",), most=3),
    ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2"),
    ch.System(
        coordinates=["x", "y"],
        lagrangian="x'^2 + y'^2",
        constraints={"acceleration": ["y'' = x*x''"]},
    ),
]


def test_every_formulation_has_a_file_of_definitions():
    assert set(TESTED) == set(FORMS)


@pytest.mark.few(1)
@pytest.mark.parametrize("form", FORMS)
def test_every_object_is_read_in_the_tests_of_its_formulation(form):
    text = (HERE / f"test_objects_{TESTED[form]}.py").read_text(encoding="utf-8")
    published = set()
    for system in SYSTEMS:
        with contextlib.suppress(ch.ModelError):  # not every form applies to every system
            published |= set(ch.equations(system, form).objects)
    assert published
    missing = [name for name in sorted(published) if f"law.{name}" not in text]
    assert not missing, f"{form} publishes {missing}, which no test reads"
