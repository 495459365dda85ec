"""The report: one self-contained HTML file that opens offline, prints well, light and dark."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from chetaev.equations.forms import FORMS
from chetaev.expr.latex import name_latex, to_latex
from chetaev.study.breaking import WIDTH, lines
from chetaev.study.mathml import mathml
from chetaev.study.tex import multiplier_rule
from chetaev.study.words import count, names_of, power, sentence, spoken, summary

if TYPE_CHECKING:
    from markupsafe import Markup

    from chetaev.constraint.classification import Classification
    from chetaev.study.study import Study

LONG = 10_000
"""Equations with more LaTeX are not shown: no one reads them, and browsers lay them out slowly."""
NARROW, LONG_REASON = 60, 1_000
"""Letters in a line of a table, and the most LaTeX of a formula in one."""
_YES = {"True": "yes", "False": "no", "None": "undecided"}


@cache
def _text(name: str) -> str:
    return files("chetaev.study").joinpath(name).read_text(encoding="utf-8")


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["math"] = _math
    environment.filters["equation"] = lambda pair: _equation(*pair)
    environment.filters["narrow"] = lambda pair: _equation(*pair, width=NARROW)
    environment.filters["number"] = lambda value: "–" if value is None else f"{float(value):.10g}"
    environment.filters["power"] = power
    return environment.from_string(_text("report.html.jinja"))


def _math(latex: str) -> Markup:
    from markupsafe import Markup

    return Markup(mathml(latex))


@lru_cache(maxsize=4096)
def _equation(left: str, right: str, width: int = WIDTH) -> Markup:
    """An equation over as many lines as it needs."""
    from markupsafe import Markup

    first, *rest = lines(left, right, width)
    rows = [f"<div>{mathml(first)}</div>"] + [
        f'<div class="more">{mathml("{} " + line)}</div>' for line in rest
    ]
    return Markup(f'<div class="equation">{"".join(rows)}</div>')


def render(study: Study) -> str:
    """The report of a study, finished or not."""
    from markupsafe import Markup

    from chetaev.study.pictures import library
    from chetaev.study.provenance import bibtex, citation, versions

    system = study.system
    shown = study.pictures
    names = names_of(study)
    html: str = _template().render(
        study=study,
        system=system,
        summary=summary(study),
        css=Markup(_text("report.css")),
        model=_model(study),
        named=len(_model(study)) - _definitions(study),
        parameters=_parameters(study),
        state=_state(study),
        classification=_classification(study.data("classification"), study.values("classification")),
        equations=_equations(study.data("equations")),
        agreement=study.data("agreement"),
        laws=_laws(study.data("laws").get("laws", [])),
        motion=study.data("motion"),
        outcomes=study.outcomes,
        player=Markup(shown.player) if shown else "",
        plots=[(p.key, p.title, Markup(p.data)) for p in shown.plots] if shown else [],
        library=Markup(library()) if shown else "",
        toml=system.to_toml(),
        versions=versions(),
        cite=citation(study),
        bibtex=bibtex(study),
        count=count,
        say=lambda text: spoken(text, names),
        sentence=lambda text: spoken(sentence(text, names), names),
        forms=FORMS,
        multiplier_rule=multiplier_rule(system),
    )
    return html


def _model(study: Study) -> list[tuple[str, str, str]]:
    """Left side, right side, label."""
    from chetaev.model.display import latex_rows, sides

    return [sides(*row) for row in latex_rows(study.system)]


def _definitions(study: Study) -> int:
    """How many rows of the model, the last ones, say what definitions mean."""
    from chetaev.model.display import meanings_of

    return len(meanings_of(study.system))


def _parameters(study: Study) -> list[tuple[str, str, str]]:
    system = study.system
    return [
        (
            name_latex(name),
            "" if expr.op == "number" else to_latex(expr),
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
        kinds = [k for k, key in (("position", name), ("velocity", name + "'")) if key in state.solved]
        note = f"{' and '.join(kinds)} solved from the constraints" if kinds else ""
        rows.append((name_latex(name), _value(state.position[name]), _value(state.velocity[name]), note))
    return rows


def _value(value: float) -> str:
    """A value of the initial state; what is left by rounding is written short."""
    return power(value) if 0 < abs(value) < 1e-12 else f"{value:.10g}"


def _classification(data: dict[str, Any], values: Classification) -> dict[str, Any]:
    """The classification with its findings as rows: question, answer, reason, evidence, source."""
    if not data:
        return {}
    named = ("holonomy", "velocities", "time")
    rows = []
    for finding in data["findings"]:
        question = finding["question"]
        answer = data[question] if question in named and data.get(question) else finding["answer"]
        formulas = [finding.get("determinant_latex", ""), *finding.get("singular_latex", [])]
        size = max(map(len, formulas))
        shown = {"answer": _YES.get(answer, answer), "typeset": size > 0, "long": size > LONG_REASON}
        rows.append({**finding, **shown})
    return {**data, "rows": rows, "kinds": values.kinds}


def _equations(data: dict[str, Any]) -> dict[str, Any]:
    """Formulations whose equations read the same stand together; those too long to be read are apart."""
    if not data:
        return {}
    groups: dict[str, dict[str, Any]] = {}
    long = []
    for form in data["forms"]:
        if not form["equations"] or _size(form, "equations_latex") > LONG:
            long.append(form)
            continue
        short = _size(form, "equations_latex") < LONG // 2
        opened = short and sum(group["open"] for group in groups.values()) < 2
        group = groups.setdefault(repr(form["equations_latex"]), {**form, "names": [], "open": opened})
        group["names"].append((form["form"], form["source"], form["operations"]))
    solution = data.get("solution")
    if solution and _size(solution, "latex") > LONG:
        solution = None
    return {"groups": list(groups.values()), "long": long, "excluded": data["excluded"], "solution": solution}


def _size(form: dict[str, Any], key: str) -> int:
    return sum(len(a) + len(b) for a, b in [*form[key], *form["definitions_latex"]])


def _laws(laws: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Laws with a symbol for each."""
    shown = []
    for law in laws:
        coordinate = law.get("coordinate")
        symbol = f"p_{{{name_latex(coordinate)}}}" if coordinate else "E"
        shown.append({**law, "symbol": symbol, "long": len(law["latex"]) > LONG})
    return shown
