"""The integrators, one file each: a file of this folder is a scheme of its name, with ``-`` for ``_``.

Nothing else in the package knows their names, but for the one that is taken if none is asked for.

>>> [scheme.name for scheme in schemes()]
['dop853', 'radau']
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.flow.schemes.scheme import Scheme

DEFAULT = "dop853"


def schemes() -> list[Scheme]:
    """All schemes, first the one that is taken if none is asked for.

    Examples
    --------
    >>> for scheme in schemes():
    ...     print(scheme.name, scheme.order, scheme.summary)
    dop853 8 explicit Runge–Kutta, for what is not stiff
    radau 5 implicit Runge–Kutta, for stiff systems
    """
    return [
        _record(name) for name in sorted(_names(tuple(__path__)), key=lambda name: (name != DEFAULT, name))
    ]


def find(name: object) -> Scheme:
    """The scheme of a name, or an error that says which there are."""
    if not isinstance(name, str) or name not in _names(tuple(__path__)):
        known = " or ".join(repr(scheme.name) for scheme in schemes())
        raise ModelError(f"unknown method {shown(name)}", expected=known)
    return _record(name)


def advice(method: str) -> str:
    """What to try if a system may be stiff; nothing if the method is for such systems already."""
    if find(method).stiff:
        return ""
    return " or ".join(f"method={scheme.name!r}" for scheme in schemes() if scheme.stiff)


@cache
def _names(folders: tuple[str, ...]) -> set[str]:
    """The files of this folder are the schemes, but for two."""
    files = (file for folder in folders for file in os.listdir(folder))
    return {file[:-3].replace("_", "-") for file in files if file.endswith(".py")} - {"--init--", "scheme"}


def _record(name: str) -> Scheme:
    record: Scheme = import_module(f"{__name__}.{name.replace('-', '_')}").SCHEME
    return record
