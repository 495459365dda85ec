"""The nonholonomic momentum map and its equation (SCOPE L3, L11, M6, B10).

Let X_1, …, X_r be fields on Y along the coordinates with X^(1)(L) = 0 on Q, and momenta J_i = p·X_i. Along
the motion

    dJ_i/dt = F·X_i + μ_a ∂f^a/∂v·X_i:

a symmetry that does not lie in D = ker ∂f/∂v is pushed by the constraint. Combinations ξ = η^i X_i with
*functions* η on Q that lie in D are not, and they are the nonholonomic momentum map J^nh(ξ) = η^i J_i, with
the momentum equation

    d/dt J^nh(ξ) = (dη^i/dt) J_i + F·ξ.

The η are found exactly, as the kernel of (∂f^a/∂v·X_i) on Q. Two parts of the algebra give conserved
momenta: the horizontal symmetries, constant η with η^i X_i in D and F·X = 0, and (larger) all constant c
with d/dt(c^i J_i) = 0 on Q, whatever the reason. Each equation is compared with the rate of J^nh along the
motion, and is reported with the verdict.

>>> import chetaev as ch
>>> found = momentum_equations(ch.load("nonholonomic-particle"), fields=[{"x": 1}, {"y": 1}, {"z": 1}])
>>> [(str(e.momentum), str(e.rate)) for e in found]
[("m*x'*(y^2 + 1)", "m*y*x'*y'"), ("m*y'", '0')]
>>> found.horizontal, found.conserved
(('∂/∂y',), ('∂/∂y',))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import casadi

from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.effort import EFFORT, expect_effort
from chetaev.equations.law.normal_law import OnConstraint
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Element, GivenUp, answer, ask
from chetaev.expr.exact.linear.growing_echelon import GrowingEchelon
from chetaev.expr.exact.linear.matrix import cleared, dot, echelon
from chetaev.expr.graph.node import ZERO, Expr, add, mul, neg
from chetaev.geometry.chart.function_matrix import kernel
from chetaev.laws.rate import rate
from chetaev.laws.search.motion_modulo_prime import Motion, PointOnQ
from chetaev.laws.search.nullspace import exact, null_vectors
from chetaev.laws.standpoint import standpoints
from chetaev.laws.symmetry.examine import on_q
from chetaev.laws.symmetry.given_fields import Components, combination, read_fields
from chetaev.laws.symmetry.linearized import Linearized
from chetaev.laws.symmetry.momentum_map import MomentumEquation, MomentumEquations
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.system import System, expect_system


def momentum_equations(
    system: System, fields: Sequence[Any] | None = None, *, effort: int = EFFORT
) -> MomentumEquations:
    """The momentum equations of the symmetries of L: those given, or those found.

    Looked for are the Killing fields of the kinetic metric (`ch.killing`), and of these the combinations
    that leave L and the constraint as they are.

    Parameters
    ----------
    system
        A system with a Lagrangian.
    fields
        Symmetries of L, components by name; a field that is none is refused.
    effort
        What each exact question may cost (:mod:`chetaev.effort`).
    """
    expect_system(system, "momentum_equations")
    effort = expect_effort(effort)
    if system.dynamics.lagrangian is None:
        raise ModelError(system.dynamics.lacks("Lagrangian"), remedy="momenta are those of a Lagrangian")
    lin, remark = Linearized(system), ""
    if fields is None:
        from chetaev.laws.symmetry.killing import killing

        isometries = killing(system, effort=effort)
        if not isometries.complete:
            known = f"{len(isometries)} of at most {isometries.bound}"
            remark = f"only {known} Killing fields were found: other momenta may be conserved"
        every = [Components.of(system, X.components) for X in isometries]
        of_lagrangian, chosen = (
            ask(_subalgebra, system, lin, every, effort, constraint=constraint)
            for constraint in (False, True)
        )
        if isinstance(of_lagrangian, GivenUp) or isinstance(chosen, GivenUp):
            remark = "the combinations of the Killing fields that leave L as it is were not found"
        of_lagrangian, chosen = answer(of_lagrangian) or [], answer(chosen) or []
    else:
        of_lagrangian = chosen = _given(system, lin, fields, effort)
    words = [str(one) for one in chosen]

    def in_sections() -> list[MomentumEquation]:
        sections = _sections(system, chosen) if chosen else []
        return [_equation(system, lin, chosen, eta, effort) for eta in sections]

    equations = ask(in_sections)
    if isinstance(equations, GivenUp):
        equations, remark = [], "the sections in D were not found within the effort"
    constant = ask(_constant, system, lin, of_lagrangian, effort)
    if isinstance(constant, GivenUp):
        remark = "which combinations lie in D, and which momenta are conserved, was not decided"
        constant = [], []
    return MomentumEquations(equations, words, *constant, remark)


def _given(system: System, lin: Linearized, fields: Sequence[Any], effort: int) -> list[Components]:
    """The fields given, if they are symmetries of L on Q."""
    chosen = read_fields(system, fields, "point")
    for one in chosen:
        if one.time is not ZERO:
            raise ModelError(
                f"the field {one} moves time",
                expected="a field along the coordinates",
                remedy="its law is one of energy: ch.integrals",
            )
        if on_q(system, lagrangian_defect(lin, one), effort).holds is False:
            raise ModelError(
                f"the field {one} is no symmetry of the Lagrangian",
                expected="fields with ξ^(1)(L) = 0",
                remedy="ch.symmetries(…, fields=…) says of what it is a symmetry",
            )
    return chosen


def _subalgebra(
    system: System, lin: Linearized, every: Sequence[Components], effort: int, *, constraint: bool
) -> list[Components]:
    """Combinations of Killing fields with ξ^(1)(L) = 0 on Q, and (`constraint`) ξ^(1)(f) = 0."""
    if not every:
        return []

    def defect(X: Components) -> list[Expr]:
        return [*lagrangian_defect(lin, X), *(constraint_defect(lin, X) if constraint else [])]

    motion = Motion(system, standpoints(system)[0])
    defects = [[motion.function(e) for e in defect(X)] for X in every]
    columns = [[motion.function(e) for _, e in X.along] for X in every]
    motion.function("0")

    def rows(point: PointOnQ) -> list[list[int]]:
        return [[point.value(column[r]) for column in defects] for r in range(len(defects[0]))]

    budget, chosen = Budget(20 * effort), []
    for vector in null_vectors(motion.points(), len(every), rows, budget).vectors:
        c = exact(motion, rows, vector, budget=budget)
        if c is None:
            continue
        one = Components.of(system, _combined(system, motion, columns, c))
        if on_q(system, defect(one), effort).holds:
            chosen.append(one)
    return chosen


def lagrangian_defect(lin: Linearized, X: Components) -> list[Expr]:
    """X^(1)(L)."""
    s = lin.s
    xi = casadi.densify(s.column([e for _, e in X.along]))
    moved = casadi.dot(casadi.gradient(s.L, s.q), xi) + casadi.dot(casadi.gradient(s.L, s.v), s.along(xi))
    return s.graphs(moved)


def constraint_defect(lin: Linearized, X: Components) -> list[Expr]:
    """X^(1)(f), and X(φ) for positions."""
    s = lin.s
    xi = casadi.densify(s.column([e for _, e in X.along]))
    return s.graphs(casadi.vertcat(s.by_q(s.f) @ xi + s.by_v(s.f) @ s.along(xi), s.by_q(s.phi) @ xi))


def _sections(system: System, fields: Sequence[Components]) -> list[list[Element]]:
    """η on Q with η^i X_i in D, as functions on J¹Y, whose fields are independent and span 𝔤 ∩ D."""
    r = len(fields)
    constraint = Constraint(system)
    one, zero = constraint.field.one, constraint.field.zero
    if not constraint.codimension:
        return [[one if i == j else zero for j in range(r)] for i in range(r)]
    columns = [[constraint.chart(e) for _, e in X.along] for X in fields]
    rows = [[dot(row, X) for X in columns] for row in constraint.jacobian]
    chosen, fields_seen = [], GrowingEchelon(len(system.coordinates), constraint.zeros)
    for vector in map(cleared, kernel(rows, r, constraint.zeros)):
        along = [dot(vector, [X[n] for X in columns]) for n in range(len(system.coordinates))]
        if fields_seen.add(along):  # else the field is a combination of those before it
            chosen.append([*along, *vector])
    if not constraint.is_affine_as_written or not chosen:
        return [row[len(system.coordinates) :] for row in chosen]
    reduced = echelon(chosen, range(len(system.coordinates)))
    width = len(system.coordinates) + r
    whole = [cleared([reduced.entry(i, j) for j in range(width)]) for i in range(reduced.rank)]
    return [row[len(system.coordinates) :] for row in whole]


def _equation(
    system: System, lin: Linearized, fields: Sequence[Components], eta: Sequence[Element], effort: int
) -> MomentumEquation:
    s = lin.s
    show = OnConstraint(system, 10 * effort)
    p, F = ([row[0] for row in m] for m in s.matrices(s.Pi, s.F))
    weights = [e.to_expr() for e in eta]
    momenta = [_dot(p, [e for _, e in X.along]) for X in fields]
    along = {}
    for n, c in enumerate(system.coordinates):
        terms = [
            mul(w, X.along[n][1]) for w, X in zip(weights, fields, strict=True) if X.along[n][1] is not ZERO
        ]
        if terms:
            component = show.plain(add(*terms))
            if component is not ZERO:
                along[c] = component
    momentum = _dot(weights, momenta)
    right = [mul(rate(system, w), J) for w, J in zip(weights, momenta, strict=True) if w.op != "number"]
    right += [
        mul(f, along[c]) for f, c in zip(F, system.coordinates, strict=True) if f is not ZERO and c in along
    ]
    total = add(*right) if right else ZERO
    defect = add(rate(system, momentum), neg(total)) if right else rate(system, momentum)
    answer = on_q(system, [defect], effort)
    shown = ZERO
    if right and not all(v.is_zero for v in vanish(system, [total], standpoints(system)[0], effort)):
        shown = show.short(total)
    return MomentumEquation(along, show.short(momentum), shown, answer)


def _dot(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    terms = [mul(x, y) for x, y in zip(a, b, strict=True) if x is not ZERO and y is not ZERO]
    return add(*terms) if terms else ZERO


def _constant(
    system: System, lin: Linearized, fields: Sequence[Components], effort: int
) -> tuple[list[str], list[str]]:
    """Combinations with constant coefficients in D, and those with conserved momenta, in words."""
    s, m = lin.s, len(system.coordinates)
    motion = Motion(system, standpoints(system)[0])
    C = [motion.standpoint.apply(row) for row in s.matrix(s.by_v(s.f))]
    X = [[motion.function(e) for _, e in one.along] for one in fields]
    p = [motion.function(row[0]) for row in s.matrix(s.Pi)]
    flat = [e for row in C for e in row]
    motion.meet(flat)
    momenta = [sum((a * b for a, b in zip(p, field, strict=True)), motion.field.zero) for field in X]
    motion.function("0")

    def horizontal(point: PointOnQ) -> list[list[int]]:
        values = point.residues.program(flat)(point.values)
        columns = [[point.value(e) for e in field] for field in X]
        rows = [values[i * m : (i + 1) * m] for i in range(len(C))]
        return [[sum(a * b for a, b in zip(row, c, strict=True)) for c in columns] for row in rows] or [
            [0] * len(X)
        ]

    def conserved(point: PointOnQ) -> list[list[int]]:
        return [[point.rate(J) for J in momenta]]

    found: list[list[str]] = []
    for rows in (horizontal, conserved):
        words: list[str] = []
        budget = Budget(10 * effort)
        for vector in null_vectors(motion.points(), len(X), rows, budget).vectors:
            c = exact(motion, rows, vector, budget=budget)
            if c is not None and _holds(system, fields, s, c, rows is horizontal, effort):
                words.append(combination(_combined(system, motion, X, c), "∂/∂"))
        found.append(words)
    return found[0], found[1]


def _holds(
    system: System,
    fields: Sequence[Components],
    s: Any,
    c: Mapping[int, Element],
    horizontal: bool,
    effort: int,
) -> bool:
    """Whether a combination that was proposed lies in D, or has a conserved momentum: exactly."""
    along = [
        _dot([x.to_expr() for x in c.values()], [fields[i].along[n][1] for i in c])
        for n in range(len(system.coordinates))
    ]
    if horizontal:
        rows = s.matrix(s.by_v(s.f))
        functions = [_dot(row, along) for row in rows]
    else:
        functions = [rate(system, _dot([row[0] for row in s.matrix(s.Pi)], along))]
    return on_q(system, functions, effort).holds is True


def _combined(
    system: System, motion: Motion, X: Sequence[Sequence[Element]], c: Mapping[int, Element]
) -> dict[str, Expr]:
    """Σ c_i X_i, by coordinate."""
    found = {}
    for n, name in enumerate(system.coordinates):
        total = sum((x * X[i][n] for i, x in c.items()), motion.field.zero)
        if not total.is_blank:
            found[name] = total.to_expr()
    return found
