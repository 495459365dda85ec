"""What an adjoint symmetry gives: a first integral, or a Lagrangian of the second-order part (SCOPE Sa8).

If α = a_s θ^s + c_a η^a is an adjoint symmetry and a_s = ∂F/∂v^s, c_a = ∂F/∂q^a for a function F on Q, then
L* = Γ(F) does not depend on the q^a, and Γ(∂L*/∂v^s) = ∂L*/∂q^s. (From the adjoint equation: its η-part is
∂L*/∂q^a = 0, its θ-part the second statement.) So

- where ∂²L*/∂v∂v is regular, the second-order equations are the Euler–Lagrange equations of L*, free of the
  q^a;
- where it vanishes, L* = A_0 + A_s v^s with A closed: L* = dh/dt, and F − h is a first integral.

F is found by integration over (q^a, v^s), in the chart in which the constraints are solved: they have to be
affine, or given as y' = ….
"""

from __future__ import annotations

from dataclasses import replace

from chetaev.equations.law.normal_law import OnConstraint
from chetaev.expr.exact.effort.ask import answer, ask
from chetaev.expr.exact.effort.budget import Budget
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.linear.matrix import determinant
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.expr.graph.node import ZERO, Expr, symbol, symbols
from chetaev.laws.inverse.primitive import primitive
from chetaev.laws.rate import is_first_integral, solved_accelerations
from chetaev.laws.symmetry.linearized import Linearized
from chetaev.laws.symmetry.symmetry import Symmetry
from chetaev.model.states.points import parameter_point, random_points
from chetaev.model.system import System


def consequences(system: System, lin: Linearized, symmetry: Symmetry, effort: int) -> Symmetry:
    """The same adjoint symmetry with its integral or Lagrangian, or with the reason why it has none."""
    found = answer(ask(_consequences, system, lin, symmetry, effort))
    return found or replace(symmetry, remark="whether it gives an integral was not decided")


def _consequences(system: System, lin: Linearized, symmetry: Symmetry, effort: int) -> Symmetry:
    show = OnConstraint(system, 20 * effort)
    field = show.field
    with field.limit(Budget(20 * effort)):
        names = system.coordinates
        S, D = [names[i] for i in lin.independent], [names[i] for i in lin.dependent]
        show.closed = _closed(system, show, D)
        if len(show.closed) < len(D):
            return replace(
                symmetry, remark="the constraints are not solved in closed form, so F is not looked for"
            )
        given = {n: show.element(symmetry.components.get(n, ZERO)) for n in names}
        form = {(n, 1): given[n] for n in S} | {(n, 0): given[n] for n in D}
        F = primitive(form, effort)
        if F is None:
            closed = all(
                form[x].diff(y) == form[y].diff(x) for i, x in enumerate(form) for y in list(form)[:i]
            )
            why = (
                "no F was found in closed form"
                if closed
                else "its components are no derivatives of a function F"
            )
            return replace(symmetry, remark=why)
        rate = _gamma(system, show, S, F)
        if not rate.is_zero:
            hessian = [[rate.diff((a, 1), (b, 1)) for b in S] for a in S]
            if all(e.is_zero for row in hessian for e in row):
                return _integral(system, symmetry, F, rate, S, effort)
            if determinant(hessian).is_zero is False:
                return replace(symmetry, new_lagrangian=rate.to_expr())
            return replace(symmetry, remark="Γ(F) has a singular Hessian: it gives no Lagrangian")
        return _integral(system, symmetry, F, rate, S, effort)


def _closed(system: System, show: OnConstraint, D: list[str]) -> dict[Expr, Element]:
    """The dependent velocities as functions on Q: affine constraints solved, or constraints given as y' =
    …
    """
    if all(symbol(n, 1) in show.closed for n in D):
        return show.closed
    found = {}
    for e in system.velocity_constraints:
        if e.lhs.op == "symbol" and e.lhs.value[0] in D and not any(k and n in D for n, k in symbols(e.rhs)):
            found[e.lhs] = show.field(e.rhs)
    return found


def _integral(
    system: System, symmetry: Symmetry, F: Element, rate: Element, S: list[str], effort: int
) -> Symmetry:
    """F − h, if it is a first integral."""
    still = {(n, 1): 0 for n in S}
    form = {(system.time, 0): rate.subs(still)} | {(n, 0): rate.diff((n, 1)) for n in S}
    h = primitive(form, effort)
    if h is None:
        return replace(
            symmetry, remark="Γ(F) is a total derivative whose function was not found in closed form"
        )
    integral = (F - h).to_expr()
    verdict, _ = is_first_integral(system, integral)
    if not verdict.is_zero:
        return replace(symmetry, remark="whether it gives an integral was not decided")
    if _is_constant(system, integral):
        return replace(symmetry, remark="its F is a constant on Q")
    return replace(symmetry, integral=integral)


def _is_constant(system: System, integral: Expr) -> bool:
    """Whether a first integral has one value at several points of Q: then it is no law."""
    names = {n for n, _ in symbols(integral)}
    if names <= {*system.parameters}:
        return True
    if not system.position_constraints:
        return False
    points = list(random_points(system, 3, seed=5, digits=40))
    values = [evaluate_mp([integral], {**p, **parameter_point(system, 40)}, 40)[0] for p in points]
    return all(abs(v - values[0]) < 1e-25 * (1 + abs(v)) for v in values)


def _gamma(system: System, show: OnConstraint, S: list[str], F: Element) -> Element:
    """Γ(F) in the chart (t, q, v^s)."""
    field = show.field
    accelerations = dict(zip(system.coordinates, solved_accelerations(system), strict=True))
    total = F.diff((system.time, 0))
    for n in system.coordinates:
        velocity = field.symbol(n, 1) if n in S else show.closed[symbol(n, 1)]
        total = total + velocity * F.diff(n)
    for n in S:
        slope = F.diff((n, 1))
        if not slope.is_blank:
            total = total + show.element(accelerations[n]) * slope
    return total
