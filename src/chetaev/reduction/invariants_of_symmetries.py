"""Invariants of point fields: functions F on Q with X^(1)(F) = 0, found and proved (SCOPE B11, M6).

With X = ξ^σ ∂_σ and X^(1) = ξ^σ ∂_σ + ξ̇^σ ∂/∂v^σ the condition is linear in F, as Γ(F) = 0 is for first
integrals, and is solved in the same space by the same means. As many invariants are taken as are independent,
simplest first: dim Q less the dimension of the orbits, if the space has them all. Rates may be simpler with
more of them than that: coordinates and velocities that are invariants can all be taken (:func:`generous`).

Fields are examined before (`given_symmetries.py`).

Where fields are dependent: positions that a motion along the group leaves in place (SCOPE B11, M6).

The orbits in configuration space have the rank of (ξ_a^σ) as their dimension. Where all minors of the generic
rank vanish it is smaller; where one of them is a number other than zero, nowhere.

>>> import chetaev as ch
>>> from chetaev.laws.symmetry.given_fields import read_fields
>>> edge = ch.load("knife-edge")
>>> isotropy(edge, read_fields(edge, [{"x": 1}, {"y": 1}, {"x": "-y", "y": "x", "phi": 1}], "point"))
'orbits in configuration space of dimension 3 everywhere'
>>> isotropy(edge, read_fields(edge, [{"x": "-y", "y": "x"}], "point"))
'orbits in configuration space of dimension 1, smaller where y = x = 0'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from math import prod
from typing import Any

from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Element, Field, GivenUp, answer, ask
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import ZERO, Expr, add, call, mul, postorder, symbol, symbols
from chetaev.expr.print import to_text
from chetaev.laws.search.first_integrals import LOOKS, Differentials
from chetaev.laws.search.function_space import Space
from chetaev.laws.search.motion_modulo_prime import Motion, PointOnQ
from chetaev.laws.search.nullspace import SPARE, exact, independent, independent_rows, of_table, rank
from chetaev.laws.search.program_modulo_prime import Values
from chetaev.laws.search.suited_space import suited
from chetaev.laws.standpoint import Standpoint, standpoints
from chetaev.laws.symmetry.given_fields import Components
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.system import System
from chetaev.reduction.given_invariants import Invariant, named_invariants
from chetaev.reduction.on_section import ALGEBRAIC

DEGREES = (1, 2)
"""In the velocities: as low as is enough."""


MOST_SPARE = 8
"""Further invariants with velocities that are kept, to be taken where others have poles."""


@dataclass(frozen=True)
class FoundInvariants:
    """Independent invariants, further ones that depend on them, whether they are as many as there are."""

    functions: tuple[Expr, ...]
    spare: tuple[Expr, ...]
    complete: bool
    notes: tuple[str, ...]


def invariants_of(system: System, fields: Sequence[Components], effort: int) -> FoundInvariants:
    """The invariants of symmetries, named, and what there is to say about them."""
    view = standpoints(system)[0]

    def searched() -> tuple[int, list[Expr], list[Expr], int]:
        motion = Motion(system, view, Budget(40 * effort))
        acting = _Action(motion, fields)
        return acting.orbit, *_search(motion, acting, view, effort)

    answered = ask(searched)
    if isinstance(answered, GivenUp):
        raise ModelError(
            "the invariants of these symmetries could not be searched: "
            + (answered.reason or "no points of the constraint were found modulo a prime"),
            remedy="give invariants by name: invariants={…}",
        )
    orbit, found, spare, wanted = answered
    if not found:
        raise ModelError(
            "no invariant of these symmetries was found in the space searched",
            remedy="give invariants by name: invariants={…}",
        )
    count = "one symmetry" if len(fields) == 1 else f"{len(fields)} symmetries"
    notes = [f"{count}, with orbits of dimension {orbit} at generic points"]
    if len(found) < wanted:
        notes.append(f"{len(found)} of {wanted} independent invariants were found in the space searched")
    return FoundInvariants(tuple(found), tuple(spare), len(found) == wanted, tuple(notes))


def generous(system: System, fields: Sequence[Components], chosen: Sequence[Expr]) -> tuple[Invariant, ...]:
    """Invariants together with all coordinates and velocities that are invariants: ξ = 0, ξ constant."""
    moving = {system.time, *system.coordinates}
    plain: list[Expr] = []
    for order in (0, 1):
        for c in system.coordinates:
            along = [dict(f.along)[c] for f in fields]
            if all(not any(n in moving for n, _ in symbols(e)) if order else e is ZERO for e in along):
                plain.append(symbol(c, order))
    others = [e for e in chosen if e not in plain]
    return named_invariants(system, [*plain, *others])


class _Action:
    """Fields on Y, prolonged, at points modulo p."""

    def __init__(self, motion: Motion, fields: Sequence[Components]) -> None:
        self.motion = motion
        self.components = [[motion.function(e) for _, e in f.along] for f in fields]
        self.moved = {n for f in fields for n, e in f.along if e is not ZERO}
        points = motion.points(seed=5)
        drawn = [points.draw() for _ in range(LOOKS)]
        self.orbit = max(self._rank(point) for point in drawn)
        self.crossed = self._crossed(drawn[0])

    def turn(self, space: Space, vector: Mapping[int, object]) -> int:
        """When a function is taken: positions that are affine across a section first, velocities last.

        A section fixes the coordinates `crossed`, which the group moves; x cos φ + y sin φ is affine across
        φ = 0, where it is x, and x² + y² is not: states for its values need roots.
        """
        late = 0
        for j in vector:
            degree = 0
            for i, exponent in space.members[j]:
                atom = space.atoms[i]
                if atom.kind == "velocity":
                    return 2
                free = {n for n, _ in atom.function.symbols} & self.moved - self.crossed
                degree += exponent * (0 if not free else 1 if atom.kind == "position" else 2)
            late = max(late, int(degree > 1))
        return late

    def _crossed(self, point: PointOnQ) -> frozenset[str]:
        """Coordinates with ξ of full rank, those that occur in functions before others."""
        system = self.motion.system
        given = [*(part.expr for part in system.dynamics.parts), *system.forces.values()]
        given += [e.residual for e in (*system.position_constraints, *system.velocity_constraints)]
        inside = {n for node in postorder(*given) if node.op not in ALGEBRAIC for n, _ in symbols(node)}
        order = sorted(range(len(system.coordinates)), key=lambda i: system.coordinates[i] not in inside)
        columns = [[point.value(xi[i]) for xi in self.components] for i in range(len(order))]
        chosen = independent_rows(columns, order, point.residues.p)
        return frozenset(system.coordinates[i] for i in chosen)

    def directions(self, point: PointOnQ) -> list[dict[int, int]]:
        """ξ and ξ̇ by generator, for every field."""
        motion = self.motion
        found = []
        for xi in self.components:
            moved = {q: point.value(e) for q, e in zip(motion.positions, xi, strict=True)}
            found.append(moved | {v: point.rate(e) for v, e in zip(motion.velocities, xi, strict=True)})
        return found

    def tangents(self, point: PointOnQ) -> list[Values]:
        """The prolonged fields as tangents."""
        return [point.along(d) for d in self.directions(point)]

    def _rank(self, point: PointOnQ) -> int:
        motion = self.motion
        rows = [[d[k] for k in (*motion.positions, *motion.velocities)] for d in self.directions(point)]
        return rank(rows, point.residues.p)


def _search(
    motion: Motion, acting: _Action, view: Standpoint, effort: int
) -> tuple[list[Expr], list[Expr], int]:
    """Independent invariants, simplest first, each proved; further ones; and how many there are to be."""
    found: list[Expr] = []
    spare: list[Expr] = []
    wanted = 0
    for degree in DEGREES:
        space, _ = suited(motion, degree)
        found, spare, wanted = _of_space(motion, acting, space, view, effort)
        if len(found) >= wanted:
            break
    return found, spare, wanted


def _of_space(
    motion: Motion, acting: _Action, space: Space, view: Standpoint, effort: int
) -> tuple[list[Expr], list[Expr], int]:
    budget = Budget(40 * effort)
    points = motion.points(seed=5)
    sample = [points.draw() for _ in range(len(space) + SPARE)]
    budget.spend(points.spent)
    values = [space.values(point) for point in sample]
    chosen = independent(values, len(space), points.p)
    smaller = space.only(chosen)

    def rows(point: PointOnQ) -> list[list[int]]:
        return [smaller.values_and_slopes(point, tangent)[1] for tangent in acting.tangents(point)]

    table = [row for point in sample for row in rows(point)]
    null = of_table(table, len(smaller), points.p, budget)
    time = motion.field.variable(motion.time)
    stacks = [Differentials(motion, point, [time]) for point in sample[:LOOKS]]
    dimension = 1 + 2 * len(motion.positions) - stacks[0].constraints
    wanted = dimension - 1 - acting.orbit
    gradients = [smaller.gradients(point) for point in sample[:LOOKS]]
    found: list[Expr] = []
    spare: list[Expr] = []
    for vector in sorted(null.vectors, key=lambda v: acting.turn(smaller, v)):
        if len(found) == wanted and len(spare) >= MOST_SPARE:
            break
        p = points.p
        lines = [[sum(c * g[j] for j, c in vector.items()) % p for g in gradient] for gradient in gradients]
        grown = [stack.grows(line) for stack, line in zip(stacks, lines, strict=True)]
        if not all(grown) and (any(grown) or len(spare) >= MOST_SPARE):
            continue
        lifted = exact(motion, rows, vector, budget=budget)
        if lifted is None:
            continue
        function = smaller.combination(lifted).to_expr()
        if not all(grown) and (
            any(node.op == "sqrt" for node in postorder(function))
            or not _is_other_direction(motion.system, function, [*found, *spare])
        ):
            continue
        if _is_invariant(motion.system, acting, function, view, effort):
            (found if all(grown) else spare).append(function)
    return found, spare, wanted


def _is_other_direction(system: System, function: Expr, known: Sequence[Expr]) -> bool:
    """Whether ∂F/∂v is no multiple of that of a known function, as for products with positions."""
    values: dict[Any, float] = {system.time: 0.3, **system.parameter_values}
    for i, c in enumerate(system.coordinates):
        values |= {(c, 0): 0.7 + 0.31 * i, (c, 1): 1.1 - 0.17 * i}

    def slope(e: Expr) -> list[float]:
        element = Field()(e)
        slopes = [element.diff((c, 1)).to_expr() for c in system.coordinates]
        return [float(x) for x in evaluate(slopes, values)]

    own = slope(function)
    size = sum(x * x for x in own)
    if size == 0:
        return False
    for other in map(slope, known):
        square = sum(x * x for x in other)
        along = sum(x * y for x, y in zip(own, other, strict=True))
        if square and abs(along**2 - size * square) <= 1e-9 * size * square:
            return False
    return True


def _is_invariant(system: System, acting: _Action, function: Expr, view: Standpoint, effort: int) -> bool:
    """X^(1)(F) = 0 on Q, proved, for every field."""
    element = acting.motion.function(function)
    moved = []
    for xi in acting.components:
        terms = []
        for c, e in zip(system.coordinates, xi, strict=True):
            along = (mul(e.diff(n).to_expr(), symbol(n, 1)) for n in system.coordinates)
            rate = add(e.diff(system.time).to_expr(), *along)
            terms.append(mul(element.diff(c).to_expr(), e.to_expr()))
            terms.append(mul(element.diff((c, 1)).to_expr(), rate))
        moved.append(add(*terms))
    return all(v.is_zero and v.proved for v in vanish(system, moved, view, 10 * effort))


MOST_MINORS = 60
MOST_SHOWN = 4
EFFORT = 2_000_000


def isotropy(system: System, fields: Sequence[Components]) -> str | None:
    """In words: the dimension of the orbits of positions, and where it is smaller; None if not decided."""
    return answer(ask(_smaller, system, fields, Field(Budget(EFFORT))))


def _smaller(system: System, fields: Sequence[Components], ring: Field) -> str | None:
    rows = [[ring(e) for _, e in f.along] for f in fields]
    size = linear.rank(rows)
    if not size:
        return None
    said = f"orbits in configuration space of dimension {size}"
    choices = product(combinations(range(len(rows)), size), combinations(range(len(rows[0])), size))
    found: dict[str, None] = {}
    zeros: list[list[Element]] = []
    chosen = list(islice(choices, MOST_MINORS + 1))
    for first, second in chosen[:MOST_MINORS]:
        minor = linear.determinant([[rows[i][j] for j in second] for i in first])
        if minor.is_zero is not False:
            continue
        if minor.is_number or not any(n in system.coordinates for n, _ in minor.symbols):
            return f"{said} everywhere"
        factors = [
            ring.polynomial(p)
            for p, _ in ring.factor(minor.numerator)[1]
            if any(n in system.coordinates for n, _ in ring.polynomial(p).symbols)
        ]
        if not factors:
            return f"{said} everywhere"
        found["*".join(_factor(to_text(f.to_expr()), len(factors)) for f in factors)] = None
        zeros.append(factors)
    if zeros and _never(zeros):
        return f"{said} everywhere"
    if len(chosen) > MOST_MINORS or not found or len(found) > MOST_SHOWN:
        return None
    return f"{said}, smaller where {' = '.join(found)} = 0"


def _never(minors: Sequence[Sequence[Element]]) -> bool:
    """Whether minors are seen to have no zero in common: sin u and cos u in every choice of factors."""
    if prod(map(len, minors)) > MOST_MINORS:
        return False
    return all(_has_sine_and_cosine([f.to_expr() for f in choice]) for choice in product(*minors))


def _has_sine_and_cosine(factors: Sequence[Expr]) -> bool:
    return any(call("cos", e.args[0]) in factors for e in factors if e.op == "sin")


def _factor(text: str, count: int) -> str:
    return f"({text})" if count > 1 and (" + " in text or " - " in text) else text
