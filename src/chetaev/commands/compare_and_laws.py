"""``chetaev compare`` and ``chetaev laws``: do the formulations agree, what is conserved?"""

from __future__ import annotations

import click

from chetaev.commands.command_group import busy, exact_options, load, model_command, print_json
from chetaev.commands.options import laws as laws_of
from chetaev.effort import EFFORT


@model_command
@click.option(
    "--samples", default=64, show_default=True, type=click.IntRange(1, 100_000), help="Random points."
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Of the random points.")
@click.option("--prove/--no-prove", default=True, help="Also try to prove the agreement symbolically.")
@exact_options
def compare(model: str, samples: int, seed: int, prove: bool, effort: int | None, as_json: bool) -> int:
    """Evaluate every applicable formulation at random points and compare the accelerations.

    Exit status 1 if they do not agree.
    """
    from chetaev.compare.compare import compare as compare_forms

    with busy("comparing formulations"):
        result = compare_forms(load(model), samples, seed, prove=prove, effort=effort or EFFORT)
    if as_json:
        print_json(result.to_json())
    else:
        from chetaev.terminal import print_comparison

        print_comparison(result)
    return 0 if result.agree else 1


@model_command
@click.option("--law", "candidates", multiple=True, metavar="NAME=EXPR", help="A further quantity to judge.")
@click.option(
    "--degree", default=2, show_default=True, help="Largest degree in the velocities of what is searched."
)
@click.option(
    "--functions", multiple=True, metavar="EXPR", help="A function of t and q that joins the space searched."
)
@click.option("--rational", is_flag=True, help="Search quotients too.")
@click.option(
    "--free",
    multiple=True,
    metavar="NAME",
    help="Search special values of this parameter with more integrals; several: relations.",
)
@exact_options
def laws(
    model: str,
    candidates: tuple[str, ...],
    degree: int,
    functions: tuple[str, ...],
    rational: bool,
    free: tuple[str, ...],
    effort: int | None,
    as_json: bool,
) -> None:
    """Show what is conserved: energy, momenta, quantities you name, and what a search finds.

    Each with its proof or refutation, and with the theorems that explain it.
    """
    from chetaev.laws.integrals import looked_at, unjudged
    from chetaev.laws.rate import EFFORT as MOST
    from chetaev.terminal import print_laws

    system = load(model)
    with busy("looking for conservation laws"):
        found = looked_at(
            system,
            laws_of(system, candidates),
            degree=degree,
            functions=functions or None,
            rational=rational,
            free=free,
            effort=effort or MOST,
        )
    if as_json:
        rest: list[dict[str, object]] = [
            {"name": n, "conserved": None, "origin": why} for n, why in unjudged(system).items()
        ]
        if found.searched is not None:
            rest.append(
                {
                    "name": "searched",
                    "conserved": None,
                    "origin": str(found.searched),
                    "searched": found.searched.to_json(),
                    "special": [special.to_json() for special in found.special],
                    "by_equation": [law.to_json() for law in found.by_equation],
                }
            )
        print_json([*(law.to_json() for law in found), *rest])
    else:
        print_laws(system, found, unjudged(system), found.searched, [*found.special, *found.by_equation])
