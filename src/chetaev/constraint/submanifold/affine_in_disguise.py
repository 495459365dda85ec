"""Affine constraints in disguise: powers, functions and multiples of affine ones (SCOPE K17, Theorem 6).

If ∂B/∂v = 0 on Q the constraint is v_D = A + B v_S however it is written. A closed normal form shows A and
B; several of them over the same positions are several sheets, that is a union of branches.

Velocity constraints may imply relations between positions, ℓ C = 0 but ℓ f ≠ 0 (SCOPE K13):

    x' = y',  x' = y' + x    hide    x = 0

>>> from chetaev.constraint.submanifold.constraint_data import ConstraintData
>>> Q = Constraint(ConstraintData.of(["x' = y'", "x' = y' + x"], ["x", "y"]), symbolic=False)
>>> print(hidden_positions(Q, Allowance())[1])
the velocity constraints imply the position constraint x = 0
"""

from __future__ import annotations

from dataclasses import replace

from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.constraint.submanifold.evidence import Allowance
from chetaev.constraint.submanifold.plainer_equations import primitive
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.expr.exact.linear.matrix import combinations_without
from chetaev.expr.graph.node import ZERO, Expr, symbol


def straighten(Q: Constraint, allowance: Allowance) -> tuple[Constraint, tuple[ConstraintData, ...], str]:
    """The same constraint written affine, if that is found; its sheets, if there are several; and what
    infinitely many others differ by.
    """
    forms = [f for f in Q.normal_forms() if not any(n.period for n in f.notes) or len(f.notes) == 1]
    endless = ", ".join(dict.fromkeys(str(n) for f in forms for n in f.notes if n.period))
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
        return Q, (), ""
    if len(sheets) == 1:
        return Constraint(sheets[0], symbolic=False, effort=Q.effort), (), endless
    return Q, tuple(sheets), endless


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
    kept = Allowance(effort, effort).attempt(
        Q.field, lambda: combinations_without(Q.all_functions, Q.coordinates, 2)
    )
    if not kept and not Q.given.position:
        return None
    functions = tuple(e.to_expr() for e in kept or ())
    given = replace(Q.given, velocity=functions, state=None, labels=())
    part = Constraint(given, symbolic=False, effort=Q.effort)
    return part if part.points and part.exact and part.is_affine_as_written else None


def hidden_positions(Q: Constraint, allowance: Allowance) -> tuple[ConstraintData | None, str]:
    """The constraint with hidden position constraints added, and a sentence; None where none are found."""
    if not Q.exact:
        return None, ""
    found = allowance.attempt(Q.field, lambda: combinations_without(Q.all_functions, Q.coordinates, 1))
    if not found:
        return None, ""
    positions = tuple(primitive(e).to_expr() for e in found)
    given = replace(
        Q.given,
        velocity=tuple(Q.given.functions[a] for a in Q.survey.rows if a >= len(Q.given.position)),
        position=(*Q.given.position, *positions),
        labels=(),
    )
    listed = ", ".join(f"{e} = 0" for e in positions)
    return given, f"the velocity constraints imply the position constraint {listed}"
