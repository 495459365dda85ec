"""D, the orbits, what they share, and an invariant frame of D: the nonholonomic connection (SCOPE M4, M6).

Let V be spanned by the generators and S = D ∩ V. Coordinates along which no generator has a component are
coordinates r of the shape space Q/G. A frame of D that does not change under the group is

    S_b           a frame of S, dual to invariant 1-forms on it (dq for a coordinate moved by constants);
    H_α           in D, orthogonal to S for the metric ∂²L/∂v∂v, over the independent shape velocities:
                  dr^β(H_α) = δ.

Velocities are v = ṙ^α H_α + Ω^b S_b. H is the nonholonomic connection of Bloch, Krishnaprasad, Marsden and
Murray (1996); where S = 0 it is D itself, the connection of a Chaplygin system (Koiller 1992). Where the
frame is invariant is not concluded but computed: [ξ_i, S_b] = [ξ_i, H_α] = 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from chetaev.effort import EFFORT
from chetaev.errors import ModelError
from chetaev.expr.exact import Element, GivenUp, ask
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.graph.node import symbols
from chetaev.expr.print import to_text
from chetaev.laws.symmetry.given_fields import combination, read_fields
from chetaev.reduction.chaplygin.action import ActionOnModel, Vector
from chetaev.reduction.given_invariants import named_invariants
from chetaev.reduction.invariants_of_symmetries import invariants_of


@dataclass(frozen=True)
class Splitting:
    """An invariant frame of D."""

    action: ActionOnModel
    shape: tuple[str, ...]
    """Coordinates of Q/G; `moving` are those whose velocities are independent on D, `group` all others."""
    moving: tuple[str, ...]
    sections: list[Vector]
    """S_b; there is a momentum for each."""
    horizontal: list[Vector]
    """H_α, one for each of `moving`."""
    dimensions: tuple[int, int, int, int]
    """Of D, V, S and D + V."""

    @property
    def group(self) -> tuple[str, ...]:
        """The coordinates of the orbits."""
        return tuple(c for c in self.action.names if c not in self.shape)

    @property
    def case(self) -> str:
        """``"kinematic"`` (D ⊕ V = TQ: Chaplygin), ``"horizontal"`` (V in D) or ``"general"``."""
        _, v, s, both = self.dimensions
        n = len(self.action.names)
        return "horizontal" if s == v else "kinematic" if s == 0 and both == n else "general"


def _found_shape(action: ActionOnModel, count: int) -> str:
    """Invariants of positions as people would give them, if they are found."""
    try:
        found = invariants_of(action.system, action.fields, EFFORT).functions
    except ModelError:
        return "{…}"
    slow = [e for e in found if not any(k for _, k in symbols(e))]
    new = [s for s in named_invariants(action.system, slow) if s.coordinate is None]
    words = ", ".join(f'"{s.name}": "{to_text(s.function)}"' for s in new)
    return f"{{{words}}}" if len(slow) == count else "{…}"


def split(action: ActionOnModel, sections: Any = None) -> Splitting:
    """The frame; a sentence if the shape space has no coordinates or S no invariant frame."""
    n = len(action.names)
    basis = _independent(action.generators)
    rows = _independent(action.rows)
    shape = tuple(
        c for i, c in enumerate(action.names) if all(x[i].is_zero is True for x in action.generators)
    )
    if len(shape) < n - len(basis):
        count = n - len(basis)
        raise ModelError(
            f"the quotient by the group has {count} dimension{'s' if count > 1 else ''}, but the group "
            f"leaves only these coordinates as they are: {', '.join(shape) or 'none'}",
            expected="coordinates of the quotient among those of the model",
            remedy=f"give functions that can be: shape={_found_shape(action, count)}; or use ch.reduce with "
            "invariants",
        )
    S = _intersection(action, basis, rows)
    d, v, s = n - len(rows), len(basis), len(S)
    if sections is not None:
        S = _given_sections(action, sections, rows, basis, s)
    elif S:
        S = _invariant_frame(action, S, shape)
    H, moving = _connection(action, rows, S, shape)
    for x in (*S, *H):
        _expect_invariant(action, x)
    return Splitting(action, shape, moving, S, H, (d, v, s, d + v - s))


def _independent(rows: Sequence[Vector]) -> list[Vector]:
    """Rows that are independent at generic points."""
    if not rows:
        return []
    kept = linear.echelon([list(column) for column in zip(*rows, strict=True)]).pivots
    return [list(rows[i]) for i in kept]


def _intersection(action: ActionOnModel, basis: Sequence[Vector], rows: Sequence[Vector]) -> list[Vector]:
    """A basis of D ∩ V."""
    if not rows:
        return [list(x) for x in basis]
    table = [[linear.dot(row, x) for x in basis] for row in rows]
    found = []
    for c in linear.nullspace(table):
        total = [action.field.zero] * len(action.names)
        for e, x in zip(c, basis, strict=True):
            total = [a + e * b for a, b in zip(total, x, strict=True)]
        found.append(total)
    return found


def _invariant_frame(action: ActionOnModel, S: list[Vector], shape: Sequence[str]) -> list[Vector]:
    """The frame of S that is dual to invariant 1-forms, without denominators where those are of the shape."""
    for forms in _invariant_forms(action):
        values = [[linear.dot(form, x) for form in forms] for x in S]
        found = linear.echelon([[*row, *x] for row, x in zip(values, S, strict=True)], range(len(forms)))
        if found.rank == len(S):
            first = len(forms)
            frame = [[found.entry(i, first + j) for j in range(len(action.names))] for i in range(len(S))]
            return [_cleared(action, x, shape) for x in frame]
    raise ModelError(
        f"no invariant frame was found for D ∩ V, which has dimension {len(S)}",
        remedy="give one by components: sections=[{…}, …]",
    )


def _invariant_forms(action: ActionOnModel) -> Iterator[list[Vector]]:
    """Lists of 1-forms that the group leaves as they are; the longer ones cost a search."""
    n, field = len(action.names), action.field
    plain = [
        i
        for i in range(n)
        if all(x[i].is_free_of(*((c, 0) for c in action.names)) for x in action.generators)
    ]
    forms = [[field.one if j == i else field.zero for j in range(n)] for i in plain]
    if forms:
        yield forms
    yield [*forms, *_searched_forms(action)]


def _searched_forms(action: ActionOnModel) -> list[Vector]:
    """Invariants that are linear in the velocities."""
    try:
        found = invariants_of(action.system, action.fields, EFFORT)
    except ModelError:
        return []
    forms = []
    for function in (*found.functions, *found.spare):
        if any(order for _, order in symbols(function)):
            e = action.field(action.view.apply([function])[0])
            row = [e.diff((c, 1)) for c in action.names]
            if not any((c, 1) in x.symbols for x in row for c in action.names):
                forms.append(row)
    return forms


def _cleared(action: ActionOnModel, x: Vector, shape: Sequence[str]) -> Vector:
    """Times a function of the shape that leaves no denominators and no common factors."""
    plain = linear.cleared(x)
    field, i = action.field, next(i for i, e in enumerate(x) if not e.is_blank)
    known = {*shape, *action.system.parameters}

    def of_shape(e: Element) -> bool:
        return all(name in known and not order for name, order in e.symbols)

    if not of_shape(plain[i] / x[i]):
        return x

    def divided(row: Vector, divisor: Element) -> Vector:  # written anew, which finds factors of cosines
        return [field((e / divisor).to_expr()) for e in row]

    for c in shape:
        r = field.symbol(c)
        for divisor in (r, field.cos(r), field.sin(r)):
            smaller = divided(plain, divisor)
            while all(e.is_polynomial for e in smaller):
                plain, smaller = smaller, divided(smaller, divisor)
    return plain


def _given_sections(
    action: ActionOnModel, given: Any, rows: Sequence[Vector], basis: Sequence[Vector], s: int
) -> list[Vector]:
    """Fields of S as given, looked at."""
    fields = read_fields(action.system, given, "point")
    if len(fields) != s:
        raise ModelError(
            f"{len(fields)} sections are given, but D ∩ V has dimension {s}", expected=f"{s} fields"
        )
    found = []
    for one in fields:
        x = [action.field(e) for e in action.view.apply([e for _, e in one.along])]
        if any(linear.dot(row, x).is_zero is not True for row in rows):
            raise ModelError(
                f"the section {one} does not lie in D", expected="fields that meet the constraint"
            )
        if linear.rank([*basis, x]) > len(basis):
            raise ModelError(f"the section {one} is not tangent to the orbits", expected="fields in D ∩ V")
        found.append(x)
    if found and linear.rank(found) < s:
        raise ModelError("the sections are not independent", expected=f"{s} independent fields")
    return found


def _connection(
    action: ActionOnModel, rows: Sequence[Vector], S: Sequence[Vector], shape: Sequence[str]
) -> tuple[list[Vector], tuple[str, ...]]:
    """H_α and the coordinates α."""
    names, field = action.names, action.field
    conditions = [list(row) for row in rows]
    if S:
        momenta = [action.lagrangian.diff((c, 1)) for c in names]
        G = [[p.diff((c, 1)) for c in names] for p in momenta]
        if any((c, 1) in e.symbols for row in G for e in row for c in names):
            raise ModelError(
                "the Lagrangian is not quadratic in the velocities, so it gives no metric to split D by",
                remedy="ch.reduce with invariants does not need one",
            )
        conditions += [[linear.dot(row, x) for row in G] for x in S]
    if len(conditions) == len(names):
        return [], ()
    if conditions:
        free = linear.nullspace(conditions)
    else:
        free = [[field.one if i == j else field.zero for j in range(len(names))] for i in range(len(names))]
    places = [names.index(c) for c in shape]
    found = linear.echelon(free, places)
    if found.rank < len(free):
        raise ModelError(
            "kinetic energy does not split D: a field of D ∩ V is orthogonal to D ∩ V",
            expected="a positive metric",
        )
    H = [[found.entry(i, j) for j in range(len(names))] for i in range(found.rank)]
    return H, tuple(names[j] for j in found.pivots)


def _expect_invariant(action: ActionOnModel, x: Vector) -> None:
    """A sentence if a generator changes the field."""
    for one, generator in zip(action.fields, action.generators, strict=True):
        moved = ask(action.bracket, generator, x)
        if isinstance(moved, GivenUp):
            raise ModelError(f"whether a field of D is invariant under {one} was not decided: {moved.reason}")
        if not all(e.is_zero is True for e in moved):
            shown = combination(
                {c: e.to_expr() for c, e in zip(action.names, x, strict=True) if not e.is_blank}, "∂/∂"
            )
            raise ModelError(
                f"the field {shown[:200]} of D is not invariant under {one}",
                remedy="give invariant fields of D ∩ V: sections=[{…}, …]",
            )
