"""Integrals with coefficients that an equation defines (K22): found, solved, proved, enclosed, constant."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from tests.laws.coefficient.bodies import disc, loaded_sphere

import chetaev as ch
from chetaev.expr.graph.node import call, number, postorder, symbol
from chetaev.expr.language.parser import parse
from chetaev.laws.coefficient.closed_forms import solutions
from chetaev.laws.coefficient.enclosed_solution import Enclosed
from chetaev.laws.coefficient.equations import CoefficientEquations, coefficient_equations
from chetaev.laws.energy import energy_law
from chetaev.laws.search.independence import is_new
from chetaev.laws.standpoint import EVERY_VALUE
from formulas import any_order, formula

PLAIN = ch.System(coordinates=["s"], lagrangian="s'^2/2")
S = symbol("s")


def only(system: ch.System) -> CoefficientEquations:
    """The one block of equations beside the energy."""
    (found,) = coefficient_equations(system, [energy_law(system).expression])
    return found


def solved(matrix: list[list[str]]) -> list[str]:
    """The solutions of dc/ds = −c A as text."""
    A = [[parse(e, PLAIN.scope) for e in row] for row in matrix]
    w = [symbol(f"w{i}") for i in range(len(A))]
    found = solutions(PLAIN, S, w, A)
    assert all(solution.proved for solution in found)
    return [solution.name for solution in found]


@pytest.mark.parametrize("system", [disc("m*R^2/4", "m*R^2/2"), disc("1/7", "1/3")], ids=["disc", "cap"])
def test_K22_bodies_with_an_edge_have_hypergeometric_integrals(system: ch.System) -> None:
    """Closed forms (series of F by FLINT) and enclosures (Taylor steps of c) share no code and agree."""
    found = only(system)
    assert found.new == 2
    assert found.proof.proved
    assert [solution.name for solution in found.solutions] == ["hypergeometric"] * 2
    assert all(solution.proved for solution in found.solutions)
    start, end = Fraction(3, 10), Fraction(11, 10)
    with ctx.workprec(160):
        moved = found.enclosed(start).at(end)
        for n in (0, 1):
            before, after = found.solution_at(n, start), found.solution_at(n, end)
            for k in (0, 1):
                gap = before[0] * moved[0][k] + before[1] * moved[1][k] - after[k]
                assert gap.contains(0)
                assert float(gap.rad()) < 1e-25


def test_K22_the_discs_integrals_are_constant_along_its_motion() -> None:
    system = ch.load("rolling-disc")
    found = only(system)
    values, errors = found.along_with_bounds(ch.simulate(system, until=1.0, at="0:1:0.05", tolerance=1e-10))
    assert errors.max() < 1e-12
    assert np.abs(values - values[:, :1]).max() < 1e-7 * np.abs(values).max()
    assert found.series(0, 1).tolist() == [[[1, 0], [0, 1]], [[0, -5 / 3], [-2, 0]]]
    assert formula("dc2/dtheta = -5*cos(theta)/3*c1") in found.equations
    assert found.to_json()["solutions"][1]["function"].startswith("F(a, b; 1/2; sin(theta)^2)")


@pytest.mark.slow
def test_K22_a_loaded_sphere_has_the_integrals_of_jellett_and_routh() -> None:
    """Two integrals, linear in the velocities, in elementary functions, for every value of the parameters."""
    system = loaded_sphere()
    laws = ch.integrals(system)
    assert len(laws) == 3
    assert not laws.by_equation
    spin = "(psi' + phi'*cos(theta))"
    jellett = f"R*(I1*phi'*sin(theta)^2 + I3*{spin}*cos(theta)) - d*I3*{spin}"
    given = ch.integrals(system, {"Jellett": jellett})
    assert given[1].name == "Jellett"
    assert given[1].parameters == EVERY_VALUE
    assert not is_new(system, given[1].expression, [law.expression for law in laws])
    motion = ch.simulate(
        system, until=3.0, tolerance=1e-10, laws={f"F{i}": str(x.expression) for i, x in enumerate(laws)}
    )
    for i in range(3):
        values = motion[f"F{i}"].values
        assert np.abs(values - values[0]).max() < 1e-7 * max(1.0, np.abs(values).max())


@pytest.mark.slow
def test_K22_the_equations_of_a_loaded_sphere_without_names_are_enclosed() -> None:
    system = loaded_sphere()
    (found,) = coefficient_equations(system, [energy_law(system).expression])
    assert found.new == 2
    values, errors = found.along_with_bounds(ch.simulate(system, until=2.0, at="0:2:0.1", tolerance=1e-10))
    assert errors.max() < 1e-11
    assert np.abs(values - values[:, :1]).max() < 1e-7 * np.abs(values).max()


@pytest.mark.parametrize(
    ("matrix", "names"),
    [
        ([["0", "-s"], ["1", "0"]], ["Bessel"] * 2),  # Airy's equation
        ([["0", "1"], ["1", "0"]], ["elementary"] * 2),  # exp(±s)
        ([["0", "-4"], ["1", "0"]], ["elementary"] * 2),  # cos 2s, sin 2s
        ([["1/s", "-1/(9*s)"], ["1/s", "0"]], ["elementary"] * 2),  # Euler
        ([["1/s", "s"], ["-1/s", "1/s"]], ["Bessel"] * 2),
        ([["-cos(s)/sin(s)", "6"], ["-1", "0"]], ["elementary", "hypergeometric"]),  # x − x³ and another
        ([["2*s/(1 + s^2)"]], ["elementary"]),
        ([["sin(s)/cos(s) + 2*s"]], ["elementary"]),
        ([["exp(s^2)"]], []),
        ([["s", "exp(s)"], ["1 + s^5", "s"]], []),
    ],
)
def test_K22_equations_with_names(matrix: list[list[str]], names: list[str]) -> None:
    assert sorted(solved(matrix)) == sorted(names)


def test_a_bessel_solution_has_the_values_that_another_library_gives() -> None:
    airy = ch.System(coordinates=["x"], lagrangian="x'^2/2 - t*x^2/2")
    (found,) = coefficient_equations(airy, [])
    with ctx.workprec(120):
        c1, c2 = found.solution_at(0, Fraction(2))  # u = t J_{2/3}(2 t^{3/2}/3)
    mpmath.mp.dps = 25
    u = mpmath.mpf(2) * mpmath.besselj(mpmath.mpf(2) / 3, 2 * mpmath.mpf(2) ** mpmath.mpf("1.5") / 3)
    assert abs(float(c2.mid()) - float(u)) < 1e-15
    assert float(c1.rad()) < 1e-25


def test_enclosures_contain_what_other_arithmetic_gives_and_stop_at_singularities() -> None:
    """c' = √(1 + s²) c, and a pole."""
    root = Enclosed([[-call("sqrt", 1 + S ** number(2))]], S, Fraction(0))
    mpmath.mp.dps = 30
    exact = mpmath.exp(mpmath.quad(lambda s: mpmath.sqrt(1 + s * s), [0, 1, 2]))
    ball = root.at(Fraction(2))[0][0]
    with ctx.workprec(160):
        assert abs(ball - arb(str(exact))) < arb("1e-27")
    assert float(ball.rad()) < 1e-27
    pole = Enclosed([[1 / (1 - S)]], S, Fraction(0))
    with pytest.raises(ch.ModelError, match="singular near s = 1"):
        pole.at(Fraction(3, 2))


