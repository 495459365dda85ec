"""``chetaev show``: what a system is, and its equations of motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from chetaev.commands.command_group import busy, exact_options, load, model_command, print_json
from chetaev.commands.options import forms
from chetaev.errors import visible

if TYPE_CHECKING:
    from chetaev.model.system import System

SHOW_EFFORT = 10_000_000
"""For the normal forms of all equations that are shown; beyond it they are shown as derived."""


@model_command
@click.option(
    "--form",
    metavar="NAME",
    shell_complete=forms,
    help="Show the equations of motion in this formulation, or 'all'.",
)
@click.option("--latex", is_flag=True, help="Print LaTeX.")
@exact_options
def show(model: str, form: str | None, latex: bool, effort: int | None, as_json: bool) -> None:
    """Show what a system is, or, with --form, its equations of motion."""
    system = load(model)
    if form is not None:
        _show_equations(system, form, latex, effort, as_json)
    elif as_json:
        from chetaev.constraint.kind.classifier import classify
        from chetaev.constraint.submanifold.evidence import EFFORT
        from chetaev.model.system_display import facts

        print_json(facts(system) | {"classification": classify(system, effort or EFFORT).to_json()})
    elif latex:
        from chetaev.model.system_display import system_latex

        click.echo(visible(system_latex(system)))
    else:
        from chetaev.terminal import print_classification, print_system

        print_system(system)
        if system.dynamics.hamiltonian is not None:
            _show_phase_space(system)
            return
        with busy("classifying the constraint"):
            from chetaev.constraint.kind.classifier import classify
            from chetaev.constraint.submanifold.evidence import EFFORT

            kind = classify(system, effort or EFFORT)
        print_classification(kind)
        _show_leading(system, effort, kind.regular)


def _show_phase_space(system: System) -> None:
    """Of a Poisson structure, what the bracket has to say: rank, Casimir functions, multipliers."""
    from chetaev.hamilton.poisson import poisson
    from chetaev.terminal import console, section

    found = poisson(system)
    rows = [("rank", f"{found.rank} of {len(found.coordinates)}")]
    rows += [("Casimir function", str(C)) for C in found.casimirs]
    rows += [(f"lambda_{i}", str(e)) for i, e in enumerate(found.multipliers, 1)]
    section(console(), "Poisson bracket", rows, ":")


def _show_leading(system: System, effort: int | None, regular: bool | None) -> None:
    """The equations of motion that read best, unless they are too long; what they leave open."""
    from chetaev.terminal import print_leading

    with busy("deriving equations"):
        from chetaev.equations.law.singular import left_open
        from chetaev.equations.leading_form import leading

        found = leading(system, effort or SHOW_EFFORT // 4)
        why = "" if regular else left_open(system)
    print_leading(found, why)


def _show_equations(system: System, form: str, latex: bool, effort: int | None, as_json: bool) -> None:
    from chetaev.equations.law.equation_facts import equation_facts
    from chetaev.equations.law.law_display import aligned
    from chetaev.equations.law.solved_law import undetermined
    from chetaev.equations.leading_form import Shown, in_order
    from chetaev.equations.registry import check_constraints, equations, every_law

    with busy("deriving equations"):
        check_constraints(system)
        found = dict(every_law(system)) if form == "all" else {form: equations(system, form)}
        laws = {name: law for name, law in found.items() if not isinstance(law, str)}
        excluded = {name: reason for name, reason in found.items() if isinstance(reason, str)}
        share = effort or SHOW_EFFORT // max(2, len(laws))
        shown = in_order(system, {name: Shown.of(law, share) for name, law in laws.items()})
        facts = [equation_facts(s.law, share, s) for s in shown] if as_json else []
        why = [] if as_json else [undetermined(s.law) for s in shown]
    if as_json:
        print_json({"forms": facts, "excluded": excluded})
    elif latex:
        heads = [
            f"% {s.law.form}: {s.law.source}\n% {s.valid}\n" + (f"% {w}\n" if w else "")
            for s, w in zip(shown, why, strict=True)
        ]
        blocks = [head + aligned(s.rows, s.valid) for head, s in zip(heads, shown, strict=True)]
        click.echo(visible("\n\n".join(blocks)))
    else:
        from chetaev.terminal import print_equations

        print_equations(shown, why, excluded)
