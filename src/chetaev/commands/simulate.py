"""``chetaev simulate``: run a system on its constraints."""

from __future__ import annotations

from typing import Any

import click

from chetaev.commands.command_group import busy, force_option, json_option, load, model_command, print_json
from chetaev.commands.options import forms, of_a_run, run_options


@model_command
@run_options(
    at="Times of the result: 0,1,2 or start:stop:step such as 0:10:0.1, or a number: '101 times'.",
    setting="A parameter, position or velocity (x_dot).",
    law="An expression to evaluate along the motion.",
)
@click.option(
    "--form",
    metavar="NAME",
    shell_complete=forms,
    help="'quasi' to integrate in quasi-velocities, which then stand in the result.",
)
@click.option("--quasi", is_flag=True, help="Add the quasi-velocities to the result.")
@click.option(
    "--check",
    is_flag=True,
    help="Run again with a hundredth of the tolerance, or half of the step, and report the difference.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the motion to a .nc, .zarr, .csv or .json file, its plot to a .png, .svg or .pdf file, "
    "its animation to a .gif, .mp4 or .html file.",
)
@force_option
@json_option
def simulate(model: str, output: str | None, force: bool, as_json: bool, **asked: Any) -> int:
    """Run a system on its constraints.

    Exit status 1 if the run ends before its time, and not by --stop; what was computed up to there is kept.
    """
    from chetaev.commands.printed_motion import print_motion
    from chetaev.flow.data.save import SUFFIXES, save, to_json
    from chetaev.hamilton.dirac.dirac_run import simulate as run_system
    from chetaev.progress import progress

    if output is not None:
        if output.endswith(SUFFIXES):
            from chetaev.flow.data.save import check as check_place
        else:
            from chetaev.view.saved_results import check as check_place
        check_place(output, force=force)
    system = load(model)
    with progress("running") as report:
        arguments = of_a_run(system, asked)
        motion = run_system(system, progress=report, **arguments)
    if output is not None and output.endswith(SUFFIXES):
        save(motion, output, force=force)
    elif output is not None:
        from chetaev.view.saved_results import save as save_picture

        with busy("drawing"):
            save_picture(motion, output, force=force)
    if as_json:
        print_json(to_json(motion))
    else:
        print_motion(motion, system, every=asked["at"] is not None, laws=arguments["laws"], output=output)
    return 0 if motion.attrs["status"] in ("done", "event") else 1
