"""Relations between parameters at which there are more integrals (K22), from where the rank drops."""

from __future__ import annotations

import random
from typing import Any

import pytest
import sympy

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.sympy_bridge import sympy_symbol
from chetaev.laws.integrals import integrals
from chetaev.laws.search.relations import relations
from chetaev.laws.search.special_values import UNNAMED, special_values
from formulas import any_order, formula, formulas

SMALL = 60_000

SPRINGS = ch.System(
    coordinates=["x", "y"],
    parameters={"a": 1, "b": 3},
    lagrangian="(x'^2 + y'^2)/2 - a*x^2/2 - b*y^2",
)


def conditions(found: Any) -> list[list[Expr]]:
    """What has to be zero in each relation."""
    return [list(relation.conditions) for relation in found.found]


@pytest.mark.slow
def test_K22_resonances_of_two_springs() -> None:
    """x'' = −a x, y'' = −2b y: frequencies 1:1, 2:1 and 1:2, each with its integral."""
    laws = integrals(SPRINGS, free=["a", "b"], effort=SMALL)
    (special,) = laws.special
    assert conditions(special) == any_order(["a - 2*b"], ["a - 8*b"], ["b - 2*a"], factor=True)
    more = [law for law in laws if " = " in law.parameters]
    where = [law.parameters.removeprefix("for ") for law in more]
    assert where == any_order("a = 2*b", "a = 8*b", "b = 2*a")
    for place, expression in (("a = 2*b", "x*y' - y*x'"), ("a = 8*b", "y*x'*y' + 2*x*y^2*b - x*y'^2")):
        assert more[where.index(formula(place))].expression == formula(expression, factor=True)
    assert all(law.proof.proved for law in laws)
    assert special.to_json()["relations"][0]["conditions"] == formulas(["a - 2*b"], factor=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)]
)
def test_K22_a_planted_relation_is_found(seed: int) -> None:
    """Rotations are a symmetry if and only if k a = n b + c, in turned coordinates."""
    rng = random.Random(seed)
    k, n, c = rng.randint(1, 4), rng.randint(1, 4), rng.randint(-3, 3)
    x, y = "(3/5*u - 4/5*w)", "(4/5*u + 3/5*w)"
    broken = f"({k}*a - {n}*b - {c})*({x}^3 - 5*{x}^2*{y})"
    system = ch.System(
        coordinates=["u", "w"],
        parameters={"b": 2, "a": 5},
        lagrangian=f"(u'^2 + w'^2)/2 - {broken} - (1 + b)*({x}^2 + {y}^2)",
    )
    found = relations(system, ["a", "b"], effort=SMALL)
    assert found.cut == ""
    (relation,) = found.found
    for b in (0.7, -1.3):
        values = {"b": b, "a": (n * b + c) / k}
        assert abs(evaluate(list(relation.conditions), values)[0]) < 1e-12


@pytest.mark.slow
def test_K22_nothing_is_claimed_where_only_the_energy_enters_the_space() -> None:
    """At a = 1 the energy is a polynomial that the small space has; that is no new integral."""
    system = ch.System(
        coordinates=["x", "y"],
        parameters={"a": 2, "b": 3},
        lagrangian="(x'^2 + a*y'^2)/2 - b*(x^4 + 3*x*y^2 + y)",
    )
    found = relations(system, ["a", "b"], [ch.integrals(system)[0].expression], effort=SMALL)
    assert conditions(found) == formulas([["b"]], factor=True)


@pytest.mark.slow
def test_a_parameter_defined_by_another_can_be_free() -> None:
    system = ch.System(
        coordinates=["x", "y"],
        parameters={"a": 1, "b": "3*a"},
        lagrangian="(x'^2 + y'^2)/2 - a*x^2/2 - b*y^2",
    )
    laws = integrals(system, free=["b"], effort=SMALL)
    assert list(laws.special[0].roots) == formulas(["1/8", "1/2", "2"])  # type: ignore[union-attr]


def test_what_cannot_be_searched_is_said() -> None:
    system = ch.System(coordinates=["x"], parameters={"a": 1, "b": 2}, lagrangian="x'^2/2 - sin(a*x) - b*x")
    found = relations(system, ["a", "b"])
    assert "stands inside functions" in found.cut
    assert found.cut in str(found)


