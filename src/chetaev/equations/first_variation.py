"""Equations from the first variation, without a Lagrangian (SCOPE D4, D8, K8; Delphenich (1.1)–(1.5),
(3.8)–(3.12)).

A fundamental 1-form φ = F_σ dq^σ + Π_σ dv^σ on J¹ takes the place of dL: F is the generalized force, Π
the momentum. The first variation δS = ∫ φ(δq, δq̇) dt, integrated by parts, leaves D*φ = F − dΠ/dt, and
with constraints it has to vanish on virtual displacements only:

    (F_σ − dΠ_σ/dt) W^σ_s = 0,     C W = 0,     f = 0.

φ is exact, for fixed t, exactly where ∂F_σ/∂q^ν, ∂Π_σ/∂v^ν are symmetric and ∂F_σ/∂v^ν = ∂Π_ν/∂q^σ; then
F = ∂L/∂q and Π = ∂L/∂v for a Lagrangian, found by the homotopy L = ∫₀¹ (F(uq, uv)·q + Π(uq, uv)·v) du. A
system with L and a force has φ = (∂L/∂q + F) dq + ∂L/∂v dv. With r parameters t^a (D8) φ = F_μ dx^μ +
Π_μ^a dx^μ_a gives field equations

    F_μ − ∂Π_μ^a/∂t^a = 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi
from mpmath.ctx_mp import MPContext

from chetaev.equations.carrier import carrier as carrier
from chetaev.equations.law import Equations
from chetaev.equations.setup import Setup, names
from chetaev.errors import ModelError, did_you_mean
from chetaev.expr import graph
from chetaev.expr.calculus import Calculus
from chetaev.expr.evaluate import evaluate_mp
from chetaev.expr.graph import Expr
from chetaev.expr.parser import parse
from chetaev.expr.scope import Scope
from chetaev.expr.zero import Verdict, zero_tests
from chetaev.model.system import System


@dataclass(frozen=True)
class FundamentalForm:
    """φ = F dq + Π dv on the first jets of a system, whose names, parameters and constraints are taken.

    Attributes
    ----------
    system
        Coordinates, parameters and constraints; made by :func:`carrier` if there is no Lagrangian.
    F, Pi
        Components, one a coordinate.

    Examples
    --------
    >>> damped = FundamentalForm.given(carrier(["x"]), F={"x": "-x - x'/5"}, Pi={"x": "x'"})
    >>> damped.exactness().exact
    False
    """

    system: System
    F: tuple[Expr, ...]
    Pi: tuple[Expr, ...]

    @classmethod
    def given(cls, system: System, F: Mapping[str, str], Pi: Mapping[str, str]) -> FundamentalForm:
        """φ from texts by coordinate; components left out are zero."""
        for name in (*F, *Pi):
            if name not in system.coordinates:
                raise ModelError(f"φ has a component {name!r}, which is no coordinate",
                                 remedy=did_you_mean(name, system.coordinates))  # fmt: skip

        def read(texts: Mapping[str, str]) -> tuple[Expr, ...]:
            return tuple(parse(texts.get(c, "0"), system.scope) for c in system.coordinates)

        return cls(system, read(F), read(Pi))

    @classmethod
    def of(cls, system: System) -> FundamentalForm:
        """φ = dL + F dq of a Lagrangian system with a force, t fixed."""
        s = Setup(system)
        return cls(
            system,
            tuple(s.graphs(casadi.gradient(s.L, s.q) + s.F)),
            tuple(s.graphs(casadi.gradient(s.L, s.v))),
        )

    def exactness(self, **options: Any) -> Exactness:
        """Whether φ is exact for fixed t, so that a Lagrangian exists (D4; options of `zero_test`)."""
        s = Setup(self.system)
        F, Pi = s.column(self.F), s.column(self.Pi)
        F_q, Pi_v = s.by_q(F), s.by_v(Pi)
        conditions = casadi.vertcat(
            casadi.vec(F_q - F_q.T), casadi.vec(s.by_v(F) - s.by_q(Pi).T), casadi.vec(Pi_v - Pi_v.T)
        )
        functions = [e for e in dict.fromkeys(s.graphs(conditions)) if e is not graph.ZERO]
        return Exactness(tuple(zero_tests(functions, **options)))

    def lagrangian_value(self, point: Mapping[Any, Any], digits: int = 30) -> Any:
        """L at a point by the homotopy from q = v = 0: φ = dL where φ is exact, up to a function of t."""
        mp = MPContext()
        mp.dps = digits
        keys = [(c, order) for order in (0, 1) for c in self.system.coordinates]
        values = [mp.mpf(point[k]) for k in keys]

        def integrand(u: Any) -> Any:
            moved = {**point, **{k: u * x for k, x in zip(keys, values, strict=True)}}
            found = evaluate_mp([*self.F, *self.Pi], moved, digits)
            return mp.fsum(a * b for a, b in zip(found, values, strict=True))

        return mp.quad(integrand, [0, 1])


@dataclass(frozen=True)
class Exactness:
    """Is φ exact? One verdict for each condition that does not hold by its structure."""

    verdicts: tuple[Verdict, ...]

    @property
    def exact(self) -> bool | None:
        """True, False, or None for undecided."""
        answers = [v.is_zero for v in self.verdicts]
        return False if False in answers else None if None in answers else True

    @property
    def proved(self) -> bool:
        """Whether the answer is proved."""
        if self.exact is False:
            return any(v.proved for v in self.verdicts if v.is_zero is False)
        return all(v.proved for v in self.verdicts)

    def __str__(self) -> str:
        word = {
            True: "exact: a Lagrangian exists",
            False: "not exact: there is no Lagrangian",
            None: "undecided",
        }
        return f"φ is {word[self.exact]}{'' if self.proved else ' (not proved)'}"


def derive(source: System | FundamentalForm) -> Equations:
    """D*φ restricted to virtual displacements, and C a = −c'; unknowns are all accelerations."""
    phi = FundamentalForm.of(source) if isinstance(source, System) else source
    if phi.system.acceleration_constraints:
        raise ModelError(
            "virtual displacements come from constraints f(t, q, v) = 0, not from those on accelerations",
            remedy="use form='chetaev'",
        )
    s = Setup(phi.system)
    S, D, n = s.independent, s.dependent, len(s.independent)
    F, Pi = s.column(phi.F), s.column(phi.Pi)
    C = s.by_v(s.f)
    W = casadi.SX(s.m, n)
    B = -s.solve(C[:, D], C[:, S]) if D else casadi.SX(0, n)
    for row, i in enumerate(S):
        W[i, row] = 1
    for row, i in enumerate(D):
        W[i, :] = B[row, :]
    inertia, work = s.by_v(Pi), F - s.along(Pi)
    return Equations(
        form="first-variation",
        system=phi.system,
        unknowns=names(s.accelerations),
        matrix=s.matrix(casadi.vertcat(W.T @ inertia, C)),
        right=s.graphs(casadi.vertcat(W.T @ work, -s.along(s.f))),
        recover=s.matrix(casadi.SX.eye(s.m)),
        offset=s.graphs(casadi.SX(s.m, 1)),
        objects={"F": list(phi.F), "Pi": list(phi.Pi), "W": s.matrix(W)},
        source="Delphenich (1.1)–(1.3), (3.8)–(3.11); D4",
    )


