"""The gallery: models that come with the package, one TOML file each."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from chetaev.model.gallery.topics import topic_of


@cache
def names() -> tuple[str, ...]:
    """The names of all gallery models, in order."""
    folder = files("chetaev.model.gallery")
    return tuple(sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml")))


def read(name: str) -> bytes:
    """The bytes of a gallery model."""
    return files("chetaev.model.gallery").joinpath(f"{name}.toml").read_bytes()


def heads() -> list[dict[str, str]]:
    """Name, title, summary, source and topic of every model, read without building the models."""
    rows = []
    for name in names():
        data = tomllib.loads(read(name).decode("utf-8"))
        rows.append({"name": name} | {key: str(data.get(key, "")) for key in ("summary", "source")} | {
            "title": str(data.get("name", name)), "topic": topic_of(name)})  # fmt: skip
    return rows
