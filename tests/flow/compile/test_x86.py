"""Programs for one state as machine code: the bits that LLVM's code has, on any program."""

from __future__ import annotations

import itertools
import math
from random import Random

import numpy as np
import pytest

import chetaev as ch
from chetaev.flow.compile import shipped
from chetaev.flow.compile.code_image import CodeImage, LoadedImage, writes_code
from chetaev.flow.compile.loaded_objects import Code
from chetaev.flow.compile.loops import circles, function_address
from chetaev.flow.compile.machine import Library, object_code
from chetaev.flow.compile.one_state import OneState, Store
from chetaev.flow.compile.programs import forget
from chetaev.flow.compile.translate import scalar_text
from chetaev.flow.compile.x86.whole_image import image_of
from chetaev.flow.derive.straight_line import Instruction, Program
from chetaev.flow.run.state_calls import SCALAR
from portions import some

if not writes_code():
    pytest.skip("on this processor LLVM makes all code", allow_module_level=True)

ONE = ["neg", "abs", "sqrt", "floor", "ceil", "sign", "not", "sin", "cos", "tan", "exp", "log1p", "atan"]
TWO = ["min", "max", "lt", "le", "eq", "ne", "and", "or", "where", "atan2", "hypot", "pow", "fmod"]
FUSED = ["fma", "fms", "fnma"]
SPECIAL = [0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan, 5e-324]


def by_llvm(function: OneState) -> Code:
    code = object_code(scalar_text(function), 0, processor=shipped.level().processor)
    return Library(code, circles())


def by_hand(function: OneState) -> Code:
    return LoadedImage(image_of([function]), function_address)


def results(code: Code, y: np.ndarray, p: np.ndarray, room: int) -> tuple[int, bytes]:
    """The flags and the bits that a function writes; one nan is as good as another."""
    out, aux = np.full(room, 7.0), np.full(room, 7.0)
    flags = SCALAR(code.address("f"))(0.3, *(x.ctypes.data for x in (y, p, out, aux)))
    both = np.concatenate([out, aux])
    both[np.isnan(both)] = math.nan
    return flags, both.tobytes()


def random_program(random: Random, length: int, n: int, parameters: int) -> Program:
    """Operations on what was made before, mostly just before."""
    sizes = (1, n, n, parameters)
    code: list[Instruction] = [("input", a, i) for a, size in enumerate(sizes) for i in range(size)]
    code += [("const", c) for c in (0.0, -0.0, 1.0, 2.5, math.inf)]
    random.shuffle(code)
    for _ in range(length):
        count = random.choice([1, 2, 2, 2, 2, 3, 3])
        names = [ONE, TWO + ["add", "sub", "mul", "div"] * 6, FUSED][count - 1]
        first = random.choice([0, max(0, len(code) - 12)])
        code.append((random.choice(names), *[random.randrange(first, len(code)) for _ in range(count)]))
    outputs = [tuple(random.randrange(len(code)) for _ in range(k)) for k in (20, 5, 1)]
    return Program(tuple(code), tuple(outputs))


@pytest.mark.parametrize("seed", some(range(60), 12))
def test_random_programs_have_the_bits_of_llvm(seed: int) -> None:
    random = Random(seed)
    n, parameters = random.choice([1, 3, 5, 20]), random.choice([0, 2, 40])
    program = random_program(random, random.choice([5, 40, 200, 900]), n, parameters)
    stores = [Store("out", n), Store("aux", 2), None]
    function = OneState("f", program, n, stores, random.random() < 0.3, velocities=True, margin=2)
    ours, theirs = by_hand(function), by_llvm(function)
    for huge, odd in itertools.product((3.0, 2e9), (1.0, math.nan)):
        values = [random.choice([random.gauss(0, 1), 0.0, -0.0, huge, odd]) for _ in range(2 * n)]
        p = np.array([random.gauss(0, 3) for _ in range(parameters + 1)])
        assert results(ours, np.array(values), p, n + 24) == results(theirs, np.array(values), p, n + 24)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "copysign", *TWO[:9]])
