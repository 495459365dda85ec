"""sin and cos of one, two, four or eight angles at once, as functions that programs for one state call.

They are compiled with the integrators' loops, once for all models, so a model's own code is shorter and made
sooner. ``circle4(a, b, c, d, p)`` writes four sines and then four cosines to p; it returns `HUGE_FLAG` if an
angle is too large for the method (see `flow.compile.elementary`), else 0.

And log₂ x and 2^y for the step control, for one double or a vector of them. With x = 2ᵏ m, √½ ≤ m < √2 and
s = (m − 1)/(m + 1), and y = n + f with a whole n, |f| ≤ ½:

    log₂ x = k + (2/ln 2)(s + s³/3 + s⁵/5 + …)        2^y = 2ⁿ (1 + f ln 2 + (f ln 2)²/2! + …)

The series are cut where the rest is below roundoff. They take the places of `binary_logarithm` and
`power_of_two` in `flow.kernels.control`: the same bits in lanes as for one motion, whatever C library there
is, and no call for each lane. x is to be a normal positive number, and |y| < 1022.

>>> next(line for line in circle_text(2).splitlines() if line.startswith("define"))
'define i64 @circle2(double %a0, double %a1, ptr %out) nounwind {'
"""

from __future__ import annotations

from math import factorial, log, sqrt
from struct import pack, unpack

from chetaev.flow.compile.elementary import HUGE, HUGE_FLAG, SHIFT, InstructionWriter

WIDTHS = (1, 2, 4, 8)
NAMES = tuple(f"circle{width}" for width in WIDTHS)


def circle_text(width: int) -> str:
    """The LLVM text of the function for so many angles."""
    writer = InstructionWriter(width)
    kind, bits = writer.type, writer.bit
    x = "%a0"
    if width > 1:
        x = "poison"
        for lane in range(width):
            x = writer.emit(f"insertelement {kind} {x}, double %a{lane}, i32 {lane}")
    sine, cosine = writer.circle_point(x)
    second = writer.emit(f"getelementptr double, ptr %out, i64 {width}")
    size = writer.operation("abs", [x])
    found = writer.compare("ogt", size, writer.constant(HUGE))
    if width > 1:
        packed = writer.emit(f"bitcast {bits} {found} to i{width}")
        found = writer.emit(f"icmp ne i{width} {packed}, 0")
    flag = writer.emit(f"select i1 {found}, i64 {HUGE_FLAG}, i64 0")
    arguments = ", ".join(f"double %a{lane}" for lane in range(width))
    return "\n".join(
        [
            *writer.declared.values(),
            f"define i64 @circle{width}({arguments}, ptr %out) nounwind {{",
            *writer.lines,
            f"  store {kind} {sine}, ptr %out, align 8",
            f"  store {kind} {cosine}, ptr {second}, align 8",
            f"  ret i64 {flag}",
            "}",
        ]
    )


LOGARITHM = tuple(2.0 / log(2.0) / (2 * k + 1) for k in range(10, -1, -1))
EXPONENTIAL = tuple(log(2.0) ** k / factorial(k) for k in range(13, -1, -1))


def bits_of(value: float) -> int:
    """The bits of a double as a whole number.

    >>> hex(bits_of(1.0))
    '0x3ff0000000000000'
    """
    return int(unpack("<q", pack("<d", value))[0])


def logarithm_text(lanes: int) -> str:
    """The LLVM text of the function ``binary_logarithm`` for so many lanes.

    >>> next(line for line in logarithm_text(4).splitlines() if line.startswith("define"))
    'define internal <4 x double> @binary_logarithm(<4 x double> %x) nounwind {'
    """
    writer = InstructionWriter(lanes)
    kind, whole, emit, one = writer.type, writer.integer, writer.emit, writer.constant(1.0)
    bits = emit(f"bitcast {kind} %x to {whole}")
    offset = emit(f"add {whole} {bits}, {writer.whole(bits_of(1.0) - bits_of(sqrt(0.5)))}")
    k = emit(f"sub {whole} {emit(f'lshr {whole} {offset}, {writer.whole(52)}')}, {writer.whole(1023)}")
    mantissa = emit(f"sub {whole} {bits}, {emit(f'shl {whole} {k}, {writer.whole(52)}')}")
    m = emit(f"bitcast {whole} {mantissa} to {kind}")
    s = emit(f"fdiv {kind} {emit(f'fsub {kind} {m}, {one}')}, {emit(f'fadd {kind} {m}, {one}')}")
    series = writer.polynomial(LOGARITHM, emit(f"fmul {kind} {s}, {s}"))
    placed = emit(f"add {whole} {k}, {writer.whole(bits_of(SHIFT))}")  # k in the low bits of SHIFT
    number = emit(f"fsub {kind} {emit(f'bitcast {whole} {placed} to {kind}')}, {writer.constant(SHIFT)}")
    return _function("binary_logarithm", writer, writer.fma(s, series, number))


def exponential_text(lanes: int) -> str:
    """The LLVM text of the function ``power_of_two`` for so many lanes."""
    writer = InstructionWriter(lanes)
    kind, whole, emit, shift = writer.type, writer.integer, writer.emit, writer.constant(SHIFT)
    t = emit(f"fadd {kind} %x, {shift}")
    f = emit(f"fsub {kind} %x, {emit(f'fsub {kind} {t}, {shift}')}")
    n = emit(f"sub {whole} {emit(f'bitcast {kind} {t} to {whole}')}, {writer.whole(bits_of(SHIFT))}")
    value = emit(f"bitcast {kind} {writer.polynomial(EXPONENTIAL, f)} to {whole}")
    scaled = emit(f"add {whole} {value}, {emit(f'shl {whole} {n}, {writer.whole(52)}')}")
    return _function("power_of_two", writer, emit(f"bitcast {whole} {scaled} to {kind}"))


def _function(name: str, writer: InstructionWriter, result: str) -> str:
    head = f"define internal {writer.type} @{name}({writer.type} %x) nounwind {{"
    declared = writer.declared.values()
    return "\n".join([*declared, head, *writer.lines, f"  ret {writer.type} {result}", "}\n"])
