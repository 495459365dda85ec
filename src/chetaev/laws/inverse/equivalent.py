"""Are two Lagrangians equivalent: do they differ by a total derivative df/dt? (SCOPE K6)

L and L' have the same Euler–Lagrange form exactly if their difference Δ = L' − L is affine in the velocities,
Δ = A_0 + A_σ v^σ, and A_0 dt + A_σ dq^σ is closed; where f is found with df = A_0 dt + A_σ dq^σ, Δ = df/dt.

>>> import chetaev as ch
>>> system = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2")
>>> found = equivalent(system, "(x'^2 + y'^2)/2 + t*(x'*y + x*y') + x*y")
>>> found.equivalent, str(found.function)
(True, 'y*x*t')
>>> equivalent(system, "x'^2 + y'^2").equivalent
False
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import casadi

from chetaev.effort import EFFORT, expect_effort
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.exact.effort.ask import answer, ask
from chetaev.expr.exact.effort.budget import Budget
from chetaev.expr.exact.field.field import Field
from chetaev.expr.graph.node import Expr, substitute, symbol
from chetaev.expr.print import to_text
from chetaev.laws.inverse.conditions import Asked, VanishingCondition, evidence, judged, together
from chetaev.laws.inverse.primitive import primitive
from chetaev.laws.standpoint import Standpoint
from chetaev.laws.vanishing_on_q import plain_form
from chetaev.model.jet_functions import function_on
from chetaev.model.system import System, expect_system
from chetaev.results import TextResult


@dataclass(frozen=True)
class Equivalence(TextResult):
    """Whether two Lagrangians are equivalent.

    Attributes
    ----------
    equivalent
        True, False, or None if it could not be decided.
    function
        f(t, q) with L' − L = df/dt; None where there is none or none was found in closed form.
    conditions
        What was tested; `defects` are those that fail.
    evidence
        How the answer is known.
    """

    equivalent: bool | None
    function: Expr | None
    conditions: tuple[VanishingCondition, ...]
    evidence: str

    facts = "equivalent function conditions evidence"

    @property
    def defects(self) -> tuple[VanishingCondition, ...]:
        """The conditions that fail; each has a `witness`."""
        return tuple(c for c in self.conditions if c.holds is False)

    def __str__(self) -> str:
        words = {True: "equivalent", False: "not equivalent", None: "undecided"}[self.equivalent]
        more = "" if self.function is None else f"; they differ by d/dt of {to_text(self.function)}"
        first = f"; first failing condition: {self.defects[0]}" if self.defects else ""
        return f"{words} ({self.evidence}; K6){more}{first}"


def equivalent(system: System, other: System | str | Expr, *, effort: int = EFFORT) -> Equivalence:
    """Whether another Lagrangian has the same Euler–Lagrange equations, identically, as that of a system.

    Parameters
    ----------
    system
        A system with a Lagrangian.
    other
        Another Lagrangian of the same coordinates, as text; or a system that has it.
    effort
        What each exact question may cost (:mod:`chetaev.effort`).
    """
    expect_system(system, "equivalent")
    effort = expect_effort(effort)
    if isinstance(other, System):
        if (other.coordinates, other.time) != (system.coordinates, system.time):
            raise ModelError(
                f"the second system has the coordinates {', '.join(other.coordinates)}",
                expected=", ".join(system.coordinates),
                remedy="two Lagrangians are compared in the same coordinates",
            )
        other = substitute([other.lagrangian], _values(other, system))[0]
    second = function_on(system, other, "the second Lagrangian")
    s = Setup(system)
    delta = s(second) - s.L
    A = s.by_v(delta).T
    rest = delta - casadi.dot(A, s.v)
    twice, turned, of_t, by_q = s.matrices(s.by_v(A), s.by_q(A) - s.by_q(A).T, s.by_t(A), s.by_q(rest))
    q = system.coordinates
    asked: list[Asked] = []
    for i in range(s.m):
        asked.extend((f"∂²(L' − L)/∂{q[i]}'∂{q[j]}' = 0", "(K6)", twice[i][j]) for j in range(i, s.m))
    for i, j in combinations(range(s.m), 2):
        asked.append((f"∂A[{q[i]}]/∂{q[j]} = ∂A[{q[j]}]/∂{q[i]}", "(K6)", turned[i][j]))
    asked.extend(
        (f"∂A[{q[i]}]/∂{system.time} = ∂A[{system.time}]/∂{q[i]}", "(K6)", of_t[i][0] - by_q[0][i])
        for i in range(s.m)
    )
    field = Field(Budget(20 * effort))
    conditions, view = judged(system, asked, effort, partial(plain_form, within=field))
    holds = together(conditions)
    found = None
    if holds:
        found = function_of(system, s.graphs(casadi.vertcat(rest, A)), (view,), field, effort)
    return Equivalence(holds, found, conditions, evidence(conditions, view.words))


def function_of(
    system: System, parts: Sequence[Expr], views: Sequence[Standpoint], field: Field, effort: int
) -> Expr | None:
    """f of a total derivative ∂f/∂t + ∂f/∂q·v, from its parts without v and by v; None if none is found."""
    still = {(n, 1): 0 for n in system.coordinates}
    names = [(system.time, 0), *((n, 0) for n in system.coordinates)]

    def found(view: Standpoint) -> Expr | None:
        form = {n: field(e).subs(still) for n, e in zip(names, view.apply(parts), strict=True)}
        f = primitive(form, effort)
        return None if f is None else f.to_expr()

    return next((f for f in (answer(ask(found, view)) for view in views) if f is not None), None)


def _values(other: System, system: System) -> dict[Expr, Expr]:
    """The parameters of the other system that the first one does not have, by their values."""
    values: dict[Expr, Expr] = {}
    for name, value in other.parameters.items():
        if name not in system.parameters:
            values[symbol(name)] = substitute([value], values)[0]
    return values
