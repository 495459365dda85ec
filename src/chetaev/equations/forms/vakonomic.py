"""Vakonomic equations: extremals of L̂ = L + μ_a f^a (SCOPE K15; Krupková (50)–(52)).

The Euler–Lagrange equations of L̂ in (q, μ), with the force on the right, are

    d/dt ∂L/∂v − ∂L/∂q = F + μ_a (∂f^a/∂q − d/dt ∂f^a/∂v) − μ̇_a ∂f^a/∂v,      f = 0,

so the multipliers are states and the law determines (a, μ̇) at given (t, q, v, μ):

    (M + μ_a ∂²f^a/∂v∂v) a + Cᵀ μ̇ = F − h + μ_a (∂f^a/∂q − d'/dt ∂f^a/∂v),      C a = −c'.

(51) in print has the last term with the other sign, −μ̇_a ∂f^a/∂v beside ∂L/∂q − d/dt ∂L/∂v; + is right
there.

It is another dynamics. At one instant both agree where μ = 0, and for every μ where the brackets ∂f^a/∂q
− d/dt ∂f^a/∂v are combinations of the ∂f^b/∂v, i.e. vanish on virtual displacements. For all
accelerations of the fibre, so for every L, this is (64): the constraint is semiholonomic
(:func:`bracket_defect`). For one L it may also happen along the motions of a nonlinear nonholonomic
constraint, such as the decelerated particle, whose motions are straight. If f = du/dt (52), Chetaev's
multipliers are −μ̇. :func:`agreement` measures all this at a point. `compare` should take the form in
only where the constraint is semiholonomic, with points extended by :func:`extend`; `Equations.evaluate`
returns (a, μ̇) here.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import casadi

from chetaev.equations.forms import chetaev
from chetaev.equations.law.hypotheses import only_velocities
from chetaev.equations.law.law import Equations, SingularError
from chetaev.equations.law.setup import Around, Setup, fresh_names, names
from chetaev.errors import ModelError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.evaluate import evaluate_mp, mp_context, read_matrix
from chetaev.model.system import System
from chetaev.numeric.many_digits import least_norm, outside


def applies(s: Setup) -> None:
    """Raise unless there are constraints, and none on accelerations."""
    only_velocities(
        s, "vakonomic equations come from L + μ f with f(t, q, v); constraints on accelerations are none"
    )
    if not s.k:
        raise ModelError("there is no constraint to be added to L", remedy="use form='euler-lagrange'")


def derive(system: System, chart: Around = None) -> Equations:
    """The vakonomic equations; unknowns are all accelerations and the rates μ̇.

    >>> import chetaev as ch
    >>> derive(ch.load("knife-edge")).mu
    ('mu_1',)
    """
    s = Setup(system, chart=chart)
    applies(s)
    mu_names = fresh_names(system, s.k)
    mu = s.column([graph.symbol(n) for n in mu_names])
    L_hat = s.L + casadi.dot(mu, s.f)
    p = casadi.gradient(L_hat, s.v)
    C = s.by_v(s.f)
    matrix = casadi.blockcat([[s.by_v(p), C.T], [C, casadi.SX(s.k, s.k)]])
    right = casadi.vertcat(s.F - s.along(p) + casadi.gradient(L_hat, s.q), -s.along(s.f))
    identity = casadi.SX.eye(s.m + s.k)
    return Equations(
        form="vakonomic",
        system=system,
        unknowns=names(s.accelerations) + tuple(f"{n}'" for n in mu_names),
        matrix=s.matrix(matrix),
        right=s.graphs(right),
        recover=s.matrix(identity[: s.m, :]),
        offset=s.graphs(casadi.SX(s.m, 1)),
        multiplier_rows=s.matrix(identity[s.m :, :]),
        multiplier_offset=s.graphs(casadi.SX(s.k, 1)),
        objects={"mu": mu_names, "L_hat": s.graphs(L_hat)[0]},
        source="Krupková (50), (51); K15",
    )


def extend(
    equations: Equations, point: Mapping[Any, Any], mu: Sequence[Any] | None = None, seed: int = 0
) -> dict[Any, Any]:
    """The point with values of the multipliers: those given, or random ones between ½ and 2 in size."""
    if mu is None:
        rng = random.Random(seed)
        mu = [Fraction(rng.choice([-1, 1]) * rng.randint(512, 2048), 1024) for _ in equations.mu]
    if len(mu) != len(equations.mu):
        raise ModelError(
            f"{len(mu)} multipliers are given", expected=f"{len(equations.mu)}, one a constraint"
        )
    return {**point, **dict(zip(equations.mu, mu, strict=True))}


@dataclass(frozen=True)
class Agreement:
    """Vakonomic and Chetaev motion at one point of Q with the same multipliers as states.

    Attributes
    ----------
    mu, rates
        The multipliers taken, and their rates in the vakonomic equations.
    vakonomic, chetaev
        The accelerations of both.
    difference
        Largest difference of accelerations, relative to the largest one (or to 1).
    reaction_defect
        How far the vakonomic motion is from Chetaev's equations: M a + h − F outside span Cᵀ, relative.
    reactions
        Chetaev's multipliers.
    bracket_defect
        How far the constraint itself is from semiholonomic here, whatever L is.
    """

    mu: tuple[Any, ...]
    rates: tuple[Any, ...]
    vakonomic: tuple[Any, ...]
    chetaev: tuple[Any, ...]
    difference: Any
    reaction_defect: Any
    reactions: tuple[Any, ...]
    bracket_defect: Any

    def agrees(self, tolerance: float = 1e-30) -> bool:
        """Whether the two motions have the same acceleration here."""
        return bool(self.difference <= tolerance and self.reaction_defect <= tolerance)

    def __str__(self) -> str:
        words = "agree" if self.agrees() else "differ"
        size = f"relative difference {float(self.difference):.1e}"
        return f"vakonomic and Chetaev's accelerations {words} here ({size})"


def agreement(
    system: System, point: Mapping[Any, Any], mu: Sequence[Any] | None = None, digits: int = 50
) -> Agreement:
    """Compare both dynamics at a point (K15: equal for every μ and L exactly for semiholonomic constraints).

    Parameters
    ----------
    system, point
        The system and a point of Q, such as `random_points` yields.
    mu
        Multipliers; by default random ones. With μ = 0 the accelerations always agree, which says nothing.
    digits
        Significant digits of the arithmetic.
    """
    mp = mp_context(digits)
    law, reference = derive(system), chetaev.derive(system)
    extended = extend(law, point, mu)
    a, rates = law.evaluate(extended, digits)
    b, reactions = reference.evaluate(point, digits)
    scale = max([mp.mpf(1), *map(abs, b)])
    difference = max(abs(x - y) for x, y in zip(a, b, strict=True)) / scale
    return Agreement(
        mu=tuple(extended[n] for n in law.mu),
        rates=tuple(rates),
        vakonomic=tuple(a),
        chetaev=tuple(b),
        difference=difference,
        reaction_defect=_reaction_defect(mp, reference, point, a, digits),
        reactions=tuple(reactions),
        bracket_defect=bracket_defect(system, point, digits),
    )


def relation(system: System, points: Sequence[Mapping[Any, Any]], digits: int = 50) -> str:
    """What is known of the vakonomic motion where the constraint is not semiholonomic, in words.

    For every L it is Chetaev's only for semiholonomic constraints; for the L at hand the accelerations are
    compared at points, with random multipliers (K15).

    >>> import chetaev as ch
    >>> from chetaev.model.states.points import random_points
    >>> system = ch.load("decelerated-particle")
    >>> print(relation(system, list(random_points(system, 2, 1, 30)), 30))
    the constraint is not semiholonomic, so it is another dynamics in general (K15); with this Lagrangian ...
    """
    general = "the constraint is not semiholonomic, so it is another dynamics in general (K15)"
    try:
        same = [agreement(system, p, digits=digits).agrees(10.0 ** (-digits // 2)) for p in points]
    except SingularError:
        return general
    if all(same):
        here = f"its accelerations are Chetaev's at all {len(same)} points tested"
        return f"{general}; with this Lagrangian {here}"
    return f"{general}, and its accelerations differ at {same.count(False)} of {len(same)} points tested"


def bracket_defect(system: System, point: Mapping[Any, Any], digits: int = 50, seed: int = 0) -> Any:
    """The part of ∂f^a/∂q − d/dt ∂f^a/∂v that acts on virtual displacements, at a random acceleration.

    It vanishes on Q, for every acceleration with C a = −c', exactly for semiholonomic constraints (64).
    """
    mp = mp_context(digits)
    s = Setup(system)
    C = s.by_v(s.f)
    blocks = [C, s.along(s.f)]
    for a in range(s.k):
        p = C[a, :].T
        blocks += [s.by_q(s.f)[a, :].T - s.along(p), s.by_v(p)]
    values = [_number(mp, s, block, point, digits) for block in blocks]
    for a in range(s.k):  # a constraint times a number is the same constraint
        size = mp.norm(values[0][a, :]) or mp.one
        for j in range(s.m):
            values[0][a, j] /= size
        values[1][a] /= size
        values[2 + 2 * a] /= size
        values[3 + 2 * a] /= size
    rows, c = values[0], values[1]
    rng = random.Random(seed)
    free = mp.matrix([mp.mpf(rng.randint(-2048, 2048)) / 1024 for _ in range(s.m)])
    acceleration = free - least_norm(mp, rows, rows * free + c)
    brackets = [values[2 + 2 * a] - values[3 + 2 * a] * acceleration for a in range(s.k)]
    return max(_defect(mp, rows, bracket) for bracket in brackets)


def _number(mp: Any, s: Setup, matrix: Any, point: Mapping[Any, Any], digits: int) -> Any:
    rows = s.matrix(matrix)
    flat = evaluate_mp([e for row in rows for e in row], point, digits)
    return read_matrix(mp, iter(flat), len(rows), len(rows[0]) if rows else 0)


def _defect(mp: Any, rows: Any, force: Any) -> Any:
    """The size of a covector's part outside the span of the rows, relative to its own (or to 1)."""
    return mp.norm(outside(mp, rows, force)) / max(mp.mpf(1), mp.norm(force))


def _reaction_defect(
    mp: Any, reference: Equations, point: Mapping[Any, Any], a: Sequence[Any], digits: int
) -> Any:
    """The part of M a + h − F outside the span of the rows of C."""
    m, k = len(reference.recover), len(reference.C)
    flat = [e for row in reference.matrix[:m] for e in row[:m]] + list(reference.right[:m])
    flat += [e for row in reference.C for e in row]
    values = evaluate_mp(flat, point, digits)
    M, right, C = values[: m * m], values[m * m : m * m + m], values[m * m + m :]
    force = mp.matrix([sum(M[i * m + j] * a[j] for j in range(m)) - right[i] for i in range(m)])
    return _defect(mp, mp.matrix([[C[i * m + j] for j in range(m)] for i in range(k)]), force)