def test_operations_on_zeros_infinities_and_nan(name: str) -> None:
    program = Program((("input", 1, 0), ("input", 2, 0), (name, 0, 1)), ((2,),))
    function = OneState("f", program, 1, [Store("out")])
    ours, theirs = by_hand(function), by_llvm(function)
    for a, b in itertools.product(SPECIAL, SPECIAL):
        if name == "copysign" and math.isnan(b):
            continue  # the sign of nan is no one's business
        y, p = np.array([a, b]), np.zeros(1)
        assert results(ours, y, p, 1) == results(theirs, y, p, 1), (a, b)


@pytest.mark.parametrize("name", ["neg", "abs", "sqrt", "floor", "ceil", "sign", "not"])
def test_functions_of_zeros_infinities_and_nan(name: str) -> None:
    program = Program((("input", 1, 0), (name, 0)), ((1,),))
    function = OneState("f", program, 1, [Store("out")])
    ours, theirs = by_hand(function), by_llvm(function)
    for a in (*SPECIAL, 0.5, -0.5, 1e300, -7.25):
        y, p = np.array([a, 0.0]), np.zeros(1)
        assert results(ours, y, p, 1) == results(theirs, y, p, 1), a


def test_more_values_than_registers_survive_calls() -> None:
    """Σ xᵢ² of a hundred arguments, kept all at once while sines and exponentials are called for."""
    inputs: list[Instruction] = [("input", 3, i) for i in range(100)]
    code = inputs + [("mul", i, i) for i in range(100)]
    code += [("sin", 100), ("exp", 101), ("cos", 102)]
    total = 200
    for value in (*range(100, 200), 201, 202):
        code.append(("add", total, value))
        total = len(code) - 1
    function = OneState("f", Program(tuple(code), ((total, 150),)), 1, [Store("out")])
    p = np.linspace(-1, 1, 100)
    _, found = results(by_hand(function), np.zeros(2), p, 2)
    wanted = math.sin(p[0] ** 2)
    for value in (*(p * p), math.exp(p[1] * p[1]), math.cos(p[2] * p[2])):
        wanted += value
    assert np.frombuffer(found)[:2].tolist() == pytest.approx([wanted, p[50] ** 2], rel=1e-15)
    assert (0, found) == results(by_llvm(function), np.zeros(2), p, 2)


MOTIONS = ("rolling-disc", "damped-sleigh", "leibniz-particle")


@pytest.mark.parametrize("name", MOTIONS)
def test_a_motion_is_the_same_by_llvm(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    system = ch.load(name)
    ours = ch.simulate(system, until=2.0)
    forget()
    monkeypatch.setattr("chetaev.flow.compile.programs.writes_code", lambda: False)
    monkeypatch.setattr("chetaev.flow.compile.x86.whole_image.image_of", None)
    theirs = ch.simulate(system, until=2.0)
    assert ours.attrs["steps"] == theirs.attrs["steps"]
    for variable in ours.variables:
        assert ours[variable].values.tobytes() == theirs[variable].values.tobytes(), variable


def test_an_image_is_read_as_it_was_written_and_nothing_else_is() -> None:
    program = Program((("input", 1, 0), ("exp", 0)), ((1,),))
    image = image_of([OneState("f", program, 1, [Store("out")])])
    assert CodeImage.read(image.data) == image
    head, _, block = image.data.partition(b"\n")
    for wrong in (
        b"", image.data[3:], head + b"\n", head + b"\n{}\n" + block, head + b"\n[1, 2]\n" + block,
        head + b'\n[{"f": 100000}, []]\n' + block, head + b'\n[{"f": -1}, []]\n', head + b"\n[{}, [1]]\n",
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"."):
            CodeImage.read(wrong)
    with pytest.raises(ValueError, match="may not call 'system'"):
        LoadedImage(CodeImage({"f": 64}, ("system",), bytes(image.block)), function_address)
    with pytest.raises(KeyError, match="no function 'g'"):
        LoadedImage(image, function_address).address("g")
