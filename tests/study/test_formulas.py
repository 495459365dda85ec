"""Formulas in a page and in a LaTeX document: converted whole, balanced, broken into lines."""

import re
from xml.etree import ElementTree

import pytest

import chetaev as ch
from chetaev.expr.latex import to_latex
from chetaev.expr.parser import parse
from chetaev.model.display import latex_rows
from chetaev.study.breaking import lines, measure, terms
from chetaev.study.mathml import mathml
from chetaev.study.tex import escape


def tree(latex):
    """The elements of a formula; it must be well-formed and known."""
    made = mathml(latex)
    assert made.startswith("<math>"), latex
    return ElementTree.fromstring(made)


@pytest.mark.parametrize("name", ch.gallery())
def test_every_formula_of_the_gallery_is_known(name):
    for row in latex_rows(ch.load(name)):
        for part in row:
            tree(part)


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("theta'^2/2", ["mfrac", "msup", "mover"]),
        ("sqrt(x)*abs(theta)", ["msqrt"]),
        ("atan2(x, theta) + asinh(x)", ["mi", "mrow"]),
        ("sin(theta)^2*x_1'^3", ["msubsup"]),
        ("exp(-x^2)*pi/e", ["msup", "mfrac"]),
        ("max(x, theta, größe)", ["mtext"]),
    ],
)
def test_parts_of_formulas(text, tags):
    system = ch.System(
        coordinates=["x", "theta", "x_1", "größe"], lagrangian="x'^2 + theta'^2 + x_1'^2 + größe'^2"
    )
    found = {element.tag for element in tree(to_latex(parse(text, system.scope))).iter()}
    assert found.issuperset(tags)


def test_functions_and_words_keep_their_distance():
    assert mathml(r"R \cos \phi \dot{\psi}").count("<mspace") == 3
    assert mathml(r"\cos \phi").count("<mspace") == 1
    assert mathml(r"\cos\left(x\right)").count("<mspace") == 0
    assert mathml(r"\dot{\text{ab}} x").count("<mspace") == 1
    assert mathml(r"\mathrm{ab} + x").count("<mspace") == 0


@pytest.mark.parametrize(
    "broken", ["{", r"\frac{a}", r"\left(x", "x^", "}", r"\left(x}", r"\alert", "x & y", "<b>"]
)
def test_what_cannot_be_read_is_shown_as_code(broken):
    made = mathml(broken)
    assert made.startswith(("<code>", "<math>"))
    assert "<b>" not in made
    ElementTree.fromstring(made)


def test_text_inside_of_formulas_is_escaped():
    assert "<script" not in mathml(r"\text{<script>} + \mathrm{a&b}")


def test_short_equations_are_left_alone():
    assert lines("a", "b + c") == ["a = b + c"]
    assert terms(r"-a + \frac{b - c}{d} - \left(e + f\right)") == [
        "-a",
        r"+ \frac{b - c}{d}",
        r"- \left(e + f\right)",
    ]


def test_sums_inside_of_functions_are_not_broken():
    assert terms(r"a \cos(b + c) - d") == [r"a \cos(b + c)", "- d"]


def long_sum(count):
    return " + ".join(rf"m_{{{i}}} \dot{{x}}_{{{i}}}^{{2}} \sin \theta_{{{i}}}" for i in range(count))


@pytest.mark.parametrize(
    "right",
    [
        long_sum(20),
        rf"\frac{{{long_sum(20)}}}{{2}}",
        rf"\frac{{a \left({long_sum(20)}\right)}}{{b + c}} z",
        rf"- k \left({long_sum(8)} - \left({long_sum(20)}\right) w\right) \ddot{{y}}",
    ],
)
def test_long_equations_are_broken_and_stay_whole(right):
    made = lines(r"\ddot{x}", right, 60)
    assert len(made) > 3
    for line in made:
        assert measure(line) <= 75
        tree("{} " + line)
    names = lambda text: re.findall(r"m_\{\d+\}|\\ddot\{\w\}|[abckwz](?![a-z])", text)  # noqa: E731
    assert names(" ".join(made)) == names(rf"\ddot{{x}} = {right}") or "frac" in right
    assert sorted(names(" ".join(made))) == sorted(names(rf"\ddot{{x}} = {right}"))
    joined = " ".join(made)
    for opening, closing in (("{", "}"), (r"\left", r"\right"), (r"\bigl(", r"\bigr)")):
        assert joined.count(opening) == joined.count(closing)


def test_plain_text_in_latex():
    assert escape(r"50% \input{x} $a_1^2$ #1 & ~") == (
        r"50\% \textbackslash{}input\{x\} \$a\_1\textasciicircum{}2\$ \#1 \& \textasciitilde{}"
    )
    assert escape("μ − ∂f") == r"$\mu$ $-$ $\partial$f"
    assert escape("a\x00b") == "ab"


def test_a_wide_denominator_is_broken_too():
    wide = " + ".join(f"a_{{{i}}} b_{{{i}}}" for i in range(60))
    made = lines("x", rf"\frac{{1}}{{{wide}}}", 60)
    assert len(made) > 3
    assert max(map(measure, made)) <= 66
    assert "\\frac" not in "".join(made)
    for line in made:
        tree("{} " + line)
    above = " + ".join(f"c_{{{i}}}" for i in range(60))
    made = lines("x", rf"2 \frac{{{above}}}{{{wide}}} - y", 60)
    assert max(map(measure, made)) <= 66
    text = " ".join(made)
    assert text.count("\\bigl(") == text.count("\\bigr)") == 2


def test_words_in_a_subscript_are_not_a_list():
    from chetaev.expr.latex import name_latex

    assert name_latex("mass_of_cart") == r"\mathrm{mass}_{\mathrm{of}\,\mathrm{cart}}"
    assert name_latex("a_1_2") == "a_{1,2}"
    assert name_latex("omega_x_theta") == r"\omega_{x,\theta}"
    tree(name_latex("mass_of_cart", 1))


def test_a_determinant_is_typeset():
    from chetaev.study.stages import classification

    (found,) = classification(ch.load("ball-on-rotating-table"), None)
    (regular,) = [f for f in found["findings"] if f["question"] == "regular"]
    assert regular["words"] == "B̄ of (86) is regular at generic points"
    assert regular["reason"].startswith(f"{regular['words']}, det = ")
    assert r"\sin" in regular["determinant_latex"]
    assert regular["singular_latex"] == [r"\sin \theta"]
    assert found["values"].singular_where[0] is parse("sin(theta)", ch.load("ball-on-rotating-table").scope)
