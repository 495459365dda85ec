"""A curve {G = 0} followed by pseudo-arclength: predict along the tangent, correct across it.

The tangent t spans the kernel of J = ∂G/∂x (one row less than columns). From x the next point solves G = 0
and t·(y − x − h t) = 0 by Newton's method, so that turning back of the parameter is no obstacle. The step
h grows where few iterations were enough and the tangent hardly turned, and is halved where not.

Keller, Numerical solution of bifurcation and nonlinear eigenvalue problems (1977).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.branches.steady_set import CurveOfZeros
from chetaev.numeric import SingularMatrixError, kernel, norm, solve

Array = NDArray[np.float64]
ITERATIONS = 8
CONVERGED = 1e-11
ROUNDOFF = 1e-13
LARGEST = 0.05
SMALLEST = 1e-7
TURN = 0.94
"""Cosine of the largest angle between two tangents."""
FAR = 1e4


@dataclass(frozen=True)
class CurvePoint:
    """A point of the curve with its unit tangent and det(J; t), up to a common scale."""

    x: Array
    tangent: Array
    orientation: float


@dataclass
class Traced:
    """The points of one curve in order; why it ended."""

    steps: list[CurvePoint] = field(default_factory=list)
    ended: str = ""
    closed: bool = False


def tangent_at(curve: CurveOfZeros, x: Array, along: Array | None) -> CurvePoint | None:
    """The tangent that points along a direction."""
    _, J = curve(x)
    if not np.isfinite(J).all():
        return None
    t = kernel(J, rank=len(J))[:, 0]
    if along is not None and t @ along < 0:
        t = -t
    return CurvePoint(x, t, np.linalg.det(np.vstack([J, t])))


def corrected(curve: CurveOfZeros, guess: Array, normal: Array, level: float) -> tuple[Array, int] | None:
    """The zero of G with normal·x = level near a guess, and in how many steps; None if it is not reached."""
    x = guess.copy()
    best = np.inf
    for count in range(ITERATIONS):
        g, J = curve(x)
        if not (np.isfinite(g).all() and np.isfinite(J).all()):
            return None
        right = np.concatenate([g, [float(normal @ x) - level]])
        try:
            step = solve(np.vstack([J, normal]), right)
        except SingularMatrixError:
            return None
        size = norm(step)
        if not np.isfinite(size) or size > 1.0:
            return None
        x = x - step
        if size < ROUNDOFF * (1 + norm(x)) or (size < CONVERGED * (1 + norm(x)) and size >= best):
            return x, count + 1
        best = size
    return (x, ITERATIONS) if best < CONVERGED * (1 + norm(x)) else None


def trace(
    curve: CurveOfZeros, start: Array, direction: Array, inside: Callable[[Array], float], most: int
) -> Traced:
    """Follow the curve from a zero of G in a direction while `inside` is positive, at most so many points.

    `inside` is a function of x that vanishes on the border of what is asked for; the last point lies on it.
    """
    found = Traced()
    here = tangent_at(curve, start, direction)
    if here is None:
        found.ended = "the law has no finite value there"
        return found
    found.steps.append(here)
    h = LARGEST / 5
    away = False
    while len(found.steps) < most:
        here = found.steps[-1]
        following = _next(curve, here, h)
        if following is None:
            h /= 2
            if h < SMALLEST:
                found.ended = _why(curve, here)
                break
            continue
        step, count = following
        if curve.miss(step.x) > 1e-6:
            found.ended = "the branch leaves the steady motions: equations that followed from the others fail"
            break
        if inside(step.x) <= 0:
            last = where(curve, here, step, lambda at: inside(at.x))
            if last is not None:
                found.steps.append(last)
            found.ended = "the range ends"
            break
        distance = norm(step.x - start)
        away = away or distance > 3 * LARGEST
        found.steps.append(step)
        if away and distance < 0.6 * norm(step.x - here.x) + 1e-12 and step.tangent @ direction > 0:
            found.closed, found.ended = True, "the branch is closed"
            break
        if norm(step.x) > FAR:
            found.ended = "the branch goes to infinity"
            break
        if count <= 4:
            h = min(LARGEST * max(1.0, norm(step.x) / 3), 1.6 * h)
    else:
        found.ended = f"{most} points were followed"
    return found


def _next(curve: CurveOfZeros, here: CurvePoint, h: float) -> tuple[CurvePoint, int] | None:
    guess = here.x + h * here.tangent
    end = corrected(curve, guess, here.tangent, float(here.tangent @ guess))
    if end is None or norm(end[0] - guess) > 0.5 * h:
        return None
    step = tangent_at(curve, end[0], here.tangent)
    if step is None or (step.tangent @ here.tangent < TURN and h > 64 * SMALLEST):
        return None
    return step, end[1]


def _why(curve: CurveOfZeros, here: CurvePoint) -> str:
    g, J = curve(here.x + SMALLEST * here.tangent)
    if not (np.isfinite(g).all() and np.isfinite(J).all()):
        return "the law has no finite value beyond"
    return "the equations are singular beyond"


def between(curve: CurveOfZeros, a: CurvePoint, b: CurvePoint, part: float) -> CurvePoint | None:
    """The point of the curve across the chord from a to b, at a part of its length."""
    chord = b.x - a.x
    length = norm(chord)
    if length == 0:
        return a
    normal = chord / length
    guess = _hermite(a, b, part)
    end = corrected(curve, guess, normal, float(normal @ (a.x + part * chord)))
    return None if end is None else tangent_at(curve, end[0], a.tangent + b.tangent)


def _hermite(a: CurvePoint, b: CurvePoint, s: float) -> Array:
    length = norm(b.x - a.x)
    h00, h10 = (1 + 2 * s) * (1 - s) ** 2, s * (1 - s) ** 2
    h01, h11 = s * s * (3 - 2 * s), s * s * (s - 1)
    return np.asarray(h00 * a.x + h10 * length * a.tangent + h01 * b.x + h11 * length * b.tangent)


def where(
    curve: CurveOfZeros, a: CurvePoint, b: CurvePoint, test: Callable[[CurvePoint], float | None]
) -> CurvePoint | None:
    """The point between a and b at which a function changes its sign (Illinois); None if it is not found."""
    low, high = 0.0, 1.0
    at_low, at_high = test(a), test(b)
    if at_low is None or at_high is None:
        return None
    if at_low == 0:
        return a
    if at_high == 0:
        return b
    if (at_low > 0) == (at_high > 0):
        return None
    side, best = 0, None
    for count in range(90):
        part = high - at_high * (high - low) / (at_high - at_low)
        if count % 8 == 7 or not low < part < high:
            part = (low + high) / 2
        step = between(curve, a, b, part)
        value = None if step is None else test(step)
        if step is None or value is None:
            return best
        best = step
        if value == 0 or high - low < 4e-16 or min(part - low, high - part) < 1e-16:
            return step
        if (value > 0) == (at_high > 0):
            high, at_high = part, value
            if side == -1:
                at_low /= 2
            side = -1
        else:
            low, at_low = part, value
            if side == 1:
                at_high /= 2
            side = 1
    return best
