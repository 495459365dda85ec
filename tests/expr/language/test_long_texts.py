"""Mistakes in long texts: explained at once, in the same words as in short ones."""

import pytest

from chetaev.errors import ModelError
from chetaev.expr.language.parser import parse, parse_equation
from chetaev.expr.language.scope import Scope
from portions import some

SCOPE = Scope.of(["x", "y"], ["m"])
LONG = 20_000
TERM = "x'^2*sin(x + y)/m + atan2(x, -y)*(1 + max(x, y, 2)) - "
MANY = 3 * LONG // len(TERM)
MISTAKES = [
    "*", "z", "x y", "sin(x,y)", "atan2(x)", "1/0", "0⁻¹", "9^9^9^9", ")", "max(1, 2, (3 + x, 4))", "_",
    "x = y", "x == y", "x'''", "x''", "1e400", '"', "⁻", "sin x", "sin", "()", "2x", "f(x)", "m(x)", "x.y",
    "'", "x,y",
]  # fmt: skip


def complaint(read, text):
    with pytest.raises(ModelError) as caught:
        read(text, SCOPE)
    error = caught.value
    return error.message, error.expected, error.remedy, error.column


@pytest.mark.few(1)
@pytest.mark.parametrize("before", some(["max(x, (y + ", "", "sin(", "atan2(1, "], 4, slow=1))
@pytest.mark.parametrize("mistake", some(MISTAKES, 3))
def test_the_same_words_at_the_same_place(mistake, before):
    closing = ")" * before.count("(")
    for count_before, count_after in ((MANY, 0), (MANY, MANY), (0, MANY)):
        found = []
        for before_it, after_it in ((count_before, count_after), (min(1, count_before), min(1, count_after))):
            tail = f" + {TERM * after_it}x" if after_it else ""
            text = f"{TERM * before_it}{before}{TERM}{mistake}{tail}{closing}"
            *words, column = complaint(parse, text)
            assert (len(text) > LONG) == (before_it + after_it > 2)
            found.append((words, column - len(TERM * before_it)))
        assert found[0] == found[1]


@pytest.mark.few(2)
@pytest.mark.parametrize("text", ["x'", "x' = y' = 0", "x' == 0", "= 0", "x' = ", "(x' = 1)"])
def test_equations(text):
    long = complaint(parse_equation, TERM * MANY + text)
    short = complaint(parse_equation, TERM + text)
    assert long[:2] == short[:2]
    assert long[3] - short[3] == (MANY - 1) * len(TERM)


def test_brackets_that_are_never_closed():
    message, *_, column = complaint(parse, TERM * MANY + "(x + " + TERM * MANY + "x")
    assert message == "this bracket is never closed"
    assert column == len(TERM * MANY) + 1


def test_what_folds_far_apart_is_found_too():
    far = "1e308*" + "x*" * LONG + "x + 1e308 + 1e308"
    assert complaint(parse, far)[0] == "a number is outside the range of double precision"
