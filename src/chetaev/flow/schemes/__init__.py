"""The integrators: a file of this folder holds the record of a scheme, `SCHEME`, or those of a family,
`SCHEMES`.

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
    every = [scheme for file in _files(tuple(__path__)) for scheme in _records(file)]
    return sorted(every, key=lambda scheme: (scheme.name != DEFAULT, scheme.name))


def find(name: object) -> Scheme:
    """The scheme of a name, or an error that says which there are."""
    files = _files(tuple(__path__))
    if isinstance(name, str):
        for file in sorted(files, key=lambda file: file != name.replace("-", "_")):  # its own file first
            for scheme in _records(file):
                if scheme.name == name:
                    return scheme
    known = [scheme.name for scheme in schemes()]
    raise ModelError(
        f"unknown method {shown(name)}",
        expected=" or ".join(map(repr, known)),
        remedy=did_you_mean(name, known) if isinstance(name, str) else "",
    )


def fixed_methods() -> str:
    """The names of those whose steps have a fixed length, for a sentence."""
    return ", ".join(scheme.name for scheme in schemes() if scheme.fixed)


def advice(method: str) -> str:
    """What to try if a system may be stiff; nothing if the method is for such systems already."""
    if find(method).stiff:
        return ""
    return " or ".join(f"method={scheme.name!r}" for scheme in schemes() if scheme.stiff)


@cache
def _files(folders: tuple[str, ...]) -> list[str]:
    """The modules of this folder, but for this one."""
    files = (file for folder in folders for file in os.listdir(folder))
    return sorted(file[:-3] for file in files if file.endswith(".py") and file != "__init__.py")


def _records(file: str) -> tuple[Scheme, ...]:
    """The schemes in a file."""
    module = import_module(f"{__name__}.{file}")  # which waits where another thread is importing it
    own: Scheme | None = getattr(module, "SCHEME", None)
    several: tuple[Scheme, ...] = getattr(module, "SCHEMES", ())
    return several if own is None else (own,)