@pytest.mark.slow
def test_K22_henon_heiles_for_every_frequency() -> None:
    """ε = 6 for all A, B; ε = 1 with A = B, two conditions; and ε = 16 with B = 16 A, of degree 4."""
    lagrangian = "(x'^2 + y'^2)/2 - (A*x^2 + B*y^2)/2 - x^2*y - eps*y^3/3"
    system = ch.System(coordinates=["x", "y"], parameters={"A": 1, "B": 16, "eps": 0}, lagrangian=lagrangian)
    found = relations(system, ["A", "B", "eps"])
    assert conditions(found) == [
        any_order("eps - 6", factor=True),
        any_order("A - B", "eps - 1", factor=True),
    ]
    laws = integrals(system, free=["eps"], degree=4)
    assert list(laws.special[0].roots) == formulas(["6", "16"])  # type: ignore[union-attr]
    assert [law.proof.proved for law in laws] == [True] * 3
    assert sympy.degree(laws[2].expression.to_sympy(), sympy_symbol("x", 1)) == 4


@pytest.mark.slow
def test_K22_kovalevskaya_top() -> None:
    """A = B, the centre of mass in their plane: an integral of degree 4 for A = 2 C, and p for A = C."""
    first = {
        "p": "(A - C)/A*q*phi'",
        "q": "(C - A)/A*p*phi' + g3/A",
        "g1": "g2*phi' - g3*q",
        "g2": "g3*p - g1*phi'",
        "g3": "g1*q - g2*p",
    }
    top = ch.System(
        coordinates=["phi", *first],
        parameters={"A": 3, "C": 1},
        dynamics={"accelerations": {"phi": "-g2/C"}, "velocities": first},
    )
    laws = integrals(top, free=["A"])
    assert list(laws.special[0].roots) == formulas(["1", "2"])  # type: ignore[union-attr]
    one, two = laws[-2:]
    assert one.expression == formula("p", factor=True)
    assert one.parameters == "for A = 1 and the other values given"
    values = {"p": 0.3, "q": -0.7, "g1": 0.4, "g2": 0.2, "g3": 1.1}
    known = (0.3**2 - 0.49 - 0.4) ** 2 + (2 * 0.3 * -0.7 - 0.2) ** 2
    (here,) = evaluate([two.expression], {**values, ("phi", 1): 0.9, "A": 2, "C": 1})
    assert two.proof.proved
    assert here == pytest.approx(known)


@pytest.mark.slow
def test_K22_which_inertias_give_suslovs_problem_more_integrals() -> None:
    """Products of inertia zero: ω stays, in the body and in space; I₁₃ = 0, I₂₃² = I₂₂(I₁₁ − I₂₂): p_ψ."""
    suslov = ch.load("suslov")
    laws = integrals(suslov, free=["I13", "I23"], degree=1)
    assert conditions(laws.special[0]) == [any_order("I13", "I23", factor=True)]
    assert [law.parameters for law in laws[1:]] == [f"for {laws.special[0].found[0]}"] * 3  # type: ignore[union-attr]
    assert all(law.proof.proved for law in laws)
    laws = integrals(suslov.with_parameters(I13=0), free=["I23"])
    assert list(laws.special[0].roots) == formulas(["0", "-sqrt(3/4)", "sqrt(3/4)"])  # type: ignore[union-attr]
    assert laws[-1].name == "momentum of psi, I23 = sqrt(3/4)"
    assert laws[-1].proof.proved


@pytest.mark.slow
def test_K22_special_values_are_looked_for_in_every_space_of_the_search() -> None:
    """1/D with D = 2 + sin(x − y) + (a − 1) cos x: p_x + p_y is kept for a = 1, long in velocities."""
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/(2*(2 + sin(x - y) + (a - 1)*cos(x)))",
        parameters={"a": 5},
    )
    assert [*special_values(system, "a").roots] == formulas(["1"])


@pytest.mark.slow
def test_K22_a_complex_number_is_no_value_of_a_parameter() -> None:
    """The frequencies of x'' = −x and y'' = −(a² + 2) y are equal where a² = −1."""
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2 - x^2 - (a^2 + 2)*y^2)/2",
        parameters={"a": 5},
    )
    found = special_values(system, "a")
    assert found.roots == ()
    assert "no real one was found" in str(found)


@pytest.mark.slow
def test_K22_special_values_without_a_name_are_not_denied() -> None:
    """x y' − y x' is kept where a³ − 3a − 4 = 0: its real root is neither rational nor a square root."""
    system = ch.System(
        coordinates=["x", "y"],
        parameters={"a": 1},
        lagrangian="(x'^2 + y'^2)/2 - (x^2 + y^2)^2 - (a^3 - 3*a - 4)*x^4*y",
    )
    found = special_values(system, "a", [ch.integrals(system)[0].expression], effort=200_000)
    assert not found.roots
    assert found.cut == UNNAMED
