"""First variation formulas, checked on a curve (SCOPE K8, K21; Krupková (19)–(21), (80)–(84)).

For a curve γ and a projectable field ξ = ξ⁰(t) ∂/∂t + ξ^σ(t, q) ∂/∂q^σ, with E_σ = ∂L/∂q^σ − d/dt ∂L/∂v^σ,

    ∫ J¹γ* L_{J¹ξ}(L dt) = ∫ E_σ (ξ^σ − v^σ ξ⁰) dt + [L ξ⁰ + ∂L/∂v^σ (ξ^σ − v^σ ξ⁰)].                   (21)

On Q the integrand is ι*θ_λ = L̄ dt + ∂L/∂v^σ ω^σ and variations are Chetaev fields Z (62). For curves in Q

    ∫ J¹γ* L_Z ι*θ_λ = ∫ J¹γ* i_Z ι*dθ_λ + [i_Z ι*θ_λ],                                               (83)

and J¹γ* i_Z ι*dθ_λ = Z^s (Ā_s + B̄_sr a^r) dt for vertical Z, so the motions are the constrained extremals
(Theorem 9, (78)). Both sides are computed on their own (the left by prolongation, or by the Lie
derivative), integrated with many digits, and returned; their difference is the check.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi
from mpmath.ctx_mp import MPContext

from chetaev.equations.forms.sode import FormsOnQ
from chetaev.equations.law.normal_law import ChosenChart
from chetaev.equations.law.setup import Setup
from chetaev.errors import DivisionByZeroError, ModelError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import Scope
from chetaev.model.jet_functions import expect_coordinates
from chetaev.model.states.points import parameter_point
from chetaev.model.system import System


@dataclass(frozen=True)
class FirstVariation:
    """Both sides of a first variation formula on one curve.

    Attributes
    ----------
    variation
        The first variation of the action, by its definition.
    interior, boundary
        The Euler–Lagrange term and the boundary term.
    """

    variation: Any
    interior: Any
    boundary: Any

    @property
    def defect(self) -> Any:
        """|variation − interior − boundary|, relative to the largest of them (or to 1)."""
        parts = [abs(self.variation), abs(self.interior), abs(self.boundary), 1]
        return abs(self.variation - self.interior - self.boundary) / max(parts)


def first_variation(
    system: System,
    curve: Mapping[str, str],
    variation: Mapping[str, str],
    interval: tuple[Any, Any],
    time_variation: str = "0",
    digits: int = 30,
) -> FirstVariation:
    """Formula (21) for the Lagrangian of a system (K8).

    Parameters
    ----------
    system
        Its Lagrangian and parameters are used; forces and constraints play no part.
    curve
        Every coordinate as a function of time, as text.
    variation, time_variation
        ξ^σ(t, q) by coordinate (zero where left out), and ξ⁰(t).
    interval
        From a to b.

    Examples
    --------
    >>> import chetaev as ch
    >>> s = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^4/4")
    >>> result = first_variation(s, {"x": "sin(t) + t"}, {"x": "t*x + 1"}, (0, 1), time_variation="t^2")
    >>> bool(result.defect < 1e-25)
    True
    """
    said = "the variation has a component for {}, which is no coordinate"
    expect_coordinates(system, variation, said, "components for")
    s = Setup(system)
    base = Scope.of(system.coordinates, system.parameters, system.time, order=0)
    xi = s.column([parse(variation.get(c, "0"), base) for c in system.coordinates])
    xi_0 = s(parse(time_variation, Scope.of((), system.parameters, system.time)))
    # J¹ξ: the velocity component is dξ^σ/dt − v^σ dξ⁰/dt (Krupková (2))
    xi_dot, xi_0_dot = s.along(xi), s.along(xi_0)
    L_t, L_q, L_v = s.by_t(s.L), s.by_q(s.L), s.by_v(s.L)
    lie = L_t * xi_0 + L_q @ xi + L_v @ (xi_dot - s.v * xi_0_dot) + s.L * xi_0_dot
    p = L_v.T
    euler = L_q.T - s.along(p) - s.by_v(p) @ s.a
    vertical = xi - s.v * xi_0
    interior = casadi.dot(euler, vertical)
    boundary = s.L * xi_0 + casadi.dot(p, vertical)
    on_curve = Curve(system, curve, digits)
    return on_curve.sides(s.graphs(casadi.vertcat(lie, interior, boundary)), interval)


def constrained_first_variation(
    system: System,
    curve: Mapping[str, str],
    Z: Mapping[str, str],
    Z_velocity: Mapping[str, str],
    interval: tuple[Any, Any],
    Z_time: str = "0",
    digits: int = 30,
    dependent: Sequence[str] | None = None,
) -> FirstVariation:
    """Formula (83) on a curve of Q (K21), for the Chetaev field with these independent components.

    Parameters
    ----------
    curve
        Every coordinate as a function of time; it has to satisfy the constraints.
    Z, Z_velocity
        Z^s and Z̃^s by independent coordinate (zero where left out), functions of (t, q, v^s) as text.
    Z_time
        Z⁰(t).
    dependent
        The coordinates whose velocities the constraints are solved for, if not the best pivots.
    """
    s = ChosenChart(system, dependent)
    on_q = FormsOnQ(s)
    S, D = s.independent, s.dependent
    _only_independent(system, S, [*Z, *Z_velocity])

    def read(texts: Mapping[str, str]) -> SX:
        return s.column([parse(texts.get(system.coordinates[i], "0"), system.scope) for i in S])

    Z_0 = s(parse(Z_time, Scope.of((), system.parameters, system.time)))
    Z_s, Z_v = read(Z), read(Z_velocity)
    field = casadi.SX(on_q.size, 1)
    field[0] = Z_0
    for row, i in enumerate(S):
        field[1 + i], field[1 + s.m + row] = Z_s[row], Z_v[row]
    for row, i in enumerate(D):
        field[1 + i] = Z_0 * (s.v[i] - on_q.g_v[row, :] @ s.v[S]) + on_q.g_v[row, :] @ Z_s
    theta = s.L * on_q.dt
    for i in range(s.m):
        theta += s.by_v(s.L)[i] * (on_q.dq[i] - s.v[i] * on_q.dt)
    speed = casadi.vertcat(1, s.v, s.a[S])
    # (L_Z θ)_j = Z^i ∂_i θ_j + θ_i ∂_j Z^i, evaluated on the speed of J¹γ
    by = on_q.d(casadi.densify(theta))
    lie = by @ field + on_q.d(casadi.densify(field)).T @ theta
    interior = field.T @ on_q.exterior(theta) @ speed
    boundary = casadi.dot(theta, field)
    on_curve = Curve(system, curve, digits)
    on_curve.require(s.graphs(s.f), interval)
    return on_curve.sides(s.graphs(casadi.vertcat(casadi.dot(lie, speed), interior, boundary)), interval)


def _only_independent(system: System, S: Sequence[int], given: Sequence[str]) -> None:
    free = [system.coordinates[i] for i in S]
    for name in given:
        if name not in free:
            raise ModelError(
                f"the variation has a component for {name!r}",
                expected="components for the independent coordinates " + ", ".join(free),
            )


class Curve:
    """A curve in J²Y: every coordinate as a text in time, and its first two derivatives.

    >>> import chetaev as ch
    >>> point = Curve(ch.load("semiholonomic-disc"), {"x": "t^3", "psi": "t"}).point(2)
    >>> point["x", 0], point["x", 1], point["x", 2]
    (mpf('8.0'), mpf('12.0'), mpf('12.0'))
    """

    def __init__(self, system: System, curve: Mapping[str, str], digits: int = 50) -> None:
        self.system, self.digits = system, digits
        self.mp = MPContext()
        self.mp.dps = digits
        said = "the curve says what {} is, which is no coordinate"
        expect_coordinates(system, curve, said, "a text for each of")
        missing = [c for c in system.coordinates if c not in curve]
        if missing:
            raise ModelError(
                f"the curve does not say what {missing[0]!r} is", expected="every coordinate as text"
            )
        s = Setup(system)
        scope = Scope.of((), system.parameters, system.time)
        q = s.column([parse(curve[c], scope) for c in system.coordinates])
        v = s.by_t(q)
        self.jets = s.graphs(casadi.vertcat(q, v, s.by_t(v)))
        self.keys = [graph.symbol(c, order) for order in (0, 1, 2) for c in system.coordinates]
        self.parameters = parameter_point(system, digits + 10)

    def point(self, t: Any) -> dict[Any, Any]:
        """Time, parameters, positions, velocities and accelerations at a time."""
        point = {**self.parameters, self.system.time: self.mp.mpf(t)}
        values = evaluate_mp(self.jets, point, self.digits + 10)
        return point | {key.value: x for key, x in zip(self.keys, values, strict=True)}

    def along(self, functions: Sequence[Expr]) -> Callable[[Any], list[Any]]:
        """Functions on J²Y along the curve."""

        def value(t: Any) -> list[Any]:
            try:
                return evaluate_mp(functions, self.point(t), self.digits + 10)
            except DivisionByZeroError:
                raise ModelError(
                    f"the curve leaves the chart of the formula at {self.system.time} = {float(t):g}",
                    remedy="choose other dependent coordinates",
                ) from None

        return value

    def require(self, constraints: Sequence[Expr], interval: tuple[Any, Any]) -> None:
        """Refuse a curve that leaves Q."""
        start, end = (self.mp.mpf(x) for x in interval)
        for u in (0, 0.25, 0.5, 0.75, 1):
            t = start + (end - start) * u
            if any(abs(f) > self.mp.mpf(10) ** (8 - self.digits) for f in self.along(constraints)(t)):
                raise ModelError(
                    f"the curve does not satisfy the constraints at {self.system.time} = {float(t):g}",
                    remedy="formula (83) is about curves in Q",
                )

    def sides(self, parts: Sequence[Expr], interval: tuple[Any, Any]) -> FirstVariation:
        """Integrals of the first two parts, difference of the third."""
        lie, interior, boundary = (self.along([part]) for part in parts)
        ends = [self.mp.mpf(x) for x in interval]
        return FirstVariation(
            self.mp.quad(lambda t: lie(t)[0], ends),
            self.mp.quad(lambda t: interior(t)[0], ends),
            boundary(ends[1])[0] - boundary(ends[0])[0],
        )
