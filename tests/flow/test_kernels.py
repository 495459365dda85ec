"""The integrators' loops: the same functions as Python and as machine code, and the order of the methods
measured."""

from __future__ import annotations

import ctypes
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chetaev.flow import kernel, loops, machine
from chetaev.flow.dop853_table import DENSE, ERROR3, ERROR5, NODES, STAGES, table
from chetaev.flow.kernels import advance, dop853, layout, linear, locate, project, radau


def module(tmp_path: Path, text: str) -> types.ModuleType:
    path = tmp_path / "kernels_for_test.py"
    path.write_text(text)
    made = types.ModuleType("kernels_for_test")
    made.__file__ = str(path)
    exec(compile(text, str(path), "exec"), vars(made))
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
        total += a[i] * i ** 2 - 7 // 2 + 7 % 4
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
    library = machine.compile_text(kernel.translate([made]), optimise=True)
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
        ("    return a.shape", "Attribute"),
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
    with pytest.raises(kernel.KernelError, match=why):
        kernel.translate([made])


def test_linear_solvers_agree_with_numpy() -> None:
    generator = np.random.default_rng(2)
    for n in (1, 2, 5):
        a, b = generator.normal(size=(n, n)), generator.normal(size=n)
        a[0, 0] = 0.0 if n > 1 else a[0, 0]
        work, x = a.copy().ravel(), b.copy()
        assert linear.lu(n, work, x) == pytest.approx(np.linalg.det(a))
        np.testing.assert_allclose(x, np.linalg.solve(a, b), rtol=1e-10)
        work, exchange, x = a.copy().ravel(), np.zeros(n), b.copy()
        assert linear.lu_factor(n, work, exchange) == 0
        linear.lu_solve(n, work, exchange, x)
        np.testing.assert_allclose(x, np.linalg.solve(a, b), rtol=1e-10)
    assert linear.lu_factor(2, np.zeros(4), np.zeros(2)) == 1


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


def test_coefficients_satisfy_the_order_conditions() -> None:
    nodes = np.array(NODES)
    for c, row in zip(nodes, STAGES, strict=True):
        assert sum(row) == pytest.approx(c, abs=1e-14)
    weights = np.array(STAGES[12])
    for k in range(1, 9):  # Σ b c^(k−1) = 1/k up to order 8
        assert weights @ nodes[:12] ** (k - 1) == pytest.approx(1 / k, abs=1e-13)
    assert abs(weights @ nodes[:12] ** 8 - 1 / 9) > 1e-6
    for error in (ERROR3, ERROR5):
        assert sum(error) == pytest.approx(0, abs=1e-13)
    assert len(DENSE) == 4
    assert table().shape == (360,)


# --- order -------------------------------------------------------------------------------------------


def field(t: float, y: Any, p: Any, dy: Any, aux: Any) -> int:
    """A pendulum with a time-dependent support."""
    dy[0], dy[1] = y[1], -np.sin(y[0]) + 0.3 * np.cos(2 * t)
    aux[0] = 1.0
    return 0


def nothing(*_: Any) -> int:
    return 0


def setting(method: int, h: float) -> tuple[Any, Any, Any]:
    ints, reals = np.zeros(layout.INTS, np.int64), np.zeros(layout.REALS)
    ints[layout.N], ints[layout.DIM], ints[layout.FREE], ints[layout.WATCHED] = 1, 2, 1, 1
    ints[layout.METHOD] = method
    reals[layout.H], reals[layout.RTOL], reals[layout.ATOL] = h, 1e-12, 1e-12
    work = np.zeros(int(layout.work_size(ints)))
    work[:2] = 1.2, 0.4
    work[int(layout.at_pivots(ints))] = 1.0
    return ints, reals, work


def steps(method: int, count: int, until: float = 2.0) -> tuple[np.ndarray, np.ndarray]:
    """End state with so many equal steps, and the worst error of the dense output inside the first step."""
    h = until / count
    ints, reals, work = setting(method, h)
    tables, p = table(), np.zeros(1)
    new, k = int(layout.at_new(ints)), int(layout.at_stages(ints))
    inside = np.zeros((3, 2))
    for i in range(count):
        reals[layout.T] = i * h
        field(i * h, work, p, work[k:], np.zeros(1))
        ints[layout.FACTORED] = 0
        if method == 0:
            assert dop853.dop853_step(field, nothing, tables, ints, reals, p, work) == 0
        else:
            assert radau.radau_step(field, nothing, ints, reals, p, work) == 0
        if i == 0:
            field(h, work[new:], p, work[k + 24 :], np.zeros(1))
            if method == 0:
                dop853.dop853_dense(field, nothing, tables, ints, reals, p, work)
            else:
                radau.radau_dense(ints, work)
            for j, x in enumerate((0.2, 0.5, 0.9)):
                locate.point(ints, reals, work, x, inside[j])
        work[:2] = work[new : new + 2]
    return work[:2].copy(), inside


@pytest.mark.parametrize(("method", "order", "few"), [(0, 8, 3), (1, 5, 4)])
def test_order_of_the_step(method: int, order: int, few: int) -> None:
    exact, _ = steps(0, 60)
    errors = [np.max(np.abs(steps(method, few * 2**k)[0] - exact)) for k in range(3)]
    measured = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(measured > order - 0.6), measured
    assert np.all(measured < order + 1.5), measured


