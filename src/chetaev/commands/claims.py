"""``chetaev claims``: published results, judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from chetaev.commands.command_group import busy, cli, exact_options, load, print_json
from chetaev.commands.completion import models

if TYPE_CHECKING:
    from chetaev.study.claims.judgement import Claims


@cli.command()
@click.argument("model", metavar="[MODEL]", required=False, shell_complete=models)
@exact_options
def claims(model: str | None, effort: int | None, as_json: bool) -> int:
    """Judge what a model claims under [[claims]], or what all models of the gallery claim.

    Exit status 1 if a verdict is not the one that is expected.
    """
    from chetaev.laws.rate import EFFORT
    from chetaev.study.claims.claims import claims as judge

    system = None if model is None else load(model)
    with busy("judging claims"):
        found = judge(system, effort=effort or EFFORT)
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
            for text in one.stated:
                indented(out, text, 5)
            for part in one.parts:
                indented(out, part.text, 5)
                indented(out, part.evidence, 7, "dim")
            if claim.note:
                indented(out, claim.note, 5, "dim")
        out.print()
    against = len(found.surprising)
    open_ones = sum(one.holds is None for one in found)
    if found:
        count = f"{len(found)} claim{'' if len(found) == 1 else 's'}"
        rest = f", {open_ones} undecided" if open_ones else ""
        told = f"{against} against expectation" if against else "none against expectation"
        out.print(words(f"{count}: {told}{rest}", style="bold"))
