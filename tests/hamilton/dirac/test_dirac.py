"""Dirac's algorithm (SCOPE B7, B8): textbook models, linear systems by another route, bad input."""

from __future__ import annotations

from fractions import Fraction
from math import cos, sin
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import chetaev as ch
from chetaev.hamilton.dirac.dirac_result import DiracBranch
from chetaev.laws.standpoint import VALUES_GIVEN
from formulas import any_order, formula, formulas
from portions import examples


def degenerate(lagrangian: str, coordinates: str, *constraints: str, **more: object) -> ch.System:
    return ch.System(
        coordinates=coordinates.split(),
        dynamics={"lagrangian": lagrangian, "degenerate": True},
        constraints=list(constraints),
        **more,
    )


TEXTBOOK = {
    # name: (Lagrangian, coordinates, outcome, first class, second class, degrees of freedom, constraints)
    "first-order oscillator": ("x*y' - (x^2 + y^2)/2", "x y", "second class", 0, 2, 1, ["p_x", "p_y - x"]),
    "pendulum with its multiplier": (
        "(x'^2 + y'^2)/2 + l*(x^2 + y^2 - 1)", "x y l", "second class", 0, 4, 1,
        ["p_l", "x^2 + y^2 - 1", "x*p_x + y*p_y", "2*x^2*l + 2*y^2*l + p_x^2 + p_y^2"],
    ),
    "one shifted velocity": ("(x' - y)^2/2", "x y", "gauge", 2, 0, 0, ["p_y", "p_x"]),
    "Christ and Lee": ("(r'^2 + r^2*(th' - z)^2)/2 - r^2/2", "r th z", "gauge", 2, 0, 1, ["p_z", "p_th"]),
    "Cawley": ("x'*z' + y*z^2/2", "x y z", "gauge", 3, 0, 0, ["p_y", "z", "p_x"]),
    "an exponential before the square": ("exp(y)*x'^2/2", "x y", "gauge", 2, 0, 0, ["p_y", "p_x"]),
    "free relativistic particle": (
        "-sqrt(s'^2 - x'^2 - y'^2)", "s x y", "gauge", 1, 0, 2, ["p_s^2 - p_x^2 - p_y^2 - 1"],
    ),
    "brachistochrone": ("sqrt((x'^2 + y'^2)/y)", "x y", "gauge", 1, 0, 1, ["p_x^2*y + p_y^2*y - 1"]),
    "a force without a place": ("x'^2/2 + y", "x y", "inconsistent", None, None, None, ["p_y"]),
    "no real zeros": (
        "(x'^2 + y'^2)/2 - l*(x^2 + y^2 + 1)", "x y l", "inconsistent", None, None, None, ["p_l"],
    ),
    "electron in a strong field": ("x*y' - y*x' - x^2 - y^2", "x y", "second class", 0, 2, 1, None),
    "two particles, one relation of velocities": (
        "(x' + y')^2/2 - x^2/2", "x y", "second class", 0, 2, 1, ["p_x - p_y", "x"],
    ),
    "one velocity, two oscillators": (
        "x'^2/2 + x*y + y^2/2", "x y", "second class", 0, 2, 1, ["p_y", "x + y"],
    ),
    "a total derivative": ("x*y' + y*x'", "x y", "gauge", 2, 0, 0, ["p_x - y", "p_y - x"]),
    "gauge and second class": ("(x' - y)^2/2 + z*w' - (z^2 + w^2)/2", "x y z w", "mixed", 2, 2, 1, None),
    "sum of squares": ("x*y*y' + x'*z^2/2 + z*y", "x y z", "mixed", 1, 4, 0, None),
    "regular": ("(x'^2 + x^2*y'^2)/2 - x", "x y", "regular", 0, 0, 2, []),
    "all steps": (
        "((a + b' + c')^2 + (d' - b')^2 + (a + 2*b)*(a + 2*d))/2", "a b c d", "mixed", 2, 2, 1,
        ["p_a", "p_b - p_c + p_d", "a + b + d + p_c", "a + b + d"],
    ),
    "one mode of Maxwell's field": ("(a' - 3*b)^2/2", "a b", "gauge", 2, 0, 0, ["p_b", "p_a"]),
    "one mode of Proca's field": (
        "(a' - 3*b)^2/2 + 4*(b^2 - a^2)/2", "a b", "second class", 0, 2, 1, ["p_b", "3*p_a - 4*b"],
    ),
    "Chern-Simons mechanics": (
        "2*(x*y' - y*x')/2 - 3*(x^2 + y^2)/2", "x y", "second class", 0, 2, 1, ["y + p_x", "p_y - x"],
    ),
    "chiral oscillator and a free particle": (
        "(x'*y - y'*x)/2 - (x^2 + y^2)/2 + z'^2/2", "x y z", "second class", 0, 2, 2,
        ["2*p_x - y", "x + 2*p_y"],
    ),
    "sphere, of first order": (
        "a*x' + b*y' + c*z' - (a^2 + b^2 + c^2)/2 + l*(x^2 + y^2 + z^2 - 1)", "x y z a b c l",
        "second class", 0, 10, 2, None,
    ),
    "oscillator with a lapse": (
        "x'^2/(2*n) - n*(x^2/2 - 1)", "x n", "gauge", 2, 0, 0, ["p_n", "x^2 + p_x^2 - 2"],
    ),
    "oscillator with its time": ("x'^2/(2*T') - T'*x^2/2", "x T", "gauge", 1, 0, 1, ["x^2 + 2*p_T + p_x^2"]),
    "particle with a lapse": (
        "(x'^2 - s'^2)/(2*n) - 4*n/2", "s x n", "gauge", 2, 0, 1, ["p_n", "4 - p_s^2 + p_x^2"],
    ),
    "a coordinate alone": ("x + 0*x'", "x", "inconsistent", None, None, None, ["p_x"]),
    "a coordinate before the square": ("x*y'^2/2", "x y", "gauge", 2, 0, 0, ["p_x", "p_y"]),
    "no zeros": ("x'^2/2 + l*(exp(x) + 1)", "x l", "inconsistent", None, None, None, ["p_l"]),
    "turning frame": (
        "((x' - a*y)^2 + (y' + a*x)^2)/2 - (x^2 + y^2)/2", "x y a", "gauge", 2, 0, 1,
        ["p_a", "x*p_y - y*p_x"],
    ),
    "a square as a constraint": ("x'^2/2 + l*x^2", "x l", "mixed", 1, 2, 0, ["p_l", "x", "p_x"]),
    "light-like": ("x'*y' + l*(x - y)", "x y l", "second class", 0, 4, 1, ["p_l", "y - x", "p_y - p_x", "l"]),
}  # fmt: skip

