"""The Euler–Poincaré–Suslov equations (SCOPE M4; Suslov 1902, Poincaré 1901, Kozlov 1988, Bloch 2003).

For a left-invariant Lagrangian l(ξ, Γ) with Γ̇^A = R^A_i(Γ) ξ^i advected and constraints a(Γ)·ξ = 0,

    d/dt ∂l/∂ξ^j = c_ij^k ξ^i ∂l/∂ξ^k + R^A_j ∂l/∂Γ^A + F_j + λ_a a^a_j.

The constraints are solved, ξ = W(Γ) w with w some of the ξ, and along the columns of W the multipliers are
gone. R must be a representation, [R_i, R_j] = c_ij^k R_k.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chetaev.errors import ModelError
from chetaev.expr.exact import Element, Field
from chetaev.expr.exact.effort.budget import SingularSystemError
from chetaev.expr.exact.linear import matrix as linear
from chetaev.reduction.algebra.structure import StructureConstants

Vector = list[Element]


@dataclass(frozen=True)
class OnAlgebra:
    """Ingredients: l, constraint rows, R by advected name and index, forces; all elements of one field."""

    field: Field
    structure: StructureConstants
    lagrangian: Element
    rows: list[Vector]
    advected: Mapping[str, Vector]
    forces: Vector

    @property
    def names(self) -> tuple[str, ...]:
        """Of the basis."""
        return self.structure.names


@dataclass(frozen=True)
class SuslovEquations:
    """Rates of the independent ξ, of Γ, and the dependent ξ.

    Attributes
    ----------
    independent
        Names of w.
    velocity
        ξ as functions of w and Γ, in the order of the basis.
    momenta
        μ = ∂l/∂ξ on the constraint.
    rates
        ẇ by name, then Γ̇ by name.
    """

    independent: tuple[str, ...]
    velocity: Vector
    momenta: Vector
    rates: dict[str, Element]


def linear_rows(functions: Sequence[Element], names: Sequence[str], what: str) -> list[Vector]:
    """Coefficients of functions that are linear and homogeneous in names; a sentence otherwise."""
    found = []
    for e in functions:
        row = [e.diff((n, 0)) for n in names]
        rest = e
        for c, n in zip(row, names, strict=True):
            rest = rest - c * e.field.symbol(n)
        if rest.is_zero is not True or any(m in names for c in row for m, _ in c.symbols):
            raise ModelError(
                f"{what} {str(e.to_expr())[:100]} is not linear and homogeneous in {', '.join(names)}",
                expected="a combination of the velocities on the algebra",
            )
        found.append(row)
    return found


def expect_representation(on: OnAlgebra) -> None:
    """A sentence if the advected quantities do not turn with the group."""
    if not on.advected:
        return
    symbols, n = list(on.advected), len(on.names)
    for i in range(n):
        for j in range(i):
            c = on.structure.entry(on.field, j, i)
            for name, row in on.advected.items():
                total = on.field.zero
                for other in symbols:
                    total = total + on.advected[other][j] * row[i].diff((other, 0))
                    total = total - on.advected[other][i] * row[j].diff((other, 0))
                for k in range(n):
                    total = total - c[k] * row[k]
                if total.is_zero is not True:
                    raise ModelError(
                        f"the rates of the advected quantities do not fit the algebra: for {on.names[j]} and "
                        f"{on.names[i]} the defect in {name} is {str(total.to_expr())[:100]}",
                        expected="rates R_i with [R_i, R_j] = c_ij^k R_k, such as g' = g × w for so3",
                    )


def derive(on: OnAlgebra) -> SuslovEquations:
    """The equations, multipliers and dependent velocities eliminated."""
    field, names = on.field, on.names
    n = len(names)
    W, independent = _solved(on)
    w = [field.symbol(names[i]) for i in independent]
    velocity = [linear.dot(row, w) if w else field.zero for row in W]
    put = {(m, 0): e for i, (m, e) in enumerate(zip(names, velocity, strict=True)) if i not in independent}

    def on_d(e: Element) -> Element:
        return e.subs(put) if put else e

    mu = [on_d(on.lagrangian.diff((m, 0))) for m in names]
    M = [[on_d(on.lagrangian.diff((m, 0), (k, 0))) for k in names] for m in names]
    carried = {a: linear.dot(row, velocity) for a, row in on.advected.items()}
    force = []
    for j in range(n):
        total = on_d(on.forces[j])
        for i in range(n):
            c = on.structure.entry(field, i, j)
            total = total + velocity[i] * linear.dot(c, mu)
        for a, row in on.advected.items():
            total = total + row[j] * on_d(on.lagrangian.diff((a, 0)))
        force.append(total)

    def drift(e: Element) -> Element:
        return sum((e.diff((a, 0)) * speed for a, speed in carried.items()), field.zero)

    turning = [linear.dot([drift(x) for x in row], w) if w else field.zero for row in W]
    for i in range(n):
        moved = field.zero
        for a, speed in carried.items():
            moved = moved + on_d(on.lagrangian.diff((names[i], 0), (a, 0))) * speed
        force[i] = force[i] - moved - linear.dot(M[i], turning)
    columns = [[W[i][b] for i in range(n)] for b in range(len(w))]
    matrix = [[linear.dot(x, [linear.dot(row, y) for row in M]) for y in columns] for x in columns]
    right = [linear.dot(x, force) for x in columns]
    try:
        solved = linear.solve(matrix, right) if w else []
    except SingularSystemError:
        raise ModelError(
            "the inertia is singular on the constraint, so the motion is not determined",
            expected="a regular matrix ∂²l/∂ξ∂ξ on the constraint",
        ) from None
    chosen = tuple(names[i] for i in independent)
    return SuslovEquations(chosen, velocity, mu, dict(zip(chosen, solved, strict=True)) | carried)


def _solved(on: OnAlgebra) -> tuple[list[Vector], list[int]]:
    """ξ = W w, rows of W in the order of the basis, and which ξ are the w."""
    field, n = on.field, len(on.names)
    if not on.rows:
        return [[field.one if i == j else field.zero for j in range(n)] for i in range(n)], list(range(n))
    last_first = list(range(n - 1, -1, -1))
    solved = linear.echelon(on.rows, last_first)
    free = [j for j in range(n) if j not in solved.pivots]
    W: list[Vector] = []
    for i in range(n):
        if i in free:
            W.append([field.one if j == i else field.zero for j in free])
        else:
            row = solved.pivots.index(i)
            W.append([-solved.entry(row, j) for j in free])
    return W, free
