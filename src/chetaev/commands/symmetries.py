"""``chetaev symmetries``, ``chetaev measure``, ``chetaev helmholtz``: symmetries, measures, potentials."""

from __future__ import annotations

from typing import Any

import click

from chetaev.commands.command_group import cli, effort_option, json_option, model_argument, print_json, say

KINDS = ("point", "dynamical", "adjoint", "killing", "momenta")


def _print(result: Any, as_json: bool) -> None:
    print_json(result.to_json()) if as_json else say(result)


@cli.command()
@model_argument
@click.option("--kind", type=click.Choice(KINDS), default="point", show_default=True, help="Of which kind.")
@click.option("--degree", type=click.IntRange(0, 8), help="Products of at most so many functions.")
@effort_option
@json_option
def symmetries(model: str, kind: str, degree: int | None, effort: int | None, as_json: bool) -> None:
    """Search for symmetries of the motion, for Killing fields, or for momentum equations."""
    from chetaev.effort import EFFORT
    from chetaev.model.file.loader import load
    from chetaev.waiting import busy

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
    _print(result, as_json)


@cli.command()
@model_argument
@effort_option
@json_option
def measure(model: str, effort: int | None, as_json: bool) -> None:
    """Look for an invariant measure with smooth density, or for what forbids one."""
    from chetaev.effort import EFFORT
    from chetaev.laws.measure.measure import measure as search
    from chetaev.model.file.loader import load
    from chetaev.waiting import busy

    with busy("looking for an invariant measure"):
        result = search(load(model), effort=effort or EFFORT)
    _print(result, as_json)


@cli.command()
@model_argument
@effort_option
@json_option
def helmholtz(model: str, effort: int | None, as_json: bool) -> None:
    """Say whether the force has a potential V(t, q, v), with V or the condition that fails."""
    from chetaev.effort import EFFORT
    from chetaev.laws.inverse.helmholtz import helmholtz as ask
    from chetaev.model.file.loader import load

    _print(ask(load(model), effort=effort or EFFORT), as_json)
