"""`ch.claims`: published results, judged.

>>> import chetaev as ch
>>> system = ch.System(
...     coordinates=["x", "y"],
...     lagrangian="(x'^2 + y'^2)/2",
...     constraints=["y' = t*x'"],
...     claims=[{"conserved": "y'/t"}, {"kind": {"time": "skleronomic"}, "expected": False}],
... )
>>> for judged in ch.claims(system):
...     print(judged.verdict)
does not hold, against expectation
does not hold, as expected
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib.resources import files

from chetaev.checked_arguments import shown
from chetaev.effort import expect_effort
from chetaev.errors import ModelError, did_you_mean
from chetaev.expr.graph.node import Expr
from chetaev.laws.rate import EFFORT
from chetaev.model import gallery
from chetaev.model.file.loader import load, loads
from chetaev.model.system import System, expect_system
from chetaev.study.claims.claim_data import COMMON, WORDS, ClaimData
from chetaev.study.claims.closed_solution import solution, stated
from chetaev.study.claims.coefficients import coefficients
from chetaev.study.claims.in_momenta import hamiltonian, momenta
from chetaev.study.claims.judgement import Claim, Claims, Judge, Judgement
from chetaev.study.claims.of_dirac import dirac
from chetaev.study.claims.of_equilibrium import stable
from chetaev.study.claims.of_identity import ENTRIES, identity
from chetaev.study.claims.of_kind import kind
from chetaev.study.claims.of_measure import measure
from chetaev.study.claims.of_rank import jacobian
from chetaev.study.claims.of_symmetry import symmetry
from chetaev.study.claims.on_motions import conserved, equations, not_conserved
from chetaev.study.claims.repairs import repair
from chetaev.study.claims.run_values import values
from chetaev.study.claims.same_motion import same_as

Whole = tuple[tuple[Expr, Expr], ...]
"""The equations of a statement that is judged as a whole."""
KINDS: Mapping[str, Callable[[ClaimData], Judge]] = {
    "equations": equations,
    "conserved": conserved,
    "not_conserved": not_conserved,
    "kind": kind,
    "solution": solution,
    "coefficients": coefficients,
    "momenta": momenta,
    "hamiltonian": hamiltonian,
    "measure": measure,
    "symmetry": symmetry,
    "stable": stable,
    "dirac": dirac,
    "same_as": same_as,
    "identity": identity,
    "jacobian": jacobian,
    "values": values,
}
"""What can be claimed: a key, and what reads it and says how it is judged."""

BESIDES = {
    "equations": ("domain",),
    "conserved": ("domain",),
    "solution": ("constants", "where", "domain"),
    "coefficients": ("domain",),
    "momenta": ("dependent", "domain"),
    "hamiltonian": ("dependent", "domain"),
    "measure": ("dependent", "domain"),
    "symmetry": ("of",),
    "stable": ("at",),
    "identity": ENTRIES,
    "jacobian": ("domain",),
    "values": ("at", "within"),
}
"""Further entries of a kind."""


def claims(
    system: System | None = None, *, paper: str = "", effort: int = EFFORT, repairs: bool = False
) -> Claims:
    """Judge what is claimed of a system, or of every model of the gallery and in general theory.

    Parameters
    ----------
    system
        The system, whose ``claims`` are judged; all of the gallery if it is left out.
    paper
        Judge only what stands there: part of a source, such as ``"swaczyna"``.
    effort
        What each exact question may cost (:mod:`chetaev.effort`).
    repairs
        Whether to look for the usual repairs of formulas that fail and have no correction, as the command
        line does (:mod:`chetaev.study.claims.repairs`).

    Returns
    -------
    Claims
        A list of judgements: each has ``holds`` (True, False or None), ``parts`` with their evidence, and
        ``surprising``.
    """
    if system is not None:
        expect_system(system, "ch.claims")
    effort = expect_effort(effort)
    if not isinstance(paper, str):
        raise ModelError(f"the paper is {shown(paper)}", expected="a text")
    systems = [system] if system is not None else everything()
    return Claims(one for each in systems for one in judged(each, effort, paper, repairs))


def everything() -> Iterator[System]:
    """The models of the gallery, and the general theory of each paper."""
    yield from map(load, gallery.names())
    folder = files("chetaev.study.claims").joinpath("theory")
    for file in sorted(folder.iterdir(), key=lambda one: one.name):
        yield loads(file.read_text(encoding="utf-8"), file.name)


def sources() -> list[str]:
    """What the claims of the gallery are taken from."""
    return sorted({claim.source for system in everything() for claim, *_ in read(system)})


def judged(
    system: System, effort: int = EFFORT, paper: str = "", repairs: bool = False
) -> Iterator[Judgement]:
    """The claims of a system one after the other; all are read before the first is judged."""
    for claim, judge, whole, correction in read(system):
        if paper.casefold() not in claim.source.casefold():
            continue
        parts = judge(effort)
        note = ""
        if repairs and correction is None and any(part.holds is False for part in parts):
            correction, note = _repaired(system, claim, effort)
        right = None
        if correction is not None:
            meant = replace(claim, expected=True, note=note or claim.note)
            right = Judgement(system.name, meant, correction[0](effort), correction[1])
        yield Judgement(system.name, claim, parts, whole, right)


def _repaired(system: System, claim: Claim, effort: int) -> tuple[tuple[Judge, Whole] | None, str]:
    """A statement near one that does not hold, and what was changed in it."""
    found = repair(ClaimData.of(system, claim.number - 1), claim.kind, KINDS[claim.kind], effort)
    if found is None:
        return None, ""
    return _statement(found[0], claim.kind), f"Found by changing {found[1]}: it holds."


def read(system: System) -> list[tuple[Claim, Judge, Whole, tuple[Judge, Whole] | None]]:
    """Every claim, its judge, the curve of a solution, and the same of its correction; a ModelError at the
    first mistake.
    """
    return [_read(ClaimData.of(system, i)) for i in range(len(system.claims))]


def _read(given: ClaimData) -> tuple[Claim, Judge, Whole, tuple[Judge, Whole] | None]:
    """The words of a claim and its one statement."""
    found = [key for key in given.data if key in KINDS]
    if len(found) > 1:
        given.fail(f"{found[0]!r} and {found[1]!r} are two claims", remedy="write a table for each")
    if not found:
        others = [key for key in given.data if key not in COMMON]
        near = next((hint for key in others if (hint := did_you_mean(key, KINDS))), "")
        given.fail("nothing is stated that can be judged", expected="one of " + ", ".join(KINDS), remedy=near)
    (key,) = found
    given.only((*COMMON, key, *BESIDES.get(key, ())))
    says, paper, section, equation, source, note = map(given.words, WORDS)
    where = ", ".join(filter(None, (paper, section, equation, source)))
    expected = given.flag("expected", "correction" not in given.data)
    claim = Claim(given.index + 1, key, says, where, expected, note, paper, section, equation)
    right = given.correction(key)
    return claim, *_statement(given, key), None if right is None else _statement(right, key)


def _statement(given: ClaimData, key: str) -> tuple[Judge, Whole]:
    """What judges the statement and, of a solution, the curve."""
    return KINDS[key](given), tuple(stated(given)) if key == "solution" else ()
