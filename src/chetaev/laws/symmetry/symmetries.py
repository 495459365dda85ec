"""`ch.symmetries`: fields that take motions to motions, tested or searched for (SCOPE Sa7, Sa8, K10, K22).

>>> import chetaev as ch
>>> found = ch.symmetries(ch.load("knife-edge"), fields=[{"x": 1}, {"x": "-y", "y": "x", "phi": 1}])
>>> [(one.words, one.of_dynamics, one.of_constraint) for one in found]
[('∂/∂x', True, True), ('-y ∂/∂x + x ∂/∂y + ∂/∂phi', False, True)]
>>> [one.words for one in ch.symmetries(ch.load("leibniz-particle"))]
['∂/∂x', '∂/∂y', '∂/∂z', '∂/∂t', 'y ∂/∂x - x ∂/∂y']
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from chetaev.checked_arguments import choice, count
from chetaev.effort import EFFORT, expect_effort
from chetaev.equations.law.sharp_constraints import sharp
from chetaev.expr.exact.effort.ask import GivenUp, ask
from chetaev.laws.standpoint import standpoints
from chetaev.laws.symmetry.algebra import Algebra, algebra
from chetaev.laws.symmetry.examine import examine
from chetaev.laws.symmetry.field_space import SearchedFields, beside
from chetaev.laws.symmetry.given_fields import KINDS, Components, read_fields
from chetaev.laws.symmetry.linearized import Linearized, away_from_kinks
from chetaev.laws.symmetry.symmetry import Symmetry
from chetaev.laws.symmetry.symmetry_search import FoundFields, search
from chetaev.model.system import System, expect_system
from chetaev.results import TextResult, plain

MOST_DEGREE = 8


class Symmetries(TextResult, list[Symmetry]):
    """Symmetries, with what was searched and the algebra they span.

    Attributes
    ----------
    searched
        The space that was searched; None if fields were given.
    algebra
        Structure constants of point fields; None for other kinds.
    remark
        What more is to be said of the search, such as that it was given up.
    """

    facts = "searched algebra remark"

    def __init__(
        self,
        found: Iterable[Symmetry] = (),
        searched: SearchedFields | None = None,
        structure: Algebra | None = None,
        remark: str = "",
    ) -> None:
        super().__init__(found)
        self.searched, self.algebra, self.remark = searched, structure, remark

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"symmetries": plain(list(self))} | super().to_json()

    def __str__(self) -> str:
        lines = [f"X{i + 1} = {one}" for i, one in enumerate(self)] or ["none found"]
        return "\n".join([*lines, *beside(self)])


def symmetries(
    system: System,
    kind: str = "point",
    degree: int = 1,
    *,
    fields: Sequence[Any] | None = None,
    effort: int = EFFORT,
) -> Symmetries:
    """The symmetries of the motion of a system: those found in a space of fields, or the judgement on fields
    given.

    Parameters
    ----------
    system
        The system; its constraints may be of any kind that defines a submanifold of J¹Y.
    kind
        ``"point"``: fields on the space of t and q. ``"dynamical"``: fields whose components depend on the
        velocities too, without a component along time. ``"adjoint"``: adjoint symmetries, 1-forms (Sa7,
        Sa8).
    degree
        The components searched are combinations of products of at most so many of t, the coordinates, the
        functions that occur in the equations, and (for the other kinds) the velocities.
    fields
        Fields to judge, instead of a search: components by name, ``[{"x": "-y", "y": "x"}]``.
    effort
        What each exact question may cost (:mod:`chetaev.effort`).
    """
    expect_system(system, "ch.symmetries")
    system = sharp(system)
    kind = choice(kind, "the kind", KINDS)
    degree = count(degree, "the degree", 0, MOST_DEGREE)
    effort = expect_effort(effort)
    lin = Linearized(system)
    if fields is not None:
        judged = [examine(system, one, effort, lin) for one in read_fields(system, fields, kind)]
        return Symmetries(judged, remark=away_from_kinks(system))
    found = ask(_searched, lin, kind, degree, effort)
    if isinstance(found, GivenUp):
        why = found.reason or "no points of Q modulo a prime were found"
        return Symmetries(remark=f"the search was given up: {why}")
    judged, kept = [], []
    for components in found.fields:
        field = Components.of(system, {n: e.to_expr() for n, e in components.items()}, kind)
        one = examine(system, field, effort, lin)
        if one.of_dynamics is not False:
            judged.append(one)
            kept.append(components)
    structure = None
    if kind == "point":
        names = [*system.coordinates, system.time]
        structure = algebra(found.motion, names, kept, effort)
    lost = found.lost
    remark = f"{lost} more, whose coefficients were not found exactly" if lost else ""
    remark += away_from_kinks(system, "; " if remark else "")
    return Symmetries(judged, found.searched, structure, remark)


def _searched(lin: Linearized, kind: str, degree: int, effort: int) -> FoundFields:
    """The search for every value of the parameters, if there are no more symmetries for the values given."""
    first, *others = standpoints(lin.system)
    if not others:
        return search(lin, first, kind, degree, effort)
    given = search(lin, others[0], kind, degree, effort)
    free = ask(search, lin, first, kind, degree, effort)
    if isinstance(free, GivenUp) or free.dimension != given.dimension or free.lost:
        return given
    return free
