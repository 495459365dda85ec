"""`ch.distributional`: X ⌟ ω = dE − μ_A φ^A, its parts in H and K, and the equations on H (SCOPE B3, B5, B9).

On velocity phase space, E = p·v − L, with forces F and time explicit, the motion is the field X with

    X ⌟ ω = α − μ_A φ^A,     α = dE + (∂p_i/∂t − F_i) dq^i,     X(f^A) + ∂f^A/∂t = 0;

one sign for all of chetaev: the reaction is μ_A ∂f^A/∂v, so μ = −λ of Bates and Nester's X ⌟ ω = dh + λφ. On
H = ker φ ∩ TQ the reactions vanish: with X = X_H + X_K + X_0, X_0 = 0 unless f contains the time,

    ω_H(X_H, h) = α(h) − ω(X_0, h)   for h in H     (the distributional Hamilton equations, X ⌟ ω_H = dE_H),
    φ^A(X_K) = φ^A(v),

so that X_K = 0 exactly where the constraints are homogeneous, φ^A(v) = 0 on Q. Here X is made from these two
equations alone: that it is a second-order field, dq(X) = v, with the accelerations of the Lagrangian side, is
a theorem and a test. The energy changes at the rate Ė = μ_A φ^A(v) + F·v − ∂L/∂t.

The multipliers are determined by brackets, M^AB μ_B = −(X_E(f^A) + ∂f^A/∂t), where M^AB = g(C^A, C^B) =
{f^A, φ^B} is invertible: in a definite metric where the constraints are independent, in an indefinite one
(relativity) only where their span is not degenerate, too.

>>> import chetaev as ch
>>> found = ch.distributional(ch.load("heisenberg"))
>>> {name: str(e) for name, e in found.horizontal.items() if name in ("x", "x'", "z'")}
{'x': "x'", "x'": "-y*x'*y'/(y^2 + 1)", "z'": "x'*y'/(y^2 + 1)"}
>>> found.homogeneous, str(found.multipliers["mu_1"]), str(found.energy_rate)
(True, "x'*y'/(y^2 + 1)", '0')
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from chetaev.effort import EFFORT, expect_effort
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.exact.linear.matrix import dot
from chetaev.expr.graph.node import ZERO, Expr
from chetaev.expr.print import to_latex, to_text
from chetaev.hamilton.horizontal import Horizontal, Vector, within
from chetaev.hamilton.phase_space import expect_on_velocities
from chetaev.hamilton.solvability import Solvability
from chetaev.laws.standpoint import decisive, judge
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.jet_functions import fresh_names
from chetaev.model.system import System, expect_system
from chetaev.results import TextResult, plain

Basis = tuple[tuple[Expr, ...], ...]


@dataclass(frozen=True)
class Distributional(TextResult):
    """The distributions of a constrained system and its motion in them; vectors have components in
    `coordinates`.
    """

    system: System
    effort: int = EFFORT

    facts = "coordinates F H K homogeneous multipliers energy_rate"

    @cached_property
    def _at(self) -> Horizontal:
        return Horizontal(self.system, self.effort)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """q, then v: the components of vectors."""
        names = self.system.coordinates
        return (*names, *(f"{c}'" for c in names))

    def _basis(self, vectors: Callable[[], list[Vector]]) -> Basis:
        return within(lambda: tuple(tuple(e.to_expr() for e in x) for x in vectors()))

    # -- distributions -----------------------------------------------------------------------------------
    @property
    def F(self) -> Basis:
        """A basis of F, the kernel of the φ^A: dimension 2m − k."""
        zero = self._at.field.zero
        unit = [
            [self._at.field.one if i == j else zero for j in range(self._at.m)] for i in range(self._at.m)
        ]
        still = [zero] * self._at.m
        return self._basis(lambda: [*([*w, *still] for w in self._at.W), *([*still, *e] for e in unit)])

    @property
    def H(self) -> Basis:
        """A basis of H = F ∩ TQ: dimension 2(m − k)."""
        return self._basis(lambda: self._at.vectors)

    @property
    def K(self) -> Basis:
        """A basis of K = TQ ∩ H^ω: dimension k."""
        return self._basis(lambda: self._K)

    @cached_property
    def _K(self) -> list[Vector]:
        at = self._at
        ahead = []
        for d in at.dependent:
            w = [at.field.zero] * at.m
            w[d] = at.field.one
            ahead.append(w)
        return [self._orthogonal(T) for T in at.tangent(ahead)]

    def _orthogonal(self, T: Vector) -> Vector:
        """T less its part in H: ω(T, h) = 0 for all h in H."""
        found = list(T)
        for x, h in zip(
            self._in_H([self._at.omega(T, h) for h in self._at.vectors]), self._at.vectors, strict=True
        ):
            if not x.is_zero:
                found = [a - x * b for a, b in zip(found, h, strict=True)]
        return found

    def _in_H(self, values: Vector) -> Vector:
        """Coefficients x with ω(Σ x_j h_j, h_i) = values_i."""
        inverse = self._at.inverse
        return [dot(values, [row[j] for row in inverse]) for j in range(len(values))] if values else []

    @cached_property
    def brackets(self) -> Solvability:
        """M^AB = {f^A, φ^B}, and where it determines the multipliers."""
        return Solvability(self._at)

    # -- the motion --------------------------------------------------------------------------------------
    @cached_property
    def _energy(self) -> Element:
        at = self._at
        return sum((at.field.symbol(*x) * p for x, p in zip(at.v, at.p, strict=True)), -at.lagrangian)

    @cached_property
    def _alpha(self) -> Vector:
        """α = dE + (∂p/∂t − F) dq, components dq, then dv."""
        at, E, t = self._at, self._energy, (self.system.time, 0)
        pushes = [at.field(self.system.forces.get(c, ZERO)) for c in self.system.coordinates]
        return [
            *(at.on_q(E.diff(x) + p.diff(t) - F) for x, p, F in zip(at.q, at.p, pushes, strict=True)),
            *(at.on_q(E.diff(x)) for x in at.v),
        ]

    @cached_property
    def _phi_of_v(self) -> Vector:
        """φ^A(v) = ∂f^A/∂v · v on Q."""
        at = self._at
        v = [at.on_q(at.field.symbol(*x)) for x in at.v]
        return [dot(row, v) for row in at.C]

    @cached_property
    def _parts(self) -> tuple[Vector, Vector, Vector]:
        """X_H, X_K, X_0."""
        at = self._at
        zero = [at.field.zero] * (2 * at.m)
        rates = [at.on_q(e.diff((self.system.time, 0))) for e in at.f]
        drift = list(zero)
        if any(not e.is_zero for e in rates):
            drift[at.m :] = at.solved([[-e for e in rates]])[0]
        values = [dot(self._alpha, h) - at.omega(drift, h) for h in at.vectors]
        X_H = _combined(self._in_H(values), at.vectors, zero)
        if not at.C or all(e.is_zero for e in self._phi_of_v):
            return X_H, list(zero), drift
        table = [[dot(row, k[: at.m]) for k in self._K] for row in at.C]
        weights = linear.solve(table, self._phi_of_v)
        return X_H, _combined(weights, self._K, zero), drift

    def _named(self, X: Vector) -> Mapping[str, Expr]:
        return {name: e.to_expr() for name, e in zip(self.coordinates, X, strict=True)}

    @property
    def horizontal(self) -> Mapping[str, Expr]:
        """X_H by coordinate."""
        return within(lambda: self._named(self._parts[0]))

    @property
    def complementary(self) -> Mapping[str, Expr]:
        """X_K by coordinate."""
        return within(lambda: self._named(self._parts[1]))

    @property
    def field(self) -> Mapping[str, Expr]:
        """X by coordinate."""
        return within(lambda: self._named(self._X))

    @cached_property
    def _X(self) -> Vector:
        return [a + b + c for a, b, c in zip(*self._parts, strict=True)]

    @cached_property
    def homogeneous(self) -> bool | None:
        """Whether φ^A(v) = 0 on Q, so that X lies in H."""
        graphs = [e.to_expr() for e in self._phi_of_v if not e.is_blank]
        if not graphs:
            return True
        asked = judge(self.system, lambda view: decisive(vanish(self.system, graphs, view, self.effort)))
        return asked[0].is_zero

    @cached_property
    def multipliers(self) -> Mapping[str, Expr]:
        """μ_A of X ⌟ ω = α − μ_A φ^A, from X; the reactions are μ_A ∂f^A/∂v."""
        names = fresh_names(self.system, len(self._at.C))
        return within(lambda: dict(zip(names, (e.to_expr() for e in self._mu), strict=True)))

    @cached_property
    def _mu(self) -> Vector:
        at = self._at
        rows, rights = [], []
        for d in at.dependent:
            unit = [at.field.zero] * (2 * at.m)
            unit[d] = at.field.one
            rows.append([row[d] for row in at.C])
            rights.append(self._alpha[d] - at.omega(self._X, unit))
        return linear.solve(rows, rights) if rows else []

    @cached_property
    def energy_rate(self) -> Expr:
        """Ė = μ_A φ^A(v) + F·v − ∂L/∂t on Q."""
        at = self._at

        def compute() -> Expr:
            total = -at.on_q(at.lagrangian.diff((self.system.time, 0)))
            for x, c in zip(at.v, self.system.coordinates, strict=True):
                push = self.system.forces.get(c, ZERO)
                if push is not ZERO:
                    total = total + at.on_q(at.field(push) * at.field.symbol(*x))
            if self._mu:
                total = total + dot(self._mu, self._phi_of_v)
            return total.to_expr()

        return within(compute)

    @cached_property
    def equations(self) -> tuple[tuple[Expr, ...], ...]:
        """The distributional equations ω_H x = dE_H: the matrix ω(h_j, h_i), a row for each h_i, then α(h_i);
        x are the coefficients of X_H in the basis `H`.
        """
        at = self._at

        def compute() -> tuple[tuple[Expr, ...], ...]:
            drift = self._parts[2]
            table = []
            for i, h in enumerate(at.vectors):
                row = [at.omega_H[j][i] for j in range(len(at.vectors))]
                table.append(
                    (*(e.to_expr() for e in row), (dot(self._alpha, h) - at.omega(drift, h)).to_expr())
                )
            return tuple(table)

        return within(compute)

    # -- shown -------------------------------------------------------------------------------------------
    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return super().to_json() | {
            "solvability": str(self.brackets),
            "X_H": plain(self.horizontal),
            "X_K": plain(self.complementary),
        }

    def __str__(self) -> str:
        lines = [
            f"{name} is spanned by {',  '.join(map(self._vector, basis)) or 'nothing'}"
            for name, basis in (("H", self.H), ("K", self.K))
        ]
        lines += [f"X_H = {self._vector(tuple(self.horizontal.values()))}"]
        lines += [f"X_K = {self._vector(tuple(self.complementary.values()))}"]
        lines += [f"{n} = {to_text(e)}" for n, e in self.multipliers.items()]
        lines += [f"E' = {to_text(self.energy_rate)}"]
        return "\n".join([*lines, f"brackets determine the multipliers {self.brackets}"])

    def _vector(self, x: tuple[Expr, ...]) -> str:
        terms = []
        for name, e in zip(self.coordinates, x, strict=True):
            if e is not ZERO:
                text = to_text(e)
                terms.append(f"∂_{name}" if text == "1" else f"({text}) ∂_{name}")
        return " + ".join(terms) or "0"

    def _repr_latex_(self) -> str:
        columns = (self.horizontal, self.complementary)
        stacks = [r" \\ ".join(to_latex(e) for e in part.values()) for part in columns]
        shown = [r"\begin{pmatrix}" + stack + r"\end{pmatrix}" for stack in stacks]
        return f"$$X_H = {shown[0]}, \\qquad X_K = {shown[1]}$$"


def _combined(weights: Vector, vectors: list[Vector], zero: Vector) -> Vector:
    total = list(zero)
    for x, vector in zip(weights, vectors, strict=True):
        if not x.is_zero:
            total = [a + x * b for a, b in zip(total, vector, strict=True)]
    return total


def distributional(system: System, *, effort: int = EFFORT) -> Distributional:
    """The distributions F, H, K of a constrained system, and its motion by the equations on H.

    Parameters
    ----------
    system
        A system with a Lagrangian.
    effort
        What each question of zero may cost (:mod:`chetaev.effort`).

    Returns
    -------
    Distributional
        ``.F``, ``.H``, ``.K``, ``.brackets``, ``.equations``, ``.field``, ``.horizontal``,
        ``.complementary``, ``.multipliers``, ``.energy_rate``.
    """
    expect_system(system, "ch.distributional")
    effort = expect_effort(effort)
    otherwise = (
        "constraints on accelerations have no submanifold of velocities, and so no distributions on it"
    )
    expect_on_velocities(system, "ch.distributional", otherwise)
    return Distributional(system, effort)
