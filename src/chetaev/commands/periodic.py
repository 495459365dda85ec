"""``chetaev periodic``: a closed motion near a guess, with its multipliers; ``chetaev reversals``."""

from __future__ import annotations

import click

from chetaev.commands.command_group import answer, busy, exact_options, json_option, load, model_command
from chetaev.commands.options import listed, pairs
from chetaev.effort import EFFORT


@model_command
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

    system = load(model)
    values = pairs(guess, "--guess", "x'=1")
    with busy("looking for a closed motion"):
        found = orbits.periodic(system, values, period, event, listed(relative_to), hold=hold)
    answer(found, as_json)
    return 0


@model_command
@click.option("--map", "maps", multiple=True, metavar="NAME=EXPRESSION", help='One map, such as "x=-x".')
@exact_options
def reversals(model: str, maps: tuple[str, ...], effort: int | None, as_json: bool) -> int:
    """Find maps that reverse the motion in time: changes of signs of coordinates, or judge one.

    Exit status 1 if there are none, or if the map that was given is refuted.
    """
    from chetaev.analysis.orbits import reversal

    system = load(model)
    given = pairs(maps, "--map", "x=-x") or None
    with busy("looking for reversals"):
        found = reversal.reversals(system, given, effort=effort or EFFORT)
    answer(found, as_json)
    return 0 if any(r.holds is not False for r in found) else 1
