"""Everything as it is printed: what printed_forms.txt says, which `make forms` writes anew.

The file holds inputs, each followed by lines with a kind of output and the output. To add a form, write its
input and the kinds, and run `make forms`; when forms change, read the difference. Inputs are expressions of
the model language, ``equations MODEL FORM`` with a model of the gallery or of :data:`MODELS`, or ``geometry``
and a name of :data:`OBJECTS`. Kinds are

``text``    the expression in the model language; equations, a line each
``latex``   the same in LaTeX
``mathml``  the same in a page
``normal``  the expression after its normal form, as results are shown
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import chetaev as ch
from chetaev.expr.exact import Field
from chetaev.expr.graph.node import CONSTANTS, FUNCTIONS
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import Scope
from chetaev.expr.print import mathml, page, to_latex, to_text
from chetaev.geometry import Chart, Distribution, Form, JetChart, vertical_endomorphism

FILE = Path(__file__).with_name("printed_forms.txt")
NAME = re.compile(r"[^\W\d]\w*")
SPACE = {"coordinates": ["x", "y", "z"], "lagrangian": "(x'^2 + y'^2 + z'^2)/2"}
CHART = Chart(["x", "theta"], parameters=["m"])
JET = JetChart(["x", "theta"], order=1, field=CHART.field)
HIGH = JetChart(["x"], order=3)
OBJECTS: dict[str, Any] = {
    "dx ^ dtheta": CHART.d("x") ^ CHART.d("theta"),
    "m*x dtheta - dx": CHART("m*x") * CHART.d("theta") - CHART.d("x"),
    "2 d/dtheta": CHART.partial("theta") * 2,
    "(x + 1) d/dx": CHART("x + 1") * CHART.partial("x"),
    "d/dtheta'": JET.partial("theta'"),
    "dx'": JET.d("x'"),
    "x'''^2 dx'''": HIGH.q(3)[0] ** 2 * HIGH.d("x'''"),
    "the zero form": Form.zero(CHART, 2),
    "a function": Form.function(CHART, "x"),
    "the vertical endomorphism": vertical_endomorphism(JetChart(["x"], order=1)),
    "the span of d/dx": Distribution.spanned_by([CHART.partial("x")]),
}
MODELS = {
    "hyperbolic plane": ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + sinh(x)^2*y'^2)/2"),
    "hyperbolic constraint": ch.System(**SPACE, constraints=["z' = tanh(x)*y'"]),
}


def forms() -> dict[str, list[tuple[str, str]]]:
    """The inputs of the file, each with its kinds and outputs."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in FILE.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        if not line.startswith(" "):
            given = found.setdefault(line, [])
        else:
            given.append((line[4:11].strip(), line[12:]))
    return found


def printed(shown: str, kind: str) -> list[str]:
    """The lines that are printed for an input."""
    if shown.startswith("equations "):
        model, _, form = shown.removeprefix("equations ").rpartition(" ")
        law = ch.equations(MODELS[model] if model in MODELS else ch.load(model), form)
        return (str(law) if kind == "text" else law.latex()).splitlines()
    if shown.startswith("geometry "):
        thing = OBJECTS[shown.removeprefix("geometry ")]
        return [str(thing) if kind == "text" else thing.latex()]
    names = dict.fromkeys(n for n in NAME.findall(shown) if n not in FUNCTIONS and n not in CONSTANTS)
    e = parse(shown, Scope.of(names, time=None, order=2))
    match kind:
        case "text":
            return [to_text(e)]
        case "latex":
            return [to_latex(e)]
        case "mathml":
            return [mathml(*page(e))]
        case "normal":
            return [to_text(Field()(e).to_expr())]
    raise ValueError(f"{kind!r} is no kind of output")


def lines(shown: str, kinds: list[str]) -> list[tuple[str, str]]:
    """Kinds and outputs as they stand in the file."""
    return [(kind, line) for kind in dict.fromkeys(kinds) for line in printed(shown, kind)]


FORMS = forms()


@pytest.mark.parametrize("shown", FORMS)
def test_printed_forms(shown: str) -> None:
    assert lines(shown, [kind for kind, _ in FORMS[shown]]) == FORMS[shown]


def write() -> None:
    """The file with the same inputs and kinds, and outputs made anew."""
    kept = [line for line in FILE.read_text().splitlines() if line.startswith("#")]
    for shown, given in FORMS.items():
        kept += ["", shown, *(f"    {kind:7} {line}" for kind, line in lines(shown, [k for k, _ in given]))]
    FILE.write_text("\n".join(kept) + "\n")


if __name__ == "__main__":
    write()
