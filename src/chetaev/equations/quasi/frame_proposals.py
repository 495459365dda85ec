"""Frames of the admissible directions that a model suggests, as exact functions (SCOPE D1, D5).

Three proposals: independent velocities of a chart, short vectors of the kernel of ∂f/∂v, and what the model
itself calls a velocity, definitions and squares in its energy that are linear in v; see
:mod:`chetaev.equations.quasi.natural_frame`, which judges them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import casadi

from chetaev.constraint.submanifold.evidence import Allowance
from chetaev.constraint.submanifold.positive_functions import positive
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.equations.law.setup import Setup
from chetaev.equations.quasi.coframe import Coframe, scaled
from chetaev.equations.quasi.regular_frame import FramePlace, failing, is_plainly_regular
from chetaev.equations.quasi.short_kernel import (
    CHARTS,
    Vector,
    combined,
    first_place,
    kernel_vectors,
    length,
    parameters_of,
)
from chetaev.expr.exact import Element
from chetaev.expr.exact.linear.matrix import determinant, dot, nullspace, rank, solve, solve_columns
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.engine import SX, is_linear
from chetaev.expr.graph.node import Expr
from chetaev.model.system import System

MOST_FRAMES = 12
"""Choices of kernel vectors that are looked at."""


@dataclass(frozen=True)
class Proposal:
    """A frame as elements: columns W_s, the affine part w, forms θ^s, and where it fails."""

    W: tuple[Vector, ...]
    w: Vector
    theta: tuple[Vector, ...]
    failing: tuple[Element, ...]

    @property
    def regular(self) -> bool:
        """Whether it is proved to be regular on all of Q."""
        return self.failing == ()

    def same(self, other: Proposal) -> bool:
        """Whether two frames have the same vectors."""

        def written(made: Proposal) -> list[list[str]]:
            return sorted([f"{e.numerator}/{e.denominator}" for e in w] for w in made.W)

        return written(self) == written(other)


class FrameProposals:
    """The proposals for one system, one after the other.

    `system`, `Q`: the system and its constraint, which is affine as it is written; `allowance`: what all of
    them together may cost; `place`: gives the place where a frame must be one, when it is asked for.
    """

    def __init__(
        self, system: System, Q: Constraint, allowance: Allowance, place: Callable[[], FramePlace]
    ) -> None:
        self.system, self.Q, self.allowance, self.place = system, Q, allowance, place
        self.m = len(system.coordinates)
        self.solved = False  # whether the constraints can be solved for some velocities everywhere

    @property
    def constants(self) -> frozenset[int]:
        """The generators that are parameters."""
        return parameters_of(self.Q.field, list(self.system.parameters))

    def __iter__(self) -> Iterator[Proposal]:
        seen: list[Proposal] = []
        for step in (self._from_chart, self._from_kernel, self._from_forms):
            made = self.allowance.attempt(self.Q.field, step)
            if made is not None and not any(made.same(other) for other in seen):
                seen.append(made)
                yield made

    def _from_chart(self) -> Proposal | None:
        """Independent velocities, where det C_D is a constant, or is seen to vanish nowhere: x' = y z'."""
        rows = [list(row) for row in self.Q.jacobian]
        for chart in self.Q.charts()[:CHARTS]:
            det = determinant([[row[j] for j in chart.D] for row in rows]) if rows else self.Q.field.one
            if self._is_constant(det) or positive(det) or positive(-det):
                W = nullspace(rows, chart.D) if rows else []
                self.solved = True
                return self._with_forms([tuple(w) for w in W], plain=True)
        return None

    def _is_constant(self, e: Element) -> bool:
        tower = e.field.tower
        return {*tower.used(e.numerator), *tower.used(e.denominator)} <= self.constants

    def _from_kernel(self) -> Proposal | None:
        """The shortest frame of kernel vectors that is plainly regular, else the shortest that fits."""
        n = self.m - self.Q.codimension
        vectors = kernel_vectors(self.Q)
        for more in (False, True):
            if more:
                vectors = sorted([*combined(vectors), *vectors], key=lambda w: (length(w), first_place(w)))
            sizes = [length(w) for w in vectors]
            choices = islice(combinations(range(len(vectors)), n), 50 * MOST_FRAMES)
            order = sorted(choices, key=lambda c: (sum(sizes[i] for i in c), c))
            frames = [[vectors[i] for i in c] for c in order[:MOST_FRAMES]]
            for W in frames:
                if is_plainly_regular(self.Q, W):
                    return self._with_forms(W)
            if n < 2 or self.solved:
                break
        if self.solved:
            return None

        def fits(W: Sequence[Vector]) -> bool:
            rows = [[w[i].to_expr() for w in W] for i in range(self.m)]
            return self.place().has_independent_columns(rows)

        return next((self._with_forms(W) for W in frames if fits(W)), None)

    def _with_forms(self, W: Sequence[Vector], plain: bool = False) -> Proposal:
        """A frame with its forms, scaled unless `plain`, and the affine part that goes with them."""
        W = sorted(W, key=first_place)
        if not W:
            w = self._affine_part(())
            return Proposal((), w, (), tuple(failing(self.Q, [], [w])))
        theta = Coframe(W, self.constants).forms
        pairs = list(zip(W, theta, strict=True))
        if not plain:
            pairs = [scaled(column, form, self.constants) for column, form in pairs]
        columns, forms = tuple(w for w, _ in pairs), tuple(form for _, form in pairs)
        w = self._affine_part(forms)
        return Proposal(columns, w, forms, tuple(failing(self.Q, columns, [w])))

    def _affine_part(self, forms: Sequence[Vector]) -> Vector:
        """One admissible velocity: 0, or the shortest solution of C w = −f(v = 0) that is found."""
        Q = self.Q
        field = Q.field
        rest = [Q.at_rest[a] for a in Q.survey.rows]
        if all(e.is_blank for e in rest):
            return (field.zero,) * self.m
        rows = [list(row) for row in Q.jacobian]
        made: list[Vector] = []
        for chart in Q.charts()[:4]:
            solution = solve([[row[j] for j in chart.D] for row in rows], [-e for e in rest])
            w = [field.zero] * self.m
            for j, x in zip(chart.D, solution, strict=True):
                w[j] = x
            made.append(tuple(w))
        gram = [[dot(a, b) for b in rows] for a in rows]
        y = solve(gram, [-e for e in rest])
        made.append(tuple(dot(y, [row[i] for row in rows]) for i in range(self.m)))

        def size(w: Vector) -> tuple[int, int]:
            shifts = [dot(form, w) for form in forms]
            return sum(not e.is_polynomial for e in w), length(w) + 2 * length(shifts)

        return min(made, key=size)

    def _from_forms(self) -> Proposal | None:
        """Quasi-velocities that the model writes down itself, completed by velocities of coordinates."""
        Q, n = self.Q, self.m - self.Q.codimension
        field = Q.field
        own = linear_forms(self.system)
        if not own or not n:
            return None
        rows = [list(row) for row in Q.jacobian]
        chosen: list[list[Element]] = []
        units = [[field.one if i == j else field.zero for i in range(self.m)] for j in range(self.m)]
        for form in [*([field(e) for e in form] for form in own), *units]:
            if len(chosen) == n:
                break
            if rank([*rows, *chosen, form]) == len(rows) + len(chosen) + 1:
                chosen.append(form)
        if len(chosen) < n:
            return None
        k, J = len(rows), [*chosen, *rows]
        rights = [[field.one if i == s else field.zero for i in range(n + k)] for s in range(n)]
        rest = [Q.at_rest[a] for a in Q.survey.rows]
        columns = solve_columns(J, [*rights, [*[field.zero] * n, *(-e for e in rest)]])
        W, w = tuple(tuple(c) for c in columns[:n]), tuple(columns[n])
        return Proposal(W, w, tuple(map(tuple, chosen)), tuple(failing(Q, W, [w])))


MOST_FORMS = 12
"""Linear forms of the model that are looked at."""


def moves(node: Expr) -> bool:
    """Whether velocities occur in an expression."""
    return any(order == 1 for _, order in graph.symbols(node))


def linear_forms(system: System) -> list[list[Expr]]:
    """Coefficients of what the model writes as a velocity: linear definitions, and bases of squares.

    >>> import chetaev as ch
    >>> [[str(e) for e in form] for form in linear_forms(ch.load("suslov"))][:1]
    [['sin(phi)*sin(theta)', 'cos(phi)', '0']]
    """
    nodes = list(system.definitions.values())
    for node in graph.postorder(*system.dynamics.functions):
        if node.op == "pow" and node.args[1].op == "number" and node.args[1].value == 2:
            nodes.append(node.args[0])
    s = Setup(system)
    found: dict[tuple[Expr, ...], None] = {}
    for node in dict.fromkeys(nodes):
        if node.op == "symbol" or not moves(node) or any(order > 1 for _, order in graph.symbols(node)):
            continue
        column: SX = s.column([node])
        if not is_linear(column, s.v):
            continue
        row = s.by_v(column)
        zero = casadi.SX.zeros(s.m)
        if not casadi.SX(casadi.simplify(casadi.substitute(column, s.v, zero))).is_zero():
            continue
        found[tuple(s.graphs(casadi.substitute(row, s.v, zero)))] = None
        if len(found) >= MOST_FORMS:
            break
    return [list(row) for row in found]
