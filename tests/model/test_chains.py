"""Definitions and parameters that build on each other, thousands deep."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.expr.graph import node as graph
from chetaev.expr.language import parser


def chain(count: int) -> ch.System:
    define = {"d0": "x"} | {f"d{i}": f"((d{i - 1}/2 + 1)*3 - 1)/4" for i in range(1, count + 1)}
    return ch.System(coordinates=["x"], lagrangian=f"x'^2/2 - d{count}", define=define)


@pytest.mark.slow
def test_five_thousand_chained_definitions_are_read() -> None:
    system = chain(5000)
    assert graph.depth(system.lagrangian) > parser.MAX_DEPTH
    assert ch.loads(system.to_toml()) == system


def test_what_is_too_deep_is_told_with_a_remedy_that_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "MAX_DEPTH", 100)
    monkeypatch.setattr(parser, "MAX_CHAIN", 300)
    assert chain(40).coordinates == ("x",)  # deeper than one expression may be, but each of them is short
    with pytest.raises(ch.ModelError, match="definitions it uses nest operations more than 300 deep") as long:
        chain(100)
    assert "define]" not in str(long.value)
    with pytest.raises(ch.ModelError, match="nests operations more than 100 deep") as nested:
        ch.System(coordinates=["x"], lagrangian="x'^2 + " + "sin(" * 120 + "x" + ")" * 120)
    assert "[define]" in str(nested.value)


def test_five_thousand_chained_parameters_are_evaluated_once_each() -> None:
    parameters = {"p0": "1"} | {f"p{i}": f"p{i - 1}/2 + 1" for i in range(1, 5000)}
    system = ch.System(coordinates=["x"], lagrangian="x'^2/2 - p4999*x", parameters=parameters)
    assert system.parameter_values["p4999"] == 2.0
    from chetaev.flow.derive.ingredients import Ingredients

    assert Ingredients.of(system).default_values[-1] == 2.0
