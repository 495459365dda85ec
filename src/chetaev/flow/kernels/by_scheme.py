"""What a scheme brings: a step, and a way to know the motion inside the step.

A scheme is a file of `flow.schemes` with functions of these names, which take the places of those here when
the loops are put together (see `link`). `step` it must bring. Inside the step the motion is a polynomial
in the fraction x of the step, kept as a few vectors; the cubic that has the states and derivatives of both
ends (Hermite's, of order 3) is what a scheme has that brings neither of the other two:

    y + x (f₀ + (1 − x)(f₁ + x f₂))        f₀ = y₁ − y    f₁ = h k − f₀    f₂ = 2 f₀ − h (k + k₁)
"""

from chetaev.flow.kernels.arrays import Floats, open_to_schemes
from chetaev.flow.kernels.integration import Integration
from chetaev.flow.kernels.statuses import REJECT_ERROR


@open_to_schemes
def step(run: Integration) -> int:
    """Compute `run.new` from `run.y`, t, h and k₀ = f(t, y), and `run.error` in units of the tolerance.

    Returns 0, or why the step cannot be taken: what `evaluate` returned, or `REJECT_ERROR`.
    """
    return REJECT_ERROR


@open_to_schemes
def dense_output(run: Integration) -> int:
    """Compute the vectors `run.dense`; `run.new` and `run.k_end` are those of the step's projected end.

    Returns 0, or what `evaluate` returned.
    """
    d = run.d
    h = run.h
    for i in range(d):
        f = run.new[i] - run.y[i]
        run.dense[i] = f
        run.dense[d + i] = h * run.k[i] - f
        run.dense[2 * d + i] = 2.0 * f - h * (run.k_end[i] + run.k[i])
    return 0


@open_to_schemes
def misfit(run: Integration) -> float:
    """Positive where the step just tried looks as if another kind of scheme would take longer ones.

    `run.k_end` is the derivative at the end of the step. Asked only where there is another one to go to.
    """
    return 0.0


@open_to_schemes
def interpolate(d: int, i: int, y: Floats, f: Floats, x: float) -> float:
    """Entry i of the state at the fraction x of the step, from the vectors f of the dense output."""
    return y[i] + x * (f[i] + (1.0 - x) * (f[d + i] + x * f[2 * d + i]))