DIRAC = "Dirac, Lectures on Quantum Mechanics (1964), lecture 1"
HT = "Henneaux and Teitelboim, Quantization of Gauge Systems (1992)"
FJ = "Faddeev and Jackiw, Phys. Rev. Lett. 60 (1988) 1692"
GNH = "Gotay, Nester and Hinds, J. Math. Phys. 19 (1978) 2388"
SUNDERMEYER = "Sundermeyer, Constrained Dynamics (1982), chapter III"
BATES = "Bates and Nester (2011)"
SOURCES = {
    "first-order oscillator": FJ,
    "pendulum with its multiplier": f"{SUNDERMEYER}: a multiplier as a coordinate",
    "one shifted velocity": f"{HT}, chapter 1; one mode of the electromagnetic field",
    "Christ and Lee": "Christ and Lee, Phys. Rev. D 22 (1980) 939, section II",
    "Cawley": "Cawley, Phys. Rev. Lett. 42 (1979) 413",
    "an exponential before the square": f"Allcock, Phil. Trans. A 279 (1975) 487; {HT}, section 1.2.2",
    "free relativistic particle": f"{BATES}, 4.3; {HT}, chapter 4",
    "brachistochrone": f"{BATES}, 4.4",
    "a force without a place": DIRAC,
    "no real zeros": "none: the circle of radius √−1",
    "electron in a strong field": "Dunne, Jackiw and Trugenberger, Phys. Rev. D 41 (1990) 661",
    "two particles, one relation of velocities": GNH,
    "one velocity, two oscillators": GNH,
    "a total derivative": f"{HT}, chapter 1",
    "gauge and second class": "none: the sum of two of these",
    "sum of squares": "none: a Lagrangian with quadratic momenta",
    "regular": "none: the plane in polar coordinates",
    "all steps": "Brown, Universe 8 (2022) 171: the example of the paper",
    "one mode of Maxwell's field": f"{SUNDERMEYER}; one Fourier mode of the longitudinal field",
    "one mode of Proca's field": f"{SUNDERMEYER}; the same with a mass",
    "Chern-Simons mechanics": "Dunne, Jackiw and Trugenberger, Phys. Rev. D 41 (1990) 661",
    "chiral oscillator and a free particle": FJ,
    "sphere, of first order": f"{FJ}; with a multiplier",
    "oscillator with a lapse": f"{HT}, chapter 4: energy instead of mass shell",
    "oscillator with its time": f"{HT}, chapter 4: the parametrized system",
    "particle with a lapse": f"{HT}, chapter 4: the einbein",
    "a coordinate alone": f"{DIRAC}: L = q has no motion",
    "a coordinate before the square": "none: a rank that drops at x = 0",
    "no zeros": "none: e^x + 1 > 0",
    "turning frame": "Christ and Lee, Phys. Rev. D 22 (1980) 939, section II, in Cartesian coordinates",
    "a square as a constraint": "Miskovic and Zanelli, J. Math. Phys. 44 (2003) 3876: irregular, type II",
    "light-like": "none: a null metric and a multiplier",
}


