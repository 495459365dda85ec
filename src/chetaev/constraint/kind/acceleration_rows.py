"""Constraints on accelerations, Λ(t, q, v) a + λ(t, q, v) = 0, as far as a classification asks (SCOPE L9).

They leave Q ⊂ J¹Y as it is and cut the plane C a + c' = 0 of accelerations over it down further. What there
is to say is read off the augmented rows

    [C | c'],  [Λ | λ]      at points of Q:

how many of the new rows are independent of the others (degrees of freedom), whether ∂/∂t of the rows stays in
their span (then time does nothing), and whether M restricted to ker C ∩ ker Λ is regular.

>>> from chetaev.model.system import System
>>> arguments = {"coordinates": ["x", "y"], "lagrangian": "(x'^2 + y'^2)/2"}
>>> found = on_accelerations(System(**arguments, constraints={"acceleration": ["x'' = t*y''"]}))
>>> found.independent, found.rheonomic, found.regular
(1, True, True)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi
import numpy as np
from numpy.typing import NDArray

from chetaev.constraint.submanifold.constraint_data import at_parameter_values, inertia_at_values
from chetaev.constraint.submanifold.evidence import PROVED, Finding, tested
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.errors import ModelError
from chetaev.expr.graph.engine import Engine
from chetaev.expr.graph.node import symbol, symbols
from chetaev.numeric import ROUNDING, kernel, numerical_rank, restricted_rank, unit_rows

if TYPE_CHECKING:
    from chetaev.model.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True)
class OnAccelerations:
    """What constraints on accelerations add."""

    independent: int
    """How many of them are independent of each other and of the other constraints."""
    redundant: tuple[int, ...]
    """Those, by number, that follow from the ones before them."""
    rheonomic: bool
    """Whether they depend on time."""
    regular: bool | None
    """Whether M is regular on the accelerations that all constraints leave free; None without a point."""
    written: bool
    """Whether time occurs in their text."""
    points: int
    """At how many points this was seen."""

    @property
    def time_finding(self) -> Finding:
        """The verdict on time with its reason."""
        if self.rheonomic:
            words, evidence = "the constraint on accelerations depends on time", tested(self.points)
        elif self.written:
            words = "the constraint on accelerations contains t but does not change with it"
            evidence = tested(self.points)
        else:
            words, evidence = "t does not occur in the constraint on accelerations", PROVED
        return Finding("time", "rheonomic" if self.rheonomic else "skleronomic", words, evidence, "SCOPE L9")

    @property
    def regular_finding(self) -> Finding:
        """The verdict on regularity with its reason."""
        where = "on the accelerations that the constraints leave free, at generic points"
        words = f"M is {'regular' if self.regular else 'singular'} {where}"
        answer = "undecided" if self.regular is None else "yes" if self.regular else "no"
        if self.regular is None:
            words = "no point was found where M has a value"
        return Finding("regular", answer, words, tested(self.points), "SCOPE L9")


def on_accelerations(system: System) -> OnAccelerations:
    """Look at the constraints on accelerations at points of Q."""
    residuals = [e.residual for e in system.acceleration_constraints]
    written = (system.time, 0) in symbols(*residuals)
    Q = Constraint(system)
    seen = [at for at in _seen(system, Q) if at is not None]
    _refuse(system, Q, seen)
    if not seen:
        return OnAccelerations(len(residuals), (), written, None, written, 0)
    best = max(seen, key=lambda at: len(at.kept))
    return OnAccelerations(
        independent=len(best.kept),
        redundant=tuple(i for i in range(len(residuals)) if i not in best.kept),
        rheonomic=written and any(at.moves for at in seen),
        regular=any(at.regular for at in seen),
        written=written,
        points=len(seen),
    )


def refuse_contradictions(system: System) -> None:
    """Raise a ModelError for a constraint on accelerations that the others leave no acceleration for.

    Its row depends on the rows of the others, C a + c' = 0 among them, and its constant term does not: they
    ask for different accelerations at every point of Q that was looked at.
    """
    if system.acceleration_constraints:
        Q = Constraint(system)
        _refuse(system, Q, [at for at in _seen(system, Q) if at is not None])


@dataclass(frozen=True)
class _At:
    kept: tuple[int, ...]
    moves: bool
    regular: bool
    excess: tuple[int, ...] = ()


def _refuse(system: System, Q: Constraint, seen: list[_At]) -> None:
    common = set.intersection(*(set(at.excess) for at in seen)) if seen else set()
    if not common:
        return
    i = min(common)
    given = system.acceleration_constraints
    others = [*Q.given.names, *(str(e) for j, e in enumerate(given) if j != i and j in seen[0].kept)]
    if not others:
        raise ModelError(
            f"the acceleration constraint {given[i]} contains no acceleration: its coefficients vanish",
            remedy="a relation of velocities alone belongs into 'velocity'",
        )
    told = " and ".join(others[:4]) + (" …" if len(others) > 4 else "")
    raise ModelError(
        f"the acceleration constraint {given[i]} contradicts {told}: together they leave no acceleration "
        f"at any of {len(seen)} points where the others hold",
        remedy="remove or correct one of them; if they are meant to agree only for some velocities, "
        "add that condition to 'velocity'",
    )


def _seen(system: System, Q: Constraint) -> list[_At | None]:
    engine, m = Engine(), len(system.coordinates)
    residuals = [e.residual for e in system.acceleration_constraints]
    alphas = at_parameter_values(system, *residuals)
    z, a = Q.given.variables, [symbol(c, 2) for c in system.coordinates]
    alpha = engine.column(alphas)
    rows = casadi.horzcat(
        engine.jacobian(alpha, a), casadi.substitute(alpha, engine.column(a), casadi.SX.zeros(m))
    )
    by_time = casadi.reshape(casadi.jacobian(casadi.vec(rows), engine(z[0])), *rows.shape)
    M, _ = inertia_at_values(system, engine, z)
    values = engine.function([z], [casadi.densify(x) for x in (rows, by_time, M)])
    found: list[_At | None] = []
    for point in Q.points:
        own, moving, mass = (np.array(x, dtype=float) for x in values(point))
        df = Q.numbers.first(point)
        given = np.hstack([df[:, 1 + m :], (df[:, : 1 + m] @ np.r_[1.0, point[1 + m :]])[:, None]])
        good = all(np.isfinite(x).all() for x in (own, moving, mass, given))
        found.append(_look(given, own, moving, mass) if good else None)
    return found


def _look(given: Array, own: Array, moving: Array, mass: Array) -> _At:
    m = mass.shape[0]
    plane = unit_rows(given)
    own, moving = unit_rows(own), unit_rows(moving)
    kept = []
    for i, row in enumerate(own):
        more = np.vstack([plane, row])
        if _rank(more[:, :m]) > _rank(plane[:, :m]):
            plane = more
            kept.append(i)
    rank = _rank(plane)
    moves = any(_rank(np.vstack([plane, row])) > rank for row in moving)
    W = kernel(plane[:, :m], ROUNDING)
    regular = restricted_rank(mass, W) == W.shape[1]
    excess = tuple(i for i, r in enumerate(own) if i not in kept and _rank(np.vstack([plane, r])) > rank)
    return _At(tuple(kept), moves, regular, excess)


def _rank(rows: Array) -> int:
    """The rank of rows of size 1."""
    return numerical_rank(rows, least=1.0)
