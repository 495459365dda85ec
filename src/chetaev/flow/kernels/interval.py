"""Interval arithmetic with outward rounding: [a] ∘ [b] ⊇ {x ∘ y : x ∈ [a], y ∈ [b]}.

An interval is two numbers in a row of an array, its lower and its upper end; an end may be infinite, and
0 · ∞ = 0 (Moore, Kearfott and Cloud, *Introduction to Interval Analysis*, 2009). A result is moved outwards
by more than the rounding of the operation, a result of the C library by more than its error; results below
1e-300 count as zero.
"""

from math import acos, acosh, asin, asinh, atan, atan2, atanh, cos, cosh, exp, log, sin, sinh, sqrt, tan, tanh

from chetaev.flow.kernels.arrays import Floats

INF = float("inf")
LARGE = 1.79e308
ROUND = 2.3e-16
"""Relative error of one operation, more than 2⁻⁵³."""
LIBRARY = 2e-15
"""Relative error of a function of the C library, more than any known one makes."""
PI = 3.141592653589793


def below(x: float, relative: float) -> float:
    """A little less than x."""
    return min(x - abs(x) * relative, LARGE)


def above(x: float, relative: float) -> float:
    """A little more than x."""
    return max(x + abs(x) * relative, -LARGE)


def product(x: float, y: float) -> float:
    """x y with 0 · ∞ = 0."""
    if x == 0.0 or y == 0.0:
        return 0.0
    return x * y


def put(out: Floats, low: float, high: float) -> None:
    """Write an interval."""
    out[0] = low
    out[1] = high


def put_rounded(out: Floats, low: float, high: float, relative: float) -> None:
    """Write an interval moved outwards."""
    out[0] = below(low, relative)
    out[1] = above(high, relative)


def size_of(a: Floats) -> float:
    """The largest |x| of an interval."""
    return max(abs(a[0]), abs(a[1]))


def distance_from_zero(a: Floats) -> float:
    """The smallest |x| of an interval."""
    if a[0] > 0.0:
        return a[0]
    if a[1] < 0.0:
        return -a[1]
    return 0.0


def interval_sum(a: Floats, b: Floats, out: Floats) -> None:
    """[a] + [b]."""
    put_rounded(out, a[0] + b[0], a[1] + b[1], ROUND)


def interval_product(a: Floats, b: Floats, out: Floats) -> None:
    """[a] [b]."""
    ll = product(a[0], b[0])
    lh = product(a[0], b[1])
    hl = product(a[1], b[0])
    hh = product(a[1], b[1])
    put_rounded(out, min(min(ll, lh), min(hl, hh)), max(max(ll, lh), max(hl, hh)), ROUND)


def interval_scaled(a: Floats, factor: float, out: Floats) -> None:
    """[a] times a number."""
    x = product(a[0], factor)
    y = product(a[1], factor)
    put_rounded(out, min(x, y), max(x, y), ROUND)


def interval_square(a: Floats, out: Floats) -> None:
    """[a]²."""
    low = distance_from_zero(a)
    high = size_of(a)
    put_rounded(out, low * low, high * high, ROUND)


def interval_inverse(a: Floats, out: Floats) -> int:
    """1/[a]; returns 1 if 0 is inside, where the result is everything that has no bound."""
    if a[0] > 0.0 or a[1] < 0.0:
        put_rounded(out, 1.0 / a[1], 1.0 / a[0], ROUND)
        return 0
    low = -INF
    high = INF
    if a[0] == 0.0 and a[1] > 0.0:
        low = below(1.0 / a[1], ROUND)
    if a[1] == 0.0 and a[0] < 0.0:
        high = above(1.0 / a[0], ROUND)
    put(out, low, high)
    return 1


def clipped(x: float, low: float, high: float) -> float:
    """x within bounds."""
    return min(max(x, low), high)


def downward(x: float) -> float:
    """The largest whole number not above x, as a float; |x| < 9e18."""
    whole = float(int(x))
    if whole > x:
        return whole - 1.0
    return whole


def circle_range(low: float, high: float, shift: float, a: float, b: float, out: Floats) -> None:
    """cos (shift 0) or sin (shift 1/2) of an interval: its values a, b at the ends, and the extreme values ±1
    where (k + shift)π may lie inside.
    """
    if not (high - low < 6.3 and abs(low) < 1e15 and abs(high) < 1e15):
        put(out, -1.0, 1.0)
        return
    near = 1e-9 + 4e-16 * max(abs(low), abs(high))
    first = -downward(near + shift - low / PI)
    last = downward(high / PI - shift + near)
    spread = LIBRARY * max(abs(a), abs(b))
    put(out, max(min(a, b) - spread, -1.0), min(max(a, b) + spread, 1.0))
    if first <= last:
        even = first == 2.0 * downward(0.5 * first)
        if even or last > first:
            out[1] = 1.0
        if last > first or not even:
            out[0] = -1.0


def cosine_range(low: float, high: float, out: Floats) -> None:
    """cos of an interval."""
    circle_range(low, high, 0.0, cos(clipped(low, -1e18, 1e18)), cos(clipped(high, -1e18, 1e18)), out)


def sine_range(low: float, high: float, out: Floats) -> None:
    """sin of an interval."""
    circle_range(low, high, 0.5, sin(clipped(low, -1e18, 1e18)), sin(clipped(high, -1e18, 1e18)), out)


def tangent_range(low: float, high: float, out: Floats) -> int:
    """tan of an interval; returns 1 if a pole may lie inside."""
    put(out, -INF, INF)
    if not (high - low < 3.2 and abs(low) < 1e15 and abs(high) < 1e15):
        return 1
    near = 4e-16 * max(abs(low), abs(high))
    if downward(low / PI + 0.5 - near) != downward(high / PI + 0.5 + near):
        return 1
    put_rounded(out, tan(low), tan(high), LIBRARY)
    return 0


