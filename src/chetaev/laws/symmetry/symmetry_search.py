"""The search for symmetries: the variational equation of a field with unknown coefficients is linear in them
(Sa7).

At a point of Q modulo a prime, with b, Γ(b), Γ²(b) of every member b of the space and the matrices of
:mod:`chetaev.laws.symmetry.linearized`, the equations of ζ^σ = ξ^σ − v^σ τ (or of a_s, c_a) are rows of
numbers; the null space of as many rows as there are unknowns is the space of symmetries, made exact by
:func:`chetaev.laws.search.nullspace.exact`. What is found is a proposal;
:mod:`chetaev.laws.symmetry.examine` decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chetaev.expr.exact import Budget, Element, answer, ask
from chetaev.expr.graph.node import Expr
from chetaev.laws.search.function_space import Space
from chetaev.laws.search.motion_modulo_prime import Motion, PointOnQ
from chetaev.laws.search.nullspace import Rows, exact, null_vectors
from chetaev.laws.search.steady_vectors import steady_vectors
from chetaev.laws.standpoint import Standpoint
from chetaev.laws.symmetry.field_space import Jets, SearchedFields, field_space, weights
from chetaev.laws.symmetry.linearized import Linearized

MOST_UNKNOWNS = 600
"""Of all components together, if nothing else is said."""
SLOW = ("position", "time", "function", "given")

Coefficients = list[list[tuple[int, int, int]]]
"""For each equation and each unknown component the factors of b, Γ(b), Γ²(b)."""


@dataclass(frozen=True)
class FoundFields:
    """Fields in a space: components by name, and what was searched; `lost` of them could not be made
    exact.
    """

    motion: Motion
    fields: list[dict[str, Element]]
    dimension: int
    searched: SearchedFields

    @property
    def lost(self) -> int:
        """How many solutions modulo a prime have no exact coefficients within reach."""
        return self.dimension - len(self.fields)


class ConditionRows:
    """The rows of the linear conditions at a point."""

    def __init__(self, lin: Linearized, motion: Motion, kind: str) -> None:
        self.kind, self.motion = kind, motion
        self.S, self.D = lin.independent, lin.dependent
        self.m = len(motion.velocities)
        tables = lin.tables(kind)
        levels = lin.s.matrix(lin.s.by_q(lin.s.phi))
        tables = [*tables[:-1], levels, tables[-1]]
        self.shapes = [(len(t), len(t[0]) if t else 0) for t in tables]
        self.graphs: list[Expr] = motion.standpoint.apply([e for t in tables for row in t for e in row])
        motion.meet(self.graphs)

    def _matrices(self, point: PointOnQ) -> list[list[list[int]]]:
        flat = point.residues.program(self.graphs)(point.values)
        found, at = [], 0
        for rows, columns in self.shapes:
            found.append([flat[at + i * columns : at + (i + 1) * columns] for i in range(rows)])
            at += rows * columns
        return found

    def at(self, point: PointOnQ) -> tuple[Coefficients, list[int]]:
        """The coefficients for each equation and component (time last, for point fields), and Γ(a)."""
        *tables, jerk = self._matrices(point)
        speed = [row[0] for row in jerk]
        if self.kind == "adjoint":
            return self._adjoint(tables), speed
        rows = self._variational(tables)
        if self.kind == "point":
            p = point.residues.p
            v = [point.values[k] for k in self.motion.velocities]
            a = [point.gamma[k] for k in self.motion.velocities]
            for row in rows:
                row.append(_of_time(row, v, a, speed, p))
        return rows, speed

    def _variational(self, tables: list[list[list[int]]]) -> Coefficients:
        g_q, g_v, f_q, f_v, levels = tables
        rows: Coefficients = []
        for r, i in enumerate(self.D):
            row = [(-g_q[r][c], 0, 0) for c in range(self.m)]
            row[i] = (row[i][0], 1, 0)
            for n, c in enumerate(self.S):
                row[c] = (row[c][0], -g_v[r][n], 0)
            rows.append(row)
        for r, i in enumerate(self.S):
            row = [(-f_q[r][c], 0, 0) for c in range(self.m)]
            for n, c in enumerate(self.S):
                row[c] = (row[c][0], -f_v[r][n], 0)
            row[i] = (row[i][0], row[i][1], 1)
            rows.append(row)
        return rows + [[(x, 0, 0) for x in level] for level in levels]

    def _adjoint(self, tables: list[list[list[int]]]) -> Coefficients:
        g_q, f_q, f_v, rest, C, _ = tables
        rows: Coefficients = []
        for r, i in enumerate(self.D):
            row = [(0, 0, 0)] * self.m
            for n, c in enumerate(self.D):
                row[c] = (g_q[n][r], 0, 0)
            row[i] = (row[i][0], 1, 0)
            for n, c in enumerate(self.S):
                row[c] = (f_q[n][r], 0, 0)
            rows.append(row)
        for r, i in enumerate(self.S):
            row = [(0, 0, 0)] * self.m
            for n, c in enumerate(self.S):
                row[c] = (rest[n][r], f_v[n][r], 0)
            row[i] = (row[i][0], row[i][1], 1)
            for n, c in enumerate(self.D):
                row[c] = (C[n][r], 0, 0)
            rows.append(row)
        return rows


def _of_time(
    row: Sequence[tuple[int, int, int]], v: Sequence[int], a: Sequence[int], jerk: Sequence[int], p: int
) -> tuple[int, int, int]:
    """The coefficients of τ: those of ζ^σ = −v^σ τ."""
    zero = first = second = 0
    for (c0, c1, c2), x, y, z in zip(row, v, a, jerk, strict=True):
        zero -= c0 * x + c1 * y + c2 * z
        first -= c1 * x + 2 * c2 * y
        second -= c2 * x
    return zero % p, first % p, second % p


def search(lin: Linearized, standpoint: Standpoint, kind: str, degree: int, effort: int) -> FoundFields:
    """All symmetries of a kind whose components lie in the space, for the parameters of a standpoint."""
    system = lin.system
    motion = Motion(system, standpoint)
    equations = ConditionRows(lin, motion, kind)
    names = [*system.coordinates, *([system.time] if kind == "point" else [])]
    kinds = SLOW if kind == "point" else (*SLOW, "velocity")
    space, reached = field_space(motion, degree, len(names), MOST_UNKNOWNS, kinds)
    budget = Budget(20 * effort)

    def conditions(of: Space) -> Rows:
        return _rows(equations, Jets(of), len(names))

    count = len(names) * len(space)
    found = null_vectors(motion.points(), count, conditions(space), budget)
    fields = solutions(motion, space, names, found.vectors, conditions, budget)
    atoms = tuple(str(a.function.to_expr()) for a in space.atoms)
    searched = SearchedFields(reached, atoms, len(space), count, degree, standpoint.words)
    return FoundFields(motion, fields, len(found.vectors), searched)


def _rows(equations: ConditionRows, jets: Jets, components: int) -> Rows:
    size = len(jets.space)

    def rows(point: PointOnQ) -> list[list[int]]:
        p = point.residues.p
        coefficients, jerk = equations.at(point)
        chance = weights(point, len(coefficients))
        mixed = [
            [
                sum(w * row[i][order] for w, row in zip(chance, coefficients, strict=True)) % p
                for order in range(3)
            ]
            for i in range(components)
        ]
        b0, b1, b2 = jets.at(point, jerk)
        entries = [0] * (components * size)
        for j in range(size):  # members first in order, so that simple fields come first
            x, y, z = b0[j], b1[j], b2[j]
            for i, (c0, c1, c2) in enumerate(mixed):
                entries[j * components + i] = (c0 * x + c1 * y + c2 * z) % p
        return [entries]

    return rows


def solutions(
    motion: Motion,
    space: Space,
    names: Sequence[str],
    vectors: Sequence[dict[int, int]],
    conditions: Callable[[Space], Rows],
    budget: Budget,
) -> list[dict[str, Element]]:
    """Null vectors as fields with exact coefficients; unknown number j·n + i is member j of component i.

    A solution whose coefficients are numbers takes the place of one with parameters in them.
    """
    n, fields = len(names), []
    steady = answer(ask(steady_vectors, motion, vectors, conditions(space), budget)) or {}
    for place, vector in enumerate(vectors):
        if place in steady:
            numbers: list[dict[int, Element]] = [{} for _ in names]
            for column, c in steady[place].items():
                numbers[column % n][column // n] = c
            fields.append(_field(space, names, numbers))
            continue
        members = sorted({place // n for place in vector})
        small = restricted(space, members)
        renumbered = {members.index(place // n) * n + place % n: x for place, x in vector.items()}
        found = exact(motion, conditions(small), renumbered, budget=budget)
        if found is None:
            continue
        parts: list[dict[int, Element]] = [{} for _ in names]
        for place, c in found.items():
            parts[place % n][place // n] = c
        fields.append(_field(small, names, parts))
    return fields


def _field(space: Space, names: Sequence[str], parts: Sequence[dict[int, Element]]) -> dict[str, Element]:
    combined = {name: space.combination(part) for name, part in zip(names, parts, strict=True) if part}
    return {name: e for name, e in combined.items() if not e.is_blank}


def restricted(space: Space, members: Sequence[int]) -> Space:
    """The space of some members, with the atoms that these are made of."""
    chosen = [space.members[i] for i in members]
    used = sorted({atom for m in chosen for atom, _ in m})
    place = {atom: i for i, atom in enumerate(used)}
    renumbered = [tuple((place[atom], e) for atom, e in m) for m in chosen]
    return Space.of(space.motion, [space.atoms[i] for i in used], renumbered)
