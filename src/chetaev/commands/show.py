"""``chetaev show``: what a system is, and its equations of motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from chetaev.commands.group import cli, effort_option, json_option, model_argument, print_json
from chetaev.errors import visible

if TYPE_CHECKING:
    from chetaev.model.system import System

SHOW_EFFORT = 10_000_000
"""For the normal forms of all equations that are shown; beyond it they are shown as derived."""


@cli.command()
@model_argument
@click.option("--form", metavar="NAME", help="Show the equations of motion in this formulation, or 'all'.")
@click.option("--latex", is_flag=True, help="Print LaTeX.")
@effort_option
@json_option
def show(model: str, form: str | None, latex: bool, effort: int | None, as_json: bool) -> None:
    """Show what a system is, or, with --form, its equations of motion."""
    from chetaev.model.loader import load

    system = load(model)
    if system.view:
        from chetaev.view.reader import read

        read(system)  # its mistakes are mistakes of the model
    if form is not None:
        _show_equations(system, form, latex, effort, as_json)
    elif as_json:
        from chetaev.constraint.kind.classifier import classify
        from chetaev.constraint.submanifold.evidence import EFFORT
        from chetaev.model.facts import facts

        print_json(facts(system) | {"classification": classify(system, effort or EFFORT).to_json()})
    elif latex:
        from chetaev.model.display import system_latex

        click.echo(visible(system_latex(system)))
    else:
        from chetaev.terminal import print_classification, print_system
        from chetaev.waiting import busy

        print_system(system)
        if system.dynamics.hamiltonian is not None:
            _show_phase_space(system)
            return
        with busy("classifying the constraint"):
            from chetaev.constraint.kind.classifier import classify
            from chetaev.constraint.submanifold.evidence import EFFORT

            kind = classify(system, effort or EFFORT)
        print_classification(kind)
        _show_leading(system, effort)


def _show_phase_space(system: System) -> None:
    """Of a Poisson structure, what the bracket has to say: rank, Casimir functions, multipliers."""
    from chetaev.hamilton.poisson import poisson
    from chetaev.terminal import console, section

    found = poisson(system)
    rows = [("rank", f"{found.rank} of {len(found.coordinates)}")]
    rows += [("Casimir function", str(C)) for C in found.casimirs]
    rows += [(f"lambda_{i}", str(e)) for i, e in enumerate(found.multipliers, 1)]
    section(console(), "Poisson bracket", rows, ":")


def _show_leading(system: System, effort: int | None) -> None:
    """The equations of motion that read best, unless they are too long."""
    from chetaev.terminal import print_leading
    from chetaev.waiting import busy

    with busy("deriving equations"):
        from chetaev.equations.leading import leading

        found = leading(system, effort or SHOW_EFFORT // 4)
    if found is not None:
        print_leading(*found)


def _show_equations(system: System, form: str, latex: bool, effort: int | None, as_json: bool) -> None:
    from chetaev.equations.law.equation_facts import equation_facts
    from chetaev.equations.law.law_display import aligned, rows
    from chetaev.equations.law.solved import undetermined
    from chetaev.equations.registry import check_accelerations, equations, every_law
    from chetaev.waiting import busy

    with busy("deriving equations"):
        check_accelerations(system)
        found = dict(every_law(system)) if form == "all" else {form: equations(system, form)}
        laws = [law for law in found.values() if not isinstance(law, str)]
        excluded = {name: reason for name, reason in found.items() if isinstance(reason, str)}
        share = effort or SHOW_EFFORT // max(2, len(laws))
        facts = [equation_facts(law, share) for law in laws] if as_json else []
        shown = [] if as_json else [rows(law, share) for law in laws]
        why = [] if as_json else [undetermined(law) for law in laws]
    if as_json:
        print_json({"forms": facts, "excluded": excluded})
    elif latex:
        heads = [
            f"% {law.form}: {law.source}\n" + (f"% {w}\n" if w else "")
            for law, w in zip(laws, why, strict=True)
        ]
        text = "\n\n".join(head + aligned(r) for head, r in zip(heads, shown, strict=True))
        click.echo(visible(text))
    else:
        from chetaev.terminal import print_equations

        print_equations(laws, shown, why, excluded)
