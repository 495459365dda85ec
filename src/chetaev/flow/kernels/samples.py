"""An event function on a part of a step, known by its values: the polynomial through them, and its bounds,
the root between two signs, the extremum.

On s = middle + radius·x, −1 ≤ x ≤ 1, the polynomial takes the values at x_j = cos(πj/N),

    g(s) ≈ Σ c_k T_k(x)      c_k = (2/N) Σ″ g_j cos(πjk/N)      |T_k| ≤ 1

where Σ″ counts the first and the last term half. So c₀ ± Σ |c_k| bounds it, and the coefficients of dg/dx and
d²g/dx² bound those. The bounds are widened by what is missed: the last two coefficients, and the differences
at two points between the samples. Nothing is said of what is narrower than the distance of samples.
"""

from math import isfinite

from chetaev.flow.kernels.arrays import Floats
from chetaev.flow.kernels.by_scheme import interpolate
from chetaev.flow.kernels.integration import DEGREE, SAMPLES, Integration, Search

# what is known of a part
LOW = 0  # bounds of g
HIGH = 1
SLOPES = 2  # of dg/dx
BENDS = 4  # of d²g/dx²
SIZE = 6  # the largest |g| among the samples
KNOWN_BY = 7
MISSED = 8  # what the polynomial may be off by, somewhere between the samples

# how it is known
SMOOTH = 0  # by the polynomial
BROKEN = 1  # there are values that are no finite numbers
UNDEFINED = 2  # no sample has a value

FULL_TURN = 2 * DEGREE - 1
"""cos(πm/N) has the period 2N in m, a power of two."""
LARGE = 1e290
"""Of values that are larger sums may overflow; they are scaled."""
DOWN = 1e-30
ROUNDING = 2.3e-16
"""Of a sum, as a part of its largest term."""
PERTURBED = 9
"""Values of an entry of the state, within its accuracy, at which an event is computed."""
THIRDS = 80
"""Times that a third is cut off to find the least value between two."""
NOTHING_OF = 1e-3
"""A value that is a smaller part of another, at the least of the function, is zero beside it."""
SHORT = 1.0 / 64
"""The part of an accuracy over which a slope is taken."""
ULPS = 16
"""Roundings of the time and of the state within which a function is not known."""


def sample(run: Search, left: float, right: float, table: Floats) -> None:
    """All event functions at the nodes of a part, from right to left, and at two points in between."""
    middle = 0.5 * (left + right)
    radius = 0.5 * (right - left)
    for j in range(SAMPLES):
        x = middle + radius * run.nodes[j]
        if j == 0:
            x = right
        if j == DEGREE:
            x = left
        point(run, x, run.scratch)
        run.event(run.t + x * run.h, run.scratch, run.p, table[j * run.events :], run.values)


def fit(run: Search, e: int, table: Floats, bounds: Floats) -> None:
    """The bounds of event e on a part, from its samples."""
    events = run.events
    c = run.coefficients
    size = 0.0
    up = 0
    down = 0
    infinite = 0
    for j in range(SAMPLES):
        g = table[j * events + e]
        if g > 0.0:
            up = up + 1
        if g < 0.0:
            down = down + 1
        if isfinite(g):
            size = max(size, abs(g))
        else:
            infinite = infinite + 1
    bounds[SIZE] = size
    bounds[MISSED] = 0.0
    bounds[KNOWN_BY] = float(SMOOTH)
    if infinite > 0:
        unbroken = up == SAMPLES or down == SAMPLES  # infinite values have a sign, and that is enough
        bounds[KNOWN_BY] = float(SMOOTH if unbroken else BROKEN)
        if infinite == SAMPLES and not unbroken and up == 0 and down == 0:
            bounds[KNOWN_BY] = float(UNDEFINED)
        for i in range(SIZE):
            bounds[i] = 1e308 if i % 2 == 1 else -1e308
        if unbroken:
            bounds[LOW] = 1e300 if up > 0 else -1e308
            bounds[HIGH] = 1e308 if up > 0 else -1e300
        return
    scale = 2.0 / DEGREE if size < LARGE else 2.0 / DEGREE * DOWN
    for k in range(DEGREE + 1):
        total = 0.5 * table[e] * scale
        for j in range(1, DEGREE):
            total = total + table[j * events + e] * scale * run.cosines[(j * k) & FULL_TURN]
        total = total + 0.5 * table[DEGREE * events + e] * scale * run.cosines[(DEGREE * k) & FULL_TURN]
        c[k] = total
    c[0] = 0.5 * c[0]
    c[DEGREE] = 0.5 * c[DEGREE]
    missed = 2.0 * (abs(c[DEGREE - 1]) + abs(c[DEGREE])) + 2.0 * DEGREE * ROUNDING * size * scale
    scale = 0.5 * DEGREE * scale
    above = 0.0
    below = 0.0
    for k in range(DEGREE + 1):
        term = c[k] * run.between[k]
        above = above + term
        below = below + (term if k % 2 == 0 else -term)
    missed = missed + abs(above - table[(DEGREE + 1) * events + e] * scale)
    missed = missed + abs(below - table[(DEGREE + 2) * events + e] * scale)
    bounds[MISSED] = missed
    spread(c, missed, bounds)
    derive_series(c)
    spread(c, missed * DEGREE * DEGREE, bounds[SLOPES:])
    derive_series(c)
    spread(c, missed * DEGREE * DEGREE * DEGREE * DEGREE / 3.0, bounds[BENDS:])


