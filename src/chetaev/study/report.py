"""The report: one self-contained HTML file that opens offline, prints well, light and dark."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from chetaev.constraint.kind.regularity import Regularity
from chetaev.equations.registry import FORMS
from chetaev.expr.graph.node import ONE, ZERO, Expr, definitions, number
from chetaev.expr.graph.sharing import text_length
from chetaev.expr.print import mathml, page, relation
from chetaev.expr.print.broken_lines import WIDTH, lines, measure
from chetaev.expr.print.layout import Indexed, Layout, Name
from chetaev.model.system_display import meanings_of, rows
from chetaev.study.report_formulas import DETERMINANT, RATE, multiplier_rule
from chetaev.study.words import count, names_of, plain_number, power, sentence, spoken, summary, typed
from chetaev.terms_of_papers import with_explanations

if TYPE_CHECKING:
    from markupsafe import Markup

    from chetaev.constraint.kind.classification import Classification
    from chetaev.laws.law import Law
    from chetaev.study.study import Study

Formula = Expr | Layout
LONG = 10_000
"""Equations with more LaTeX are not shown: no one reads them, and browsers lay them out slowly."""
NARROW, LONG_REASON = 60, 1_000
"""Letters in a line of a table, and the most LaTeX of a formula in one."""
MOST_VALUES = 12
"""Values of a state that are written down."""
INLINE = 40
"""Letters in a formula that stands within a sentence."""
_NOTHING: dict[str, Any] = {"remark": "", "searched": "", "excluded": {}}
"""Of a stage that has not found anything yet."""
_YES = {"True": "yes", "False": "no", "None": "undecided"}


@cache
def _text(name: str) -> str:
    return files("chetaev.study").joinpath(name).read_text(encoding="utf-8")


@cache
def _template(name: str = "report.html.jinja") -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["math"] = _math
    environment.filters["equation"] = lambda pair: _equation(*pair)
    environment.filters["narrow"] = lambda pair: _equation(*pair, width=NARROW)
    environment.filters["number"] = _number
    environment.filters["power"] = power
    environment.filters["signed"] = lambda text: plain_number(str(text))
    environment.globals["points"] = _points
    return environment.from_string(_text(name))


def _number(value: Any) -> str:
    return "–" if value is None else plain_number(f"{float(value):.10g}")


def _laid_out(formula: Formula) -> Layout:
    return page(formula)[0] if isinstance(formula, Expr) else formula


@lru_cache(maxsize=8192)
def _math(formula: Formula) -> Markup:
    """A formula within a sentence."""
    from markupsafe import Markup

    return Markup(mathml(_laid_out(formula)))


@lru_cache(maxsize=4096)
def _equation(left: Formula, right: Formula, width: int = WIDTH) -> Markup:
    """An equation over as many lines as it needs."""
    from markupsafe import Markup

    first, *rest = map(mathml, lines(_laid_out(left), _laid_out(right), width))
    rows = [f"<div>{first}</div>"] + [f'<div class="more">{line}</div>' for line in rest]
    return Markup(f'<div class="equation">{"".join(rows)}</div>')


def _is_zero(formula: Expr, sign: str = "=") -> Layout:
    """f = 0, or with another sign."""
    return relation(formula, ZERO, sign)


def render(study: Study) -> str:
    """The report of a study, finished or not."""
    from markupsafe import Markup

    from chetaev.study.cited import bibtex, citation
    from chetaev.study.provenance import versions
    from chetaev.view.player import embedded, own, secured

    system = study.system
    shown = study.pictures
    names = names_of(study)
    html: str = _template().render(
        study=study,
        system=system,
        summary=summary(study),
        css=Markup(own("style", _text("report.css"))),
        model=rows(system),
        named=len(rows(system)) - len(meanings_of(system)),
        parameters=_parameters(study),
        state=_state(study),
        units=defaultdict(str, system.units),
        classification=_classification(study.data("classification"), study.values("classification")),
        equations=_equations(study.data("equations"), study.values("equations")),
        agreement=study.data("agreement"),
        laws=_laws(study.data("laws").get("laws", []), study.values("laws")),
        no_laws=study.data("laws").get("excluded", {}),
        searched=study.data("laws").get("searched", ""),
        by_equation=study.data("laws").get("by_equation", []),
        symmetries={**_NOTHING, **study.data("symmetries")},
        symmetric=_symmetric(study.values("symmetries")),
        motion=study.data("motion"),
        outcomes=study.outcomes,
        hamilton=lambda missing: _hamilton(study, missing),
        steady=lambda missing: _steady(study, missing),
        claims=study.values("claims") or [],
        player=Markup(shown.player) if shown else "",
        plots=Markup(embedded(shown.data)) if shown else "",
        library=Markup(own("script", _text("plots.js"))),
        toml=system.to_toml(),
        versions=versions(),
        cite=f"{citation(study.started[:4])}.",
        bibtex=bibtex(study.started[:4]),
        count=count,
        say=lambda text: spoken(text, names),
        typed=lambda text: typed(text, names),
        sentence=lambda text: spoken(sentence(text, names), names),
        forms=FORMS,
        multiplier_rule=multiplier_rule(system),
        DETERMINANT=DETERMINANT,
        RATE=RATE,
        Name=Name,
        is_zero=_is_zero,
        signed=_signed,
        ZERO=ZERO,
    )
    return secured(with_explanations(html))


def _points(witness: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> list[tuple[str, int, str]]:
    """The values of a state: name, how often differentiated, value."""
    pairs = list(witness.items() if isinstance(witness, Mapping) else witness)
    bare = [(name.rstrip("'"), name.count("'"), f"{float(x):.4g}") for name, x in pairs]
    return bare if len(bare) <= MOST_VALUES else [*bare[: MOST_VALUES - 1], ("…", 0, "…")]


def _hamilton(study: Study, missing: Markup) -> Markup:
    """The section on the Hamiltonian side."""
    from markupsafe import Markup

    data, names = study.data("hamilton"), names_of(study)
    blocks = [
        {"title": title, "pairs": pairs, "long": _size(plain["equations"]) > LONG}
        for (title, pairs), plain in zip(study.values("hamilton") or [], data.get("blocks", []), strict=True)
    ]
    html: str = _template("report_hamilton.html.jinja").render(
        missing=missing,
        blocks=blocks,
        sentences=data.get("words", []),
        last=data.get("kind") == "momenta",  # a remark on what was shown
        sentence=lambda text: spoken(sentence(text, names), names),
    )
    return Markup(html)


def _steady(study: Study, missing: Markup) -> Markup:
    """The section on equilibria and steady motions."""
    from markupsafe import Markup

    data, names = study.data("steady"), names_of(study)
    values = study.values("steady") or {}
    html: str = _template("report_steady.html.jinja").render(
        missing=missing,
        **{key: data[key] for key in ("equilibria", "motions") if key in data},
        rest=values.get("equilibria", []),
        moves=values.get("motions", []),
        cyclic=data.get("cyclic", []),
        excluded=data.get("excluded", {}),
        sentence=lambda text: spoken(sentence(text, names), names),
        says=lambda text: sentence(text, names).rstrip(".").partition(":")[0],
        Name=Name,
        is_zero=_is_zero,
    )
    return Markup(html)


def _parameters(study: Study) -> list[tuple[str, Expr | None, str]]:
    system = study.system
    return [
        (name, None if expr.op == "number" else expr, f"{system.parameter_values[name]:.10g}")
        for name, expr in system.parameters.items()
    ]


def _state(study: Study) -> list[tuple[str, str, str]]:
    system = study.system
    if system.initial is None:
        return []
    state = system.state
    return [(c, _value(state.position[c]), _value(state.velocity[c])) for c in system.coordinates]


def _value(value: float) -> str:
    """A value of the initial state; what is left by rounding is written short."""
    return power(value) if 0 < abs(value) < 1e-12 else f"{value:.10g}"


def _classification(data: dict[str, Any], found: Classification | None) -> dict[str, Any]:
    """The classification with its findings as rows: question, answer, reason, evidence, source."""
    if found is None:
        return {}
    named = ("holonomy", "velocities", "time")
    rows = []
    for finding in found.findings:
        question = finding.question
        answer = data[question] if question in named and data.get(question) else finding.answer
        rows.append({"finding": finding, "answer": _YES.get(answer, answer), **_typeset(finding.value)})
    return {"found": found, "rows": rows}


def _typeset(value: Any) -> dict[str, Any]:
    """What a finding tells of, where it is shown as formulas."""
    if not isinstance(value, Regularity) or value.determinant is None:
        return {"typeset": False}
    zeros = [(a, [(e, measure(*page(e)) < INLINE) for e in found], b) for a, found, b in value.zeros]
    long = text_length(value.determinant, *value.vanishing) > LONG_REASON
    return {"typeset": True, "long": long, "value": value, "zeros": zeros}


def _equations(data: dict[str, Any], values: dict[str, Any] | None) -> dict[str, Any]:
    """Formulations whose equations read the same stand together; those too long to be read are apart."""
    if not values:
        return {}
    groups: dict[tuple[Any, ...], dict[str, Any]] = {}
    long = []
    for form, (equations, valid) in zip(data["forms"], values["forms"], strict=True):
        size = _size(form["equations_latex"], form["definitions_latex"])
        if size > LONG or (not equations and form["letters"]):  # those of no letters: none is left
            long.append(form)
            continue
        opened = size < LONG // 2 and sum(group["open"] for group in groups.values()) < 2
        pairs = [(e.lhs, e.rhs) for e in equations]
        made = {"pairs": pairs, "where": _meanings(*(side for pair in pairs for side in pair)), "names": []}
        group = groups.setdefault((*equations, valid), made | {"open": opened, "valid": valid})
        group["names"].append((form["form"], form["source"], form["operations"]))
    solution = None
    if data["solution"] and _size(data["solution"]["latex"], data["solution"]["definitions_latex"]) <= LONG:
        pairs = values["solution"]
        multipliers = data["solution"]["multipliers"]
        solution = {"pairs": pairs, "where": _meanings(*(e for _, e in pairs)), "multipliers": multipliers}
    rest = {"excluded": data["excluded"], "solution": solution, "left_open": data["left_open"]}
    return {"groups": list(groups.values()), "long": long, **rest}


def _meanings(*formulas: Expr) -> list[tuple[Layout, Expr]]:
    return [(Name(d.value), d.args[0]) for d in definitions(*formulas)]


def _size(*pairs: list[list[str]]) -> int:
    return sum(len(text) for part in pairs for pair in part for text in pair)


def _symbol(law: Law) -> Layout:
    """p_i for a momentum, E for the energy, F_n for an integral that was found."""
    letter, index = law.letter
    return Indexed(Name(letter), Name(index)) if index else Name(letter)


def _laws(entries: list[dict[str, Any]], laws: list[Law] | None) -> list[dict[str, Any]]:
    """Laws with a symbol for each, and what is known of them along the motion."""
    shown = []
    for law, entry in zip(laws or [], entries, strict=True):
        symbol = _symbol(law)
        shown.append({**entry, "law": law, "symbol": symbol, "long": len(entry["latex"]) > LONG})
    return shown


def _signed(components: Mapping[str, Expr]) -> list[tuple[str, Expr | None, str]]:
    """The components of a field as a sum: sign, size (None for 1) and name of the coordinate."""
    shown = []
    for name, e in components.items():
        negative = e.op == "neg" or (e.op == "number" and e.value < 0)
        size = e.args[0] if e.op == "neg" else number(-e.value) if negative else e
        shown.append(("−" if negative else "", None if size == ONE else size, name))
    return shown


def _symmetric(values: dict[str, Any] | None) -> dict[str, Any]:
    """Fields, momentum equations and the density, each with the symbols that it has on the page."""
    if not values:
        return {"fields": [], "known": [], "momenta": []}
    momenta = [
        (one, Indexed(Name("J"), Name(str(n))), Indexed(Name("J", 1), Name(str(n))))
        for n, one in enumerate(values["momenta"], start=1)
        if one.momentum is not ZERO and text_length(one.momentum) + text_length(one.rate) <= LONG
    ]
    measure = values["measure"]
    density = None if measure is None else measure.density
    if density is not None and text_length(density) > LONG:
        density = None
    obstruction = None if measure is None else measure.obstruction
    state = [] if obstruction is None else obstruction.state.items()
    shown = [(Name(name.rstrip("'"), name.count("'")), e) for name, e in state]
    return {
        "fields": values["symmetries"],
        "known": list(dict.fromkeys(str(one.evidence) for one in values["symmetries"])),
        "momenta": momenta,
        "density": density,
        "multiplier": None if measure is None else measure.multiplier,
        "singular": () if measure is None else measure.singular,
        "obstruction": obstruction,
        "state": shown,
    }
