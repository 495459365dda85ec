"""First integrals found by the search (K22, L4, L11, B4, B8, B10, B12), why they hold, what was searched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from tests.random_systems import random_system

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.expr.graph.node import Expr
from chetaev.laws.integrals import integrals, judged, searched_laws
from chetaev.laws.law import Law
from chetaev.laws.rate import EFFORT, rate
from chetaev.laws.search.first_integrals import Differentials
from chetaev.laws.search.motion_modulo_prime import Motion
from chetaev.laws.standpoint import VALUES_GIVEN
from chetaev.model.states.points import random_points
from formulas import formula, formulas
from portions import parts, some

SMALL = 300_000


def independent(system: ch.System, functions: Sequence[str | Expr]) -> list[bool]:
    """Of functions on Q in turn, whether each is independent of those before it."""
    motion = Motion(system)
    elements = [motion.function(f) for f in functions]
    stack = Differentials(motion, motion.points(seed=3).draw())
    return [stack.grows(stack.of(e)) for e in elements]


def explains(system: ch.System, laws: Sequence[Law], function: str) -> bool:
    """Whether a function is a function of the laws."""
    return not independent(system, [*(law.expression for law in laws), function])[-1]


@pytest.mark.slow
def test_L4_heisenberg_finds_what_is_conserved_and_why() -> None:
    """z' = y x': of J_X for X2, X1 + X4, X1 − X6, X4 + X6 two hold; the search finds them, and one more."""
    system = ch.load("heisenberg")
    laws = integrals(system)
    assert [law.expression for law in laws[2:]] == formulas(
        ["y*z' - z*y' + x'", "t*y' - y"], on=system, factor=True
    )
    assert all(law.proof.proved for law in laws)
    assert laws[2].reasons[0].theorem == "horizontal symmetry"
    assert laws[2].reasons[0].row == "B10"
    assert laws[3].reasons[0].theorem == "Noether, nonholonomic"
    assert explains(system, laws, "x'*sqrt(1 + y^2)")  # a function of energy and y'
    assert not explains(system, laws, "x' + y*x' - x*y'")
    assert laws.searched is not None
    assert laws.searched.independent > 100


@pytest.mark.slow
def test_L4_symmetric_heisenberg_has_five() -> None:
    """z' = x y' − y x': all momenta hold, since the constraint forces vanish; five of six are found."""
    system = ch.load("heisenberg-symmetric")
    laws = integrals(system, effort=SMALL)
    assert sum(independent(system, [law.expression for law in laws])) == 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "expected"),
    some([
        ("ball-on-rotating-table", ["7*x' + 2*y*Omega", "2*x*Omega - 7*y'"]),
        ("dog-pursues-man", ["t*y'^2*c + t*y'*c^2 - x*x'*y' - x*x'*c + y*x'^2 - y*y'*c - y*c^2"]),
        ("relativistic-particle-scalar", ["w'*exp(k*(x^2 + y^2 + z^2)/(2*m*c^2))"]),
        ("central-force-constant-speed", ["(x*y' - y*x')*exp(k/(v0^2*sqrt(x^2 + y^2 + z^2)))"]),
        ("leibniz-particle", ["x'*exp(-z*g/v0^2)"]),
        ("appell-hamel", ["2*z'*m*a^2 + 2*z'*m*b^2 + 3*z'*M*a^2 + 2*t*m*b^2*g"]),
        ("semiholonomic-disc", ["psi*R - x"]),
    ], 6),
)  # fmt: skip
def test_K22_gallery_integrals_for_every_value_of_the_parameters(name: str, expected: list[str]) -> None:
    system = ch.load(name)
    effort = EFFORT if "exp" in expected[0] or name == "appell-hamel" else SMALL
    found = searched_laws(system, [], effort=effort)
    for function in expected:
        assert explains(system, list(found), function), [str(law.expression) for law in found]
    assert all(law.parameters != VALUES_GIVEN for law in found)


