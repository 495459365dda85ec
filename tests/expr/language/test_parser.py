"""The grammar: precedence as in Python, exact numbers, primes, Unicode; linear in the text."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import unicodedata
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chetaev.errors import ExpressionError, ModelError, Origin, TooLargeError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import call, number, symbol
from chetaev.expr.language.parser import MAX_NESTING, Equation, parse, parse_equation, read_number
from chetaev.expr.language.scope import Scope
from exact_values import NotExactError, evaluate_exact
from portions import examples

SCOPE = Scope.of(["x", "y", "theta", "θ", "é"], ["a", "b", "c", "m", "R"], order=2)
VALUES = {"a": Fraction(2), "b": Fraction(-3), "c": Fraction(1, 2)}


# --- precedence and associativity, against Python's own arithmetic ---------------------------------


@st.composite
def arithmetic(draw: Any, depth: int = 2) -> list[str]:
    """The tokens of an arithmetic expression that Python reads too, brackets only here and there."""
    tokens: list[str] = []
    for position in range(draw(st.integers(1, 4))):
        if position:
            tokens.append(draw(st.sampled_from(["+", "-", "*", "/", "**"])))
        tokens += draw(st.sampled_from([[], [], [], ["-"], ["+"], ["-", "-"]]))
        if depth and draw(st.integers(0, 3)) == 0:
            tokens += ["(", *draw(arithmetic(depth=depth - 1)), ")"]
        else:
            tokens.append(draw(st.sampled_from(["0", "1", "2", "3", "0.5", "a", "b", "c"])))
    return tokens


def python_value(tokens: list[str]) -> Fraction:
    """What Python makes of the tokens, with fractions for numbers; only tokens of `arithmetic` come here."""
    words = [f"Fraction('{t}')" if t[0].isdigit() else t for t in tokens]
    value = eval(" ".join(words), {"__builtins__": {}, "Fraction": Fraction, **VALUES})
    assume(isinstance(value, Fraction))
    return value


@given(arithmetic(), st.sampled_from(["**", "^"]), st.sampled_from(["", " ", "\n\t"]), st.booleans())
@settings(max_examples=examples(120))
def test_precedence_and_associativity_are_those_of_python(tokens, caret, space, unicode):
    shown = [
        {"**": caret, "-": "−" if unicode else "-", "*": "·" if unicode else "*"}.get(t, t) for t in tokens
    ]
    try:
        expr = parse(space.join(shown), SCOPE)
        ours = evaluate_exact([expr], VALUES)[0]
    except (NotExactError, TooLargeError, ZeroDivisionError):
        assume(False)
    except ExpressionError as error:
        assume(error.message != "division by zero")
        raise
    assert ours == python_value(tokens)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2^3^2", 512),
        ("(2^3)^2", 64),
        ("-2^2", -4),
        ("(-2)^2", 4),
        ("2^-1", Fraction(1, 2)),
        ("2^-2^2", Fraction(1, 16)),
        ("2**3**2", 512),
        ("8/4/2", 1),
        ("8/4*2", 4),
        ("8-4-2", 2),
        ("-3*-4", 12),
        ("2 - - 3", 5),
        ("+-+3", -3),
        ("2*3²", 18),
        ("2⁻¹", Fraction(1, 2)),
        ("-2⁻²·8", -2),
        ("2⁻¹⁰", Fraction(1, 1024)),
        ("-3²", -9),
        ("2^3²", 512),
        ("2³²", 2**32),
        ("(1+2)³", 27),
        ("3²^2", 81),
        ("1/2*4", 2),
        ("2·3×4⋅5", 120),
        ("7 − 2", 5),
        ("1 +\t2\n*3", 7),
    ],
)
def test_values(text, value):
    assert parse(text, SCOPE).value == value


# --- numbers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Fraction(1, 10)),
        (".5", Fraction(1, 2)),
        ("5.", Fraction(5)),
        ("1e3", Fraction(1000)),
        ("1E-3", Fraction(1, 1000)),
        ("1.25e+2", Fraction(125)),
        ("0.1 + 0.2", Fraction(3, 10)),
        ("00012", Fraction(12)),
        ("0e999", Fraction(0)),
        ("1e308", Fraction(10**308)),
        ("5e-324", Fraction(5, 10**324)),
        ("1e-307", Fraction(1, 10**307)),
        ("0.30000000000000004", Fraction(30000000000000004, 10**17)),
    ],
)
def test_numbers_are_exact(text, value):
    assert parse(text, SCOPE).value == value


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=0, max_value=10**20, places=12))
def test_a_decimal_means_what_it_writes(decimal):
    assert read_number(str(decimal)) == Fraction(decimal)


@pytest.mark.parametrize(
    "text", ["1e309", "1e-400", "1e99999999999999999999", "1e-9999999999", "9" * 400, "1e4000"]
)
def test_numbers_outside_double_range_are_refused(text):
    with pytest.raises(TooLargeError) as caught:
        parse("x + " + text, SCOPE)
    assert caught.value.column == 5
    assert caught.value.expected or caught.value.remedy


def test_digits_are_limited():
    assert parse("0." + "1" * 998, SCOPE).op == "number"
    with pytest.raises(TooLargeError, match="digits"):
        parse("0." + "1" * 1000, SCOPE)
    with pytest.raises(TooLargeError, match="digits"):
        parse("x" + "²" * 1001, SCOPE)


# --- names, primes, functions --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name", "order"),
    [
        ("x", "x", 0),
        ("x'", "x", 1),
        ("x''", "x", 2),
        ("x′", "x", 1),
        ("x″", "x", 2),
        ("x’", "x", 1),
        ("x′'", "x", 2),
        ("x_dot", "x", 1),
        ("x_ddot", "x", 2),
        ("θ'", "θ", 1),
        ("theta_dot", "theta", 1),
        ("é'", "é", 1),
        ("e\u0301'", "é", 1),
        ("t", "t", 0),
    ],
)
def test_symbols(text, name, order):
    assert parse(text, SCOPE) is symbol(name, order)


def test_names_are_the_same_in_every_unicode_form():
    for form in ("NFC", "NFD"):
        assert parse(unicodedata.normalize(form, "é + é'"), SCOPE) is symbol("é") + symbol("é", 1)


@pytest.mark.parametrize("name", graph.FUNCTIONS)
def test_every_function(name):
    count = abs(graph.FUNCTIONS[name])
    arguments = [symbol("x"), symbol("y", 1)][:count]
    text = f"{name}({', '.join(['x', chr(121) + chr(39)][:count])})"
    assert parse(text, SCOPE) is call(name, *arguments)
    for wrong in (0, count + 1 if graph.FUNCTIONS[name] > 0 else 1):
        with pytest.raises(ExpressionError, match=f"{name} is given {wrong} argument"):
            parse(f"{name}({', '.join(['x'] * wrong)})", SCOPE)
    with pytest.raises(ExpressionError, match="without its argument"):
        parse(f"2*{name}", SCOPE)


def test_min_and_max_take_many():
    assert len(parse("max(x, y, a, b, c)", SCOPE).args) == 5


def test_constants():
    assert parse("pi*e", SCOPE) is graph.PI * graph.E
    assert parse("e^x", SCOPE).op == "pow"


def test_definitions_stay_nodes():
    scope = SCOPE.but(values={**SCOPE.values, "d": graph.define("d", symbol("x") + number(1))})
    expr = parse("d*d", scope)
    assert expr.args[0].op == "define"
    assert expr.args[0] is expr.args[1]


def test_equations():
    equation = parse_equation("x' = R*theta'", SCOPE)
    assert equation == Equation(symbol("x", 1), symbol("R") * symbol("theta", 1))
    assert str(equation) == "x' = R*theta'"
    assert str(equation.residual) == "x' - R*theta'"
    assert parse_equation("x' = 0", SCOPE).residual is symbol("x", 1)
    assert parse_equation("0 = x'", SCOPE).residual is number(0) - symbol("x", 1)


# --- what cannot be read --------------------------------------------------------------------------------

BAD = [
    # text with the offending part between « and », what the message says, what helps
    ("m*«massa»*x", "unknown name 'massa'", "declare|did you mean"),
    ("m*«tehta»", "unknown name 'tehta'", "did you mean 'theta'"),
    ("m*«X»", "unknown name 'X'", "did you mean 'x'"),
    ("«m'»^2", "'m' is not a coordinate", "did you mean|remove the prime"),
    ("«t'»", "'t' is not a coordinate", "remove the prime"),
    ("«sin»(x, y)", "sin is given 2 arguments", r"write sin\(…\)"),
    ("1 + «atan2»(x)", r"atan2 is given 1 argument\n", r"atan2\(…, …\)"),
    ("«min»(x)", "min is given 1 argument", "two or more"),
    ("«sni»(x)", "unknown function 'sni'", "did you mean 'sin'"),
    ("«x»(y)", "not a function", r"x\*\("),
    ("2*sin «x»", "follows 'sin'", r"sin\("),
    ("«(»x + y", "never closed", r"missing '\)'"),
    ("sin«(»x + (y)", "never closed", r"missing '\)'"),
    ("x + y«)»", "closing bracket without", "remove it"),
    ("(x + y«]»", r"unexpected character '\]'", "round brackets"),
    ("2 +« »", "ends too early", "a number, a name"),
    ("2 * «*» x", r"unexpected '\*'", "a number, a name"),
    ("«*»x", r"unexpected '\*'", "a number, a name"),
    ("x + («)»", "empty brackets", "a number, a name"),
    ("2 «x»", "without an operator", r"2\*x"),
    ("(x) «(»y)", "without an operator", r"\*"),
    ("x «=» 2", "'=' in an expression", "one side"),
    ("x, y", None, None),
    ("1«.»2.3", None, None),
    ("3 «%» 2", "unexpected character '%'", "remainder"),
    ("x«!»", "unexpected character '!'", "factorial"),
    ("x «<» 2", "inequality has no place", "sign"),
    ("«_»x", "unexpected character '_'", "letter"),
    ("x«\x00»", r"unexpected character U\+0000", "NUL"),
    ("x«\u200b»", r"unexpected character U\+200B", "numbers, names"),
    ("«'»x", "prime", "x'"),
    ("2«'»", "prime", "x'"),
    ("«x'''»", "order 3", "two primes"),
    ("1«/»0", "division by zero", "denominator"),
    ("x*0«^»-1", "division by zero", "denominator"),
    ("9^9«^»9^9", None, None),
]


def marked(text: str) -> tuple[str, int, str]:
    """The text without marks, the offset of the marked part and the part."""
    start = text.index("«")
    part = text[start + 1 : text.index("»")]
    return text.replace("«", "").replace("»", ""), start, part


@pytest.mark.parametrize(("text", "message", "help_"), [b for b in BAD if b[1] is not None])
def test_errors_point_at_the_offending_text(text, message, help_):
    text, offset, part = marked(text)
    with pytest.raises(ExpressionError, match=message) as caught:
        parse(text, SCOPE)
    error = caught.value
    assert (error.line, error.column) == (1, offset + 1)
    assert re.search(help_, f"{error.expected} {error.remedy}"), str(error)
    assert error.place is not None
    if part.strip() and part.isprintable():
        assert error.place.excerpt[error.place.caret :].startswith(part)
        assert error.place.width == len(part)


@pytest.mark.parametrize("text", [b[0].replace("«", "").replace("»", "") for b in BAD])
def test_errors_have_a_place_and_advice(text):
    with pytest.raises(ModelError) as caught:
        parse(text, SCOPE)
    assert caught.value.place is not None
    assert caught.value.expected or caught.value.remedy


@pytest.mark.parametrize(
    ("text", "message", "offset"),
    [
        ("x' + y", "there is no '='", 6),
        ("x' == y'", "'==' is not an operator", 4),
        ("x' = y' = 0", "second '='", 8),
        ("x' =", "ends too early", 4),
        ("= x'", "where an operand was expected", 0),
        ("(x' = y')", "inside brackets", 4),
        ("x' = y' +", "ends too early", 9),
    ],
)
def test_bad_equations(text, message, offset):
    with pytest.raises(ExpressionError, match=message) as caught:
        parse_equation(text, SCOPE)
    assert caught.value.column == offset + 1
    assert caught.value.expected or caught.value.remedy


ATTEMPTS = [
    "__import__('os')",
    "__import__('os').system('true')",
    "().__class__",
    "x.__class__",
    "x.__class__.__bases__",
    "lambda: 0",
    "lambda x: x",
    "f'{x}'",
    'f"{x}"',
    "eval('1')",
    "eval(x)",
    "exec(x)",
    "open(x)",
    "getattr(x, y)",
    "[x for x in (1,)]",
    "{x: 1}",
    "x if x else y",
    "x or y",
    "not x",
    "x := 1",
    "x;y",
    "`x`",
    "$x",
    "x\\y",
    "x if 1",
    "print(x)",
    "globals()",
    "(lambda: 0)()",
    "1 .real",
    "0x10",
    "0b1",
    "1_000",
    "1j",
    "x@y",
    "x//y",
    "x << y",
    "x & y",
    "~x",
    "*x",
    "x[0]",
    "...",
    "None",
    "True",
    "inf",
    "nan",
    "-inf",
    "x#comment",
    "b'x'",
    "'x'",
    '"x"',
    "import os",
    "del x",
    "await x",
    "${x}",
    "%s",
    "\\frac{x}{y}",
    "S('x')",
    "Symbol('x')",
    "sympify(x)",
    "Function('f')(x)",
]


@pytest.mark.parametrize("text", ATTEMPTS)
def test_every_way_to_python_is_closed(text):
    for read in (parse, parse_equation):
        with pytest.raises(ExpressionError) as caught:
            read(text, SCOPE)
        assert caught.value.place is not None
        assert caught.value.expected or caught.value.remedy, str(caught.value)


def test_the_caret_stands_below_wide_and_combining_characters():
    scope = Scope.of(["変", "x"])
    with pytest.raises(ExpressionError) as caught:
        parse("変 + 変*z", scope)
    place = caught.value.place
    assert place is not None
    assert place.column == 7
    assert place.caret == 8  # two of the characters before it are two cells wide


def test_a_long_line_is_shown_in_a_window():
    with pytest.raises(ExpressionError) as caught:
        parse("x + " * 1000 + "wrong" + " + x" * 1000, SCOPE)
    place = caught.value.place
    assert place is not None
    assert place.column == 4001
    assert len(place.excerpt) < 120
    assert place.excerpt[place.caret :].startswith("wrong")


def test_an_origin_places_errors_in_a_larger_text():
    with pytest.raises(ExpressionError) as caught:
        parse("x +\n  zz", SCOPE, Origin("x +\n  zz", label="force.x"))
    assert (caught.value.file, caught.value.line, caught.value.column) == ("force.x", 2, 3)
    assert "force.x:2:3" in str(caught.value)


# --- limits, linear cost -----------------------------------------------------------------------------


def test_brackets_nest_to_the_limit_and_no_further():
    deep = "(" * MAX_NESTING + "x" + ")" * MAX_NESTING
    assert parse(deep, SCOPE) is symbol("x")
    assert parse("sin(" * MAX_NESTING + "x" + ")" * MAX_NESTING, SCOPE).op == "sin"
    for many in (MAX_NESTING + 1, 100_000):
        with pytest.raises(TooLargeError, match="nest") as caught:
            parse("(" * many + "x" + ")" * many, SCOPE)
        assert caught.value.column == MAX_NESTING + 1
        with pytest.raises(TooLargeError):
            parse("(" * many, SCOPE)


def test_a_million_signs_or_powers_do_no_harm():
    for text in ("-" * 10**6 + "x", "+ - " * 10**5 + "x"):
        with pytest.raises(TooLargeError, match="signs nest"):
            parse(text, SCOPE)
    with pytest.raises(TooLargeError, match="deep"):
        parse("^".join(["x"] * 30_000), SCOPE)
    with pytest.raises(TooLargeError, match="deep"):
        parse("/".join(["x"] * 30_000), SCOPE)
    with pytest.raises(TooLargeError, match="deep"):
        parse("x" + "²" + "^-x" * 30_000, SCOPE)


def test_text_beyond_the_limit_is_refused():
    with pytest.raises(TooLargeError, match="characters"):
        parse("x+" * 2_000_001, SCOPE)


def terms(count: int) -> str:
    return " + ".join(f"{i}*sin({i + 7}*x + y')^2/(m + {i}*R)" for i in range(1, count + 1))


def test_nodes_grow_linearly_with_the_text():
    small, large = (graph.size(parse(terms(n), SCOPE)) for n in (200, 400))
    fixed = small - (large - small)  # the nodes that all terms share
    assert 0 <= fixed <= 20
    assert large - small <= 11 * 200


def calls(text: str) -> int:
    """How many Python functions reading a text calls."""
    count = 0

    def tick(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(tick)
    try:
        parse(text, SCOPE)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "make", [terms, lambda n: "(" * (n // 2) + "x" + "+1)" * (n // 2), lambda n: "x" + "^x" * n]
)
def test_work_grows_linearly_with_the_text(make):
    parse(make(10), SCOPE)
    small, large = calls(make(200)), calls(make(400))
    assert small > 100
    assert large <= 2.1 * small


PEAKS = """
import gc, sys, tracemalloc
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import Scope