@pytest.mark.parametrize(("method", "order", "few"), [(0, 7, 2), (1, 3, 4)])
def test_order_of_the_dense_output(method: int, order: int, few: int) -> None:
    """Inside one step the error of an interpolant of order p falls as h^(p+1)."""
    errors = []
    for k in range(3):
        count = few * 2**k
        h = 2.0 / count
        _, inside = steps(method, count)
        exact = np.array([steps(0, 8, x * h)[0] for x in (0.2, 0.5, 0.9)])
        errors.append(np.max(np.abs(inside - exact)))
    measured = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(measured > order + 1 - 0.7), measured


def test_the_loop_runs_as_python_too() -> None:
    """A whole integration by `advance`, interpreted, agrees with machine code calling the same Python
    field."""
    callback = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double, *[ctypes.POINTER(ctypes.c_double)] * 4)(
        field
    )
    results = []
    for compiled in (False, True):
        ints, reals, work = setting(0, 0.0)
        ints[layout.AT_COUNT], ints[layout.OUT_CAPACITY], ints[layout.SLICE] = -1, 200, 1000
        ints[layout.FRESH] = ints[layout.FIRST] = 1
        reals[layout.END], reals[layout.LAST_ERROR], reals[layout.H_MAX] = 3.0, 1e-4, 3.0
        out, empty = np.zeros((200, 3)), np.zeros(1)
        none = np.zeros(1, np.int64)
        arrays = (
            table(), ints, reals, np.zeros(1), work, empty, out.ravel(), empty, empty, none, empty, empty,
        )  # fmt: skip
        if compiled:
            address = ctypes.cast(callback, ctypes.c_void_p).value
            functions = (address, None, None, None)
            status = loops.advance_function()(*functions, *(a.ctypes.data for a in arrays))
        else:
            status = advance.advance(field, nothing, nothing, nothing, *arrays)
        assert status == layout.DONE
        results.append((int(ints[layout.STEPS]), work[:2].copy()))
    assert results[0][0] == results[1][0] > 5
    np.testing.assert_allclose(results[0][1], results[1][1], rtol=1e-11)


def test_projection_moves_least_and_converges() -> None:
    """Onto the circle and its tangent."""

    def con(t: float, y: Any, p: Any, out: Any, aux: Any) -> int:
        out[0] = 2 * (y[0] * y[2] + y[1] * y[3])
        out[1] = y[0] ** 2 + y[1] ** 2 - 1
        aux[0], aux[1] = 2 * y[0], 2 * y[1]
        return 0

    ints, reals = np.zeros(layout.INTS, np.int64), np.zeros(layout.REALS)
    ints[layout.N], ints[layout.DIM], ints[layout.ROWS], ints[layout.POSITION] = 2, 4, 1, 1
    ints[layout.ALL_ROWS] = ints[layout.PROJECT] = ints[layout.FREE] = 1
    work = np.zeros(int(layout.work_size(ints)))
    y = np.array([0.9, 0.5, 0.3, 0.7])
    ray = y[:2] / np.hypot(*y[:2])
    assert project.project(con, ints, reals, 0.0, y, np.zeros(1), work) == 0
    np.testing.assert_allclose(y[:2], ray, rtol=1e-14)  # the nearest point of the circle
    assert abs(y[:2] @ y[2:]) < 1e-15
    np.testing.assert_allclose(y[2:], np.array([0.3, 0.7]) - ray * (ray @ [0.3, 0.7]), rtol=1e-14)
    hopeless = np.array([0.0, 0.0, 1.0, 1.0])
    assert project.project(con, ints, reals, 0.0, hopeless, np.zeros(1), work) in (0, 1)
    assert np.all(np.isfinite(hopeless))


def test_a_long_program_in_pieces_is_the_same_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut every few instructions, with places in memory used again, the results stay the same."""
    import chetaev as ch
    from chetaev.flow import pieces, programs
    from chetaev.flow.field import compile_field
    from chetaev.flow.integrate import integrate

    monkeypatch.setenv("CHETAEV_CACHE", "off")
    system = ch.load("car-with-trailers-2")
    generator = np.random.default_rng(0)
    q, v = generator.normal(size=(33, 6)), generator.normal(size=(33, 6))
    results = []
    for size in (10_000, 7, 1):
        monkeypatch.setattr(pieces, "PIECE", size)
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


def test_each_method_has_the_loops_it_needs() -> None:
    """What the explicit method leaves out is the stiff method, and nothing else."""
    own = {name for name, f in vars(radau).items() if getattr(f, "__module__", "") == radau.__name__}
    assert set(loops.ABSENT["dop853"]) == own | {"lu_factor", "lu_solve"}
    others = [m for m in loops.MODULES if m not in (radau, linear)]
    assert not any(name in vars(m) for m in others for name in ("lu_factor", "lu_solve"))
    defined = {name for m in loops.MODULES for name in vars(m)}
    assert defined.issuperset(loops.RARE)
    assert loops.text("dop853").count("@llvm.trap()") == 1 + len(loops.ABSENT["dop853"])
    assert loops.text("radau").count("@llvm.trap()") == 1


def test_a_constant_has_one_value_in_all_loops() -> None:
    """They are translated together, so a name that meant two numbers would be one of them everywhere."""
    seen: dict[str, float] = {}
    for made in loops.MODULES:
        for name, value in vars(made).items():
            if isinstance(value, (int, float)) and not name.startswith("__"):
                assert seen.setdefault(name, value) == value, name
