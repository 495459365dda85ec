"""What people see in the terminal: tables and sections, by rich."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chetaev.effort import beyond
from chetaev.errors import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from chetaev.compare.comparison_table import Comparison
    from chetaev.constraint.kind.classification import Classification
    from chetaev.equations.leading_form import Shown
    from chetaev.laws.law import Law
    from chetaev.laws.search.suited_space import Searched
    from chetaev.model.system import System

LEAST = 40
"""In a terminal that leaves fewer columns beside the names, texts stand below them."""
MOST = 200
"""Rows of a block that are printed."""
LONGEST = 20_000
"""Letters of one text that are printed."""


class _Console(Console):
    """A console that tells of a reader that went away as Python does; rich would exit."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def words(text: str, style: str = "") -> Text:
    """Text for the terminal: nothing in it steers the terminal, and what no one reads is left out."""
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]} … ({len(text):,} letters in all; --json has them)"
    return Text(visible(text), style=style)


def console() -> Console:
    """A console that prints text as it is: no markup, no emoji, no invented highlights."""
    made = _Console(markup=False, emoji=False, highlight=False)
    if made.is_terminal or "COLUMNS" in os.environ:
        return made
    return _Console(markup=False, emoji=False, highlight=False, width=110)


def indented(out: Console, text: str, indent: int, style: str = "") -> None:
    """Text with all its lines indented, also those the terminal's width makes."""
    for line in words(text, style).wrap(out, max(8, out.width - indent), overflow="fold"):
        line.rstrip()
        out.print(Text(" " * indent) + line, soft_wrap=True)


def print_gallery(rows: list[dict[str, str]]) -> None:
    """The gallery by topic, as tables; in a narrow terminal as lists."""
    from itertools import groupby

    from chetaev.model.gallery.topics import OTHER, TOPICS

    out = console()
    order = [*TOPICS, OTHER]
    narrow = _is_narrow(out, (row["name"] for row in rows))
    width = max((len(row["name"]) for row in rows), default=0)
    for topic, group in groupby(sorted(rows, key=lambda r: order.index(r["topic"])), lambda r: r["topic"]):
        names = TOPICS.get(topic, ())
        members = sorted(group, key=lambda r: names.index(r["name"]) if r["name"] in names else len(names))
        pairs = [(row["name"], row["summary"] or row["title"]) for row in members]
        out.print(words(topic, "bold"))
        if narrow:
            for name, summary in pairs:
                out.print(words(f"  {name}", "cyan"))
                indented(out, summary, 4)
        else:
            table = Table(box=None, show_header=False, padding=(0, 1, 0, 1))
            table.add_column("model", style="cyan", no_wrap=True, min_width=width)
            table.add_column("what it is")
            for name, summary in pairs:
                table.add_row(words(name), words(summary))
            out.print(table)
        out.print()
    count = f"{len(rows)} model{'' if len(rows) == 1 else 's'}"
    out.print(words(f"{count}; 'chetaev show MODEL' tells what one is", "dim"))


def section(out: Console, title: str, rows: Iterable[tuple[str, str]], joint: str = "=") -> None:
    """A titled block of ``name = text`` rows; nothing at all when there are no rows."""
    every = list(rows)
    shown = every[:MOST]
    if not shown:
        return
    out.print(words(title, "bold"))
    if _is_narrow(out, (name for name, _ in shown)):
        for name, text in shown:
            indented(out, f"{name} {joint} {text}", 2)
    else:
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1, 0, 0))
        table.add_column(style="cyan", no_wrap=True)
        table.add_column(style="dim", width=len(joint), no_wrap=True)
        table.add_column(overflow="fold")
        for name, text in shown:
            table.add_row(words("  " + name), words(joint), words(text))
        out.print(table)
    _say_more(out, len(every) - len(shown))
    out.print()


def _is_narrow(out: Console, names: Iterable[str]) -> bool:
    """Whether a column of names would leave too little beside it."""
    return out.width - max(map(len, names), default=0) < LEAST


def _say_more(out: Console, count: int) -> None:
    if count > 0:
        out.print(words(f"  … and {count:,} more; --json has them", "dim"))


