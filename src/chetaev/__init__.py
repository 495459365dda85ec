"""chetaev: a workbench for nonholonomic mechanics.

>>> import chetaev as ch
>>> disc = ch.load("rolling-disc")
>>> disc.degrees_of_freedom
3
"""

from __future__ import annotations

import os
from importlib import import_module

__version__ = "0.1.0"


def _public() -> dict[str, str]:
    """The public names and the modules they live in, as the stub beside this file states them."""
    with open(os.path.splitext(__file__)[0] + ".pyi", encoding="utf-8") as stub:
        lines = [line.split() for line in stub if line.startswith("from ")]
    return {name: home for _, home, _, name, *_ in lines}


_HOMES = _public()
"""A module is imported when its name is first used."""
_ROOMS = tuple(name for name, home in _HOMES.items() if home == __name__)
"""Rooms that are public as they are: ``ch.geometry.prolong``."""

__all__ = sorted(["__version__", "gallery", *_HOMES])


def gallery() -> list[str]:
    """The names of the gallery's models.

    >>> import chetaev as ch
    >>> "rolling-disc" in ch.gallery()
    True
    """
    from chetaev.model.gallery import names

    return list(names())


def __getattr__(name: str) -> object:
    if name in _ROOMS:
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'chetaev' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


for _name in ("compare", "ensemble", "equations", "hamilton", "study"):
    # These are rooms, and functions. A room is made an attribute of the package once, when it is first
    # imported: here, so that ``ch.equations`` is the function whatever is imported later.
    import_module(f"{__name__}.{_name}")
    del globals()[_name]


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
