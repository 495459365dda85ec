"""Options of the command line whose values have a form of their own; what the tab key completes.

The shell runs the program itself (click's protocol) to complete a word: from the gallery, and from the model
that stands on the line so far.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click import IntRange, option
from click.shell_completion import CompletionItem, split_arg_string

from chetaev.errors import ChetaevError, ModelError, Origin, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from chetaev.flow.run.events import Event
    from chetaev.model.system import System


Command = TypeVar("Command", bound=Callable[..., Any])
DIRECTIONS = {"rising": 1, "falling": -1}
"""Words before the expression of an event."""


def pair(text: str, option: str, example: str) -> tuple[str, str]:
    """Name and value of ``NAME=VALUE``.

    >>> pair("m = 2", "--set", "m=2")
    ('m', '2')
    """
    name, found, value = text.partition("=")
    if not found or not name.strip() or not value.strip():
        raise ModelError(
            f"{option} {text!r} is not of the form NAME=VALUE",
            expected=f'for example {option} "{example}"',
        )
    return name.strip(), value.strip()


def pairs(texts: Iterable[str], option: str, example: str) -> dict[str, str]:
    """``NAME=VALUE`` several times, each name once."""
    found: dict[str, str] = {}
    for text in texts:
        name, value = pair(text, option, example)
        if name in found:
            raise ModelError(
                f"{option} gives {name!r} twice: {found[name]!r} and {value!r}", remedy="keep one of them"
            )
        found[name] = value
    return found


def listed(text: str | None) -> list[str]:
    """The names of a list with commas."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def named(texts: Iterable[str], what: str, example: str) -> dict[str, str]:
    """``NAME=EXPR`` several times, each name once."""
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not sign or not name or not value:
            raise ModelError(f"{what} is {text!r}", expected=f"NAME=EXPR, such as {example}")
        if name in found:
            raise ModelError(
                f"{name!r} is given twice: as {found[name]!r} and as {value!r}", remedy="keep one of them"
            )
        found[name] = value
    return found


def components(text: str, what: str, example: str) -> dict[str, str]:
    """Components of a field or a map, ``NAME=EXPR,NAME=EXPR``; commas inside brackets belong to them.

    >>> components("x=-y, y=atan2(x, y)", "a symmetry", "x=-y,y=x")
    {'x': '-y', 'y': 'atan2(x, y)'}
    """
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return named(parts, what, example)


