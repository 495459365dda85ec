"""Where constraints on accelerations come from: conditions on velocities, on positions, or neither (L9).

A constraint Λ(t, q, v) a + λ(t, q, v) = 0 is the derivative of a condition f(t, q, v) = const, up to factors,
iff f is constant along

    Δ = span { ∂/∂t + v^σ ∂/∂q^σ + a₀^σ ∂/∂v^σ,   W^σ ∂/∂v^σ }       Λ a₀ + λ = 0,  Λ W = 0

on J¹Y: the distribution of the *affine* constraint dq = v dt, Λ dv + λ dt = 0 in the coordinates (t, q, v).
Let N be the number of independent functions that Δ keeps constant and ρ the rank of their derivatives by v.
Then

    ρ         constraints are derivatives of conditions on velocities,
    N − ρ     of them are second derivatives of conditions on positions,

each with constants that the initial state fixes (the leaves of Δ's involutive hull have codimension N, their
images in Y have codimension N − ρ). Constraints on velocities and positions beside them are counted in.

>>> from chetaev.model.system import System
>>> def origin(text):
...     arguments = {"coordinates": ["x", "y"], "lagrangian": "(x'^2 + y'^2)/2"}
...     return origin_of(System(**arguments, constraints={"acceleration": [text]}), Allowance())
>>> found = origin("x*x'' + y*y'' + x'^2 + y'^2 = 0")
>>> found.from_velocities, found.from_positions, [str(u) for u in found.integrals]
(1, 1, ["x*x' + y*y'", ...])
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from flint import nmod_mat

from chetaev.constraint.integrability.constants_of_the_constraint import find
from chetaev.constraint.integrability.modular_kernel import PRIME, UnluckyError, evaluate, values_at_random
from chetaev.constraint.kind import verdicts
from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.constraint.submanifold.evidence import NONE, PROVED, Allowance, Evidence, Finding
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.expr.exact import Element
from chetaev.expr.graph.node import Expr, sub, substitute, symbol
from chetaev.geometry.chart.ranks_seen import seen_rank
from chetaev.model.jet_functions import fresh

if TYPE_CHECKING:
    from chetaev.model.system import System


@dataclass(frozen=True)
class AccelerationOrigin:
    """What constraints on accelerations, with those on velocities and positions beside them, come from."""

    constraints: int
    """How many independent constraints there are."""
    from_velocities: int | None = None
    from_positions: int | None = None
    """How many are derivatives of conditions on velocities, how many of these of conditions on positions;
    None if that is not known.
    """
    integrals: tuple[Expr, ...] = ()
    """Functions f(t, q, v) that stay constant, in closed form where found."""
    proved: bool = False
    """Whether the numbers are proved."""

    @property
    def integrable(self) -> bool | None:
        """Whether all constraints come from conditions on positions."""
        return None if self.from_positions is None else self.from_positions == self.constraints

    @property
    def kept(self) -> Finding | None:
        """The functions that stay constant, in words."""
        if not self.integrals:
            return None
        listed = ", ".join(map(str, self.integrals))
        return Finding("integrals", str(len(self.integrals)), f"kept constant: {listed}", PROVED, "SCOPE L9")

    @property
    def finding(self) -> Finding:
        """The verdict with its reason."""
        many = "constraint" if self.constraints == 1 else "constraints"
        rho, n = self.from_velocities, self.from_positions
        evidence = PROVED if self.proved else Evidence(method="tested at points")
        if rho is None or n is None:
            words = (
                "whether the constraint on accelerations comes from a condition on velocities is undecided"
            )
            return Finding("holonomy", "undecided", words, NONE, "SCOPE L9")
        if n == self.constraints:
            words = f"all {n} {many}" if n > 1 else "the constraint on accelerations"
            words += (
                " can be integrated twice: conditions on positions, with constants from the initial state"
            )
            return Finding("holonomy", "semiholonomic", words, evidence, "SCOPE L9")
        if rho == self.constraints:
            words = "the constraint on accelerations comes from a condition on velocities" if rho == 1 else (
                f"all {rho} {many} come from conditions on velocities"
            )  # fmt: skip
            words += (
                ", which is not integrable" if rho == 1 else f", {n} of them from conditions on positions"
            )
        elif rho == 0:
            words = "the constraint on accelerations does not come from a condition on velocities"
        else:
            words = (
                f"of {self.constraints} {many} {rho} come{'s' if rho == 1 else ''} from conditions on "
                f"velocities, {n} of them from conditions on positions"
            )
        return Finding("holonomy", "nonholonomic", words, evidence, "SCOPE L9")


def origin_of(system: System, allowance: Allowance) -> AccelerationOrigin:
    """Look for conditions on velocities and positions behind the constraints of a system."""
    given = lifted(system)
    Q = Constraint(given, symbolic=False)
    m = len(system.coordinates)
    if not Q.points or not Q.exact or not Q.is_affine_as_written:
        return AccelerationOrigin(len(system.acceleration_constraints))
    count = Q.codimension - m  # without dq = v dt
    growth = verdicts.growth_vector(Q, True, False, allowance)
    if not growth.known:
        return AccelerationOrigin(count)
    N = growth.integrals
    if N == 0:
        return AccelerationOrigin(count, 0, 0, (), growth.proved)
    found = find(Q, N, allowance)
    integrals = tuple(_back(u.to_expr(), system) for u in found)
    rho = _rank_by_velocities(found, Q, m) if len(found) == N else _rank_of_annihilator(Q, m, allowance)
    if rho is None:
        return AccelerationOrigin(count, integrals=integrals)
    return AccelerationOrigin(count, rho, N - rho, integrals, growth.proved and len(found) == N)


def lifted(system: System) -> ConstraintData:
    """dq = v dt, Λ dv + λ dt = 0 as an affine constraint in the coordinates (q, v)."""
    base = ConstraintData.from_system(system)
    names = _names(system)
    down = {symbol(q, 1): symbol(v) for q, v in names.items()}
    up = {symbol(q, 2): symbol(v, 1) for q, v in names.items()}
    rows = [e.residual for e in system.acceleration_constraints]
    steps = [sub(symbol(q, 1), symbol(v)) for q, v in names.items()]
    accelerations = substitute(substitute(rows, up), down)
    conditions = [*base.position, *substitute(_rates(base), down), *substitute(base.velocity, down)]
    return replace(
        base,
        coordinates=(*system.coordinates, *names.values()),
        velocity=(*steps, *accelerations),
        position=tuple(conditions),
        state=None,
        labels=(),
    )


def _names(system: System) -> dict[str, str]:
    """A coordinate for every velocity, with a name that is new."""
    taken = {*system.coordinates, *system.parameters, system.time}
    names: dict[str, str] = {}
    for q in system.coordinates:
        names[q] = fresh(f"velocity_of_{q}", {*taken, *names.values()})
    return names


def _rates(given: ConstraintData) -> list[Expr]:
    """dφ/dt of the position constraints."""
    if not given.position:
        return []
    Q = Constraint(replace(given, velocity=(), labels=()))
    return [e.to_expr() for e in Q.all_functions]


def _back(u: Expr, system: System) -> Expr:
    """A function of (t, q, v) with velocities written as such."""
    return substitute([u], {symbol(v): symbol(q, 1) for q, v in _names(system).items()})[0]


def _rank_by_velocities(found: list[Element], Q: Constraint, m: int) -> int | None:
    """The rank of ∂f/∂v at a random point modulo p."""
    by_field: dict[int, list[Element]] = {}
    for u in found:
        by_field.setdefault(id(u.field), []).append(u)
    total = 0
    for group in by_field.values():  # blocks share no coordinate, so their ranks add up
        slopes = [[u.diff((v, 0)) for v in Q.coordinates[m:]] for u in group]
        rng = random.Random(11)
        for _ in range(20):
            try:
                values = values_at_random(group[0].field, rng, {})
                entries = [evaluate(e, values) for row in slopes for e in row]
            except UnluckyError:
                continue
            total += nmod_mat(len(group), m, entries, PRIME).rank()
            break
        else:
            return None
    return total


def _rank_of_annihilator(Q: Constraint, m: int, allowance: Allowance) -> int | None:
    """The same from the forms that annihilate the involutive hull of Δ."""

    def rank() -> int:
        hull = Q.projection.small_flag.last
        return seen_rank([form.row()[1 + m :] for form in hull.annihilator], hull.zeros)

    return allowance.attempt(Q.chart.field, rank)