def test_B7_every_model_says_where_it_comes_from() -> None:
    assert set(SOURCES) == set(TEXTBOOK)
    assert sum(not source.startswith("none") for source in SOURCES.values()) >= 20


@pytest.mark.parametrize(
    ("lagrangian", "coordinates", "constraints"),
    [
        ("x'^2/2 + l*m*x", "x l m", [4, 5, 5]),  # l = m = 0; x = l = 0; x = m = 0
        ("(x'^2 + y'^2)/2 + l*(x^2 - y^2)", "x y l", [4, 4, 5]),  # x = ±y and l = 0; x = y = 0
    ],
)
def test_B7_a_branch_that_is_met_on_two_ways_is_one_branch(
    lagrangian: str, coordinates: str, constraints: list[int]
) -> None:
    branches = ch.dirac(degenerate(lagrangian, coordinates)).branches
    assert sorted(len(b.primary) + len(b.secondary) for b in branches) == constraints


def test_B7_where_dirac_s_conjecture_fails_it_is_said() -> None:
    """Cawley's and Allcock's constraints of the first class come as squares: no multiplier moves x or y."""
    for name in ("Cawley", "an exponential before the square", "a coordinate before the square"):
        found = ch.dirac(degenerate(*TEXTBOOK[name][:2]))
        assert "Dirac's conjecture" in " ".join(found.notes), name
        assert [g.generator for g in found.gauge] == list(found.primary), name  # the others are no gauge
    for name in ("Christ and Lee", "one shifted velocity", "particle with a lapse", "all steps"):
        assert "conjecture" not in " ".join(ch.dirac(degenerate(*TEXTBOOK[name][:2])).notes), name


