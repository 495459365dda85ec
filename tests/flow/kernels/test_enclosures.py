"""Bounds hold what they bound: jets over intervals against values, slopes and curvatures in many digits."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import Scope
from chetaev.flow import schemes
from chetaev.flow.compile import loops
from chetaev.flow.compile.event_tapes import Tape, write
from chetaev.flow.kernels import enclose, interval, jets

FUNCTIONS = [
    "sin({})", "cos({})", "tan({})", "asin({}/4)", "acos({}/4)", "atan({})", "sinh({})", "cosh({})",
    "tanh({})", "asinh({})", "acosh({} + 4)", "atanh({}/4)", "exp({})", "log({} + 4)", "sqrt({} + 4)",
    "({})^2", "({})^3", "({})^7", "({})^-1", "({})^-2", "({} + 4)^(1/3)", "({} + 4)^-1.5", "1/({})",
    "abs({})", "-({})", "2^({})", "({} + 5)^({})",
]  # fmt: skip
PAIRS = [
    "({}) + ({})",
    "({})*({})",
    "({})/({} + 5)",
    "min({}, {})",
    "max({}, {})",
    "atan2({}, {})",
    "({}) - 3*({})",
]

expressions = st.recursive(
    st.sampled_from(["x", "x'", "t", "k", "0.7", "x*x'", "x - 0.5"]),
    lambda inner: st.one_of(
        st.builds(lambda f, a: f.replace("{}", a), st.sampled_from(FUNCTIONS), inner),
        st.builds(
            lambda f, a, b: f.replace("{}", a, 1).replace("{}", b), st.sampled_from(PAIRS), inner, inner
        ),
    ),
    max_leaves=4,
)


def graph(text: str) -> Expr:
    return parse(text, Scope.of(["x"], ["k"], "t"))


KERNELS = loops.plain()


class Step:
    """A step of length 2 from t = 1, on which x and x' are polynomials."""

    def __init__(self, text: str, seed: int) -> None:
        self.tape: Tape = write([graph(text)], "t", ["x"], ["k"])
        run = self.run = loops.blank(schemes.find("dop853"), 2, events=1)
        run.n, run.t, run.h, run.rtol = 1, 1.0, 2.0, 1e-9
        run.tape, run.numbers, run.p = self.tape.code, self.tape.numbers, np.array([0.3])
        run.watch = np.zeros(run.watch_size + jets.JET * self.tape.longest)
        run.work = np.zeros(run.work_size)
        generator = np.random.default_rng(seed)
        run.y[:2] = generator.normal(size=2)
        run.dense[:14] = generator.normal(size=14) * np.repeat(0.6 ** np.arange(7), 2)
        KERNELS["polynomials"](run)

    def jet(self, middle: float, radius: float) -> np.ndarray:
        out = np.zeros(8)
        KERNELS["enclose"](self.run, 0, middle, radius, enclose.BY_TIME, 0, out)
        return out

    def value(self, s: Any) -> Any:
        """The function at s, by the operations of the tape in many digits."""
        places: list[Any] = []
        mp = mpmath.mp
        for op, a, b in self.tape.operations(0):
            if op == enclose.OP_TIME:
                value = 1 + 2 * s
            elif op == enclose.OP_STATE:
                c = self.run.polynomials[10 * a :][:8]
                value = sum(mp.mpf(float(x)) * s**k for k, x in enumerate(c))
            elif op == enclose.OP_PARAMETER:
                value = mp.mpf(float(self.run.p[a]))
            elif op == enclose.OP_NUMBER:
                value = mp.mpf(float(self.tape.numbers[a]))
            else:
                value = exact(op, places[a], places[b])
            places.append(value)
        return places[-1]


def exact(op: int, u: Any, v: Any) -> Any:
    name = next(n[3:].lower() for n, code in vars(jets).items() if n.startswith("OP_") and code == op)
    made = {
        "add": lambda: u + v, "mul": lambda: u * v, "div": lambda: u / v, "neg": lambda: -u,
        "pow": lambda: u**v, "atan2": lambda: mpmath.atan2(u, v), "min": lambda: min(u, v),
        "max": lambda: max(u, v), "abs": lambda: abs(u), "sign": lambda: mpmath.sign(u),
    }  # fmt: skip
    result = made[name]() if name in made else getattr(mpmath, name)(u)
    if isinstance(result, mpmath.mpc):
        raise ValueError("outside of the domain")
    return result


