"""The integrators, one file each: a file of this folder is a scheme of its name, with ``-`` for ``_``.

Nothing else in the package knows their names, but for the one that is taken if none is asked for.

>>> [scheme.name for scheme in schemes() if not scheme.fixed]
['dop853', 'auto', 'radau']
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError, did_you_mean
from chetaev.flow.schemes.scheme import Scheme

DEFAULT = "dop853"


def schemes() -> list[Scheme]:
    """All schemes, first the one that is taken if none is asked for.

    Examples
    --------
    >>> for scheme in schemes():
    ...     if not scheme.fixed:
    ...         print(scheme.name, scheme.order, scheme.summary)
    dop853 8 explicit Runge–Kutta, for what is not stiff
    auto 5 dop853, and radau where the system is stiff
    radau 5 implicit Runge–Kutta, for stiff systems
    >>> [(scheme.name, scheme.order) for scheme in schemes() if scheme.fixed and scheme.reversible][:3]
    [('discrete-gradient', 2), ('dla-midpoint', 2), ('dla-trapezoidal', 2)]
    """
    return [
        _record(name) for name in sorted(_names(tuple(__path__)), key=lambda name: (name != DEFAULT, name))
    ]


def find(name: object) -> Scheme:
    """The scheme of a name, or an error that says which there are."""
    if not isinstance(name, str) or name not in _names(tuple(__path__)):
        known = [scheme.name for scheme in schemes()]
        raise ModelError(
            f"unknown method {shown(name)}",
            expected=" or ".join(map(repr, known)),
            remedy=did_you_mean(name, known) if isinstance(name, str) else "",
        )
    return _record(name)


def fixed_methods() -> str:
    """The names of those whose steps have a fixed length, for a sentence."""
    return ", ".join(scheme.name for scheme in schemes() if scheme.fixed)


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
    place = f"{__name__}.{name.replace('-', '_')}"
    record: Scheme = import_module(place).SCHEME  # which waits where another thread is importing it
    return record