def test_B7_with_mixed_classes_the_set_of_dirac_s_bracket_is_said() -> None:
    found = ch.dirac(degenerate(*TEXTBOOK["all steps"][:2]))
    assert len(found.second_class_set) == 2
    shown = [str(e) for e in found.second_class_set]
    assert f"the set {', '.join(shown)}" in str(found)
    assert found.to_json()["second_class_set"] == formulas(shown)
    for chi in found.second_class_set:  # their Dirac bracket with everything vanishes
        assert all(found.bracket(str(chi), z) == formula("0") for z in ("a", "b", "c", "d", "p_c", "p_d"))


def moves_by_euler_lagrange(branch: DiracBranch, free: int = 1) -> bool:
    """p = ∂L/∂v and ṗ = ∂L/∂q + F + λφ at the velocities q̇ of the branch, on its surface.

    Where L is no polynomial, multipliers that nothing determines have a value: their sign must be right.
    """
    motion, surface = branch.motion, branch.branch.surface
    space, known = motion.space, dict(branch.branch.multipliers)
    if not motion.legendre.is_quadratic:
        known |= {name: space.field.number(Fraction(free)) for name in branch.free}
    L = space.element(space.system.lagrangian)
    at = {v: surface.restrict(x.subs(known)) for v, x in motion.moving.items()}
    for i, (q, p, v) in enumerate(zip(space.q, space.p, space.v, strict=True)):
        rate = surface.restrict(motion.equations[space.momenta[i]].subs(known))
        force = surface.restrict(motion.forces[i].subs(known))
        pull = surface.restrict(L.diff(q)).subs(at)
        if not surface.restrict(rate - force - pull).is_zero:
            return False
        if not surface.restrict(p - L.diff(v).subs(at)).is_zero:
            return False
    return True


@pytest.mark.few(12)
@pytest.mark.parametrize("name", TEXTBOOK)
def test_B7_textbook_models(name: str) -> None:
    lagrangian, coordinates, outcome, first, second, freedom, constraints = TEXTBOOK[name]
    found = ch.dirac(degenerate(lagrangian, coordinates))
    assert (found.outcome, found.degrees_of_freedom) == (outcome, freedom), str(found)
    if constraints is not None:
        assert [*found.primary, *found.secondary] == formulas(constraints, factor=True), str(found)
    if outcome == "inconsistent":
        assert found.contradiction is not None
    else:
        assert (found.first_class, found.second_class) == (first, second)
        going = [b for b in found.branches if b.contradiction is None]
        assert all(any(moves_by_euler_lagrange(b, sign) for sign in (1, -1)) for b in going)
        assert bool(found.free) == (outcome in ("gauge", "mixed"))
    assert found.to_json()["outcome"] == outcome
    assert outcome in str(found)


def test_B7_branches_where_a_condition_factors() -> None:
    found = ch.dirac(degenerate("x'^2/2 + x*y^2", "x y"))
    point, line = sorted(found.branches, key=lambda b: len(b.secondary), reverse=True)
    assert point.secondary == any_order("x", "p_x", "y", factor=True)
    assert line.secondary == formulas(("y",), factor=True)
    assert (point.degrees_of_freedom, line.degrees_of_freedom) == (0, 1)
    assert any("not regular" in note for note in point.notes)


def test_B7_special_values_of_parameters_are_told() -> None:
    text = "(x' - y)^2/2 + a*x"
    generic = ch.dirac(degenerate(text, "x y", parameters={"a": 1}))
    special = ch.dirac(degenerate(text, "x y", parameters={"a": 0}))
    assert (generic.outcome, special.outcome) == ("inconsistent", "gauge")
    assert special.parameters == VALUES_GIVEN


def test_B7_position_constraints_count_once() -> None:
    pendulum = degenerate("(x'^2 + y'^2)/2 - y", "x y")
    text = pendulum.to_toml() + '\n[constraints]\nposition = ["x^2 + y^2 = 1"]\n'
    found = ch.dirac(ch.loads(text))
    assert list(found.secondary) == formulas(["x^2 + y^2 - 1", "x*p_x + y*p_y"], factor=True)
    assert (found.outcome, found.degrees_of_freedom) == ("regular", 1)


