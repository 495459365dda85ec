"""Tab completion: models, forms, schemes, names of a model's parameters.

The shell runs the program itself (click's protocol), and these functions answer: from the gallery, and from
the model that stands on the line so far.
"""

from __future__ import annotations

import os

import click
from click.shell_completion import CompletionItem, split_arg_string

from chetaev.errors import ChetaevError


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
    from chetaev.model.topics import TOPICS

    words = {word.strip(",").casefold() for topic in TOPICS for word in topic.split()}
    return [CompletionItem(w) for w in sorted(words) if len(w) > 3 and w.startswith(incomplete.casefold())]
