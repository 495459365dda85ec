"""The schemes: orders measured, the same as Python and as machine code, and one more is one more file."""

from __future__ import annotations

import ast
import ctypes
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chetaev as ch
from chetaev.errors import ModelError
from chetaev.flow import schemes
from chetaev.flow.compile import loops
from chetaev.flow.kernels import statuses
from chetaev.flow.kernels.integration import LEAST_LOG, Search
from chetaev.flow.run.compiled_field import compile_field
from chetaev.flow.run.integrate import integrate
from chetaev.flow.schemes import dop853

ALL = [scheme.name for scheme in schemes.schemes()]
NAMES = [scheme.name for scheme in schemes.schemes() if not scheme.fixed and not scheme.chooses]
"""Those with a step of their own; the others have tests of their own."""
MORE = str(Path(__file__).parent / "more_schemes")


@pytest.fixture
def kutta(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The package as it is with one more file in the folder of the schemes."""
    monkeypatch.setattr(schemes, "__path__", [*schemes.__path__, MORE])
    yield "kutta"
    sys.modules.pop("chetaev.flow.schemes.kutta", None)


def field(t: float, y: Any, p: Any, dy: Any, aux: Any) -> int:
    """A pendulum with a time-dependent support."""
    dy[0], dy[1] = y[1], -np.sin(y[0]) + 0.3 * np.cos(2 * t)
    aux[0] = 1.0
    return 0


def setting(method: str, h: float) -> Search:
    """The pendulum at its start, at rest in the loops of a scheme."""
    run = loops.blank(schemes.find(method), 2)
    run.rhs, run.p = field, np.zeros(1)
    run.n = run.free = run.watched = 1
    run.h, run.rtol, run.atol = h, 1e-12, 1e-12
    run.work = np.zeros(run.work_size)
    run.y[0], run.y[1], run.pivots[0] = 1.2, 0.4, 1.0
    return run


def steps(method: str, count: int, until: float = 2.0) -> tuple[np.ndarray, np.ndarray]:
    """End state with so many equal steps, and the dense output at three places of the first step."""
    h = until / count
    run, kernels = setting(method, h), loops.plain(method)
    inside = np.zeros((3, 2))
    for i in range(count):
        run.t = i * h
        field(run.t, run.y, run.p, run.k, run.aux)
        run.current = 0
        assert kernels["step"](run) == 0
        if i == 0:
            field(h, run.new, run.p, run.k_end, run.aux)
            assert kernels["dense_output"](run) == 0
            for j, x in enumerate((0.2, 0.5, 0.9)):
                kernels["point"](run, x, inside[j])
        run.y[0], run.y[1] = run.new[0], run.new[1]
    return np.array([run.y[0], run.y[1]]), inside


def measured_order(method: str) -> np.ndarray:
    few = 3 if schemes.find(method).order > 6 else 4
    exact, _ = steps("dop853", 60)
    errors = [np.max(np.abs(steps(method, few * 2**k)[0] - exact)) for k in range(3)]
    return np.log2([a / b for a, b in pairwise(errors)])


def measured_dense_order(method: str) -> np.ndarray:
    """Inside one step the error of an interpolant of order p falls as h^(p+1)."""
    few = 2 if schemes.find(method).dense_order > 5 else 4
    errors = []
    for k in range(3):
        count = few * 2**k
        _, inside = steps(method, count)
        exact = np.array([steps("dop853", 8, x * 2.0 / count)[0] for x in (0.2, 0.5, 0.9)])
        errors.append(np.max(np.abs(inside - exact)))
    return np.log2([a / b for a, b in pairwise(errors)]) - 1


def test_a_scheme_is_found_by_its_name_and_no_name_is_given_twice() -> None:
    names = [scheme.name for scheme in schemes.schemes()]
    assert len(set(names)) == len(names)
    for scheme in schemes.schemes():
        assert scheme.module.startswith("chetaev.flow.schemes.")
        assert schemes.find(scheme.name) is scheme


@pytest.mark.slow
@pytest.mark.parametrize("method", NAMES)
def test_the_order_of_the_step_is_what_the_record_says(method: str) -> None:
    measured, order = measured_order(method), schemes.find(method).order
    assert np.all(measured > order - 0.6), measured
    assert np.all(measured < order + 1.5), measured


def measured_estimate(method: str) -> np.ndarray:
    """The power of h as which the estimated error of the first step falls."""
    errors = []
    for k in range(4):
        run = setting(method, 0.4 / 2**k)
        field(0.0, run.y, run.p, run.k, run.aux)
        assert loops.plain(method)["step"](run) == 0
        errors.append(run.error)
    return np.log2([a / b for a, b in pairwise(errors)])


@pytest.mark.slow
@pytest.mark.parametrize("method", NAMES)
def test_the_estimated_error_falls_as_the_record_says(method: str) -> None:
    measured = measured_estimate(method)
    assert abs(measured[-1] - schemes.find(method).estimate) < 0.5, measured


@pytest.mark.slow
@pytest.mark.parametrize("method", NAMES)
def test_the_order_of_the_dense_output_is_what_the_record_says(method: str) -> None:
    measured = measured_dense_order(method)
    assert np.all(measured > schemes.find(method).dense_order - 0.7), measured


def test_coefficients_of_dop853_satisfy_the_order_conditions() -> None:
    nodes = np.array(dop853.NODES)
    for c, row in zip(nodes, dop853.STAGES, strict=True):
        assert sum(row) == pytest.approx(c, abs=1e-14)
    weights = np.array(dop853.STAGES[12])
    for k in range(1, 9):  # Σ b c^(k−1) = 1/k up to order 8
        assert weights @ nodes[:12] ** (k - 1) == pytest.approx(1 / k, abs=1e-13)
    assert abs(weights @ nodes[:12] ** 8 - 1 / 9) > 1e-6
    for error in (dop853.ERROR3, dop853.ERROR5):
        assert sum(error) == pytest.approx(0, abs=1e-13)
    table = dop853.SCHEME.table.reshape(-1, 16)
    assert table[dop853.ROW_C].tolist() == list(dop853.NODES)
    assert table[dop853.ROW_ERROR3, :12].tolist() == list(dop853.ERROR3)
    assert table[dop853.ROW_ERROR5, :12].tolist() == list(dop853.ERROR5)
    assert table[dop853.ROW_DENSE :].tolist() == [list(row) for row in dop853.DENSE]


def test_the_loop_runs_as_python_too() -> None:
    """A whole integration by `advance`, interpreted, agrees with machine code calling the same field."""
    for method in NAMES:
        results = [whole_run(method, compiled) for compiled in (False, True)]
        assert results[0][0] == results[1][0] > 5, method
        np.testing.assert_allclose(results[0][1], results[1][1], rtol=1e-11)


@pytest.mark.parametrize("size", [1.0, 1e100, 1e300])
def test_the_error_of_dop853_is_in_units_of_the_tolerance_for_states_of_any_size(size: float) -> None:
    run, draw = setting("dop853", 0.01), np.random.default_rng(3)
    for j in range(12):
        run.k[2 * j], run.k[2 * j + 1] = draw.normal(size=2) * (1.0, size * 1e-12)
    run.y[1], run.new[0], run.new[1] = 0.5 * size, -0.3, size
    k = np.array([run.k[i] for i in range(24)]).reshape(12, 2)
    units = 1e-12 * np.array([2.2, 1.0 + size])
    e5, e3 = (np.array(w) @ k / units for w in (dop853.ERROR5, dop853.ERROR3))
    fifth, third = np.sum(e5 * e5), np.sum(e3 * e3)
    wanted = 0.01 * fifth / np.sqrt(2 * (fifth + 0.01 * third))
    found = loops.plain("dop853")["estimated_error"](run)
    assert found == pytest.approx(wanted, rel=1e-12)


def whole_run(method: str, compiled: bool) -> tuple[int, np.ndarray]:
    """Steps and end of the pendulum's run, by Python or by machine code."""
    run = setting(method, 0.0)
    run.rtol = run.atol = 1e-12 if method == "dop853" else 1e-6
    run.at_count, run.out_capacity, run.slice, run.fresh, run.first = -1, 200, 1000, 1, 1
    run.end, run.last_log, run.h_max = 3.0, LEAST_LOG, 3.0
    at, out, kept = np.zeros(1), np.zeros(600), np.zeros(1)
    if compiled:
        kinds = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double, *[ctypes.POINTER(ctypes.c_double)] * 4)
        callback = kinds(field)
        address = ctypes.cast(callback, ctypes.c_void_p).value
        arrays: tuple[Any, ...] = (
            run.table, run.ints, run.reals, run.p, run.work, run.found, run.watch,
            at, out, kept,
        )  # fmt: skip
        function = loops.kernel("advance", None, method)
        status = function(address, None, None, None, *(a.ctypes.data for a in arrays))
    else:
        status = loops.plain(method)["advance"](run, at, out, kept)
    assert status == statuses.DONE
    return run.steps, np.array([run.y[0], run.y[1]])


