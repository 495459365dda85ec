"""Regularity: where det B̄ ≠ 0 (SCOPE K23; Krupková (85), (86)).

    B̄_rs = ∂²L̄/∂v^r∂v^s − (∂L/∂v^a) ∂²g^a/∂v^r∂v^s = (Wᵀ M W)_rs,     M = ∂²L/∂v∂v,  W = [1; B]

(the second derivatives of g cancel). Where det B̄ = 0 the accelerations are not determined by the reduced
equations. det B̄ belongs to a chart D and has poles where this is none; what all charts share is

    Δ = det(C_D)² det B̄ = ± det [[M, Cᵀ], [C, 0]];   B̄ is singular where Δ = 0 and C has its rank.

>>> from chetaev.model.system import System
>>> L = "x'^2/2 - y'^2/2"
>>> s = System(coordinates=["x", "y"], lagrangian=L, constraints=["y' = a*x'"], parameters={"a": 1})
>>> r = regularity(s)
>>> r.regular, str(r.determinant)
(False, '1 - a^2')

Where functions vanish on Q, parameters put in: nowhere, by proof, or at a point that is found
(SCOPE K23).

A set that is named to a reader, "singular where …", must not be empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from chetaev.constraint.integrability.theorem7 import locals_of
from chetaev.constraint.submanifold.constraint_data import (
    ConstraintData,
    at_parameter_values,
    inertia_at_values,
)
from chetaev.constraint.submanifold.constraint_in_numbers import Array, Local
from chetaev.constraint.submanifold.empty_set import is_empty, points_where
from chetaev.constraint.submanifold.evidence import Allowance
from chetaev.constraint.submanifold.positive_functions import excluded, positive, squares, squares_of
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.expr.exact import Element
from chetaev.expr.exact.linear.matrix import determinant
from chetaev.expr.graph.calculus import Calculus
from chetaev.expr.graph.engine import Engine
from chetaev.expr.graph.node import ONE, Expr, mul, sub, symbol
from chetaev.model.dynamics.any_dynamics import JetNodes
from chetaev.numeric import restricted_rank

if TYPE_CHECKING:
    from chetaev.model.system import System

LEAST = 100_000
"""The effort for a determinant in any case."""
SHORT = 80
LONG = 80
"""Letters of a factor that is not written once more beside the determinant."""


@dataclass(frozen=True)
class Regularity:
    """Whether B̄ is regular, and where not.

    Attributes
    ----------
    regular
        Whether B̄ is invertible at generic points of Q; None if there is no point.
    determinant
        det B̄ in ambient coordinates, None if too long.
    vanishing
        Factors of Δ that may vanish: B̄ is singular where one of them is 0 on Q and C has its rank.
    elsewhere
        Those among them that are no factors of `determinant`: its chart is none where they vanish.
    rank, size
        The generic rank of B̄ and its size m − k.
    points, singular
        How many points were tried, and at how many B̄ was singular.
    singular_at_start
        Whether the initial state is one of them.
    met
        For each factor that may vanish, whether a point of Q was found where it does and C has its rank;
        empty if not tried.
    """

    regular: bool | None
    determinant: Expr | None
    vanishing: tuple[Expr, ...]
    rank: int
    size: int
    points: int
    singular: int
    singular_at_start: bool = False
    met: tuple[bool, ...] = ()
    elsewhere: tuple[Expr, ...] = ()

    @property
    def words(self) -> str:
        """The statement, without its formulas."""
        if self.regular is None:
            return "no point was found where B̄ of (86) has a value"
        if self.regular:
            return "B̄ of (86) is regular at generic points"
        return f"B̄ of (86) has rank {self.rank} of {self.size}"

    @property
    def zeros(self) -> tuple[tuple[str, tuple[Expr, ...], str], ...]:
        """Where it is singular: what is said before and after the functions that vanish there."""
        if not self.regular:
            return ()
        met = self.met or (True,) * len(self.vanishing)
        seen = [e for e, is_met in zip(self.vanishing, met, strict=True) if is_met]
        open_ = tuple(e for e in self.vanishing if e not in seen)
        here = tuple(e for e in seen if e not in self.elsewhere)
        there = tuple(e for e in seen if e in self.elsewhere)
        also = "also where " if seen else "only where "
        said = (
            ("singular where ", here, ""),
            ("singular where ", there, ", in another chart"),
            ("it can be singular " + also, open_, ", and no such point of Q was found"),
        )
        return tuple(part for part in said if part[1])

    def __str__(self) -> str:
        text = self.words
        if self.determinant is not None and self.regular is not None:
            text += f", det = {self.determinant}"
        for before, functions, after in self.zeros:
            listed = " or ".join(f"{e} = 0" for e in functions)
            if len(listed) > LONG and len(self.vanishing) == 1 and not self.elsewhere:
                listed = "that is 0"
            text += f"; {before}{listed}{after}"
        return text


def regularity(
    system: System, constraint: Constraint | None = None, allowance: Allowance | None = None
) -> Regularity:
    """det B̄ of a system, as an expression where it is short, and its rank at points."""
    Q = constraint or Constraint(system)
    found_ranks = _ranks(system, Q)
    ranks = [r for _, r in found_ranks]
    size = len(Q.coordinates) - Q.codimension
    rank = max(ranks, default=size)
    found = None
    allowance = Allowance(Q.effort) if allowance is None else allowance
    if Q.exact and not (Q.is_affine_as_written and Q.coefficients(allowance) is None):
        found = allowance.attempt(Q.field, lambda: _determinant(system, Q), times=1.2, least=LEAST)
    det, factors, elsewhere = found or (None, (), ())
    regular = rank == size if ranks else None
    singular = sum(r < rank for r in ranks)
    start = any(at_start and r < rank for at_start, r in found_ranks)
    return Regularity(regular, det, factors, rank, size, len(ranks), singular, start, elsewhere=elsewhere)


def _ranks(system: System, Q: Constraint) -> list[tuple[bool, int]]:
    engine = Engine()
    mass, _ = inertia_at_values(system, engine, Q.given.variables)
    M = engine.function([Q.given.variables], [mass])
    ranks = []
    for at in locals_of(Q):
        values = np.array(M(at.z), dtype=float)
        if np.all(np.isfinite(values)):
            ranks.append((at.z is Q.start, restricted_rank(values, _basis(at))))
    return ranks


def _basis(at: Local) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    W = np.zeros((at.m, len(at.free)))
    W[list(at.free), range(len(at.free))] = 1.0
    W[list(at.dependent)] = at.B
    return np.linalg.qr(W)[0]


def determinants(system: System, Q: Constraint) -> tuple[Element, Element]:
    """det B̄ in the chart of Q, and Δ, which belongs to all charts."""
    J, chart = Q.chart, Q.adapted
    mass = _mass(system, Q)
    zero = J.field.zero
    columns = [
        {j: J.field.one, **{i: chart.B[a][s] for a, i in enumerate(chart.D) if not chart.B[a][s].is_zero}}
        for s, j in enumerate(chart.S)
    ]
    weighted = [_times(mass, column, zero) for column in columns]
    block = [[_dot(x, y, zero) for y in weighted] for x in columns]
    det = determinant(block) if columns else J.field.one
    if not chart.D or det.terms > SHORT:
        return det, det
    return det, det * determinant([[row[i] for i in chart.D] for row in Q.jacobian]) ** 2


def _determinant(system: System, Q: Constraint) -> tuple[Expr, tuple[Expr, ...], tuple[Expr, ...]] | None:
    """det B̄, the factors of Δ that may vanish, and those of them that are none of det B̄."""
    det, delta = determinants(system, Q)
    if det.terms > SHORT:
        return None
    here = _factors(Q, det)
    everywhere = dict.fromkeys((*here, *_factors(Q, delta)))
    return det.to_expr(), tuple(everywhere), tuple(e for e in everywhere if e not in here)


def is_definite(system: System, Q: Constraint) -> bool:
    """Whether M = ∂²L/∂v∂v is seen to be definite everywhere, for L of degree 2 in the velocities."""
    if system.dynamics.lagrangian is None:
        return False
    (given,) = at_parameter_values(system, system.lagrangian)
    L = Q.chart(given)
    names = [(q, 1) for q in Q.coordinates]
    parts = L.coefficients(*names)
    if parts is None or max(map(sum, parts)) != 2:
        return False
    kinetic = L.field.zero
    for exponents, c in parts.items():
        if sum(exponents) == 2:
            term = c
            for name, e in zip(names, exponents, strict=True):
                term = term * L.field.symbol(*name) ** e
            kinetic = kinetic + term
    return kinetic.is_polynomial and len(squares(kinetic, Q.coordinates) or ()) == len(names)


Sparse = dict[int, Element]


def _mass(system: System, Q: Constraint) -> dict[int, Sparse]:
    """M by rows on the chart of Q, parameters as symbols where Q has them."""
    dynamics = system.dynamics
    if not Q.given.values:
        dynamics = dynamics.with_functions(at_parameter_values(system, *dynamics.functions))
    if dynamics.lagrangian is not None:
        return _hessian(Q.chart(dynamics.lagrangian), Q.coordinates)
    calculus, m = Calculus(), len(Q.coordinates)
    z = Q.given.variables
    M, _ = dynamics.inertia(JetNodes(calculus, z[0], z[1 : 1 + m], z[1 + m :]))
    rows = [[Q.chart(e) for e in row] for row in calculus.matrix(M)]
    return {i: {j: e for j, e in enumerate(row) if not e.is_zero} for i, row in enumerate(rows)}


def _hessian(L: Element, coordinates: tuple[str, ...]) -> dict[int, Sparse]:
    """M = ∂²L/∂v∂v by rows, entries that are not zero."""
    place = {(q, 1): i for i, q in enumerate(coordinates)}
    rows: dict[int, Sparse] = {}
    for name in sorted(L.symbols & place.keys()):
        p = L.diff(name)
        row = {place[s]: p.diff(s) for s in sorted(p.symbols & place.keys())}
        rows[place[name]] = {j: e for j, e in row.items() if not e.is_zero}
    return rows


def _times(matrix: dict[int, Sparse], column: Sparse, zero: Element) -> Sparse:
    return {i: _dot(row, column, zero) for i, row in matrix.items() if not column.keys().isdisjoint(row)}


def _dot(x: Sparse, y: Sparse, zero: Element) -> Element:
    return sum((x[i] * y[i] for i in sorted(x.keys() & y.keys())), zero)


def _factors(Q: Constraint, det: Element) -> tuple[Expr, ...]:
    """Factors of the numerator that are not constant, or contain parameters only."""
    names = {Q.given.time, *Q.coordinates}
    found = []
    if len(det.numerator) <= SHORT and not det.numerator.is_constant():
        for p, _ in det.field.factor(det.numerator)[1]:
            factor = Element(det.field, p, det.field.tower.one)
            if excluded(Q, squares_of(factor)) or _is_root_of_divisor(factor, det):
                continue
            if any(n in names for n, _ in factor.symbols) and not positive(factor):
                found.append(factor.to_expr())
    return tuple(found)


def _is_root_of_divisor(factor: Element, det: Element) -> bool:
    """Whether a factor is √u, and u is divided by: √u/u = 1/√u has no zero where u has."""
    used = [factor.field.generators[k] for k in factor.field.tower.used(factor.numerator)]
    if len(factor.numerator) != 1 or len(used) != 1 or used[0].kind != "root":
        return False
    below = det.field.polynomial(det.denominator)
    return (below / used[0].args[0]).is_polynomial


Answer = TypeVar("Answer")


@dataclass(frozen=True)
class NamedZeros:
    """Asks for zeros on Q, whose parameters have their values; `given` has them as symbols."""

    Q: Constraint
    given: ConstraintData
    allowance: Allowance

    @classmethod
    def of(cls, system: System, effort: int) -> NamedZeros:
        """Zeros on the Q of a system."""
        given = ConstraintData.from_system(system)
        return cls(Constraint(given, symbolic=False, effort=effort), given, Allowance(effort, effort // 4))

    def nowhere(self, functions: Iterable[Expr]) -> bool:
        """Whether it is proved that the functions have no common zero on Q, parameters put in."""
        return bool(self._ask(is_empty, functions))

    def implied(self, function: Expr, by: Iterable[Expr]) -> bool:
        """Whether it is proved that a function vanishes nowhere on Q where none of the others does.

        With one more unknown w: no point of Q has f = 0 and 1 = w g_1 g_2 … (Rabinowitsch).
        """
        inverse = symbol("1/")
        return self.nowhere([function, sub(ONE, mul(inverse, *by))])

    def met(self, functions: Iterable[Expr]) -> bool:
        """Whether a point of Q was found where all functions vanish, at the values of the parameters."""
        return bool(self.points(functions))

    def points(self, functions: Iterable[Expr]) -> list[Array]:
        """A few points of Q where all functions vanish, at the values of the parameters, as far as found."""
        return self._ask(points_where, functions) or []

    def _ask(
        self, question: Callable[[Constraint, Sequence[Element]], Answer], functions: Iterable[Expr]
    ) -> Answer | None:
        Q, values = self.Q, self.given.with_values(*functions)
        if not Q.exact:
            return None
        return self.allowance.attempt(Q.chart.field, lambda: question(Q, [Q.chart(e) for e in values]))

    def of_determinant(self, found: Regularity, system: System, full_rank: bool) -> Regularity:
        """The verdict on B̄ without factors that vanish nowhere, or only where the rank of ∂f/∂v drops.

        `full_rank`: it drops nowhere on Q. There a definite M = ∂²L/∂v∂v is definite on the virtual
        displacements, too.
        """
        left = [e for e in found.vanishing if not self.nowhere([e])]
        field = self.Q.chart.field
        if left and full_rank and self.allowance.attempt(field, lambda: is_definite(system, self.Q)):
            left = []
        points = [self.points([e]) for e in left]
        regular = [[z for z in at if self._has_rank(z)] for at in points]
        kept = [i for i in range(len(left)) if regular[i] or not points[i]]
        return replace(
            found, vanishing=tuple(left[i] for i in kept), met=tuple(bool(regular[i]) for i in kept)
        )

    def _has_rank(self, z: Array) -> bool:
        return self.Q.rank_at(self.Q.describe(z)) == self.Q.survey.rank
