r"""Inputs that are sinusoids: u_a(t) = c_a + Σ_k (a_ak cos kωt + b_ak sin kωt), ω = 2π/T, k ≤ `HARMONICS`.

Two ways. In *chained form* v1 = c + A sin ωt and v2 = Σ b_k cos kωt, k ≤ n − 2: the end is linear in the
b_k, all coordinates are steered at once (Tilbury, Murray and Sastry 1995). *Without* it, as for a ball or any
Chaplygin system, sinusoids of the inputs themselves make the base run through loops, whose areas and
moments move the rest (Murray and Sastry 1993; the brackets that a pair of frequencies makes are those by
which it moves). Newton's method finds amplitudes for which the end is met, from fixed guesses, on the
compiled flow and within the sinusoids.

>>> wave = Wave((1.0, 0.0), (0.0, 2.0))
>>> round(float(wave(0.25)), 12)  # 1 + 2 sin(2 pi s)
3.0
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import casadi
import numpy as np
from numpy.polynomial import Chebyshev
from numpy.typing import NDArray

from chetaev.analysis.control.collocation import ProposedInputs
from chetaev.analysis.control.geodesic import interpolated
from chetaev.analysis.control.steering_task import SteeringTask
from chetaev.numeric import least_squares

Array = NDArray[np.float64]
HARMONICS = 3
FINE_DEGREE = 72
"""Of polynomials that stand for products of sinusoids."""
GUESSES = ((1.0, 0), (1.0, 1), (3.0, 0), (0.3, 1), (3.0, 2), (8.0, 1))
"""Amplitudes beside the change that is wanted, and how frequencies are shared out."""


@dataclass(frozen=True)
class Wave:
    """Σ_k cosines_k cos 2πks + sines_k sin 2πks, k from 0."""

    cosines: tuple[float, ...]
    sines: tuple[float, ...]

    def __call__(self, s: Any) -> Any:
        """At numbers."""
        return self._sum(s, np.cos, np.sin)

    def symbolic(self, s: Any) -> Any:
        """As a CasADi expression."""
        return self._sum(s, casadi.cos, casadi.sin)

    def _sum(self, s: Any, cosine: Any, sine: Any) -> Any:
        made = sum((a * cosine(2 * math.pi * k * s) for k, a in enumerate(self.cosines)), 0.0 * s)
        for k, b in enumerate(self.sines):
            made = made + b * sine(2 * math.pi * k * s)
        return made


def chained_waves(first: Array, last: Array, T: float, swing: float) -> tuple[Wave, Wave] | None:
    """v1 and v2 as sinusoids that take a chained system from one state to another in the time T.

    >>> v1, v2 = chained_waves(np.zeros(3), np.array([0.0, 0.0, 1.0]), 1.0, 2.0)
    >>> [round(b, 9) for b in v2.cosines]  # z3 = the integral of z2 v1, an area
    [0.0, 6.283185307]
    """
    v1 = Wave(((last[0] - first[0]) / T,), (0.0, swing / T))
    n = len(first)

    def end(v2: Wave, start: Sequence[float]) -> Array:
        found, z = [], start[0] + T * _integral(v2)
        found.append(float(z(1.0)))
        for x in start[1:]:
            z = x + T * _integral(lambda s, z=z: z(s) * v1(s))
            found.append(float(z(1.0)))
        return np.array(found)

    rest = end(Wave((0.0,), ()), first[1:].tolist())
    units = [Wave((*([0.0] * k), 1.0), ()) for k in range(n - 1)]
    matrix = np.array([end(unit, [0.0] * (n - 1)) for unit in units]).T
    b = least_squares(matrix, last[1:] - rest)
    if not np.isfinite(b).all() or np.abs(b).max() > 1e7:
        return None
    missed = np.abs(matrix @ b - (last[1:] - rest)).max()
    if missed > 1e-7 * max(1.0, float(np.abs(b).max())):
        return None
    return v1, Wave(tuple(map(float, b)), ())


def _integral(f: Any) -> Chebyshev:
    """∫₀ˢ f, for s between 0 and 1."""
    return Chebyshev.interpolate(f, FINE_DEGREE, domain=[0, 1]).integ(lbnd=0)


def fourier_basis(harmonics: int) -> Array:
    """1, cos 2πs, sin 2πs, cos 4πs, … by polynomials T_k(2s − 1), shape (1 + 2 harmonics, degree + 1)."""
    degree = 12 + 7 * harmonics
    s = np.array([(1 - math.cos(math.pi * j / degree)) / 2 for j in range(degree + 1)])
    rows = [np.ones_like(s)]
    for k in range(1, harmonics + 1):
        rows += [np.cos(2 * math.pi * k * s), np.sin(2 * math.pi * k * s)]
    return interpolated(np.array(rows), degree)


def amplitudes(c: Array, basis: Array) -> tuple[tuple[float, ...], ...]:
    """The combinations of the rows of a basis that inputs are."""
    return tuple(tuple(map(float, least_squares(basis.T, row))) for row in c)


def sinusoid_proposals(task: SteeringTask) -> Iterator[ProposedInputs]:
    """Guesses for amplitudes; what they miss is for Newton's method to mend, within the sinusoids."""
    count = len(task.control.names)
    basis = fourier_basis(HARMONICS)
    span = task.times[1] - task.times[0]
    change = max((abs(task.end[n] - task.start[n]) for n in task.names), default=0.0)
    for size, turn in GUESSES:
        w = np.zeros((count, len(basis)))
        for a in range(count):
            k = 1 + (a // 2 + (turn if a else 0)) % HARMONICS
            w[a, 2 * k - 1 + a % 2] = size * 2 * math.pi * max(change, 0.2) / span / math.sqrt(k)
        why = f"sums of a constant and sinusoids with the frequencies k/{span:g}, k ≤ {HARMONICS}"
        yield ProposedInputs(w @ basis, "sinusoids", why, 0, basis)
