"""One operation of a program as LLVM text, for one double or for a vector of them; and the functions that the
loops share with the programs.

sin and cos are computed here, without branches and for all lanes at once: x = kπ/2 + r with |r| ≤ π/4, π/2 in
three parts (Cody and Waite) and fused multiply-add, so that r is exact to roundoff for |x| < 1e9;
polynomials in z = r², near-minimax fits:

    sin r = r + r z P(z)      cos r = 1 − z/2 + z² Q(z)       error below 2.3e-16

Programs for one state call functions for one, two, four or eight angles at once, which are compiled with the
loops, once for all models; these leave larger angles to the C library. In programs for lanes sin and cos are
written out, and a lane with a larger angle raises its flag. All other transcendental functions call the C
library for each lane.

log₂ x and 2^y for the step control are here, too, for one double or a vector of them. With x = 2ᵏ m,
√½ ≤ m < √2, s = (m − 1)/(m + 1), and y = n + f with a whole n, |f| ≤ ½:

    log₂ x = k + (2/ln 2)(s + s³/3 + s⁵/5 + …)        2^y = 2ⁿ (1 + f ln 2 + (f ln 2)²/2! + …)

The series are cut where the rest is below roundoff. They take the places of `binary_logarithm` and
`power_of_two` in `flow.kernels.control`: the same bits in lanes as for one motion, whatever C library there
is. x is to be a normal positive number, and |y| < 1022.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from math import factorial, log, sqrt
from struct import pack, unpack

SINE = (
    1.591769954112115e-10, -2.505112587088295e-08, 2.755731607384407e-06, -0.00019841269836703144,
    0.008333333333330912, -0.16666666666666666,
)  # fmt: skip
COSINE = (
    -1.1382363574945734e-11, 2.0876142531066365e-09, -2.7557317253770344e-07, 2.480158729873101e-05,
    -0.0013888888888887374, 0.041666666666666664,
)  # fmt: skip
HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.497384905065873e-33)
SHIFT = 6755399441055744.0  # 1.5·2⁵²: adding it rounds to an integer, which then stands in the low bits
HUGE = 1e9
"""Beyond this, sin and cos are left to the C library."""
WIDTHS = (8, 4, 2, 1)
"""Numbers of angles that one function takes."""
LOGARITHM = tuple(2.0 / log(2.0) / (2 * k + 1) for k in range(10, -1, -1))
EXPONENTIAL = tuple(log(2.0) ** k / factorial(k) for k in range(13, -1, -1))

_BINARY = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_COMPARE = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}
_INTRINSIC = {"sqrt": "sqrt", "abs": "fabs", "floor": "floor", "ceil": "ceil"}
_INTRINSIC2 = {"min": "minimum", "max": "maximum", "copysign": "copysign"}


class InstructionWriter:
    """Writes instructions of one function; values are names or constants in LLVM's text.

    With 1 lane on doubles, else on vectors of so many.
    """

    def __init__(self, lanes: int = 1) -> None:
        self.lanes = lanes
        self.type = "double" if lanes == 1 else f"<{lanes} x double>"
        self.integer = "i64" if lanes == 1 else f"<{lanes} x i64>"
        self.bit = "i1" if lanes == 1 else f"<{lanes} x i1>"
        self.suffix = "f64" if lanes == 1 else f"v{lanes}f64"
        self.lines: list[str] = []
        self.declared: dict[str, str] = {}
        self.huge: str | None = None  # in which lanes an angle is too large
        self._points: str | None = None
        self._numbers = itertools.count(1)
        self._circle: dict[str, tuple[str, str]] = {}

    # --- text ---------------------------------------------------------------------------------------

    def emit(self, text: str) -> str:
        """Append an instruction and return the name of its value."""
        name = f"%v{next(self._numbers)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def constant(self, value: float) -> str:
        """A constant in all lanes."""
        bits = f"0x{bits_of(value) % 2**64:016X}"
        return bits if self.lanes == 1 else f"splat (double {bits})"

    def whole(self, value: int) -> str:
        """An integer constant in all lanes."""
        return str(value) if self.lanes == 1 else f"splat (i64 {value})"

    def load(self, pointer: str, offset: int) -> str:
        """Read an entry of an array."""
        place = self.emit(f"getelementptr {self.type}, ptr {pointer}, i64 {offset}")
        return self.emit(f"load {self.type}, ptr {place}, align 8")

    def store(self, pointer: str, offset: int, value: str) -> None:
        """Write an entry of an array."""
        place = self.emit(f"getelementptr {self.type}, ptr {pointer}, i64 {offset}")
        self.lines.append(f"  store {self.type} {value}, ptr {place}, align 8")

    def declare(self, name: str, text: str) -> str:
        """Note a declaration that the module needs."""
        self.declared[name] = text
        return name

    def binary(self, op: str, a: str, b: str) -> str:
        """add, sub, mul or div, each rounded by itself: what is fused, `derive.program` has fused."""
        return self.emit(f"{_BINARY[op]} {self.type} {a}, {b}")

    def fma(self, a: str, b: str, c: str) -> str:
        """a·b + c, rounded once."""
        name = self.intrinsic("fma", 3)
        return self.emit(f"call {self.type} @{name}({self.type} {a}, {self.type} {b}, {self.type} {c})")

    def _fms(self, a: str, b: str, c: str) -> str:
        return self.fma(a, b, self.operation("neg", [c]))

    def _fnma(self, a: str, b: str, c: str) -> str:
        return self.fma(self.operation("neg", [a]), b, c)

    def intrinsic(self, name: str, arguments: int) -> str:
        """The full name of an LLVM intrinsic for this type."""
        full = f"llvm.{name}.{self.suffix}"
        return self.declare(full, f"declare {self.type} @{full}({', '.join([self.type] * arguments)})")

    def select(self, condition: str, a: str, b: str) -> str:
        """a where the condition holds, else b."""
        return self.emit(f"select {self.bit} {condition}, {self.type} {a}, {self.type} {b}")

    def compare(self, predicate: str, a: str, b: str) -> str:
        """A condition."""
        return self.emit(f"fcmp {predicate} {self.type} {a}, {b}")

    def either(self, a: str, b: str) -> str:
        """Where one of two conditions holds."""
        return self.emit(f"or {self.bit} {a}, {b}")

    # --- operations -----------------------------------------------------------------------------------

    def operation(self, op: str, args: list[str]) -> str:
        """The value of an operation of a program."""
        if op in _BINARY:
            return self.binary(op, *args)
        if op == "neg":
            return self.emit(f"fneg {self.type} {args[0]}")
        if op in _INTRINSIC or op in _INTRINSIC2:
            name = self.intrinsic((_INTRINSIC | _INTRINSIC2)[op], len(args))
            return self.emit(f"call {self.type} @{name}({', '.join(f'{self.type} {a}' for a in args)})")
        if op in _COMPARE:
            return self._truth(self.compare(_COMPARE[op], *args))
        if op == "fma":
            return self.fma(*args)
        special: Callable[..., str] | None = getattr(self, f"_{op}", None)
        return special(*args) if special is not None else self.library(op, args)

    def library(self, name: str, args: list[str]) -> str:
        """A function of the C library, lane by lane."""
        self.declare(
            name, f"declare double @{name}({', '.join(['double'] * len(args))}) nounwind memory(none)"
        )
        if self.lanes == 1:
            return self.emit(f"call double @{name}({', '.join(f'double {a}' for a in args)})")
        result = "poison"
        for lane in range(self.lanes):
            parts = [self.emit(f"extractelement {self.type} {a}, i32 {lane}") for a in args]
            value = self.emit(f"call double @{name}({', '.join(f'double {x}' for x in parts)})")
            result = self.emit(f"insertelement {self.type} {result}, double {value}, i32 {lane}")
        return result

    def _truth(self, condition: str) -> str:
        return self.select(condition, self.constant(1.0), self.constant(0.0))

    def _nonzero(self, a: str) -> str:
        return self.compare("une", a, self.constant(0.0))

    def _not(self, a: str) -> str:
        return self._truth(self.compare("oeq", a, self.constant(0.0)))

    def _and(self, a: str, b: str) -> str:
        return self._truth(self.emit(f"and {self.bit} {self._nonzero(a)}, {self._nonzero(b)}"))

    def _or(self, a: str, b: str) -> str:
        return self._truth(self.emit(f"or {self.bit} {self._nonzero(a)}, {self._nonzero(b)}"))

    def _where(self, condition: str, a: str) -> str:
        return self.select(self._nonzero(condition), a, self.constant(0.0))

    def _sign(self, a: str) -> str:
        zero = self.constant(0.0)
        negative = self.select(self.compare("olt", a, zero), self.constant(-1.0), a)
        return self.select(self.compare("ogt", a, zero), self.constant(1.0), negative)

    def _sin(self, a: str) -> str:
        return self._sincos(a)[0]

    def _cos(self, a: str) -> str:
        return self._sincos(a)[1]

    def _tan(self, a: str) -> str:
        return self.binary("div", *self._sincos(a))

    def _sincos(self, x: str) -> tuple[str, str]:
        if x not in self._circle:
            self.circles([x])
        return self._circle[x]

    def circles(self, angles: Sequence[str]) -> None:
        """sin and cos of some angles, as wide as can be; later uses find them done."""
        if self.lanes > 1:
            for x in angles:
                found = self.compare("ogt", self.operation("abs", [x]), self.constant(HUGE))
                self.huge = found if self.huge is None else self.either(self.huge, found)
                self._circle[x] = self.circle_point(x)
            return
        while angles:
            width = next(w for w in WIDTHS if w <= len(angles) + (len(angles) > 1))
            if self._points is None:
                self._points = self.emit("alloca [16 x double], align 64")
            self.declare(f"circle{width}", f"declare void @circle{width}({'double, ' * width}ptr)")
            given = ", ".join(f"double {angles[min(i, len(angles) - 1)]}" for i in range(width))
            self.lines.append(f"  call void @circle{width}({given}, ptr {self._points})")
            for i, x in enumerate(angles[:width]):
                self._circle[x] = self.load(self._points, i), self.load(self._points, width + i)
            angles = angles[width:]

    def circle_point(self, x: str) -> tuple[str, str]:
        """sin and cos, written out."""
        shift = self.constant(SHIFT)
        t = self.fma(x, self.constant(0.6366197723675814), shift)
        quadrant = self.emit(f"bitcast {self.type} {t} to {self.integer}")
        k = self.emit(f"fsub {self.type} {shift}, {t}")  # minus k
        r = x
        for part in HALF_PI:
            r = self.fma(k, self.constant(part), r)
        z = self.binary("mul", r, r)
        rz = self.binary("mul", r, z)
        sine = self.fma(rz, self.polynomial(SINE, z), r)
        half, one = self.constant(-0.5), self.constant(1.0)  # z/2 is exact, so these are rounded once anyway
        head = self.fma(z, half, one)
        tail = self.fma(z, half, self.emit(f"fsub {self.type} {one}, {head}"))
        zz = self.binary("mul", z, z)
        rest = self.fma(zz, self.polynomial(COSINE, z), tail)
        cosine = self.emit(f"fadd {self.type} {head}, {rest}")
        odd = self.emit(f"and {self.integer} {quadrant}, {self.whole(1)}")
        swap = self.emit(f"icmp ne {self.integer} {odd}, {self.whole(0)}")
        after = self.emit(f"add {self.integer} {quadrant}, {self.whole(1)}")
        s = self._signed(self.select(swap, cosine, sine), quadrant)
        return s, self._signed(self.select(swap, sine, cosine), after)

    def polynomial(self, coefficients: tuple[float, ...], z: str) -> str:
        """A polynomial by Horner's scheme, the highest coefficient first."""
        value = self.constant(coefficients[0])
        for c in coefficients[1:]:
            value = self.fma(value, z, self.constant(c))
        return value

    def _signed(self, value: str, quadrant: str) -> str:
        """Minus the value where bit 1 of the quadrant is set."""
        high = self.emit(f"shl {self.integer} {quadrant}, {self.whole(62)}")
        mask = self.emit(f"and {self.integer} {high}, {self.whole(-(2**63))}")
        bits = self.emit(f"bitcast {self.type} {value} to {self.integer}")
        flipped = self.emit(f"xor {self.integer} {bits}, {mask}")
        return self.emit(f"bitcast {self.integer} {flipped} to {self.type}")


