"""Discrete Lagrange–d'Alembert with the mean of both ends of the step, for L and for f: Verlet's method.

Cortés and Martínez (2001); symmetric, of order 2. See `families.lagrange_dalembert`.
"""

from __future__ import annotations

from chetaev.flow.schemes.families.lagrange_dalembert import ENDS, discrete_scheme

SUMMARY = "the mean of both ends for L and f (Verlet)"
SCHEME = discrete_scheme("dla-trapezoidal", __name__, SUMMARY, 2, ENDS, ENDS)
