"""Multipliers of a closed motion: the eigenvalues of its monodromy on Q, all dim Q of them (SCOPE M6).

    M = (D exp(s ξ))⁻¹ Dφ_T      on the tangent space of Q at y(0)

Some of them are 1 for a reason: M keeps the direction X of the motion (autonomous systems) and those of the
symmetries, and it keeps the differentials of laws, dI M = dI. These are told apart first: M acts on the
tangent space modulo those directions, and there on the common kernel of those differentials; only what is
left has its eigenvalues computed, so that no eigenvalue that is 1 by law is split by rounding errors into a
pair near 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.linear.spectrum import of_doubles
from chetaev.numeric import kernel, norm, product

Array = NDArray[np.float64]
KEPT = 1e-5
"""So much may M v differ from v, relative to v and M, if M keeps v."""
NEAR = 1e-5
"""A multiplier whose size differs less from 1 may lie on the unit circle."""
INDEPENDENT = 1e-7


@dataclass(frozen=True)
class Multiplier:
    """An eigenvalue of the monodromy, and why it is 1 if that is known."""

    value: complex
    because: str = ""


@dataclass(frozen=True)
class Multipliers:
    """All multipliers: those that are 1 for a reason first, then the others, largest first."""

    known: tuple[Multiplier, ...]
    others: tuple[Multiplier, ...]

    def with_cyclic(self, matrix: Array, names: Sequence[str]) -> Multipliers:
        """With those of cyclic coordinates, on which the others do not depend: 1 if they are translated
        only.
        """
        found = [complex(z) for z in of_doubles(matrix).values] if len(matrix) else []
        if all(abs(z - 1) <= KEPT for z in found):
            ones = tuple(Multiplier(1.0 + 0j, f"symmetry along {name}") for name in names)
            return Multipliers((*self.known, *ones), self.others)
        return Multipliers(self.known, (*self.others, *(Multiplier(z) for z in found)))

    @property
    def values(self) -> Array:
        """All of them."""
        return np.array([m.value for m in (*self.known, *self.others)], dtype=complex)

    @property
    def outside(self) -> int:
        """How many lie outside the unit circle."""
        return sum(abs(m.value) > 1 + NEAR for m in self.others)

    @property
    def near(self) -> int:
        """How many of the others lie on the unit circle, or too near to it to be told apart."""
        return sum(abs(abs(m.value) - 1) <= NEAR for m in self.others)

    @property
    def stable(self) -> bool | None:
        """False with one outside, True with all others inside, else None."""
        if self.outside:
            return False
        return None if self.near else True

    @property
    def words(self) -> str:
        """What linear theory says of the motions near."""
        many = len(self.others)
        if self.outside:
            said = "multiplier lies" if self.outside == 1 else "multipliers lie"
            return f"{self.outside} {said} outside the unit circle: motions near leave it"
        if self.near:
            return (
                f"linear theory does not decide: {self.near} of {many} multipliers that no law explains lie "
                "on the unit circle, or too near to it for doubles"
            )
        if not many:
            return "all multipliers are 1 by laws: closed motions like it fill its neighbourhood"
        if len(self.known) == 1 and self.known[0].because == MOTION:
            return "all other multipliers lie inside the unit circle: motions near approach it"
        if not self.known:
            return "all multipliers lie inside the unit circle: motions near approach it"
        return (
            "all multipliers that no law explains lie inside the unit circle: motions near approach one of "
            "its family"
        )


MOTION = "the motion itself"


def multipliers(
    matrix: Array, right: Sequence[tuple[str, Array]], left: Sequence[tuple[str, Array]]
) -> tuple[Multipliers, list[str]]:
    """The eigenvalues of M, given directions that it should keep and differentials that it should; and the
    names of those that it does not keep.
    """
    size = len(matrix)
    refused: list[str] = []
    known: list[Multiplier] = []
    basis: list[Array] = []
    for name, vector in right:
        unit = _unit(vector)
        if unit is None:
            continue
        if norm(product(matrix, unit) - unit) > KEPT * (1 + norm(matrix)):
            refused.append(name)
            continue
        rest = unit - sum((float(product(b, unit)) * b for b in basis), np.zeros(size))
        if norm(rest) > INDEPENDENT:
            basis.append(rest / norm(rest))
            known.append(Multiplier(1.0 + 0j, name))
    rows = np.array(basis).reshape(len(basis), size)
    beside = kernel(rows) if basis else np.eye(size)
    inner = product(product(beside.T, matrix), beside)
    levels: list[Array] = []
    for name, gradient in left:
        unit = _unit(gradient)
        if unit is None:  # the law is stationary there: it says nothing
            continue
        if norm(product(unit, matrix) - unit) > KEPT * (1 + norm(matrix)):
            refused.append(name)
            continue
        if basis and np.abs(product(rows, unit)).max() > KEPT:
            continue  # it belongs to a direction that is known already
        row = product(unit, beside)
        rest = row - sum((float(product(b, row)) * b for b in levels), np.zeros(len(row)))
        if norm(rest) > INDEPENDENT:
            levels.append(rest / norm(rest))
            known.append(Multiplier(1.0 + 0j, name))
    if levels:
        on_level = kernel(np.array(levels))
        inner = product(product(on_level.T, inner), on_level)
    found = of_doubles(inner).values if len(inner) else []
    others = sorted((complex(z) for z in found), key=lambda z: (-round(abs(z), 9), abs(z.imag), -z.imag))
    return Multipliers(tuple(known), tuple(Multiplier(z) for z in others)), refused


def _unit(vector: Array) -> Array | None:
    length = norm(vector)
    return vector / length if length > 1e-12 else None