def test_B7_momenta_that_are_signs_of_velocities() -> None:
    """p = sign(v) is no 0 at v = 0: the constraint is p² = 1, in two branches."""
    found = ch.dirac(degenerate("abs(x') + y'^2", "x y"))
    assert [e for b in found.branches for e in b.primary] == any_order("p_x - 1", "p_x + 1", factor=True)


def test_B7_momenta_that_hold_for_one_sign_are_kept_and_said() -> None:
    """z |v| − z²/2: z = |v| cannot be negative; p = ∂L/∂v holds on half of p² = z²."""
    found = ch.dirac(degenerate("z*sqrt(x'^2 + y'^2) - z^2/2", "x y z"))
    assert (found.outcome, found.degrees_of_freedom) == ("second class", 2)
    assert dict(found.multipliers) == formulas({"u_1": "0", "u_2": "1/2"})
    assert "p = ∂L/∂v holds where z > 0" in found.notes


def test_B7_velocities_at_which_L_has_no_slope_are_no_motion() -> None:
    """The brackets leave v = 0 where p_x ≠ 0, and there is no ∂L/∂v at v = 0; where p_x = 0 they leave more:
    x rests and z' = 2 x |y'|/(1 + x²)².
    """
    found = ch.dirac(degenerate("sqrt(x'^2 + y'^2)/(1 + x^2) + z'*x", "x y z"))
    assert (found.outcome, found.first_class, found.second_class) == ("mixed", 1, 2)
    assert formula("p_x") in found.secondary
    assert found.equations["x"] == formula("0")
    assert found.equations["z"] == formula("u_1")
    assert found.equations["y"] == formula("u_1*(1 + x^2)^2/(2*x)")


@pytest.mark.slow
@pytest.mark.parametrize(("places", "freedom"), [("x", 2), ("x y", 4)])
def test_B7_two_relativistic_particles_of_dominici_gomis_and_longhi(places: str, freedom: int) -> None:
    """L = Σ −√((m_i² − V(r²)) ẋ_i²): where the bracket of the two mass shells vanishes, P·r = 0, one
    combination is of the first class.
    """
    distance = "".join(f" - ({c}1 - {c}2)^2" for c in places.split())
    parts = [
        f"-sqrt((m{i}^2 - V)*(t{i}'^2" + "".join(f" - {c}{i}'^2" for c in places.split()) + "))"
        for i in (1, 2)
    ]
    system = degenerate(
        " ".join(parts),
        " ".join(f"{c}{i}" for i in (1, 2) for c in ("t", *places.split())),
        parameters={"m1": 1, "m2": 2, "k": 1},
        define={"V": f"k*((t1 - t2)^2{distance})"},
        time="s",
    )
    found = ch.dirac(system)
    assert (found.outcome, found.first_class, found.second_class) == ("mixed", 1, 2)
    assert (len(found.secondary), found.degrees_of_freedom) == (1, freedom)


def test_B7_momenta_that_are_no_quadratic_functions_of_velocities() -> None:
    """y exp(x') − x has the equation exp(x') = 0; x'³/3 + y x' has x' = 0 on both sheets of x'² = p_x − y."""
    assert ch.dirac(degenerate("y*exp(x') - x", "x y")).outcome == "inconsistent"
    found = ch.dirac(degenerate("x'^3/3 + y*x'", "x y"))
    assert (found.outcome, found.degrees_of_freedom, len(found.branches)) == ("second class", 1, 1)
    assert [*found.primary, *found.secondary] == formulas(["p_y", "p_x - y"])
    assert all(e == formula("0") for e in found.equations.values())
    regular = ch.dirac(degenerate("x'^2/2 + exp(y') - x*y", "x y"))
    assert (regular.outcome, regular.degrees_of_freedom) == ("regular", 2)
    assert regular.equations["y"] == formula("log(p_y)")
    moving = ch.dirac(degenerate("exp(x') + y*x' + z'^2/2 - z*x", "x y z"))  # x' = 0, so y' = −z
    assert (moving.outcome, moving.degrees_of_freedom) == ("second class", 2)
    assert moving.equations["y"] == formula("-z")


