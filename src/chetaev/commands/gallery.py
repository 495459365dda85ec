"""``chetaev list`` and ``chetaev new``: where to start from."""

from __future__ import annotations

import os
from pathlib import Path

import click

from chetaev.commands.command_group import cli, json_option, print_json
from chetaev.errors import ModelError, did_you_mean, visible


@cli.command("list")
@click.argument("words", nargs=-1, metavar="[WORD]...")
@json_option
def list_(words: tuple[str, ...], as_json: bool) -> int:
    """Show the gallery by topic, or the models in whose name, summary, source or topic every WORD occurs.

    Exit status 1 if there is none.
    """
    from chetaev.model import gallery
    from chetaev.model.topics import matching

    rows = matching(gallery.heads(), words)
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
    from chetaev.whole_files import whole

    stem = Path(name).name.removesuffix(".toml")
    if not stem.strip(". ") or len(stem) > 100 or not stem.isprintable():
        raise ModelError(f"{name[:60]!r} is no name for a model file", expected="a name such as my-model")
    path = Path(name).with_name(f"{stem}.toml")
    if os.path.lexists(path) and not force:
        raise ModelError(f"{str(path)!r} exists already", remedy="choose another name, or add --force")
    whole(path, template(path.stem), force=force)
    click.echo(visible(f"wrote {path}; next: chetaev show {path}"))
