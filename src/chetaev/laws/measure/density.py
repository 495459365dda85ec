"""The search for an invariant density: Γ(log ρ) = −div Γ on Q, linear in log ρ (SCOPE K22, M4).

In a chart of Q (dependent velocities by the implicit function theorem) the volume is dt dq dv^s, and ρ dt
dq dv^s is preserved exactly if div(ρ Γ) = Γ(ρ) + ρ div Γ = 0. The unknown is

    log ρ = Σ d_j log|p_j| + Σ c_i b_i,

p_j factors of what the equations divide by (determinants of the restricted metric and of ∂f/∂v^a,
denominators) and b_i products of coordinates and functions that occur. Time belongs to the space only where
the equations contain it: every field has invariant densities that change with time. First ρ(q) is looked
for, then ρ(q, v), where the p_j may be velocities: such a density is singular where they vanish, and this
is said. Factors that are proved to vanish nowhere on Q come first, so that the others are used only where
these do not suffice.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

import casadi

from chetaev.constraint.kind.regularity import NamedZeros
from chetaev.constraint.submanifold.plainer_equations import primitive
from chetaev.expr.exact import Budget, Element, answer, ask
from chetaev.expr.exact.functions.radicals import factors, is_positive
from chetaev.expr.exact.vanishing import Verdict
from chetaev.expr.graph.node import ONE, Expr, add, call, mul, number, power, symbols
from chetaev.laws.rate import rate, solved_accelerations
from chetaev.laws.search.motion_modulo_prime import Motion, PointOnQ
from chetaev.laws.search.nullspace import exact, null_vectors
from chetaev.laws.search.primes import inverse
from chetaev.laws.standpoint import Standpoint
from chetaev.laws.symmetry.field_space import field_space
from chetaev.laws.symmetry.linearized import Linearized
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.system import System

LIMIT = 260
"""Functions b_i in one search."""
MOST_FACTORS = 24
LONG_FACTOR = 40
"""Factors with more terms are left out."""
SHORT = 40
"""Factors with longer texts are only counted where the search is described."""
MOST_MATRIX = 6
"""Determinants of larger matrices are not expanded."""


@dataclass(frozen=True)
class DensityFactors:
    """ρ = Π |p_j|^{d_j} exp(smooth): the p_j, the d_j by number, and the exponent."""

    factors: tuple[Element, ...]
    exponents: dict[int, Element]
    smooth: Element

    def over(self, divisor: Element, root: int, moving: Collection[str]) -> DensityFactors:
        """(ρ/divisor)^(1/root) up to a factor that is free of the coordinates `moving`."""
        field = self.smooth.field
        listed, exponents = list(self.factors), dict(self.exponents)
        for sign, poly in ((1, divisor.numerator), (-1, divisor.denominator)):
            for p, e in factors(field, poly)[1]:
                if not any(order or name in moving for name, order in p.symbols):
                    continue
                p = primitive(p)
                place = next((i for i, f in enumerate(listed) if f == p), len(listed))
                if place == len(listed):
                    listed.append(p)
                exponents[place] = exponents.get(place, field.zero) - sign * e
        share = Fraction(1, root)
        kept = {i: c * share for i, c in exponents.items() if not c.is_blank}
        return DensityFactors(tuple(listed), kept, self.smooth * share)

    @property
    def expression(self) -> Expr:
        """ρ as an expression."""
        return _density(self.factors, self.exponents, self.smooth)


@dataclass(frozen=True)
class Density:
    """An invariant density in a chart of Q."""

    expression: Expr
    """Ρ with respect to dq dv^s (and dt)."""
    proof: Verdict
    """The verdict on Γ(log ρ) + div Γ = 0."""
    parameters: str
    """For which parameters, in words."""
    singular: tuple[Expr, ...]
    """The functions where ρ is zero or not defined, without those that are proved to vanish nowhere on Q."""
    parts: DensityFactors
    """What it is made of."""


@dataclass(frozen=True)
class DensitySpace:
    """What was searched: factors under logarithms, and functions, both as texts; `timely` with the time."""

    factors: tuple[str, ...]
    functions: int
    atoms: tuple[str, ...]
    timely: bool

    def __str__(self) -> str:
        short = [f for f in self.factors if len(f) <= SHORT]
        more = len(self.factors) - len(short)
        listed = [*short, *([f"{more} longer factor{'s' if more > 1 else ''}"] if more else [])]
        logs = f"the logarithms of {', '.join(listed)} and " if listed else ""
        return f"log ρ in {logs}{self.functions} products of {', '.join(self.atoms) or 'constants'}"


def find(
    lin: Linearized, zeros: NamedZeros, view: Standpoint, effort: int, *, fast: bool
) -> tuple[Density | None, DensitySpace]:
    """An invariant density of positions, or (`fast`) of positions and velocities, for the parameters of a
    standpoint.
    """
    system = lin.system
    motion = Motion(system, view)
    div = lin.s.graphs(lin.divergence)[0]
    moving = motion.standpoint.apply([div])
    motion.meet(moving)
    logs = _factors(lin, motion, effort, fast)
    logs.sort(key=lambda p: not zeros.nowhere([p.to_expr()]))
    logs = logs[:MOST_FACTORS]
    timely = (system.time, 0) in symbols(*motion.law_graphs, *motion.f)
    kinds = ["position", "function", "given", *(["time"] if timely else []), *(["velocity"] if fast else [])]
    space, _ = field_space(motion, 2, 1, LIMIT, kinds)
    motion.function("0")
    count = len(logs) + len(space) + 1

    def rows(point: PointOnQ) -> list[list[int]]:
        p = point.residues.p
        heads = [point.rate(f) * inverse(point.value(f), p) % p for f in logs]
        return [[*heads, *space.rates(point), point.residues.program(moving)(point.values)[0]]]

    budget = Budget(20 * effort)
    found = null_vectors(motion.points(), count, rows, budget)
    searched = DensitySpace(
        tuple(str(f.to_expr()) for f in logs),
        len(space),
        tuple(str(a.function.to_expr()) for a in space.atoms),
        timely,
    )
    if not found.free or found.free[-1] != count - 1:
        return None, searched
    solved = exact(motion, rows, found.vectors[-1], budget=budget)
    if solved is None:
        return None, searched
    exponents = {i: c for i, c in solved.items() if i < len(logs) and not c.is_blank}
    smooth = {i - len(logs): c for i, c in solved.items() if len(logs) <= i < count - 1}
    parts = DensityFactors(tuple(logs), exponents, space.combination(smooth))
    verdict = _proof(system, view, parts, div, effort)
    if verdict.is_zero is False:
        return None, searched
    singular = _singular(lin, motion, zeros, logs, exponents)
    return Density(parts.expression, verdict, view.words, singular, parts), searched


def _density(logs: Sequence[Element], exponents: dict[int, Element], smooth: Element) -> Expr:
    """Π |p_j|^{d_j} exp(Σ c_i b_i), roots and quotients as people write them."""
    above: list[Expr] = []
    below: list[Expr] = []
    for i, c in exponents.items():
        base = logs[i].to_expr()
        value = c.as_fraction()
        even = value is not None and value.denominator == 1 and value % 2 == 0
        if not even and not is_positive(logs[i].field, logs[i].numerator):
            base = call("abs", _unsigned(base))
        if value is None:
            above.append(power(base, c.to_expr()))
            continue
        (above if value > 0 else below).append(_raised(base, abs(value)))
    if not smooth.is_blank:
        above.append(call("exp", smooth.to_expr()))
    top = mul(*above) if above else ONE
    return top / mul(*below) if below else top


def _raised(base: Expr, exponent: Fraction) -> Expr:
    if exponent == Fraction(1, 2):
        return call("sqrt", base)
    return base if exponent == 1 else power(base, number(exponent))


def _singular(
    lin: Linearized, motion: Motion, zeros: NamedZeros, logs: Sequence[Element], exponents: dict[int, Element]
) -> tuple[Expr, ...]:
    """Factors at whose zeros ρ is zero or infinite, beside those where the chart ends, |det ∂f/∂v^a| = 0."""
    field = motion.field
    ends: dict[int, int] = {}
    if lin.dependent and len(lin.dependent) <= MOST_MATRIX:
        graph = lin.s.graphs(determinant(lin.s.by_v(lin.s.f)[:, lin.dependent]))
        found_there = ask(lambda: factors(field, field(motion.standpoint.apply(graph)[0]).numerator)[1])
        for p, e in answer(found_there) or ():
            for i, f in enumerate(logs):
                if f == primitive(p):
                    ends[i] = e
    found = []
    for i, c in exponents.items():
        if not (c + ends.get(i, 0)).is_blank:
            found.append(_zeros_of(logs[i].to_expr()))
    return tuple(f for f in found if not zeros.nowhere([f]))


def _unsigned(e: Expr) -> Expr:
    """The same zeros and the same size, without a sign in front."""
    return e.args[0] if e.op == "neg" else e


def _zeros_of(e: Expr) -> Expr:
    """A function that vanishes where a factor does: √u where u does."""
    return _zeros_of(e.args[0]) if e.op in ("neg", "sqrt") else e


def _proof(system: System, view: Standpoint, parts: DensityFactors, div: Expr, effort: int) -> Verdict:
    terms = [rate(system, parts.smooth.to_expr()), div]
    for i, c in parts.exponents.items():
        graph = parts.factors[i].to_expr()
        terms.append(mul(c.to_expr(), rate(system, graph)) / graph)
    return vanish(system, [add(*terms)], view, 2 * effort)[0]


# -- factors under logarithms --------------------------------------------------------------------------
def _factors(lin: Linearized, motion: Motion, effort: int, fast: bool) -> list[Element]:
    """Irreducible factors of determinants and denominators, and (`fast`) velocities and numerators."""
    field, system = motion.field, lin.system
    graphs: list[Expr] = []
    s, S, D = lin.s, lin.independent, lin.dependent
    if D and len(D) <= MOST_MATRIX:
        graphs += s.graphs(determinant(s.by_v(s.f)[:, D]))
    M, _ = s.inertia
    if len(S) <= MOST_MATRIX and system.dynamics.constraints_react:
        W = casadi.SX(s.m, len(S))
        for row, i in enumerate(S):
            W[i, row] = 1
        for row, i in enumerate(D):
            W[i, :] = lin.on_q.g_v[row, :]
        graphs += s.graphs(determinant(W.T @ M @ W))
    graphs += solved_accelerations(system)
    graphs += s.graphs(lin.divergence)
    found: list[Element] = []
    budget = Budget(4 * effort)
    speeds = set(motion.velocities)

    def look(e: Expr) -> None:
        element = field(e)
        parts = [element.denominator, *([element.numerator] if fast or len(found) < 2 else [])]
        for part in parts:
            for p, _ in factors(field, part)[1]:
                _keep(found, p, motion, speeds, fast)

    for e in motion.standpoint.apply(graphs):
        with field.limit(budget):
            ask(look, e)  # without its factors the space is smaller, and it is said what was searched
    alone = {field.variable(v) for v in motion.velocities}
    found.sort(key=lambda p: p in alone)
    if fast:
        for v in motion.velocities:
            _keep(found, field.variable(v), motion, speeds, fast)
    motion.function("0")
    return found


def _keep(found: list[Element], p: Element, motion: Motion, speeds: set[int], fast: bool) -> None:
    bases = {motion.field.base(s) for s in p.symbols}
    moving = {*motion.positions, *motion.velocities, motion.time}
    if not bases & moving or (bases & speeds and not fast):
        return
    p = primitive(p)
    if p.terms <= LONG_FACTOR and all(p != q for q in found):
        found.append(p)


def determinant(matrix: casadi.SX) -> casadi.SX:
    """Expanded by minors: graphs without division."""
    n = matrix.shape[0]
    if n == 1:
        return matrix[0, 0]
    level: dict[int, casadi.SX] = {0: casadi.SX(1)}
    for i in range(n):
        following: dict[int, casadi.SX] = {}
        for used, value in level.items():
            for j in range(n):
                if used >> j & 1 or matrix[i, j].is_zero():
                    continue
                sign = -1 if bin(used >> (j + 1)).count("1") % 2 else 1
                following[used | 1 << j] = (
                    following.get(used | 1 << j, casadi.SX(0)) + sign * value * matrix[i, j]
                )
        level = following
    return next(iter(level.values())) if level else casadi.SX(0)