@pytest.mark.slow
def test_K22_quotients_and_the_plane_of_motion() -> None:
    system = ch.load("leibniz-particle")
    laws = integrals(system, rational=True, effort=SMALL)
    assert [law.expression for law in laws[:2]] == formulas(["y'/x'", "(x*y' - y*x')/x'"], factor=True)
    assert laws[0].undefined.removeprefix("not defined where ") == formula("x' = 0")


@pytest.mark.slow
def test_K10_kepler_has_all_its_integrals() -> None:
    kepler = ch.System(
        coordinates=["x", "y"], parameters={"k": 2}, lagrangian="(x'^2 + y'^2)/2 + k/sqrt(x^2 + y^2)"
    )
    laws = integrals(kepler, effort=SMALL)
    assert explains(kepler, laws, "x*y' - y*x'")
    assert explains(kepler, laws, "y'*(x*y' - y*x') - k*x/sqrt(x^2 + y^2)")
    assert sum(independent(kepler, [law.expression for law in laws])) == 3
    assert all(law.reasons for law in laws)


@pytest.mark.slow
def test_B4_a_moving_energy_is_named() -> None:
    """A bead on a hoop that turns: the energy is lost, E − Ω·L is kept."""
    system = ch.load("bead-on-rotating-hoop")
    (law,) = searched_laws(system, judged(system))
    assert "moving energy" in [reason.theorem for reason in law.reasons]


@pytest.mark.slow
def test_a_free_particle_with_an_idle_constraint_names_the_free_motion() -> None:
    system = ch.load("nonholonomic-particle")
    theorems = {reason.theorem for law in integrals(system, effort=SMALL) for reason in law.reasons}
    assert {
        "energy",
        "ignorable coordinate",
        "horizontal symmetry",
        "integral of the free motion",
    } <= theorems


def test_user_functions_join_the_space() -> None:
    """x'' = −x/9 in the angle x: with cos(t/3) given, an integral is linear in the velocity."""
    system = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/18")
    plain = integrals(system, effort=SMALL)
    more = integrals(system, functions=["sin(t/3)", "cos(t/3)"], effort=SMALL)
    assert [law.expression for law in plain] == formulas(
        ["(9*x'^2 + x^2)/18", "3*x'*cos(t/3) + x*sin(t/3)"], factor=True
    )
    assert explains(system, list(more), "x'*cos(t/3) + x*sin(t/3)/3")
    assert formula("sin(t/3)") in more.searched.atoms  # type: ignore[union-attr]
    assert formula("sin(t)") not in more.searched.atoms  # type: ignore[union-attr]


def test_functions_join_and_do_not_replace() -> None:
    """With cos(x/3) the field knows sin x by sines of x/3; sin x stays an atom of its own."""
    system = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - sin(x)*y")
    atoms = integrals(system, functions=["cos(x/3)"], effort=SMALL).searched.atoms  # type: ignore[union-attr]
    assert formula("cos(x/3)") in atoms
    assert formula("sin(x)") in atoms
    assert len(atoms) == 6
    assert all(sum(formula(str(a)) == b for b in atoms) == 1 for a in atoms)


@pytest.mark.slow
def test_K22_special_values_of_a_parameter() -> None:
    """Hénon–Heiles: separable for ε = 1, and ε = 6."""
    system = ch.System(
        coordinates=["x", "y"],
        parameters={"eps": 0},
        lagrangian="(x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y - eps*y^3/3",
    )
    laws = integrals(system, free=["eps"], effort=SMALL)
    assert list(laws.special[0].roots) == formulas(["1", "6"])
    where = [law.parameters.removeprefix("for ").split(" and")[0] for law in laws[1:]]
    assert where == formulas(["eps = 1", "eps = 6"])
    assert all(law.proof.proved for law in laws)


