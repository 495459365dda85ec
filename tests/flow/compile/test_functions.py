"""Every function of the grammar, compiled for one state and for vectors of states, against NumPy and
mpmath."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import FUNCTIONS, Expr
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import Scope
from chetaev.flow.compile.machine import compile_text
from chetaev.flow.compile.model_functions import event
from chetaev.flow.compile.program_text import WEAK_FLAG, state_text
from chetaev.flow.run.array_calls import call
from chetaev.flow.run.compiled_field import CompiledField, compile_field
from chetaev.flow.run.integrate import integrate

SCOPE = Scope.of(coordinates=["x", "y"], parameters=["k"])
EXPRESSIONS = [
    "sin(x)", "cos(x)", "tan(x)", "asin(x/5)", "acos(x/5)", "atan(x)", "atan2(x, y)", "sinh(x)", "cosh(x)",
    "tanh(x)", "asinh(x)", "acosh(1 + x^2)", "atanh(x/5)", "exp(x)", "log(1 + x^2)", "sqrt(1 + x^2)",
    "abs(x)", "sign(x)", "min(x, y)", "max(x, y, 0.3)", "x^2", "x^3", "x^-2", "x^7", "x^120", "x^-101",
    "(1 + x^2)^0.5", "(1 + x^2)^1.7", "(1 + x^2)^y", "2^x", "x/y", "-x", "x*y - k*x'*y'", "t*x + e*pi",
    "sin(x)^2 + cos(x)^2 + tan(x)*cos(x)", "sin(y)", "cos(x')", "tan(y')", "sin(t) + cos(t)", "sin(k)",
    "cos(x + y)",
]  # fmt: skip


@pytest.fixture(scope="module")
def plane(flow_cache: str) -> CompiledField:
    return compile_field(
        ch.System(coordinates=["x", "y"], lagrangian="x'^2/2 + y'^2/2", parameters={"k": 0.7})
    )


LANES = 4
CALLED = """
define i64 @called(double %time, ptr %y, ptr %p, ptr %out, ptr %flags) nounwind {
  %one = insertelement <4 x double> poison, double %time, i32 0
  %t = shufflevector <4 x double> %one, <4 x double> poison, <4 x i32> zeroinitializer
  %raised = call <4 x double> @f(<4 x double> %t, ptr %y, ptr %p, ptr %out, ptr %out)
  store <4 x double> %raised, ptr %flags, align 8
  ret i64 0
}
"""


def by_lanes(
    field: CompiledField, exprs: list[Expr], t: float, q: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Values and flags of the program for lanes, for four states at a time."""
    code = compile_text(state_text(event(field.programs, exprs)[0], LANES) + CALLED)
    rows, p = np.concatenate([q, v], axis=1), np.full((1, LANES), 0.7)
    found, flags = np.empty((len(q), len(exprs))), np.empty(len(q))
    for first in range(0, len(q), LANES):
        place = np.minimum(np.arange(first, first + LANES), len(q) - 1)
        y, out, raised = np.ascontiguousarray(rows[place].T), np.empty((len(exprs), LANES)), np.empty(LANES)
        call(code.address("called"), t, y, p, out, raised)
        found[place], flags[place] = out.T, raised
    return found, flags


def one_by_one(
    field: CompiledField, exprs: list[Expr], t: float, q: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, int]:
    address = field.programs.code("event", exprs).address("f")
    p, flags = np.array([0.7]), 0
    out = np.empty((len(q), len(exprs)))
    for row, a, b in zip(out, q, v, strict=True):
        flags |= call(address, t, np.concatenate([a, b]), p, row, row)
    return out, flags


