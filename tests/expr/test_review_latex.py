"""LaTeX of products with functions says what the product is."""

from __future__ import annotations

import pytest

from chetaev.expr.latex import to_latex
from chetaev.expr.parser import parse
from chetaev.expr.scope import Scope
from chetaev.expr.sharing import name_shared

SCOPE = Scope.of(coordinates=["x", "theta_1"], parameters=["m", "alpha", "speed2"])


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("-m*sin(alpha)*x", r"-m \sin(\alpha) x"),
        ("(m*sin(theta_1'))*x", r"m \sin(\dot{\theta}_{1}) x"),
        ("sin(x)^2*m", r"\sin^{2}(x) m"),
        ("sin(alpha)*(x + 1)", r"\sin(\alpha) \left(x + 1\right)"),
        ("tan(speed2)*x", r"\tan(\mathrm{speed}_{2}) x"),
        ("sin(x)*cos(alpha)", r"\sin x \cos \alpha"),
        ("2*m*sin(x)", r"2 m \sin x"),
        ("(x*sin(x))^2*x", r"\left(x \sin x\right)^{2} x"),
        ("abs(sin(x))*x", r"\left|\sin x\right| x"),
    ],
)
def test_a_factor_after_a_function_is_not_its_argument(text: str, latex: str) -> None:
    assert to_latex(parse(text, SCOPE)) == latex


def test_names_for_shared_parts_avoid_given_names() -> None:
    expr = parse("sin(x) + cos(x) + m", SCOPE)
    for _ in range(8):
        expr = expr * expr + expr
    _, named = name_shared([expr], avoid=["c1", "c3"])
    assert named
    assert not {d.value for d in named} & {"c1", "c3"}
