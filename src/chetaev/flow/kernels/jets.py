"""Second-order jets over intervals: g, dg/ds and d²g/ds² on a part of a step, by a tape of operations.

A jet is a row of eight numbers: three intervals that hold g, g′ and g″ for every s of the part, a bound of
what errors of the state may change in g to first order, and a mark. By the chain and product rules

    (u v)″ = u″v + 2u′v′ + u v″      (f∘u)′ = f′(u) u′      (f∘u)″ = f″(u) u′² + f′(u) u″

Where a kink may lie, g′ is the hull of both sides' slopes and g″ is everything; a function that may jump,
have a pole or end there is marked.
"""

from chetaev.flow.kernels.arrays import Floats
from chetaev.flow.kernels.interval import (
    INF,
    LIBRARY,
    above,
    angle_range,
    arc_range,
    below,
    cosine_range,
    half_line_range,
    hyperbolic_cosine,
    interval_inverse,
    interval_product,
    interval_scaled,
    interval_square,
    interval_sum,
    power_range,
    product,
    put,
    put_rounded,
    sine_range,
    size_of,
    smooth_range,
    tangent_range,
)

JET = 8
UNSURE = 6
MARK = 7
BROKEN = 1  # may jump, have a pole, or be undefined in parts
UNDEFINED = 2  # undefined everywhere
JUMPS = 4  # may jump through zero, by a sign function

# operations of a tape
OP_ADD = 4
OP_MUL = 5
OP_DIV = 6
OP_NEG = 7
OP_POW = 8
OP_ATAN2 = 9
OP_MIN = 10
OP_MAX = 11
OP_ABS = 12
OP_SIGN = 13
OP_SIN = 14
OP_COS = 15
OP_TAN = 16
OP_SQRT = 17
OP_LOG = 18
OP_ACOSH = 19
OP_ASIN = 20
OP_ACOS = 21
OP_ATANH = 22
OP_EXP = 23
OP_SINH = 24
OP_TANH = 25
OP_ASINH = 26
OP_ATAN = 27
OP_COSH = 28


def joined_mark(a: Floats, b: Floats) -> float:
    """What is marked in either jet."""
    return float(marks_of(a) | marks_of(b))


def marks_of(a: Floats) -> int:
    """The mark of a jet."""
    return int(a[MARK])


def constant_jet(value: float, out: Floats) -> None:
    """A number."""
    put(out, value, value)
    for i in range(2, JET):
        out[i] = 0.0


def jet_sum(u: Floats, v: Floats, out: Floats) -> None:
    """u + v."""
    for i in range(0, 6, 2):
        interval_sum(u[i:], v[i:], out[i:])
    out[UNSURE] = u[UNSURE] + v[UNSURE]
    out[MARK] = joined_mark(u, v)


def jet_negative(u: Floats, out: Floats) -> None:
    """−u."""
    for i in range(0, 6, 2):
        put(out[i:], -u[i + 1], -u[i])
    out[UNSURE] = u[UNSURE]
    out[MARK] = u[MARK]


def jet_product(u: Floats, v: Floats, out: Floats, room: Floats) -> None:
    """u v."""
    interval_product(u, v, out)
    interval_product(u, v[2:], room)
    interval_product(u[2:], v, room[2:])
    interval_sum(room, room[2:], out[2:])
    interval_product(u, v[4:], room)
    interval_product(u[4:], v, room[2:])
    interval_sum(room, room[2:], room[4:])
    interval_product(u[2:], v[2:], room)
    interval_scaled(room, 2.0, room[2:])
    interval_sum(room[2:], room[4:], out[4:])
    out[UNSURE] = product(size_of(u), v[UNSURE]) + product(size_of(v), u[UNSURE])
    out[MARK] = joined_mark(u, v)


