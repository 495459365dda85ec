"""Kutta's classical method of order 4, with Hermite's cubic inside the step: all that a scheme needs.

k₁ = f(t + h/2, y + h k₀/2)   k₂ = f(t + h/2, y + h k₁/2)   k₃ = f(t + h, y + h k₂)
y₁ = y + h (k₀ + 2 k₁ + 2 k₂ + k₃)/6      error ≈ h (k₀ − k₁ − k₂ + k₃)/3
"""

from __future__ import annotations

from math import sqrt

from chetaev.flow.kernels.field import evaluate
from chetaev.flow.kernels.integration import Integration
from chetaev.flow.kernels.linear import combine
from chetaev.flow.schemes.scheme import Scheme

SCHEME = Scheme(
    name="kutta",
    module=__name__,
    summary="the classical method",
    order=4,
    dense_order=3,
    estimate=3,
    stages=5,
    end_stage=4,
    in_lanes=True,
    coefficients=(
        (0.5,),
        (0.0, 0.5),
        (0.0, 0.0, 1.0),
        (1 / 6, 1 / 3, 1 / 3, 1 / 6),
        (1 / 3, -1 / 3, -1 / 3, 1 / 3),
    ),
    room=lambda d: d,
)


def step(run: Integration) -> int:
    """The stages, y₁ and the error; k₀ is known."""
    d = run.d
    for s in range(1, 4):
        combine(d, s, run.table[4 * (s - 1) :], run.k, run.y, run.h, run.trial)
        run.t_stage = run.t + (0.5 if s < 3 else 1.0) * run.h
        code = evaluate(run, run.t_stage, run.trial, run.k[s * d :], 0)
        if code != 0:
            return code
    combine(d, 4, run.table[12:], run.k, run.y, run.h, run.new)
    combine(d, 4, run.table[16:], run.k, run.zero, run.h, run.room)
    run.error = size_in_tolerances(run)
    return 0


def size_in_tolerances(run: Integration) -> float:
    """The root of the mean of squares, each entry in units of the tolerance."""
    total = 0.0
    for i in range(run.d):
        scaled = run.room[i] / (run.atol + run.rtol * max(abs(run.y[i]), abs(run.new[i])))
        total = total + scaled * scaled
    return sqrt(total / run.d)