def test_B7_zeros_at_single_times_are_no_branches() -> None:
    found = ch.dirac(degenerate("(x' - t*y)^2/2", "x y"))
    assert (found.outcome, found.degrees_of_freedom, len(found.branches)) == ("gauge", 0, 1)
    never = ch.dirac(degenerate("t*(x' + y') + x*t^2", "x y"))
    assert never.outcome == "inconsistent"
    assert never.contradiction == formula("t^2 - 1", factor=True)
    assert "would have to stay 0" in never.branches[0].impossible


def test_B7_it_is_said_where_the_rank_of_the_hessian_drops() -> None:
    """x*x'*y' + z'*y − x²: contradiction where x ≠ 0, but x = 0, y, z constant is a motion."""
    found = ch.dirac(degenerate("x*x'*y' + z'*y - x^2", "x y z"))
    assert found.outcome == "inconsistent"
    assert list(found.secondary) == formulas(["p_x"], factor=True)
    assert any("drops where x = 0" in note for note in found.notes)
    turning = ch.dirac(degenerate("(x*y' - y*x')^2/(2*(x^2 + y^2)) - (x^2 + y^2 - 1)^2", "x y"))
    assert (turning.outcome, turning.second_class, turning.degrees_of_freedom) == ("second class", 2, 1)
    assert turning.notes == ("H is written with the inverse of y: motions along y = 0 are not looked for",)


@pytest.mark.slow
def test_B7_degenerate_systems_are_simulated() -> None:
    """x*y' − (x² + y²)/2 turns (x, y); with a gauge the free particle goes straight on."""
    turned = ch.dirac(degenerate("x*y' - (x^2 + y^2)/2", "x y")).simulate(
        until=1.0, at=[1.0], initial={"x": 1, "y": 0, "p_x": 0, "p_y": 1}
    )
    assert [float(turned[n][-1]) for n in "xy"] == pytest.approx([cos(1), sin(1)], abs=1e-8)
    free = ch.dirac(degenerate("-sqrt(s'^2 - x'^2)", "s x")).simulate(
        until=1.0, at=[1.0], initial={"s": 0, "x": 0, "p_s": -1.25, "p_x": 0.75}, gauge={"u_1": "1/2"}
    )
    assert [float(free[n][-1]) for n in "sx"] == pytest.approx([1.25, 0.75])


@pytest.mark.slow
def test_B7_dirac_bracket_of_the_sphere() -> None:
    """{x_i, p_j} = δ_ij − x_i x_j and {p_i, p_j} = x_j p_i − x_i p_j on the unit sphere."""
    found = ch.dirac(degenerate("(x'^2 + y'^2 + z'^2)/2 + l*(x^2 + y^2 + z^2 - 1)", "x y z l"))
    surface, space = found.branch.surface, found.motion.space
    for a in "xyz":
        for b in "xyz":
            for got, text in (
                (found.bracket(a, "p_" + b), f"{int(a == b)} - {a}*{b}"),
                (found.bracket("p_" + a, "p_" + b), f"{b}*p_{a} - {a}*p_{b}"),
                (found.bracket(a, b), "0"),
            ):
                assert surface.restrict(space.field(got) - space.read(text)).is_zero, (a, b)