def field_equations(
    parameters: Sequence[str],
    fields: Sequence[str],
    F: Mapping[str, str],
    Pi: Mapping[tuple[str, str], str],
    constants: Sequence[str] = (),
) -> list[Expr]:
    """F_μ − ∂Π_μ^a/∂t^a for r parameters (D8; Delphenich (3.11)), one expression a field.

    Derivatives of a field u by t, x are written ``u_t``, ``u_x``; the answer contains ``u_tt``, ``u_tx``, …,
    indices in the order of `parameters`.

    >>> field_equations(["t", "x"], ["u"], {"u": "-sin(u)"}, {("u", "t"): "u_t", ("u", "x"): "-u_x"})
    [Expr('-sin(u) - u_tt + u_xx')]
    """
    first = {(u, a): f"{u}_{a}" for u in fields for a in parameters}
    scope = Scope.of((), [*parameters, *fields, *first.values(), *constants], None)
    wrong = [*(u for u in F if u not in fields), *(k for k in Pi if k not in first)]
    if wrong:
        raise ModelError(
            f"φ has a component for {wrong[0]!r}",
            expected=f"fields {', '.join(fields)} and parameters {', '.join(parameters)}",
        )
    order = {a: i for i, a in enumerate(parameters)}

    def second(u: str, a: str, b: str) -> Expr:
        return graph.symbol(f"{u}_{a}{b}" if order[a] <= order[b] else f"{u}_{b}{a}")

    answer = []
    for u in fields:
        terms = [parse(F.get(u, "0"), scope)]
        for a in parameters:
            minus = graph.neg(parse(Pi.get((u, a), "0"), scope))
            terms.append(_total_derivative(minus, a, parameters, fields, second))
        answer.append(graph.add(*(e for e in terms if e is not graph.ZERO)))
    return answer


def _total_derivative(f: Expr, a: str, parameters: Sequence[str], fields: Sequence[str], second: Any) -> Expr:
    """∂f/∂t^a + x^μ_a ∂f/∂x^μ + x^μ_ab ∂f/∂x^μ_b."""
    calculus = Calculus()
    wrt = [graph.symbol(a), *(graph.symbol(u) for u in fields)]
    along = [graph.ONE, *(graph.symbol(f"{u}_{a}") for u in fields)]
    for u in fields:
        for b in parameters:
            wrt.append(graph.symbol(f"{u}_{b}"))
            along.append(second(u, a, b))
    return calculus.graphs(calculus.directional([f], wrt, calculus.column(along)))[0]
