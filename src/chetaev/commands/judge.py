"""``chetaev compare`` and ``chetaev laws``: do the formulations agree, what is conserved?"""

from __future__ import annotations

import click

from chetaev.commands.group import cli, effort_option, json_option, model_argument, print_json
from chetaev.commands.options import laws as laws_of


@cli.command()
@model_argument
@click.option(
    "--samples", default=64, show_default=True, type=click.IntRange(1, 100_000), help="Random points."
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Of the random points.")
@click.option("--prove/--no-prove", default=True, help="Also try to prove the agreement symbolically.")
@effort_option
@json_option
def compare(model: str, samples: int, seed: int, prove: bool, effort: int | None, as_json: bool) -> int:
    """Evaluate every applicable formulation at random points and compare the accelerations.

    Exit status 1 if they do not agree.
    """
    from chetaev.compare.compare import compare as compare_forms
    from chetaev.effort import EFFORT
    from chetaev.model.loader import load
    from chetaev.waiting import busy

    with busy("comparing formulations"):
        result = compare_forms(load(model), samples, seed, prove=prove, effort=effort or EFFORT)
    if as_json:
        print_json(result.to_json())
    else:
        from chetaev.terminal import print_comparison

        print_comparison(result)
    return 0 if result.agree else 1


@cli.command()
@model_argument
@click.option("--law", "candidates", multiple=True, metavar="NAME=EXPR", help="A further quantity to judge.")
@effort_option
@json_option
def laws(model: str, candidates: tuple[str, ...], effort: int | None, as_json: bool) -> None:
    """Show what is conserved: energy, momenta, and quantities you name, each with its proof or refutation."""
    from chetaev.laws.integrals import judged, unjudged
    from chetaev.laws.rate import EFFORT
    from chetaev.model.loader import load
    from chetaev.terminal import print_laws
    from chetaev.waiting import busy

    system = load(model)
    with busy("looking for conservation laws"):
        found = judged(system, laws_of(system, candidates), effort=effort or EFFORT)
    if as_json:
        missing = [{"name": n, "conserved": None, "origin": why} for n, why in unjudged(system).items()]
        print_json([*(law.to_json() for law in found), *missing])
    else:
        print_laws(system, found, unjudged(system))