def jet_square(u: Floats, out: Floats, room: Floats) -> None:
    """u²: tighter than u u, whose factors could lie apart."""
    interval_square(u, out)
    interval_product(u, u[2:], room)
    interval_scaled(room, 2.0, out[2:])
    interval_square(u[2:], room)
    interval_product(u, u[4:], room[2:])
    interval_sum(room, room[2:], room[4:])
    interval_scaled(room[4:], 2.0, out[4:])
    out[UNSURE] = 2.0 * product(size_of(u), u[UNSURE])
    out[MARK] = u[MARK]


def jet_quotient(u: Floats, v: Floats, out: Floats, room: Floats) -> None:
    """q = u/v by q′ = (u′ − q v′)/v, q″ = (u″ − 2q′v′ − q v″)/v."""
    inverse = room[6:]
    mark = joined_mark(u, v)
    if interval_inverse(v, inverse) == 1:
        mark = float(int(mark) | BROKEN)
    interval_product(u, inverse, out)
    interval_product(out, v[2:], room)
    put_rounded(room[2:], u[2] - room[1], u[3] - room[0], LIBRARY)
    interval_product(room[2:], inverse, out[2:])
    interval_product(out[2:], v[2:], room)
    interval_scaled(room, 2.0, room[2:])
    interval_product(out, v[4:], room)
    interval_sum(room, room[2:], room[4:])
    put_rounded(room, u[4] - room[5], u[5] - room[4], LIBRARY)
    interval_product(room, inverse, out[4:])
    out[UNSURE] = product(u[UNSURE] + product(size_of(out), v[UNSURE]), size_of(inverse))
    out[MARK] = mark


def chained(u: Floats, f: Floats, mark: int, out: Floats, room: Floats) -> None:
    """f∘u from the ranges of f, f′, f″ over the range of u."""
    put(out, f[0], f[1])
    interval_product(f[2:], u[2:], out[2:])
    interval_square(u[2:], room)
    interval_product(room, f[4:], room[2:])
    interval_product(f[2:], u[4:], room)
    interval_sum(room, room[2:], out[4:])
    out[UNSURE] = product(size_of(f[2:]), u[UNSURE])
    out[MARK] = float(marks_of(u) | mark)
    if mark != 0:
        put(out[2:], -INF, INF)
        put(out[4:], -INF, INF)


def jet_power(u: Floats, n: float, out: Floats, room: Floats) -> None:
    """uⁿ for a number n."""
    f = room[4:]
    mark = power_range(u[0], u[1], n, f)
    power_range(u[0], u[1], n - 1.0, room)
    interval_scaled(room, n, f[2:])
    power_range(u[0], u[1], n - 2.0, room)
    interval_scaled(room, n * (n - 1.0), f[4:])
    chained(u, f, mark, out, room)


def jet_angle(y: Floats, x: Floats, out: Floats, room: Floats) -> None:
    """θ = atan2(y, x): θ′ = (x y′ − y x′)/r², θ″ = ((x y″ − y x″) − 2θ′(x x′ + y y′))/r²."""
    mark = angle_range(y, x, out)
    inverse = room[6:]
    interval_square(x, room)
    interval_square(y, room[2:])
    interval_sum(room, room[2:], room[4:])
    interval_inverse(room[4:], inverse)
    rotation(y[2:], x[2:], y, x, room)
    interval_product(room[4:], inverse, out[2:])
    interval_product(x, x[2:], room)
    interval_product(y, y[2:], room[2:])
    interval_sum(room, room[2:], room[4:])
    interval_product(room[4:], out[2:], room)
    interval_scaled(room, -2.0, room[8:])
    rotation(y[4:], x[4:], y, x, room)
    interval_sum(room[4:], room[8:], room)
    interval_product(room, inverse, out[4:])
    reach = product(size_of(x), y[UNSURE]) + product(size_of(y), x[UNSURE])
    out[UNSURE] = product(reach, size_of(inverse))
    out[MARK] = float(int(joined_mark(y, x)) | mark)
    if mark != 0:
        put(out[2:], -INF, INF)
        put(out[4:], -INF, INF)


