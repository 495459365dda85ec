"""Where the motion is not determined (SCOPE K23; Krupková (85)–(87), B̄ singular; DESIGN, "Bad input").

At a point of Q the law is M a − Cᵀμ = F − h, C a = −c'. With W a basis of ker C and a_0 any solution of C
a_0 = −c',

    B̄ = −Wᵀ M W,      Ā = Wᵀ(F − h − M a_0),      Ā + B̄ y = 0,      a = a_0 + W y.

If B̄ is regular the motion is determined, whether M is regular or not. If uᵀB̄ = 0, then uᵀĀ = 0 is
needed: where it fails there is no motion through the point, where it holds the accelerations keep dim ker
B̄ free parameters. If B̄ is singular at every point, the functions χ = uᵀĀ are *primary constraints*:
motions stay where χ = 0. Where the rank of C drops, Q is no submanifold fibred over Y (46) and C a = −c'
itself may have no solution.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import casadi

from chetaev.checked_arguments import table
from chetaev.equations.law.given_point import completed
from chetaev.equations.law.normal_law import OnConstraint
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate_mp, mp_context, read_matrix
from chetaev.expr.graph.node import ZERO, Expr, symbols
from chetaev.model.states.points import random_points
from chetaev.model.system import System, expect_system
from chetaev.numeric import regular_minor
from chetaev.numeric.many_digits import half, pseudo_inverse, singular_kernel

Outcome = Literal["determined", "undetermined", "impossible"]
GENERIC_POINTS = 3
OFF = 1e-9
"""How far a point may miss a constraint, relative to its largest number: rounding of doubles."""


@dataclass(frozen=True)
class SingularReport:
    """Ranks, primary constraints and what they mean.

    Attributes
    ----------
    where
        ``"at the point"`` or ``"at a generic point"``.
    coordinates, constraints
        m and k.
    rank_M, rank_C, rank_bordered, rank_B
        Ranks of ∂²L/∂v∂v, of ∂f/∂v, of the bordered matrix and of B̄; full are m, k, m + k and m − rank C.
    primary
        Primary constraints as expressions on Q, 0 where one holds by itself; empty unless B̄ is singular at
        generic points.
    residuals
        uᵀĀ for a basis of the left kernel of B̄ (unit vectors), at the point, the law scaled to be free of
        units.
    free
        How many accelerations stay undetermined.
    outcome
        ``"determined"``, ``"undetermined"`` or ``"impossible"``.
    ambient
        Whether M belongs to a system on all of J¹Y; for one that is given on Q it stands for −B̄ alone.
    """

    where: str
    coordinates: int
    constraints: int
    rank_M: int
    rank_C: int
    rank_bordered: int
    rank_B: int
    primary: tuple[Expr, ...]
    residuals: tuple[Any, ...]
    free: int
    outcome: Outcome
    rank_drops: bool = False
    ambient: bool = True

    @property
    def regular(self) -> bool:
        """Whether C has full rank and B̄ is regular (86)."""
        return self.rank_C == self.constraints and self.free == 0

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        numbers = ("coordinates", "constraints", "rank_M", "rank_C", "rank_bordered", "rank_B", "free")
        return {
            "where": self.where,
            **{name: getattr(self, name) for name in numbers},
            "primary": [str(e) for e in self.primary],
            "residuals": [float(x) for x in self.residuals],
            "outcome": self.outcome,
            "regular": self.regular,
            "verdict": self.verdict,
        }

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def __str__(self) -> str:
        m, k, n = self.coordinates, self.constraints, self.coordinates - self.rank_C
        bordered = f", bordered matrix {self.rank_bordered} of {m + k}" if self.ambient else ""
        mass = f"rank M {self.rank_M} of {m}, " if self.ambient else ""
        lines = [f"{self.where}: {mass}rank C {self.rank_C} of {k}, rank B̄ {self.rank_B} of {n}{bordered}"]
        if self.rank_C < k:
            lines.append("the constraints are dependent here: Q is no submanifold of codimension k (46)")
        if self.ambient and self.rank_M < m and self.rank_B == n:
            lines.append(
                "M is singular, but B̄ is regular: the constraints make up for the degenerate Lagrangian"
            )
        lines += [f"primary constraint: {chi} = 0" for chi in self.primary if chi is not ZERO]
        lines.append(self.verdict)
        return "\n".join(lines)

    @property
    def verdict(self) -> str:
        """The outcome in a sentence."""
        if self.rank_drops:
            return (
                "the rank of ∂f/∂v drops here: the constraint is no submanifold at this point, and the "
                "equations do not say how a motion goes on (46)"
            )
        if self.outcome == "determined":
            return "the accelerations are determined"
        if self.outcome == "impossible":
            confined = "; motions are confined to where the primary constraints hold" if self.primary else ""
            return f"no acceleration satisfies the equations {self.where}: no motion passes there{confined}"
        return f"the accelerations are undetermined: {self.free} of them stay free"

    @property
    def left_open(self) -> str:
        """What the equations do not determine at generic points, in a sentence; "" where they do.

        >>> import chetaev as ch
        >>> two = ch.System(coordinates=["x", "y"], lagrangian="(x' - y)^2/2", degenerate=True)
        >>> analyse(two).left_open
        "the equations leave 1 of 2 accelerations open (B̄ has rank 1 of 2), and ask for y - x' = 0"
        """
        if not self.free:
            return ""
        for chi in self.primary:
            if chi.op == "number" and chi is not ZERO:
                return f"the equations ask for {chi} = 0: a contradiction, and no motion satisfies them"
        n = self.coordinates - self.rank_C
        asked = " and ".join(f"{chi} = 0" for chi in self.primary if chi is not ZERO)
        return (
            f"the equations leave {self.free} of {n} accelerations open (B̄ has rank {self.rank_B} of {n})"
            + (f", and ask for {asked}" if asked else "")
        )


def analyse(system: System, point: Mapping[Any, Any] | None = None, digits: int = 50) -> SingularReport:
    """Ranks and what they mean, at a point of Q or at a generic one (the largest ranks of three points).

    Examples
    --------
    >>> import chetaev as ch
    >>> print(analyse(ch.load("brachistochrone-constrained")))
    at a generic point: rank M 1 of 2, rank C 1 of 1, rank B̄ 1 of 1, bordered matrix 3 of 3
    M is singular, but B̄ is regular: the constraints make up for the degenerate Lagrangian
    the accelerations are determined
    """
    s = Setup(system)
    if s.alpha.numel():
        raise ModelError(
            "B̄ lives on a submanifold of J¹Y; constraints on accelerations define none",
            remedy="form='chetaev' reports a singular law where it is one",
        )
    law = _Law(s)
    if point is not None:
        law.expect_on_q(point, digits)
        found = law.at(point, digits, "at the point")
        generic = law.at(next(iter(random_points(system, 1, seed=7, digits=digits))), digits, "")
    else:
        reports = [
            law.at(p, digits, "at a generic point") for p in random_points(system, GENERIC_POINTS, 7, digits)
        ]
        found = generic = max(reports, key=lambda r: (r.rank_C, r.rank_B, r.rank_bordered, r.rank_M))
    if found.rank_C < generic.rank_C and found.outcome == "determined":
        # the free acceleration satisfies C a = −c' here, but need not lead along Q
        found = replace(found, outcome="undetermined", rank_drops=True)
    if not generic.free or generic.rank_C < s.k:
        return found
    on_q = OnConstraint(system, 2_000_000)
    return replace(found, primary=tuple(on_q.short(chi) for chi in law.primary(generic.rank_B)))


def singular(system: System, point: Mapping[Any, Any] | None = None) -> SingularReport:
    """Where the equations do not determine the motion: :func:`analyse`, under the name ``ch.singular``."""
    expect_system(system, "ch.singular")
    return analyse(system, None if point is None else table(point, "the point", "values by name"))


def left_open(system: System) -> str:
    """What the equations of a system do not determine, in a sentence; "" where they do."""
    try:
        return analyse(system).left_open
    except ModelError:
        return ""


class _Law:
    """M, h, C, c' of a system as graphs, and their values."""

    def __init__(self, s: Setup) -> None:
        self.s = s
        self.M, self.h = s.inertia
        self.C, self.c = s.by_v(s.f), s.along(s.f)
        self.graphs = [s.matrix(casadi.densify(x)) for x in (self.M, s.F - self.h, self.C, -self.c)]

    def expect_on_q(self, point: Mapping[Any, Any], digits: int) -> None:
        """Raise a ModelError unless the point satisfies the constraints to within rounding of doubles."""
        s = self.s
        equations = [*s.system.position_constraints, *s.system.velocity_constraints]
        held = len(s.system.position_constraints)
        levels = [
            ([e.residual for e in s.system.position_constraints], equations[:held], "it"),
            (s.graphs(s.f), equations, "its derivative, as a condition on velocities,"),
        ]
        everything = {e for rows in self.graphs for row in rows for e in row}
        completed(s.system, point, symbols(*everything), digits)  # all that is missing, at once
        for functions, named, what in levels:
            known = completed(s.system, point, symbols(*functions), digits)
            size = 1 + max((abs(float(x)) for x in known.values()), default=0.0)
            for i, value in enumerate(evaluate_mp(functions, known, digits)):
                if not abs(value) <= OFF * size:
                    it = what if i < held else "it"
                    raise ModelError(
                        f"the point is not on the constraint {named[i]}: "
                        f"{it} is missed by {float(value):.3g}",
                        expected="a point of Q",
                        remedy="leave out the point for a generic one, "
                        "or take one of system.random_states(1)",
                    )

    def at(self, point: Mapping[Any, Any], digits: int, where: str) -> SingularReport:
        """Ranks and outcome at a point."""
        mp = mp_context(digits)
        tolerance = half(mp)
        m, k = self.s.m, self.s.k
        flat = [e for block in self.graphs for row in block for e in row]
        point = completed(self.s.system, point, symbols(*flat), digits)
        values = iter(evaluate_mp(flat, point, digits))
        M, b, C, c = (read_matrix(mp, values, r, col) for r, col in ((m, m), (m, 1), (k, m), (k, 1)))
        _without_units(mp, M, b, C, c)
        bordered = mp.matrix(m + k, m + k)
        for i in range(m):
            for j in range(m):
                bordered[i, j] = M[i, j]
            for j in range(k):
                bordered[i, m + j], bordered[m + j, i] = -C[j, i], C[j, i]
        rank_C, W, cokernel = singular_kernel(mp, C, m, tolerance)
        possible = all(abs(x) <= tolerance * (1 + mp.norm(c)) for x in cokernel.T * c) if k else True
        a_0 = _least(mp, C, c) if k else mp.zeros(m, 1)
        n = m - rank_C
        B = -(W.T * M * W) if n else mp.zeros(0, 0)
        A = W.T * (b - M * a_0) if n else mp.zeros(0, 1)
        rank_B, _, left = singular_kernel(mp, B, n, tolerance) if n else (0, None, mp.zeros(0, 0))
        residuals = tuple(left.T * A) if n and rank_B < n else ()
        scale = 1 + (mp.norm(b) + mp.norm(M * a_0) if n else 0)
        solvable = possible and all(abs(r) <= tolerance * scale for r in residuals)
        outcome: Outcome = "impossible" if not solvable else "determined" if rank_B == n else "undetermined"
        return SingularReport(
            where=where,
            coordinates=m,
            constraints=k,
            rank_M=singular_kernel(mp, M, m, tolerance)[0],
            rank_C=rank_C,
            rank_bordered=singular_kernel(mp, bordered, m + k, tolerance)[0],
            rank_B=rank_B,
            primary=(),
            residuals=residuals,
            free=n - rank_B,
            outcome=outcome,
            ambient=self.s.system.dynamics.constraints_react,
        )

    def primary(self, rank: int) -> list[Expr]:
        """χ = uᵀĀ for the left kernel of B̄ at its generic rank: rows eliminated against a regular block."""
        s = self.s
        S, D, n = s.independent, s.dependent, len(s.independent)
        solved = -s.solve(self.C[:, D], casadi.horzcat(self.C[:, S], self.c)) if D else casadi.SX(0, n + 1)
        W, a_0 = s.lifted(solved[:, :n], solved[:, n])
        B = -W.T @ self.M @ W
        A = W.T @ (s.F - self.h - self.M @ a_0)
        rows, columns = regular_minor(s.number(casadi.densify(B)), rank)
        rest = [i for i in range(n) if i not in rows]
        if not rank:
            return s.graphs(A[rest])
        return s.graphs(A[rest] - B[rest, columns] @ s.solve(B[rows, columns], A[rows]))


