"""`ch.cite`: how to cite chetaev, and the works that what you used rests on.

>>> import chetaev as ch
>>> print(ch.cite(ch.equations(ch.load("rolling-disc"), "gauss")))
chetaev developers, chetaev: a workbench for nonholonomic mechanics, version ...
the form 'gauss' (L8, L9): A. D. Lewis, Equations of motion for nonholonomic systems (1997)
the model 'Rolling disc': ...
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from chetaev import __version__
from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.results import Table

TITLE = "chetaev: a workbench for nonholonomic mechanics"


def citation(year: str = "") -> str:
    """The words to cite the software with."""
    return f"chetaev developers, {TITLE}, version {__version__}{year and f' ({year})'}, BSD-3-Clause"


def bibtex(year: str = "") -> str:
    """The same as a BibTeX entry."""
    entries = {"author ": "{chetaev developers}", "title  ": TITLE, "version": __version__, "year   ": year}
    lines = [f"  {name} = {{{value}}},\n" for name, value in entries.items() if value]
    return f"@software{{chetaev,\n{''.join(lines)}}}"


OWN = citation()
PAPERS = {
    "K": "O. Krupková, Geometric mechanics on nonholonomic submanifolds, Communications in Mathematics 18 "
    "(2010)",
    "Sa": "W. Sarlet, The geometry of mixed first and second-order differential equations with applications "
    "to non-holonomic mechanics",
    "L": "A. D. Lewis, Equations of motion for nonholonomic systems (1997)",
    "D": "D. H. Delphenich, On the variational formulation of systems with non-holonomic constraints (2009)",
    "Sw": "M. Swaczyna, Several examples of nonholonomic mechanical systems (2011)",
    "B": "L. M. Bates and J. M. Nester, On D’Alembert’s principle",
    "M": "R. Cushman, J. J. Duistermaat and J. Śniatycki, Geometry of Nonholonomically Constrained Systems "
    "(2010)",
}
"""The works behind the ledger of constructs (docs/scope.md), by the letters of their ids."""
_ID = re.compile(r"\b(K|Sa|L|D|Sw|B|M)(\d+)\b")


@dataclass(frozen=True)
class Citations:
    """What to cite, each with the reason: pairs (what was used, the work)."""

    works: tuple[tuple[str, str], ...]

    @property
    def bibtex(self) -> str:
        """The BibTeX entry of chetaev itself."""
        return bibtex()

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"chetaev": OWN, "works": [{"for": what, "work": work} for what, work in self.works]}

    def _table_(self) -> Table:
        return Table(("for", "cite"), (("the software", OWN), *self.works))

    def _repr_html_(self) -> str:
        return self._table_().html()

    def __str__(self) -> str:
        return "\n".join([OWN, *(f"{what}: {work}" for what, work in self.works)])


def cite(*used: Any) -> Citations:
    """How to cite chetaev, and the sources of the constructs that were used.

    Parameters
    ----------
    *used
        Systems, equations, laws (also lists of them), motions, studies.

    Returns
    -------
    Citations
        ``str()`` has one work a line; ``bibtex`` is the entry of the software.
    """
    found: dict[str, str] = {}
    for one in used:
        for what, work in _works(one):
            found.setdefault(work, what)
    return Citations(tuple((what, work) for work, what in found.items()))


def _works(one: Any) -> list[tuple[str, str]]:
    """What was used, in words, with the work to be cited for it."""
    if isinstance(one, (list, tuple)):
        return [pair for part in one for pair in _works(part)]
    if isinstance(getattr(one, "form", None), str) and hasattr(one, "source"):
        return [*_papers(f"the form {one.form!r}", one.source), *_works(one.system)]
    if hasattr(one, "row") and hasattr(one, "proof"):
        return _papers(f"the law {one.name!r}", one.row)
    if hasattr(one, "coordinates") and isinstance(getattr(one, "source", None), str):
        return _model(one.name, one.source)
    if hasattr(one, "data_vars"):
        return _of_motion(one)
    if hasattr(one, "system"):
        return _works(one.system)
    raise ModelError(f"ch.cite was given {shown(one)}", expected="systems, equations, laws, motions, studies")


def _papers(what: str, source: str) -> list[tuple[str, str]]:
    """The papers of the ledger that a source names by ids."""
    by_paper: dict[str, list[str]] = {}
    for letters, number in _ID.findall(source):
        by_paper.setdefault(letters, []).append(letters + number)
    return [(f"{what} ({', '.join(ids)})", PAPERS[letters]) for letters, ids in by_paper.items()]


def _model(name: str, source: str) -> list[tuple[str, str]]:
    """The source of a model in its author's words, without ids at the end."""
    words = "; ".join(part for part in source.split("; ") if not re.fullmatch(f"({_ID.pattern}(, )?)+", part))
    return [(f"the model {name!r}", words)] if words.strip() else []


def _of_motion(motion: Any) -> list[tuple[str, str]]:
    import tomllib

    try:
        data = tomllib.loads(motion.attrs.get("model", ""))
    except tomllib.TOMLDecodeError:
        data = {}
    found = _model(str(data.get("name", "untitled")), str(data.get("source", "")))
    if motion.attrs.get("dynamics") == "vakonomic":
        found += _papers("the vakonomic equations", "K15")
    return found
