"""Discrete Lagrange–d'Alembert with the constraint at the start of the step, f(t, q₀, (q₁ − q₀)/h) = 0.

L as in `dla_trapezoidal`. Not symmetric, of order 1; the step of `dla_right` is its adjoint. The choice is
found in the literature, and shows what f_d does. See `families.lagrange_dalembert`.
"""

from __future__ import annotations

from chetaev.flow.schemes.families.lagrange_dalembert import ENDS, START, discrete_scheme

SCHEME = discrete_scheme("dla-left", __name__, "the constraint at the start of the step", 1, ENDS, START)