def circle_text(width: int) -> str:
    """The LLVM text of the function for so many angles, which writes their sines and then their cosines.

    >>> next(line for line in circle_text(2).splitlines() if line.startswith("define"))
    'define void @circle2(double %a0, double %a1, ptr %out) nounwind {'
    """
    writer = InstructionWriter(width)
    kind, x = writer.type, "%a0"
    if width > 1:
        x = "poison"
        for lane in range(width):
            x = writer.emit(f"insertelement {kind} {x}, double %a{lane}, i32 {lane}")
    values = writer.circle_point(x)
    large = writer.compare("ogt", writer.operation("abs", [x]), writer.constant(HUGE))
    for i, value in enumerate(values):
        place = writer.emit(f"getelementptr double, ptr %out, i64 {i * width}")
        writer.lines.append(f"  store {kind} {value}, ptr {place}, align 8")
    some = large
    if width > 1:
        some = writer.emit(f"icmp ne i{width} {writer.emit(f'bitcast {writer.bit} {large} to i{width}')}, 0")
    writer.lines += [f"  br i1 {some}, label %large, label %done", "large:"]
    for i, name in enumerate(("sin", "cos")):
        value = writer.select(large, writer.library(name, [x]), values[i])
        place = writer.emit(f"getelementptr double, ptr %out, i64 {i * width}")
        writer.lines.append(f"  store {kind} {value}, ptr {place}, align 8")
    arguments = ", ".join(f"double %a{lane}" for lane in range(width))
    head = f"define void @circle{width}({arguments}, ptr %out) nounwind {{"
    end = ["  br label %done", "done:", "  ret void", "}"]
    return "\n".join([*writer.declared.values(), head, *writer.lines, *end])


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
