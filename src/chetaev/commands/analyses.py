"""``chetaev section``, ``lyapunov`` and ``basins``: what many motions or long ones show, and its pictures."""

from __future__ import annotations

from typing import Any

import click

from chetaev.commands.command_group import (
    answer,
    busy,
    check_plot,
    effort_option,
    force_option,
    json_option,
    load,
    model_command,
    plot_option,
    print_json,
    save_plot,
    say,
)
from chetaev.commands.options import pairs, set_values, settings
from chetaev.effort import EFFORT

until_option = click.option("--until", type=float, metavar="T", help="The final time; else the model's.")
set_option = click.option(
    "--set",
    "given",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter, position or velocity (x_dot).",
    shell_complete=set_values,
)


def _arranged(model: str, given: tuple[str, ...], picture: str | None, force: bool) -> Any:
    """The system with what --set says."""
    check_plot(picture, force)
    system = load(model)
    parameters, initial = settings(system, given)
    return system.with_data(parameters, initial) if parameters or initial else system


def _told(found: Any, words: list[str], picture: str | None, as_json: bool, force: bool) -> None:
    """Print a data set, or words about it, and draw it."""
    from chetaev.flow.data.save import to_json

    save_plot(found, picture, force)
    if as_json:
        print_json(to_json(found))
    else:
        say("\n".join([str(found.attrs.get("title", "")) or "Unnamed system", *words]))


@model_command
@click.option("--event", required=True, metavar="EXPR", help="What vanishes on the surface, crossed upwards.")
@click.option("--crossings", type=click.IntRange(1), default=200, show_default=True, metavar="N")
@until_option
@set_option
@plot_option
@force_option
@json_option
def section(
    model: str, event: str, crossings: int, until: float | None, given: tuple[str, ...], picture: str | None,
    force: bool, as_json: bool,
) -> int:  # fmt: skip
    """Find the states in which a motion crosses a surface.

    Exit status 1 if there are fewer crossings than were asked for.
    """
    from chetaev.analysis.orbits.poincare_section import LONGEST
    from chetaev.analysis.orbits.poincare_section import section as crossed

    system = _arranged(model, given, picture, force)
    with busy("following the motion"):
        found = crossed(system, event, crossings, until=LONGEST if until is None else until)
    count = found.sizes["crossing"]
    last = f", the last at {float(found.time[-1]):.6g}" if count else ""
    reason = [found.attrs["reason"]] if found.attrs["reason"] else []
    _told(found, [f"{count} crossings of {event}{last}", *reason], picture, as_json, force)
    return 0 if found.attrs["status"] == "done" else 1


@model_command
@until_option
@click.option("--exponents", type=click.IntRange(1), metavar="K", help="How many, largest first; else all.")
@set_option
@plot_option
@force_option
@json_option
def lyapunov(
    model: str, until: float | None, exponents: int | None, given: tuple[str, ...], picture: str | None,
    force: bool, as_json: bool,
) -> int:  # fmt: skip
    """Compute the largest Lyapunov exponents of a motion: numbers, not proofs."""
    from chetaev.analysis.orbits.lyapunov import lyapunov as computed

    system = _arranged(model, given, picture, force)
    with busy("following the motion"):
        found = computed(system, until, exponents)
    values = ", ".join(f"{x:.5g}" for x in found.exponent.values)
    _told(found, [f"exponents until {float(found.time[-1]):g}: {values}"], picture, as_json, force)
    return 0


@model_command
@click.option(
    "--over",
    multiple=True,
    required=True,
    metavar="NAME=A:B:N",
    help="A grid of initial values, twice: x=-2:2:200.",
)
@until_option
@set_option
@plot_option
@force_option
@effort_option
@json_option
def basins(
    model: str, over: tuple[str, ...], until: float | None, given: tuple[str, ...], picture: str | None,
    force: bool, effort: int | None, as_json: bool,
) -> int:  # fmt: skip
    """Find where the motions over two initial values end: at which equilibrium that attracts."""
    from chetaev.analysis.orbits.basins import basins as found_over
    from chetaev.progress import progress

    system = _arranged(model, given, picture, force)
    with progress("running") as report:
        grids = pairs(over, "--over", "x=-2:2:200")
        found = found_over(system, grids, until, effort=effort or EFFORT, progress=report)
    save_plot(found, picture, force)
    answer(found, as_json)
    return 0