def exponential(x: float) -> float:
    """exp without overflow errors."""
    if x > 709.7:
        return INF
    return exp(x)


def hyperbolic_sine(x: float) -> float:
    """sinh without overflow errors."""
    if x > 710.0:
        return INF
    if x < -710.0:
        return -INF
    return sinh(x)


def hyperbolic_cosine(x: float) -> float:
    """cosh without overflow errors."""
    if abs(x) > 710.0:
        return INF
    return cosh(x)


def raised(x: float, n: float) -> float:
    """xⁿ for x ≥ 0, without errors."""
    if n == 0.0 or x == 1.0:
        return 1.0
    if x == 0.0:
        return 0.0 if n > 0.0 else INF
    if x == INF:
        return INF if n > 0.0 else 0.0
    digits = n * log(x)
    if digits > 709.7:
        return INF
    if digits < -745.0:
        return 0.0
    result: float = x**n
    return result


def power_range(low: float, high: float, n: float, out: Floats) -> int:
    """[x]ⁿ for a number n; returns 1 if it is undefined in parts or may have a pole, 2 if it is undefined."""
    relative = LIBRARY * (1.0 + abs(n))
    whole = abs(n) < 1e9 and n == downward(min(max(n, -1e9), 1e9))
    if n == 0.0:
        put(out, 1.0, 1.0)
        return 0
    if low >= 0.0 or (not whole):
        if high < 0.0:
            put(out, -INF, INF)
            return 2
        a = raised(max(low, 0.0), n)
        b = raised(high, n)
        put_rounded(out, min(a, b), max(a, b), relative)
        return 1 if low < 0.0 or (low == 0.0 and n < 0.0) else 0
    half = 0.5 * n
    even = half == downward(half)
    a = raised(-low, n)
    if not even:
        a = -a
    if high <= 0.0:
        b = raised(-high, n)
        if not even:
            b = -b
        put_rounded(out, min(a, b), max(a, b), relative)
        if n < 0.0 and high == 0.0:
            if not even:
                out[0] = -INF
            return 1
        return 0
    b = raised(high, n)
    if n > 0.0:
        put_rounded(out, 0.0 if even else a, max(a, b), relative)
        return 0
    put(out, below(min(a, b), relative) if even else -INF, INF)
    return 1


def angle_range(y: Floats, x: Floats, out: Floats) -> int:
    """atan2 of two intervals; returns 1 if the cut along the negative axis or the origin is met."""
    if x[0] <= 0.0 and y[0] <= 0.0 and y[1] >= 0.0:
        put(out, -PI - 1e-15, PI + 1e-15)
        return 1
    a = atan2(y[0], x[0])
    b = atan2(y[0], x[1])
    c = atan2(y[1], x[0])
    d = atan2(y[1], x[1])
    put_rounded(out, min(min(a, b), min(c, d)), max(max(a, b), max(c, d)), LIBRARY)
    return 0


def arc_range(kind: int, low: float, high: float, out: Floats) -> int:
    """Functions with a bounded domain, asin (0), acos (1), atanh (2): 1 partly outside of it, 2 wholly."""
    if high < -1.0 or low > 1.0:
        put(out, -INF, INF)
        return 2
    a = clipped(low, -1.0, 1.0)
    b = clipped(high, -1.0, 1.0)
    outside = 1 if low < -1.0 or high > 1.0 else 0
    if kind == 0:
        put_rounded(out, asin(a), asin(b), LIBRARY)
    elif kind == 1:
        put_rounded(out, acos(b), acos(a), LIBRARY)
    else:
        put(out, -INF, INF)
        if a > -1.0:
            out[0] = INF
            if a < 1.0:
                out[0] = below(atanh(a), LIBRARY)
        if b < 1.0:
            out[1] = -INF
            if b > -1.0:
                out[1] = above(atanh(b), LIBRARY)
        if low <= -1.0 or high >= 1.0:
            outside = 1
    return outside


def half_line_range(kind: int, low: float, high: float, out: Floats) -> int:
    """Functions on a half-line, sqrt (0), log (1), acosh (2): 1 partly outside of it, 2 wholly."""
    start = 1.0 if kind == 2 else 0.0
    if high < start:
        put(out, -INF, INF)
        return 2
    a = max(low, start)
    outside = 1 if low < start else 0
    if kind == 0:
        put_rounded(out, sqrt(a), sqrt(high), ROUND)
    elif kind == 1:
        put(out, -INF, -INF)
        if a > 0.0:
            out[0] = below(log(a), LIBRARY)
        else:
            outside = 1
        if high > 0.0:
            out[1] = above(log(high), LIBRARY)
    else:
        put_rounded(out, acosh(a), acosh(high), LIBRARY)
    return outside


def smooth_range(kind: int, low: float, high: float, out: Floats) -> None:
    """Functions that rise on the whole line: exp (0), sinh (1), tanh (2), asinh (3), atan (4)."""
    if kind == 0:
        put_rounded(out, exponential(low), exponential(high), LIBRARY)
    elif kind == 1:
        put_rounded(out, hyperbolic_sine(low), hyperbolic_sine(high), LIBRARY)
    elif kind == 2:
        put_rounded(out, tanh(low), tanh(high), LIBRARY)
    elif kind == 3:
        put_rounded(out, asinh(low), asinh(high), LIBRARY)
    else:
        put_rounded(out, atan(low), atan(high), LIBRARY)
