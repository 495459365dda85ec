"""``chetaev stability``, ``chetaev periodic`` and ``chetaev reversals``: rest, steady and closed motions."""

from __future__ import annotations

from typing import Any

import click

from chetaev.commands.command_group import (
    answer,
    busy,
    check_plot,
    exact_options,
    force_option,
    json_option,
    load,
    model_command,
    plot_option,
    save_plot,
)
from chetaev.commands.options import components, listed, pair, pairs
from chetaev.effort import EFFORT
from chetaev.errors import ModelError


@model_command
@click.option(
    "--moving", metavar="NAMES", help="Steady motions in which these cyclic coordinates move: x,y,phi."
)
@click.option(
    "--symmetry",
    "symmetries",
    multiple=True,
    metavar="NAME=EXPR,…",
    help="Steady motions along a symmetry, by its components: x=-y,y=x,phi=1; several times.",
)
@click.option(
    "--given", "given", multiple=True, metavar="NAME=VALUE", help='Prescribe a value, such as "psi\'=3".'
)
@click.option("--free", metavar="NAMES", help="Positions and speeds that stay symbols: theta,phi'.")
@click.option(
    "--follow", "over", metavar="NAME=A:B", help="Follow them while a parameter goes from A to B: Omega=1:6."
)
@click.option(
    "--start", "start", multiple=True, metavar="NAME=VALUE", help="With --follow: a state to begin near."
)
@click.option("--hold", metavar="NAMES", help="With --follow: speeds and positions that keep their values.")
@click.option(
    "--map", "over_two", multiple=True, metavar="NAME=A:B", help="Count unstable eigenvalues over two values."
)
@plot_option
@force_option
@exact_options
def stability(
    model: str, moving: str | None, symmetries: tuple[str, ...], given: tuple[str, ...], free: str | None,
    over: str | None, start: tuple[str, ...], hold: str | None, over_two: tuple[str, ...],
    picture: str | None, force: bool, effort: int | None, as_json: bool,
) -> int:  # fmt: skip
    """Find equilibria, or steady motions, and say whether they are stable; with --follow, how they change.

    Exit status 1 if there are none.
    """
    system = load(model)
    values = pairs(given, "--given", "psi'=3")
    along = [*listed(moving), *(components(text, "a symmetry", "x=-y,y=x") for text in symmetries)]
    if (values or free) and not along:
        option = "--given prescribes values" if values else "--free names symbols"
        raise click.UsageError(f"{option} of steady motions: name what moves with --moving or --symmetry")
    if (start or hold) and over is None and not over_two:
        raise click.UsageError(f"{'--start' if start else '--hold'} belongs to --follow NAME=A:B")
    if over is not None and over_two:
        raise click.UsageError("--follow and --map exclude each other: one value varies, or two do")
    if over is not None and free:
        raise click.UsageError("--free and --follow exclude each other: a branch has numbers")
    check_plot(picture, force)
    states = pairs(start, "--start", "theta=0.1")
    with busy("looking for equilibria"):
        found: Any
        if over is not None:
            found = _followed(
                system, over, along, values or None, states or None, listed(hold), effort or EFFORT
            )
        elif over_two:
            found = mapped(system, over_two, along, states or None, listed(hold), effort or EFFORT)
        else:
            found = _all(system, None if moving is None and not along else along, values, free, effort)
    save_plot(found, picture, force)
    answer(found, as_json, system)
    return 0 if over_two or len(found) else 1


def _all(
    system: Any, along: list[Any] | None, values: dict[str, str], free: str | None, effort: int | None
) -> Any:
    from chetaev.analysis.steady.equilibria import equilibria
    from chetaev.analysis.steady.relative import relative_equilibria

    if along is None:
        return equilibria(system, effort=effort or EFFORT)
    return relative_equilibria(system, along, values, free=listed(free), effort=effort or EFFORT)


def _followed(
    system: Any, over: str, moving: list[Any], given: Any, start: Any, hold: list[str], effort: int
) -> Any:
    from chetaev.analysis.branches.continuation import follow

    name, ends = _range(over, "--follow")
    return follow(system, start, name, ends, symmetries=moving, given=given, hold=hold, effort=effort)


def mapped(
    system: Any,
    over: tuple[str, ...],
    moving: Any = (),
    start: Any = None,
    hold: Any = (),
    effort: int = EFFORT,
) -> Any:
    """The map of stability over the ranges of two --map options."""
    from chetaev.analysis.branches.stability_map import stability_map

    ranges = dict(_range(text, "--map") for text in over)
    return stability_map(system, start, ranges, symmetries=moving, hold=hold, effort=effort)


def _range(text: str, option: str) -> tuple[str, tuple[float, float]]:
    """A name with the two ends of a range."""
    name, ends = pair(text, option, "Omega=1:6")
    low, found, high = ends.partition(":")
    try:
        if found:
            return name, (float(low), float(high))
    except ValueError:
        pass
    raise ModelError(
        f"{option} {text!r} is not of the form NAME=A:B", expected=f'for example {option} "Omega=1:6"'
    )


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
