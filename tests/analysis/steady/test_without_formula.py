"""Verdicts at states that have no formula: roots of cubics, zeros of x − cos x, curves of equilibria.

There a zero is computed as ±1e-17, and its sign is nothing. Signs are those of algebraic numbers, which are
decided, or of balls that exclude zero.
"""

from __future__ import annotations

import random
from typing import Any

import mpmath
import pytest
import sympy

import chetaev as ch


def natural(V: str, *names: str, **more: Any) -> ch.System:
    names = names or ("x",)
    kinetic = " + ".join(f"{n}'^2/2" for n in names)
    return ch.System(coordinates=list(names), lagrangian=f"{kinetic} - ({V})", **more)


def first_order(rates: dict[str, str], **more: Any) -> ch.System:
    """x' = X(x), as constraints that leave nothing free."""
    kinetic = " + ".join(f"{n}'^2/2" for n in rates)
    constraints = [f"{n}' = {e}" for n, e in rates.items()]
    return ch.System(coordinates=list(rates), lagrangian=kinetic, constraints=constraints, **more)


def near(found: Any, **place: float) -> Any:
    (one,) = [e for e in found if all(abs(e.state[n] - x) < 1e-6 for n, x in place.items())]
    return one


ROOT = 1.324717957244746
"""Of x³ = x + 1."""


@pytest.mark.parametrize(
    ("system", "stable"),
    [
        (first_order({"x": "-(x^3 - x - 1)^2"}), False),
        (first_order({"x": "-(x^3 - x - 1)"}), True),
        (natural("-(x^3 - x - 1)^3"), False),
        (natural("-10^12*(x^3 - x - 1)^3"), False),
        (natural("10^12*(x^3 - x - 1)^3"), False),
        (natural("(x^3 - x - 1)^4"), True),
        (natural("-(x^3 - x - 1)^4"), False),
        (natural("(x^3 - x - 1)^2"), True),
        (natural("(x^3 - x - 1)^2", forces={"x": "(x^3-x-1)*x' + x'^3"}), False),
        (natural("(x^3 - x - 1)^2", forces={"x": "(x^3-x-1)*x' - x'^3"}), True),
    ],
    ids=str,
)
def test_a_root_of_a_cubic_M6(system: ch.System, stable: bool) -> None:
    found = near(ch.equilibria(system), x=ROOT)
    assert found.stable is stable
    assert "x" not in found.exact


@pytest.mark.parametrize(
    "V", ["(x^4 + y^4 - 1)^2", "(x^2 - y^3)^2", "(x^3 + x - y^3)^2", "(x^2 + y^2 - 2)^2"]
)
def test_damped_curves_of_equilibria_are_stable_where_they_are_minima_M6(V: str) -> None:
    system = natural(V, "x", "y", forces={"x": "-x'", "y": "-y'"})
    found = [e for e in ch.equilibria(system) if e.free]
    assert found
    for e in found:
        assert e.stable in (True, None)
        assert (e.eigenvalues == 0).sum() == 1
        assert "asymptotically" not in e.reason


def test_a_zero_that_a_search_found_is_known_to_any_digit() -> None:
    (found,) = ch.equilibria(natural("10^9*(x - cos(x))^2"))
    assert found.stable is True
    (found,) = ch.equilibria(first_order({"x": "-x + cos(x)"}))
    assert found.stable is True
    assert found.eigenvalues[0].real == pytest.approx(-1 - mpmath.sin(found.state["x"]))


@pytest.mark.parametrize("place", [sympy.Rational(31, 3), sympy.Rational(-17, 7)])
def test_a_state_that_its_doubles_miss_is_not_singular_M6(place: sympy.Rational) -> None:
    """The terms of a polynomial written out cancel at its root, but for the rounding of large numbers."""
    x = sympy.Symbol("x")
    rate = sympy.expand(-((x - place) ** 9) - (x - place))
    (found,) = (every := ch.equilibria(first_order({"x": str(rate).replace("**", "^")})))
    assert every.complete
    assert found.stable is True
    assert found.state["x"] == pytest.approx(float(place))


