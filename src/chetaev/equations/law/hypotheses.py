"""What a formulation demands of a system, said in sentences; the plane of accelerations; quasi-velocities.

Each check takes a :class:`Setup` and the name of the form, and raises a ModelError that names the
hypothesis that fails and the form to use instead. A function counts as zero if its graph is empty, or if
its values at random points around Q are rounding errors, whose leading digits change with the precision; so
L = √(v⁴)/2 passes as quadratic although its graph does not show it.

The plane: at a point of J¹Y the constraints leave the accelerations the affine plane C a + c = 0 in the
fibre of J²Y, with C = ∂f/∂v and c = d'f/dt; constraints on accelerations add their own rows (SCOPE L8, L9).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import casadi
from mpmath import isfinite

from chetaev.equations.law.setup import Setup, fresh_names
from chetaev.equations.law.sharp_constraints import affine_meaning
from chetaev.errors import DivisionByZeroError, ModelError
from chetaev.expr.graph.engine import SX, is_linear
from chetaev.expr.graph.evaluate import evaluate_mp, keeps_digits
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import parse
from chetaev.model.states.points import parameter_point, random_points
from chetaev.numeric import balanced, is_regular, numerical_rank, regular_minor

_DIGITS = 40


def points_around(s: Setup) -> Iterator[dict[Any, Any]]:
    """Points of J¹Y near Q: points of Q with their velocities moved off."""
    for number, point in enumerate(random_points(s.system, 3, seed=7, digits=_DIGITS)):
        moved = dict(point)
        for i, name in enumerate(s.system.coordinates):
            moved[(name, 1)] += type(moved[(name, 1)])((7 * i + 3 * number) % 11 - 5) / 64
        yield moved


def vanishing(s: Setup, column: SX) -> list[bool]:
    """For each entry of a matrix (column by column) whether it is zero as a function on J¹Y.

    An entry that has no finite value at any of the points does not count as zero.
    """
    graphs = s.graphs(column)
    zero = [e.op == "number" and e.value == 0 for e in graphs]
    unsettled = [i for i, known in enumerate(zero) if not known]
    seen: dict[int, bool] = {}
    for point in points_around(s) if unsettled else ():
        try:
            rough, fine = (
                evaluate_mp([graphs[i] for i in unsettled], {**point, **parameter_point(s.system, d)}, d)
                for d in (_DIGITS, 2 * _DIGITS)
            )
        except DivisionByZeroError:  # another point
            continue
        for i, x, y in zip(unsettled, rough, fine, strict=True):
            if isfinite(x) and isfinite(y):
                seen[i] = seen.get(i, True) and not (y and keeps_digits(x, y))
    for i in unsettled:
        zero[i] = seen.get(i, False)
    return zero


# --- hypotheses -------------------------------------------------------------------------------------


def no_acceleration_constraints(s: Setup, form: str, reason: str) -> None:
    """Raise unless all constraints are on positions and velocities."""
    if s.alpha.numel():
        raise ModelError(
            f"the system has constraints on accelerations, and the form {form!r} {reason}",
            remedy="use form='gauss', 'gibbs-appell' or 'chetaev'",
        )


def only_velocities(s: Setup, sentence: str) -> None:
    """Raise with this sentence if there are constraints on accelerations."""
    if s.alpha.numel():
        raise ModelError(sentence, remedy="use form='chetaev'")


def affine_constraints(s: Setup, form: str) -> None:
    """Raise unless every constraint is affine in the velocities."""
    if not s.f.numel() or is_linear(s.f, s.v):
        return
    for i in range(s.f.numel()):
        if not all(vanishing(s, casadi.jacobian(s.by_v(s.f[i]), s.v))):
            plain = affine_meaning(s.system)
            written = f" as it is written (it means {plain})" if plain else ""
            raise ModelError(
                f"constraint {i + 1} is not affine in the velocities{written}; the form {form!r} needs "
                "constraints linear or affine in them",
                remedy=f"write {plain}"
                if plain
                else "use form='gibbs-appell', 'gauss', 'dalembert' or 'reduced'",
            )


def are_affine(s: Setup, column: SX) -> bool:
    """Whether functions on J¹Y are affine in the velocities."""
    if not column.numel() or is_linear(column, s.v):
        return True
    return all(vanishing(s, casadi.jacobian(casadi.vec(s.by_v(column)), s.v)))


def affine_parts(s: Setup, column: SX) -> tuple[SX, SX]:
    """J = ∂u/∂v and j = u − J v of functions u on J¹Y; free of v if u is affine in v."""
    J = s.by_v(column)
    if not column.numel() or not is_linear(column, s.v):
        return J, column - J @ s.v
    zero = casadi.SX.zeros(s.m)
    return casadi.substitute(J, s.v, zero), casadi.substitute(column, s.v, zero)


def is_quadratic(s: Setup) -> bool:
    """Whether L is at most quadratic in the velocities: a metric, a covector and a potential."""
    return are_affine(s, casadi.gradient(s.L, s.v))


def quadratic_lagrangian(s: Setup, form: str) -> None:
    """Raise unless L is quadratic in the velocities."""
    if not is_quadratic(s):
        raise ModelError(
            f"the Lagrangian is not quadratic in the velocities; the form {form!r} needs a metric, "
            "L = g(v, v)/2 + b·v − V",
            remedy="use form='gauss' or 'gibbs-appell', which take any Lagrangian",
        )


def regular_hessian(s: Setup, form: str) -> None:
    """Raise unless M = ∂²L/∂v∂v is invertible at a generic point of Q."""
    M = s.number(casadi.hessian(s.L, s.v)[0])
    if not is_regular(M):
        rank = numerical_rank(balanced(M))
        raise ModelError(
            f"the velocity Hessian ∂²L/∂v∂v has rank {rank} of {s.m}: the Lagrangian is not regular, and the "
            f"form {form!r} needs its inverse",
            remedy="use form='gauss', 'gibbs-appell' or 'chetaev': they need no inverse of it",
        )


def nondegenerate_normals(s: Setup, matrix: SX, form: str) -> None:
    """Raise unless C M⁻¹ Cᵀ is invertible at a generic point of Q; for definite M it always is."""
    if s.k and not is_regular(s.number(matrix)):
        raise ModelError(
            "the constraints are degenerate in the metric ∂²L/∂v∂v: C M⁻¹ Cᵀ is singular although they are "
            f"independent, as an indefinite metric allows; the form {form!r} has no orthogonal projection",
            remedy="the accelerations are not determined by any form; change the constraints",
        )


def some_freedom(plane: Plane, form: str, reason: str) -> None:
    """Raise where the constraints prescribe the motion, so that no direction is left free."""
    if not plane.independent:
        raise ModelError(
            f"the constraints prescribe the motion, and the form {form!r} {reason}, of which none is left",
            remedy="use form='chetaev', which gives the reaction forces too",
        )


def dependent_constraints(consequence: str) -> ModelError:
    """The error of a form that needs independent constraints."""
    return ModelError(
        f"the constraints are dependent: {consequence}",
        remedy="remove redundant constraints; form='gauss' accepts them as they are",
    )


# --- the plane of accelerations ---------------------------------------------------------------------


class Plane:
    """The affine plane C a + c = 0 of accelerations; redundant rows are set aside.

    `C`, `c`: all rows: k×m and k×1; `rows`: the rows kept: a largest independent set at a generic point of Q;
    `dependent`, `independent`: the columns solved for, and the others.
    """

    def __init__(self, s: Setup) -> None:
        self.s = s
        self.C, self.c = s.rows.C, s.rows.c
        self.rows, self.dependent = regular_minor(s.number(self.C)) if s.k else ([], [])
        self.independent = [i for i in range(s.m) if i not in self.dependent]

    @property
    def redundant(self) -> bool:
        """Whether rows were set aside."""
        return len(self.rows) < self.s.k

    @cached_property
    def _solved(self) -> SX:
        s = self.s
        C, c = self.C[self.rows, :], self.c[self.rows]
        solved = casadi.SX(s.m, len(self.independent) + 1)
        for column, i in enumerate(self.independent):
            solved[i, column] = 1
        if self.rows:
            right = -casadi.horzcat(C[:, self.independent], c)
            solved[self.dependent, :] = s.solve(C[:, self.dependent], right)
        return solved

    @property
    def directions(self) -> SX:
        """A basis W of ker C, m×n: the model space of the plane, that is the admissible variations."""
        return self._solved[:, : len(self.independent)]

    @property
    def point(self) -> SX:
        """A point of the plane: the one with no independent acceleration."""
        return casadi.densify(self._solved[:, len(self.independent)])


# --- quasi-velocities -------------------------------------------------------------------------------


def complete_frame(s: Setup, plane: Plane, given: Sequence[str | Expr] | None) -> tuple[SX, tuple[str, ...]]:
    """The functions u^s(t, q, v) that complete the constraints to a frame, and their names.

    `s`, `plane`: the system and its plane of accelerations; `given`: as many expressions as there are degrees
    of freedom, in the model language, None takes independent velocities.
    """
    if plane.redundant:
        raise dependent_constraints("no frame contains them")
    n = len(plane.independent)
    if given is None:
        names = tuple(s.system.coordinates[i] + "'" for i in plane.independent)
        return s.v[plane.independent, 0], names
    texts = list(given)
    if len(texts) != n:
        raise ModelError(
            f"{len(texts)} quasi-velocities were given, but the system has {n} degrees of freedom",
            expected=f"{n} expressions in the velocities",
        )
    u = s.column([parse(e, s.system.scope) if isinstance(e, str) else e for e in texts])
    J = s.number(casadi.vertcat(s.by_v(u), plane.C))
    if not is_regular(J):
        raise ModelError(
            "the quasi-velocities are not independent of each other and of the constraints",
            remedy="choose others, or leave them out for an automatic frame",
        )
    return u, fresh_names(s.system, n, "u", "")
