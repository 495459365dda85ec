"""``chetaev list``, ``chetaev new`` and ``chetaev completion``: where to start from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
from click.shell_completion import get_completion_class

from chetaev.commands.command_group import busy, cli, force_option, json_option, print_json, say
from chetaev.commands.options import topics
from chetaev.errors import ModelError, did_you_mean, visible


@cli.command("list")
@click.argument("words", nargs=-1, metavar="[WORD]...", shell_complete=topics)
@click.option("--pictures", metavar="DIR", help="Draw each of them into a directory, and all on one sheet.")
@force_option
@json_option
def list_(words: tuple[str, ...], pictures: str | None, force: bool, as_json: bool) -> int:
    """Show the gallery by topic, or the models in whose name, summary, source or topic every WORD occurs.

    Exit status 1 if there is none.
    """
    from chetaev.model import gallery
    from chetaev.model.gallery.topics import matching

    rows = matching(gallery.heads(), words)
    if pictures is not None and rows:
        from chetaev.view.contact_sheet import pictures as draw

        with busy(f"drawing {len(rows)} models"):
            missing = draw([row["name"] for row in rows], Path(pictures), force=force)
        for name, reason in missing.items():
            say(f"{name}: {reason}", err=True)
        say(f"{len(rows) - len(missing)} pictures and contact-sheet.png are in {pictures}", err=as_json)
    if as_json:
        print_json(rows)
    elif rows:
        from chetaev.terminal import print_gallery

        print_gallery(rows)
    else:
        hint = did_you_mean(" ".join(words), gallery.names())
        click.echo(visible(f"no model matches {' '.join(words)!r}" + (f"; {hint}" if hint else "")))
    return 0 if rows else 1


@cli.command()
@click.argument("name")
@click.option("--force", is_flag=True, help="Overwrite a file that exists.")
def new(name: str, force: bool) -> None:
    """Write a commented model file NAME.toml to start from."""
    from chetaev.model.file.template import template
    from chetaev.output_files import whole

    stem = Path(name).name.removesuffix(".toml")
    if not stem.strip(". ") or len(stem) > 100 or not stem.isprintable():
        raise ModelError(f"{name[:60]!r} is no name for a model file", expected="a name such as my-model")
    path = Path(name).with_name(f"{stem}.toml")
    if os.path.lexists(path) and not force:
        raise ModelError(f"{str(path)!r} exists already", remedy="choose another name, or add --force")
    whole(path, template(path.stem), force=force)
    click.echo(visible(f"wrote {path}; next: chetaev show {path}"))


@cli.command()
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def completion(shell: str) -> None:
    """Print what makes the tab key complete models, forms and parameters in a SHELL.

    \b
    bash:  eval "$(chetaev completion bash)"      in ~/.bashrc
    zsh:   eval "$(chetaev completion zsh)"       in ~/.zshrc
    fish:  chetaev completion fish | source       in ~/.config/fish/config.fish
    """  # noqa: D301 - click wants the character, not the backslash
    found: Any = get_completion_class(shell)
    source = found(cli, {}, "chetaev", "_CHETAEV_COMPLETE")
    click.echo(source.source_template % source.source_vars())
