"""A program for one state as machine code: its operations in their order, each one instruction or a few.

Sines and cosines of several angles are computed together by the functions of `flow.compile.circle`, which
leave them on the stack; those of arguments come first, where no value has to be kept over the call.
min and max hand on nan and know −0 from 0, as LLVM's ``minimum`` and ``maximum`` do:

    min(a, b) = (a < b ? a : b) | (b < a ? b : a)

where the processor's own takes the second of two zeros, or of two values of which one is nan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chetaev.flow.compile.long_programs import ANGLES, WEAK_FLAG
from chetaev.flow.compile.one_state import OneState, entry
from chetaev.flow.compile.x86 import encoding as x86
from chetaev.flow.compile.x86.encoding import POOL, RSP, Encoder, Operand
from chetaev.flow.compile.x86.registers import SCRATCH, Registers

Pool = Callable[[float], int]

SIGN, SIZE, ONE, MINUS_ONE, ZERO = (POOL, 0), (POOL, 2), (POOL, 4), (POOL, 6), (POOL, 8)
"""The constants at the head of every pool, 16 bytes each: bits of the sign, all others, and numbers."""
END = 1 << 60
"""The position behind the last instruction."""
CIRCLE = ("sin", "cos", "tan")
POINTERS = {"y": x86.RDI, "p": x86.RSI, "out": x86.RDX, "aux": x86.RCX}
"""Where the arguments come."""
KEPT = {"y": x86.RBX, "p": x86.R14, "out": x86.R15, "aux": x86.R13}
"""Where they are kept if other functions are called."""

_BINARY = {"add": x86.ADD, "sub": x86.SUB, "mul": x86.MUL, "div": x86.DIV}
_COMMUTES = frozenset(["add", "mul"])
_FUSED = {"fma": x86.PRODUCT_PLUS, "fms": x86.PRODUCT_MINUS, "fnma": x86.MINUS_PRODUCT}
_COMPARE = {"lt": x86.LESS, "le": x86.AT_MOST, "eq": x86.EQUAL, "ne": x86.UNEQUAL}
_BITS = {"neg": (x86.XOR, SIGN), "abs": (x86.AND, SIZE)}
_ROUND = {"floor": x86.DOWN, "ceil": x86.UP}
_LOGIC = {"and": x86.AND, "or": x86.OR}
_MORE = ("sqrt", "min", "max", "not", "where", "sign", "copysign", "input", "const")
INLINE = frozenset([*_BINARY, *_FUSED, *_COMPARE, *_BITS, *_ROUND, *_LOGIC, *_MORE])
"""What is computed without a call."""


class FunctionWriter:
    """Writes one function; `pool` gives the number of a constant."""

    def __init__(self, function: OneState, pool: Pool) -> None:
        self.function, self.instructions = function, function.program.code
        self.encoder = Encoder()
        self.calls = not INLINE.issuperset([i[0] for i in self.instructions])
        self.pointers = KEPT if self.calls else POINTERS
        self.results: dict[int, list[tuple[str, int]]] = {}
        for pointer, index, value in function.places:
            self.results.setdefault(value, []).append((pointer, index))
        self.registers = Registers(self.encoder, self._uses())
        self._points: dict[int, tuple[int, int]] = {}
        """The places of sin and cos of angles."""
        self._homes(pool)
        self._body()

    def _uses(self) -> list[list[int]]:
        """Where each value is read, the first position last; an angle only for the first of its functions."""
        uses: list[list[int]] = [[] for _ in self.instructions]
        watched = self.function.watched
        if watched is not None:
            uses[watched].append(END)
        circle, on_circle = () if self.function.libm else CIRCLE, set[int]()
        for k in range(len(self.instructions) - 1, -1, -1):
            name, *operands = self.instructions[k]
            if name == "input" or name == "const":
                continue
            if name in circle:
                uses[operands[0]] = [u for u in uses[operands[0]] if u not in on_circle]
                on_circle.add(k)
            for operand in operands:
                uses[operand].append(k)
        return uses

    def _homes(self, pool: Pool) -> None:
        """Where arguments and constants are read."""
        home, size = self.registers.home, self.function.size
        time = None
        for k, instruction in enumerate(self.instructions):
            if instruction[0] == "const":
                home[k] = POOL, pool(instruction[1])
            elif instruction[0] == "input":
                if instruction[1] == 0:
                    if time is None:
                        time = RSP, 8 * self.registers.block(1)
                        self.encoder.store(0, time)
                    home[k] = time
                else:
                    pointer, index = entry(size, instruction[1], instruction[2])
                    home[k] = self.pointers[pointer], 8 * index

    def _body(self) -> None:
        encoder, registers, results = self.encoder, self.registers, self.results
        for i in range(self.function.size if self.function.velocities else 0):
            pointer, index = entry(self.function.size, 2, i)
            encoder.load(SCRATCH, (self.pointers[pointer], 8 * index))
            encoder.store(SCRATCH, (self.pointers["out"], 8 * i))
        if self.calls and not self.function.libm:
            self._first_angles()
        for k, instruction in enumerate(self.instructions):
            name = instruction[0]
            if name in _BINARY:
                self._binary(k, _BINARY[name], name in _COMMUTES, instruction[1], instruction[2])
            elif name == "input" or name == "const":
                continue
            else:
                self._operation(k, name, instruction[1:])
            if k in results and registers.register[k] >= 0:
                self._store(k, results.pop(k))
                registers.settled(k)
        for k, places in results.items():
            self._store(k, places)
        self._end()

    def _store(self, k: int, places: list[tuple[str, int]]) -> None:
        source = self.registers.loaded(k)
        for pointer, index in places:
            self.encoder.store(source, (self.pointers[pointer], 8 * index))

    def _operation(self, k: int, name: str, operands: Sequence[int]) -> None:
        if name in CIRCLE and not self.function.libm:
            self._on_circle(k, name, operands[0])
            return
        self.registers.read(operands)
        if name in _FUSED:
            self._fused(k, _FUSED[name], *operands)
        elif name in INLINE:
            self._inline(k, name, operands)
        else:
            self._library(k, name, operands)

    # --- arithmetic -----------------------------------------------------------------------------------

    def _binary(self, k: int, opcode: int, commutes: bool, a: int, b: int) -> None:
        registers, uses = self.registers, self.registers.uses
        uses[a].pop()
        uses[b].pop()
        x, y = registers.register[a], registers.register[b]
        if x < 0 <= y and commutes:
            a, b, x, y = b, a, y, x
        if x < 0:
            x = registers.loaded(a, (y,))
            y = registers.register[b]
        operand: Operand = y if y >= 0 else registers.operand(b, (x,))
        if not uses[a] or not uses[b]:
            registers.released(a, b)
        target = registers.target((x, operand))
        self.encoder.scalar(opcode, target, x, operand)
        registers.define(k, target, (a, b))

    def _fused(self, k: int, opcode: int, a: int, b: int, c: int) -> None:
        """± a·b ± c: the processor writes over one of the three, at best one that is not read again."""
        registers, register, uses = self.registers, self.registers.register, self.registers.uses
        dying = [v for v in (a, b) if register[v] >= 0 and not uses[v] and a != b and v != c]
        if dying and not (register[c] >= 0 and not uses[c]):
            a, b = (a, b) if dying[0] == a else (b, a)
            target, taken = register[a], True
            x = registers.loaded(b, (target, register[c]))
            y = registers.operand(c, (target, x))
            self.encoder.fused(opcode + 16, target, x, y)
        else:
            if register[a] < 0 <= register[b]:
                a, b = b, a
            x = registers.loaded(a, (register[b], register[c]))
            y = registers.operand(b, (x, register[c]))
            target, taken = register[c], True
            if target < 0 or uses[c] or c in (a, b):
                target, taken = registers.target((x, y, register[c])), False
                registers.copy(target, c)
            self.encoder.fused(opcode + 32, target, x, y)
        registers.released(a, b, c)
        if taken:
            registers.retake(target)
        registers.define(k, target, (a, b, c))

    def _inline(self, k: int, name: str, operands: Sequence[int]) -> None:
        """Any other operation without a call; its target is none of its operands."""
        encoder, registers = self.encoder, self.registers
        keep: list[Operand] = []
        for operand in operands:
            keep.append(registers.loaded(operand, [*keep, *[registers.register[o] for o in operands]]))
        x, y = keep[0], keep[-1]
        assert isinstance(x, int)
        assert isinstance(y, int)
        target = registers.target(keep)
        if name in _BITS:
            encoder.packed(_BITS[name][0], target, x, _BITS[name][1])
        elif name in _ROUND:
            encoder.rounded(_ROUND[name], target, x)
        elif name == "sqrt":
            encoder.scalar(x86.SQRT, target, x, x)
        elif name == "min":
            encoder.scalar(x86.MIN, target, x, y)
            encoder.scalar(x86.MIN, SCRATCH, y, x)
            encoder.packed(x86.OR, target, target, SCRATCH)
        elif name == "max":
            encoder.scalar(x86.MAX, target, x, y)
            encoder.scalar(x86.MAX, SCRATCH, y, x)
            encoder.packed(x86.AND, target, target, SCRATCH)
            encoder.compare(x86.UNORDERED, SCRATCH, x, y)
            encoder.packed(x86.OR, target, target, SCRATCH)
        elif name == "where":
            encoder.compare(x86.UNEQUAL, SCRATCH, x, ZERO)
            encoder.packed(x86.AND, target, SCRATCH, y)
        elif name == "sign":
            encoder.compare(x86.LESS, SCRATCH, x, ZERO)
            encoder.blend(target, x, MINUS_ONE, SCRATCH)
            encoder.compare(x86.GREATER, SCRATCH, x, ZERO)
            encoder.blend(target, target, ONE, SCRATCH)
        elif name == "copysign":
            encoder.packed(x86.AND, target, x, SIZE)
            encoder.packed(x86.AND, SCRATCH, y, SIGN)
            encoder.packed(x86.OR, target, target, SCRATCH)
        else:
            self._truth(name, target, x, y)
        registers.released(*operands)
        registers.define(k, target, operands)

    def _truth(self, name: str, target: int, x: int, y: int) -> None:
        """1 or 0: comparisons, and logic where everything but 0 is true."""
        encoder = self.encoder
        if name in _COMPARE:
            encoder.compare(_COMPARE[name], target, x, y)
        elif name == "not":
            encoder.compare(x86.EQUAL, target, x, ZERO)
        else:
            encoder.compare(x86.UNEQUAL, target, x, ZERO)
            encoder.compare(x86.UNEQUAL, SCRATCH, y, ZERO)
            encoder.packed(_LOGIC[name], target, target, SCRATCH)
        encoder.packed(x86.AND, target, target, ONE)

    # --- functions ------------------------------------------------------------------------------------

    def _first_angles(self) -> None:
        """Sines and cosines of arguments, the usual angles, as vectors although there is one state only."""
        code = self.instructions
        wanted = dict.fromkeys([i[1] for i in code if i[0] in CIRCLE])
        angles = [a for a in wanted if code[a][0] == "input"]
        while angles:
            width = next(w for w in (8, 4, 2, 1) if w <= min(len(angles) + 1, ANGLES) and w < 2 * len(angles))
            self._circle(angles[:width], width)
            angles = angles[width:]

    def _circle(self, angles: list[int], width: int) -> None:
        """sin and cos of up to `width` angles, which stand in memory."""
        registers, encoder = self.registers, self.encoder
        for lane in range(width):
            place = registers.home[angles[min(lane, len(angles) - 1)]]
            assert place is not None
            encoder.load(lane, place)
        first = registers.block(2 * width)
        encoder.point_to(8 * first)
        encoder.call(f"circle{width}")
        encoder.code += b"\x49\x09\xc4"  # or r12, rax: the flags
        for lane, angle in enumerate(angles):
            self._points[angle] = first + lane, first + width + lane

    def _on_circle(self, k: int, name: str, angle: int) -> None:
        registers, uses = self.registers, self.registers.uses[angle]
        if uses and uses[-1] == k:
            uses.pop()
        if angle not in self._points:
            if registers.register[angle] >= 0:
                registers.write(angle)
            registers.clear()
            self._circle([angle], 1)
        sine, cosine = self._points[angle]
        if name == "tan":
            target = registers.target()
            self.encoder.load(target, (RSP, 8 * sine))
            self.encoder.scalar(x86.DIV, target, target, (RSP, 8 * cosine))
            registers.define(k, target)
        else:
            registers.home[k] = RSP, 8 * (sine if name == "sin" else cosine)

    def _library(self, k: int, name: str, operands: Sequence[int]) -> None:
        """A function of the C library."""
        registers = self.registers
        places = [registers.write(operand) for operand in operands]
        registers.clear()
        for register, place in enumerate(places):
            self.encoder.load(register, place)
        self.encoder.call(name)
        registers.retake(0)
        registers.define(k, 0, operands)

    # --- the whole ------------------------------------------------------------------------------------

    def _end(self) -> None:
        """The flags into rax."""
        code, watched = self.encoder.code, self.function.watched
        if watched is not None:
            assert WEAK_FLAG == 1
            margin = self.registers.loaded(watched)
            self.encoder.against(margin, ZERO)
            code += b"\x0f\x92\xc0\x0f\xb6\xc0"  # setb al; movzx eax, al
        else:
            code += b"\x31\xc0"  # xor eax, eax
        if self.calls:
            code += b"\x4c\x09\xe0"  # or rax, r12

    @property
    def head(self) -> bytes:
        """What comes before the code: room on the stack, in rows of the cache, and registers to use."""
        room = (8 * self.registers.slots).to_bytes(4, "little")
        made = b"\x48\x81\xec" + room + b"\x48\x83\xe4\xc0"  # sub rsp, room; and rsp, −64
        frame = b"\x55\x48\x89\xe5"  # push rbp; mov rbp, rsp
        if not self.calls:
            return frame + made if self.registers.slots else b""
        saved = b"\x53\x41\x54\x41\x55\x41\x56\x41\x57"  # push rbx, r12, r13, r14, r15
        moved = b"\x48\x89\xfb\x49\x89\xf6\x49\x89\xd7\x49\x89\xcd"  # mov KEPT, POINTERS
        return frame + saved + made + moved + b"\x45\x31\xe4"  # xor r12d, r12d

    @property
    def tail(self) -> bytes:
        """What comes behind it."""
        if not self.calls:
            return b"\xc9\xc3" if self.registers.slots else b"\xc3"  # leave; ret
        return b"\x48\x8d\x65\xd8\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5b\x5d\xc3"
