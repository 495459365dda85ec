"""``chetaev hamilton`` and ``chetaev dirac``: momenta and brackets; degenerate Lagrangians to their end."""

from __future__ import annotations

import click

from chetaev.commands.command_group import (
    answer,
    busy,
    effort_option,
    exact_options,
    json_option,
    load,
    model_command,
    print_json,
    say,
)
from chetaev.effort import EFFORT


@model_command
@effort_option
@click.option("--latex", "as_latex", is_flag=True, help="Print displayed formulas.")
@json_option
def hamilton(model: str, effort: int | None, as_latex: bool, as_json: bool) -> int:
    """Show momenta, canonical equations, brackets, Casimirs, and a time in which it is Hamiltonian.

    With constraints momenta are nonholonomic ones. Exit status 1 if there are no momenta.
    """
    from chetaev.hamilton.overview import Overview

    system = load(model)
    with busy("looking for momenta and brackets"):
        found = Overview(system, effort or EFFORT)
        exists = found.momenta.exists
        shown = found.latex() if as_latex else None if as_json else str(found)
        data = found.to_json() if as_json else None
    if as_json:
        print_json(data)
    else:
        if not as_latex:
            say(system.name or "Unnamed system")
        say(shown)
    return 1 if exists is False else 0


@model_command
@exact_options
def dirac(model: str, effort: int | None, as_json: bool) -> int:
    """Show the constraints on phase space, their classes, gauge, and what motion is left.

    Exit status 1 if the conditions contradict each other.
    """
    from chetaev.hamilton.dirac.dirac import EFFORT as MOST
    from chetaev.hamilton.dirac.dirac import dirac as explore

    system = load(model)
    with busy("following the constraints"):
        found = explore(system, effort=effort or MOST)
    answer(found, as_json, system)
    return 1 if found.outcome == "inconsistent" else 0
