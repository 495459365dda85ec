"""Invariants of symmetries that act linearly: generators of their ring (SCOPE B11).

Fields ξ^i = A^i_j q^j with rational A, and linear maps, act on velocities as on positions. Coordinates that
no field moves or contains are invariants with their velocities; the others have the ring of
`invariant_ring/`. Where polynomials do not tell generic orbits apart (scalings have none at all), or there
are too many generators, the search among other functions goes on (`invariants_of_symmetries.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq_mat, fmpz_mpoly

from chetaev.expr.graph.node import Expr, add, mul, neg, number, power, symbol
from chetaev.laws.symmetry.given_fields import Components
from chetaev.model.system import System
from chetaev.reduction.given_invariants import Invariant, named_invariants
from chetaev.reduction.given_symmetries import affine_row
from chetaev.reduction.invariant_ring.polynomials import LinearAction, generated_group
from chetaev.reduction.invariant_ring.ring import InvariantRing, invariant_ring

MOST_INVARIANTS = 20
"""Generators and fixed coordinates that rates are written in."""


@dataclass(frozen=True)
class LinearInvariants:
    """Invariants with what is known of them.

    Attributes
    ----------
    invariants
        Fixed coordinates, their velocities, and the generators of the ring.
    notes
        How the generators are known to be all.
    """

    invariants: tuple[Invariant, ...]
    notes: tuple[str, ...]


def of_fields(system: System, fields: Sequence[Components]) -> LinearInvariants | None:
    """The invariants of fields that are linear, or translations beside them; None for others, or too few."""
    matrices, shifts = [], []
    for field in fields:
        rows = []
        for _, e in field.along:
            row = affine_row(system, e)
            if row is None:
                return None
            rows.append(row)
        linear, constant = fmpq_mat([row[:-1] for row in rows]), [row[-1] for row in rows]
        if any(constant):
            if any(linear.entries()):
                return None
            shifts.append(constant)
        else:
            matrices.append(linear)
    every = range(len(system.coordinates))
    moved = [i for i in every if any(A[i, j] or A[j, i] for A in matrices for j in every)]
    shifted = [i for i in every if any(b[i] for b in shifts)]
    if not moved or set(moved) & set(shifted) or (shifts and fmpq_mat(shifts).rank() < len(shifted)):
        return None
    action = LinearAction(len(moved), tuple(_part(A, moved) for A in matrices))
    ring = invariant_ring(action)
    point = ring.sample.point(0)
    n = len(moved)
    columns = [
        [sum(A[i, j] * x for j, x in enumerate(half)) for half in (point[:n], point[n:]) for i in range(n)]
        for A in action.generators
    ]
    orbit = fmpq_mat(columns).rank()
    return _assembled(system, moved, ring, shifted) if ring.rank >= 2 * n - orbit else None


def of_maps(system: System, maps: Sequence[fmpq_mat]) -> LinearInvariants | None:
    """The invariants of a finite group; None if there are too many."""
    group = generated_group(maps)
    n = len(system.coordinates)
    moved = [
        i
        for i in range(n)
        if any(g[i, j] != (i == j) or g[j, i] != (i == j) for g in group for j in range(n))
    ]
    if not moved:
        return None
    generators, elements = (tuple(_part(g, moved) for g in some) for some in (maps, group))
    return _assembled(system, moved, invariant_ring(LinearAction(len(moved), generators, elements)))


def _part(A: fmpq_mat, moved: Sequence[int]) -> fmpq_mat:
    return fmpq_mat([[A[i, j] for j in moved] for i in moved])


def _assembled(
    system: System, moved: Sequence[int], ring: InvariantRing, shifted: Sequence[int] = ()
) -> LinearInvariants | None:
    names = system.coordinates
    fixed = [
        symbol(c, k)
        for k in (0, 1)
        for i, c in enumerate(names)
        if i not in moved and (k or i not in shifted)
    ]
    if not ring.generators or len(fixed) + len(ring.generators) > MOST_INVARIANTS:
        return None
    letters = [symbol(names[i], k) for k in (0, 1) for i in moved]
    functions = [*fixed, *(_function(p, letters) for p in ring.generators)]
    invariants = named_invariants(system, functions)
    return LinearInvariants(invariants, (f"generators of the invariant polynomials, {ring.how}",))


def _function(p: fmpz_mpoly, letters: Sequence[Expr]) -> Expr:
    """A polynomial in the model language."""
    terms = []
    for exponents, c in sorted(p.to_dict().items(), reverse=True):
        value = int(c)
        factors = [
            x if e == 1 else power(x, number(int(e))) for x, e in zip(letters, exponents, strict=True) if e
        ]
        size = abs(value)
        if size != 1 or not factors:
            factors.insert(0, number(size))
        term = mul(*factors) if len(factors) > 1 else factors[0]
        terms.append(neg(term) if value < 0 else term)
    terms.sort(key=lambda e: e.op == "neg")  # what is subtracted stands last
    return add(*terms) if terms else number(0)
