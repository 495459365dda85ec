"""What a system has: symmetries, measures, potentials; momenta, brackets, constraints on phase space."""

from __future__ import annotations

from typing import Any

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

KINDS = ("point", "dynamical", "adjoint", "killing", "momenta")


@model_command
@click.option("--kind", type=click.Choice(KINDS), default="point", show_default=True, help="Of which kind.")
@click.option("--degree", type=click.IntRange(0, 8), help="Products of at most so many functions.")
@exact_options
def symmetries(model: str, kind: str, degree: int | None, effort: int | None, as_json: bool) -> None:
    """Search for symmetries of the motion, for Killing fields, or for momentum equations."""
    system, effort = load(model), effort or EFFORT
    with busy("looking for symmetries"):
        if kind == "killing":
            from chetaev.laws.symmetry.killing import killing

            result: Any = killing(system, degree, effort=effort)
        elif kind == "momenta":
            from chetaev.laws.symmetry.momentum_equation import momentum_equations

            result = momentum_equations(system, effort=effort)
        else:
            from chetaev.laws.symmetry.symmetries import symmetries as search

            result = search(system, kind, 1 if degree is None else degree, effort=effort)
    answer(result, as_json)


@model_command
@exact_options
def measure(model: str, effort: int | None, as_json: bool) -> None:
    """Look for an invariant measure with smooth density, or for what forbids one."""
    from chetaev.laws.measure.measure import measure as search

    with busy("looking for an invariant measure"):
        result = search(load(model), effort=effort or EFFORT)
    answer(result, as_json)


@model_command
@exact_options
def helmholtz(model: str, effort: int | None, as_json: bool) -> None:
    """Say whether the force has a potential V(t, q, v), with V or the condition that fails."""
    from chetaev.laws.inverse.helmholtz import helmholtz as ask

    answer(ask(load(model), effort=effort or EFFORT), as_json)


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
