"""Semiholonomic or not: the conditions of Theorem 7, exactly and in numbers, and their agreement (SCOPE
K18, D2).

For an affine constraint g = A + B v the exact conditions are computed on Y, each from its own definition:

    growth       the small flag of D = span (63) has one member
    projection   [D, D] ⊂ D by brackets of the fields (63)                                 Thm 7 (2)
    ideal        dφ^a = 0 mod φ^1, …, φ^k, φ^a = dq^a − B^a_s dq^s − A^a dt                Thm 7 (3)
    equation     ∂_c g^a/∂q^s − d_c/dt ∂g^a/∂v^s = 0                                       Thm 7 (4), (64)

and in numbers at points of Q for every constraint (:mod:`chetaev.constraint.integrability.conditions`).
Dependence on t counts: all of it happens in space-time. They are equivalent, so a disagreement is an error
of this program and raised as one.

Holonomic, semiholonomic or nonholonomic, in words (SCOPE K18; Theorem 7).
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chetaev.constraint.integrability import conditions
from chetaev.constraint.integrability.curvature import curvature_rank
from chetaev.constraint.submanifold.constraint_in_numbers import Local, local
from chetaev.constraint.submanifold.evidence import NONE, NONZERO, PROVED, ZERO, Allowance, Evidence, Finding
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.expr.exact import BudgetError, Element
from chetaev.expr.exact.field.normal_form_zero import is_decided
from chetaev.expr.exact.linear.matrix import is_nonzero
from chetaev.numeric import SingularMatrixError

if TYPE_CHECKING:
    from chetaev.constraint.kind.verdicts import Growth

CONTRADICTION = 1e-3
NAMES = ("growth", "projection", "ideal", "equation")


class DisagreementError(AssertionError):
    """Two equivalent conditions gave different answers: a defect of the program."""


@dataclass(frozen=True)
class Theorem7:
    """The answers of the conditions, and where they come from."""

    exact: dict[str, bool | None]
    """By name: True, False, or None where the exact computation was given up."""
    numeric: dict[str, float]
    """By name: the largest value found in units of its terms."""
    affine: bool | None
    """Whether ∂²g/∂v∂v = 0 on Q in numbers; None if undecided."""
    integrable: bool | None
    """The verdict; None if undecided."""
    points: int
    curvature: str = ""
    """For a constraint that is not integrable: a value of curvature that is not zero, in words."""
    limit: int = 0
    """The effort within which no condition was decided exactly, where more of it might help; else 0."""

    @property
    def proved(self) -> bool:
        """Whether at least one condition was decided exactly."""
        return any(v is not None for v in self.exact.values())

    @property
    def evidence(self) -> Evidence:
        """The conditions that were decided exactly, or else those at points."""
        done = tuple(n for n in NAMES if self.exact.get(n) is not None)
        if done:
            return Evidence(True, conditions=done)
        return Evidence(points=self.points, conditions=tuple(self.numeric), limit=self.limit)


def locals_of(constraint: Constraint) -> list[Local]:
    """Q to second order at its points, each in the best chart there; remembered with the constraint."""
    remembered: list[Local] | None = constraint.__dict__.get("_locals")
    if remembered is not None:
        return remembered
    chosen: list[Local] = []
    rows = constraint.survey.rows
    for z in constraint.points:
        if not any(z is f for f in constraint.survey.failures):
            try:
                chosen.append(local(constraint.numbers, z, rows, constraint.best_pivots(z)))
            except SingularMatrixError:
                continue
    constraint.__dict__["_locals"] = chosen
    return chosen


def theorem7(constraint: Constraint, allowance: Allowance) -> Theorem7:
    """All conditions, which must agree."""
    at = locals_of(constraint)
    floor = conditions.row_floor(at)
    bend, brackets, projected, ideal, equation = (
        conditions.weigh([condition(a) for a in at], floor)
        for condition in (
            conditions.velocity_hessian,
            conditions.brackets,
            conditions.projection,
            conditions.ideal,
            conditions.equation,
        )
    )
    numeric = {
        "growth": brackets,
        "projection": max(bend, projected),
        "ideal": ideal,
        "equation": max(bend, equation),
    }
    affine = True if bend <= ZERO else False if bend >= NONZERO else None
    if constraint.is_affine_as_written:
        affine = True
    allowance.exhausted = constraint.given_up
    exact = (
        exact_conditions(constraint, allowance)
        if constraint.is_affine_as_written and constraint.exact
        else {}
    )
    integrable = _agree(exact, numeric)
    limit = allowance.total if allowance.exhausted else 0
    return Theorem7(exact, numeric, affine, integrable, len(at), limit=limit)


def _agree(exact: dict[str, bool | None], numeric: dict[str, float]) -> bool | None:
    answers = {v for v in exact.values() if v is not None}
    if len(answers) > 1:
        raise DisagreementError(f"conditions of Theorem 7 disagree: {exact}")
    if answers:
        answer = answers.pop()
        wrong = [n for n, x in numeric.items() if answer and x >= CONTRADICTION]
        if wrong:
            raise DisagreementError(
                f"points contradict the proof that the constraint is integrable: {numeric}"
            )
        return answer
    if all(x <= ZERO for x in numeric.values()):
        return True
    if all(x >= NONZERO for x in numeric.values()):
        return False
    return None


def exact_conditions(constraint: Constraint, allowance: Allowance) -> dict[str, bool | None]:
    """The conditions for a constraint written affine, on Y."""
    field = constraint.chart.field
    if constraint.coefficients(allowance) is None:  # a point may still show that D is not involutive
        bent = allowance.attempt(field, lambda: curvature_rank(constraint)) if decidable(constraint) else None
        return {**dict.fromkeys(NAMES), "growth": False if bent else None}
    answers = {
        "growth": allowance.attempt(field, lambda: growth_condition(constraint), times=0.6),
        "projection": allowance.attempt(field, lambda: projection_condition(constraint), times=0.6),
        "ideal": allowance.attempt(field, lambda: ideal_condition(constraint), times=0.6),
        "equation": allowance.attempt(field, lambda: equation_condition(constraint), times=0.6),
    }
    if decidable(constraint) or set(answers.values()) == {True}:
        return answers
    # Where roots or logarithms occur, "not zero in normal form" proves nothing: a point must show it.
    shown = answers["projection"] is False and allowance.attempt(
        field, lambda: curvature_at_a_point(constraint)
    )
    return {n: False if shown and a is False else None for n, a in answers.items()}


def decidable(constraint: Constraint) -> bool:
    """Whether the normal form decides zero for all that is made from f and its derivatives: no roots,
    logarithms, inverse functions in f (Ax's theorem).
    """
    return all(is_decided(f) for f in constraint.all_functions)


def growth_condition(constraint: Constraint) -> bool:
    """Whether D + [D, D] has the rank of D: a point may refute it, else all brackets must lie in D."""
    if curvature_rank(constraint):
        return False
    found = constraint.projection.involutivity
    if found.holds and not found.proved:
        raise BudgetError("the brackets lie in D at points; that they do everywhere is not proved")
    return found.holds


def projection_condition(constraint: Constraint) -> bool:
    """Whether all [D_0, D_s] and [D_r, D_s] vanish: they have components along ∂/∂q^a only."""
    return all(e.is_zero for e in curvature(constraint))


def curvature_at_a_point(constraint: Constraint) -> bool:
    """Whether a ball at a point shows that some bracket does not vanish."""
    return any(is_nonzero(e) for e in curvature(constraint))


Gradient = dict[tuple[str, int], Element]


def gradient(f: Element, among: Container[tuple[str, int]]) -> Gradient:
    """The partial derivatives of a function that are not zero, among these symbols."""
    slopes = {name: f.diff(name) for name in sorted(f.symbols) if name in among}
    return {name: slope for name, slope in slopes.items() if not slope.is_zero}


def along(X: Gradient, slopes: Gradient, zero: Element) -> Element:
    """X(f) from the gradient of f: only components along symbols that occur are looked at."""
    return sum((X[name] * slope for name, slope in slopes.items() if name in X), zero)


def curvature(constraint: Constraint) -> Iterator[Element]:
    """The components along ∂/∂q^a of the brackets of the fields (63), without those that are seen to be 0."""
    chart, zero, one = constraint.adapted, constraint.chart.field.zero, constraint.chart.field.one
    place = _places(constraint)
    names, D = list(place), [1 + i for i in chart.D]
    fields: list[Gradient] = []
    slopes: list[dict[int, Gradient]] = []
    for s in range(-1, len(chart.S)):
        parts = {i: chart.A[a] if s < 0 else chart.B[a][s] for a, i in enumerate(D)}
        parts = {i: e for i, e in parts.items() if not e.is_zero}
        fields.append({names[0 if s < 0 else 1 + chart.S[s]]: one, **{names[i]: e for i, e in parts.items()}})
        slopes.append({i: g for i, e in parts.items() if (g := gradient(e, place))})
    for x, X in enumerate(fields):
        for y in range(x + 1, len(fields)):
            for i in sorted(slopes[x].keys() | slopes[y].keys()):
                yield along(X, slopes[y].get(i, {}), zero) - along(fields[y], slopes[x].get(i, {}), zero)


def _places(constraint: Constraint) -> dict[tuple[str, int], int]:
    """t and q with their numbers."""
    return {
        (constraint.given.time, 0): 0,
        **{(q, 0): 1 + i for i, q in enumerate(constraint.coordinates)},
    }


def ideal_condition(constraint: Constraint) -> bool:
    """Whether dφ^a = 0 modulo φ^1, …, φ^k: what is left with dq^b = B^b_s dq^s + A^b dt vanishes."""
    chart, zero = constraint.adapted, constraint.chart.field.zero
    place = _places(constraint)
    free = [0, *(1 + i for i in chart.S)]
    table = [[a, *b] for a, b in zip(chart.A, chart.B, strict=True)]
    into = {1 + i: {s: e for s, e in zip(free, row, strict=True) if not e.is_zero}
            for i, row in zip(chart.D, table, strict=True)}  # fmt: skip
    into |= {s: {s: constraint.chart.field.one} for s in free}
    for row in table:
        left: dict[tuple[int, int], Element] = {}
        for s, e in zip(free, row, strict=True):  # −dφ = Σ ∂_j B_s dx^j ∧ dx^s
            for name, slope in gradient(e, place).items():
                for j, factor in into[place[name]].items():
                    if j != s:
                        pair, term = ((j, s), factor * slope) if j < s else ((s, j), -(factor * slope))
                        left[pair] = left.get(pair, zero) + term
        if any(not e.is_zero for e in left.values()):
            return False
    return True


def equation_condition(constraint: Constraint) -> bool:
    """Whether (64) holds; for g = A + B v it has no accelerations."""
    chart = constraint.adapted
    field = constraint.chart.field
    place = _places(constraint)
    v = {q: field.symbol(q, 1) for q in chart.free}
    g = []
    for constant, row in zip(chart.A, chart.B, strict=True):
        moved = (b * v[q] for b, q in zip(row, chart.free, strict=True) if not b.is_zero)
        g.append(sum(moved, constant))
    whole = {(q, 0): w for q, w in (*v.items(), *zip(chart.dependent, g, strict=True))}
    whole[constraint.given.time, 0] = field.one
    for a in range(len(chart.D)):
        slopes = gradient(g[a], place)
        for s, q in enumerate(chart.free):
            down = {(p, 0): chart.B[b][s] for b, p in enumerate(chart.dependent)}
            left = along({(q, 0): field.one, **down}, slopes, field.zero)
            if not (left - along(whole, gradient(chart.B[a][s], place), field.zero)).is_zero:
                return False
    return True


def holonomy(
    Q: Constraint, T: Theorem7, growth: Growth, bent: Evidence = NONE
) -> tuple[str, bool | None, Finding]:
    """The verdict, whether everything is integrable, and the sentence; the growth vector must agree.

    `bent` is the proof that Q is not affine, if there is one.
    """
    integrable = T.integrable
    if integrable is not None and growth.known and integrable != (len(growth.ranks) == 1):
        if growth.proved and T.proved:
            raise DisagreementError(f"Theorem 7: integrable = {integrable}, growth vector: {growth.ranks}")
        integrable = None if not (growth.proved or T.proved) else integrable
    vector = f"growth vector ({', '.join(map(str, growth.ranks))}) on {growth.space}"
    vector = vector if growth.known else "its growth vector was not computed"
    if integrable is None:
        words = f"the conditions of Theorem 7 are not decided at the points tested: {vector}"
        return "undecided", None, Finding("holonomy", "undecided", words, T.evidence, "Theorem 7")
    if Q.is_holonomic_as_written:
        words = "all constraints are on positions"
        return "holonomic", True, Finding("holonomy", "holonomic", words, PROVED, "§3.3")
    if integrable:
        words = f"the canonical distribution is completely integrable: {vector}"
        return "semiholonomic", True, Finding("holonomy", "semiholonomic", words, T.evidence, "Theorem 7")
    proof = T.evidence
    words = f"the canonical distribution is not integrable: {vector}"
    if T.affine is False:
        proof = bent if bent.proved else proof
        words = (
            "the constraint is not affine in the velocities, "
            f"so its canonical distribution is not integrable: {vector}"
        )
    if growth.integrals:
        words += f"; of {Q.codimension} constraints {growth.integrals} can be integrated"
    return "nonholonomic", False, Finding("holonomy", "nonholonomic", words, proof, "Theorem 7")