scope = Scope.of(["x", "y"], ["m", "R"])

def peak(count):
    text = " + ".join(f"{i}*sin({i + 7}*x + y')^2/(m + {i}*R)" for i in range(1, count + 1))
    gc.collect()
    tracemalloc.start()
    parse(text, scope)
    return tracemalloc.get_traced_memory()[1], tracemalloc.stop()

peak(10)
print(peak(800)[0], peak(12_800)[0])
"""


@pytest.mark.slow
def test_memory_grows_linearly_with_the_text():
    # In a process of its own: a table that other tests have filled would grow by a step of its whole size.
    run = subprocess.run([sys.executable, "-c", PEAKS], capture_output=True, text=True, check=True)
    small, large = map(int, run.stdout.split())
    assert small > 100_000
    assert large <= 1.5 * 16 * small  # tables grow in steps: over many doublings they do not show


def test_threads_read_with_their_own_names():
    wrong: list[str] = []

    def work(name: str) -> None:
        scope = Scope.of([name])
        for _ in range(100):
            if str(parse(f"{name}'^2 + sin({name})", scope)) != f"{name}'^2 + sin({name})":
                wrong.append(name)

    threads = [threading.Thread(target=work, args=(f"q{i}",)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("text", ["1\t/sqrt(1 + x^2)", "x'\t+\ty'", "x' +" + " x +" * 40 + " y"])
def test_a_constraint_without_an_equals_sign_is_answered_in_one_readable_line(text):
    with pytest.raises(ExpressionError) as error:
        parse_equation(text, SCOPE)
    assert all(line.isprintable() for line in str(error.value).split("\n"))
    assert len(error.value.remedy) < 100