@pytest.mark.slow
@pytest.mark.parametrize("seed", some([5, 2], 2))
def test_nothing_false_is_found_in_random_systems(seed: int) -> None:
    """Every law has rate zero at points that the search has not seen, to 30 digits."""
    system = random_system(seed, most=3)
    laws = integrals(system, effort=60_000)
    assert laws.searched is not None
    for law in laws:
        for point in random_points(system, 2, seed=seed + 1, digits=50):
            (value,) = evaluate_mp([rate(system, law.expression)], {**system.parameter_values, **point}, 50)
            assert abs(value) < 1e-30


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"degree": -1}, "the degree is -1"),
        ({"degree": 2.5}, "the degree is 2.5"),
        ({"functions": ["sinn(x)"]}, "sinn"),
        ({"functions": "cos(x)"}, "the functions are 'cos(x)'"),
        ({"functions": ["x'"]}, "x'"),
        ({"free": ["mass"]}, "free has 'mass', which is no parameter"),
        ({"free": "m"}, "free is 'm'"),
        ({"rational": 3}, "rational is 3"),
        ({"degree": 10**9}, "the degree is 1000000000"),
        ({"degree": True}, "the degree is True"),
        ({"functions": ["x; import os"]}, "expected"),
        ({"functions": ["__import__('os')"]}, "__import__"),
        ({"functions": ["x" * 20_000]}, "x"),
        ({"functions": ["1/0"]}, "0"),
        ({"functions": ["(" * 5000]}, ""),
        ({"functions": [None]}, "a function is None"),
        ({"candidates": {"": "x'"}}, "a law has the name ''"),
    ],
)
def test_bad_input_is_a_sentence(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(ch.ModelError) as caught:
        integrals(ch.load("nonholonomic-particle"), **options)  # type: ignore[arg-type]
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("given", "enough"), [(["cos(x)^2", "sin(x)^2"], ["cos(x)^2"]), (["2"], []), (["y", "2*y + 1"], ["y"])]
)
def test_K22_functions_that_add_nothing_are_left_out(given: list[str], enough: list[str]) -> None:
    system = ch.load("nonholonomic-particle")
    more, less = (integrals(system, functions=f, effort=SMALL) for f in (given, enough))
    assert more.searched == less.searched


@pytest.mark.slow
def test_a_space_without_integrals_is_told() -> None:
    laws = integrals(ch.load("car-with-trailers-2"), effort=SMALL)
    assert list(laws) == []
    assert laws.searched is not None
    assert laws.searched.degree == 2
    assert laws.to_json()["searched"]["independent"] > 30


@pytest.mark.slow
def test_the_search_is_the_same_every_time() -> None:
    system = ch.load("knife-edge")
    first, second = (searched_laws(system, judged(system), effort=SMALL).to_json() for _ in range(2))
    assert first == second


DRIFTING = ["knife-edge", "ball-on-rotating-table", "appell-hamel", "vertical-rolling-disc",
            "leibniz-particle", "relativistic-particle-scalar", "disc-on-incline",
            "contact-oscillator"]  # fmt: skip


@pytest.mark.parametrize("name", parts(DRIFTING, 3))
def test_laws_of_the_gallery_are_constant_along_its_motions(name: str) -> None:
    system = ch.load(name)
    laws = {f"law{i}": law.expression for i, law in enumerate(integrals(system))}
    motion = ch.simulate(system, until=3.0, tolerance=1e-10, laws={n: str(e) for n, e in laws.items()})
    for n in laws:
        values = motion[n].values
        assert np.abs(values - values[0]).max() <= 1e-6 * max(1.0, np.abs(values).max())


@pytest.mark.slow
def test_no_function_is_named_twice_among_those_searched() -> None:
    kepler = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)")
    named = str(ch.integrals(kepler, degree=1).searched).split(" from ")[1].split(";")[0]
    atoms = named.replace(" and ", ", ").split(", ")
    assert sum(formula("1/sqrt(x^2 + y^2)") == a for a in atoms) == 1


def test_K22_without_free_velocities_no_coefficients_of_them_are_made() -> None:
    """Equations of first order: products of twenty atoms that nothing is multiplied by took a minute."""
    rates = {"x": "exp(x)*sqrt(1 + y^2) - abs(y)", "y": "y/(2 + x) - log(2 + x^2)"}
    system = ch.System(coordinates=["x", "y"], dynamics={"velocities": rates})
    searched = ch.integrals(system, degree=2, effort=100_000).searched
    assert searched.weights[1:] == (0, 0)
