"""Names: which are allowed, what they stand for, what is said about those that are not known."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chetaev.errors import ExpressionError, ModelError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import define, number, symbol
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import MAX_NAME_LENGTH, Scope, check_name

SCOPE = Scope.of(["x", "phi"], ["m", "R"], definitions={"d": define("d", symbol("x", 1))})


@pytest.mark.parametrize(
    "name", ["x", "theta", "θ", "I1", "x_1", "K_a_b", "Ж", "変数", "é", "x̄", "ℏ", "a" * 100]
)
def test_good_names(name):
    assert check_name(name, "coordinate") == unicodedata.normalize("NFC", name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "1x",
        "_x",
        "__class__",
        "x y",
        "x-y",
        "x.y",
        "x'",
        "x²",
        "²",
        "x\n",
        "\0",
        "x\u200b",
        "\u202ex",
        "x\ufeff",
        "\ufffe",
        "+",
        "θ'",
        "x\u00ad",
        "🙂",
        "$x",
        "a" * 101,
        "\ud800",
    ],
)
def test_bad_names(name):
    with pytest.raises(ModelError) as caught:
        check_name(name, "coordinate")
    assert caught.value.expected or caught.value.remedy


@pytest.mark.parametrize("name", [*graph.FUNCTIONS, *graph.CONSTANTS, "x_dot", "x_ddot", "_dot", "speed_dot"])
def test_reserved_names(name):
    with pytest.raises(ModelError, match=r"reserved|cannot be the name") as caught:
        check_name(name, "parameter")
    assert caught.value.expected or caught.value.remedy


@pytest.mark.parametrize("name", [None, 1, 2.5, True, b"x", ["x"], ("x",), object()])
def test_names_are_texts(name):
    with pytest.raises(ModelError, match="needs a name"):
        check_name(name, "coordinate")


@pytest.mark.slow
@given(st.text(max_size=8))
def test_a_name_is_accepted_exactly_when_the_parser_reads_it_as_one(name):
    try:
        checked = check_name(name, "coordinate")
    except ModelError:
        checked = None
    scope = Scope.of([checked] if checked else [])
    try:
        read = parse(name, scope)
    except ModelError:
        read = None
    if checked is not None:
        assert read is symbol(checked)
    else:
        assert read is None or read.op != "symbol"


def test_the_length_limit():
    assert len(check_name("a" * MAX_NAME_LENGTH, "x")) == MAX_NAME_LENGTH
    with pytest.raises(ModelError, match="characters"):
        check_name("a" * 10**6, "x")


def test_what_names_stand_for():
    assert SCOPE.resolve("x", 0) is symbol("x")
    assert SCOPE.resolve("x", 1) is symbol("x", 1)
    assert SCOPE.resolve("phi_dot", 0) is symbol("phi", 1)
    assert SCOPE.resolve("d", 0).op == "define"
    assert SCOPE.resolve("pi", 0) is graph.PI
    assert SCOPE.resolve("t", 0) is symbol("t")


def test_a_declared_name_hides_a_derivative_suffix():
    scope = SCOPE.but(values={**SCOPE.values, "x_dot": number(3)})
    assert scope.resolve("x_dot", 0).value == 3


@pytest.mark.parametrize(
    ("name", "order", "message", "help_"),
    [
        ("fi", 0, "unknown name 'fi'", "phi|declare"),
        ("ph", 0, "unknown name 'ph'", "did you mean 'phi'"),
        ("PHI", 0, "unknown name 'PHI'", "did you mean 'phi'"),
        ("r", 0, "unknown name 'r'", "did you mean 'R'"),
        ("m", 1, "not a coordinate", "remove the prime|did you mean"),
        ("m_dot", 0, "unknown name 'm_dot'", "one of"),
        ("pi", 1, "not a coordinate", "prime|did you mean"),
        ("sin", 0, "without its argument", "write sin"),
        ("zz", 1, "unknown name 'zz'", "declare"),
        ("x", 3, "order 3", "two primes"),
        ("x", 2, "may not contain an acceleration", None),
        ("x_ddot", 0, "may not contain an acceleration", None),
        ("x_dot", 1, "unknown name 'x_dot'", None),
    ],
)
def test_errors(name, order, message, help_):
    with pytest.raises(ExpressionError, match=message) as caught:
        SCOPE.resolve(name, order)
    if help_:
        words = f"{caught.value.expected} {caught.value.remedy}"
        assert any(part in words for part in help_.split("|")), words


def test_a_closed_name_says_why():
    scope = SCOPE.but(closed={"later": ("'later' is made only later", "move it")})
    with pytest.raises(ExpressionError, match="made only later") as caught:
        scope.resolve("later", 0)
    assert caught.value.remedy == "move it"


def test_a_scope_without_names_takes_numbers_only():
    with pytest.raises(ExpressionError) as caught:
        parse("x", Scope.of(time=None))
    assert "only numbers" in caught.value.expected


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("½", "write 1/2"),
        ("ẋ", "write x' for the derivative"),
        ("ẍ", "write x'' for the derivative"),
        ("θ\u0307", "write θ' for the derivative"),
        ("ｘ", "did you mean 'x'"),
        ("х", "CYRILLIC SMALL LETTER HA"),
        ("q", "declare it"),
    ],
)
def test_unknown_names_that_look_like_others(name: str, words: str) -> None:
    with pytest.raises(ModelError) as caught:
        Scope.of(["x", "θ"], ["m"]).resolve(name, 0)
    assert words in caught.value.remedy


@pytest.mark.parametrize("name", ["½", "Ⅷ", "①", "²"])
def test_a_name_starts_with_a_letter(name: str) -> None:
    with pytest.raises(ModelError, match="cannot be the name"):
        check_name(name, "parameter")
