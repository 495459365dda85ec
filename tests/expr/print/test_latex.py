"""LaTeX: balanced, typeset as people write; definitions by name."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from tests.strategies import graphs

from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import add, call, define, div, mul, neg, number, power, sub, symbol
from chetaev.expr.language.parser import parse
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


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("m*x'^2/2", r"\frac{m \dot{x}^{2}}{2}"),
        ("x''", r"\ddot{x}"),
        ("theta'", r"\dot{\theta}"),
        ("R*cos(phi)", r"R \cos \phi"),
        ("sin(theta)^2", r"\sin^{2} \theta"),
        ("sqrt(x + y)", r"\sqrt{x + y}"),
        ("abs(x)", r"\left|x\right|"),
        ("atan2(y, x)", r"\operatorname{atan2}\left(y, x\right)"),
        ("asinh(x)", r"\operatorname{arsinh} x"),
        ("x - (y - m)", r"x - \left(y - m\right)"),
        ("-(x + y)", r"-\left(x + y\right)"),
        ("(x + y)*m", r"\left(x + y\right) m"),
        ("(x + y)^2", r"\left(x + y\right)^{2}"),
        ("x^(m + 1)", r"x^{m + 1}"),
        ("(x/y)^2", r"\left(\frac{x}{y}\right)^{2}"),
        ("(-x)^2", r"\left(-x\right)^{2}"),
        ("I1*x", r"I_{1} x"),
        ("pi*e", r"\pi \, \mathrm{e}"),
        ("exp(-x)", r"\exp\left(-x\right)"),
        ("x + 1/3", r"x + \frac{1}{3}"),
        ("x - 0.5", r"x - \frac{1}{2}"),
        ("2*3^x", r"2 \cdot 3^{x}"),
        ("x*2", r"x \cdot 2"),
        ("(x^y)^m", r"\left(x^{y}\right)^{m}"),
        ("(sin(x)^2)^2", r"\left(\sin^{2} x\right)^{2}"),
        ("sin(x)^(-1)", r"\left(\sin x\right)^{-1}"),
    ],
)
def test_concrete_latex(text, latex):
    assert to_latex(parse(text, SCOPE)) == latex
    check_latex(latex)


@pytest.mark.parametrize(
    ("name", "order", "latex"),
    [
        ("x", 0, "x"),
        ("x", 2, r"\ddot{x}"),
        ("theta_1", 1, r"\dot{\theta}_{1}"),
        ("theta1", 0, r"\theta_{1}"),
        ("θ", 1, r"\dot{\theta}"),
        ("φ", 0, r"\varphi"),
        ("Ω", 0, r"\Omega"),
        ("I_xy", 0, r"I_{\mathrm{xy}}"),
        ("I11", 0, "I_{11}"),
        ("x₂", 0, "x_{2}"),
        ("a_b_c", 0, "a_{b,c}"),
        ("speed", 0, r"\mathrm{speed}"),
        ("omega_x", 0, r"\omega_{x}"),
        ("変", 1, r"\dot{\text{変}}"),
        ("x_", 0, "x"),
        ("varphi", 0, r"\varphi"),
    ],
)
def test_names(name, order, latex):
    assert name_latex(name, order) == latex


def test_signs_and_nested_sums_keep_their_meaning():
    assert to_latex(sub(X, neg(Y))) == r"x - \left(-y\right)"
    assert to_latex(neg(neg(X))) == r"-\left(-x\right)"
    assert to_latex(mul(X, neg(Y))) == r"x \left(-y\right)"
    assert to_latex(mul(X, add(X, Y))) == r"x \left(x + y\right)"
    assert to_latex(add(X, number(-2))) == "x - 2"
    assert to_latex(neg(add(X, Y))) == r"-\left(x + y\right)"
    assert to_latex(power(number(-2), X)) == r"\left(-2\right)^{x}"
    assert to_latex(power(HALF, X)) == r"\left(\frac{1}{2}\right)^{x}"
    assert to_latex(neg(mul(number(2), X))) == r"-2 x"
    assert to_latex(neg(mul(number(-2), X))) == r"-\left(-2 x\right)"
    assert to_latex(mul(X, mul(number(-2), Y))) == r"x \left(-2 y\right)"
    assert to_latex(mul(X, mul(number(2), Y))) == r"x \cdot 2 y"
    assert to_latex(mul(call("sin", X), call("sin", add(X, Y)))) == r"\sin x \sin\left(x + y\right)"
    assert to_latex(div(neg(X), Y)) == r"-\frac{x}{y}"
    assert to_latex(call("max", neg(X), Y)) == r"\max\left(-x, y\right)"


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


FUNCTIONS = Scope.of(coordinates=["x", "theta_1"], parameters=["m", "alpha", "speed2"])


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
    assert to_latex(parse(text, FUNCTIONS)) == latex


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("m*speed2*x", r"m \, \mathrm{speed}_{2} \, x"),
        ("x*speed2^2*m", r"x \, \mathrm{speed}_{2}^{2} \, m"),
        ("m*e*x", r"m \, \mathrm{e} \, x"),
        ("x*((1/2)*m)", r"x \cdot \frac{1}{2} m"),
    ],
)
def test_words_and_numbers_keep_their_distance_on_both_sides(text: str, latex: str) -> None:
    assert to_latex(parse(text, FUNCTIONS)) == latex


def test_a_word_with_a_dot_is_a_word() -> None:
    assert to_latex(mul(symbol("R"), symbol("left", 1), X)) == r"R \, \dot{\mathrm{left}} \, x"


def test_high_derivatives_may_be_raised_to_a_power() -> None:
    assert to_latex(power(symbol("x", 4), number(2))) == "{x^{(4)}}^{2}"
    assert name_latex("x_1", 3) == "{x_{1}^{(3)}}"


def test_a_negative_factor_that_occurs_twice_keeps_its_sign() -> None:
    assert to_latex(mul(number(-2), X, number(-2))) == r"-2 x \left(-2\right)"


@pytest.mark.slow
def test_deep_graphs_are_written_without_recursion() -> None:
    deep = X
    for _ in range(3000):
        deep = call("sin", add(deep, Y))
    assert to_latex(deep).count(r"\sin") == 3000
