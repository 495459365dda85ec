"""``chetaev control`` and ``chetaev steer``: where inputs can take a model, and inputs that take it there."""

from __future__ import annotations

import click

from chetaev.commands.command_group import answer, busy, exact_options, force_option, load, model_command
from chetaev.commands.options import pairs
from chetaev.effort import EFFORT

inputs_option = click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="NAME",
    help="A coordinate on which a force acts, or a parameter of the law; several times. Else velocities.",
)


@model_command
@inputs_option
@click.option(
    "--at", "at", multiple=True, metavar="NAME=VALUE", help="The state at which local questions are asked."
)
@click.option(
    "--decoupling", "fields", is_flag=True, help="Also the fields that forces can follow at any speed."
)
@exact_options
def control(
    model: str, inputs: tuple[str, ...], at: tuple[str, ...], fields: bool, effort: int | None, as_json: bool
) -> int:
    """Say whether inputs reach an open set of states, and all states near one.

    Exit status 1 if the system is not accessible.
    """
    from chetaev.analysis.control.accessibility import accessibility
    from chetaev.analysis.control.decoupling import decoupling

    system = load(model)
    state = pairs(at, "--at", "theta=pi/2") or None
    with busy("bracketing vector fields"):
        found = accessibility(system, list(inputs) or None, state, effort=effort or 10 * EFFORT)
        others = decoupling(system, list(inputs), effort=effort or 10 * EFFORT) if fields else None
    answer(found, as_json, system, decoupling=others)
    return 1 if found.accessible is False else 0


@model_command
@click.option("--from", "start", multiple=True, metavar="NAME=VALUE", help="A position at the start.")
@click.option("--to", "end", multiple=True, metavar="NAME=VALUE", help="A position at the end.")
@click.option("--until", type=float, metavar="T", help="The final time; else the model's.")
@inputs_option
@click.option("--free", multiple=True, metavar="NAME", help="What may end anywhere.")
@click.option("--method", metavar="NAME", help="chained, sinusoids or optimal; the first that applies.")
@click.option("-o", "--output", metavar="FILE", help="Write the motion, or its plot, as simulate does.")
@force_option
@exact_options
def steer(
    model: str,
    start: tuple[str, ...],
    end: tuple[str, ...],
    until: float | None,
    inputs: tuple[str, ...],
    free: tuple[str, ...],
    method: str | None,
    output: str | None,
    force: bool,
    effort: int | None,
    as_json: bool,
) -> int:
    """Find inputs that take a model from one state to another."""
    from chetaev.analysis.control.steer import steer as steered
    from chetaev.view.saved_results import save

    system = load(model)
    first = pairs(start, "--from", "x=0")
    last = pairs(end, "--to", "x=1")
    with busy("looking for inputs"):
        found = steered(
            system, first, last, until, inputs=list(inputs) or None, free=list(free), method=method,
            effort=effort or EFFORT,
        )  # fmt: skip
    if output is not None:
        pictures = (".png", ".svg", ".pdf")
        save(found if output.lower().endswith(pictures) else found.motion, output, force=force)
    answer(found, as_json, system)
    return 0
