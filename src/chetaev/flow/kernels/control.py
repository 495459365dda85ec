"""How long the steps are: the first by the size of the field, the others by proportional-integral control.

The error of a step, in units of the tolerance, is of the size of hᵉ with e the scheme's `estimate`; the
factor for the next step is 0.9 err^(−1/e + 0.02) err_before^0.03 (Hairer, Nørsett and Wanner I, II.4).
"""

from math import log2, sqrt

from chetaev.flow.kernels.field import evaluate
from chetaev.flow.kernels.integration import LEAST_LOG, Integration
from chetaev.flow.kernels.statuses import REJECT_ERROR


def binary_logarithm(x: float) -> float:
    """log₂ x, for positive x; machine code has that of `flow.compile.elementary`."""
    return log2(x)


def power_of_two(y: float) -> float:
    """2 to the power of y."""
    result: float = 2.0**y
    return result


def first_step(run: Integration) -> float:
    """A first guess of the step (Hairer, Nørsett and Wanner I, II.4)."""
    d = run.d
    k = run.k
    trial = run.trial
    other = run.k_end
    size = 0.0
    slope = 0.0
    for i in range(d):
        scale = run.atol + run.rtol * abs(run.y[i])
        part = run.y[i] / scale
        size = size + part * part
        part = k[i] / scale
        slope = slope + part * part
    h = 1e-6
    if size > 1e-10 * d and slope > 1e-10 * d:
        h = 0.01 * sqrt(size / slope)
    h = min(h, run.h_max)
    signed = h if run.end > run.t else -h
    for i in range(d):
        trial[i] = run.y[i] + signed * k[i]
    if evaluate(run, run.t + signed, trial, other, 0) != 0:
        return 0.01 * signed
    change = 0.0
    for i in range(d):
        scale = run.atol + run.rtol * abs(run.y[i])
        part = (other[i] - k[i]) / scale
        change = change + part * part
    steep = max(sqrt(change / d) / h, sqrt(slope / d))
    better = max(1e-6, h * 1e-3)
    if steep > 1e-15:
        better = power_of_two(binary_logarithm(0.01 / steep) / run.order)
    better = min(min(100.0 * h, better), run.h_max)
    return better if signed > 0.0 else -better


def refuse(run: Integration, code: int) -> None:
    """Shorten the step after a refusal."""
    run.rejected = run.rejected + 1
    run.after_reject = 1
    factor = 0.25
    if code == REJECT_ERROR and run.error < 1e300:
        factor = min(0.9, max(0.1, 0.9 * power_of_two(-binary_logarithm(run.error) / run.estimate)))
    run.h = run.h * factor


def next_step(run: Integration) -> float:
    """The factor for the next step: proportional-integral control."""
    log = binary_logarithm(max(run.error, 1e-10))
    factor = 0.9 * power_of_two((-1.0 / run.estimate + 0.02) * log + 0.03 * run.last_log)
    if run.after_reject:
        factor = min(factor, 1.0)
    run.last_log = max(log, LEAST_LOG)
    return min(6.0, max(0.2, factor))


def limited(run: Integration, h: float) -> float:
    """A step not longer than the longest that is allowed."""
    if run.longest > 0.0 and abs(h) > run.longest:
        return run.longest if h > 0.0 else -run.longest
    return h


def end_of_step(run: Integration) -> float:
    """Where a step ends; steps of a fixed length are counted, so that times do not gather rounding."""
    if run.fixed:
        return run.anchor + (run.taken + 1) * run.length
    return run.t + run.h
