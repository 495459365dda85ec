"""``chetaev sweep``: many motions of a system into one store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from chetaev.commands.command_group import (
    busy,
    force_option,
    json_option,
    load,
    model_command,
    print_json,
    say,
)
from chetaev.commands.options import listed, of_a_run, pair, run_options
from chetaev.errors import ModelError

if TYPE_CHECKING:
    import xarray


@model_command
@click.option(
    "--grid",
    "grids",
    multiple=True,
    metavar="NAME=START:STOP:COUNT",
    help="A parameter, position or velocity (x_dot) on a grid, or NAME=1,2,5; several make all combinations.",
)
@click.option(
    "--sample",
    "drawn",
    multiple=True,
    metavar="NAME=DISTRIBUTION",
    help="Drawn at random: NAME=uniform(LOW, HIGH) or NAME=normal(MEAN, DEVIATION).",
)
@click.option("--samples", type=int, metavar="N", help="How many are drawn, at each point of the grid.")
@click.option("--energy", type=float, metavar="E", help="Draw velocities on the constraints at this energy.")
@click.option("--seed", type=int, default=0, metavar="N", help="Of everything that is drawn; 0 if left out.")
@run_options(
    at="Times of series and laws: 0,1,2 or 0:10:0.1 or '101 times'.",
    setting="A value that all members share.",
    law="An expression whose drift is kept.",
)
@click.option(
    "--keep",
    default="final",
    metavar="NAMES",
    help="What is kept of a member: final, initial, extrema, events, series, laws, sensitivities.",
)
@click.option("--chunk", type=int, metavar="N", help="Members of a chunk; about 32 megabytes if left out.")
@click.option("--threads", type=int, metavar="N", help="One for each processor if left out.")
@click.option("--scheduler", metavar="ADDRESS", help="A Dask scheduler, whose workers do the work.")
@click.option("-o", "--output", required=True, metavar="STORE", help="A directory, out.zarr, or an address.")
@click.option(
    "--map",
    "pictures",
    nargs=2,
    metavar="QUANTITY FILE",
    help="Draw a quantity over a grid of two values: --map final:theta map.png.",
)
@force_option
@json_option
def sweep(
    model: str, grids: tuple[str, ...], drawn: tuple[str, ...], keep: str, output: str,
    pictures: tuple[str, str] | None, force: bool, as_json: bool, **asked: Any,
) -> int:  # fmt: skip
    """Run many motions of a system, on all processors, into a zarr store.

    A store that is not finished is gone on with by the same command. Exit status 1 if members failed.
    """
    from chetaev.hamilton.dirac.dirac_ensemble import ensemble
    from chetaev.progress import progress

    if pictures is not None:
        from chetaev.view.maps import check_map, save_map

        check_map(pictures[1])
    system = load(model)
    over: dict[str, str] = {}
    for option, texts in (("--grid", grids), ("--sample", drawn)):
        for text in texts:
            name, value = pair(
                text, option, "theta=0.1:0.5:50" if option == "--grid" else "theta=uniform(0,1)"
            )
            if name in over:
                raise ModelError(f"{option} gives {name!r} twice", remedy="leave out one of them")
            over[name] = value
    if not over and asked.get("samples") is None:
        raise ModelError("nothing varies", expected="--grid theta=0.1:0.5:50, --sample, or both")
    arguments = of_a_run(system, asked)
    with _kept(output), progress("running") as report:
        found = ensemble(system, over or None, keep=listed(keep), store=output, progress=report, **arguments)
    data = facts(found, output)
    if pictures is not None:
        with busy("drawing"):
            data["map"] = str(save_map(found, *pictures, force=force))
    if as_json:
        print_json(data)
    else:
        _print(data)
    return 0 if not data["failed"] else 1


@contextmanager
def _kept(output: str) -> Iterator[None]:
    """Say after an interrupt that nothing finished is lost."""
    try:
        yield
    except KeyboardInterrupt:
        say(f"what is finished stands in {output}; the same command goes on from there", err=True)
        raise


def facts(found: xarray.Dataset, output: str) -> dict[str, Any]:
    """How the members of a sweep ended, as plain data; the statuses are read a chunk at a time."""
    ends: dict[str, int] = {}
    examples: dict[str, dict[str, Any]] = {}
    steps, piece, total = 0, 100_000, int(found.sizes["run"])
    for start in range(0, total, piece):
        part = found.isel(run=slice(start, start + piece))
        statuses = part.status.values
        steps += int(part.steps.values.sum())
        for status in sorted(set(statuses.tolist())):
            places = (statuses == status).nonzero()[0]
            ends[status] = ends.get(status, 0) + len(places)
            if status not in ("done", "event") and status not in examples:
                i = int(places[0])
                examples[status] = {"member": start + i, "reason": str(part.reason.values[i])}
    return {
        "store": output,
        "members": total,
        "ends": ends,
        "failed": sum(n for status, n in ends.items() if status not in ("done", "event")),
        "failures": examples,
        "steps": steps,
        "variables": {str(name): list(map(str, v.dims)) for name, v in found.data_vars.items()},
    }


def _print(data: dict[str, Any]) -> None:
    from chetaev.terminal import console, words

    out = console()
    said = ", ".join(f"{count} {status}" for status, count in data["ends"].items())
    out.print(words(f"{data['members']} members: {said}; {data['steps']} steps"), soft_wrap=True)
    for status, one in data["failures"].items():
        out.print(
            words(f"{status}, as member {one['member']}: {one['reason']}", style="yellow"), soft_wrap=True
        )
    out.print(words(f"written to {data['store']}"), soft_wrap=True)
    if "map" in data:
        out.print(words(f"drawn to {data['map']}"), soft_wrap=True)
