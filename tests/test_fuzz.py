"""Fuzzing: whatever the text, the answer is a System or a ModelError, soon.

Four kinds of text: expressions from broken tokens, mutations of good expressions, mutations of gallery files,
and raw bytes. A few hundred run always, 21,000 are slow tests, the rest is for `make soak`.
"""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import chetaev as ch
from chetaev.errors import ModelError
from chetaev.expr.graph.node import FUNCTIONS
from chetaev.expr.language.parser import Equation, parse, parse_equation
from chetaev.expr.language.scope import Scope
from chetaev.expr.print import to_text
from chetaev.model import gallery
from chetaev.model.file.toml_source import decode
from counted import counted
from portions import examples, parts

EFFORT, EACH = 3_000_000, 300
"""Calls that a text may cost, and further ones for each of its letters."""
SCOPE = Scope.of(["x", "y", "theta", "θ"], ["m", "R", "g"], order=2)
MODELS = {name: gallery.read(name).decode("utf-8") for name in gallery.names()}
EXPRESSIONS = sorted(
    {
        t
        for text in MODELS.values()
        for t in re.findall(r'"([^"\n]*[\'*/+=()^-][^"\n]*)"', text)
        if len(t) < 200
    }
)

tokens = st.one_of(
    st.sampled_from(
        [
            "+",
            "-",
            "*",
            "/",
            "^",
            "**",
            "(",
            ")",
            ",",
            "=",
            "==",
            "'",
            "''",
            "′",
            "″",
            "²",
            "³",
            "·",
            "×",
            "−",
            ".",
            "_",
            ":",
            ";",
            "[",
            "]",
            "{",
            "}",
            "#",
            "@",
            "%",
            "!",
            "<",
            ">",
            "~",
            "&",
            "|",
            "\\",
            "`",
            "$",
            "?",
        ]
    ),
    st.sampled_from(
        ["x", "y", "theta", "θ", "m", "R", "t", "x'", "theta''", "x_dot", "x_ddot", "unknown", "pi", "e"]
    ),
    st.sampled_from([f"{f}(" for f in FUNCTIONS]),
    st.sampled_from(
        [
            "0",
            "1",
            "2",
            "0.5",
            ".5",
            "5.",
            "1e3",
            "1e-3",
            "1e400",
            "1e-400",
            "9999999999999999999999",
            "1e",
            "1.2.3",
            "0x1",
            "1_0",
            "1j",
        ]
    ),
    st.sampled_from(
        [
            "__import__",
            "lambda",
            "eval(",
            "().__class__",
            "\0",
            "\n",
            "\t",
            "\u200b",
            "\u202e",
            "\ufeff",
            "🙂",
        ]
    ),
    st.text(max_size=3),
)
characters = st.one_of(
    st.characters(),
    st.sampled_from("\"'\\=[]{}#.,()^*/+-_ \n\t\r\0\u200b\u202e\ufeff\ufffe\u0301²θ′"),
)


@st.composite
def mutated(draw: Any, text: str, most: int = 4) -> str:
    """A text with tokens deleted, doubled, swapped, replaced, or with characters put between them."""
    parts = re.findall(r"\w+|\s+|[^\w\s]", text) or [""]
    for _ in range(draw(st.integers(1, most))):
        i, j = (draw(st.integers(0, len(parts) - 1)) for _ in range(2))
        match draw(st.integers(0, 6)):
            case 0:
                del parts[i]
            case 1:
                parts.insert(j, parts[i])
            case 2:
                parts[i], parts[j] = parts[j], parts[i]
            case 3:
                parts[i] = draw(tokens)
            case 4:
                parts.insert(i, draw(characters))
            case 5:
                parts[i] = parts[i] * draw(st.sampled_from([2, 3, 600]))
            case _:
                del parts[min(i, j) : min(i, j) + draw(st.integers(1, 8))]
        parts = parts or [""]
    return "".join(parts)


@st.composite
def mutated_lines(draw: Any, text: str) -> str:
    """A text with lines deleted, doubled, swapped, changed, or with lines of another model among them."""
    lines = [line for line in text.split("\n") if not line.startswith("#")]
    for _ in range(draw(st.integers(1, 3))):
        i, j = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        match draw(st.integers(0, 4)):
            case 0:
                del lines[i]
            case 1:
                lines.insert(j, lines[i])
            case 2:
                lines[i], lines[j] = lines[j], lines[i]
            case 3:
                other = MODELS[draw(st.sampled_from(sorted(MODELS)))].split("\n")
                lines.insert(i, draw(st.sampled_from(other)))
            case _:
                lines[i] = draw(mutated(lines[i]))
        lines = lines or [""]
    return "\n".join(lines)


