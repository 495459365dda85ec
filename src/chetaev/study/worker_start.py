"""How a worker process is started: with the package and the libraries of this process, and nothing else.

Python puts the current directory first on the path of ``python -m``, so that a file ``llvmlite.py`` lying
there would be run. Here the child gets no such entry (``-P``), the path of this process without the current
directory behind its own, and exactly the package that asks, wherever it was imported from.
"""

from __future__ import annotations

import os
import sys

import chetaev

PROGRAM = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
home, *rest = sys.argv[1:]
sys.path += [entry for entry in rest if entry not in sys.path]
spec = spec_from_file_location("chetaev", home + "/__init__.py", submodule_search_locations=[home])
package = sys.modules["chetaev"] = module_from_spec(spec)
spec.loader.exec_module(package)
from chetaev.study.worker import main
main()
"""


def command() -> list[str]:
    """The command that starts a worker."""
    safe = "-I" if sys.flags.isolated else "-P"
    home = os.path.dirname(os.path.abspath(chetaev.__file__))
    return [sys.executable, safe, "-c", PROGRAM, home, *_path()]


def _path() -> list[str]:
    """The entries of this process's path that do not depend on where it stands."""
    try:
        here = os.path.realpath(os.getcwd())
    except OSError:  # the directory is gone
        here = ""
    absolute = [entry for entry in sys.path if isinstance(entry, str) and os.path.isabs(entry)]
    return [entry for entry in absolute if os.path.realpath(entry) != here]