def slopes(step: Step, s: Any) -> tuple[Any, Any, Any]:
    """g, g′, g″ at s by differences in 60 digits."""
    h = mpmath.mpf(10) ** -18
    a, b, c = (step.value(s + d) for d in (-h, 0, h))
    return b, (c - a) / (2 * h), (c - 2 * b + a) / h**2


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(expressions, st.integers(0, 2**32 - 1), st.integers(0, 7), st.integers(0, 5))
def test_jets_hold_values_slopes_and_curvatures(text: str, seed: int, index: int, level: int) -> None:
    step = Step(text, seed)
    radius = 0.5 / 2**level
    middle = radius + (index % 2**level) * 2 * radius
    jet = step.jet(middle, radius)
    centre = step.jet(middle, 0.0)
    narrow = jet.copy()
    if jet[jets.MARK] == 0 and centre[jets.MARK] == 0:
        enclose.narrowed(narrow, centre, radius, np.zeros(8))
    with mpmath.workdps(60):
        for part in (-1, -0.83, -0.31, 0, 0.17, 0.6, 0.999):
            s = mpmath.mpf(middle) + mpmath.mpf(part) * mpmath.mpf(radius)
            try:
                g, first, second = slopes(step, s)
            except (ValueError, ZeroDivisionError, OverflowError, ArithmeticError):
                assert jet[jets.MARK] != 0, f"{text} is undefined at {s}, and not marked"
                continue
            assert int(jet[jets.MARK]) & jets.UNDEFINED == 0, text
            for bounds in (jet, narrow):
                assert bounds[0] <= g <= bounds[1], (text, g, bounds)
                small = 1e-9 * (1 + abs(first))
                assert bounds[2] - small <= first <= bounds[3] + small, (text, first, bounds)
                small = 1e-9 * (1 + abs(second))
                if abs(second) < 1e15:  # not across a kink
                    assert bounds[4] - small <= second <= bounds[5] + small, (text, second, bounds)


@pytest.mark.parametrize("text", ["x", "x*x'", "sin(x)*t", "1/(3 + x^2)", "x^2*t - k"])
def test_bounds_become_narrow_in_short_parts(text: str) -> None:
    """Twice the parts, half the width, and with Taylor's formula a quarter of what is left over."""
    step = Step(text, 3)
    widths = []
    for level in range(4, 9):
        radius = 0.5 / 2**level
        jet = step.jet(0.5, radius)
        enclose.narrowed(jet, step.jet(0.5, 0.0), radius, np.zeros(8))
        values = [float(step.value(0.5 + radius * part)) for part in np.linspace(-1, 1, 41)]
        widths.append((jet[1] - jet[0]) - (max(values) - min(values)))
    assert np.all(np.array(widths[1:]) < 0.35 * np.array(widths[:-1]) + 1e-14), widths


def test_an_interval_that_has_no_bound() -> None:
    out = np.zeros(2)
    assert interval.interval_inverse(np.array([-1.0, 2.0]), out) == 1
    assert out.tolist() == [-np.inf, np.inf]
    assert interval.interval_inverse(np.array([0.0, 2.0]), out) == 1
    assert 0.49 < out[0] <= 0.5
    assert out[1] == np.inf
    assert interval.power_range(-1.0, 2.0, -2.0, out) == 1
    assert 0.24 < out[0] <= 0.25
    assert interval.power_range(-2.0, -1.0, 0.5, out) == 2
    assert interval.tangent_range(1.0, 2.0, out) == 1
    assert interval.half_line_range(1, -1.0, -0.5, out) == 2
    assert interval.product(0.0, np.inf) == 0.0
    interval.cosine_range(1e300, 2e300, out)
    assert out.tolist() == [-1.0, 1.0]


@pytest.mark.parametrize("kind", ["cosine_range", "sine_range"])
@pytest.mark.parametrize("low", [-30.0, -3.2, -0.1, 0.0, 1.5, 3.0, 1e5])
@pytest.mark.parametrize("width", [0.0, 1e-9, 0.3, 1.7, 3.5, 6.0, 7.0])
def test_ranges_of_sine_and_cosine_are_tight(kind: str, low: float, width: float) -> None:
    out = np.zeros(2)
    getattr(interval, kind)(low, low + width, out)
    angles = np.linspace(low, low + width, 20001)
    values = np.cos(angles) if kind == "cosine_range" else np.sin(angles)
    assert out[0] <= values.min() + 1e-15
    assert out[1] >= values.max() - 1e-15
    assert out[0] > values.min() - 1e-6 * (1 + width)
    assert out[1] < values.max() + 1e-6 * (1 + width)