def test_oscillators_have_their_integrals_in_the_time() -> None:
    """Coefficients of t: every oscillator, damped ones too, has as many integrals as Q allows."""
    system = ch.System(
        coordinates=["x"], lagrangian="x'^2/2 - k*x^2/2", forces={"x": "-x'"}, parameters={"k": 5}
    )
    laws = ch.integrals(system, effort=300_000)
    assert len(laws) == 2
    assert all(law.proof.proved for law in laws)
    assert all("exp" in {node.op for node in postorder(law.expression)} for law in laws)


def test_quadratic_integrals_by_an_equation() -> None:
    """x'' = 1 − x x'²: F = c₁(x) x'² + c₂(x), with an integral of exp(x²) in it, which has no name here."""
    system = ch.System(coordinates=["x"], lagrangian="x'^2/2 + x", forces={"x": "-x*x'^2"})
    (found,) = ch.integrals(system, effort=300_000).by_equation
    assert list(found.velocities) == any_order("x'^2", "1")
    motion = ch.simulate(system, until=1.0, at="0:1:0.1", initial={"x": 0.2, "x_dot": 1}, tolerance=1e-11)
    values, errors = found.along_with_bounds(motion)
    assert errors.max() < 1e-13
    assert np.abs(values - values[:, :1]).max() < 1e-8


@pytest.mark.parametrize("order", [-1, 1000])
def test_an_order_out_of_range_is_a_sentence(order: int) -> None:
    with pytest.raises(ch.ModelError, match=f"the order is {order}"):
        only(ch.load("rolling-disc")).series(0, order)
