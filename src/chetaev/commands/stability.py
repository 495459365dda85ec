"""``chetaev stability``: equilibria and steady motions of a model, and whether they are stable."""

from __future__ import annotations

from typing import Any

import click

from chetaev.commands.group import cli, effort_option, json_option, model_argument, print_json
from chetaev.commands.options import pair


@cli.command()
@model_argument
@click.option(
    "--moving", metavar="NAMES", help="Steady motions in which these cyclic coordinates move: x,y,phi."
)
@click.option(
    "--given", "given", multiple=True, metavar="NAME=VALUE", help='Prescribe a value, such as "psi\'=3".'
)
@effort_option
@json_option
def stability(
    model: str, moving: str | None, given: tuple[str, ...], effort: int | None, as_json: bool
) -> int:
    """Find equilibria, or steady motions, and say whether they are stable.

    Exit status 1 if there are none.
    """
    from chetaev.analysis.steady.equilibria import equilibria
    from chetaev.analysis.steady.relative import relative_equilibria
    from chetaev.effort import EFFORT
    from chetaev.errors import visible
    from chetaev.model.file.loader import load
    from chetaev.waiting import busy

    system = load(model)
    values = dict(pair(text, "--given", "psi'=3") for text in given)
    if values and moving is None:
        raise click.UsageError("--given prescribes values of steady motions: name what moves with --moving")
    with busy("looking for equilibria"):
        if moving is None:
            found: Any = equilibria(system, effort=effort or EFFORT)
        else:
            names = [n.strip() for n in moving.split(",") if n.strip()]
            found = relative_equilibria(system, names, values, effort=effort or EFFORT)
    if as_json:
        print_json(found.to_json())
    else:
        click.echo(visible(system.name or "Unnamed system"))
        click.echo(str(found))
    return 0 if found else 1
