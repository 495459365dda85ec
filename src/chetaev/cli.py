"""The command line, thin: each command asks a room and prints what it says.

Exit status: 0 done; 1 the answer is no; 2 the input is wrong, with a message that says where and what to do.
"""

from __future__ import annotations

import json
import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chetaev import __version__
from chetaev.errors import ChetaevError, ModelError, did_you_mean, nearest

if TYPE_CHECKING:
    from chetaev.model.system import System

GETTING_STARTED = """\
chetaev: a workbench for nonholonomic mechanics

  chetaev list                   the gallery of models
  chetaev show rolling-disc      what a system is; --form NAME shows its equations of motion
  chetaev compare rolling-disc   all formulations of its equations, and whether they agree
  chetaev laws rolling-disc      what is conserved, and why
  chetaev simulate rolling-disc  run it on its constraints; -o motion.nc keeps the result
  chetaev study rolling-disc     all of it, with a report to read and show
  chetaev new my-model           write a commented model file to start from
  chetaev show my-model.toml     check it

MODEL is a name of the gallery or a path. 'chetaev COMMAND --help' tells more;
--json prints facts for machines."""


SHOW_SECONDS = 10.0
"""Time for the normal forms of all equations that are shown; beyond it they are shown as derived."""


class _Commands(click.Group):
    """A group that offers the nearest command for a mistyped one."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = super().get_command(ctx, cmd_name)
        if found is None and not ctx.resilient_parsing:
            names = self.list_commands(ctx)
            hint = did_you_mean(cmd_name, names)
            raise click.UsageError(
                f"there is no command {cmd_name!r}; {hint or 'there are ' + ', '.join(names)}"
            )
        return found


@click.group(
    cls=_Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="chetaev")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """A workbench for nonholonomic mechanics."""
    if ctx.invoked_subcommand is None:
        click.echo(GETTING_STARTED)


_json = click.option("--json", "as_json", is_flag=True, help="Print facts as JSON.")
_model = click.argument("model", metavar="MODEL")


def _print_json(data: Any) -> None:
    click.echo(json.dumps(_finite(data), indent=2, ensure_ascii=False, allow_nan=False))


def _finite(data: Any) -> Any:
    """Plain data with null for what is not a finite number: JSON has no word for it."""
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    return [_finite(value) for value in data] if isinstance(data, (list, tuple)) else data


@cli.command("list")
@_json
def list_(as_json: bool) -> None:
    """Show the gallery."""
    from chetaev.model import gallery

    rows = gallery.heads()
    if as_json:
        _print_json(rows)
        return
    from chetaev.terminal import print_gallery

    print_gallery(rows)


@cli.command()
@_model
@click.option("--form", metavar="NAME", help="Show the equations of motion in this formulation, or 'all'.")
@click.option("--latex", is_flag=True, help="Print LaTeX.")
@_json
def show(model: str, form: str | None, latex: bool, as_json: bool) -> None:
    """Show what a system is, or, with --form, its equations of motion."""
    from chetaev.model.loader import load

    system = load(model)
    if form is not None:
        _show_equations(system, form, latex, as_json)
    elif as_json:
        from chetaev.constraint.classifier import classify
        from chetaev.model.facts import facts

        _print_json(facts(system) | {"classification": classify(system).to_json()})
    elif latex:
        from chetaev.model.display import system_latex

        click.echo(system_latex(system))
    else:
        from chetaev.terminal import busy, print_classification, print_system

        print_system(system)
        with busy("classifying the constraint"):
            from chetaev.constraint.classifier import classify

            kind = classify(system)
        print_classification(kind)


def _show_equations(system: System, form: str, latex: bool, as_json: bool) -> None:
    from chetaev.equations.display import aligned, rows
    from chetaev.equations.facts import equation_facts
    from chetaev.equations.forms import equations, forms
    from chetaev.terminal import busy

    with busy("deriving equations"):
        found = forms(system) if form == "all" else None
        laws = [equations(system, name) for name in (found.names if found else (form,))]
        excluded = dict(found.excluded) if found else {}
        share = SHOW_SECONDS / max(2, len(laws))
        facts = [equation_facts(law, share) for law in laws] if as_json else []
        shown = [] if as_json else [rows(law, share) for law in laws]
    if as_json:
        _print_json({"forms": facts, "excluded": excluded})
    elif latex:
        blocks = [f"% {law.form}: {law.source}\n{aligned(r)}" for law, r in zip(laws, shown, strict=True)]
        click.echo("\n\n".join(blocks))
    else:
        from chetaev.terminal import print_equations

        print_equations(laws, shown, excluded)


@cli.command()
@_model
@click.option(
    "--samples", default=64, show_default=True, type=click.IntRange(1, 100_000), help="Random points."
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Of the random points.")
@click.option("--prove/--no-prove", default=True, help="Also try to prove the agreement symbolically.")
@click.option(
    "--seconds", default=20.0, show_default=True, type=click.FloatRange(0.1), help="For all the proofs."
)
@_json
def compare(model: str, samples: int, seed: int, prove: bool, seconds: float, as_json: bool) -> int:
    """Evaluate every applicable formulation at random points and compare the accelerations.

    Exit status 1 if they do not agree.
    """
    from chetaev.equations.compare import compare as compare_forms
    from chetaev.model.loader import load
    from chetaev.terminal import busy

    with busy("comparing formulations"):
        result = compare_forms(load(model), samples, seed, prove=prove, seconds=seconds)
    if as_json:
        _print_json(result.to_json())
    else:
        from chetaev.terminal import print_comparison

        print_comparison(result)
    return 0 if result.agree else 1


@cli.command()
@_model
@click.option("--law", "candidates", multiple=True, metavar="NAME=EXPR", help="A further quantity to judge.")
@_json
def laws(model: str, candidates: tuple[str, ...], as_json: bool) -> None:
    """Show what is conserved: energy, momenta, and quantities you name, each with its proof or refutation."""
    from chetaev.laws.integrals import judged
    from chetaev.model.loader import load
    from chetaev.terminal import busy, print_laws

    system = load(model)
    with busy("looking for conservation laws"):
        found = judged(system, dict(_pair(law, "--law") for law in candidates))
    if as_json:
        _print_json([law.to_json() for law in found])
    else:
        print_laws(system, found)


@cli.command()
@_model
@click.option("--until", type=float, metavar="T", help="The final time; the model's own if left out.")
@click.option("--at", metavar="T1,T2,…", help="Times of the result.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter, position or velocity (x_dot).",
)
@click.option(
    "--tolerance", type=float, help="Error allowed in a step, 1e-9 if neither this nor the model says."
)
@click.option("--method", default="dop853", show_default=True, help="dop853, or radau for stiff systems.")
@click.option("--event", "events", multiple=True, metavar="EXPR", help="An expression whose zeros are found.")
@click.option(
    "--law", "laws", multiple=True, metavar="NAME=EXPR", help="An expression to evaluate along the motion."
)
@click.option(
    "--check", is_flag=True, help="Run again with a hundredth of the tolerance and report the difference."
)
@click.option("-o", "--output", metavar="FILE", help="Write the motion to a .nc, .zarr, .csv or .json file.")
@_json
def simulate(
    model: str,
    until: float | None,
    at: str | None,
    settings: tuple[str, ...],
    tolerance: float | None,
    method: str,
    events: tuple[str, ...],
    laws: tuple[str, ...],
    check: bool,
    output: str | None,
    as_json: bool,
) -> int:
    """Run a system on its constraints.

    Exit status 1 if the run ends before its time; what was computed up to there is kept.
    """
    from chetaev.flow.save import save, suffix_of, to_json
    from chetaev.flow.simulate import simulate as run_system
    from chetaev.model.loader import load
    from chetaev.terminal import busy, print_motion

    if output is not None:
        suffix_of(output)
    system = load(model)
    parameters, initial = _settings(system, settings)
    with busy("running"):
        motion = run_system(
            system,
            until,
            None if at is None else _times(at),
            initial,
            tolerance,
            parameters=parameters,
            events=events,
            laws=dict(_pair(law, "--law") for law in laws),
            method=method,
            check=check,
        )
    if output is not None:
        save(motion, output)
    if as_json:
        _print_json(to_json(motion))
    else:
        print_motion(motion, system, every=at is not None, output=output)
    return 0 if motion.attrs["status"] in ("done", "event") else 1


def _pair(text: str, option: str) -> tuple[str, str]:
    name, found, value = text.partition("=")
    if not found or not name.strip() or not value.strip():
        raise ModelError(
            f"{option} {text!r} is not of the form NAME=VALUE", expected=f"for example {option} m=2"
        )
    return name.strip(), value.strip()


def _settings(system: System, settings: tuple[str, ...]) -> tuple[dict[str, str], dict[str, str]]:
    """Parameters and initial data from --set options."""
    parameters: dict[str, str] = {}
    initial: dict[str, str] = {}
    for text in settings:
        name, value = _pair(text, "--set")
        bare = name.removesuffix("_dot").rstrip("'")
        if name in system.parameters:
            parameters[name] = value
        elif bare in system.coordinates or name in ("t", system.time):
            initial[name] = value
        else:
            known = [*system.parameters, *system.coordinates, *(f"{c}_dot" for c in system.coordinates)]
            raise ModelError(
                f"--set {name}: the model has no parameter or coordinate of that name",
                expected="one of " + ", ".join(known),
                remedy=did_you_mean(name, known),
            )
    return parameters, initial


def _times(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",") if part.strip()]
    except ValueError as error:
        raise ModelError(f"--at {text!r}: {error}", expected="numbers with commas between them") from None


@cli.command()
@_model
@click.option("-o", "--output", metavar="DIR", help="The directory; 'study-MODEL' if left out.")
@click.option(
    "--budget",
    default=60.0,
    show_default=True,
    type=click.FloatRange(1, 86400),
    help="Seconds of exact work.",
)
@_json
def study(model: str, output: str | None, budget: float, as_json: bool) -> int:
    """Study a system: everything, with a report to read and show.

    Exit status 1 if a stage did not come out, or formulations disagree; the rest is in the report.
    """
    from chetaev.model.loader import load
    from chetaev.study.study import study as run_study
    from chetaev.terminal import Stages

    system = load(model)
    directory = Path(output or f"study-{Path(model).stem}")
    try:
        with Stages(system) as stages:
            result = run_study(system, directory, budget, stages.tell)
    except KeyboardInterrupt:
        click.echo(f"chetaev: what was done until here is in {directory}", err=True)
        raise
    if as_json:
        _print_json(result.to_json())
    else:
        stages.finish(result)
    return 0 if result.complete and result.agree else 1


@cli.command()
@click.argument("name")
@click.option("--force", is_flag=True, help="Overwrite a file that exists.")
def new(name: str, force: bool) -> None:
    """Write a commented model file NAME.toml to start from."""
    from chetaev.model.template import template

    stem = Path(name).name.removesuffix(".toml")
    if not stem.strip(". ") or len(stem) > 100 or not stem.isprintable():
        raise ModelError(f"{name[:60]!r} is no name for a model file", expected="a name such as my-model")
    path = Path(name).with_name(f"{stem}.toml")
    write_whole(path, template(path.stem), force=force)
    click.echo(f"wrote {path}; next: chetaev show {path}")


def write_whole(path: Path, text: str, *, force: bool) -> None:
    """Write a file whole or not at all; an existing one only if told to."""
    if os.path.lexists(path) and not force:
        raise ModelError(f"{str(path)!r} exists already", remedy="choose another name, or add --force")
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except (OSError, ValueError) as error:
        temporary.unlink(missing_ok=True)
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ModelError(f"{str(path)!r} cannot be written: {reason}") from None


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit."""
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit status."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the shell: what is printed goes nowhere
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        result = cli.main(args=arguments, prog_name="chetaev", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except ChetaevError as error:
        click.echo(f"chetaev: {error}", err=True)
        return 2
    except click.UsageError as error:
        click.echo(f"chetaev: {_usage(error)}", err=True)
        return 2
    except click.ClickException as error:
        click.echo(f"chetaev: {error.format_message()}", err=True)
        return 2
    except (KeyboardInterrupt, click.Abort):
        click.echo("chetaev: interrupted", err=True)
        return 130
    except MemoryError:
        click.echo("chetaev: out of memory; the model is too large for this machine", err=True)
        return 2
    except BrokenPipeError:
        _silence(sys.stdout)
        return 0
    except OSError as error:
        click.echo(f"chetaev: the output cannot be written: {error.strerror or error}", err=True)
        _silence(sys.stdout)
        return 2
    except Exception as error:
        if os.environ.get("CHETAEV_DEBUG"):
            raise
        click.echo(
            f"chetaev: an error in chetaev itself: {type(error).__name__}: {error}\n"
            "  please report it with the model; CHETAEV_DEBUG=1 shows where it happened",
            err=True,
        )
        return 70


def _silence(stream: Any) -> None:
    """Let what is still buffered for a stream go nowhere, so that closing it raises nothing."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError, AttributeError):
        return


def _usage(error: click.UsageError) -> str:
    message = error.format_message()
    if isinstance(error, click.NoSuchOption):
        options = [o for p in (error.ctx.command.params if error.ctx else []) for o in p.opts]
        close = nearest(error.option_name, options)
        message = f"there is no option {error.option_name!r}" + (
            f"; did you mean {close[0]!r}?" if close else ""
        )
    command = error.ctx.command_path if error.ctx else "chetaev"
    return f"{message}\n  '{command} --help' tells how it is used"