def print_system(system: System) -> None:
    """A system: what was given, and the state it starts from."""
    from chetaev.model.states.stack_of_constraints import every_constraint

    out = console()
    out.print(words(system.name, style="bold underline"))
    if system.summary:
        out.print(words(system.summary))
    if system.source:
        out.print(words(system.source, style="dim"))
    out.print()
    names = ", ".join(system.coordinates)
    facts = [("coordinates", f"{names} (time {system.time})")]
    if system.dynamics.hamiltonian is None:
        facts.append(("constraints", str(len(every_constraint(system)))))
        facts.append(("degrees of freedom", str(system.degrees_of_freedom)))
    else:
        facts.append(("phase space", f"{len(system.coordinates)} variables, all equations of first order"))
    section(out, "System", facts, ":")
    section(out, "Parameters", _parameters(system))
    stops = [(f"{s.position} >= 0", f"restitution {s.restitution}") for s in system.stops]
    section(out, "Stops", stops, ":")
    tables = [(n, f"{len(t.knots)} knots, {t.interpolation}") for n, t in system.tables.items()]
    section(out, "Tables of data", tables, ":")
    section(out, "Dynamics", _dynamics(system))
    section(out, "where", [(n, str(d.args[0])) for n, d in system.definitions.items()])
    for level, title in system.dynamics.headings.items():
        equations = getattr(system, f"{level}_constraints")
        section(out, title, [(str(i), str(e)) for i, e in enumerate(equations, 1)], " ")
    if system.initial is None:
        out.print(
            words("No initial state is given: the system can be shown and studied, but not run.", style="dim")
        )
        return
    _print_state(out, system)


def _parameters(system: System) -> Iterable[tuple[str, str]]:
    from chetaev.model.reading.unit_labels import in_brackets

    for name, expr in system.parameters.items():
        value = f"{system.parameter_values[name]:.10g}{in_brackets(system, name)}"
        yield name, value if expr.op == "number" else f"{expr} = {value}"


def _dynamics(system: System) -> Iterable[tuple[str, str]]:
    for part in system.dynamics.parts:
        yield part.label, str(part.expr)
    for name, force in system.forces.items():
        yield f"F_{name}", str(force)


def _print_state(out: Console, system: System) -> None:
    from chetaev.model.reading.unit_labels import in_brackets

    state = system.state
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("  coordinate", style="cyan", overflow="fold")
    table.add_column("position", justify="right", overflow="fold")
    table.add_column("velocity", justify="right", overflow="fold")
    table.add_column("", style="dim")
    for name in system.coordinates[:MOST]:
        solved = [kind for kind, key in (("position", name), ("velocity", name + "'")) if key in state.solved]
        note = f"{' and '.join(solved)} solved from the constraints" if solved else ""
        table.add_row(
            words(f"  {name}{in_brackets(system, name)}"),
            f"{state.position[name]:.10g}",
            f"{state.velocity[name]:.10g}",
            note,
        )
    out.print(words(f"Initial state at {system.time} = {state.t:g}", style="bold"))
    out.print(table)
    _say_more(out, len(system.coordinates) - MOST)
    if state.residuals:
        listed = ", ".join(f"{r:.1e}" for r in state.residuals)
        out.print(words(f"  constraint residuals: {listed}", style="dim"))
    for branch in state.branches:
        values = ", ".join(f"{n}' = {x:.10g}" for n, x in branch.items())
        out.print(words(f"  another branch of the constraints: {values}", style="yellow"))
    if system.until_value is not None:
        out.print(words(f"  a run goes until {system.time} = {system.until_value:g}", style="dim"))


def print_equations(shown: Sequence[Shown], undetermined: Sequence[str], excluded: dict[str, str]) -> None:
    """Equations of motion, formulation by formulation, and which of them do not determine the motion."""
    from chetaev.equations.registry import FORMS

    out = console()
    for form, why in zip(shown, undetermined, strict=True):
        law = form.law
        out.print(words(law.form, style="bold underline"), words(f"  {FORMS[law.form].words}"))
        indented(out, law.source, 2, "dim")
        _print_rows(out, form)
        if why:
            indented(out, f"{why}; ch.singular says what is", 2, "yellow")
        out.print(words(f"  {law.operations} operations as derived", style="dim"))
        out.print()
    _explain(out, *(text for form in shown for text in (form.law.source, str(form.valid))))
    section(out, "Formulations that do not apply", excluded.items(), ":")


def _print_rows(out: Console, form: Shown) -> None:
    """The rows of a law, and where they hold."""
    from chetaev.equations.law.law_display import text_of

    for line in text_of(form.rows).splitlines():
        indented(out, line, 2)
    if not form.rows:
        indented(out, "no equation is left: the constraints determine the motion", 2)
    indented(out, str(form.valid), 2, "" if form.valid.conditions else "dim")


