"""The equations of motion at one point, and their plain solution.

With M = ∂²L/∂v∂v, h = ∂²L/∂v∂t + (∂²L/∂v∂q) v − ∂L/∂q, and the constraints on accelerations C a + c = 0,

    M a + h − F = Cᵀ μ,      C a + c = 0.

The rows of C are ∂φ/∂q for a position constraint, with c = d²φ/dt² at a = 0; ∂f/∂v for a velocity constraint,
with c = ∂f/∂t + (∂f/∂q) v; and ∂α/∂a for an acceleration constraint, with c = α at a = 0. Rows that follow
from others and do not contradict them are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from flint import arb, arb_mat

Rows: TypeAlias = list[list[Any]]


class UndeterminedError(ArithmeticError):
    """The equations do not determine the accelerations at this point."""


@dataclass(frozen=True)
class Pointwise:
    """M, h − F, C and c at a point, as balls."""

    mass: Rows
    excess: list[Any]
    matrix: Rows
    rest: list[Any]

    @property
    def entries(self) -> list[Any]:
        """All numbers."""
        return [x for row in (*self.mass, *self.matrix) for x in row] + self.excess + self.rest


def solve(at: Pointwise, digits: int, kept: list[int] | None = None) -> tuple[list[Any], list[int]]:
    """The accelerations, and the rows of C that determine them; `kept` are those where they are known.

    The point is exact to so many digits: a matrix whose inverse has entries beyond 10^(digits/2), once
    its rows and columns are scaled, is singular.
    """
    if not all(x.is_finite() for x in at.entries):
        raise UndeterminedError("an entry has no value at this point")
    limit = arb(10) ** (digits // 2)
    if kept is not None:
        return _bordered(at, kept, limit), kept
    kept = independent(at.mass, at.matrix, 1 / limit)
    a = _bordered(at, kept, limit)
    for i in set(range(len(at.matrix))) - set(kept):
        terms = [x * y for x, y in zip(at.matrix[i], a, strict=True)] + [at.rest[i]]
        if abs(sum(terms[1:], terms[0])).lower() > max(abs(x).upper() for x in terms) / limit:
            raise UndeterminedError("constraints contradict each other")
    return a, kept


def _bordered(at: Pointwise, kept: list[int], limit: Any) -> list[Any]:
    """a from the bordered system of M and some rows of C, in units in which both are of order 1."""
    n, k, zero = len(at.mass), len(kept), arb(0)
    unit, scale = _units(at.mass, [at.matrix[j] for j in kept])
    M = [[x * unit[i] * u for x, u in zip(at.mass[i], unit, strict=True)] for i in range(n)]
    C = [
        [x * r * u for x, u in zip(at.matrix[j], unit, strict=True)] for j, r in zip(kept, scale, strict=True)
    ]
    right = [[-x * u] for x, u in zip(at.excess, unit, strict=True)]
    right += [[-at.rest[j] * r] for j, r in zip(kept, scale, strict=True)]
    matrix = arb_mat(
        [[*M[i], *(-row[i] for row in C)] for i in range(n)] + [[*row, *[zero] * k] for row in C]
    )
    try:
        if max(abs(x).upper() for x in matrix.inv().entries()) > limit:
            raise UndeterminedError("the equations are singular at this point")
        x = matrix.solve(arb_mat(right))
    except ZeroDivisionError:
        raise UndeterminedError("the equations are singular at this point") from None
    return [x[i, 0] * unit[i] for i in range(n)]


def _units(mass: Rows, matrix: Rows) -> tuple[list[Any], list[Any]]:
    """Units of the accelerations that bring M near 1, then factors of the rows of C that do so: units are a
    choice of the user, and 1e-30 kg are no reason to call a matrix singular.
    """
    largest = [max(abs(x).upper() for x in row) for row in mass]
    known = [_power_of_two(x) // 2 for x in largest if x > 0]
    usual = sorted(known)[len(known) // 2] if known else 0
    unit = [arb(2) ** -(_power_of_two(x) // 2 if x > 0 else usual) for x in largest]
    sizes = [max(abs(x * u).upper() for x, u in zip(row, unit, strict=True)) for row in matrix]
    return unit, [arb(2) ** -_power_of_two(x) for x in sizes]


def _power_of_two(x: Any) -> int:
    """The exponent of a power of two near x; 0 for 0."""
    if not x > 0:
        return 0
    mantissa, exponent = x.mid().man_exp()
    return int(exponent) + int(mantissa).bit_length()


def independent(mass: Rows, matrix: Rows, smallest: Any) -> list[int]:
    """Rows of C that span the others: elimination with the largest remaining entry as pivot."""
    unit, scale = _units(mass, matrix)
    work = {i: [x * r * u for x, u in zip(matrix[i], unit, strict=True)] for i, r in enumerate(scale)}
    kept: list[int] = []
    while work:
        places = [(i, j) for i, row in work.items() for j in range(len(row))]
        i, j = max(places, key=lambda ij: abs(work[ij[0]][ij[1]].mid()))
        pivot = work.pop(i)
        if not abs(pivot[j]) > smallest:
            break
        kept.append(i)
        for other, row in work.items():
            factor = row[j] / pivot[j]
            work[other] = [x - factor * y for x, y in zip(row, pivot, strict=True)]
    return sorted(kept)