def rotation(dy: Floats, dx: Floats, y: Floats, x: Floats, room: Floats) -> None:
    """x dy − y dx, to the third interval of the room."""
    interval_product(x, dy, room)
    interval_product(y, dx, room[2:])
    put_rounded(room[4:], room[0] - room[3], room[1] - room[2], LIBRARY)


def jet_extreme(u: Floats, v: Floats, least: int, out: Floats) -> None:
    """min (least = 1) or max of two jets."""
    below_v = u[1] < v[0]
    above_v = u[0] > v[1]
    if (below_v and least == 1) or (above_v and least == 0):
        copy_jet(u, out)
    elif (above_v and least == 1) or (below_v and least == 0):
        copy_jet(v, out)
    else:
        if least == 1:
            put(out, min(u[0], v[0]), min(u[1], v[1]))
        else:
            put(out, max(u[0], v[0]), max(u[1], v[1]))
        put(out[2:], min(u[2], v[2]), max(u[3], v[3]))
        put(out[4:], -INF, INF)
        out[UNSURE] = max(u[UNSURE], v[UNSURE])
    out[MARK] = joined_mark(u, v)


def copy_jet(u: Floats, out: Floats) -> None:
    """The same jet in another place."""
    for i in range(JET):
        out[i] = u[i]


def jet_size(u: Floats, out: Floats) -> None:
    """|u|."""
    if u[0] >= 0.0:
        copy_jet(u, out)
    elif u[1] <= 0.0:
        jet_negative(u, out)
    else:
        put(out, 0.0, size_of(u))
        slope = size_of(u[2:])
        put(out[2:], -slope, slope)
        put(out[4:], -INF, INF)
        out[UNSURE] = u[UNSURE]
        out[MARK] = u[MARK]


def jet_sign(u: Floats, settled: int, out: Floats) -> None:
    """sign u; `settled`: an interval that holds zero counts as zero."""
    constant_jet(0.0, out)
    out[MARK] = u[MARK]
    if u[0] > 0.0:
        put(out, 1.0, 1.0)
    elif u[1] < 0.0:
        put(out, -1.0, -1.0)
    elif settled == 0 and u[1] > u[0]:
        put(out, -1.0, 1.0)
        put(out[2:], -INF, INF)
        put(out[4:], -INF, INF)
        out[UNSURE] = 1.0 if u[UNSURE] > 0.0 else 0.0
        out[MARK] = float(marks_of(u) | BROKEN | JUMPS)


def jet_function(op: int, u: Floats, out: Floats, room: Floats) -> None:
    """A smooth function of one jet: the ranges of f, f′, f″, then the chain rule."""
    low = u[0]
    high = u[1]
    f = room[4:]
    mark = 0
    if op == OP_SIN:
        sine_range(low, high, f)
        cosine_range(low, high, f[2:])
        put(f[4:], -f[1], -f[0])
    elif op == OP_COS:
        cosine_range(low, high, f)
        sine_range(low, high, room)
        put(f[2:], -room[1], -room[0])
        put(f[4:], -f[1], -f[0])
    elif op == OP_TAN:
        mark = tangent_range(low, high, f)
        square_slope(f, 1.0, 2.0, room)
    elif op == OP_TANH:
        smooth_range(2, low, high, f)
        square_slope(f, -1.0, -2.0, room)
    elif op == OP_EXP:
        smooth_range(0, low, high, f)
        put(f[2:], f[0], f[1])
        put(f[4:], f[0], f[1])
    elif op == OP_SINH or op == OP_COSH:
        smooth_range(1, low, high, room)
        put(room[2:], 1.0, above(max(hyperbolic_cosine(low), hyperbolic_cosine(high)), LIBRARY))
        if low > 0.0 or high < 0.0:
            room[2] = below(min(hyperbolic_cosine(low), hyperbolic_cosine(high)), LIBRARY)
        shift = 0 if op == OP_SINH else 2
        for i in range(0, 6, 2):
            put(f[i:], room[(i + shift) % 4], room[(i + shift) % 4 + 1])
    else:
        mark = algebraic_slope(op, low, high, f, room)
    chained(u, f, mark, out, room)


