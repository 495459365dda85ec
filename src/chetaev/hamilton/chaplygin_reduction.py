"""A Chaplygin system on its base: the coordinates whose equations close on themselves (SCOPE Sa10, M4).

Constraints linear and homogeneous in the velocities, solved as v^a = B^a_s(q) v^s, restricted Lagrangian L̄.
With X_s = ∂/∂q^s + B^a_s ∂/∂q^a the independent velocities obey

    d/dt ∂L̄/∂v^s − ∂L̄/∂q^s = S_s,
    S_s = p_a R^a_rs v^r + F_s + B^a_s F_a,      R^a_rs = X_r(B^a_s) − X_s(B^a_r),      p_a = ∂L/∂v^a on Q,

and these are equations for the q^s alone where neither L̄ nor S contains t or the fibre coordinates q^a. A
potential V with fibre coordinates in it is taken out of L̄ and acts by its slopes: −X_s(V) is part of S_s.
Which coordinates are the fibre is found: of all charts that qualify, the one with the shortest B is taken.

>>> import chetaev as ch
>>> from chetaev.laws.standpoint import standpoints
>>> system = ch.load("heisenberg")
>>> found = on_base(system, standpoints(system)[0])
>>> found.base, found.fibre, str(found.lagrangian), [str(e) for e in found.force]
(('x', 'y'), ('z',), "(y^2*x'^2 + x'^2 + y'^2)/2", ["y*x'*y'", "-y*x'^2"])
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from chetaev.equations.law.normal_law import constraint_functions
from chetaev.errors import DivisionByZeroError, ModelError
from chetaev.expr.exact.effort.ask import GivenUp, ask
from chetaev.expr.exact.effort.budget import Budget
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.field.field import Field
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.graph.node import ZERO
from chetaev.hamilton.phase_space import expect_on_velocities
from chetaev.laws.standpoint import Standpoint
from chetaev.model.system import System

MOST_CHARTS = 120
"""So many choices of fibre coordinates are tried."""


@dataclass(frozen=True)
class OnBase:
    """The reduced equations of a Chaplygin system."""

    system: System
    field: Field
    base: tuple[str, ...]
    fibre: tuple[str, ...]
    """Names of the q^s and of the q^a."""
    slopes: tuple[tuple[Element, ...], ...]
    """B^a_s, one row for each q^a."""
    lagrangian: Element
    momenta: tuple[Element, ...]
    force: tuple[Element, ...]
    """L̄, p_s = ∂L̄/∂v^s and S_s, functions of the q^s and v^s."""

    @property
    def q(self) -> list[Element]:
        """The coordinates of the base."""
        return [self.field.symbol(c) for c in self.base]

    @property
    def v(self) -> list[Element]:
        """Their velocities."""
        return [self.field.symbol(c, 1) for c in self.base]

    @property
    def hessian(self) -> list[list[Element]]:
        """G = ∂²L̄/∂v∂v."""
        return [[p.diff((c, 1)) for c in self.base] for p in self.momenta]


def on_base(system: System, standpoint: Standpoint, effort: int = 5 * 10**7) -> OnBase:
    """The reduced equations; a ModelError says why a system is no Chaplygin system."""
    otherwise = "constraints on accelerations are none on velocities: there is no base to reduce to"
    expect_on_velocities(system, "ch.hamiltonize", otherwise)
    field = Field(Budget(effort, terms=max(60_000, effort // 50), products=max(4_000_000, effort)))
    for name in (*system.parameters, system.time, *system.coordinates):
        field.symbol(name)
    names = system.coordinates
    given = [*constraint_functions(system), *(system.forces.get(c, ZERO) for c in names)]
    L, *rest = (field(e) for e in standpoint.apply([system.lagrangian, *given]))
    f, F = rest[: len(rest) - len(names)], rest[len(rest) - len(names) :]
    C = _rows(system, f)
    if len(C) == len(names):
        raise ModelError("the constraints prescribe the motion: no velocity is left for a base")
    why = ""
    best: OnBase | None = None
    for D in _fibres(names, C, [L, *f, *F]):
        found = ask(_in_chart, system, field, C, L, F, D)
        if isinstance(found, GivenUp):
            found = f"not decided: {found.reason}"
        if isinstance(found, str):
            why = why or found
        elif best is None or _length(found) < _length(best):
            best = found
    if best is None:
        raise ModelError(
            f"this is no Chaplygin system: {why or 'the constraints have no regular chart'}",
            expected="constraints linear in the velocities, and coordinates solved for that occur neither in "
            "the reduced Lagrangian nor in the forces",
            remedy="other coordinates may do",
        )
    return best


def _rows(system: System, f: Sequence[Element]) -> list[list[Element]]:
    """∂f/∂v of independent rows, where f is linear and homogeneous in the velocities."""
    names = system.coordinates
    C = [[e.diff((c, 1)) for c in names] for e in f]
    for e, row in zip(f, C, strict=True):
        if any(order for x in row for _, order in x.symbols):  # sign(v) has slope 0, and |v| is not linear
            raise ModelError(f"this is no Chaplygin system: {_short(e)} = 0 is not linear in the velocities")
        drift = e
        for x, c in zip(row, names, strict=True):
            drift = drift - x * e.field.symbol(c, 1)
        if drift.is_zero is not True:
            raise ModelError(
                f"this is no Chaplygin system: {_short(e)} = 0 is not homogeneous in the velocities"
            )
    if not C:
        return []
    kept = linear.echelon([list(column) for column in zip(*C, strict=True)]).pivots
    return [C[i] for i in kept]


def _short(e: Element) -> str:
    text = str(e.to_expr())
    return text if len(text) <= 80 else text[:77] + "…"


def _fibres(
    names: Sequence[str], C: Sequence[Sequence[Element]], functions: Sequence[Element]
) -> Iterator[tuple[int, ...]]:
    """Choices of fibre coordinates: those that occur nowhere first, then all others."""
    k = len(C)
    present = {name for e in functions for name, order in e.symbols if not order}
    absent = [i for i, c in enumerate(names) if c not in present]
    seen: set[tuple[int, ...]] = set()
    for pool in (absent, list(range(len(names)))):
        for D in islice(combinations(pool, k), MOST_CHARTS):
            if D not in seen and (not k or linear.rank([[row[d] for d in D] for row in C]) == k):
                seen.add(D)
                yield D
        if seen:
            return


def _in_chart(
    system: System,
    field: Field,
    C: Sequence[Sequence[Element]],
    L: Element,
    F: Sequence[Element],
    D: tuple[int, ...],
) -> OnBase | str:
    """The reduced equations in a chart, or what occurs in them that should not."""
    names = system.coordinates
    S = [i for i in range(len(names)) if i not in D]
    B: list[list[Element]] = []
    if D:
        columns = linear.solve_columns(
            [[row[d] for d in D] for row in C], [[-row[s] for row in C] for s in S]
        )
        B = [[column[a] for column in columns] for a in range(len(D))]
    v = [field.symbol(names[s], 1) for s in S]
    replaced: dict[object, Element] = {}
    for d, row in zip(D, B, strict=True):
        replaced[names[d], 1] = sum((x * speed for x, speed in zip(row, v, strict=True)), field.zero)

    def on_q(e: Element) -> Element:
        return e.subs(replaced) if replaced else e

    def X(e: Element, s: int) -> Element:
        total = e.diff((names[S[s]], 0))
        for d, row in zip(D, B, strict=True):
            slope = e.diff((names[d], 0))
            if not slope.is_zero:
                total = total + row[s] * slope
        return total

    fibre = [names[d] for d in D]
    reduced = on_q(L)
    still = _at_rest(reduced, [names[s] for s in S], fibre)
    reduced = reduced - still
    p_fibre = [on_q(L.diff((names[d], 1))) for d in D]
    pushes = [on_q(e) for e in F]
    force = []
    for s in range(len(S)):
        total = pushes[S[s]] + X(still, s)
        for d, row, p in zip(D, B, p_fibre, strict=True):
            total = total + row[s] * pushes[d]
            for r in range(len(S)):
                if r != s:
                    total = total + p * (X(row[s], r) - X(row[r], s)) * v[r]
        force.append(total)
    for e, what in ((reduced, "the reduced Lagrangian"), *((e, "the reduced force") for e in force)):
        for c in (*fibre, system.time):
            if not e.is_free_of((c, 0)):
                return f"{what} {_short(e)} contains {c}"
    momenta = tuple(reduced.diff((names[s], 1)) for s in S)
    base = tuple(names[s] for s in S)
    rows = tuple(tuple(row) for row in B)
    return OnBase(system, field, base, tuple(fibre), rows, reduced, momenta, tuple(force))


def _at_rest(L: Element, base: Sequence[str], fibre: Sequence[str]) -> Element:
    """L̄ at v = 0 where the fibre occurs in it: −V, which acts by its slopes along D."""
    try:
        still = L.subs({(c, 1): L.field.zero for c in base})
    except DivisionByZeroError:
        return L.field.zero
    return still if any((c, 0) in still.symbols for c in fibre) else L.field.zero


def _length(found: OnBase) -> tuple[int, int]:
    """How long B is, denominators last; then the rest."""
    entries = [e for row in found.slopes for e in row]
    fractions = sum(not e.is_polynomial for e in (*entries, found.lagrangian))
    return fractions, sum(len(str(e)) for e in (*entries, found.lagrangian, *found.force))
