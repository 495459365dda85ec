"""Accelerations, multipliers and energies against an independent route in many digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chetaev as ch
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.expr.graph.node import ZERO, Expr
from chetaev.flow.compile.cache import Cache
from chetaev.flow.compile.programs import Programs
from chetaev.flow.derive.chart import choose, strength
from chetaev.flow.derive.ingredients import Ingredients
from chetaev.flow.run.compiled_field import CompiledField, compile_field
from portions import examples, some

Start = Callable[[str], Any]
Make = Callable[..., CompiledField]
MODELS = [
    "rolling-disc", "leibniz-particle", "appell-hamel", "acceleration-constraint", "bead-on-rotating-hoop",
    "relativistic-particle", "relativistic-particle-homogeneous", "snakeboard", "suslov",
    "decelerated-particle", "double-pendulum", "damped-sleigh",
]  # fmt: skip


class ManyDigits:
    """M, h, C and c by central differences of step 1e-20 in 70 digits: no engine, no automatic
    differentiation."""

    def __init__(self, model: Ingredients, t: float, q: np.ndarray, v: np.ndarray) -> None:
        self.model, self.n = model, model.size
        self.names = (
            [(model.time, 0)] + [(c, 0) for c in model.coordinates] + [(c, 1) for c in model.coordinates]
        )
        self.values = {(k, 0): x for k, x in zip(model.parameters, model.values(), strict=True)}
        self.point = [mpmath.mpf(x) for x in (t, *q, *v)]
        self.step = mpmath.mpf(10) ** -20

    def at(self, expr: Expr, shifts: dict[int, int]) -> Any:
        values = dict(self.values)
        for i, name in enumerate(self.names):
            values[name] = self.point[i] + shifts.get(i, 0) * self.step
        values |= {(c, 2): 0 for c in self.model.coordinates} | getattr(self, "accelerations", {})
        return evaluate_mp([expr], values, 70)[0]

    def first(self, expr: Expr, i: int) -> Any:
        return (self.at(expr, {i: 1}) - self.at(expr, {i: -1})) / (2 * self.step)

    def second(self, expr: Expr, i: int, j: int) -> Any:
        if i == j:
            return (self.at(expr, {i: 1}) - 2 * self.at(expr, {}) + self.at(expr, {i: -1})) / self.step**2
        corners = sum(a * b * self.at(expr, {i: a, j: b}) for a in (1, -1) for b in (1, -1))
        return corners / (4 * self.step**2)

    def solve(self) -> tuple[np.ndarray, np.ndarray]:
        n, model, lagrangian = self.n, self.model, self.model.dynamics.lagrangian
        velocity = [self.point[1 + n + i] for i in range(n)]
        rates = [mpmath.mpf(1), *velocity]
        mass = mpmath.matrix(n, n)
        h = mpmath.matrix(n, 1)
        for i in range(n):
            for j in range(n):
                mass[i, j] = self.second(lagrangian, 1 + n + i, 1 + n + j)
            h[i] = sum(rates[k] * self.second(lagrangian, 1 + n + i, k) for k in range(n + 1))
            force = model.dynamics.forces.get(model.coordinates[i], ZERO)
            h[i] -= self.first(lagrangian, 1 + i) + self.at(force, {})
        rows, rest = [], []
        for f in model.velocity:
            rows.append([self.first(f, 1 + n + j) for j in range(n)])
            rest.append(sum(rates[k] * self.first(f, k) for k in range(n + 1)))
        for phi in model.position:
            rows.append([self.first(phi, 1 + j) for j in range(n)])
            rest.append(
                sum(rates[k] * rates[j] * self.second(phi, k, j) for k in range(n + 1) for j in range(n + 1))
            )
        for alpha in model.acceleration:
            base = self.at(alpha, {})
            row = []
            for c in model.coordinates:
                self.accelerations = {(c, 2): 1}
                row.append(self.at(alpha, {}) - base)
            self.accelerations = {}
            rows.append(row)
            rest.append(base)
        m = len(rows)
        full, right = mpmath.matrix(n + m, n + m), mpmath.matrix(n + m, 1)
        for i in range(n):
            right[i] = -h[i]
            for j in range(n):
                full[i, j] = mass[i, j]
            for a in range(m):
                full[i, n + a], full[n + a, i] = -rows[a][i], rows[a][i]
        for a in range(m):
            right[n + a] = -rest[a]
        x = mpmath.lu_solve(full, right)
        return np.array([float(x[i]) for i in range(n)]), np.array([float(x[n + a]) for a in range(m)])


@pytest.mark.few(1)
@pytest.mark.parametrize("name", some(MODELS, 2))
@pytest.mark.parametrize("form", ["null", "safe"])
def test_accelerations_and_multipliers_in_many_digits(start: Start, name: str, form: str) -> None:
    field, t, q, v = start(name)
    field = CompiledField(field.programs, form)
    generator = np.random.default_rng(3)
    for scale in (0.0, 0.2):
        q1, v1 = q + scale * generator.normal(size=q.size), v + scale * generator.normal(size=q.size)
        with mpmath.workdps(70):
            a, mu = ManyDigits(field.model, t + 0.1, q1, v1).solve()
        size = max(np.max(np.abs(a)), 1.0)
        np.testing.assert_allclose(field(t + 0.1, q1, v1), a, rtol=1e-11, atol=1e-12 * size)
        np.testing.assert_allclose(
            field.multipliers(t + 0.1, q1, v1),
            mu,
            rtol=1e-10,
            atol=1e-11 * max(np.max(np.abs(mu), initial=0.0), 1.0),
        )


def test_multiplier_sign_is_that_of_the_pull_of_a_string(make: Make) -> None:
    field = make(
        "x y", "m*(x'^2 + y'^2)/2 - m*g*y", parameters={"m": 2, "g": 9.8},
        constraints={"position": ["x^2 + y^2 = 1"]},
    )  # fmt: skip
    # At the lowest point, speed 3: reaction m g + m v²/1 upwards = μ ∂φ/∂q = μ (2x, 2y) = μ (0, −2).
    mu = field.multipliers(0.0, [0.0, -1.0], [3.0, 0.0])
    assert mu == pytest.approx([-(2 * 9.8 + 2 * 9.0) / 2])


def test_energy_residuals_and_power(make: Make) -> None:
    field = make(
        "x y z", "x'^2/2 + 2*y'^2 + z'^2/2 - y^3 + x'*t",
        constraints={"velocity": ["x' = t*z' + 1"], "position": ["x = 2*y + t"]},
    )  # fmt: skip
    state = (2.0, [1.0, 3.0, 0.0], [0.5, -0.25, 0.125])
    seen = field.observe(*state)
    assert seen["energy"] == pytest.approx(0.125 + 0.125 + 0.0078125 + 27.0)
    assert seen["velocity_residuals"] == pytest.approx([0.5 + 0.5 - 1.0, 0.5 - 0.25 - 1.0])
    assert seen["position_residuals"] == pytest.approx([1.0 - 6.0 - 2.0])
    assert field.residuals(*state) == pytest.approx([0.0, -0.75, -7.0])
    assert field.energy(*state) == seen["energy"]
    reaction = seen["multipliers"] @ field.matrices(*state)[2]
    assert abs(seen["power"]) > 0.01
    assert seen["power"] == pytest.approx(reaction @ state[2])


def test_broadcasting_over_leading_axes_and_parameters(start: Start) -> None:
    field, t, q, v = start("rolling-disc")
    generator = np.random.default_rng(0)
    many_q = q + 0.1 * generator.normal(size=(3, 4, 5))
    many = field(t, many_q, v, {"m": np.linspace(1, 2, 4)})
    assert many.shape == (3, 4, 5)
    for i in range(3):
        for j in range(4):
            one = field(t, many_q[i, j], v, {"m": float(np.linspace(1, 2, 4)[j])})
            np.testing.assert_allclose(many[i, j], one, rtol=1e-13)
    assert field(np.zeros((7, 1)), q, v).shape == (7, 1, 5)
    assert field(0.0, np.zeros((0, 5)), v).shape == (0, 5)


def test_each_state_has_its_own_time(start: Start) -> None:
    field, _, q, v = start("bead-on-rotating-hoop")
    times = np.linspace(0, 3, 21)
    many = field(times, q, v)
    assert many.shape == (21, 3)
    for t, a in zip(times, many, strict=True):
        np.testing.assert_allclose(a, field(t, q, v), rtol=1e-13, atol=1e-13)
    assert np.ptp(many[:, 0]) > 0.1


def test_dependent_parameters_follow(start: Start) -> None:
    field, t, q, v = start("rolling-disc")
    heavy = field(t, q, v, {"m": 3.0})
    np.testing.assert_allclose(heavy, field(t, q, v, {"m": 3.0, "I1": 3 * 0.0625, "I2": 3 * 0.125}))
    assert not np.allclose(heavy, field(t, q, v, {"m": 3.0, "I1": 0.0625, "I2": 0.125}))


def test_weak_chart_singular_mass_and_indefinite_mass(make: Make) -> None:
    ring = make("x y z", "(x'^2 + y'^2 + z'^2)/2 - z", constraints=["x'^2 + y'^2 + z'^2 = 4"])
    for v in np.eye(3) * 2:  # each velocity in turn is the only good pivot
        a = ring(0.0, [0.0, 0.0, 0.0], v)
        wanted = np.array([0.0, 0.0, -1.0]) - v * (v @ [0.0, 0.0, -1.0]) / 4
        np.testing.assert_allclose(a, wanted, atol=1e-14)
    light = make("w x", "-sqrt(w'^2 - x'^2) + 0.3*x*w'", constraints=["w'^2 - x'^2 = 1"])
    a = light(0.0, [0.0, 0.0], [1.25, 0.75])  # Hessian of rank 1 of 2
    np.testing.assert_allclose(a, 0.3 * np.array([0.75, 1.25]), rtol=1e-13)
    saddle = make("x y z", "x'*y' + z'^2/2 - x^2 - y - z")  # indefinite, zeros on the diagonal
    np.testing.assert_allclose(saddle(0.0, [2.0, 0.0, 0.0], [0.0] * 3), [-1.0, -4.0, -1.0], atol=1e-14)
    almost = make("x y", "1.5e-11*x'^2 + cos(y)*x'*y' - x^2 - pi*y/4")  # a first pivot of 3e-11
    first = -np.pi / 4 / np.cos(0.3)
    wanted = [first, (-2 * 2.123 - 3e-11 * first) / np.cos(0.3)]
    np.testing.assert_allclose(almost(0.0, [2.123, 0.3], [0.0, 0.0]), wanted, rtol=1e-14)


def test_singular_states_give_nan_and_no_others(start: Start) -> None:
    field, t, _, _ = start("appell-hamel")
    v = np.array([[0.0, 0.0, 0.0], [0.3, 0.4, -0.5 * 2 / 3]])
    a = field(t, np.zeros(3), v)
    assert np.all(np.isnan(a[0]))
    assert np.all(np.isfinite(a[1]))


def test_bad_arguments_are_errors_that_say_so(start: Start) -> None:
    field, t, q, v = start("rolling-disc")
    with pytest.raises(ModelError, match="x, y, psi, phi, theta"):
        field(t, q[:4], v)
    with pytest.raises(ModelError, match="do not fit together"):
        field(t, np.zeros((3, 5)), np.zeros((2, 5)))
    with pytest.raises(ModelError, match="no parameter 'mass'"):
        field(t, q, v, {"mass": 1.0})
    with pytest.raises(ModelError, match="unknown form"):
        compile_field(ch.load("suslov"), form="fast")


numbers = st.floats(-2, 2).map(lambda x: round(x, 2))


@settings(max_examples=examples(5))
@given(st.lists(numbers, min_size=30, max_size=30), st.integers(0, 2), st.booleans())
def test_random_systems_satisfy_their_equations(
    numbers: list[float], constraints: int, nonlinear: bool
) -> None:
    """M a + h = Cᵀμ and C a + c = 0 with matrices from another program; every chart gives the same."""
    pick = iter(numbers)
    names = ["x", "y", "z"]
    n = 3
    mass = [[next(pick) for _ in range(n)] for _ in range(n)]
    terms = [f"{1.5 + mass[i][i] ** 2}*{a}'^2/2" for i, a in enumerate(names)]
    terms += [
        f"0.3*sin({mass[0][1]} + x*y)*x'*z'",
        f"{mass[1][2]}*cos(z)*y'",
        f"-{abs(mass[2][0])}*x^2*y - exp(z/3)",
    ]
    lines = []
    for k in range(constraints):
        row = [f"(1.1 + sin({next(pick)} + {names[(k + i) % n]}))*{a}'" for i, a in enumerate(names)]
        row += ["0.2*x'*z'"] if nonlinear else [f"{next(pick)}*t"]
        lines.append(" + ".join(row) + " = 0")
    system = ch.System(coordinates=names, lagrangian=" + ".join(terms), constraints=lines)
    field = compile_field(system, cache=_no_cache())
    generator = np.random.default_rng(int(abs(numbers[0]) * 100))
    q, v = generator.normal(size=(16, n)), generator.normal(size=(16, n))
    seen = field.observe(0.4, q, v)
    mass_matrix, h, matrix, rest = field.matrices(0.4, q, v)
    a, mu = seen["accelerations"], seen["multipliers"]
    fine = np.array([np.linalg.cond(m) < 1e3 for m in matrix]) if constraints else np.ones(16, bool)
    scale = 1 + np.max(np.abs(a), axis=1) + np.max(np.abs(mu), axis=1, initial=0.0)
    forces = np.einsum("kij,kj->ki", mass_matrix, a) + h - np.einsum("kai,ka->ki", matrix, mu)
    assert np.all(np.max(np.abs(forces), axis=1)[fine] < 1e-10 * scale[fine])
    missed = np.einsum("kai,ki->ka", matrix, a) + rest
    assert np.all(np.max(np.abs(missed), axis=1, initial=0.0)[fine] < 1e-10 * scale[fine])
    for strong in (0.05, 1.0):  # another chart, the same field
        programs = Programs(field.model, field.programs.cache)
        programs.__dict__["first_chart"] = (
            choose(matrix[0], strong=strong) if constraints else field.programs.first_chart
        )
        other = CompiledField(programs)(0.4, q, v)
        assert np.all(np.max(np.abs(other - a), axis=1)[fine] < 1e-9 * scale[fine])


def test_chart_choice_prefers_strong_and_sparse_pivots() -> None:
    matrix = np.array([[1.0, 0.0, 1e-3, 0.5], [1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.9, 1.0]])
    chart = choose(matrix)
    assert sorted(chart.rows) == [0, 1, 2]
    assert len(set(chart.dependent)) == 3
    assert strength(matrix, chart) >= 0.4
    units = matrix * np.array([1.0, 1e6, 1.0, 1e-6])  # other units, the same chart
    assert choose(units).dependent == chart.dependent


def test_a_chart_of_dependent_constraints_has_no_strength() -> None:
    matrix = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0]])
    assert strength(matrix, choose(matrix)) == 0.0


def _no_cache() -> Cache:
    """A cache that keeps nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHETAEV_CACHE", "off")
        return Cache()
