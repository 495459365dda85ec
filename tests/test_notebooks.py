"""What a notebook shows: tables for tables, broken equations, errors in one sentence; SymPy on request."""

from __future__ import annotations

import re

import pytest
import sympy

import chetaev as ch
from chetaev.expr.print.broken_lines import WIDTH
from chetaev.laws.integrals import judged


@pytest.mark.slow
def test_results_show_as_tables_and_their_words_are_no_markup() -> None:
    knife = ch.load("knife-edge")
    comparison = ch.compare(knife, samples=4, prove=False)
    results = [
        comparison,
        ch.forms(knife),
        ch.integrals(knife),
        judged(knife),
        ch.sensitivities(knife, until=1),
        ch.cite(knife),
    ]
    for result in results:
        shown = result._repr_html_()
        rows = result._table_().rows
        assert shown.count("<tr>") == len(rows) + 1
    assert len(comparison._table_().rows) == len(comparison.rows)
    assert "&lt; 1e-40" in comparison._repr_html_()
    hostile = ch.System(name="<script>", coordinates=["x"], lagrangian="x'^2/2", source="<b>")
    assert "<script>" not in ch.compare(hostile, samples=2, prove=False)._repr_html_()
    assert "<b>" not in ch.cite(hostile)._repr_html_()


def test_a_part_of_sensitivities_shows_as_a_data_set() -> None:
    found = ch.sensitivities(ch.load("knife-edge"), until=0.5)
    assert "<table>" in found._repr_html_()
    assert "by_initial" in found.isel(final=0)._repr_html_()
    assert float(found.isel(final=0).state) == float(found.state[0])


@pytest.mark.slow
def test_long_equations_break_and_short_ones_do_not() -> None:
    long = ch.equations(ch.load("differential-drive"))._repr_latex_()
    lines = long.split("\\\\\n")
    assert len(lines) > 4
    assert max(len(re.sub(r"\\[a-zA-Z]+|[{}\s,]", "", line)) for line in lines) < 2 * WIDTH
    short = ch.equations(ch.load("knife-edge"), "chetaev")
    assert short._repr_latex_() == f"$$\n{short.latex()}\n$$"
    sum_ = next(iter(ch.equations(ch.load("rolling-disc")).accelerations.values()))
    assert sum_._repr_latex_().count("\\\\\n") >= 1


def test_an_error_shows_the_line_and_the_message_and_no_frames_of_ours() -> None:
    with pytest.raises(ch.ModelError) as caught:
        ch.load("rolling-disk")
    shown = caught.value._render_traceback_()
    assert shown[0].endswith('ch.load("rolling-disk")')
    assert "did you mean 'rolling-disc'" in shown[-1]
    assert "site-packages" not in "".join(shown)
    assert "loader.py" not in "".join(shown)
    assert ch.ModelError("alone")._render_traceback_() == ["ModelError: alone"]


def test_expressions_are_sympy_s_on_request() -> None:
    a = ch.equations(ch.load("knife-edge"), "chetaev").accelerations["x"]
    phi, x_dot = (sympy.Symbol(name, real=True) for name in ("phi", "x_dot"))
    assert sympy.sympify(a) == a.to_sympy()
    assert {phi, x_dot} <= sympy.sympify(a).free_symbols
    assert sympy.diff(a, phi) == a.to_sympy().diff(phi)
    named = ch.System(coordinates=["x"], lagrangian="T", define={"T": "x'^2/2"}, degenerate=True).lagrangian
    assert named.to_sympy() == sympy.Symbol("T", real=True)
    assert named.to_sympy(expand=True) == x_dot**2 / 2


@pytest.mark.slow
def test_citations_name_the_works_behind_what_was_used() -> None:
    disc = ch.load("rolling-disc")
    found = str(ch.cite(ch.equations(disc, "gauss"), ch.integrals(disc)))
    assert found.startswith("chetaev developers")
    assert "the form 'gauss' (L8, L9): A. D. Lewis" in found
    assert "Swaczyna" in found
    assert "@software" in ch.cite().bibtex
    assert "Krupková" in str(ch.cite(ch.vakonomic(ch.load("knife-edge"), until=0.1)))
    with pytest.raises(ch.ModelError, match=r"ch\.cite was given 3"):
        ch.cite(3)


@pytest.mark.slow
def test_at_a_prompt_a_result_is_one_line():
    """And print shows the whole: no dump of fields, no list of dumps."""
    sleigh = ch.load("knife-edge")
    spring = ch.System(coordinates=["x"], lagrangian="x'^2/2 - k*x^2/2", parameters={"k": 1})
    laws, rest = ch.integrals(sleigh, degree=1), ch.equilibria(spring)
    results = [
        ch.classify(sleigh), ch.forms(sleigh), ch.compare(spring, samples=2, prove=False),
        ch.hamilton(sleigh), ch.symmetries(spring), laws, laws[0], rest, rest[0],
        ch.linearize(spring, at={"x": 0, "x_dot": 0}),
    ]  # fmt: skip
    for result in results:
        shown = repr(result)
        assert shown.startswith(f"<{type(result).__name__}")
        assert "\n" not in shown
        assert len(shown) < 140
    assert repr(rest) == "<Equilibria of 1: equilibrium at x = 0: stable>"
    assert str(laws).startswith("energy: ")
    assert "searched: " in str(laws)
    assert "pre-wrap" in rest[0]._repr_html_()


def test_formulas_show_without_a_network() -> None:
    """MathML for every row, as many as in LaTeX; where the rows hold is said."""
    found = ch.equations(ch.load("rolling-disc"), "chetaev")
    shown = found._repr_html_()
    assert shown.count("<p>") >= len(found.rows)
    assert "$" not in shown
    expression = next(iter(ch.equations(ch.load("knife-edge")).accelerations.values()))
    assert expression._repr_html_().startswith("<math>")