# --- one more scheme is one more file ----------------------------------------------------------------


@pytest.mark.slow
def test_a_new_file_is_a_new_scheme(kutta: str) -> None:
    """Listed, found, run with constraints, requested times, events and dense output, and named in errors."""
    assert kutta in [scheme.name for scheme in schemes.schemes()]
    disc = ch.load("rolling-disc")
    times = np.linspace(0, 2, 9)
    ours = ch.simulate(disc, until=2.0, at=times, method=kutta, tolerance=1e-9, events=["theta'"])
    exact = ch.simulate(disc, until=2.0, at=times, tolerance=1e-13, events=["theta'"])
    assert ours.attrs["status"] == "done"
    for name in disc.coordinates:
        np.testing.assert_allclose(ours[name], exact[name], atol=1e-6)
    assert float(abs(ours.residual).max()) < 1e-14
    with pytest.raises(ModelError, match=r"'dop853' or .*'kutta' or .*'radau'"):
        ch.simulate(disc, until=1.0, method="kuta")


def test_a_new_scheme_finds_events_and_has_a_motion_in_between(kutta: str) -> None:
    """The skate's cycloid turns back at π/2 and 3π/2."""
    skate = ch.System(
        coordinates=["x", "y", "phi"],
        lagrangian="(x'^2 + y'^2)/2 + phi'^2/20 + 4.9*x",
        constraints=["x'*sin(phi) = y'*cos(phi)"],
    )
    compiled = compile_field(skate)
    run = integrate(
        compiled, 0.0, [0, 0, 0], [0, 0, 1], 5.0, method=kutta, events=["x'"], dense=True, tolerance=1e-10
    )
    turns = [e.time for e in run.events if e.time > 0.1]
    np.testing.assert_allclose(turns, [np.pi / 2, np.pi, 3 * np.pi / 2], atol=1e-6)
    assert run.dense is not None
    times = np.linspace(0, 5, 50)
    q, _ = run.dense(times)
    reference = integrate(compiled, 0.0, [0, 0, 0], [0, 0, 1], 5.0, at=times, tolerance=1e-13)
    np.testing.assert_allclose(q, reference.q, atol=1e-6)


