"""The spectrum of the motion near a steady motion, at every point of a branch, and what changes in it.

A in a chart of Q (:mod:`chetaev.analysis.linear.state_matrices`), relative to what moves. Its characteristic
polynomial has a factor s^z for zeros that belong to every point of the branch: directions along the family
itself, integrals, cyclic coordinates. They are set aside. Functions that change sign where something happens:

* c_z, the coefficient of s^z: an eigenvalue, or a pair ±λ, passes through zero;
* the real part of a complex pair that crosses the imaginary axis (Hopf);
* where the spectrum is symmetric, λ → −λ, (λ₁² − λ₂²)² of the two pairs nearest to each other: they meet on
  the axis and leave it (the Hamiltonian Hopf bifurcation of Krein, Moser and van der Meer). This is a smooth
  function, as the roots are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat, fmpq_poly
from numpy.typing import NDArray

from chetaev.analysis.linear.local_chart import LocalChart, tangent
from chetaev.analysis.linear.quotient import moving_frame
from chetaev.analysis.linear.residual import NoLinearizationError, Residual
from chetaev.analysis.linear.spectrum import Spectrum, of_doubles
from chetaev.analysis.linear.state_matrices import Asked, ambient, decoupled
from chetaev.analysis.linear.steady_directions import Moving
from chetaev.model.system import System

Array = NDArray[np.float64]
NEGLIGIBLE = 1e-9
"""A coefficient below this part of what the size of A allows may be roundoff of a zero."""
ON_AXIS = 1e-6
"""Real parts below this part of the largest eigenvalue are as good as zero."""


@dataclass(frozen=True)
class Near:
    """The motion near one point: A, its spectrum and the coefficients of its characteristic polynomial."""

    A: Array
    spectrum: Spectrum
    coefficients: tuple[float, ...]
    size: float

    @property
    def values(self) -> list[complex]:
        """The eigenvalues."""
        return self.spectrum.values

    @property
    def zeros(self) -> int:
        """How many of the lowest coefficients are as good as zero."""
        n = len(self.coefficients) - 1
        count = 0
        while count < n and abs(self.coefficients[count]) <= NEGLIGIBLE * self.size ** (n - count):
            count += 1
        return count

    def unstable(self, zeros: int = 0) -> int:
        """How many eigenvalues lie clearly on the right, without so many that are zero."""
        return sum(z.real > ON_AXIS * self.size for z in self.essential(zeros))

    def essential(self, zeros: int) -> list[complex]:
        """The eigenvalues without so many that are nearest to zero."""
        return sorted(self.values, key=abs)[zeros:]

    def is_symmetric(self, zeros: int) -> bool:
        """Whether the spectrum is symmetric about the imaginary axis, roundoff aside."""
        n = len(self.coefficients) - 1
        odd = range(n - 1, zeros - 1, -2)
        return all(abs(self.coefficients[k]) <= NEGLIGIBLE * self.size ** (n - k) for k in odd)

    def pairs(self, zeros: int) -> list[complex]:
        """The squares λ² of a symmetric spectrum, exact roots of the polynomial in s²."""
        n = len(self.coefficients) - 1
        p = fmpq_poly([fmpq(*float(self.coefficients[k]).as_integer_ratio()) for k in range(n % 2, n + 1, 2)])
        found: Any = p.complex_roots() if p.degree() > 0 else []
        squares = [complex(z) for z, m in found for _ in range(int(m))]
        return sorted(squares, key=abs)[(zeros - n % 2) // 2 :]


class Nearby:
    """A as a function of the state and the parameters, in a chart that is kept while it is regular."""

    def __init__(self, system: System, residual: Residual, moving: Moving) -> None:
        self.system, self.residual, self.moving = system, residual, moving
        self.asked = Asked(moving.cyclic, (), (), ())
        self.chart: LocalChart | None = None
        self.left_out = 0

    def __call__(self, q: Array, v: Array, p: Array) -> Near:
        """A ModelError where the motion has no linearisation."""
        slopes = self.residual.at(0.0, q, v, p)
        if self.chart is None or not self.chart.is_regular(slopes.phi_q, slopes.f_v):
            self.chart = next(decoupled(self.system, self.residual, self.asked, slopes, p))
        chart = self.chart
        E, _ = tangent(chart, slopes.held, slopes.held_by_time)
        A = ambient(slopes)[chart.places] @ E
        if self.moving.fields:
            drift = np.concatenate([v, slopes.a])[chart.places]
            frame = moving_frame(self.residual, self.moving.fields, chart, E, A, drift, q, v, p)
            A, self.left_out = frame.A, len(frame.out)
        else:
            names = chart.names(self.system.coordinates)
            kept = [i for i, n in enumerate(names) if n not in self.moving.cyclic]
            A = A[np.ix_(kept, kept)]
        return near(A)

    def at(self, q: Array, v: Array, p: Array) -> Near | None:
        """The same, or None."""
        try:
            return self(q, v, p)
        except NoLinearizationError:
            return None


def near(A: Array) -> Near:
    """The spectrum and the characteristic polynomial of a matrix of doubles."""
    spectrum = of_doubles(A)
    rows = [[fmpq(*float(x).as_integer_ratio()) for x in row] for row in A]
    coefficients = tuple(float(c) for c in fmpq_mat(rows).charpoly().coeffs()) if len(A) else (1.0,)
    size = max((abs(z) for z in spectrum.values), default=0.0) or 1.0
    return Near(A, spectrum, coefficients, size)


def zero_test(n: Near, zeros: int) -> float:
    """c_z."""
    return n.coefficients[zeros] / n.size ** (len(n.coefficients) - 1 - zeros)


def pair_test(n: Near, zeros: int, frequency: float) -> float | None:
    """The real part of the complex pair whose frequency is nearest to the one given."""
    pairs = [z for z in n.essential(zeros) if z.imag > 0]
    if not pairs:
        return None
    return min(pairs, key=lambda z: abs(complex(z.real, z.imag - frequency))).real


def collision_test(n: Near, zeros: int, square: float) -> float | None:
    """(λ₁² − λ₂²)² of the two squares that are nearest to a negative number."""
    squares = sorted(n.pairs(zeros), key=lambda z: abs(z - square))[:2]
    if len(squares) < 2:
        return None
    return float(((squares[0] - squares[1]) ** 2).real)


def least_zeros(found: Sequence[Near]) -> int:
    """The zeros that belong to the whole branch."""
    return min((n.zeros for n in found), default=0)
