"""The field: growth, refinement, substitution, hashing, printing, and what it costs."""

from __future__ import annotations

from fractions import Fraction

import pytest

from chetaev.expr.exact import Budget, BudgetError, Element, Field, Modulo, NotRealError
from chetaev.expr.graph import node as g
from formulas import formula


@pytest.fixture
def field():
    return Field()


def test_old_elements_follow_a_growing_field(field):
    x, y = field.symbols("x y")
    first = field.sin(x) * y
    for i in range(60):
        field.cos(field.symbol(f"q{i}"))
    assert first == y * field.sin(x)
    assert (first - y * field.sin(x)).is_zero


def test_refinement_carries_everything_along(field):
    x, y = field.symbols("x y")
    s, nested, root, e = field.sin(x), field.sin(y * field.cos(x)), field.sqrt(1 + field.cos(x)), field.exp(x)
    quarter, third = field.sin(x / 4), field.exp(x / 3)
    assert s == 4 * quarter * field.cos(x / 4) * field.cos(x / 2)
    assert nested == field.sin(y - 2 * y * field.sin(x / 2) ** 2)
    assert root == field.sqrt(field(2)) * field.abs(field.cos(x / 2))
    assert e == third**3
    assert nested.diff("x") == -y * field.sin(x) * field.cos(y * field.cos(x))


@pytest.mark.parametrize("factor", [Fraction(1, 2), Fraction(2), Fraction(1, 3), Fraction(-1)])
def test_substitution_reaches_inside_functions(field, factor):
    x, y = field.symbols("x y")

    def f(a, b):
        return field.sin(a) * field.exp(b * field.cos(a)) + field.sqrt(1 + a**2 * b**2) / (1 + b**2)

    assert f(x, y).subs({"x": factor * x}) == f(factor * x, y)
    assert f(x, y).subs({"x": y, "y": x}) == f(y, x)
    assert f(x, y).subs({"y": factor * field.sin(x)}) == f(x, factor * field.sin(x))


def test_equal_elements_have_equal_hashes(field):
    x, y = field.symbols("x y")
    a = (1 - field.cos(x) ** 2) / (1 + y)
    b = field.sin(x) ** 2 / (1 + y)
    before = hash(a)
    field.sin(x / 2)
    assert a == b
    assert hash(a) == hash(b) == before
    assert len({a, b, x, y}) == 3


def test_derivatives_commute_and_obey_leibniz(field):
    x, v = field.symbols("x x'")
    f = field.exp(x * v) * field.sin(x / (1 + v**2)) + field.log(1 + x**2) * field.sqrt(v)
    h = field.cos(x) * v
    assert f.diff("x", "x'") == f.diff("x'", "x")
    assert (f * h).diff("x") == f.diff("x") * h + f * h.diff("x")
    assert (f / h).diff("x'") == (f.diff("x'") * h - f * h.diff("x'")) / h**2


def test_symbols_and_coefficients(field):
    x, v, w = field.symbols("x x' y'")
    f = field.sin(x) * v**2 + 3 * v * w + x
    assert f.symbols == {("x", 0), ("x", 1), ("y", 1)}
    parts = f.coefficients("x'", "y'")
    assert parts == {(2, 0): field.sin(x), (1, 1): field(3), (0, 0): x}
    assert field.sin(v).coefficients("x'") is None
    assert (1 / (1 + v)).coefficients("x'") is None


def test_different_fields_do_not_mix(field):
    with pytest.raises(ValueError, match="different fields"):
        field.symbol("x") + Field().symbol("x")


def test_truth_value_is_refused(field):
    with pytest.raises(TypeError, match="is_zero"):
        bool(field.symbol("x"))


def test_budget_ends_a_hopeless_computation():
    field = Field(Budget(terms=1000, products=100_000))
    x, y, z = field.symbols("x y z")
    with pytest.raises(BudgetError):
        (x + y + z + 1) ** 60
    assert (x + y) ** 2 == x**2 + 2 * x * y + y**2  # and the field is still usable


def test_division_by_zero_and_unreal_roots(field):
    x = field.symbol("x")
    with pytest.raises(ZeroDivisionError):
        x / (field.sin(x) ** 2 + field.cos(x) ** 2 - 1)
    with pytest.raises(NotRealError):
        field.sqrt(-(x**2) - 1)


def test_modulo_reduces_on_every_branch(field):
    v, w, y = field.symbols("x' y' y")
    q = Modulo(field, [v * (v - y * w)])
    assert len(q.branches) == 2
    assert q.vanishes(v * (v - y * w) * w)
    assert q.vanishes(v) is None
    assert [r.is_zero for r in q.reduce(v)].count(True) == 1


def rolling_disc():
    """M, h, C and c' of the rolling disc of the Engines note, in normal form."""
    field = Field()
    names = ["x", "y", "psi", "phi", "theta"]
    velocities = [field.symbol(n, 1) for n in names]
    xd, yd, psd, phd, thd = velocities
    m, R, I1, I2, gravity = field.symbols("m R I1 I2 g")
    phi, theta = field.symbols("phi theta")
    s, c, sp, cp = field.sin(theta), field.cos(theta), field.sin(phi), field.cos(phi)
    L = (
        m / 2 * (xd**2 + yd**2 + R**2 * thd**2 + R**2 * phd**2 * s**2)
        - m * R * (thd * c * (xd * sp - yd * cp) + phd * s * (xd * cp + yd * sp))
        + I1 / 2 * (thd**2 + phd**2 * c**2)
        + I2 / 2 * (psd + phd * s) ** 2
        - m * gravity * R * c
    )
    f = [xd - R * cp * psd, yd - R * sp * psd]
    momenta = [L.diff((n, 1)) for n in names]
    M = [[p.diff((n, 1)) for n in names] for p in momenta]
    h = [
        sum((p.diff(n) * v for n, v in zip(names, velocities, strict=True)), -L.diff(name))
        for p, name in zip(momenta, names, strict=True)
    ]
    C = [[a.diff((n, 1)) for n in names] for a in f]
    drift = [sum((a.diff(n) * v for n, v in zip(names, velocities, strict=True)), field.zero) for a in f]
    return M, h, C, drift


def test_the_rolling_disc_costs_little():
    M, h, C, _ = rolling_disc()
    assert C[0][0].field.tower.budget.spent < 10_000
    assert M[1][0].is_zero
    assert M[3][3] == formula("m*R^2*sin(theta)^2 + I1*cos(theta)^2 + I2*sin(theta)^2")
    assert C[0][2] == -C[0][0].field.symbol("R") * C[0][0].field.cos(C[0][0].field.symbol("phi"))
    assert all(isinstance(e, Element) for e in h)


def test_reciprocal_arctangents_end(field):
    x, y = field.symbols("x y")
    r = field.sqrt(x)
    u = (r + y) / (x - r * y)
    both = field(g.call("atan", u.to_expr())) + field(g.call("atan", (1 / u).to_expr()))
    assert both.diff("x").is_zero


def test_definitions_are_converted_once(field):
    x = g.symbol("x")
    inner = g.define("speed", x**2 + 1)
    whole = g.mul(*[inner] * 5)
    assert field(whole) == field(x**2 + 1) ** 5
    assert inner in field.memo