def square_slope(f: Floats, sign: float, twice: float, room: Floats) -> None:
    """f′ = 1 ± f², f″ = ±2 f f′, for tan and tanh."""
    interval_square(f, room)
    interval_scaled(room, sign, room[2:])
    put_rounded(f[2:], max(1.0 + room[2], 0.0), max(1.0 + room[3], 0.0), LIBRARY)
    interval_product(f, f[2:], room)
    interval_scaled(room, twice, f[4:])


def algebraic_slope(op: int, low: float, high: float, f: Floats, room: Floats) -> int:
    """Functions whose slope is a power w of a quadratic: f′ = ±w^k, f″ = c u w^(k−1); returns the mark."""
    mark = 0
    put(room, low, high)
    if op == OP_SQRT or op == OP_LOG:
        k = -0.5 if op == OP_SQRT else -1.0
        mark = half_line_range(0 if op == OP_SQRT else 1, low, high, f)
        power_range(max(low, 0.0), max(high, 0.0), k, room)
        interval_scaled(room, 0.5 if op == OP_SQRT else 1.0, f[2:])
        power_range(max(low, 0.0), max(high, 0.0), k - 1.0, room)
        interval_scaled(room, -0.25 if op == OP_SQRT else -1.0, f[4:])
        return mark
    interval_square(room, room[2:])
    k = -0.5
    c = 1.0
    if op == OP_ASIN or op == OP_ACOS or op == OP_ATANH:
        put_rounded(room[2:], max(1.0 - room[3], 0.0), max(1.0 - room[2], 0.0), LIBRARY)
        if op == OP_ATANH:
            k = -1.0
            c = 2.0
        mark = arc_range(op - OP_ASIN, low, high, f)
    elif op == OP_ACOSH:
        put_rounded(room[2:], max(room[2] - 1.0, 0.0), max(room[3] - 1.0, 0.0), LIBRARY)
        c = -1.0
        mark = half_line_range(2, low, high, f)
    else:
        put_rounded(room[2:], room[2] + 1.0, room[3] + 1.0, LIBRARY)
        c = -1.0
        if op == OP_ATAN:
            k = -1.0
            c = -2.0
        smooth_range(3 if op == OP_ASINH else 4, low, high, f)
    power_range(room[2], room[3], k, f[2:])
    put(room, low, high)
    base = f[4:]
    power_range(room[2], room[3], k - 1.0, base)
    low_base = base[0]
    high_base = base[1]
    put(room[2:], low_base, high_base)
    interval_product(room, room[2:], base)
    put(room[2:], base[0], base[1])
    interval_scaled(room[2:], c, base)
    if op == OP_ACOS:
        put(room, f[2], f[3])
        put(f[2:], -room[1], -room[0])
        put(room, base[0], base[1])
        put(base, -room[1], -room[0])
    return mark


def apply(op: int, u: Floats, v: Floats, settled: int, same: int, out: Floats, room: Floats) -> None:
    """One operation of a tape on jets."""
    if op == OP_ADD:
        jet_sum(u, v, out)
    elif op == OP_MUL:
        if same == 1:
            jet_square(u, out, room)
        else:
            jet_product(u, v, out, room)
    elif op == OP_DIV:
        jet_quotient(u, v, out, room)
    elif op == OP_NEG:
        jet_negative(u, out)
    elif op == OP_POW:
        if v[0] == 2.0:
            jet_square(u, out, room)
        else:
            jet_power(u, v[0], out, room)
    elif op == OP_ATAN2:
        jet_angle(u, v, out, room)
    elif op == OP_MIN or op == OP_MAX:
        jet_extreme(u, v, 1 if op == OP_MIN else 0, out)
    elif op == OP_ABS:
        jet_size(u, out)
    elif op == OP_SIGN:
        jet_sign(u, settled, out)
    else:
        jet_function(op, u, out, room)
