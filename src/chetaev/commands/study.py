"""``chetaev study``: all of it, with a report; ``chetaev claims``: published results, judged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from chetaev.commands.command_group import (
    busy,
    cli,
    effort_option,
    exact_options,
    force_option,
    json_option,
    load,
    model_command,
    print_json,
    say,
)
from chetaev.commands.options import models

if TYPE_CHECKING:
    from chetaev.study.claims.judgement import Claims, Judgement


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


@cli.command()
@click.argument("model", metavar="[MODEL|PAPER]", required=False, shell_complete=models)
@exact_options
def claims(model: str | None, effort: int | None, as_json: bool) -> int:
    """Judge what a model claims under [[claims]], what there is of a PAPER (part of its name), or all.

    Exit status 1 if a verdict is not the one that is expected.
    """
    from chetaev.laws.rate import EFFORT
    from chetaev.model.gallery import names
    from chetaev.study.claims.claims import claims as judge
    from chetaev.study.claims.claims import sources

    paper = ""
    if model and model not in names() and not Path(model).exists():
        paper = model if any(model.casefold() in one.casefold() for one in sources()) else ""
    system = None if model is None or paper else load(model)
    with busy("judging claims"):
        found = judge(system, paper=paper, effort=effort or EFFORT, repairs=True)
    if as_json:
        print_json(found.to_json())
    else:
        _print(found)
    return 1 if found.surprising else 0


def _print(found: Claims) -> None:
    """Model by model: each claim with its verdict, then its parts with their evidence."""
    from itertools import groupby

    from chetaev.terminal import console, indented, words

    out = console()
    if not found:
        out.print(words("Nothing is claimed: the model has no [[claims]]."))
    for model, judged in groupby(found, key=lambda one: one.model):
        out.print(words(model, style="bold underline"))
        for one in judged:
            claim = one.claim
            indented(out, f"{claim.number}. {claim.says or claim.kind}", 2, "cyan")
            if claim.source:
                indented(out, claim.source, 5, "dim")
            style = "yellow" if one.holds is None else "red" if one.surprising else "green"
            indented(out, one.verdict, 5, style)
            _print_statement(one)
            if one.correction is not None:
                indented(out, "corrected:", 5, "green" if one.correction.holds else "yellow")
                _print_statement(one.correction)
                if one.correction.claim.note != claim.note:
                    indented(out, one.correction.claim.note, 5, "dim")
            if claim.note:
                indented(out, claim.note, 5, "dim")
        out.print()
    against = len(found.surprising)
    open_ones = sum(one.holds is None for one in found)
    if found:
        count = f"{len(found)} claim{'' if len(found) == 1 else 's'}"
        rest = f", {open_ones} undecided" if open_ones else ""
        outcome = f"{against} against expectation" if against else "none against expectation"
        out.print(words(f"{count}: {outcome}{rest}", style="bold"))


def _print_statement(judged: Judgement) -> None:
    """What is stated, and each part with its evidence."""
    from chetaev.terminal import console, indented

    out = console()
    for text in judged.stated:
        indented(out, text, 5)
    for part in judged.parts:
        indented(out, part.text, 5)
        indented(out, part.evidence, 7, "dim")
