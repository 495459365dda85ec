"""Powers with symbolic exponents come back from the normal form as powers."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.expr.exact import Field
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import postorder
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import Scope

SCOPE = Scope.of(coordinates=["x", "y"], parameters=["p", "q", "k"])


@pytest.mark.parametrize(
    ("text", "op"), [("x^p", "pow"), ("x^(2*p*q)", "pow"), ("x^(p/2)", "pow"), ("exp(x*p)", "exp")]
)
def test_a_power_is_shown_as_a_power(text: str, op: str) -> None:
    again = Field()(parse(text, SCOPE)).to_expr()
    assert again.op == op
    assert not {"exp", "log"} & {node.op for node in postorder(*again.args)}
    values = {"x": 1.3, "p": 0.7, "q": 1.1, "k": 2.0}
    assert evaluate([again], values) == pytest.approx(evaluate([parse(text, SCOPE)], values))


@pytest.mark.parametrize(
    "text", ["x^(-p)", "x^p*y/x^(2*q)", "k*x^p + x^(2*p)", "x^p*exp(y)", "(x*y)^p", "2^p"]
)
def test_powers_keep_their_values(text: str) -> None:
    expr = parse(text, SCOPE)
    values = {"x": 1.3, "y": 0.4, "p": 0.7, "q": 1.1, "k": 2.0}
    assert evaluate([Field()(expr).to_expr()], values) == pytest.approx(evaluate([expr], values))


def test_accelerations_are_real_where_the_force_is() -> None:
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="m*(x'^2 + y'^2)/2 - k*x^p",
        constraints=["x' = q*y'"],
        parameters={"m": 1, "k": 2, "p": 4, "q": 3},
    )
    a = ch.equations(system).accelerations["x"]
    values = {**system.parameter_values, "x": -1.0, "x_dot": 0.0, "y": 0.0, "y_dot": 0.0, "t": 0.0}
    assert evaluate([a], values) == pytest.approx([8 * 9 / 10])
