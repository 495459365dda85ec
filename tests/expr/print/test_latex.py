"""LaTeX: balanced, typeset as people write; definitions by name."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from tests.strategies import graphs

from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import add, call, define, mul, number, power, symbol
from chetaev.expr.language.scope import Scope
from chetaev.expr.print import meanings, name_latex, to_latex
from chetaev.expr.print.latex import render
from portions import examples

X, Y, V = symbol("x"), symbol("y"), symbol("x", 1)
THETA = symbol("theta")
HALF = number(Fraction(1, 2))
SCOPE = Scope.of(["x", "y", "theta", "phi"], ["m", "R", "I1", "g"], order=2)

# What the output may be made of: every command it uses, with its number of braced arguments.
COMMANDS = {
    **dict.fromkeys(["frac"], 2),
    **dict.fromkeys(["dot", "ddot", "sqrt", "mathrm", "text", "operatorname"], 1),
    **dict.fromkeys(
        [
            "sin",
            "cos",
            "tan",
            "arcsin",
            "arccos",
            "arctan",
            "sinh",
            "cosh",
            "tanh",
            "exp",
            "log",
            "min",
            "max",
            "cdot",
            "pi",
        ],
        0,
    ),
    **dict.fromkeys(
        [
            "alpha",
            "beta",
            "gamma",
            "delta",
            "epsilon",
            "zeta",
            "eta",
            "theta",
            "iota",
            "kappa",
            "lambda",
            "mu",
            "nu",
            "xi",
            "rho",
            "sigma",
            "tau",
            "upsilon",
            "phi",
            "chi",
            "psi",
            "omega",
            "Gamma",
            "Delta",
            "Theta",
            "Lambda",
            "Xi",
            "Pi",
            "Sigma",
            "Upsilon",
            "Phi",
            "Psi",
            "Omega",
            "varepsilon",
            "vartheta",
            "varphi",
            "varrho",
            "varsigma",
            "varpi",
            "ell",
        ],
        0,
    ),
    "left": 0,
    "right": 0,
    ",": 0,
}
TOKEN = re.compile(r"\\([A-Za-z]+|.)|[{}^_]|[^\\{}^_]", re.DOTALL)


def check_latex(text: str) -> None:
    r"""Braces and \left…\right match, every command is known and has its arguments, no double scripts."""
    tokens = [m[0] for m in TOKEN.finditer(text) if m[0] != " "]
    assert "".join(tokens) == text.replace(" ", "")
    stack: list[str] = []
    for i, token in enumerate(tokens):
        following = tokens[i + 1] if i + 1 < len(tokens) else ""
        if token == "{":
            stack.append("{")
        elif token == "}":
            assert stack.pop() == "{", text
        elif token == r"\left":
            assert following in ("(", "|"), text
            stack.append(following)
        elif token == r"\right":
            assert {"(": ")", "|": "|"}[stack.pop()] == following, text
        elif token in "^_":
            assert following == "{", text
            assert i > 0, text
            assert tokens[i - 1] not in ("^", "_", "{"), text
        elif token.startswith("\\"):
            assert COMMANDS[token[1:]] == 0 or following == "{", text
    assert not stack, text
    assert not re.search(r"\^\{[^{}]*\}\s*\^", text), f"double superscript in {text}"
    assert not re.search(r"[-+] *(?:[-+]|\\cdot)|\{\}|\\left\(\\right\)", text), text


@given(graphs())
@settings(max_examples=examples(100))
def test_latex_is_well_formed(expr):
    check_latex(to_latex(expr))
    for name, meaning in meanings(expr):
        check_latex(name)
        check_latex(meaning)
    shown = expr._repr_latex_()
    if "aligned" not in shown:  # long formulas are broken, between signs and terms
        assert shown.replace(" ", "") == rf"$\displaystyle {to_latex(expr)}$".replace(" ", "")


def test_the_checker_can_fail():
    for bad in (r"\frac{1}", r"\left(x", r"x^{2}^{3}", r"{x", r"\wrong{x}", "x^2", r"a + -b"):
        with pytest.raises((AssertionError, KeyError, IndexError)):
            check_latex(bad if bad != r"\frac{1}" else r"\frac 1")


def test_definitions_are_shown_by_name_with_their_meaning_below():
    speed = define("speed2", add(power(V, number(2)), power(symbol("y", 1), number(2))))
    energy = define("T", mul(HALF, speed))
    assert to_latex(mul(energy, THETA)) == r"T \theta"
    assert meanings(mul(energy, THETA)) == [
        (r"\mathrm{speed}_{2}", r"\dot{x}^{2} + \dot{y}^{2}"),
        ("T", r"\frac{1}{2} \, \mathrm{speed}_{2}"),
    ]


def test_nested_definitions_stay_linear():
    def length(count: int) -> int:
        d = X
        for i in range(count):
            d = define(f"d{i:03}", add(mul(d, d), call("sin", d)))
        return sum(len(a) + len(b) for a, b in meanings(d))

    assert length(200) <= 2 * length(100) + 100


def test_several_expressions_at_once():
    assert render([X, power(X, number(2))]) == ["x", "x^{2}"]
    assert graph.size(X) == 1


def test_high_derivatives_may_be_raised_to_a_power() -> None:
    assert to_latex(power(symbol("x", 4), number(2))) == "{x^{(4)}}^{2}"
    assert name_latex("x_1", 3) == "{x_{1}^{(3)}}"


def test_deep_graphs_are_written_without_recursion() -> None:
    deep = X
    for _ in range(3000):
        deep = call("sin", add(deep, Y))
    assert to_latex(deep).count(r"\sin") == 3000
