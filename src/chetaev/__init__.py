"""chetaev: a workbench for nonholonomic mechanics.

>>> import chetaev as ch
>>> disc = ch.load("rolling-disc")
>>> disc.degrees_of_freedom
3
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chetaev.errors import ChetaevError as ChetaevError
    from chetaev.errors import ModelError as ModelError
    from chetaev.model.loader import load as load
    from chetaev.model.loader import loads as loads
    from chetaev.model.system import System as System

__version__ = "0.1.0"

# Public names and the modules they live in; a module is imported when its name is first used.
_HOMES = {
    "ChetaevError": "chetaev.errors",
    "ModelError": "chetaev.errors",
    "System": "chetaev.model.system",
    "load": "chetaev.model.loader",
    "loads": "chetaev.model.loader",
}

__all__ = ["ChetaevError", "ModelError", "System", "__version__", "gallery", "load", "loads"]


def gallery() -> list[str]:
    """The names of the gallery's models.

    >>> import chetaev as ch
    >>> "rolling-disc" in ch.gallery()
    True
    """
    from chetaev.model.gallery import names

    return list(names())


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'chetaev' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
