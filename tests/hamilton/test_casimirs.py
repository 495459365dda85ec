"""How many Casimir functions there can be, and that each is one (M5): counts, proofs, and what stays open."""

from __future__ import annotations

from typing import Any

import pytest

import chetaev as ch
from chetaev.expr.exact import Field
from chetaev.hamilton import casimirs


def particle(constraint: str) -> ch.System:
    return ch.System(
        coordinates=["x", "y", "z"], lagrangian="(x'^2 + y'^2 + z'^2)/2", constraints=[constraint]
    )


def test_M5_a_position_constraint_takes_one_away() -> None:
    found = ch.bracket(ch.load("pendulum-cartesian")).casimirs
    assert (len(found), found.most, found.complete) == (0, 0, True)


def test_M5_a_casimir_without_a_closed_form_is_missed_and_that_is_said() -> None:
    """∫ exp(x²) dx − z is one, and no combination of elementary functions."""
    found = ch.bracket(particle("z' = exp(x^2)*x'")).casimirs
    assert (len(found), found.most, found.complete) == (0, 1, None)
    assert "there can be 1" in str(found)


def test_M5_what_is_proposed_as_a_casimir_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = ch.bracket(particle("z' = 2*x'")).casimirs
    assert found.proof.proved
    propose = casimirs.exact

    def spoiled(*given: Any, **options: Any) -> Any:
        vector = propose(*given, **options)
        return (
            vector if vector is None or len(vector) < 2 else vector | {min(vector): vector[min(vector)] * 2}
        )

    monkeypatch.setattr(casimirs, "exact", spoiled)
    monkeypatch.setattr(casimirs, "_integrable_part", lambda *_: [])
    assert list(ch.bracket(particle("z' = 2*x'")).casimirs) == []


def test_K24_the_energy_form_has_the_explicit_rate_of_the_hamiltonian() -> None:
    """The component of dt in −dH is −∂H/∂t."""
    found = ch.hamilton(ch.System(coordinates=["x"], lagrangian="(1 + t)*x'^2/2 - t*x"))
    field = Field()
    assert (field(found.hamiltonian).diff("t") + field(found.energy_form.by_time)).is_zero is True
    assert found.energy_form.exact is True