@pytest.mark.parametrize("small", ["10^-18", "0"])
def test_singular_is_said_where_exact_numbers_show_it_M3(small: str) -> None:
    """The mass matrix (1, 1; 1, 1 + ε) of doubles is singular; the exact one is regular for ε > 0."""
    system = ch.System(coordinates=["a", "b"], lagrangian=f"(a' + b')^2/2 + {small}*b'^2/2 - a^2/2 - b^2/2")
    found = ch.equilibria(system)
    assert (found.complete, found.seen.singular) == (None, int(small == "0"))
    with pytest.raises(ch.ModelError, match="singular at this" if small == "0" else "doubles do not tell"):
        ch.linearize(system, at={"a": 0, "b": 0, "a'": 0, "b'": 0})


# --- families whose truth is known ------------------------------------------------------------------

POLYNOMIALS = (
    "x^3 - x - 1", "x^3 - 2", "x^3 + x - 3", "x^4 - 2", "x^4 - x - 1", "x^5 - x - 1", "x^5 - 3*x + 1",
    "x^3 - 3*x + 1", "2*x^3 - 5*x + 7", "x^5 + x - 5", "x^7 - x - 3",
)  # fmt: skip


def truth(V: sympy.Expr, x0: mpmath.mpf) -> bool | None:
    """Whether V has a minimum: by the first derivative that is not zero, at sixty digits."""
    x = sympy.Symbol("x")
    for order in range(1, 12):
        V = sympy.diff(V, x)
        value = sympy.lambdify(x, V, "mpmath")(x0)
        if abs(value) > mpmath.mpf(10) ** -30:
            return order % 2 == 0 and value > 0
    return None


def roots(p: sympy.Expr) -> list[mpmath.mpf]:
    with mpmath.workdps(60):
        coefficients = [mpmath.mpf(int(c)) for c in sympy.Poly(p).all_coeffs()]
        found = mpmath.polyroots(coefficients, maxsteps=500, extraprec=400)
        return sorted(mpmath.re(z) for z in found if abs(mpmath.im(z)) < 1e-40)


def check(text: str, power: int, sign: int) -> int:
    """All equilibria of V = ± p^k against their truth; how many."""
    x = sympy.Symbol("x")
    p = sympy.sympify(text.replace("^", "**"))
    V = sign * p**power
    found = ch.equilibria(natural(f"{sign}*({text})^{power}"))
    assert found.complete
    V_x = sympy.diff(p, x) * (p if power > 1 else 1)
    places = roots(sympy.prod(f for f, _ in sympy.factor_list(V_x)[1]))
    assert [e.state["x"] for e in found] == pytest.approx(places, abs=1e-9)
    with mpmath.workdps(60):
        for e, x0 in zip(found, places, strict=True):
            assert e.stable is truth(V, x0), (text, power, sign, e.where)
    return len(found)


def signs_of_rates(text: str, power: int, sign: int) -> int:
    """x' = ± p^k: semistable where k is even; terms beyond the second are told where they are rational."""
    x = sympy.Symbol("x")
    p = sympy.sympify(text.replace("^", "**"))
    found = ch.equilibria(first_order({"x": f"{sign}*({text})^{power}"}))
    assert found.complete
    for e in found:
        slope = sign * sympy.diff(p, x).subs(x, e.state["x"])
        right = bool(slope < 0) if power % 2 else False
        assert e.stable is right or (power > 2 and e.stable is None), (text, power, sign, e.where)
    return len(found)


@pytest.mark.parametrize("text", POLYNOMIALS[:2])
def test_powers_of_polynomials_M6(text: str) -> None:
    assert check(text, 3, -1)
    assert signs_of_rates(text, 2, -1)


@pytest.mark.slow
def test_two_hundred_equilibria_without_formula_M6() -> None:
    count = sum(check(p, k, s) for p in POLYNOMIALS for k in (1, 2, 3, 4) for s in (1, -1))
    count += sum(signs_of_rates(p, k, s) for p in POLYNOMIALS for k in (1, 2, 3, 4) for s in (1, -1))
    assert count >= 200