def test_B8_relativistic_particle_with_proper_time() -> None:
    """Bates and Nester 4.3: the constraint fixes the lapse, the mass shell the force λ = p·∂V/m."""
    system = degenerate("-m*sqrt(s'^2 - x'^2) - x^2", "s x", "sqrt(s'^2 - x'^2) = 1", parameters={"m": 2})
    found = ch.dirac(system)
    assert (found.outcome, found.degrees_of_freedom) == ("second class", 1)
    assert dict(found.multipliers) == formulas({"u_1": "1/(2*m)", "lambda_1": "2*x*p_x/m"})
    assert len(found.branches) == 1  # u = −1/(2m) solves the squared condition, but p = ∂L/∂v fails there
    assert moves_by_euler_lagrange(found.branches[0])


def test_B7_regular_lagrangians_with_velocity_constraints_agree_with_the_equations_of_motion() -> None:
    system = ch.load("knife-edge")
    found = ch.dirac(system)
    assert (found.outcome, found.degrees_of_freedom) == ("regular", system.degrees_of_freedom)
    field = ch.field(system, "chetaev")
    values = {**system.parameter_values, "t": 0.0, "x": 0.3, "y": -0.2, "phi": 0.7}
    speed, turn = 1.3, 0.4
    v = [speed * cos(0.7), speed * sin(0.7), turn]
    a = field(0.0, [0.3, -0.2, 0.7], v)
    m, J = values["m"], values["J"]
    point = {**values, "p_x": m * v[0], "p_y": m * v[1], "p_phi": J * turn}
    from chetaev.expr.graph.evaluate import evaluate

    rates = evaluate([found.equations["p_" + c] for c in ("x", "y", "phi")], point)
    assert [float(r) for r in rates] == pytest.approx([m * a[0], m * a[1], J * a[2]], rel=1e-12)


matrices = st.lists(st.integers(-2, 2), min_size=9, max_size=9)


@settings(max_examples=examples(10), deadline=None)
@given(matrices, matrices, matrices, st.integers(0, 2))
def test_B7_linear_systems_agree_with_their_matrix_pencil(
    a: list[int], b: list[int], k: list[int], rank: int
) -> None:
    """L = Σ (a·v)²/2 + q·B v − q·K q/2: P(s) = s²M + s(B − Bᵀ)ᵀ + K. Degrees of freedom are deg det P / 2
    where det P ≠ 0; else the corank of P over the rational functions of s is the number of free multipliers.
    """
    A, B, K = sympy.Matrix(3, 3, a), sympy.Matrix(3, 3, b), sympy.Matrix(3, 3, k)
    A[rank:, :] = sympy.zeros(3 - rank, 3)
    M, K = A.T * A, K + K.T
    q, v = sympy.Matrix(sympy.symbols("x y z")), sympy.Matrix(sympy.symbols("u v w"))
    L = sympy.expand((v.T * M * v / 2 + q.T * B * v - q.T * K * q / 2)[0])
    if not L.has(*v):
        return
    text = str(L).replace("**", "^")
    for letter, name in zip("uvw", "xyz", strict=True):
        text = text.replace(letter, name + "'")
    s = sympy.symbols("s")
    pencil = s**2 * M + s * (B.T - B) + K
    determinant = sympy.Poly(pencil.det(), s)
    found = ch.dirac(degenerate(text, "x y z"))
    assert found.outcome != "inconsistent"
    assert len(found.branches) == 1
    if determinant.is_zero:
        corank = 3 - max(pencil.subs(s, value).rank() for value in (sympy.Rational(7, 3), 11, -5))
        assert len(found.free) == corank
    else:
        assert (found.free, found.degrees_of_freedom) == ((), Fraction(determinant.degree(), 2))


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: ch.dirac("disc"), "ch.dirac"),
        (lambda: ch.dirac(ch.load("knife-edge"), effort=0), "effort"),
        (lambda: ch.dirac(degenerate("(x' - y)^2/2", "x y")).bracket("x", "p_q"), "p_q"),
        (lambda: ch.dirac(degenerate("(x' - y)^2/2", "x y")).bracket("x'", "p_x"), "x"),
        (lambda: ch.dirac(degenerate("(x' - y)^2/2", "x y")).system(), "gauge"),
        (lambda: ch.dirac(degenerate("(x' - y)^2/2", "x y")).system({"w": "1"}), "no free multiplier"),
        (lambda: ch.dirac(degenerate("x'^2/2 + y", "x y")).system(), "no motion"),
        (lambda: ch.dirac(ch.System(coordinates=["x"], lagrangian="x'^5/5 + x'^3/3")), "closed form"),
        (lambda: ch.dirac(degenerate("x'^2/2 + y*sin(x)", "x y")), "closed form"),
    ],
)
def test_B7_what_cannot_be_done_is_a_sentence(ask, words: str) -> None:
    with pytest.raises(ch.ModelError) as error:
        ask()
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("coordinates", "constraints", "freedom"),
    [
        (["x", "y", "z"], {"velocity": ["z' = y*x'", "2*z' = 2*y*x'"]}, 2),
        (["x", "y"], {"position": ["x^2 + y^2 = 1"], "velocity": ["x*x' + y*y' = 0"]}, 1),
        (["x", "y", "z"], {"position": ["x = y^2"], "velocity": ["z' = y*x'"]}, 1),
    ],
)
def test_B7_redundant_constraints_take_no_freedom(coordinates: Any, constraints: Any, freedom: int) -> None:
    kinetic = " + ".join(f"{c}'^2/2" for c in coordinates)
    system = ch.System(coordinates=coordinates, lagrangian=kinetic, constraints=constraints)
    found = ch.dirac(system)
    assert (found.outcome, found.degrees_of_freedom) == ("regular", freedom), str(found)


