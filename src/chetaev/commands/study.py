"""``chetaev study``: all of it, with a report."""

from __future__ import annotations

from pathlib import Path

import click

from chetaev.commands.command_group import (
    effort_option,
    force_option,
    json_option,
    load,
    model_command,
    print_json,
    say,
)


@model_command
@click.option("-o", "--output", metavar="DIR", help="The directory; 'study-MODEL' if left out.")
@click.option(
    "--budget",
    default=60.0,
    show_default=True,
    type=click.FloatRange(1, 86400),
    help="Seconds of exact work, after which a stage is stopped.",
)
@effort_option
@force_option
@json_option
def study(
    model: str, output: str | None, budget: float, effort: int | None, force: bool, as_json: bool
) -> int:
    """Study a system: everything, with a report to read and show.

    Exit status 1 if a stage did not come out, formulations disagree, or a claim comes out against its
    expectation; the rest is in the report.
    """
    from chetaev.progress import Stages
    from chetaev.study.study import study as run_study

    system = load(model)
    directory = Path(output or f"study-{Path(model).stem}")
    try:
        with Stages(system) as stages:
            result = run_study(system, directory, budget, stages.tell, force=force, effort=effort)
    except KeyboardInterrupt:
        say(f"chetaev: what was done until here is in {directory}", err=True)
        raise
    if as_json:
        print_json(result.to_json())
    else:
        stages.finish(result)
    return 0 if result.complete and result.agree and result.as_claimed else 1
