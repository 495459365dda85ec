"""Identity testing modulo primes: identities are certain, near-identities and traps of roots are not."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from random import Random

import pytest
from flint import Ordering, fmpq_mpoly_ctx

import chetaev as ch
from chetaev.expr.exact import GivenUp, ask
from chetaev.expr.exact.numbers import identity_testing
from chetaev.expr.exact.numbers.identity_testing import SECURITY, identically_zero
from chetaev.expr.exact.numbers.rational_form import RationalForm
from chetaev.expr.exact.vanishing import zero_test
from chetaev.expr.graph.node import Expr, call, div, number, symbol
from chetaev.expr.language.parser import parse
from portions import parts

NAMES = ["x", "y", "z", "w"]
SCOPE = ch.System(coordinates=NAMES, lagrangian="x'^2+y'^2+z'^2+w'^2").scope


def read(text: str) -> Expr:
    return parse(text, SCOPE)


def certain(function: Expr, on: tuple[Expr, ...] = ()) -> bool:
    found = ask(identically_zero, function, on)
    return not isinstance(found, GivenUp) and found is not None


# -- identities, by rewriting --------------------------------------------------------------------------------
def grown(rng: Random, depth: int) -> tuple[Expr, Expr]:
    """One function, written in two ways."""
    if depth == 0:
        e = rng.choice([symbol(n, rng.randrange(2)) for n in NAMES] + [number(rng.randint(1, 5))])
        return e, e
    (a, A), (b, B), (c, C) = (grown(rng, depth - 1) for _ in range(3))
    u, v = symbol(rng.choice(NAMES)), symbol(rng.choice(NAMES))
    k = rng.randint(2, 4)
    match rng.randrange(12):
        case 0:
            return a * (b + c), A * B + A * C
        case 1:
            return (a - b) * (a + b), A * A - B * B
        case 2:
            sines = call("sin", u) * call("cos", v) + call("cos", u) * call("sin", v)
            return a * call("sin", u + v), A * sines
        case 3:
            return a + call("cos", 2 * u), 1 + A - 2 * call("sin", u) ** 2
        case 4:
            return a * call("exp", k * u - v), A * call("exp", u) ** k / call("exp", v)
        case 5:
            return a + call("cosh", u) ** 2, 1 + A + call("sinh", u) ** 2
        case 6:
            return div(a, b * b + 1) + c, div(A + C + C * B * B, 1 + B * B)
        case 7:
            r = call("sqrt", u * u + k)
            return a * r**3 + b, A * (u * u + k) * r + B
        case 8:
            r = call("sqrt", 1 + v * v)
            return a / (r + 1) * (v * v), A * (r - 1)
        case 9:
            return (a + b) ** 3, A**3 + 3 * A * A * B + 3 * A * B * B + B**3
        case 10:
            return a * call("tan", u / 2), A * call("sin", u) / (1 + call("cos", u))
        case _:
            return a + call("log", 1 + u * u) * b, B * call("log", 1 + u * u) + A


def changed(rng: Random, e: Expr) -> Expr:
    """The function with a small multiple of something added to it."""
    more = rng.choice([symbol("x"), number(1), call("sin", symbol("y")), symbol("z", 1) * symbol("w")])
    return e + number(Fraction(rng.choice([1, -1]), rng.choice([1, 7, 10**6]))) * more


@pytest.mark.parametrize("seed", [*range(5), *parts(range(5, 100), slow=15)])
def test_identities_are_certain_and_near_identities_are_not(seed):
    rng = Random(seed)
    for _ in range(50):
        e, f = grown(rng, rng.randint(1, 3))
        assert certain(e - f) or len(RationalForm([e - f]).roots) > 1
        assert not certain(changed(rng, e) - f)


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(x^2) - x",
        "sqrt(x^2) + x",
        "sqrt(x)*sqrt(y) - sqrt(x*y)",
        "sqrt(x)*sqrt(y) + sqrt(x*y)",
        "sqrt(2)*sqrt(3) + sqrt(6)",
        "sqrt(4*x) + 2*sqrt(x)",
        "sqrt((x+y)^2*z) - (x+y)*sqrt(z)",
        "sqrt(3 + 2*sqrt(2)) + 1 + sqrt(2)",
        "sqrt(-x^2)",
        "log(x*y) + log(x) + log(y)",
        "atan(x) + atan(1/x)",
        "1/(x - x)",
        "(x^3)^(1/3) - x",
        "abs(x) - x",
        "max(x, y) - x",
        "x^(y + 1/2) + x^y*sqrt(x)",
        "exp(x)^y + exp(x*y)",
        "cos(pi/3) + 1/2",
    ],
)
def test_what_is_not_zero_everywhere_is_never_certain(text):
    assert not certain(read(text))


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(x^2 + 1)^2 - x^2 - 1",
        "(x^2 + y^2)^(3/2) - (x^2 + y^2)*sqrt(x^2 + y^2)",
        "1/(sqrt(x) + sqrt(y)) - (sqrt(x) - sqrt(y))/(x - y)",
        "sqrt(x + sqrt(y))^4 - (x + sqrt(y))^2",
        "sin(3*x) - 3*sin(x) + 4*sin(x)^3",
        "cos(x/3)*4*cos(x/3)^2 - 3*cos(x/3) - cos(x)",
        "sin(x + pi/2) - cos(x)",
        "sin(x - y) - sin(x)*cos(y) + cos(x)*sin(y)",
        "tanh(x) - (exp(2*x) - 1)/(exp(2*x) + 1)",
        "e^(x + y) - exp(x)*exp(y)",
        "x^(2*y + 1) - x*(x^y)^2",
        "sin(x*y + z)^2 + cos(z + x*y)^2 - 1",
    ],
)
def test_relations_of_functions_are_known(text):
    assert certain(read(text))


@pytest.mark.parametrize(
    ("text", "on", "answer"),
    [
        ("x*(x'*y' - z')", ["z' = x'*y'"], True),
        ("x'^2 + y'^2 - z'^2*cos(w)^2 - z'^2*sin(w)^2", ["x' = z'*cos(w)", "y' = z'*sin(w)"], True),
        ("x'*cos(w) + y'*sin(w) - z'", ["x' = z'*cos(w)", "y' = z'*sin(w)"], True),
        ("x'*cos(w) + y'*sin(w) - 2*z'", ["x' = z'*cos(w)", "y' = z'*sin(w)"], False),
        ("x'^4 - (z'^2 - y'^2)^2", ["x'^2 + y'^2 = z'^2"], True),
        ("x' - sqrt(z'^2 - y'^2)", ["x'^2 + y'^2 = z'^2"], False),  # one of two sheets
        ("y' - x'", ["(x' - y*z')*(y' - x') = 0"], False),  # one of two branches
        ("x", ["x*y = 0"], False),
        ("x' - y'", ["x'^3 = y'^3"], False),
        ("x^2 + y^2 - 1", ["x*x' + y*y' = 0"], False),
    ],
)
def test_on_equations(text, on, answer):
    sides = [line.split("=") for line in on]
    assert certain(read(text), tuple(read(a) - read(b) for a, b in sides)) == answer


def test_what_no_normal_form_decides_is_certain():
    """An identity of functions of degree 4096: its normal form has more terms than there is room for."""
    x, y = symbol("x"), symbol("y")
    u, v = x, y
    for k in range(12):
        u, v = u * u - v * v + k, 2 * u * v
    identity = (u - v) * (u + v) * (u * u + v * v) - (u**4 - v**4)
    verdict = zero_test(identity, effort=100_000)
    assert verdict.is_zero
    assert (verdict.proved, verdict.certain) == (False, True)
    assert verdict.how == "certain"
    assert zero_test(identity + x, effort=100_000).is_zero is not True


# -- the bound -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(10))
def test_degrees_and_sizes_are_bounds(seed):
    """Of numerators in lowest terms, computed by FLINT."""
    rng = Random(seed)
    ring = fmpq_mpoly_ctx.get(["x", "y"], Ordering.lex)
    x, y = ring.gens()
    one = x * 0 + 1
    pool = [(symbol("x"), x, one), (symbol("y"), y, one)]
    for _ in range(14):
        (e, a, b), (f, c, d) = rng.choice(pool), rng.choice(pool)
        k = rng.randint(1, 9)
        match rng.randrange(4):
            case 0:
                new = e + f, a * d + c * b, b * d
            case 1:
                new = e * f, a * c, b * d
            case 2:
                new = e / f, a * d, b * c
            case _:
                new = e + number(Fraction(-k, 3)), a * 3 - b * k, b * 3
        if new[1] == 0 or len(new[1]) * len(new[2]) > 300:
            continue
        pool.append(new)
        e, a, b = new
        top = a / a.gcd(b)
        numbers = [Fraction(int(n.p), int(n.q)) for n in top.coeffs()]
        content = Fraction(gcd(*(n.numerator for n in numbers)), lcm(*(n.denominator for n in numbers)))
        size = identity_testing._size(RationalForm([e]))
        assert size.degree >= top.total_degree()
        assert 2.0**size.height >= float(sum(map(abs, numbers)) / content) * (1 - 1e-9)


def test_larger_programs_are_tested_at_more_points():
    x = symbol("x")
    small = identically_zero((x + 1) ** 2 - x * x - 2 * x - 1)
    large = x
    for _ in range(40):
        large = large * large + 1
    found = identically_zero(large - (large + 1) + 1)
    assert small is not None
    assert found is not None
    assert found.points > small.points >= SECURITY / 61
