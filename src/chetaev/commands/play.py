"""``chetaev play``: a page on which a model can be varied."""

from __future__ import annotations

from pathlib import Path

import click

from chetaev.commands.command_group import busy, force_option, load, model_command, say
from chetaev.commands.options import pairs, set_values, settings


@model_command
@click.option("-o", "--output", metavar="FILE", help="The page; 'play-MODEL.html' if left out.")
@click.option("--until", type=float, metavar="T", help="The final time; else the model's.")
@click.option(
    "--set",
    "given",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter, position or velocity (x_dot).",
    shell_complete=set_values,
)
@click.option(
    "--map", "over", multiple=True, metavar="NAME=A:B", help="Twice: a map of stability over two values."
)
@click.option(
    "--start", multiple=True, metavar="NAME=VALUE", help="With --map: a state near what is asked about."
)
@force_option
def play(
    model: str, output: str | None, until: float | None, given: tuple[str, ...], over: tuple[str, ...],
    start: tuple[str, ...], force: bool,
) -> int:  # fmt: skip
    """Write a page to play with: sliders for parameters and initial data, motions computed in the page.

    The page needs no network and no server. What it cannot compute by itself, it says, and shows one motion.
    """
    from chetaev.output_files import place
    from chetaev.view.play.play_page import play as played

    target = Path(output or f"play-{Path(model).stem}.html")
    place(target, force=force)
    system = load(model)
    parameters, initial = settings(system, given)
    if parameters or initial:
        system = system.with_data(parameters, initial)
    regions = None
    if over:
        from chetaev.commands.stability import mapped

        with busy("counting eigenvalues"):
            regions = mapped(system, over, start=pairs(start, "--start", "theta=0.1") or None)
    with busy("looking for what is conserved"):
        page = played(system, until=until, stability=regions)
    page.save(target, force=force)
    if page.missing:
        say(f"{page.missing}: the page shows one motion, and nothing can be varied", err=True)
    say(f"Open {target} in a browser.")
    return 0
