"""The one registry of formulations; whether one applies is said without deriving anything."""

from __future__ import annotations

import pytest
from tests.probes import SYSTEMS

import chetaev as ch
from chetaev.equations.registry import FORMS, Formulation, every_law
from portions import some

FREE = "(x'^2 + y'^2 + z'^2)/2"
HOSTILE = {
    "singular": {"coordinates": ["x", "y"], "lagrangian": "x'^2/2 + x*y'"},
    "singular on Q": {
        "coordinates": ["x", "y", "z"],
        "lagrangian": "x'^2/2 + y*z'",
        "constraints": ["y' = z*z'"],
    },
    "null": {
        "coordinates": ["x", "y", "z"],
        "lagrangian": "(x'^2 - y'^2 + z'^2)/2",
        "constraints": ["x' = y' + z"],
    },
    "dependent": {
        "coordinates": ["x", "y", "z"],
        "lagrangian": FREE,
        "constraints": ["x' = y*z'", "2*x' = 2*y*z'"],
    },
    "dependent positions": {
        "coordinates": ["x", "y", "z"],
        "lagrangian": FREE,
        "constraints": {"position": ["x^2 + y^2 = 1", "2*x^2 + 2*y^2 = 2"]},
    },
    "degree one": {"coordinates": ["x", "y"], "lagrangian": "sqrt(x'^2 + y'^2)"},
    "scales": {
        "coordinates": ["x", "y", "z"],
        "lagrangian": "m*x'^2/2 + y'^2/2 + z'^2/(2*m)",
        "constraints": ["m*x' = y*z'"],
        "parameters": {"m": "1e-9"},
    },
}


@pytest.mark.few(1)
@pytest.mark.parametrize("name", [*some([*ch.gallery(), *SYSTEMS], 8), *some(HOSTILE, 2)])
def test_what_applies_is_what_can_be_derived(name: str) -> None:
    given = SYSTEMS | HOSTILE
    system = ch.System(**given[name]) if name in given else ch.load(name)  # type: ignore[arg-type]
    laws = dict(every_law(system))
    found = ch.forms(system)
    assert set(found.names) == {form for form, law in laws.items() if not isinstance(law, str)}
    assert dict(found.excluded) == {form: law for form, law in laws.items() if isinstance(law, str)}


def test_nothing_is_derived_to_learn_which_forms_apply(monkeypatch: pytest.MonkeyPatch) -> None:
    def derive(self: Formulation, system: ch.System) -> None:
        raise AssertionError(self.name)

    monkeypatch.setattr(Formulation, "derive", derive)
    system = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + 3*y'^2)/2", constraints=["x' = y*y'"])
    found = ch.forms(system)
    assert {*found.names, *found.excluded} == set(FORMS)


def test_every_form_is_said_in_words_of_its_own() -> None:
    assert len({form.words for form in FORMS.values()}) == len(FORMS)
    assert "brackets" in FORMS["bracket"].words
