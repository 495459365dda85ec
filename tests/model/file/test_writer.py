"""Writing: odd names, texts and numbers come back exactly."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import graphs, symbols

import chetaev as ch
from chetaev.errors import ModelError
from chetaev.expr.graph.node import number
from chetaev.model.system import System
from portions import examples

ONE = {"coordinates": ["x"], "lagrangian": "m*x'^2/2"}


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (1, "1"),
        (-3, "-3"),
        (0.1, "0.1"),
        (0.5, "0.5"),
        (1e-30, "1e-30"),
        (Fraction(1, 3), '"1/3"'),
        (Fraction(-22, 7), '"-22/7"'),
        ("1/3", '"1/3"'),
        (2**63 - 1, "9223372036854775807"),
        (2**63, "9223372036854775808.0"),
        (10**60, None),
        (10**308, None),
        (1e-300, None),
        (5e-324, None),
        (1.7976931348623157e308, None),
        (1.2345678901234567e-200, None),
        (Fraction(10**400 + 1, 3 * 10**399), None),
        (Decimal("0.30000000000000000000000000000000000000000000000001"), None),
        ("pi/2", '"pi/2"'),
        ("sqrt(2)", '"sqrt(2)"'),
        ("-(2*pi)", None),
    ],
)
def test_numbers_are_written_exactly(value, written):
    system = System(**ONE, parameters={"m": value})
    text = system.to_toml()
    if written is not None:
        assert f"m = {written}\n" in text
    tomllib.loads(text)
    again = ch.loads(text)
    assert again == system
    assert again.parameters["m"] is system.parameters["m"]
    assert again.to_toml() == text


@given(st.fractions(), st.integers(-300, 300))
@settings(max_examples=examples(60))
def test_any_number_comes_back(fraction, ten):
    try:
        node = number(fraction * Fraction(10) ** ten)
        system = System(**ONE, parameters={"m": node}, initial={"x": node, "x_dot": 1})
    except ModelError:
        return
    assert ch.loads(system.to_toml()).parameters["m"] is node


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_any_float_comes_back(value):
    system = System(coordinates=["x"], lagrangian="x'^2", parameters={"m": value})
    assert system.parameter_values["m"] == value
    assert ch.loads(system.to_toml()).parameter_values["m"] == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        'a "quoted" word',
        "back\\slash",
        "line\nbreak",
        "tab\t",
        "θ ẋ 変 🙂",
        "\0 \x07 \x7f",
        "'",
        '"""',
        "'''",
        "trailing \\",
        "\u2028\u200b\u202e",
        "#no comment",
        "[table]",
        "a = 1",
        "\r",
        "\r\n",
    ],
)
def test_texts_come_back(text):
    system = System(**ONE, parameters={"m": 1}, name=text, summary=text, source=text, view={text: text})
    again = ch.loads(system.to_toml())
    assert again == system
    assert (again.name, again.summary, again.source) == (text, text, text)


@given(st.text())
def test_any_text_comes_back_or_is_refused(text):
    try:
        system = System(**ONE, parameters={"m": 1}, name=text, view={"key": text})
    except ModelError:
        return
    assert ch.loads(system.to_toml()) == system


@pytest.mark.parametrize(
    "name", ["θ", "Ж", "変数", "é", "x_1", "I", "true", "inf", "nan", "name", "t0", "x̄", "ℓ"]
)
def test_odd_names_come_back(name):
    system = System(
        coordinates=[name, "other"],
        lagrangian=f"p{name}*({name}'^2 + other'^2) + d{name}",
        define={f"d{name}": f"{name}*other"},
        forces={name: f"-{name}'"},
        parameters={f"p{name}": 2},
        initial={name: 1, f"{name}_dot": 2, "other_dot": 3},
    )
    assert ch.loads(system.to_toml()) == system


@given(graphs(definitions=False, leaf=st.one_of(symbols.filter(lambda s: s.value[1] < 2))))
@settings(max_examples=examples(30))
def test_any_lagrangian_comes_back(expr):
    from tests.strategies import COORDINATES, PARAMETERS

    velocities = " + ".join(f"{c}'^2" for c in COORDINATES)
    system = System(
        coordinates=COORDINATES,
        kinetic=velocities,
        potential=expr,
        parameters=dict.fromkeys(PARAMETERS, 1),
    )
    again = ch.loads(system.to_toml())
    assert again == system
    assert again.potential is expr


def test_free_tables_come_back():
    text = """\
coordinates = ["x"]
[dynamics]
lagrangian = "x'^2"
[view]
"odd key" = [1, 2.5, "three", [4, {five = 5}], true, 1979-05-27, 07:32:00, 1979-05-27T07:32:00Z]
nested.a."b.c" = {}
empty = []
[[claims]]
paper = "A"
value = 0.1
[[claims]]
where = {page = 3}
"""
    system = ch.loads(text)
    again = ch.loads(system.to_toml())
    assert again == system
    assert again.to_toml() == system.to_toml()
    assert system.view["nested"]["a"]["b.c"] == {}
    assert system.claims[0]["value"] == 0.1
    assert [dict(c) for c in again.claims] == [dict(c) for c in system.claims]


def test_facts_of_a_model_with_free_tables_are_json():
    import json

    from chetaev.model.system_display import facts

    system = System(
        **ONE, parameters={"m": 0.5}, view={"a": [0.25, {"b": 1}]}, initial={"x_dot": 1}, until="1/3"
    )
    assert json.loads(json.dumps(facts(system), allow_nan=False))["view"] == {"a": [0.25, {"b": 1}]}
