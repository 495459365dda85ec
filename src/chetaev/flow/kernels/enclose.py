"""Bounds of an event function on a part of a step.

Along a step the dense output is a polynomial in the fraction s for each entry of the state, so g(t, q, v) is
a function of s alone. On |s − c| ≤ r a tape gives intervals for g, g′ and g″ (see `jets`); Taylor's formula
in the middle makes them narrower,

    g(s) ∈ g(c) + g′(c)[−r, r] + g″[0, r²/2]        g′(s) ∈ g′(c) + g″[−r, r]

A tape is a list of operations (operation, place of the first argument, of the second), the result of the k-th
in the k-th place.
"""

from chetaev.flow.kernels.arrays import Floats
from chetaev.flow.kernels.by_scheme import DEGREE, powers
from chetaev.flow.kernels.integration import POLYNOMIAL, Search
from chetaev.flow.kernels.interval import ROUND, interval_scaled, product, put, put_rounded, size_of
from chetaev.flow.kernels.jets import JET, MARK, UNSURE, apply, constant_jet, copy_jet

# operations of a tape that take no jets: the arguments of the event function
OP_TIME = 0
OP_STATE = 1
OP_PARAMETER = 2
OP_NUMBER = 3
TAPES = 2  # where the places and lengths of the tapes begin
BY_TIME = -1
WIDENED = -2


def polynomials(run: Search) -> None:
    """The dense output in powers of s, for the entries of the state that tapes use."""
    for j in range(run.tape[0]):
        i = run.tape[run.tape[1] + j]
        c = run.polynomials[POLYNOMIAL * i :]
        for k in range(POLYNOMIAL):
            c[k] = 0.0
        powers(run.d, i, run.dense, c)
        size = 0.0
        for m in range(run.vector_count - 1, -1, -1):
            size = size + abs(run.dense[m * run.d + i])
        c[0] = run.y[i]
        c[8] = 2.0 * ROUND * abs(run.y[i]) + 4.0 * ROUND * size
        c[9] = 64.0 * ROUND * size


def accuracy(run: Search, size: float) -> float:
    """What is left open of an entry of the state: the tolerance, and the errors of the steps so far."""
    return run.rtol * (1.0 + size) * (1.0 + run.gathered)


def state_jet(run: Search, c: Floats, middle: float, radius: float, out: Floats, b: Floats) -> None:
    """An entry of the state on |s − middle| ≤ radius, by the polynomial around the middle."""
    for k in range(DEGREE + 1):
        b[k] = c[k]
    if middle != 0.0:
        for j in range(DEGREE):
            for k in range(DEGREE - 1, j - 1, -1):
                b[k] = b[k] + middle * b[k + 1]
    value = c[8]
    slope = c[9]
    bend = 8.0 * c[9]
    if radius > 0.0:
        x = 0.0
        y = 0.0
        z = 0.0
        for k in range(DEGREE, 0, -1):
            z = z * radius + (k * (k - 1)) * abs(b[k]) if k > 2 else z
            y = y * radius + k * abs(b[k]) if k > 1 else y
            x = x * radius + abs(b[k])
        outwards = radius * (1.0 + 1e-14)
        value = value + x * outwards
        slope = slope + y * outwards
        bend = bend + z * outwards
    put(out, b[0] - value, b[0] + value)
    put(out[2:], b[1] - slope, b[1] + slope)
    put(out[4:], 2.0 * b[2] - bend, 2.0 * b[2] + bend)
    out[UNSURE] = accuracy(run, size_of(out))
    out[MARK] = 0.0


def time_jet(run: Search, middle: float, radius: float, out: Floats) -> None:
    """The time on |s − middle| ≤ radius."""
    now = run.t + middle * run.h
    reach = abs(radius * run.h)
    put_rounded(out, now - reach, now + reach, 2.0 * ROUND)
    put(out[2:], run.h, run.h)
    put(out[4:], 0.0, 0.0)
    out[UNSURE] = 4.0 * ROUND * size_of(out)
    out[MARK] = 0.0


def enclose(run: Search, e: int, middle: float, radius: float, along: int, settled: int, out: Floats) -> None:
    """The jet of event e on |s − middle| ≤ radius.

    With `along` ≥ 0 the derivatives are not by s but along that entry of the state, as far as its accuracy
    goes; with `along` = `WIDENED` every entry of the state is as wide as its accuracy; `settled`: a sign
    function of an interval that holds zero is zero.
    """
    code = run.tape[TAPES + 2 * e]
    length = run.tape[TAPES + 2 * e + 1]
    slots = run.jets
    room = run.operation
    for k in range(length):
        op = run.tape[code + 3 * k]
        a = run.tape[code + 3 * k + 1]
        b = run.tape[code + 3 * k + 2]
        jet = slots[JET * k :]
        if op == OP_TIME:
            time_jet(run, middle, radius, jet)
        elif op == OP_STATE:
            state_jet(run, run.polynomials[POLYNOMIAL * a :], middle, radius, jet, room)
        elif op == OP_PARAMETER:
            constant_jet(run.p[a], jet)
        elif op == OP_NUMBER:
            constant_jet(run.numbers[a], jet)
        else:
            apply(op, slots[JET * a :], slots[JET * b :], settled, 1 if a == b else 0, jet, room)
        if along == WIDENED and op == OP_STATE:
            put(jet, jet[0] - jet[UNSURE], jet[1] + jet[UNSURE])
        if along >= 0 and op <= OP_STATE:
            step = jet[UNSURE] if op == OP_STATE and a == along else 0.0
            put(jet[2:], step, step)
            put(jet[4:], 0.0, 0.0)
    copy_jet(slots[JET * (length - 1) :], out)


def narrowed(jet: Floats, centre: Floats, radius: float, room: Floats) -> None:
    """Replace the intervals of g′ and g by their intersection with Taylor's formula."""
    interval_scaled(jet[4:], radius, room)
    reach = size_of(room)
    narrow(jet[2:], centre[2] - reach, centre[3] + reach)
    slope = size_of(jet[2:]) * radius
    narrow(jet, centre[0] - slope, centre[1] + slope)
    half = 0.5 * radius * radius
    slope = size_of(centre[2:]) * radius
    narrow(
        jet,
        centre[0] - slope + min(product(jet[4], half), 0.0),
        centre[1] + slope + max(product(jet[5], half), 0.0),
    )


def narrow(a: Floats, low: float, high: float) -> None:
    """Cut an interval by bounds that are not rounded yet."""
    room = ROUND * 4.0 * max(abs(low), abs(high))
    if low - room > a[0]:
        a[0] = low - room
    if high + room < a[1]:
        a[1] = high + room


def gradient_reach(run: Search, e: int, s: float, out: Floats) -> float:
    """Σ |∂g/∂y_i| δ_i: how far g is open at s, with δ_i the accuracy of each entry of the state."""
    code = run.tape[TAPES + 2 * e]
    total = 0.0
    for k in range(run.tape[TAPES + 2 * e + 1]):
        if run.tape[code + 3 * k] == OP_STATE:
            enclose(run, e, s, 0.0, run.tape[code + 3 * k + 1], 1, out)
            total = total + size_of(out[2:])
    return total
