"""Discrete Lagrange–d'Alembert with the constraint at the end of the step, f(t + h, q₁, (q₁ − q₀)/h) = 0.

L as in `dla_trapezoidal`. Not symmetric, of order 1; the adjoint of `dla_left`. See
`families.lagrange_dalembert`.
"""

from __future__ import annotations

from chetaev.flow.schemes.families.lagrange_dalembert import END, ENDS, discrete_scheme

SCHEME = discrete_scheme("dla-right", __name__, "the constraint at the end of the step", 1, ENDS, END)