def _without_units(mp: Any, M: Any, b: Any, C: Any, c: Any) -> None:
    """Scale the law in place, so that its entries are near 1 whatever units it is written in.

    With a = S ã, μ_0 a typical mass and R of one factor a constraint: S M S/μ_0, S b/μ_0, R C S, R c. Ranks
    and solvability stay what they are.
    """
    m, k = M.rows, C.rows
    masses = [max(abs(M[i, j]) for j in range(m)) for i in range(m)]
    known = [x for x in masses if x]
    typical = mp.exp(sum(mp.log(x) for x in known) / len(known)) if known else mp.one
    S = [mp.sqrt(typical / x) if x else mp.one for x in masses]
    for i in range(m):
        b[i] *= S[i] / typical
        for j in range(m):
            M[i, j] *= S[i] * S[j] / typical
    for a in range(k):
        row = [C[a, j] * S[j] for j in range(m)]
        size = max(map(abs, row)) or mp.one
        c[a] /= size
        for j in range(m):
            C[a, j] = row[j] / size


def _least(mp: Any, C: Any, c: Any) -> Any:
    """The least solution of C a = c, or the best one where there is none."""
    sizes = mp.svd_r(C, compute_uv=False)
    return pseudo_inverse(mp, C, half(mp) * max(1, sizes[0])) * c
