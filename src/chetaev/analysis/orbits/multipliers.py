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
from chetaev.numeric import MEASURED, kernel, norm

Array = NDArray[np.float64]
KEPT = 1e-5
"""So much may M v differ from v, relative to v and M, if M keeps v."""
NEAR = 1e-5
"""A multiplier whose size differs less from 1 may lie on the unit circle."""
INDEPENDENT = 1e-5


@dataclass(frozen=True)
class FloquetMultiplier:
    """An eigenvalue of the monodromy, and why it is 1 if that is known."""

    value: complex
    because: str = ""
    radius: float = 0.0
    """How far rounding and the errors of the run may have moved it."""

    @property
    def side(self) -> int | None:
        """1 outside the unit circle, −1 inside, None if it is too near to tell."""
        if abs(abs(self.value) - 1) <= max(NEAR, self.radius):
            return None
        return 1 if abs(self.value) > 1 else -1


@dataclass(frozen=True)
class Multipliers:
    """All multipliers: those that are 1 for a reason first, then the others, largest first."""

    known: tuple[FloquetMultiplier, ...]
    others: tuple[FloquetMultiplier, ...]

    def with_cyclic(self, matrix: Array, names: Sequence[str], error: float) -> Multipliers:
        """With those of cyclic coordinates, on which the others do not depend: 1 if they are translated
        only.
        """
        found = [complex(z) for z in of_doubles(matrix).values] if len(matrix) else []
        if all(abs(z - 1) <= KEPT for z in found):
            ones = tuple(FloquetMultiplier(1.0 + 0j, f"symmetry along {name}") for name in names)
            return Multipliers((*self.known, *ones), self.others)
        return Multipliers(self.known, (*self.others, *_uncertain(found, error * (1 + norm(matrix)))))

    @property
    def values(self) -> Array:
        """All of them."""
        return np.array([m.value for m in (*self.known, *self.others)], dtype=complex)

    @property
    def outside(self) -> int:
        """How many lie outside the unit circle."""
        return sum(m.side == 1 for m in self.others)

    @property
    def near(self) -> int:
        """How many of the others lie on the unit circle, or too near to it to be told apart."""
        return sum(m.side is None for m in self.others)

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
                f"linear theory does not decide: {self.near} of the {many} other multipliers lie on the unit "
                "circle, or too near to it for doubles"
            )
        if not many:
            return "all multipliers are 1 by laws or along a family: motions near are closed in the same way"
        other = "other " if self.known else ""
        if all(m.because == MOTION for m in self.known):
            return f"all {other}multipliers lie inside the unit circle: motions near approach it"
        return f"all {other}multipliers lie inside the unit circle: motions near approach one of its family"


MOTION = "the motion itself"
FAMILY = "the family"


class Monodromy:
    """M in some basis, taken apart step by step.

    Directions that M keeps are divided out; differentials that it keeps cut out their kernel; in what is
    left it acts as `inner`.
    """

    def __init__(self, matrix: Array, error: float) -> None:
        self.matrix, self.inner, self.error = matrix, matrix, error
        self.known: list[FloquetMultiplier] = []
        self.refused: list[str] = []
        size = len(matrix)
        self._divided = np.zeros((0, size))
        self._beside = np.eye(size)
        self._levels = np.zeros((0, size))

    def keeps(self, directions: Sequence[tuple[str, Array]]) -> None:
        """Divide out directions, as far as M keeps them."""
        found: list[Array] = []
        for name, vector in directions:
            unit = _unit(vector)
            if unit is None:
                continue
            if norm(self.matrix @ unit - unit) > KEPT * (1 + norm(self.matrix)):
                self.refused.append(name)
            elif _added(found, unit):
                self.known.append(FloquetMultiplier(1.0 + 0j, name))
        self._divided = np.array(found).reshape(len(found), len(self.matrix))
        self._beside = kernel(self._divided) if found else np.eye(len(self.matrix))
        self.inner = _within(self.matrix, self._beside)
        self._levels = np.zeros((0, len(self.inner)))

    def has_laws(self, gradients: Sequence[tuple[str, Array]]) -> None:
        """Restrict to the kernel of differentials, as far as M keeps them."""
        found: list[Array] = []
        for name, gradient in gradients:
            unit = _unit(gradient)
            if unit is None:  # the law is stationary there: it says nothing
                continue
            if norm(unit @ self.matrix - unit) > KEPT * (1 + norm(self.matrix)):
                self.refused.append(name)
            elif len(self._divided) and np.abs(self._divided @ unit).max() > KEPT:
                continue  # it belongs to a direction that is divided out
            elif _added(found, unit @ self._beside):
                self.known.append(FloquetMultiplier(1.0 + 0j, name))
        self._levels = np.array(found).reshape(len(found), len(self._beside.T))
        if found:
            self.inner = _within(self.inner, kernel(self._levels))

    def has_family(self, directions: Array) -> int:
        """Divide out tangents (columns) of a family of closed motions; its dimension, without what was
        divided out.
        """
        tangents = self._beside.T @ directions
        units: list[Array] = []
        for column in tangents.T:
            _added(units, column)
        if not units:
            return 0
        inside = np.array(units).T
        if len(self._levels):
            level = kernel(self._levels)
            inside = level.T @ (inside @ kernel(self._levels @ inside, MEASURED))
        found: list[Array] = []
        for column in inside.T:
            unit = _unit(column)
            if unit is not None and norm(self.inner @ unit - unit) <= KEPT * (1 + norm(self.matrix)):
                _added(found, unit)
        if found:
            self.known += [FloquetMultiplier(1.0 + 0j, FAMILY)] * len(found)
            self.inner = _within(self.inner, kernel(np.array(found)))
        return len(units)

    def multipliers(self) -> Multipliers:
        """All of them: those that are 1 for a reason, then the eigenvalues of what is left."""
        found = of_doubles(self.inner).values if len(self.inner) else []
        others = sorted((complex(z) for z in found), key=lambda z: (-round(abs(z), 9), abs(z.imag), -z.imag))
        return Multipliers(tuple(self.known), _uncertain(others, self.error * (1 + norm(self.matrix))))


def _uncertain(values: Sequence[complex], error: float) -> tuple[FloquetMultiplier, ...]:
    """Eigenvalues of a matrix with this error, each with its own: the m-th root of it, if m lie together."""
    found = []
    for z in values:
        for m in range(len(values), 0, -1):
            radius = 2 * error ** (1 / m)
            if sum(abs(z - other) <= 2 * radius for other in values) >= m:
                break
        found.append(FloquetMultiplier(z, radius=radius))
    return tuple(found)


def _within(matrix: Array, basis: Array) -> Array:
    return basis.T @ matrix @ basis


def _added(found: list[Array], vector: Array) -> bool:
    """Whether a vector is independent of orthonormal ones; then it joins them."""
    rest = vector
    for _ in range(2):
        rest = rest - sum((float(b @ rest) * b for b in found), np.zeros(len(vector)))
    if norm(rest) <= INDEPENDENT:
        return False
    found.append(rest / norm(rest))
    return True


def _unit(vector: Array) -> Array | None:
    length = norm(vector)
    return vector / length if length > 1e-12 else None
