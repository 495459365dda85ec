"""Where a study comes from: versions, tolerances, seeds, and how to cite it."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from chetaev import __version__
from chetaev.study.cited import citation

if TYPE_CHECKING:
    from chetaev.study.study import Study

PACKAGES = ("casadi", "llvmlite", "numpy", "python-flint", "sympy", "mpmath", "xarray")


@cache
def versions() -> dict[str, str]:
    """The versions of what took part."""
    found = {"chetaev": __version__, "Python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def provenance(study: Study) -> dict[str, Any]:
    """What another person needs to make the study again."""
    return {
        "chetaev": versions()["chetaev"],
        "started": study.started,
        "machine": f"{platform.system()} {platform.machine()}",
        "versions": versions(),
        "budget": study.budget,
        "cite": f"{citation(study.started[:4])}.",
    }
