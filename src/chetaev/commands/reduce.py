"""``chetaev reduce``: the motion of invariants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from chetaev.commands.command_group import answer, busy, exact_options, load, model_command, print_json
from chetaev.commands.options import components, named
from chetaev.effort import EFFORT
from chetaev.errors import ModelError

if TYPE_CHECKING:
    from chetaev.model.system import System


@model_command
@click.option(
    "--invariant",
    "invariants",
    multiple=True,
    metavar="NAME=EXPR",
    help="An invariant, such as r2=x^2+y^2; several times.",
)
@click.option(
    "--symmetry",
    "symmetries",
    multiple=True,
    metavar="NAME=EXPR,…",
    help="A symmetry by its components, such as x=-y,y=x; several times. Invariants are then searched.",
)
@click.option(
    "--lagrangian",
    is_flag=True,
    help="With the symmetries: reduced Lagrangian, momenta, reduced Lagrange-d'Alembert equations.",
)
@click.option("--chaplygin", is_flag=True, help="The same for a Chaplygin system, which this must be then.")
@click.option(
    "--map",
    "maps",
    multiple=True,
    metavar="NAME=EXPR,…",
    help="A linear map of a finite group, such as x=y,y=x; several times. Invariants are then found.",
)
@click.option("--phases", is_flag=True, help="Also the phases of the motion, if the reduced one returns.")
@click.option("--until", type=float, help="How long --phases looks for the period.")
@exact_options
def reduce(
    model: str,
    invariants: tuple[str, ...],
    symmetries: tuple[str, ...],
    lagrangian: bool,
    chaplygin: bool,
    maps: tuple[str, ...],
    phases: bool,
    until: float | None,
    effort: int | None,
    as_json: bool,
) -> int:
    """Reduce the motion to invariants: their rates as functions of themselves.

    Exit status 1 if the invariants are shown not to close.
    """
    from chetaev.reduction.reduce import reduce as reduced

    system = load(model)
    given = named(invariants, "an invariant", "r2=x^2+y^2")
    fields = [components(text, "a symmetry", "x=-y,y=x") for text in symmetries]
    group = [components(text, "a map", "x=y,y=x") for text in maps]
    if sum(map(bool, (given, fields, group))) != 1:
        raise ModelError(
            "more than one thing to reduce by was given"
            if given or fields or group
            else "nothing to reduce by was given",
            expected="--invariant r2=x^2+y^2 …, --symmetry x=-y,y=x … or --map x=y,y=x …",
        )
    if lagrangian or chaplygin:
        return _by_group(system, bool(given or group or phases), fields, chaplygin, effort or EFFORT, as_json)
    with busy("reducing the motion"):
        found = reduced(
            system,
            invariants=given or None,
            symmetries=fields or None,
            group=group or None,
            effort=effort or EFFORT,
        )
        shift = found.phases(until=until) if phases else None
    answer(found, as_json, system, phases=shift)
    return 1 if found.closed is False else 0


def _by_group(
    system: System,
    others: bool,
    fields: list[dict[str, str]],
    chaplygin: bool,
    effort: int,
    as_json: bool,
) -> int:
    """The reduction with its Lagrangian; status 1 if the reduced equations are shown to be others."""
    from chetaev.reduction.chaplygin.group_reduction import reduce_by_group

    if others:
        raise ModelError(
            "--lagrangian and --chaplygin are for symmetries, without --invariant, --map and --phases",
            expected="--symmetry x=1 …",
        )
    with busy("reducing the Lagrangian"):
        found = reduce_by_group(system, fields, case="chaplygin" if chaplygin else None, effort=effort)
        verdicts = found.agreement(effort)
    if as_json:
        print_json(found.to_json() | {"agreement": {n: str(v) for n, v in verdicts.items()}})
    else:
        answer(found, False, system)
        known = "proved" if all(v.proved for v in verdicts.values()) else "tested"
        wrong = [n for n, v in verdicts.items() if v.is_zero is False]
        said = (
            f"do not agree with the full ones: {', '.join(wrong)}" if wrong else "follow from the full ones"
        )
        click.echo(f"  these equations {said} ({known})")
    return 1 if any(v.is_zero is False for v in verdicts.values()) else 0
