"""Symmetries without parameters come without them, and are proved by what they do to L and the constraint."""

from __future__ import annotations

import pytest

import chetaev as ch

TWO_BODIES = {
    "coordinates": ["x1", "y1", "x2", "y2"],
    "parameters": {"m1": 1, "m2": 3, "k": 2},
    "lagrangian": "m1/2*(x1'^2 + y1'^2) + m2/2*(x2'^2 + y2'^2) + k/2*((x1 - x2)^2 + (y1 - y2)^2)^2",
}


@pytest.mark.slow
def test_a_rotation_has_no_masses_in_it() -> None:
    found = ch.symmetries(ch.System(**TWO_BODIES))
    fields = [{n: str(e) for n, e in x.components.items()} for x in found]
    assert {"x1": "y1", "y1": "-x1", "x2": "y2", "y2": "-x2"} in fields
    assert all(x.dynamics.proved for x in found)


def test_a_dilation_that_multiplies_the_lagrangian_is_proved() -> None:
    kepler = ch.System(
        coordinates=["x", "y"], parameters={"k": 2}, lagrangian="(x'^2 + y'^2)/2 + k/sqrt(x^2 + y^2)"
    )
    dilation = next(x for x in ch.symmetries(kepler) if "t" in x.components and len(x.components) == 3)
    assert dilation.dynamics.proved
    assert dilation.lagrangian.holds is False
