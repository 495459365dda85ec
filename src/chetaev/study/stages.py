"""What a study looks at, stage by stage: each takes a system and gives plain data.

A stage is a generator: it yields what it has so far, again and again, and last what it has in the end. So a
stage that is stopped because its time is over leaves what it had found. Stages are independent: one that
fails takes nothing from the others. What it has found stands under ``"values"`` as objects, for the report;
the rest is the same as plain data. No stage looks at a clock: what it finds depends on the counted effort
that it may spend (None for what is usual), and time can only stop it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import key_name
from chetaev.expr.graph.node import ZERO, Expr, definitions
from chetaev.expr.print import latex, name_latex, relation, to_latex, to_text
from chetaev.expr.print.layout import Layout, Name
from chetaev.model.system import System
from chetaev.study.hamiltonian import hamilton
from chetaev.study.steady_stage import steady
from chetaev.study.symmetry_stage import symmetries
from chetaev.study.told_figures import bound, change, value

if TYPE_CHECKING:
    from chetaev.constraint.submanifold.normal_form import NormalForm
    from chetaev.equations.leading_form import Shown
    from chetaev.laws.law import Law

Data = dict[str, Any]
Stage = Callable[[System, int | None], Iterator[Data]]

SAMPLES, FEW = 64, 4
"""Random points at which formulations are compared, and those that come first, to have something soon."""
SEED = 0
EFFORT_OF_A_FORM = 1_500_000
"""What the normal form of one formulation may cost if nothing else is said."""
LONGEST = 100_000
"""Equations with more letters are left out; ``chetaev show MODEL --form NAME`` has them."""


def motion(system: System, effort: int | None) -> Iterator[Data]:
    """Run the system, check the run by a finer one: the error figures, and the motion as a netCDF file."""
    from base64 import b64encode

    from chetaev.flow.data.labels import length, name_of
    from chetaev.flow.data.save import netcdf
    from chetaev.hamilton.dirac.dirac_run import simulate

    until = None if system.until is not None else system.state.t + 10.0
    result = simulate(system, until=until, check=True)
    figures = {k: v.item() if hasattr(v, "item") else v for k, v in result.attrs.items() if k != "model"}
    figures["first_time"] = float(result[name_of(result, "time")][0])
    figures["points"] = length(result)
    if system.dynamics.has_energy:
        energy = result[name_of(result, "energy")].values
        figures["energy_first"] = value(float(energy[0]))
        figures["energy_change"] = change(float(abs(energy - energy[0]).max()), float(abs(energy).max()))
    if figures["status"] != "done":
        figures["end_time"] = float(f"{figures['end_time']:.6g}")
    if figures.get("check_error") is not None:
        figures["check_error"] = bound(figures["check_error"], 10.0)
    for order, name in ((1, "residual"), (0, "position_residual")):
        if name_of(result, name) in result and bool(result[name_of(result, name)].notnull().any()):
            size = max(1.0, *(float(abs(result[key_name(c, order)]).max()) for c in system.coordinates))
            worst = float(abs(result[name_of(result, name)]).max())
            figures[f"largest_{name}"] = bound(worst, size / 100)  # nothing adds up in a residual
    yield {"figures": figures, "netcdf": b64encode(netcdf(result)).decode()}


def classification(system: System, effort: int | None) -> Iterator[Data]:
    """Which kind of constraint it is, with reasons and evidence."""
    from chetaev.constraint.kind.classifier import classify
    from chetaev.constraint.submanifold.evidence import EFFORT

    result = classify(system, effort or EFFORT)
    data = result.to_json()
    for entry, finding in zip(data["findings"], result.findings, strict=True):
        entry |= _formulas(finding.value)
    data["normal_form_latex"] = [_normal_form(form) for form in result.normal_forms]
    for entry, integral in zip(data["integrals"], result.integrals, strict=True):
        entry["latex"] = to_latex(integral.expression)
    for entry, branch in zip(data["branches"], result.branches, strict=True):
        entry["equations_latex"] = [to_latex(e) for e in branch.equations]
    yield data | {"values": result}


def _formulas(value: Any) -> Data:
    """The formulas that a finding tells of, as LaTeX; nothing where it tells of none."""
    from chetaev.constraint.kind.regularity import Regularity

    if not isinstance(value, Regularity) or value.determinant is None:
        return {}
    zeros = [to_latex(e) for e in value.vanishing]
    return {"words": value.words, "determinant_latex": to_latex(value.determinant), "singular_latex": zeros}


def _normal_form(form: NormalForm) -> Data:
    """A normal form as LaTeX, with the conditions of its branch."""
    pairs = [[name_latex(name, 1), to_latex(e)] for name, e in form.velocities.items()]
    stated = [] if form.seen else form.conditions
    where = [latex(relation(e, ZERO, sign)) for e, sign in stated]
    return {"equations": pairs, "where": where, "notes": [str(note) for note in form.notes]}


def equations(system: System, effort: int | None) -> Iterator[Data]:
    """The equations of motion in every formulation that applies; those that do not, with the reason."""
    from chetaev.equations import registry
    from chetaev.equations.law.singular import left_open
    from chetaev.equations.leading_form import Shown, in_order

    data: Data = {"forms": [], "excluded": {}, "solution": None, "left_open": ""}
    data["values"] = {"forms": [], "solution": []}
    shown: dict[str, Shown] = {}
    made: dict[str, Data] = {}
    for name, law in registry.every_law(system):
        if isinstance(law, str):
            data["excluded"][name] = law
            continue
        shown[name] = Shown.of(law, effort or EFFORT_OF_A_FORM)
        made[name] = _form(shown[name])
        order = [form.law.form for form in in_order(system, shown)]
        data["forms"] = [made[n] for n in order]
        data["values"]["forms"] = [
            (shown[n].rows if made[n]["equations"] else [], shown[n].valid) for n in order
        ]
        yield data
    if shown:
        try:
            data["solution"], data["values"]["solution"] = _solution(system, next(iter(shown)), effort)
        except ModelError:
            why = left_open(system)
            if not why:
                raise
            data["left_open"] = f"{why}; the Hamiltonian side, below, goes on from here by Dirac's algorithm"
    yield data


def _form(form: Shown) -> Data:
    """One formulation as plain data, its rows in normal form."""
    law, shown = form.law, form.rows
    named = definitions(*(side for e in shown for side in (e.lhs, e.rhs)))
    facts = {
        "form": law.form,
        "source": law.source,
        "operations": law.operations,
        "unknowns": list(law.unknowns),
        "valid": form.valid.to_json(),
    }
    texts = [str(e) for e in shown]
    letters = sum(map(len, texts))
    if letters > LONGEST:
        none: Data = {"equations": [], "equations_latex": [], "definitions": {}, "definitions_latex": []}
        return facts | none | {"letters": letters}
    return facts | {
        "letters": letters,
        "equations": texts,
        "equations_latex": [[to_latex(e.lhs), to_latex(e.rhs)] for e in shown],
        "definitions": {d.value: to_text(d.args[0]) for d in named},
        "definitions_latex": [[name_latex(d.value), to_latex(d.args[0])] for d in named],
    }


def _solution(system: System, form: str, effort: int | None) -> tuple[Data, list[tuple[Layout, Expr]]]:
    """Accelerations and multipliers in closed form, as plain data and as pairs of name and value."""
    from chetaev.equations import registry
    from chetaev.equations.law.solved_law import solve

    accelerations, multipliers = solve(registry.equations(system, form), effort)
    named = definitions(*accelerations, *multipliers)
    names: list[Layout] = [Name(c, 2) for c in system.coordinates]
    names += [Name(f"mu_{i + 1}") for i in range(len(multipliers))]
    pairs = list(zip(names, [*accelerations, *multipliers], strict=True))
    data = {
        "form": form,
        "accelerations": dict(zip(system.coordinates, map(to_text, accelerations), strict=True)),
        "multipliers": [to_text(mu) for mu in multipliers],
        "definitions": {d.value: to_text(d.args[0]) for d in named},
        "latex": [[latex(name), to_latex(e)] for name, e in pairs],
        "definitions_latex": [[name_latex(d.value), to_latex(d.args[0])] for d in named],
    }
    return data, pairs


def agreement(system: System, effort: int | None) -> Iterator[Data]:
    """Do all formulations give the same accelerations? First at random points, then by proof."""
    from chetaev.compare.compare import compare
    from chetaev.compare.comparison_table import WITNESSES
    from chetaev.effort import EFFORT, beyond
    from chetaev.equations.law.solved_law import prove
    from chetaev.equations.registry import equations as derive

    for samples in (FEW, SAMPLES):
        result = compare(system, samples, SEED)
        data = result.to_json() | {"evaluated": result.evaluated}
        yield data
    for name, row in data["forms"].items() if result.evaluated else ():
        if name in WITNESSES:
            continue
        found = prove(derive(system, name), effort or EFFORT)
        row |= {"proved": found.proved, "limit": beyond(found.limit) if found.limit else ""}
        yield data


def laws(system: System, effort: int | None) -> Iterator[Data]:
    """Energy and momenta, each proved, refuted or undecided; then the integrals that a search finds."""
    from chetaev.laws.energy import energy_law
    from chetaev.laws.integrals import searched_laws, unjudged
    from chetaev.laws.momenta import momenta
    from chetaev.laws.rate import EFFORT

    effort = effort or EFFORT
    missing = unjudged(system)
    told: Data = {"excluded": missing} if missing else {}
    found = [] if "energy" in missing else [energy_law(system, effort)]
    yield {"laws": [_law(law) for law in found], "values": found} | told
    if "momenta" not in missing:
        found += momenta(system, effort)
    yield {"laws": [_law(law) for law in found], "values": found} | told
    more = searched_laws(system, found, effort=effort)
    if more.searched is not None:
        told["searched"] = str(more.searched)
    if more.by_equation:
        told["by_equation"] = [str(one) for one in more.by_equation]
    found = [*found, *more]
    yield {"laws": [_law(law) for law in found], "values": found} | told


def _law(law: Law) -> Data:
    more = {"coordinate": law.coordinate} if law.coordinate else {}
    return law.to_json() | {"cause": law.cause} | more


def claims(system: System, effort: int | None) -> Iterator[Data]:
    """What is claimed of the system, judged one after the other."""
    from chetaev.laws.rate import EFFORT
    from chetaev.study.claims.claims import judged
    from chetaev.study.claims.judgement import Claims

    found = Claims()
    for one in judged(system, effort or EFFORT):
        found.append(one)
        yield found.to_json() | {"values": list(found)}


EXACT: dict[str, Stage] = {
    "classification": classification,
    "laws": laws,
    "equations": equations,
    "agreement": agreement,
    "hamilton": hamilton,
    "symmetries": symmetries,
    "steady": steady,
    "claims": claims,
}
"""The exact stages, in order; `claims` only where some are made."""

STAGES: dict[str, Stage] = {"motion": motion, **EXACT}


def exact_stages(system: System) -> list[str]:
    """The exact stages of a study of this system."""
    return [name for name in EXACT if name != "claims" or system.claims]


SHARES = {
    "classification": 0.15,
    "laws": 0.25,
    "equations": 0.3,
    "agreement": 0.3,
    "hamilton": 0.1,
    "symmetries": 0.15,
    "steady": 0.15,
    "claims": 0.15,
}
"""How a time budget is divided; what a stage leaves goes to the next."""