@pytest.mark.slow
def test_a_new_scheme_runs_in_lanes_with_the_bits_of_single_motions(kutta: str) -> None:
    asked = {"until": 1.0, "at": 4, "keep": ["series"], "method": kutta, "tolerance": 1e-6}
    disc, over = ch.load("rolling-disc"), {"theta": "0.1:0.9:6"}
    beside, alone = (ch.ensemble(disc, over, lanes=lanes, **asked) for lanes in (4, 1))
    assert np.array_equal(beside.series, alone.series)
    assert beside.steps.values.tolist() == alone.steps.values.tolist()
    assert min(alone.steps) > 20


@pytest.mark.slow
def test_a_new_scheme_has_the_order_that_it_claims(kutta: str) -> None:
    assert np.all(np.abs(measured_order(kutta) - 4) < 0.6)
    assert np.all(measured_dense_order(kutta) > 3 - 0.7)
    assert abs(measured_estimate(kutta)[-1] - 3) < 0.5


@pytest.mark.slow
def test_a_new_scheme_leaves_the_code_of_the_others_alone(kutta: str) -> None:
    """Each scheme has loops of its own, known by its own file."""
    files = {name: {path.name for path in loops.source_files(name)} for name in (*NAMES, kutta)}
    assert "kutta.py" in files[kutta]
    assert not any("kutta.py" in files[name] for name in NAMES)
    assert "complex_factor" in loops.text("radau")
    assert "complex_factor" not in loops.text("dop853")


@pytest.mark.slow
def test_nothing_else_knows_the_name_of_a_scheme() -> None:
    """No text of the program, docstrings aside, names a scheme outside of its file, but for the default."""
    room = Path(schemes.__file__).parent
    said = [name for name in ALL if name != "auto"]  # a word that others use, too
    for path in Path(ch.__file__).parent.rglob("*.py"):
        source = path.read_text("utf-8")
        named = [n for n in said if n in source]
        texts = [text for text in strings(ast.parse(source if named else "")) for n in named if n in text]
        if path == room / "__init__.py":
            assert texts == [schemes.DEFAULT]
        elif path not in [room / f"{one.module.rpartition('.')[2]}.py" for one in ch.schemes()]:
            assert not texts, path


def strings(tree: ast.AST) -> Iterator[str]:
    """Texts that are used: an expression that is a text by itself only says something."""
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value


def test_only_stiff_schemes_are_advised_and_not_to_those_who_use_one() -> None:
    assert schemes.advice("dop853") == "method='radau'"
    assert schemes.advice("radau") == ""
    stuck = ch.System(coordinates=["x"], lagrangian="x'^2/2", initial={"x": 0, "x'": 1})
    reasons = {m: ch.simulate(stuck, until=1e3, method=m, max_steps=1).attrs["reason"] for m in NAMES}
    assert "radau" in reasons["dop853"]
    assert "method" not in reasons["radau"]


THREADS = """
import threading
from chetaev.flow.schemes import schemes
start, failed = threading.Barrier(8), []
def ask():
    start.wait()
    try:
        schemes()
    except BaseException as error:
        failed.append(error)
threads = [threading.Thread(target=ask) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not failed, failed
"""


def test_threads_that_ask_for_schemes_wait_until_these_are_imported():
    subprocess.run([sys.executable, "-c", THREADS], check=True)
