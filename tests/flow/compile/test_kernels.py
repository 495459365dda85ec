"""The small compiler: the same functions as Python and as machine code, records, several files."""

from __future__ import annotations

import ctypes
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chetaev.flow import schemes
from chetaev.flow.compile import loops, machine, small_compiler
from chetaev.flow.compile.link import KernelError
from chetaev.flow.kernels import linear, project
from chetaev.flow.schemes import radau


def module(tmp_path: Path, text: str) -> types.ModuleType:
    path = tmp_path / "kernels_for_test.py"
    path.write_text(text)
    made = types.ModuleType("kernels_for_test")
    made.__file__ = str(path)
    exec(compile(text, str(path), "exec", dont_inherit=True), vars(made))
    return made


SOURCE = """
from math import isfinite, sqrt
LIMIT = 3
HALF = 0.5

def mixed(n: int, a: Floats, k: Ints) -> float:
    total = 0.0
    for i in range(n - 1, -1, -2):
        if i == 2:
            continue
        total += a[i] * i * i - 7 // 2 + 7 % 4
        k[i] = i if a[i] > 0.0 and not i > LIMIT else -i
    j = 0
    while True:
        j += 1
        if j * HALF > 3 or j > 100:
            break
    tail = a[1:]
    total = total + sqrt(abs(tail[0])) + max(min(a[0], 2.0), -1.0)
    return total + j + (1.0 if isfinite(a[2]) else 2.0) + int(2.9)

def halves(x: float) -> float:
    if x < 1.0:
        return x
    return halves(x / 2.0)
"""


def test_the_same_function_as_python_and_as_machine_code(tmp_path: Path) -> None:
    header = "from chetaev.flow.kernels.arrays import Floats, Ints\n"
    made = module(tmp_path, header + SOURCE)
    library = machine.compile_text(small_compiler.translate([made]), optimise=True)
    signature = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)
    compiled = signature(library.address("mixed"))
    for seed in range(20):
        a = np.random.default_rng(seed).normal(size=6)
        a[2] = np.inf if seed % 2 else a[2]
        k, other = np.zeros(6, np.int64), np.zeros(6, np.int64)
        assert compiled(6, a.ctypes.data, k.ctypes.data) == pytest.approx(made.mixed(6, a, other), rel=1e-14)
        assert k.tolist() == other.tolist()
    halves = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(library.address("halves"))
    assert halves(20.0) == made.halves(20.0) == 0.625


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("    return a.shape", "no part of a record"),
        ("    return unknown", "unknown name"),
        ("    return foo(1.0)", "unknown function"),
        ("    for x in a:\n        pass\n    return 0.0", "range"),
        ("    with a:\n        pass\n    return 0.0", "With"),
        ("    return a", "is needed"),
        ("    return f(a, a)", "takes 1 arguments"),
        ("    if a[0]:\n        return 0.0\n    return 1.0", "condition"),
    ],
)
def test_what_is_not_understood_is_refused(tmp_path: Path, body: str, why: str) -> None:
    made = module(
        tmp_path, f"from chetaev.flow.kernels.arrays import Floats\ndef f(a: Floats) -> float:\n{body}\n"
    )
    with pytest.raises(KernelError, match=why):
        small_compiler.translate([made])


def test_linear_solvers_agree_with_numpy() -> None:
    generator = np.random.default_rng(2)
    for n in (1, 2, 5):
        a, b = generator.normal(size=(n, n)), generator.normal(size=n)
        a[0, 0] = 0.0 if n > 1 else a[0, 0]
        work, x = a.copy().ravel(), b.copy()
        assert linear.lu(n, work, np.zeros(n), x) == pytest.approx(np.linalg.det(a))
        np.testing.assert_allclose(x, np.linalg.solve(a, b), rtol=1e-10)
        work, exchange, x = a.copy().ravel(), np.zeros(n), b.copy()
        assert linear.lu_factor(n, work, exchange) == 0
        linear.lu_solve(n, work, exchange, x)
        np.testing.assert_allclose(x, np.linalg.solve(a, b), rtol=1e-10)
    assert linear.lu_factor(2, np.zeros(4), np.zeros(2)) == 1