expressions = st.one_of(
    st.lists(tokens, max_size=14).map("".join),
    st.lists(tokens, max_size=14).map(" ".join),
    st.sampled_from(EXPRESSIONS).flatmap(mutated),
)
model_texts = st.one_of(
    st.sampled_from(sorted(MODELS.values())).flatmap(mutated_lines),
    st.sampled_from(sorted(MODELS.values())).flatmap(lambda text: mutated(text, most=3)),
)
raw_models = st.one_of(
    st.binary(max_size=200),
    st.tuples(
        st.sampled_from(sorted(MODELS.values())), st.integers(0, 4000), st.binary(min_size=1, max_size=4)
    ).map(lambda t: t[0].encode()[: t[1]] + t[2] + t[0].encode()[t[1] :]),
    st.text(max_size=100).map(lambda t: t.encode("utf-8", "surrogatepass")),
)


def try_expression(text: str) -> None:
    for read in (parse, parse_equation):
        with counted() as count:
            try:
                result = read(text, SCOPE)
            except ModelError as error:
                check_error(error, placed=True)
            else:
                sides = (result.lhs, result.rhs) if isinstance(result, Equation) else (result,)
                assert all(parse(to_text(side), SCOPE) is side for side in sides)
        assert count.calls < EFFORT + EACH * len(text)


def try_model(text: str) -> None:
    with counted() as count:
        try:
            system = ch.loads(text, "fuzz.toml")
        except ModelError as error:
            check_error(error)
        else:
            assert ch.loads(system.to_toml()) == system
    assert count.calls < EFFORT + EACH * len(text)


def try_bytes(raw: bytes) -> None:
    try:
        text = decode(raw, "fuzz.toml")
    except ModelError as error:
        check_error(error)
    else:
        try_model(text)


def check_error(error: ModelError, *, placed: bool = False) -> None:
    """An error can be shown, and its caret stands inside the line it shows."""
    assert error.place is not None or not placed
    shown = str(error)
    assert error.message
    assert shown.isprintable() or all(c.isprintable() or c == "\n" for c in shown), repr(shown)
    if error.place is not None:
        assert error.place.line >= 1
        assert error.place.column >= 1
        assert 0 <= error.place.caret <= 2 * len(error.place.excerpt) + 1


few = settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
many = settings(few, max_examples=examples(400))


@few
@given(expressions)
def test_expressions(text):
    try_expression(text)


@pytest.mark.slow
@few
@given(model_texts)
def test_models(text):
    try_model(text)


@few
@given(raw_models)
def test_raw_bytes(raw):
    try_bytes(raw)


@pytest.mark.slow
@many
@given(expressions)
def test_many_expressions(text):
    try_expression(text)


@pytest.mark.slow
@many
@given(model_texts)
def test_many_models(text):
    try_model(text)


@pytest.mark.slow
@settings(many, max_examples=examples(400))
@given(raw_models)
def test_many_raw_bytes(raw):
    try_bytes(raw)


PIECES = (
    list("+-*/^(),='.[]{}#\"\\\n\t\0 0123456789exyzt_²θ′−\u200b\u202e\ufeff\ud800")
    + [f"{f}(" for f in FUNCTIONS]
    + ["**", "''", "x'", "theta''", "x_dot", "1e400", "1e-400", "9" * 40, "true", "nan", "inf", "[[", "[run]"]
)
CHUNKS, EACH = 20, 5000


def scrambled(text: str, random: Random) -> str:
    """A text with one to six pieces deleted, doubled, swapped, replaced or put in."""
    parts = re.findall(r"\w+|\s+|[^\w\s]", text) or [""]
    for _ in range(random.randint(1, 6)):
        i, j = random.randrange(len(parts)), random.randrange(len(parts))
        match random.randrange(6):
            case 0:
                parts[i] = ""
            case 1:
                parts[j] += parts[i]
            case 2:
                parts[i], parts[j] = parts[j], parts[i]
            case 3:
                parts[i] = random.choice(PIECES)
            case 4:
                parts[i] += random.choice(PIECES) * random.choice((1, 1, 1, 2, 50))
            case _:
                parts[i : i + random.randint(1, 10)] = [""]
    return "".join(parts)


@pytest.mark.parametrize("chunk", parts(range(CHUNKS), 2))
def test_a_hundred_thousand_texts(chunk, capsys):
    """CHUNKS · EACH texts: nine of ten an expression or an equation, the others whole models."""
    random, refused, models = Random(chunk), 0, sorted(MODELS.values())
    for i in range(EACH):
        if i % 10:
            text = scrambled(random.choice(EXPRESSIONS), random)
            read = parse_equation if "=" in text else parse
        else:
            text, read = scrambled(random.choice(models), random), ch.loads
        try:
            read(text, SCOPE) if read is not ch.loads else read(text)
        except ModelError as error:
            refused += 1
            check_error(error, placed=read is not ch.loads)
    with capsys.disabled():
        print(f"  chunk {chunk}: {EACH} texts, {refused} refused with a sentence, no other error", flush=True)


def test_there_is_something_to_mutate():
    assert len(EXPRESSIONS) > 100
    assert len(MODELS) > 40