def _explain(out: Console, *texts: str) -> None:
    """What letters and numbers of papers in texts mean."""
    from chetaev.terms_of_papers import explained

    for sentence in explained("; ".join(texts)):
        indented(out, sentence, 2, "dim")


def print_leading(form: Shown | str, left_open: str = "") -> None:
    """The equations of motion in the form that reads best, where they hold, and what they leave open."""
    from chetaev.equations.registry import FORMS

    out = console()
    out.print()
    out.print(words("Equations of motion", style="bold"))
    if isinstance(form, str):
        indented(out, form, 2)
    else:
        _print_rows(out, form)
    if left_open:
        indented(out, f"{left_open}; chetaev dirac goes on from here", 2, "yellow")
    if not isinstance(form, str):
        option = f"--form {form.law.form}: {FORMS[form.law.form].words} ({form.law.source})"
        indented(out, f"{option}; --form all shows all formulations", 2, "dim")


def print_comparison(result: Comparison) -> None:
    """The table of differences."""
    out = console()
    out.print(words(result.system, style="bold underline"))
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("form", style="cyan", no_wrap=True)
    for title in ("largest relative difference", "points", "singular", "operations", "symbolically"):
        table.add_column(title, justify="right", overflow="fold")
    for row in result.rows:
        proved = {True: "proved", False: "not proved", None: ""}[row.proved]
        count = "" if row.operations is None else str(row.operations)
        table.add_row(row.form, result.shown(row), str(row.points), str(row.singular), count, proved)
    out.print(table)
    out.print()
    for limit in {row.limit for row in result.rows if row.limit}:
        names = ", ".join(row.form for row in result.rows if row.limit == limit)
        indented(out, f"{names}: {beyond(limit)}", 0, "yellow")
    section(out, "Not compared", result.excluded.items(), ":")
    if not result.evaluated:
        out.print(
            words(
                "There was nothing to compare: the equations do not determine the accelerations at any "
                "of the points (a singular Lagrangian, or dependent constraints; K23).",
                style="bold red",
            )
        )
        return
    verdict = "agree" if result.agree else "DO NOT AGREE"
    out.print(
        words(
            f"The {result.compared} {verdict} at {result.samples} random points of the "
            f"constraint ({result.digits} digits, seed {result.seed}).",
            style="bold green" if result.agree else "bold red",
        )
    )


def print_laws(
    system: System,
    laws: Iterable[Law],
    missing: Mapping[str, str],
    searched: Searched | None = None,
    besides: Iterable[object] = (),
) -> None:
    """Quantities that were looked at, conserved ones first; what was searched, and what it found besides."""
    out = console()
    out.print(words(system.name, style="bold underline"))
    judged = list(laws)
    for title, verdict in (("Conserved", True), ("Undecided", None), ("Not conserved", False)):
        chosen = [law for law in judged if law.conserved is verdict]
        if not chosen:
            continue
        out.print(words(title, style="bold"))
        for law in chosen:
            out.print(words(f"  {law.name}", style="cyan"))
            indented(out, str(law.expression), 4)
            indented(out, str(law.origin), 4, "dim")
            indented(out, str(law.evidence), 4, "dim")
            if law.undefined:
                indented(out, law.undefined, 4, "dim")
        out.print()
    if searched is not None:
        out.print(words("Searched", style="bold"))
        indented(out, str(searched), 2, "dim")
        for found in besides:
            indented(out, str(found), 2)
        out.print()
    section(out, "Does not apply", missing.items(), ":")


def print_classification(kind: Classification) -> None:
    """Which kind of constraint it is, with the reasons."""
    out = console()
    out.print()
    out.print(words("Which kind of constraint", style="bold"))
    out.print(words(f"  {kind.kind}", style="cyan"))
    for reason in kind.reasons:
        indented(out, f"- {reason}", 2)
    for integral in kind.integrals:
        indented(out, f"integral: {integral}", 2)
    for form in kind.normal_forms:
        indented(out, f"normal form: {form.brief}", 2)
    for i, branch in enumerate(kind.branches, 1):
        out.print(words(f"  branch {i}: {', '.join(f'{e} = 0' for e in branch.equations)}: {branch.kind}"))
    for warning in kind.warnings:
        indented(out, f"! {warning}", 2, "yellow")
    _explain(out, *kind.reasons, *kind.warnings)