def test_complex_systems_are_solved_with_pivoting() -> None:
    generator = np.random.default_rng(5)
    for n in (1, 2, 5, 8):
        matrix = generator.normal(size=(n, n)) + 1j * generator.normal(size=(n, n))
        matrix[0, 0] = 0 if n > 1 else 1  # the first pivot has to be exchanged
        right = generator.normal(size=n) + 1j * generator.normal(size=n)
        a, b, x, y = (np.ascontiguousarray(z) for z in (matrix.real, matrix.imag, right.real, right.imag))
        a, b, exchange = a.ravel().copy(), b.ravel().copy(), np.zeros(n)
        assert linear.complex_factor(n, a, b, exchange) == 0
        linear.complex_solve(n, a, b, exchange, x, y)
        np.testing.assert_allclose(matrix @ (x + 1j * y), right, atol=1e-11)
    assert linear.complex_factor(2, np.zeros(4), np.zeros(4), np.zeros(2)) == 1


def test_the_transformation_of_radau_diagonalises_its_matrix() -> None:
    """A⁻¹ = T Λ T⁻¹ with A of Radau IIA, by its order conditions Σ a_ij c_jᵏ⁻¹ = c_iᵏ/k."""
    c = np.array([radau.C1, radau.C2, 1.0])
    powers = np.array([c**k for k in range(3)]).T
    inverse = np.linalg.inv((powers * c[:, None] / np.arange(1, 4)) @ np.linalg.inv(powers))
    turn = np.array(
        [[getattr(radau, f"T{i}{j}", {2: 1.0, 3: 0.0}.get(j)) for j in (1, 2, 3)] for i in (1, 2, 3)]
    )
    back = np.array([[getattr(radau, f"R{i}{j}") for j in (1, 2, 3)] for i in (1, 2, 3)])
    middle = np.array([[radau.GAMMA, 0, 0], [0, radau.ALPHA, -radau.BETA], [0, radau.BETA, radau.ALPHA]])
    np.testing.assert_allclose(turn @ back, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(turn @ middle @ back, inverse, atol=1e-13)


def test_least_change_is_the_pseudo_inverse_also_for_dependent_rows() -> None:
    generator = np.random.default_rng(4)
    c, r, x = generator.normal(size=(3, 5)), generator.normal(size=3), generator.normal(size=5)
    moved = x.copy()
    largest = linear.least_change(3, 5, c.ravel(), r, np.zeros(12), moved)
    np.testing.assert_allclose(moved, x - np.linalg.pinv(c) @ r, rtol=1e-12)
    assert largest == pytest.approx(np.max(np.abs(moved - x)))
    c[2], r[2] = c[0] + c[1], r[0] + r[1]
    moved = x.copy()
    linear.least_change(3, 5, c.ravel(), r, np.zeros(12), moved)
    np.testing.assert_allclose(c @ (moved - x), -r, atol=1e-12)


def test_projection_moves_least_and_converges() -> None:
    """Onto the circle and its tangent."""

    def con(t: float, y: Any, p: Any, out: Any, aux: Any) -> int:
        out[0] = 2 * (y[0] * y[2] + y[1] * y[3])
        out[1] = y[0] ** 2 + y[1] ** 2 - 1
        aux[0], aux[1] = 2 * y[0], 2 * y[1]
        return 0

    run = loops.blank(schemes.find("dop853"), 4)
    run.n, run.con, run.p = 2, con, np.zeros(1)
    run.rows = run.position = run.all_rows = run.projects = run.free = 1
    run.work = np.zeros(run.work_size)
    y = np.array([0.9, 0.5, 0.3, 0.7])
    ray = y[:2] / np.hypot(*y[:2])
    assert project.project(run, 0.0, y) == 0
    np.testing.assert_allclose(y[:2], ray, rtol=1e-14)  # the nearest point of the circle
    assert abs(y[:2] @ y[2:]) < 1e-15
    np.testing.assert_allclose(y[2:], np.array([0.3, 0.7]) - ray * (ray @ [0.3, 0.7]), rtol=1e-14)
    hopeless = np.array([0.0, 0.0, 1.0, 1.0])
    assert project.project(run, 0.0, hopeless) in (0, 1)
    assert np.all(np.isfinite(hopeless))


@pytest.mark.slow
def test_a_long_program_in_pieces_is_the_same_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut every few instructions, with places in memory used again, the results stay the same."""
    import chetaev as ch
    from chetaev.flow.compile import program_text, programs
    from chetaev.flow.run.compiled_field import compile_field
    from chetaev.flow.run.integrate import integrate

    monkeypatch.setenv("CHETAEV_CACHE", "off")
    system = ch.load("car-with-trailers-2")
    generator = np.random.default_rng(0)
    q, v = generator.normal(size=(33, 6)), generator.normal(size=(33, 6))
    results = []
    for size in (10_000, 7, 1):
        monkeypatch.setattr(program_text, "PIECE", size)
        programs.forget()
        field = compile_field(system)
        s = system.state
        start = [[part[c] for c in system.coordinates] for part in (s.position, s.velocity)]
        run = integrate(field, 0.0, *start, 1.0)
        results.append((field(0.2, q, v), run.q[-1]))
    programs.forget()
    for a, end in results[1:]:
        np.testing.assert_allclose(a, results[0][0], rtol=1e-11)
        np.testing.assert_allclose(end, results[0][1], rtol=1e-9)


# --- records and programs from several files -----------------------------------------------------------

RECORD = """
from dataclasses import dataclass
from chetaev.flow.kernels.arrays import Floats, Ints, Alias, Real, Whole

@dataclass
class Pair:
    ints: Ints
    reals: Floats
    work: Floats
    n = Whole()
    t = Real()
    h = Real()

    tail = Alias[Floats](lambda self: self.work[half(self.n) :])  # the second half

@dataclass
class Triple(Pair):
    more: Floats

def half(n: int) -> int:
    return n // 2

def tail_sum(pair: Pair) -> float:
    total = 0.0
    for i in range(half(pair.n)):
        total = total + pair.tail[i] * pair.h
    return total

def work_on(triple: Triple) -> float:
    triple.h += triple.more[0]
    triple.tail[0] = 5.0
    triple.n = triple.n - 2
    return tail_sum(triple)

def never(triple: Triple) -> float:
    return triple.more[0]
"""


def test_records_are_classes_in_python_and_their_fields_in_machine_code(tmp_path: Path) -> None:
    made = module(tmp_path, RECORD)
    text = small_compiler.translate([made], roots=["work_on"])
    library = machine.compile_text(text, optimise=True)
    compiled = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_void_p] * 4)(library.address("work_on"))
    results = []
    for run in (lambda a: made.work_on(made.Triple(*a)), lambda a: compiled(*(x.ctypes.data for x in a))):
        arrays = np.array([6, 0]), np.array([0.0, 0.5]), np.arange(6.0), np.array([0.25])
        results.append((run(arrays), *(x.tolist() for x in arrays)))
    assert results[0] == results[1] == (0.75 * (2 + 5), [4, 0], [0.0, 0.75], [0, 1, 2, 5.0, 4, 5], [0.25])
    taken = "@tail_sum(ptr %arg.pair.ints, ptr %arg.pair.reals, ptr %arg.pair.work)"
    assert taken in text, "a function takes what it uses"
    assert "@never" not in text, "nor is there what no root calls"


@pytest.mark.parametrize(
    ("function", "why"),
    [
        ("def f(pair: Pair) -> float:\n    return pair.width", "no part of a record"),
        ("def f(pair: Pair) -> float:\n    pair.tail = 1.0\n    return 0.0", "cannot be assigned to"),
        ("def f(pair: Pair) -> float:\n    pair.work = 1.0\n    return 0.0", "cannot be assigned to"),
        ("def f(pair: 'Other') -> float:\n    return 0.0", "no known type"),
        ("def f(x: Floats) -> float:\n    return tail_sum(x)", "no part of a record"),
        ("def half(n: int) -> int:\n    return n", "a kernel 'half'"),
    ],
)
def test_what_cannot_be_done_with_records_is_refused(tmp_path: Path, function: str, why: str) -> None:
    made = module(tmp_path, f"{RECORD}\n{function}\n")
    with pytest.raises(KernelError, match=why):
        small_compiler.translate([made])


def test_a_name_stands_for_one_thing_unless_it_is_open_to_schemes(tmp_path: Path) -> None:
    first = module(tmp_path, "A = 1\ndef f(n: int) -> int:\n    return n\n")
    (tmp_path / "two").mkdir()
    with pytest.raises(KernelError, match="a kernel 'f'"):
        small_compiler.translate([first, module(tmp_path / "two", "def f(n: int) -> int:\n    return 2\n")])
    with pytest.raises(KernelError, match="A has one value"):
        small_compiler.translate([first, module(tmp_path / "two", "A = 2\n")])