def settings(system: System, texts: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Parameters and initial data from --set options."""
    from chetaev.expr.language.scope import normal_name

    parameters: dict[str, str] = {}
    initial: dict[str, str] = {}
    for text in texts:
        written, value = pair(text, "--set", "m=2")
        name = normal_name(written)
        bare = name.removesuffix("_dot").rstrip("'")
        if name in system.parameters:
            parameters[name] = value
        elif bare in system.coordinates or name in ("t", system.time) or _is_momentum(system, name):
            initial[name] = value
        else:
            known = [*system.parameters, *system.coordinates, *(f"{c}_dot" for c in system.coordinates)]
            said = f"--set {name}: the model has no parameter or coordinate of that name"
            raise ModelError.unknown(said, name, known)
    return parameters, initial


def _is_momentum(system: System, name: str) -> bool:
    """Whether a name is that of a momentum, which a run of a degenerate Lagrangian may start from."""
    stem = re.sub(r"^p_+", "", name)
    return system.dynamics.lagrangian is not None and stem != name and stem in system.coordinates


def gauge(texts: Iterable[str]) -> dict[str, str] | list[str] | None:
    """A choice of gauge from --gauge options: multipliers ``u_1=…``, or conditions.

    >>> gauge(["u_1 = 1/2"]), gauge(["z = 0"]), gauge([])
    ({'u_1': '1/2'}, ['z = 0'], None)
    """
    given = list(texts)
    named = [text for text in given if re.match(r"\s*u_+\d+\s*=", text)]
    if named and len(named) < len(given):
        raise ModelError(
            "--gauge gives functions for multipliers and conditions", remedy="give one kind of them only"
        )
    if named:
        return pairs(named, "--gauge", "u_1=1")
    return given or None


def laws(system: System, texts: Iterable[str]) -> dict[str, str]:
    """Expressions by name from --law options."""
    found = pairs(texts, "--law", "speed=sqrt(x'^2 + y'^2)")
    for expression in found.values():
        _check(system, expression, "--law")
    return found


def run_options(at: str, setting: str, law: str) -> Callable[[Command], Command]:
    """The options of a run; what times, settings and laws are for is said in the words of the command."""
    options = (
        option(
            "--until",
            type=float,
            metavar="T",
            help="The final time; else the last of --at, else the model's.",
        ),
        option("--at", metavar="TIMES", help=at),
        option(
            "--set", "settings", multiple=True, metavar="NAME=VALUE", help=setting, shell_complete=set_values
        ),
        option(
            "--tolerance",
            type=float,
            help="Error allowed in a step, 1e-9 if neither this nor the model says.",
        ),
        option(
            "--method",
            metavar="NAME",
            shell_complete=schemes,
            help="The scheme, see ch.schemes(); the first of them if left out.",
        ),
        option(
            "--step", type=float, metavar="H", help="The length of all steps, for a scheme with fixed ones."
        ),
        option(
            "--event",
            "events",
            multiple=True,
            metavar="EXPR",
            help="An expression whose zeros are found; 'rising: EXPR' or 'falling: EXPR' for one direction.",
        ),
        option("--stop", "stops", multiple=True, metavar="EXPR", help="An event that ends the run."),
        option("--law", "laws", multiple=True, metavar="NAME=EXPR", help=law),
        option(
            "--gauge",
            multiple=True,
            metavar="TEXT",
            help="For a degenerate Lagrangian: a free multiplier, u_1=1, or a condition, z = 0.",
        ),
        option("--max-step", type=float, metavar="H", help="No step is longer."),
        option("--max-steps", type=IntRange(min=1), default=10_000_000, help="Give up after so many steps."),
    )
    return lambda command: reduce(lambda made, one: one(made), reversed(options), command)


def of_a_run(system: System, asked: dict[str, Any]) -> dict[str, Any]:
    """The values of `run_options`, read, as arguments of a run; other arguments stay as they are."""
    from chetaev.flow.data.times import read
    from chetaev.flow.schemes import DEFAULT

    read_here = ("at", "method", "settings", "events", "stops", "laws", "gauge")
    at, method, given, events, stops, quantities, choice = (asked[name] for name in read_here)
    parameters, initial = settings(system, given)
    watched = [event(system, e, terminal=False) for e in events]
    watched += [event(system, e, terminal=True) for e in stops]
    return {name: value for name, value in asked.items() if name not in read_here} | {
        "parameters": parameters,
        "initial": initial,
        "events": watched,
        "at": None if at is None else read(at, "--at"),
        "laws": laws(system, quantities),
        "method": DEFAULT if method is None else method,
        "gauge": gauge(choice),
    }


def event(system: System, text: str, *, terminal: bool) -> Event:
    """An event from ``EXPR``, ``rising: EXPR`` or ``falling: EXPR``."""
    from chetaev.flow.run.events import Event

    source = "--stop" if terminal else "--event"
    word, colon, rest = (part.strip() for part in text.partition(":"))
    if not colon:
        word, rest = "", text.strip()
    elif word not in DIRECTIONS:
        raise ModelError(
            f"{source} {text!r}: {word!r} is no direction",
            expected=f"an expression, or one after {' or '.join(f'{d!r}' for d in DIRECTIONS)} and a colon",
            remedy=did_you_mean(word, DIRECTIONS) or f'for example {source} "falling: z\'"',
        )
    _check(system, rest, source)
    return Event(rest, DIRECTIONS.get(word, 0), terminal, re.sub(r"\s+", " ", text.strip()))


def _check(system: System, expression: str, option: str) -> None:
    """Read an expression, for errors that name the option."""
    from chetaev.expr.language.parser import parse

    parse(expression, system.scope, Origin(expression, option))


def models(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of the gallery, and model files."""
    from chetaev.model import gallery

    found = [CompletionItem(name) for name in gallery.names() if name.startswith(incomplete)]
    folder, start = os.path.split(incomplete)
    try:
        entries = sorted(os.scandir(folder or "."), key=lambda entry: entry.name)
    except OSError:
        return found
    for entry in entries:
        if entry.name.startswith(start) and (start or not entry.name.startswith(".")):
            path = os.path.join(folder, entry.name)
            if entry.is_dir():
                found.append(CompletionItem(path + os.sep))
            elif entry.name.endswith(".toml"):
                found.append(CompletionItem(path))
    return found


def forms(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of formulations, and ``all``."""
    from chetaev.equations.registry import FORMS

    known = {name: form.words for name, form in FORMS.items()} | {"all": "every formulation"}
    return [CompletionItem(n, help=words) for n, words in known.items() if n.startswith(incomplete)]


def schemes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of integrators."""
    from chetaev.flow.schemes import schemes as every

    return [CompletionItem(s.name) for s in every() if s.name.startswith(incomplete)]


def set_values(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """``NAME=`` for what --set can set of the model on the line; before it is there, nothing."""
    from chetaev.model.file.loader import load

    model = ctx.params.get("model") or _first_word(ctx)
    if not model:
        return []
    try:
        system = load(model)
        values = system.parameter_values
    except ChetaevError:
        return []
    known = {name: f"parameter, {value:g}" for name, value in values.items()}
    known |= dict.fromkeys(system.coordinates, "position")
    known |= {f"{c}_dot": "velocity" for c in system.coordinates}
    return [CompletionItem(f"{n}=", help=said) for n, said in known.items() if f"{n}=".startswith(incomplete)]


def _first_word(ctx: click.Context) -> str:
    """The first word of the line after the command that is neither an option nor the value of one.

    An option without its value, the one that is being completed, keeps click from reading the line.
    """
    wanted = {o for p in ctx.command.params if isinstance(p, click.Option) and not p.is_flag for o in p.opts}
    line = split_arg_string(os.environ.get("COMP_WORDS", ""))[2:]
    before = ["", *line][: len(line)]
    for last, word in zip(before, line, strict=True):
        if not word.startswith("-") and last not in wanted:
            return word
    return ""


def topics(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Words of topics, for ``chetaev list``."""
    from chetaev.model.gallery.topics import TOPICS

    words = {word.strip(",").casefold() for topic in TOPICS for word in topic.split()}
    return [CompletionItem(w) for w in sorted(words) if len(w) > 3 and w.startswith(incomplete.casefold())]
