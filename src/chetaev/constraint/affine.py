"""Affine constraints in disguise: powers, functions and multiples of affine ones (SCOPE K17, Theorem 6).

If ∂B/∂v = 0 on Q the constraint is v_D = A + B v_S however it is written. A closed normal form shows A and
B; several of them over the same positions are several sheets, that is a union of branches.
"""

from __future__ import annotations

from dataclasses import replace

from chetaev.constraint.evidence import Clock
from chetaev.constraint.given import Given
from chetaev.constraint.submanifold import Constraint
from chetaev.expr.exact import Element
from chetaev.expr.exact.matrix import nullspace
from chetaev.expr.graph import ZERO, Expr, symbol


def straighten(Q: Constraint, clock: Clock) -> tuple[Constraint, tuple[Given, ...]]:
    """The same constraint written affine, if that is found; and its sheets, if there are several."""
    forms = [f for f in Q.normal_forms() if not any("multiples" in n for n in f.notes) or len(f.notes) == 1]
    sheets: list[Given] = []
    for form in forms:
        functions = tuple(symbol(q, 1) if e is ZERO else symbol(q, 1) - e for q, e in form.velocities.items())
        given = replace(Q.given, velocity=functions, position=(), labels=(),
                        state=Q.given.state if form.at_start else None)  # fmt: skip
        candidate = Constraint(given, symbolic=False)
        written = clock.attempt(candidate.chart.field, lambda c=candidate: _written_affine(c))  # type: ignore[misc]
        if written and candidate.points:
            sheets.append(replace(given, position=Q.given.position, velocity=functions))
    if not sheets or len(sheets) < len(forms):
        return Q, ()
    if len(sheets) == 1:
        return Constraint(sheets[0], symbolic=False), ()
    return Q, tuple(sheets)


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
    kept = Clock(0.3, 0.3).attempt(Q.chart.field, lambda: _affine_combinations(Q))
    if not kept and not Q.given.position:
        return None
    part = Constraint(replace(Q.given, velocity=tuple(kept or ()), state=None, labels=()), symbolic=False)
    return part if part.points and part.exact and part.is_affine_as_written else None


def _affine_combinations(Q: Constraint) -> list[Expr]:
    """Combinations ℓ_a(t, q) f^a without terms that are nonlinear in the velocities."""
    field = Q.chart.field
    functions = [f for f in Q.all_functions[: len(Q.given.velocity)] if not f.is_zero]
    names = [(q, 1) for q in Q.coordinates]
    tables = [Element(field, f.numerator, field.tower.one).coefficients(*names) for f in functions]
    usable = [i for i, table in enumerate(tables) if table is not None]
    rows: dict[tuple[int, ...], list[Element]] = {}
    for column, i in enumerate(usable):
        for exponents, c in (tables[i] or {}).items():
            if sum(exponents) > 1:
                rows.setdefault(exponents, [field.zero] * len(usable))[column] = c
    one = [[field.one if i == j else field.zero for j in range(len(usable))] for i in range(len(usable))]
    found = []
    for vector in nullspace(list(rows.values())) if rows else one:
        total = field.zero
        for c, i in zip(vector, usable, strict=True):
            total = total + c * field.polynomial(functions[i].numerator)
        found.append(field.polynomial(total.numerator).to_expr())
    return found
