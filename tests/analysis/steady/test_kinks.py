"""Equilibria of laws with kinks and jumps, and of equations that lose their derivatives (M3)."""

from __future__ import annotations

import numpy as np
import pytest

import chetaev as ch


def along(force: str, potential: str = "x^2/2 - x") -> ch.System:
    return ch.System(
        coordinates=["x"],
        lagrangian=f"x'^2/2 - ({potential})",
        forces={"x": force},
        parameters={"mu": 0.1},
        initial={"x": 1.05, "x'": 0},
    )


@pytest.mark.parametrize(
    ("force", "held"),
    [("-mu*sign(x')", True), ("-mu*sign(2*x')*exp(x)", True), ("-mu*x'*abs(x')", False),
     ("-mu*sign(x')*x'^2", False)],
)  # fmt: skip
def test_dry_friction_holds_states_that_are_not_found_M3(force: str, held: bool) -> None:
    found = ch.equilibria(along(force))
    assert ("a force jumps at rest" in found.searched) is held
    assert not (held and found.complete)
    assert not (held and "no others" in found.searched)


def test_a_state_held_by_friction_stays_M3() -> None:
    """At x = 1.05 the spring pulls by 0.05 and friction holds up to 0.1: what `searched` warns of is so."""
    motion = ch.simulate(along("-mu*sign(x')"), until=1.0, at=3)
    assert np.allclose(motion["x"], 1.05, atol=1e-9)


@pytest.mark.slow
def test_a_sign_whose_argument_has_an_unknown_of_its_own_M3() -> None:
    found = ch.equilibria(
        ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - max(x^2, y^2)"),
    )
    assert found.complete is None
    assert "sign" in found.searched


@pytest.mark.slow
def test_inverses_beyond_doubles_are_no_warnings_M3() -> None:
    """Warnings are errors in tests: Newton's method came to matrices whose inverses overflow."""
    assert ch.equilibria(ch.System(coordinates=["x"], lagrangian="x'^2/2 - exp(-1/x^2)")).complete is None
