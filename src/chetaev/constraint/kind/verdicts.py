"""Single verdicts about Q: linear or affine, homogeneous, scleronomic, its growth vector (SCOPE K13, K17,
K18).

    affine        ∂B/∂v|_Q = 0 on Q                            linear   affine and homogeneous
    homogeneous   the Euler field v ∂/∂v is tangent to Q:  C v = 0 on Q
    scleronomic   ∂/∂t is tangent to Q:  ∂f/∂t = 0 on Q

All of them are about Q and not about the way it is written: exp(t)*(x' − y') = 0 is linear and scleronomic.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from chetaev.constraint.integrability import growth_vector as flag
from chetaev.constraint.integrability.conditions import growth_step
from chetaev.constraint.integrability.curvature import curvature_rank
from chetaev.constraint.integrability.theorem7 import DisagreementError, decidable, locals_of
from chetaev.constraint.submanifold.constraint_in_numbers import Array
from chetaev.constraint.submanifold.evidence import (
    NONE,
    NONZERO,
    PROVED,
    ZERO,
    Allowance,
    Evidence,
    Finding,
    tested,
)
from chetaev.constraint.submanifold.reducible import degree_in_velocities
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.expr.exact import Element, GivenUp, answer, ask
from chetaev.expr.exact.vanishing import zero_tests
from chetaev.numeric import CLEAR, unit_rows

UNKNOWN = Evidence(method="not computed beyond the first step")
POINT = 8
"""Times the effort of a step, for brackets at one point: they are quick beside what is written down."""
LONG_FLAG = 8
"""How much more the exact flag of three or more constraints may cost than other steps."""
MANY = 14
"""With more free velocities the flag is not followed beyond its second member in numbers."""


def vanish_on(Q: Constraint, functions: list[Element], allowance: Allowance) -> tuple[bool | None, Evidence]:
    """Whether functions vanish on Q: the answer and its evidence."""
    if all(f.is_zero for f in functions):
        return True, Evidence(True, "normal form")
    effort = allowance.left() // 2
    if effort <= 0:
        allowance.exhausted = True
        return None, NONE
    verdicts = ask(
        lambda: zero_tests([f.to_expr() for f in functions], [f.to_expr() for f in Q.on], effort=effort)
    )
    if isinstance(verdicts, GivenUp):
        return None, NONE
    allowance.spent += sum(v.spent for v in verdicts)
    allowance.exhausted |= any(v.limit for v in verdicts)
    for v in verdicts:
        if v.answer == "nonzero":
            point = tuple((n, float(x)) for n, x in (v.witness or {}).items())
            return False, Evidence(v.proved, v.method, witness=point, value=v.value)
    if any(v.answer == "undecided" for v in verdicts):
        return None, NONE
    if all(v.proved for v in verdicts):
        return True, Evidence(True, verdicts[-1].method)
    points, digits = min(v.points for v in verdicts), min(v.digits for v in verdicts)
    return True, Evidence(points=points, digits=digits, limit=allowance.total if allowance.exhausted else 0)


def written(Q: Constraint) -> tuple[str, int | None]:
    """How the velocity constraints are written: none, linear, affine or nonlinear, and of which degree."""
    if not Q.given.velocity:
        return "none", 0
    if not Q.exact:
        return ("affine", 1) if Q.numbers.is_affine else ("nonlinear", None)
    held = len(Q.given.position)
    functions = Q.all_functions[held:]
    if not any(order for f in functions for _, order in f.symbols):
        return "none", 0
    if any(o for row in Q.slopes[held:] for e in row.values() for _, o in e.symbols):
        degrees = [degree_in_velocities(f, Q.coordinates) for f in functions]
        known = [d for d in degrees if d is not None]
        return "nonlinear", max(known) if len(known) == len(degrees) else None
    return ("linear" if all(e.is_zero for e in Q.at_rest[held:]) else "affine"), 1


def bending(Q: Constraint, affine: bool, allowance: Allowance) -> Evidence:
    """The proof that ∂B/∂v vanishes on Q, or does not; none if there is none."""
    allowance.exhausted = Q.given_up
    if not Q.exact:
        return NONE
    chart = Q.adapted
    entries = allowance.attempt(
        Q.chart.field,
        lambda: [chart.partial(b, (q, 1)) for row in chart.B for b in row for q in chart.free],
    )
    if entries is None:
        return NONE
    if not affine:
        entries = [e for e in entries if not e.is_zero][:1]
    answer, evidence = vanish_on(Q, entries, allowance) if entries else (None, NONE)
    return evidence if answer is affine else NONE


def homogeneous(Q: Constraint, allowance: Allowance) -> tuple[bool | None, Evidence]:
    """Whether Q is a cone: C v = 0 on Q."""
    allowance.exhausted = Q.given_up
    m, worst, count, row = len(Q.coordinates), 0.0, 0, 0
    for z in Q.points:
        C = Q.numbers.first(z)[list(Q.survey.rows), 1 + m :]
        value, size = np.abs(C @ z[1 + m :]), np.abs(C) @ np.abs(z[1 + m :])
        if np.all(size > CLEAR * np.abs(C).max(axis=1)):
            part, count = value / size, count + 1
            if len(part) and part.max() > worst:
                worst, row = float(part.max()), int(part.argmax())
    if worst >= NONZERO:
        answer, evidence = vanish_on(Q, [_euler(Q, Q.functions[row])], allowance) if Q.exact else (None, NONE)
        if answer is not True:
            return False, evidence if answer is False else tested(count)
    if not Q.exact:
        return (True if worst <= ZERO and count else None), allowance.tested(count)
    if Q.is_affine_as_written and all(Q.at_rest[a].is_zero for a in Q.survey.rows):
        return True, Evidence(True, "the equations have no terms without velocities")
    answer, evidence = vanish_on(Q, [_euler(Q, f) for f in Q.functions], allowance)
    if answer is None and worst <= ZERO and count:
        return True, allowance.tested(count)
    return answer, evidence


def _euler(Q: Constraint, f: Element) -> Element:
    """(∂f/∂v)·v."""
    field = Q.chart.field
    moving = [name for name, order in sorted(f.symbols) if order]
    return sum((f.diff((name, 1)) * field.symbol(name, 1) for name in moving), field.zero)


def skleronomic(Q: Constraint, allowance: Allowance) -> tuple[bool | None, Evidence]:
    """Whether ∂/∂t is tangent to Q."""
    if Q.numbers.is_autonomous:
        return True, Evidence(True, "t does not occur")
    allowance.exhausted = Q.given_up
    if not Q.exact:
        return _still_at_points(Q, allowance)
    t = (Q.given.time, 0)
    rates = [f.diff(t) for f in Q.on]
    moving = [r for r in rates if not r.is_zero]
    if not moving:
        return True, Evidence(True, "t does not occur")
    answer, evidence = vanish_on(Q, moving, allowance)
    return (answer, evidence) if answer is not None else _still_at_points(Q, allowance)


def _still_at_points(Q: Constraint, allowance: Allowance) -> tuple[bool | None, Evidence]:
    """The same in numbers: ∂f/∂t at points of Q, beside the other derivatives of f."""
    rates = [np.abs(unit_rows(np.array(Q.numbers.jacobian(z)))[:, 0]) for z in Q.points]
    worst = max((float(r.max(initial=0.0)) for r in rates), default=math.inf)
    answer = True if worst <= ZERO else False if NONZERO <= worst < math.inf else None
    return answer, allowance.tested(len(rates))


@dataclass(frozen=True)
class Growth:
    """A growth vector: ranks, the space it belongs to, how many integrals it leaves, and what it rests on."""

    ranks: tuple[int, ...]
    space: str
    integrals: int
    evidence: Evidence

    @property
    def proved(self) -> bool:
        """Whether it was computed exactly."""
        return self.evidence.proved

    @property
    def known(self) -> bool:
        """Whether it was computed at all beyond the first rank."""
        return self.evidence != UNKNOWN


def growth_vector(Q: Constraint, affine: bool, split: bool, allowance: Allowance) -> Growth:
    """The growth vector: exactly where possible, else at points; both must agree.

    `split`: linear and scleronomic, so that ∂/∂t splits off and configuration space is enough.
    """
    m, k = len(Q.coordinates), Q.codimension
    r = m - k
    points = [z for z in Q.points if not any(z is f for f in Q.survey.failures)]
    exact: tuple[int, ...] | None = None
    allowance.exhausted = Q.given_up
    if affine and Q.is_affine_as_written and Q.exact:
        exact = _exact_growth(Q, k, allowance)
    numeric = _numeric_growth(Q, points, flag.MAX_NODES if exact is None else flag.FEW_NODES)
    if exact is not None:
        ranks, evidence = tuple(n + r for n in exact), PROVED
        if numeric is not None and numeric != ranks and not decidable(Q):
            ranks, evidence = numeric, tested(min(5, len(points)))
        elif numeric is not None and any(a > b for a, b in zip(numeric, ranks, strict=False)):
            raise DisagreementError(f"growth vector on Q: {ranks} exactly, {numeric} at points")
        if Q.positions and numeric is not None:  # on {φ = 0} it may be shorter than near it
            ranks = numeric if numeric[-1] < ranks[-1] else ranks
    elif numeric is not None:
        ranks, evidence = numeric, allowance.tested(min(5, len(points)))
    else:
        return Growth((), "Q", 0, UNKNOWN)
    integrals = 2 * m + 1 - k - ranks[-1]
    if not affine:
        return Growth(ranks, "Q", integrals, evidence)
    if split:
        return Growth(tuple(n - r - 1 for n in ranks), "configuration space", integrals, evidence)
    return Growth(tuple(n - r for n in ranks), "space-time", integrals, evidence)


def _exact_growth(Q: Constraint, k: int, allowance: Allowance) -> tuple[int, ...] | None:
    """The growth vector of D on Y: two members are all if the second is everything, else by brackets."""
    field, r = Q.chart.field, 1 + len(Q.coordinates) - k
    own = Allowance(POINT * allowance.each, POINT * allowance.each)
    step = own.attempt(field, lambda: curvature_rank(Q)) if decidable(Q) else None
    if k and step == k:
        return r, r + k
    if own.exhausted or Q.coefficients(allowance) is None:  # what has no value at a point has no brackets
        allowance.exhausted |= own.exhausted
        return None
    long = LONG_FLAG * allowance.each
    patience = Allowance(long, long) if k > 2 else allowance
    found = patience.attempt(field, lambda: Q.projection.growth_vector())
    allowance.exhausted |= patience.exhausted
    return found


def _numeric_growth(Q: Constraint, points: list[Array], nodes: int) -> tuple[int, ...] | None:
    if Q.codimension == 1 or len(Q.coordinates) - Q.codimension > MANY:
        return answer(ask(first_steps, Q))
    return answer(ask(flag.growth, Q.numbers, Q.survey.rows, Q.survey.charts[0], points[:5], nodes))


def first_steps(Q: Constraint) -> tuple[int, ...]:
    """rank C and rank (C + [C, C]) on Q; all there is if that is everything, or nothing is added."""
    steps = [growth_step(at) for at in locals_of(Q)]
    before, after = max(steps, key=lambda s: s[1])
    full = 2 * len(Q.coordinates) + 1 - Q.codimension
    if before == after:
        return (before,)
    if after < full:
        raise flag.LongBracketsError("the flag is longer than two steps")
    return before, after


def finding_of_velocities(kind: str, as_written: str, evidence: Evidence) -> Finding:
    """The sentence about linear, affine, nonlinear."""
    words = {
        "linear": "the constraint is linear in the velocities",
        "affine": "the constraint is affine in the velocities",
        "nonlinear": "the constraint is not affine in the velocities: ∂²g/∂v∂v does not vanish on Q",
        "undecided": "whether the constraint is affine in the velocities is undecided",
    }[kind]
    if as_written not in (kind, "none", ""):
        words += f", though it is written as a {as_written} equation"
    return Finding("velocities", kind, words, evidence, "Theorem 6")