def test_B7_what_is_shown_late_has_an_effort_of_its_own() -> None:
    lagrangian = "(3 + log(y)^2)*x'^2/2 + (3 + x^2)*y'^2/2 + x'*y'*exp(y)/3 - y*tan(y)"
    found = ch.dirac(ch.System(coordinates=["x", "y"], lagrangian=lagrangian), effort=10**5)
    assert found.outcome == "regular"
    assert "degrees of freedom: 2" in str(found)
    assert set(found.to_json()["equations"]) == {"x", "y", "p_x", "p_y"}


SLOPES = {  # f(x') and f'' at x' = 2y
    "x'^4/4": "12*y^2",
    "x'^6/6": "80*y^4",
    "cosh(x')": "cosh(2*y)",
    "exp(x')": "exp(2*y)",
    "x'^3/3": "4*y",
    "exp(2*x')/4": "exp(4*y)",
}


@pytest.mark.few(3)
@pytest.mark.parametrize("shape", SLOPES)
def test_B7_a_velocity_that_is_a_function_of_momenta_is_solved_for_the_momentum(shape: str) -> None:
    """f(x') + y x' − y² − x²: x' = 2y by ∂L/∂y = 0, and then (2 f''(2y) + 1) y' = −2x."""
    system = ch.System(
        coordinates=["x", "y"], dynamics={"lagrangian": f"{shape} + y*x' - y^2 - x^2", "degenerate": True}
    )
    found = ch.dirac(system)
    assert (found.outcome, found.degrees_of_freedom) == ("second class", 1)
    assert found.multipliers["u_1"] == formula(f"-2*x/(2*({SLOPES[shape]}) + 1)")


@pytest.mark.parametrize("potential", ["x", "x^2", "cos(x)"])
def test_B7_a_surface_on_which_H_has_no_value_is_no_part_of_phase_space(potential: str) -> None:
    """y exp(x') − V(x): exp(x') would have to vanish, and H contains log p_x."""
    lagrangian = f"y*exp(x') - ({potential})"
    system = ch.System(coordinates=["x", "y"], dynamics={"lagrangian": lagrangian, "degenerate": True})
    assert ch.dirac(system).outcome == "inconsistent"
