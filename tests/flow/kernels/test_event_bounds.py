"""Events with known zeros: every one is found, no other is, and what did not occur is shown not to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chetaev.flow.run.compiled_field import CompiledField
from chetaev.flow.run.integrate import integrate
from chetaev.flow.run.motion import Run

Make = Callable[..., CompiledField]
PI = np.pi


@pytest.fixture(scope="module")
def spring(make: Make) -> CompiledField:
    """x = cos t from (1, 0)."""
    return make("x", "x'^2/2 - x^2/2")


@pytest.fixture(scope="module")
def free(make: Make) -> CompiledField:
    """x = t from (0, 1): steps soon are as long as the run."""
    return make("x", "x'^2/2")


def watch(field: CompiledField, event: Any, until: float = 10.0, **more: Any) -> Run:
    more.setdefault("tolerance", 1e-12)
    return integrate(field, 0.0, [1.0], [0.0], until, events=[event], **more)


def along_t(field: CompiledField, event: Any, until: float = 10.0, **more: Any) -> Run:
    more.setdefault("tolerance", 1e-12)
    return integrate(field, 0.0, [0.0], [1.0], until, events=[event], **more)


def at_level(c: float) -> list[float]:
    """Where cos t = c from 0 to 10."""
    a = np.arccos(c)
    return [t for t in (a, 2 * PI - a, 2 * PI + a, 4 * PI - a) if t < 10]


def pair(c: float, apart: float) -> list[float]:
    return sorted(at_level(c) + at_level(c + apart))


ZEROS_OF_X = [PI / 2, 3 * PI / 2, 5 * PI / 2]
C, T = "crossing", "touch"

ON_THE_SPRING: list[tuple[str, list[float], str, float]] = [
    # expression, times of its zeros on x = cos t from 0 to 10, kind, allowed error of a time
    ("x", ZEROS_OF_X, C, 1e-10),
    ("x - 0.5", at_level(0.5), C, 1e-10),
    ("(x - 0.5)*(x - 0.52)", pair(0.5, 0.02), C, 1e-10),
    ("(x - 0.5)*(x - 0.501)", pair(0.5, 1e-3), C, 1e-10),
    ("(x - 0.5)*(x - 0.50001)", pair(0.5, 1e-5), C, 1e-10),
    ("(x - 0.5)*(x - 0.5000001)", pair(0.5, 1e-7), C, 1e-10),
    ("(x - 0.5)*(x - 0.500000001)", pair(0.5, 1e-9), C, 1e-10),
    ("abs(x - 0.5) - 0.0001", sorted(at_level(0.4999) + at_level(0.5001)), C, 1e-10),
    ("x - 0.9999", at_level(0.9999), C, 1e-8),
    ("x - 0.9999999", at_level(0.9999999), C, 1e-6),
    ("(x - 0.3)*(x - 0.31)*(x - 0.32)", sorted(t for c in (0.3, 0.31, 0.32) for t in at_level(c)), C, 1e-10),
    ("x^3", ZEROS_OF_X, C, 1e-7),
    ("x^5", ZEROS_OF_X, C, 1e-3),
    ("x - x^2", sorted([*ZEROS_OF_X, 2 * PI]), "", 1e-6),
    ("exp(x) - 1", ZEROS_OF_X, C, 1e-10),
    ("log(x + 2) - log(2)", ZEROS_OF_X, C, 1e-10),
    ("sinh(x)*cosh(x')", ZEROS_OF_X, C, 1e-10),
    ("tanh(5*x)", ZEROS_OF_X, C, 1e-10),
    ("asinh(x) + atan(x)", ZEROS_OF_X, C, 1e-10),
    ("x' - x", [3 * PI / 4, 7 * PI / 4, 11 * PI / 4], C, 1e-10),
    ("max(x, x')", [PI / 2, PI, 5 * PI / 2, 3 * PI], C, 1e-9),
    ("min(x, 0.5) - 0.25", at_level(0.25), C, 1e-10),
    ("sign(x)", ZEROS_OF_X, C, 1e-10),
    ("sign(x)*sqrt(abs(x))", ZEROS_OF_X, C, 1e-10),
    ("x - 1", [2 * PI], T, 1e-6),
    ("x + 1", [PI, 3 * PI], T, 1e-6),
    ("1 - x^2", [PI, 2 * PI, 3 * PI], T, 1e-6),
    ("x^2", ZEROS_OF_X, T, 1e-6),
    ("(x - 0.25)^2", at_level(0.25), T, 1e-6),
    ("(x - 0.25)^4", at_level(0.25), T, 1e-3),
    ("abs(x)", ZEROS_OF_X, T, 1e-9),
    ("sqrt(x^2)", ZEROS_OF_X, T, 1e-8),
    ("x*x'^2", sorted([*ZEROS_OF_X, PI, 2 * PI, 3 * PI]), "", 1e-6),
    ("sqrt(x)", ZEROS_OF_X, T, 1e-8),
    ("1/x", [], C, 0),
    ("1/x^2", [], C, 0),
    ("1/x + 1/x'", [PI / 4, 5 * PI / 4, 9 * PI / 4], C, 1e-10),
    ("tan(2*x)", ZEROS_OF_X, C, 1e-10),
    ("x'/x", [PI, 2 * PI, 3 * PI], C, 1e-10),
    ("abs(x)/x", [], C, 0),
    ("atan2(x', x)", [2 * PI], C, 1e-10),
    ("atan2(x', x) - 4", [], C, 0),
    ("sin(50*x)", sorted(t for k in range(-15, 16) for t in at_level(k * PI / 50)), C, 1e-8),
    ("x - 1.001", [], C, 0),
    ("x^2 + x'^2 - 1.0001", [], C, 0),
    ("exp(x)", [], C, 0),
    ("cosh(x) - 0.999", [], C, 0),
]


@pytest.mark.parametrize(
    ("text", "wanted", "kind", "error"), ON_THE_SPRING, ids=[x[0] for x in ON_THE_SPRING]
)
def test_zeros_on_a_spring(
    spring: CompiledField, text: str, wanted: list[float], kind: str, error: float
) -> None:
    run = watch(spring, text)
    wanted = sorted(t for t in wanted if t < 10)
    assert [e.time for e in run.events] == pytest.approx(wanted, abs=error)
    assert {e.kind for e in run.events} <= ({kind} if kind else {"crossing", "touch"})
    (known,) = run.watched
    assert known.found == len(wanted)
    assert known.excluded is (not wanted)
    assert known.not_examined == 0
    assert ("did not occur" in known.statement) is (not wanted)


ALONG_T: list[tuple[str, list[float], str, float]] = [
    ("sin(100*t)", [k * PI / 100 for k in range(1, 319)], C, 1e-12),
    ("sin(1000*x)", [k * PI / 1000 for k in range(1, 3184)], C, 1e-9),
    ("cos(t^2)", [np.sqrt(PI / 2 + k * PI) for k in range(32)], C, 1e-12),
    ("sin(30*t)^2", [k * PI / 30 for k in range(1, 96)], T, 1e-9),
    ("sin(30*t) + 1", [(k * 2 + 1.5) * PI / 30 for k in range(47)], T, 1e-6),
    ("tan(10*t)", [k * PI / 10 for k in range(1, 32)], C, 1e-12),
    ("sin(20*t)/(t - 5)", [k * PI / 20 for k in range(1, 64)], C, 1e-12),
    ("(t - 3)*(t - 3.000000001)", [3.0, 3.000000001], C, 1e-14),
    ("(t - 3)^2 - 1e-20", [3 - 1e-10, 3 + 1e-10], C, 1e-14),
    ("(t - 3)^2", [3.0], T, 1e-9),
    ("(t - 3)^2 + 1e-20", [], C, 0),
    ("1/(t - 3)", [], C, 0),
    ("1/(t - 3) + 1", [2.0], C, 1e-12),
    ("log(t + 1) - 2", [np.exp(2) - 1], C, 1e-12),
    ("sqrt(4 - t)", [4.0], T, 1e-10),
    ("asin(t/4) - 1", [4 * np.sin(1)], C, 1e-12),
    ("acos(t/4)", [4.0], T, 1e-10),
    ("atanh(t/20 - 0.2)", [4.0], C, 1e-12),
    ("acosh(t + 1) - 2", [np.cosh(2) - 1], C, 1e-12),
    ("t^0.5 - 2", [4.0], C, 1e-12),
    ("(t + 1)^-2 - 0.04", [4.0], C, 1e-12),
    ("2^t - 16", [4.0], C, 1e-12),
    ("t^t - 4", [2.0], C, 1e-12),
    ("max(t - 4, 0)", [], C, 0),
]


@pytest.mark.parametrize(("text", "wanted", "kind", "error"), ALONG_T, ids=[x[0] for x in ALONG_T])
def test_zeros_of_fast_and_plain_functions_of_time(
    free: CompiledField, text: str, wanted: list[float], kind: str, error: float
) -> None:
    run = along_t(free, text)
    assert [e.time for e in run.events] == pytest.approx(wanted, abs=error)
    assert {e.kind for e in run.events} <= {kind}
    assert run.watched[0].not_examined == 0
    assert run.watched[0].excluded is (not wanted)


AT_A_PLACE: list[tuple[str, list[str], int, int]] = [
    # expression around c, kinds of its events from x = 1 down through c, poles, jumps
    ("abs(x - {c})", [T], 0, 0),
    ("sqrt((x - {c})^2)", [T], 0, 0),
    ("(x - {c})^2", [T], 0, 0),
    ("(x - {c})^4", [T], 0, 0),
    ("sqrt(x - {c})", [T], 0, 0),
    ("abs(x - {c})^0.5", [T], 0, 0),
    ("(x - {c})^3", [C], 0, 0),
    ("sign(x - {c})", [C], 0, 0),
    ("1/(x - {c})", [], 1, 0),
    ("1/(x - {c})^2", [], 0, 0),
    ("atan2(x - {c}, -1)", [], 0, 1),
    ("abs(x - {c}) - 1e-6", [C, C], 0, 0),
    ("(x - {c})*(x - {c} - 1e-8)", [C, C], 0, 0),
    ("max(x - {c}, 0)", ["zero"], 0, 0),
    ("abs(t - {c})", [T], 0, 0),
    ("(t - {c})*(t - {c} - 1e-9)", [C, C], 0, 0),
]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "kinds", "poles", "jumps"), AT_A_PLACE, ids=[x[0] for x in AT_A_PLACE])
def test_kinks_poles_and_pairs_wherever_they_lie_in_a_step(
    spring: CompiledField, text: str, kinds: list[str], poles: int, jumps: int
) -> None:
    for seed, c in enumerate(np.random.default_rng(5).uniform(0.05, 0.95, 40).round(6)):
        run = watch(spring, text.replace("{c}", str(c)), until=3.0, tolerance=(1e-12, 1e-8)[seed % 2])
        assert [e.kind for e in run.events] == kinds, c
        assert (run.watched[0].poles, run.watched[0].jumps, run.watched[0].not_examined) == (
            poles,
            jumps,
            0,
        ), c


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(1, 99_999), min_size=1, max_size=7, unique=True),
    st.sampled_from([10_000, 7_919]),
    st.booleans(),
)
def test_all_roots_of_random_polynomials(
    free: CompiledField, roots: list[int], scale: int, expanded: bool
) -> None:
    """On x = t, factored and (where doubles can tell the roots apart) multiplied out."""
    wanted = sorted(r / scale for r in roots if r / scale < 10)
    if expanded and (len(wanted) > 3 or np.any(np.diff(wanted) < 1e-2)):
        expanded = False
    text = "*".join(f"(x - {r}/{scale})" for r in roots)
    if expanded:
        coefficients = np.poly([r / scale for r in sorted(roots)])
        assert len(coefficients) == len(roots) + 1
        text = "+".join(f"({c!r})*x^{len(roots) - i}" for i, c in enumerate(coefficients.tolist()))
        if max(roots) / scale >= 10:
            return
    run = along_t(free, text)
    assert [e.time for e in run.events] == pytest.approx(wanted, abs=1e-7 if expanded else 1e-10)
    assert all(e.kind == "crossing" for e in run.events)
