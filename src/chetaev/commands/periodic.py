"""``chetaev periodic``: a closed motion near a guess, with its multipliers; ``chetaev reversals``."""

from __future__ import annotations

import click

from chetaev.commands.command_group import cli, effort_option, json_option, model_argument, print_json, say
from chetaev.commands.options import pair


@cli.command()
@model_argument
@click.option("--period", type=float, metavar="T", help="A guess of the period, or that of the forcing.")
@click.option("--event", metavar="EXPRESSION", help="Instead: a surface that the orbit crosses upwards.")
@click.option("--guess", multiple=True, metavar="NAME=VALUE", help='Of the initial state, such as "x\'=1".')
@click.option("--relative-to", metavar="NAMES", help="Cyclic coordinates, which need not return: x,y,phi.")
@click.option("--hold", multiple=True, metavar="EXPRESSION", help="Keeps its value at the guess.")
@json_option
def periodic(
    model: str,
    period: float | None,
    event: str | None,
    guess: tuple[str, ...],
    relative_to: str | None,
    hold: tuple[str, ...],
    as_json: bool,
) -> int:
    """Find a periodic or relative periodic orbit, its multipliers, and whether it is stable."""
    from chetaev.analysis.orbits import periodic as orbits
    from chetaev.model.file.loader import load
    from chetaev.waiting import busy

    system = load(model)
    values = dict(pair(text, "--guess", "x'=1") for text in guess)
    names = [n.strip() for n in (relative_to or "").split(",") if n.strip()]
    with busy("looking for a closed motion"):
        found = orbits.periodic(system, values, period, event, names, hold=hold)
    if as_json:
        print_json(found.to_json())
    else:
        say(found)
    return 0


@cli.command()
@model_argument
@click.option("--map", "maps", multiple=True, metavar="NAME=EXPRESSION", help='One map, such as "x=-x".')
@effort_option
@json_option
def reversals(model: str, maps: tuple[str, ...], effort: int | None, as_json: bool) -> int:
    """Find maps that reverse the motion in time: changes of signs of coordinates, or judge one.

    Exit status 1 if there are none, or if the map that was given is refuted.
    """
    from chetaev.analysis.orbits import reversal
    from chetaev.effort import EFFORT
    from chetaev.model.file.loader import load
    from chetaev.waiting import busy

    system = load(model)
    given = dict(pair(text, "--map", "x=-x") for text in maps) or None
    with busy("looking for reversals"):
        found = reversal.reversals(system, given, effort=effort or EFFORT)
    if as_json:
        print_json(found.to_json())
    else:
        say(found)
    return 0 if any(r.holds is not False for r in found) else 1
