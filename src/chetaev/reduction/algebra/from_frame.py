"""A model in a frame of its configurations: structure constants and Lagrangian computed (SCOPE M4).

For fields E_i that are a frame, [E_i, E_j] = c_ij^k E_k with functions c; where these are constants the frame
is left-invariant for a group, of which the coordinates are a chart. With v = ξ^i E_i the Lagrangian and the
constraints must not depend on the place: l(ξ) = L(q, ξ^i E_i).

>>> import chetaev as ch
>>> found = ch.on_algebra(
...     ch.load("caratheodory-sleigh"),
...     frame={
...         "w": {"phi": 1},
...         "u": {"x": "cos(phi)", "y": "sin(phi)"},
...         "v": {"x": "-sin(phi)", "y": "cos(phi)"},
...     },
... )
>>> str(found.structure), {n: str(e) for n, e in found.rates.items()}
('[w, u] = v; [w, v] = -u', {'w': '-m*a*w*u/(m*a^2 + J)', 'u': 'a*w^2'})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chetaev.checked_arguments import shown
from chetaev.equations.law.normal_law import constraint_functions
from chetaev.errors import ModelError
from chetaev.expr.exact import Element, Field
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.graph.node import ZERO, Expr
from chetaev.expr.language.scope import normal_name
from chetaev.laws.standpoint import standpoints
from chetaev.laws.symmetry.algebra import bracket
from chetaev.laws.symmetry.given_fields import read_field
from chetaev.model.system import System
from chetaev.reduction.algebra.structure import StructureConstants
from chetaev.reduction.algebra.suslov import OnAlgebra, Vector, linear_rows
from chetaev.reduction.one_place import at_one_place


def read_frame(system: System, given: Any) -> dict[str, list[Expr]]:
    """A frame by names, each field by components."""
    if not isinstance(given, Mapping) or len(given) != len(system.coordinates):
        raise ModelError(
            f"the frame is {shown(given)}",
            expected=f"{len(system.coordinates)} fields by name, such as "
            '{"u": {"x": "cos(phi)", "y": "sin(phi)"}, …}',
        )
    found: dict[str, list[Expr]] = {}
    for name, field in given.items():
        plain = normal_name(name) if isinstance(name, str) else ""
        taken = {system.time, *system.parameters, *system.coordinates, *found}
        if not plain or plain in taken:
            raise ModelError(f"a field of the frame is called {shown(name)}", expected="a name of its own")
        one = read_field(system, field, "point")
        if one.time is not ZERO:
            raise ModelError(f"the field {one} of the frame moves time")
        found[plain] = [e for _, e in one.along]
    return found


def from_frame(system: System, frame: Mapping[str, Sequence[Expr]], field: Field) -> OnAlgebra:
    """l, constraints and forces in the frame, all constant along the configurations."""
    if system.dynamics.lagrangian is None:
        raise ModelError(system.dynamics.lacks("Lagrangian"))
    if system.position_constraints or system.acceleration_constraints:
        raise ModelError("a system on an algebra has constraints on velocities only")
    names, coordinates = tuple(frame), system.coordinates
    view = standpoints(system)[0]
    E = [[field(e) for e in view.apply(list(x))] for x in frame.values()]
    if linear.rank(E) < len(E):
        raise ModelError("the fields of the frame are dependent", expected="a frame of the configurations")
    structure = _structure(names, coordinates, E, field)
    xi = [field.symbol(n) for n in names]
    put = {(c, 1): linear.dot([x[i] for x in E], xi) for i, c in enumerate(coordinates)}

    def constant(e: Expr, what: str) -> Element:
        return _constant(field(view.apply([e])[0]).subs(put), coordinates, system.time, what)

    f = [field(e).subs(put) for e in view.apply(constraint_functions(system))]
    rows = _constant_rows(linear_rows(f, names, "the constraint"), coordinates)
    pushes = [field(view.apply([system.forces.get(c, ZERO)])[0]).subs(put) for c in coordinates]
    forces = [_constant(linear.dot(x, pushes), coordinates, system.time, "the force") for x in E]
    return OnAlgebra(field, structure, constant(system.lagrangian, "the Lagrangian"), rows, {}, forces)


def _structure(
    names: Sequence[str], coordinates: Sequence[str], E: list[Vector], field: Field
) -> StructureConstants:
    constants: dict[tuple[int, int], dict[int, Expr]] = {}
    columns = [list(column) for column in zip(*E, strict=True)]
    for j in range(len(E)):
        for i in range(j):
            a, b = ({c: e for c, e in zip(coordinates, E[m], strict=True) if not e.is_blank} for m in (i, j))
            found = bracket(coordinates, a, b, field.zero)
            if not found:
                continue
            c = linear.solve(columns, [found.get(n, field.zero) for n in coordinates])
            row = {}
            for k, e in enumerate(c):
                value = _constant(e, coordinates, "", f"the bracket [{names[i]}, {names[j]}]")
                if not value.is_blank:
                    row[k] = value.to_expr()
            if row:
                constants[i, j] = row
    return StructureConstants(tuple(names), dict(sorted(constants.items())))


def _constant(e: Element, coordinates: Sequence[str], time: str, what: str) -> Element:
    """The function at one place, if it does not depend on the place."""
    for c in (*coordinates, time):
        if not e.is_free_of((c, 0)):
            raise ModelError(
                f"{what} in the frame, {str(e.to_expr())[:120]}, depends on {c}",
                expected="a frame in which nothing depends on the place",
                remedy="potentials and the like are advected quantities: give the system by its structure",
            )
    return at_one_place(e, coordinates)


def _constant_rows(rows: list[Vector], coordinates: Sequence[str]) -> list[Vector]:
    """The constraint in the frame: rows span one space everywhere."""
    if not rows:
        return []
    solved = linear.echelon(rows)
    n = len(rows[0])
    found = []
    for i in range(solved.rank):
        row = [solved.entry(i, j) for j in range(n)]
        found.append([_constant(e, coordinates, "", "the constraint") for e in row])
    return found
