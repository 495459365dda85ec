"""Constraints in disguise: what the user should be told (issue, item 4; SCOPE K18, B4).

- a velocity constraint that is integrable is a position constraint with a constant from the initial state;
- a redundant constraint;
- an ignorable coordinate: it occurs neither in L nor in the forces nor in the constraints;
- a constraint that is an invariant relation of the unconstrained motion: its multiplier is 0 on Q, it does
  nothing (B4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from chetaev.constraint.kind.classification import Integral
from chetaev.constraint.submanifold.constraint_data import inertia_at_values
from chetaev.constraint.submanifold.evidence import EFFORT, ZERO, Allowance
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.expr.exact import Field
from chetaev.expr.graph.engine import Engine
from chetaev.expr.graph.node import Expr, symbols
from chetaev.numeric import numerical_rank, solve
from chetaev.remedy_words import listed

if TYPE_CHECKING:
    from chetaev.model.system import System


def integrable(
    integrals: tuple[Integral, ...],
    dimension: int,
    positions: int,
    equations: tuple[str, ...],
    redundant: tuple[int, ...] = (),
) -> list[str]:
    """Sentences about integrable velocity constraints; `redundant` of the equations are not meant."""
    hidden = dimension - positions
    if hidden <= 0:
        return []
    found = []
    moving = [e for i, e in enumerate(equations) if i >= positions and i not in redundant]
    for u in integrals[positions:]:
        subject = (
            f"the velocity constraint {moving[0]} is"
            if len(moving) == 1
            else "a combination of the velocity constraints is"
        )
        constant = "" if u.value is None else f"; at the initial state const = {u.value:.12g}"
        found.append(f"{subject} the holonomic constraint {u.expression} = const{constant}")
    missing = hidden - len(found)
    if missing > 0:
        many = "an integral" if missing == 1 else f"{missing} independent integrals"
        found.append(
            f"the velocity constraints have {many} u(t, q) = const that no closed form was found for"
        )
    return found


def redundant(names: list[str], which: tuple[int, ...]) -> list[str]:
    """Sentences about constraints that follow from the others."""
    return [
        f"the constraint {names[a]} is redundant: it follows from the others wherever they hold"
        for a in which
    ]


TOUCHES = "∂f/∂v depends on theirs wherever all hold"
"""What is wrong with an equation that touches the others."""


def meaning(ways: tuple[tuple[Expr, ...], ...]) -> str:
    """A union of systems of equations in words.

    >>> from chetaev.expr.graph.node import symbol
    >>> meaning(((symbol("x", 1), symbol("y", 1)), (symbol("z", 1),)))
    "x' = 0, y' = 0 or z' = 0"
    """
    return " or ".join(", ".join(f"{e} = 0" for e in way) for way in ways)


def blunt(f: Expr, ways: tuple[tuple[Expr, ...], ...]) -> str:
    """The sentence about an equation whose rank is lost on all of Q."""
    return (
        f"as it is written, {f} = 0 loses the rank condition (46) on all of Q: "
        f"no force of the form μ ∂f/∂v can keep it; write {meaning(ways)}"
    )


def ignorable(system: System) -> list[str]:
    """Sentences about coordinates that occur nowhere."""
    functions: list[Expr] = [*system.dynamics.functions]
    for group in (system.velocity_constraints, system.position_constraints, system.acceleration_constraints):
        functions += [e.residual for e in group]
    written = symbols(*functions)
    field, allowance = Field(), Allowance(EFFORT // 5, EFFORT // 10)
    used: set[tuple[str, int]] | None = None
    if any((q, 0) in written for q in system.coordinates):
        found = allowance.attempt(field, lambda: {s for f in functions for s in field(f).symbols})
        used = found if found is not None else written
    used = written if used is None else used
    names = [q for q in system.coordinates if (q, 0) not in used]
    if not names:
        return []
    many = len(names) > 1
    moved = symbols(*(e.residual for e in (*system.velocity_constraints, *system.acceleration_constraints)))
    held = any((q, order) in moved for q in names for order in (1, 2))
    if system.dynamics.lagrangian is None:
        words = f"{'are' if many else 'is'} ignorable: the dynamics and the constraints do not depend on"
        return [f"{listed(names)} {words} {'them' if many else 'it'}"]
    reasons = []
    pushed = [q for q, f in system.forces.items() if q in names and not (f.op == "number" and f.value == 0)]
    if pushed:
        reasons.append(f"an applied force acts along {listed(pushed)}")
    if held:
        level = "derivatives" if any((q, 2) in moved for q in names) else "velocities"
        reasons.append(f"the constraints contain {level} of ignorable coordinates")
    tail = f"; but {' and '.join(reasons)}, so a momentum may change" if reasons else ""
    verb = "are" if many else "is"
    return [f"{listed(names)} {verb} ignorable: the Lagrangian, the forces and the constraints do not depend "
            f"on {'them' if many else 'it'}{tail}"]  # fmt: skip


def does_nothing(system: System, Q: Constraint, names: list[str]) -> list[str]:
    """Sentences about velocity constraints whose multiplier vanishes on Q (B4)."""
    if not system.dynamics.constraints_react:
        return []
    if not Q.given.velocity or Q.survey.redundant or system.acceleration_constraints or not Q.points:
        return []
    engine, m = Engine(), len(Q.coordinates)
    M, h = inertia_at_values(system, engine, Q.given.variables)
    ready = engine.function([Q.given.variables], [M, -h])
    worst = np.zeros(Q.codimension)
    used, singular = 0, False
    for at in Q.points:
        Mv, right = (np.array(x, dtype=float) for x in ready(at))
        df = Q.numbers.first(at)[list(Q.survey.rows)]
        C, c = df[:, 1 + m :], df[:, : 1 + m] @ np.concatenate([[1.0], at[1 + m :]])
        k = C.shape[0]
        bordered = np.block([[Mv, -C.T], [C, np.zeros((k, k))]])
        if not np.all(np.isfinite(bordered)) or numerical_rank(bordered) < m + k:
            continue
        mu = solve(bordered, np.concatenate([right.ravel(), -c]))[m:]
        size = np.abs(right).max() + np.abs(Mv).max() + 1e-300
        worst = np.maximum(worst, np.abs(mu) * np.abs(C).max(axis=1) / size)
        singular = singular or numerical_rank(Mv) < m
        used += 1
    if used < 3:
        return []
    rows = [a for a in Q.survey.rows if a >= len(Q.given.position)]
    idle = [names[a] for a in rows if worst[Q.survey.rows.index(a)] <= ZERO]
    if singular:
        words = (
            "exerts no force: its multiplier is 0, it only fixes what the degenerate Lagrangian leaves free"
        )
    else:
        words = "does nothing: it is an invariant relation of the motion without it, its multiplier is 0"
    return [f"the constraint {name} {words} (tested at {used} points of Q; SCOPE B4)" for name in idle]
