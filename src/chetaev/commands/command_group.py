"""The group of all commands, and what they share."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from chetaev import __version__
from chetaev.commands.options import models
from chetaev.errors import ModelError, did_you_mean, visible
from chetaev.results import finite, json_text

if TYPE_CHECKING:
    from chetaev.model.system import System

GETTING_STARTED = """\
chetaev: a workbench for nonholonomic mechanics

  chetaev list                   the gallery of models; 'chetaev list rolling' searches it
  chetaev show rolling-disc      what a system is; --form NAME shows its equations of motion
  chetaev compare rolling-disc   all formulations of its equations, and whether they agree
  chetaev laws rolling-disc      what is conserved, and why
  chetaev simulate rolling-disc  run it on its constraints; -o motion.nc (.csv, .png, .gif, …) keeps it
  chetaev play rolling-disc      a page with sliders: the motion follows
  chetaev study rolling-disc     all of it, with a report to read and show
  chetaev new my-model           write a commented model file to start from
  chetaev show my-model.toml     check it

MODEL is a name of the gallery or a path. 'chetaev COMMAND --help' tells more;
--json prints facts for machines."""


NARROWEST = 20
"""Letters of a line; in a narrower terminal nothing is broken."""
TOPICS = {
    "Start": ("list", "new", "show", "study"),
    "Equations of motion": ("compare", "hamilton", "dirac"),
    "What is conserved": ("laws", "symmetries", "measure", "helmholtz", "reduce", "reversals"),
    "Motions": ("simulate", "play", "sweep", "stability", "periodic", "section", "lyapunov", "basins"),
    "Inputs": ("control", "steer"),
    "Papers": ("claims",),
    "The shell": ("completion",),
}
"""The commands as --help lists them."""


class _Commands(click.Group):
    """A group that lists its commands by topic, and offers the nearest one for a mistyped one."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for topic, names in TOPICS.items():
            with formatter.section(topic):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(500)) for name in names])

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
    """A workbench for nonholonomic mechanics.

    MODEL is a name of the gallery or a file; 'chetaev COMMAND --help' helps.
    """
    if ctx.invoked_subcommand is None:
        click.echo(GETTING_STARTED)


json_option = click.option("--json", "as_json", is_flag=True, help="Print facts as JSON.")
force_option = click.option("--force", is_flag=True, help="Overwrite files that chetaev did not write.")
plot_option = click.option(
    "--plot", "picture", metavar="FILE", help="Draw it, into a .png, .svg or .pdf file."
)
effort_option = click.option(
    "--effort",
    type=click.IntRange(1),
    metavar="N",
    help="What each exact question may cost, in counted operations; 1000000 is about a second.",
)


def model_command(command: Callable[..., Any]) -> click.Command:
    """A command of the group whose first argument is MODEL."""
    return cli.command()(click.argument("model", metavar="MODEL", shell_complete=models)(command))


def exact_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a command that asks exact questions: --effort and --json."""
    return effort_option(json_option(command))


def say(result: Any, *, err: bool = False) -> None:
    """Print a result in words; what a model says cannot steer the terminal.

    On a terminal long lines are broken where words end; in a file or a pipe they are not.
    """
    text = visible(str(result))
    if (sys.stderr if err else sys.stdout).isatty():
        text = wrapped(text, shutil.get_terminal_size().columns)
    click.echo(text, err=err)


def wrapped(text: str, width: int) -> str:
    """Lines that are longer than the width go on below, further in; a caret under a line keeps its place.

    >>> print(wrapped("  linear theory does not decide: 4 of 5 lie on the axis", 40))
      linear theory does not decide: 4 of 5
          lie on the axis
    """
    lines = text.split("\n")
    if width < NARROWEST or any(line.strip(" ^~") == "" and "^" in line for line in lines):
        return text
    return "\n".join(part for line in lines for part in _broken(line, width))


def _broken(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    indent = " " * (len(line) - len(line.lstrip(" ")))
    return textwrap.wrap(
        line, width, subsequent_indent=f"{indent}    ", break_long_words=False, break_on_hyphens=False
    )


def load(model: str) -> System:
    """The model that a command is about; what its file says of pictures and claims is checked, too."""
    from chetaev.model.file.loader import load as loaded
    from chetaev.model.gallery import names

    system = loaded(model)
    if model in names():  # checked by the tests, and started at once
        return system
    if system.view:
        from chetaev.view.view_reader import read

        read(system)
    if system.claims:
        from chetaev.study.claims.claims import read as read_claims

        read_claims(system)
    return system


@contextmanager
def busy(what: str) -> Iterator[None]:
    """A sign of life while something takes time."""
    from chetaev.progress import busy as alive

    with alive(what):
        yield


def answer(found: Any, as_json: bool, system: System | None = None, **further: Any) -> None:
    """Print a result as JSON, or in words below the name of a system; further ones belong to it if given."""
    others = {name: one for name, one in further.items() if one is not None}
    if as_json:
        data = found.to_json()
        print_json(data | {name: one.to_json() for name, one in others.items()} if others else data)
        return
    if system is not None:
        say(system.name or "Unnamed system")
    for one in (found, *others.values()):
        say(one)


def check_plot(picture: str | None, force: bool) -> None:
    """Raise what keeps a picture from being written, before anything is computed."""
    if picture is not None:
        from chetaev.view.saved_results import DRAWN, check

        if not picture.lower().endswith(DRAWN):
            said = f"--plot {picture!r} has no format of pictures"
            raise ModelError(said, expected="a name that ends in " + ", ".join(DRAWN))
        check(picture, force=force)


def save_plot(found: Any, picture: str | None, force: bool) -> None:
    """Draw a result into a file, if one is named."""
    if picture is not None:
        from chetaev.view.saved_results import save

        with busy("drawing"):
            save(found, picture, force=force)


def print_json(data: Any) -> None:
    """Print plain data as JSON."""
    click.echo(json_text(finite(data), indent=2))
