"""Quasi-velocities that the user names: in the model, and as an option (SCOPE D1, L6; issue 12, 2)."""

from __future__ import annotations

import random

import numpy as np
import pytest

import chetaev as ch
from chetaev.errors import ModelError
from chetaev.model.states.points import random_points
from formulas import formula, formulas
from random_systems import random_system

SLEIGH = {"u": "x'*cos(phi) + y'*sin(phi)", "omega": "phi'"}
MODEL = """
coordinates = ["x", "y", "phi"]
[parameters]
m = 1
J = 0.5
[dynamics]
lagrangian = "m*(x'^2 + y'^2)/2 + J*phi'^2/2"
[constraints]
velocity = ["x'*sin(phi) = y'*cos(phi)"]
[quasi]
{quasi}
"""


@pytest.mark.parametrize("form", ["quasi", "hamel", "gibbs-appell"])
def test_L6_the_right_hand_side_is_written_in_the_quasi_velocities(form: str) -> None:
    sleigh = ch.load("caratheodory-sleigh")
    plain = ch.equations(sleigh, form, quasi_velocities=list(SLEIGH.values()))
    assert plain.rows[:2] == formulas(["u1' = a*u2^2", "(m*a^2 + J)*u2' = -m*a*u1*u2"])
    law = ch.equations(sleigh, form, quasi_velocities=SLEIGH)
    assert law.rows[:2] == formulas(["u' = a*omega^2", "(m*a^2 + J)*omega' = -m*a*u*omega"])
    where = [line.removeprefix("  where ") for line in str(law).splitlines() if "where" in line]
    assert formula("u = x'*cos(phi) + y'*sin(phi)") in where
    latex = law.latex()
    assert r"\dot{u} &= a \omega^{2}" in latex


def test_quasi_of_a_model_is_written_back_and_used_by_every_form_in_quasi_velocities() -> None:
    system = ch.loads(MODEL.format(quasi='u = "x\'*cos(phi) + y\'*sin(phi)"\nomega = "phi\'"'))
    assert system.quasi == formulas(SLEIGH)
    assert ch.loads(system.to_toml()) == system != ch.loads(MODEL.format(quasi=""))
    assert system.with_parameters(m=2).quasi == system.quasi
    for form in ("quasi", "hamel", "gibbs-appell"):
        assert ch.equations(system, form).unknowns == ("u'", "omega'")
    assert ch.compare(system, samples=4).agree
    made = ch.System(
        coordinates=["x", "y", "phi"], lagrangian="m*(x'^2 + y'^2)/2 + J*phi'^2/2",
        constraints=["x'*sin(phi) = y'*cos(phi)"], parameters={"m": 1, "J": 0.5}, quasi=SLEIGH,
    )  # fmt: skip
    assert made == system