WELLS = {
    "X^2": True, "X^4": True, "X^6": True, "X^2 - X^4": True,
    "-X^2": False, "-X^4": False, "X^3": False, "-X^3": False, "X^5": False,
}  # fmt: skip
BENDS = {
    "x": ("x", "x^2 - 2", "x^3 - x - 1", "x - 1/3", "sin(x)", "exp(x) - 2"),
    "y": ("y", "y - x", "y^3 - 2"),
}
MASSES = ("x'^2 + x'*y' + y'^2", "(x'^2*(2 + sin(y)) + y'^2)/2", "((1 + x^2)*x'^2 + y'^2)/2")
FORCES = {"none": {}, "damped": {"x": "-x'", "y": "-2*y'"}, "turning": {"x": "3*y' - x'", "y": "-3*x' - y'"}}


def wells(seed: int) -> int:
    """V = f(X(x)) + g(Y(x, y)) where X = Y = 0: a minimum exactly if both are; no minimum is unstable, also
    where all motions lose energy. How many are judged.
    """
    draw = random.Random(seed)
    (f, low), (g, deep) = (draw.choice(list(WELLS.items())) for _ in range(2))
    X, Y = (draw.choice(BENDS[n]) for n in "xy")
    V = f"{f.replace('X', f'({X})')} + {g.replace('X', f'({Y})')}"
    lagrangian = f"{draw.choice(MASSES)} - ({V})"
    system = ch.System(
        coordinates=["x", "y"], lagrangian=lagrangian, forces=draw.choice(list(FORCES.values()))
    )
    at_zero = sympy.lambdify(["x", "y"], [sympy.sympify(e.replace("^", "**")) for e in (X, Y)], "math")
    found = [e for e in ch.equilibria(system) if max(map(abs, at_zero(e.state["x"], e.state["y"]))) < 1e-7]
    told = [e.stable for e in found if e.stable is not None]
    assert all(s is (low and deep) for s in told), (seed, lagrangian)
    return len(told)


@pytest.mark.parametrize("seed", [3, 5, 11])
def test_degenerate_wells_in_two_coordinates_M6(seed: int) -> None:
    assert wells(seed)


@pytest.mark.slow
def test_a_hundred_degenerate_wells_M6() -> None:
    assert sum(map(wells, range(20, 80))) >= 70


def test_zeros_of_several_factors_are_searched_one_by_one_M6() -> None:
    """Multiple zeros are found where their equations are products, and zeros of each factor."""
    found = ch.equilibria(natural("(x*exp(x) - 1)^3 - y^3", "x", "y"))
    places = sorted((round(e.state["x"], 12), e.state["y"], e.stable) for e in found)
    assert places == [(-1, 0, False), (round(float(mpmath.lambertw(1)), 12), 0, None)]


# --- a family is judged at its general member -------------------------------------------------------

BODY = {"x": "(1 - 2/3)/2*y*z", "y": "(2/3 - 2)/1*z*x", "z": "(2 - 1)/(2/3)*x*y"}


@pytest.mark.parametrize("initial", [None, {"x": 1, "y": 0, "z": 0}, {"x": 0, "y": 2, "z": 0}])
def test_the_intermediate_axis_is_unstable_M6(initial: dict[str, float] | None) -> None:
    found = ch.equilibria(first_order(BODY, **({"initial": initial} if initial else {})))
    verdicts = {e.free: e.stable for e in found}
    assert verdicts == {("x",): True, ("y",): False, ("z",): True}
    (middle,) = [e for e in found if e.free == ("y",)]
    assert middle.state["y"] != 0
    if not (initial and initial["y"]):
        assert "exceptional is y = 0, which is stable" in middle.reason


@pytest.mark.parametrize("initial", [None, {"x": 1, "y": 0, "z": 0, "w": 0}])
def test_a_family_of_steady_motions_is_judged_at_its_general_member_M6(
    initial: dict[str, float] | None,
) -> None:
    system = first_order({**BODY, "w": "y"}, **({"initial": initial} if initial else {}))
    found = ch.relative_equilibria(system, ["w"])
    assert {e.free: e.stable for e in found} == {("x",): True, ("y",): False, ("z",): True}
