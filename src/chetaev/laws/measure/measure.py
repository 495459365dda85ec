"""`ch.measure`: does the motion preserve a measure with smooth density on Q, or what forbids it? (SCOPE M4,
K22)

>>> import chetaev as ch
>>> found = ch.measure(ch.load("heisenberg"))
>>> str(found.density), found.chart, str(found.multiplier)
('sqrt(y^2 + 1)', ('x', 'y'), '1/sqrt(y^2 + 1)')
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chetaev.constraint.kind.regularity import NamedZeros
from chetaev.constraint.submanifold.plainer_equations import primitive
from chetaev.effort import EFFORT, expect_effort
from chetaev.equations.law.first_order_motion import first_order_motion
from chetaev.equations.law.sharp_constraints import sharp
from chetaev.expr.exact.effort.ask import GivenUp, answer, ask
from chetaev.expr.exact.effort.budget import Budget
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.field.field import Field
from chetaev.expr.exact.linear.matrix import determinant
from chetaev.expr.graph.node import Expr, symbols
from chetaev.expr.print import to_latex, to_text
from chetaev.laws.measure.density import Density, DensitySpace, find
from chetaev.laws.measure.multiplier import multiplier
from chetaev.laws.measure.obstruction import Obstruction, obstruction
from chetaev.laws.standpoint import Standpoint, standpoints
from chetaev.laws.symmetry.linearized import Linearized, away_from_kinks
from chetaev.laws.vanishing_on_q import plain_form
from chetaev.model.system import System, expect_system
from chetaev.results import TextResult


@dataclass(frozen=True)
class Measure(TextResult):
    """An invariant density, or an obstruction, or neither.

    Attributes
    ----------
    density
        ρ, for the volume dq dv^s in which v^s are the velocities of `chart` (the other velocities follow
        from the constraints); None if none was found.
    chart
        The coordinates whose velocities are independent; none for a system of first order.
    obstruction
        A state at which no smooth positive density can be preserved; None if none was seen.
    multiplier
        Chaplygin's reducing multiplier N(q), where there is one: dτ = N dt.
    divergence
        div Γ in the chart.
    searched
        The space in which ρ was looked for.
    evidence
        How the answer is known.
    singular
        Functions at whose zeros ρ vanishes or is not defined.
    chart_ends
        Functions at whose zeros the chart ends: there the velocities of `chart` do not determine the others,
        and another chart has another ρ for the same measure.
    """

    density: Expr | None
    chart: tuple[str, ...]
    obstruction: Obstruction | None
    multiplier: Expr | None
    divergence: Expr
    searched: DensitySpace | None
    evidence: str
    singular: tuple[Expr, ...] = ()
    chart_ends: tuple[Expr, ...] = ()

    facts = "preserved density chart obstruction multiplier divergence evidence singular chart_ends of_time"

    @property
    def preserved(self) -> bool | None:
        """True with a density, False with an obstruction at an equilibrium, else None."""
        if self.density is not None:
            return True
        return False if self.obstruction is not None and not self.obstruction.ignorable else None

    @property
    def of_time(self) -> bool:
        """Whether ρ was also looked for among functions of time, as where the equations contain it."""
        return self.searched is not None and self.searched.timely

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return super().to_json() | {"searched": None if self.searched is None else str(self.searched)}

    def __str__(self) -> str:
        volume = f"dq d({', '.join(n + chr(39) for n in self.chart)})" if self.chart else "dq"
        if self.density is not None:
            lines = [f"ρ = {to_text(self.density)} for {volume} is preserved ({self.evidence})"]
            if self.singular:
                where = ", ".join(f"{to_text(e)} = 0" for e in self.singular)
                lines.append(f"it is zero or not defined where {where}")
        else:
            which = "invariant" if self.of_time else "time-independent invariant"
            lines = [f"no {which} density was found ({self.evidence})"]
        if self.density is not None and self.chart_ends:
            where = " or ".join(f"{to_text(e)} = 0" for e in self.chart_ends)
            lines.append(f"the chart of these velocities ends where {where}")
        if self.obstruction is not None:
            lines.append(str(self.obstruction))
        if self.multiplier is not None:
            lines.append(f"Chaplygin's multiplier: N = {to_text(self.multiplier)}, dτ = N dt")
        if self.searched is not None:
            lines.append(f"searched: {self.searched}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        shown = "" if self.density is None else f"<p>$\\displaystyle \\rho = {to_latex(self.density)}$</p>"
        return f"{super()._repr_html_()}{shown}"


def measure(system: System, *, effort: int = EFFORT) -> Measure:
    """An invariant measure of the motion on Q with smooth density, or what forbids one.

    Parameters
    ----------
    system
        The system.
    effort
        What each exact question may cost (:mod:`chetaev.effort`).
    """
    expect_system(system, "ch.measure")
    system = first_order_motion(sharp(system))
    effort = expect_effort(effort)
    lin = Linearized(system)
    zeros = NamedZeros.of(system, effort)
    chart = tuple(system.coordinates[i] for i in lin.independent)
    divergence = plain_form(lin.s.graphs(lin.divergence)[0], 4_000_000)
    found, searched, view = None, None, standpoints(system)[-1]
    reason = "outside of the space searched there may be one"
    for fast in (False, True):
        answered = ask(_find, lin, zeros, effort, fast)
        if isinstance(answered, GivenUp):
            words = answered.reason or "no points of Q modulo a prime were found"
            reason = f"the search was given up: {words}"
            continue
        found, searched, view = answered
        if found is not None:
            break
    forbidden = obstruction(lin, effort) if found is None or found.singular else None
    if found is None:
        return Measure(None, chart, forbidden, None, divergence, searched, reason)
    N = answer(ask(multiplier, lin, found, view, effort))
    proof = found.proof
    how = proof.how if proof.is_zero else "undecided"
    evidence = f"{how} {found.parameters}".strip() + away_from_kinks(system, "; ")
    if (system.time, 0) in symbols(found.expression):
        evidence += f"; it depends on {system.time}"
    ends = _chart_ends(lin, zeros)
    return Measure(
        found.expression, chart, forbidden, N, divergence, searched, evidence, found.singular, ends
    )


def _chart_ends(lin: Linearized, zeros: NamedZeros) -> tuple[Expr, ...]:
    """The factors of det ∂f/∂v by dependent velocities that may vanish; none if they are too long."""
    s = lin.s
    if not s.k or not lin.dependent:
        return ()
    field = Field(Budget(4_000_000))
    rows = s.matrix(s.by_v(s.f)[:, list(lin.dependent)])

    def factors_of_the_determinant() -> list[Element]:
        whole = determinant([[field(e) for e in row] for row in rows])
        return [field.polynomial(field.tower.project(p)) for p, _ in field.factor(whole.numerator)[1]]

    factors = answer(ask(factors_of_the_determinant)) or []
    moving = {(c, order) for c in lin.system.coordinates for order in (0, 1)} | {(lin.system.time, 0)}
    found = [primitive(e).to_expr() for e in factors if e.symbols & moving]
    return tuple(e for e in found if not zeros.nowhere([e]))


def _find(
    lin: Linearized, zeros: NamedZeros, effort: int, fast: bool
) -> tuple[Density | None, DensitySpace, Standpoint]:
    """For every value of the parameters, else for the values given."""
    views = standpoints(lin.system)
    found, searched = find(lin, zeros, views[0], effort, fast=fast)
    if found is not None or len(views) == 1:
        return found, searched, views[0]
    found, searched = find(lin, zeros, views[-1], effort, fast=fast)
    return found, searched, views[-1]