@pytest.mark.parametrize(
    ("quasi", "line", "sentence"),
    [
        ('u = "x\'"', 10, "1 quasi-velocity is given, and the system has 2 degrees of freedom"),
        ('u = "x\'^2"\nw = "phi\'"', 11, "the quasi-velocity 'u' is not affine in the velocities"),
        ('u = "x"\nw = "phi\'"', 11, "the quasi-velocity 'u' contains no velocity"),
        ('u = "x\'"\nw = "y\'"', 10, "not independent of each other and of the constraints"),
        ('u = "x\'"\nphi = "phi\'"', 12, "used twice: as coordinate and as quasi-velocity"),
        ('u = "x\'\'"\nw = "phi\'"', 11, "a quasi-velocity may not contain an acceleration"),
        ('u = "x\'*z"\nw = "phi\'"', 11, "unknown name 'z'"),
        ('u = "x\'"\nw = "x\' + phi\'"\nv = "y\'"', 10, "3 quasi-velocities are given"),
        ('u = 3\nw = "phi\'"', 11, "contains no velocity"),
    ],
)
def test_mistakes_in_quasi_have_a_place_and_a_remedy(quasi: str, line: int, sentence: str) -> None:
    with pytest.raises(ModelError) as caught:
        ch.loads(MODEL.format(quasi=quasi))
    assert sentence in caught.value.message
    assert caught.value.place is not None
    assert caught.value.place.line == line
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["x'"], "1 quasi-velocities were given"),
        (["x'", "2*x'"], "not independent"),
        ({"x": "x'", "w": "phi'"}, "used by the model already"),
        (["max(x', 2*x')", "phi'"], "not affine in the velocities"),
        ("phi'", "quasi_velocities is"),
    ],
)
def test_mistakes_in_the_option_are_sentences(given: object, sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        ch.equations(ch.load("knife-edge"), "quasi", quasi_velocities=given)


@pytest.mark.parametrize("seed", range(4))
def test_D5_random_quasi_velocities_on_random_systems_give_the_same_motion(seed: int) -> None:
    rng = random.Random(seed)
    system = random_system(seed, ("linear", "affine"), most=4)
    m, n = len(system.coordinates), system.degrees_of_freedom
    q = system.coordinates
    given = [
        " + ".join(f"({rng.randint(-3, 3)} + sin({rng.choice(q)} + {j})/2)*{q[j]}'" for j in range(m))
        + f" + {rng.randint(-2, 2)}*cos({rng.choice(q)})*t"
        for _ in range(n)
    ]
    reference = ch.equations(system, "gauss")
    laws = [ch.equations(system, f, quasi_velocities=given) for f in ("quasi", "hamel", "gibbs-appell")]
    for point in random_points(system, 2, seed=seed, digits=30):
        expected, _ = reference.evaluate(point, 30)
        for law in laws:
            found, _ = law.evaluate(point, 30)
            assert max(abs(a - b) for a, b in zip(found, expected, strict=True)) < 1e-18, law.form


def test_a_piecewise_affine_constraint_is_not_affine() -> None:
    system = ch.System(
        coordinates=["x", "y", "z"], lagrangian="x'^2 + y'^2 + z'^2", constraints=["max(x', y') = z'"]
    )
    assert "not affine" in ch.forms(system).excluded["quasi"]


def test_D1_affine_constraints_have_an_affine_part() -> None:
    """A blade that is pushed sideways: x' sin φ − y' cos φ = a sin t, regular everywhere."""
    system = ch.System(
        coordinates=["x", "y", "phi"], lagrangian="(x'^2 + y'^2 + phi'^2)/2",
        constraints=["x'*sin(phi) - y'*cos(phi) = a*sin(t)"], parameters={"a": 2},
    )  # fmt: skip
    law = ch.equations(system, "quasi")
    assert list(law.rows)[2:] == formulas(
        [
            "x' = a*sin(phi)*sin(t) + u*cos(phi)",
            "y' = u*sin(phi) - a*cos(phi)*sin(t)",
        ]
    )
    assert law.quasi_frame.regular
    assert ch.compare(system, samples=4).agree


@pytest.mark.parametrize(
    ("constraint", "labels"),
    [
        ("x'^2 + 4*y'^2 = 3 + cos(x)", ("alpha", "z'")),
        ("k^2*z'^2 = x'^2 + y'^2", ("s", "alpha")),
        ("x'^2 + y'^2/(1 + x^2) + 2*z'^2 = 9/4", ("alpha", "beta")),
        ("-x'^2 - y'^2 - z'^2 + 1 = 0", ("alpha", "beta")),
        ("y'^2 = 2*x'^2 + 3*z'^2", ("s", "alpha")),
    ],
)
def test_D5_spheres_and_cones_of_velocities_have_angles(constraint: str, labels: tuple[str, ...]) -> None:
    system = ch.System(
        coordinates=["x", "y", "z"], lagrangian="(x'^2 + y'^2 + z'^2)/2 + x*y' - z*y",
        constraints=[constraint], parameters={"k": 2}, forces={"x": "-x'*z"},
    )  # fmt: skip
    law = ch.equations(system, "quasi")
    assert law.quasi_frame.labels == labels
    assert ch.compare(system, samples=6).agree


@pytest.mark.parametrize(
    "constraint", ["x'^2 - y'^2 = 1", "x*x'^2 + y'^2 = 1", "x'*y' = z'^2", "x'^4 + y'^2 = 1"]
)
def test_what_is_not_seen_to_be_a_sphere_or_a_cone_has_none(constraint: str) -> None:
    system = ch.System(coordinates=["x", "y", "z"], lagrangian="x'^2 + y'^2 + z'^2", constraints=[constraint])
    assert "nor is it seen to be a sphere" in ch.forms(system).excluded["quasi"]


def test_large_systems_have_the_independent_velocities_of_a_chart_at_once() -> None:
    n = 40
    q = [f"q{i}" for i in range(n)]
    system = ch.System(
        coordinates=q, lagrangian=" + ".join(f"{c}'^2" for c in q), constraints=["q0' = sin(q1)*q2'"]
    )
    law = ch.equations(system, "quasi")
    assert law.quasi_frame.origin == "chart"
    assert len(law.unknowns) == n - 1


def test_quasi_velocities_of_a_parameter_that_is_zero_still_determine_the_motion() -> None:
    """R = 0 is no length to divide by: what is called a constant must not vanish."""
    system = ch.System(
        coordinates=["x", "y", "psi", "phi"], lagrangian="(x'^2 + y'^2 + psi'^2 + phi'^2)/2",
        constraints=["x' = R*cos(phi)*psi'", "y' = R*sin(phi)*psi'"], parameters={"R": 0},
    )  # fmt: skip
    a = ch.field(system, "quasi")(0.0, [0.0] * 4, [0.0, 0.0, 1.0, 2.0])
    assert np.allclose(a, 0)