def spread(c: Floats, missed: float, bounds: Floats) -> None:
    """The bounds of a polynomial and of what it misses."""
    for k in range(1, DEGREE + 1):
        missed = missed + abs(c[k])
    bounds[0] = c[0] - missed
    bounds[1] = c[0] + missed


def derive_series(c: Floats) -> None:
    """The coefficients of the derivative by x: c′_{k−1} = c′_{k+1} + 2k c_k, the first of them half."""
    after = 0.0
    behind = 0.0
    for k in range(DEGREE, 0, -1):
        new = behind + 2.0 * k * c[k]
        c[k] = after
        behind = after
        after = new
    c[0] = 0.5 * after


def least_size(bounds: Floats) -> float:
    """The smallest size between two bounds."""
    return max(max(bounds[0], -bounds[1]), 0.0)


def doubt(run: Search, e: int, s: float, g: float) -> float:
    """η: how far the value g of an event at the fraction s of the step is open towards zero.

    The sum of how much nearer to zero it comes, or to the other sign, if an entry of the state is off by its
    accuracy δ, but at most |∂g/∂y| δ; or the most that roundings change, if that is more.
    """
    if not isfinite(g):
        return 0.0
    values = run.values
    state = run.scratch
    total = 0.0
    change = 0.0
    time = run.t + s * run.h
    for i in range(2 * run.n):
        point(run, s, state)
        y = state[i]
        reach = run.rtol * (1.0 + abs(y)) * (1.0 + run.gathered)
        for k in range(PERTURBED):
            run.coefficients[k] = perturbed(run, e, time, i, y + reach * (2.0 * k / (PERTURBED - 1) - 1.0))
        total = total + nearer(run, e, time, i, y, reach, g)
        rounded = ULPS * ROUNDING * (abs(run.y[i]) + abs(run.new[i]))
        before = perturbed(run, e, time, i, y - rounded)
        after = perturbed(run, e, time, i, y + rounded)
        change = max(change, wavering(before, g, after))
    point(run, s, state)
    for turn in range(4, ULPS + 1, 4):
        run.event(time * (1.0 - turn * ROUNDING), state, run.p, values, values)
        before = values[e]
        run.event(time * (1.0 + turn * ROUNDING), state, run.p, values, values)
        change = max(change, wavering(before, g, values[e]))
    return max(total, change)


def perturbed(run: Search, e: int, time: float, i: int, value: float) -> float:
    """Event e at the state at hand, with another value for the i-th entry."""
    values = run.values
    run.scratch[i] = value
    run.event(time, run.scratch, run.p, values, values)
    return values[e]


def finite(x: float) -> float:
    """|x|, 0 for what is no number."""
    return abs(x) if isfinite(x) else 0.0


def wavering(before: float, g: float, after: float) -> float:
    """How far g is open by roundings, from the values with roundings to both sides.

    By how much it comes nearer to zero; where it does not, by how much it goes away, as beside a touch or a
    simple zero. Of another sign nothing is said: there may be a zero in between, or a pole.
    """
    a = abs(before) - abs(g) if isfinite(before) and before * g >= 0.0 else 0.0
    b = abs(after) - abs(g) if isfinite(after) and after * g >= 0.0 else 0.0
    if a < 0.0 or b < 0.0:
        return -min(a, b)
    return min(a, b) if a > 0.0 and b > 0.0 else max(a, b)


