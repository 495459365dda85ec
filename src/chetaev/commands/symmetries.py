"""``chetaev symmetries``, ``chetaev measure``, ``chetaev helmholtz``: symmetries, measures, potentials."""

from __future__ import annotations

from typing import Any

import click

from chetaev.commands.command_group import answer, busy, exact_options, load, model_command
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