def states(count: int, size: float = 2.0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(5)
    return generator.uniform(-size, size, (count, 2)), generator.uniform(-size, size, (count, 2))


def expected(exprs: list[Expr], t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    values = {"t": t, "k": 0.7, "x": q[:, 0], "y": q[:, 1], "x_dot": v[:, 0], "y_dot": v[:, 1]}
    return np.stack([np.broadcast_to(e, len(q)) for e in evaluate(exprs, values)], axis=-1)


def test_every_function_of_the_grammar_is_tried() -> None:
    assert all(any(f"{name}(" in e for e in EXPRESSIONS) for name in FUNCTIONS)


@pytest.mark.parametrize("count", [1, 3, 8, 13, 64])
def test_lanes_agree_with_numpy(plane: CompiledField, count: int) -> None:
    exprs = [parse(e, SCOPE) for e in EXPRESSIONS]
    q, v = states(count)
    found, wanted = by_lanes(plane, exprs, 0.3, q, v)[0], expected(exprs, 0.3, q, v)
    np.testing.assert_allclose(found, wanted, rtol=2e-14, atol=1e-15)


def test_one_state_agrees_with_numpy(plane: CompiledField) -> None:
    exprs = [parse(e, SCOPE) for e in EXPRESSIONS]
    q, v = states(20)
    found, flags = one_by_one(plane, exprs, 0.3, q, v)
    assert flags == 0
    np.testing.assert_allclose(found, expected(exprs, 0.3, q, v), rtol=2e-14, atol=1e-15)


@pytest.mark.parametrize("size", [1.0, 1e3, 1e8])
def test_sine_and_cosine_to_the_last_digit(plane: CompiledField, size: float) -> None:
    exprs = [parse(e, SCOPE) for e in ("sin(x)", "cos(x)", "tan(x)")]
    q, v = states(400, size)
    with mpmath.workdps(40):
        wanted = np.array(
            [[float(f(mpmath.mpf(x))) for f in (mpmath.sin, mpmath.cos, mpmath.tan)] for x in q[:, 0]]
        )
    for found in (by_lanes(plane, exprs, 0.0, q, v)[0], one_by_one(plane, exprs, 0.0, q, v)[0]):
        assert np.max(np.abs(found - wanted)[:, :2]) <= 2.3e-16
        np.testing.assert_allclose(found[:, 2], wanted[:, 2], rtol=1e-15)


def test_sine_keeps_relative_accuracy_near_its_zeros(plane: CompiledField) -> None:
    exprs = [parse("sin(x)", SCOPE)]
    q = np.array([[k * np.pi, 0.0] for k in (1, 2, 113, 355, 10**6, 10**8)])
    with mpmath.workdps(60):
        wanted = [float(mpmath.sin(mpmath.mpf(x))) for x in q[:, 0]]
    np.testing.assert_allclose(by_lanes(plane, exprs, 0.0, q, q)[0][:, 0], wanted, rtol=1e-15)


def test_huge_arguments_are_left_to_the_c_library(plane: CompiledField) -> None:
    exprs = [parse(e, SCOPE) for e in ("sin(x)", "cos(x)", "tan(x)")]
    q = np.array([[x, 0.0] for x in (2e9, 1e15, 1e22, 1e300, 0.5)])
    wanted = expected(exprs, 0.0, q, q)
    raised = by_lanes(plane, exprs, 0.0, q, q)[1]
    assert raised.tolist() == [WEAK_FLAG] * 4 + [0]  # a lane stops, and its motion goes on alone
    found, flags = one_by_one(plane, exprs, 0.0, q, q)
    assert flags == 0
    np.testing.assert_allclose(found, wanted, rtol=1e-15)
    several = [parse(e, SCOPE) for e in ("sin(y)", "cos(x')", "cos(y')")]  # computed together
    np.testing.assert_allclose(
        one_by_one(plane, several, 0.0, q, q[::-1])[0], expected(several, 0.0, q, q[::-1]), rtol=1e-15
    )


def test_outside_its_domain_a_function_gives_nan(plane: CompiledField) -> None:
    exprs = [
        parse(e, SCOPE)
        for e in ("sqrt(x)", "log(x)", "asin(x)", "min(sqrt(x), y)", "max(y, log(x))", "sin(x/0.0^y)")
    ]
    q = np.array([[-2.0, 1.0]])
    assert np.all(np.isnan(by_lanes(plane, exprs[:5], 0.0, q, q)[0]))
    assert np.all(np.isnan(one_by_one(plane, exprs[:5], 0.0, q, q)[0]))


def test_a_run_with_a_huge_angle_goes_on_with_the_c_library(plane: CompiledField) -> None:
    field = compile_field(ch.System(coordinates=["x"], lagrangian="x'^2/2 + cos(x)"))
    far = 2.0e9 * np.pi + 0.5
    with mpmath.workdps(40):
        angle = float(mpmath.fmod(mpmath.mpf(far), 2 * mpmath.pi))
    there = integrate(field, 0.0, [far], [0.0], 3.0, tolerance=1e-10)
    here = integrate(field, 0.0, [angle], [0.0], 3.0, tolerance=1e-10)
    assert there.status == "done"
    # The relative tolerance allows an error of 0.6 in the angle itself; its sine at the start is exact.
    assert there.accelerations[0] == pytest.approx(here.accelerations[0], rel=1e-12)
    assert there.v[-1] == pytest.approx(here.v[-1], abs=0.01)