def nearer(run: Search, e: int, time: float, i: int, y: float, reach: float, g: float) -> float:
    """How much nearer to zero than g an event comes, or beyond it, within the accuracy of the i-th entry y.

    By the values in ``row``, and where the least of them has neighbours on both sides, by the least value
    between those. If that is zero, the function touches it, and is open by all that it changes; where it
    changes its sign on both sides, by its slope only, for two zeros that lie so close are told apart. Beside
    a pole g is the largest value, or the sign changes beside that, as it does by a jump: none of this counts.
    """
    sense = -1.0 if g < 0.0 else 1.0
    row = run.coefficients
    last = PERTURBED - 1
    largest = 0.0
    spread_of = 0.0
    best = 0
    for k in range(PERTURBED):
        largest = max(largest, finite(row[k]))
        spread_of = max(spread_of, finite(row[k] - g))
        if sense * row[k] < sense * row[best] or not isfinite(row[best]):
            best = k
    if abs(g) >= largest:
        return 0.0
    for k in range(1, PERTURBED):
        if row[k] * row[k - 1] < 0.0 and max(abs(row[k]), abs(row[k - 1])) > 0.95 * largest:
            return 0.0
    least = min(sense * row[best], sense * g)
    if row[0] * g < 0.0 and row[last] * g < 0.0:
        before = perturbed(run, e, time, i, y - SHORT * reach)
        after = perturbed(run, e, time, i, y + SHORT * reach)
        return min(max(finite(before - g), finite(after - g)) / SHORT, sense * g - least)
    if best > 0 and best < last and least > 0.0:
        width = 2.0 * reach / last
        left = y - reach + (best - 1) * width
        right = left + 2.0 * width
        for _turn in range(THIRDS):
            third = (right - left) / 3.0
            a = sense * perturbed(run, e, time, i, left + third)
            b = sense * perturbed(run, e, time, i, right - third)
            least = min(least, min(a, b))
            if a < b:
                right = right - third
            else:
                left = left + third
        if least < NOTHING_OF * abs(g):
            return spread_of
    return sense * g - least


def extremum(run: Search, e: int, left: float, right: float, table: Floats, sense: float) -> float:
    """Where sense·g is least on a part, −1 if at one of its ends.

    By parabolas through three values ever closer together, from the least sample on.
    """
    best = 0
    for j in range(1, DEGREE + 1):
        if sense * table[j * run.events + e] < sense * table[best * run.events + e]:
            best = j
    radius = 0.5 * (right - left)
    s = 0.5 * (left + right) + radius * run.nodes[best]
    width = radius * (run.nodes[max(best - 1, 0)] - run.nodes[min(best + 1, DEGREE)])
    g = sense * value_at(run, e, s)
    for _turn in range(12):
        before = sense * value_at(run, e, s - width)
        after = sense * value_at(run, e, s + width)
        bend = before - 2.0 * g + after
        if not bend > 32.0 * ROUNDING * (abs(before) + abs(after)):
            break
        move = 0.5 * width * (before - after) / bend
        x = min(max(s + min(max(move, -width), width), left), right)
        there = sense * value_at(run, e, x)
        if there <= g:
            s = x
            g = there
        width = 0.05 * width
    return s if s > left and s < right else -1.0


def point(run: Integration, x: float, out: Floats) -> None:
    """The dense output of the current step at the fraction x."""
    for i in range(run.d):
        out[i] = interpolate(run.d, i, run.y, run.dense, x)


def value_at(run: Integration, e: int, x: float) -> float:
    """Event function e at the fraction x of the step."""
    state = run.scratch
    values = run.values
    point(run, x, state)
    run.event(run.t + x * run.h, state, run.p, values, values)
    return values[e]


def too_short(run: Integration, left: float, right: float) -> int:
    """Whether nothing in double precision lies between two fractions of the step."""
    if (right - left) * abs(run.h) <= 4e-16 * max(abs(run.t), abs(run.t + run.h)):
        return 1
    return 1 if right - left < 4e-16 else 0


def locate(run: Integration, e: int, left: float, right: float, at_left: float, at_right: float) -> float:
    """The fraction of the step just past the change of sign of event e between two fractions."""
    a = at_left
    b = at_right
    for turn in range(100):
        if too_short(run, left, right) == 1:
            break
        middle = 0.5 * (left + right)
        if turn % 3 != 2 and b != a and isfinite(b - a):
            middle = left - a * (right - left) / (b - a)
            gap = 1e-3 * (right - left)
            middle = min(max(middle, left + gap), right - gap)
        c = value_at(run, e, middle)
        if (c > 0.0 and at_left > 0.0) or (c < 0.0 and at_left < 0.0):
            left = middle
            a = c
            b = 0.5 * b
        else:
            right = middle
            b = c
            a = 0.5 * a
    return right
