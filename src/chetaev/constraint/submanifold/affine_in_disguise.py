"""Affine constraints in disguise: powers, functions and multiples of affine ones (SCOPE K17, Theorem 6).

If ∂B/∂v = 0 on Q the constraint is v_D = A + B v_S however it is written. A closed normal form shows A and
B; several of them over the same positions are several sheets, that is a union of branches.
"""

from __future__ import annotations

from dataclasses import replace

from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.constraint.submanifold.evidence import Allowance
from chetaev.constraint.submanifold.hidden_relations import combinations_without
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.expr.graph.node import ZERO, Expr, symbol


def straighten(Q: Constraint, allowance: Allowance) -> tuple[Constraint, tuple[ConstraintData, ...]]:
    """The same constraint written affine, if that is found; and its sheets, if there are several."""
    forms = [f for f in Q.normal_forms() if not any(n.period for n in f.notes) or len(f.notes) == 1]
    sheets: list[ConstraintData] = []
    for form in forms:
        functions = tuple(_difference(symbol(q, 1), e) for q, e in form.velocities.items())
        given = replace(Q.given, velocity=functions, position=(), labels=(),
                        state=Q.given.state if form.at_start else None)  # fmt: skip
        candidate = Constraint(given, symbolic=False, effort=Q.effort)
        written = allowance.attempt(candidate.chart.field, lambda c=candidate: _written_affine(c))  # type: ignore[misc]
        if written and candidate.points:
            sheets.append(replace(given, position=Q.given.position, velocity=functions))
    if not sheets or len(sheets) < len(forms):
        return Q, ()
    if len(sheets) == 1:
        return Constraint(sheets[0], symbolic=False, effort=Q.effort), ()
    return Q, tuple(sheets)


def _difference(v: Expr, e: Expr) -> Expr:
    """v − e as it is written: v for 0, v + u for −u."""
    return v if e is ZERO else v + e.args[0] if e.op == "neg" else v - e


def _written_affine(Q: Constraint) -> bool:
    return not any(
        order for f in Q.all_functions for q in Q.coordinates for _, order in f.diff((q, 1)).symbols
    )


def affine_part(Q: Constraint) -> Constraint | None:
    """The constraints that are written affine: their integrals are integrals of the whole."""
    if not Q.exact:
        return None
    if Q.is_affine_as_written:
        return Q
    effort = 3 * Q.effort // 20
    kept = Allowance(effort, effort).attempt(Q.field, lambda: combinations_without(Q, 2))
    if not kept and not Q.given.position:
        return None
    functions = tuple(e.to_expr() for e in kept or ())
    given = replace(Q.given, velocity=functions, state=None, labels=())
    part = Constraint(given, symbolic=False, effort=Q.effort)
    return part if part.points and part.exact and part.is_affine_as_written else None
