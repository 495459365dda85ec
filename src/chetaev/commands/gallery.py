"""``chetaev list`` and ``chetaev new``: where to start from."""

from __future__ import annotations

import os
from pathlib import Path

import click

from chetaev.commands.group import cli, json_option, print_json
from chetaev.errors import ModelError, visible


@cli.command("list")
@json_option
def list_(as_json: bool) -> None:
    """Show the gallery."""
    from chetaev.model import gallery

    rows = gallery.heads()
    if as_json:
        print_json(rows)
        return
    from chetaev.terminal import print_gallery

    print_gallery(rows)


@cli.command()
@click.argument("name")
@click.option("--force", is_flag=True, help="Overwrite a file that exists.")
def new(name: str, force: bool) -> None:
    """Write a commented model file NAME.toml to start from."""
    from chetaev.model.template import template
    from chetaev.whole import whole

    stem = Path(name).name.removesuffix(".toml")
    if not stem.strip(". ") or len(stem) > 100 or not stem.isprintable():
        raise ModelError(f"{name[:60]!r} is no name for a model file", expected="a name such as my-model")
    path = Path(name).with_name(f"{stem}.toml")
    if os.path.lexists(path) and not force:
        raise ModelError(f"{str(path)!r} exists already", remedy="choose another name, or add --force")
    whole(path, template(path.stem), force=force)
    click.echo(visible(f"wrote {path}; next: chetaev show {path}"))
