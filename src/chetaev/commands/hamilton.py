"""``chetaev hamilton`` and ``chetaev dirac``: momenta, and degenerate Lagrangians brought to their end."""

from __future__ import annotations

import click

from chetaev.commands.group import cli, effort_option, json_option, model_argument, print_json


@cli.command()
@model_argument
@effort_option
@json_option
def hamilton(model: str, effort: int | None, as_json: bool) -> int:
    """Show momenta, Hamiltonian and canonical equations; nonholonomic ones where there are constraints.

    Exit status 1 if there are no momenta.
    """
    from chetaev.effort import EFFORT
    from chetaev.errors import visible
    from chetaev.hamilton.momenta import hamilton as transform
    from chetaev.model.file.loader import load
    from chetaev.waiting import busy

    system = load(model)
    with busy("looking for momenta"):
        found = transform(system, effort=effort or EFFORT)
        data = found.to_json()
    if as_json:
        print_json(data)
    else:
        click.echo(visible(system.name or "Unnamed system"))
        click.echo(str(found))
    return 1 if found.exists is False else 0


@cli.command()
@model_argument
@effort_option
@json_option
def dirac(model: str, effort: int | None, as_json: bool) -> int:
    """Show the constraints on phase space, their classes, gauge, and what motion is left.

    Exit status 1 if the conditions contradict each other.
    """
    from chetaev.errors import visible
    from chetaev.hamilton.dirac.dirac import EFFORT
    from chetaev.hamilton.dirac.dirac import dirac as explore
    from chetaev.model.file.loader import load
    from chetaev.waiting import busy

    system = load(model)
    with busy("following the constraints"):
        found = explore(system, effort=effort or EFFORT)
    if as_json:
        print_json(found.to_json())
    else:
        click.echo(visible(system.name or "Unnamed system"))
        click.echo(str(found))
    return 1 if found.outcome == "inconsistent" else 0
