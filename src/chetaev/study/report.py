"""The report: one self-contained HTML file that opens offline, prints well, light and dark."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from chetaev.expr.latex import name_latex
from chetaev.expr.text import to_text
from chetaev.study.mathml import mathml
from chetaev.study.words import count, summary

if TYPE_CHECKING:
    from chetaev.study.study import Study

LONG_FORMULA = 6000
"""Longer LaTeX is shown as text: no one reads it, and browsers lay it out slowly."""


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["math"] = lambda latex: Markup(mathml(latex))
    environment.filters["number"] = _number
    source = files("chetaev.study").joinpath("report.html.jinja").read_text(encoding="utf-8")
    return environment.from_string(source)


def _number(value: Any, digits: int = 10) -> str:
    return "–" if value is None else f"{float(value):.{digits}g}"


def render(study: Study) -> str:
    """The report of a study, finished or not."""
    from markupsafe import Markup

    from chetaev import __version__

    system = study.system
    player, plots, script = _pictures(study)
    css = files("chetaev.study").joinpath("report.css").read_text(encoding="utf-8")
    html: str = _template().render(
        system=system,
        version=__version__,
        started=study.started,
        css=Markup(css),
        summary=summary(study),
        model=_model(study),
        parameters=_parameters(study),
        state=_state(study),
        classification=study.data("classification"),
        equations=_equations(study.data("equations")),
        agreement=study.data("agreement"),
        laws=study.data("laws").get("laws", []),
        motion=study.data("motion"),
        outcomes=study.outcomes,
        player=Markup(player),
        plots=[(title, Markup(plot)) for title, plot in plots],
        script=Markup(script),
        toml=system.to_toml(),
        versions=_versions(study),
        count=count,
    )
    return html


def _model(study: Study) -> list[tuple[str, str]]:
    from chetaev.model.display import latex_rows

    return [(label, formula) for label, formula in latex_rows(study.system)]


def _parameters(study: Study) -> list[tuple[str, str, str]]:
    system = study.system
    return [
        (
            name_latex(name),
            "" if expr.op == "number" else to_text(expr),
            f"{system.parameter_values[name]:.10g}",
        )
        for name, expr in system.parameters.items()
    ]


def _state(study: Study) -> list[tuple[str, str, str, str]]:
    system = study.system
    if system.initial is None:
        return []
    state = system.state
    rows = []
    for name in system.coordinates:
        solved = "solved from the constraints" if name + "'" in state.solved else ""
        rows.append(
            (name_latex(name), f"{state.position[name]:.10g}", f"{state.velocity[name]:.10g}", solved)
        )
    return rows


def _equations(data: dict[str, Any]) -> dict[str, Any]:
    """The equations with formulas that are too long to be read as text."""
    if not data:
        return {}
    forms = []
    for form in data["forms"]:
        latex = form["equations_latex"]
        meanings = form["definitions_latex"]
        size = sum(len(a) + len(b) for a, b in [*latex, *meanings])
        forms.append({**form, "long": size > LONG_FORMULA, "meanings": meanings})
    return {"forms": forms, "excluded": data["excluded"]}


def _versions(study: Study) -> dict[str, str]:
    motion = study.data("motion")
    found: dict[str, str] = json.loads(motion["versions"]) if motion else {}
    return found


def _pictures(study: Study) -> tuple[str, list[tuple[str, str]], str]:
    """The animation, the plots, and the script that both need; empty where there is no motion."""
    if study.motion is None:
        return "", [], ""
    from chetaev.study.pictures import pictures

    return pictures(study.system, study.motion, study.data("laws").get("laws", []))
