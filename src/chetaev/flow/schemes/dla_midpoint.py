"""Discrete Lagrange–d'Alembert with everything in the middle of the step: L and f at (q₀ + q₁)/2.

Cortés and Martínez (2001); symmetric, of order 2. See `families.lagrange_dalembert`.
"""

from __future__ import annotations

from chetaev.flow.schemes.families.lagrange_dalembert import MIDDLE, discrete_scheme

SCHEME = discrete_scheme("dla-midpoint", __name__, "L and f in the middle of the step", 2, MIDDLE, MIDDLE)
