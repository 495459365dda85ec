"""The inverse problem (K7) and equivalent Lagrangians (K6): planted potentials are found, what fails has a
witness."""

from __future__ import annotations

import random

import pytest

import chetaev as ch
from chetaev.expr.exact import Field
from chetaev.laws.inverse.equivalent import equivalent
from chetaev.laws.inverse.primitive import primitive
from chetaev.model.jet_functions import function_on
from formulas import formula

FUNCTIONS = (
    "k*x*y", "sin(x)*y", "log(1 + x^2)", "k/sqrt(x^2 + y^2 + z^2)", "exp(-z)*x", "t*y^2", "x*z*cos(t)",
    "atan(x/y)", "y^3/(1 + z^2)", "sqrt(1 + y^2)", "cos(x - z)", "x^2*z", "t*sin(z)",
)  # fmt: skip
NAMES = ("x", "y", "z")


def planted(seed: int, spoil: str = "") -> ch.System:
    """Forces −∂V/∂q + d/dt ∂V/∂v of a random V = φ − A·v, as text; `spoil` is added to one of them."""
    rng = random.Random(seed)
    field = Field()
    system = ch.System(coordinates=NAMES, lagrangian="x'^2 + y'^2 + z'^2", parameters={"k": 2})
    pick = [field(function_on(system, f)) for f in rng.sample(FUNCTIONS, 4)]
    V = pick[0] + pick[1] + pick[2] * field.symbol("x", 1) - pick[3] * field.symbol("z", 1)
    forces = {}
    for n in NAMES:
        p = V.diff((n, 1))
        total = p.diff("t") - V.diff(n)
        for c in NAMES:
            total = total + field.symbol(c, 1) * p.diff(c)
        forces[n] = str(total)
    if spoil:
        forces["y"] = f"{forces['y']} + {spoil}"
    return ch.System(coordinates=NAMES, lagrangian="x'^2 + y'^2 + z'^2", forces=forces, parameters={"k": 2})


@pytest.mark.parametrize(
    "seed", [pytest.param(n, marks=[pytest.mark.slow] if n not in (0, 1, 5) else []) for n in range(12)]
)
def test_K7_a_planted_potential_gives_the_force_back(seed: int) -> None:
    system = planted(seed)
    found = ch.helmholtz(system)
    assert found.variational is True
    assert found.defects == ()
    assert found.potential is not None
    free = ch.System(coordinates=NAMES, lagrangian=str(found.lagrangian), parameters={"k": 2})
    # the Euler–Lagrange equations of L − V, derived elsewhere, have the accelerations of the forced system
    point = {"t": 0.3, "x": 0.6, "y": 0.7, "z": 0.5, "x'": 0.2, "y'": -0.6, "z'": 1.3}
    one = ch.equations(system, "euler-lagrange").evaluate(point)[0]
    other = ch.equations(free, "euler-lagrange").evaluate(point)[0]
    assert all(abs(a - b) < 1e-9 for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(
    ("spoil", "row", "name"),
    [
        ("y'^2", "(36)", "∂²Φ[y]/∂y'∂y' = 0"),
        ("-y'", "(38)", "a[y, y] + a[y, y] = 0"),
        ("x'", "(38)", "a[x, y] + a[y, x] = 0"),
        ("x", "(38)", "∂b[x]/∂y − ∂b[y]/∂x + ∂a[y, x]/∂t = 0"),
    ],
)
def test_K7_the_first_failing_condition_has_a_witness(spoil: str, row: str, name: str) -> None:
    found = ch.helmholtz(planted(1, spoil))
    assert found.variational is False
    assert found.potential is None
    assert (found.defects[0].row, found.defects[0].name) == (row, name)
    assert found.defects[0].verdict.proved
    assert found.to_json()["defects"][0]["holds"] is False


def test_K7_a_field_with_sources_fails_the_cyclic_condition() -> None:
    """A magnetic field with divergence: a is skew but not closed."""
    forces = {"x": "z*y'", "y": "-z*x'"}
    found = ch.helmholtz(ch.System(coordinates=NAMES, lagrangian="x'^2 + y'^2 + z'^2", forces=forces))
    assert [c.name for c in found.defects] == ["∂a[x, z]/∂y + ∂a[y, x]/∂z + ∂a[z, y]/∂x = 0"]


def test_K7_of_forms_and_of_accelerations() -> None:
    spring = {"form": {"F": {"x": "-x - y", "y": "-x"}, "Pi": {"x": "x'", "y": "2*y'"}}}
    found = ch.helmholtz(ch.System(coordinates=["x", "y"], dynamics=spring))
    assert found.variational is True
    skew = {"form": {"F": {}, "Pi": {"x": "x' + y'", "y": "y'"}}}
    twisted = ch.helmholtz(ch.System(coordinates=["x", "y"], dynamics=skew))
    assert twisted.variational is False
    assert twisted.defects[0].row == "(35)"
    pendulum = ch.System(coordinates=["x"], dynamics={"accelerations": {"x": "-sin(x)"}})
    assert ch.helmholtz(pendulum).potential == formula("-cos(x)")
    damped = ch.System(coordinates=["x"], dynamics={"accelerations": {"x": "-x - x'/5"}})
    assert ch.helmholtz(damped).variational is False
    with pytest.raises(ch.ModelError, match="no meaning"):
        ch.helmholtz(ch.load("steered-car"))


def test_K7_for_which_parameters() -> None:
    forces = {"x": "a*y", "y": "b*x"}
    system = ch.System(
        coordinates=["x", "y"], lagrangian="x'^2 + y'^2", forces=forces, parameters={"a": 1, "b": 1}
    )
    found = ch.helmholtz(system)
    assert found.variational is True
    assert "for the values given" in found.evidence
    assert ch.helmholtz(system.with_parameters(b=2)).variational is False


def test_K6_equivalent_lagrangians() -> None:
    system = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - k*x", parameters={"k": 1})
    more = "(2*x*y*exp(t) + y/(1 + x^2))*x' + (x^2*exp(t) + atan(x))*y' + x^2*y*exp(t)"
    found = equivalent(system, f"(x'^2 + y'^2)/2 - k*x + {more}")
    assert found.equivalent is True
    assert found.function is not None
    f = Field()(found.function)
    assert f.diff("t") == Field.__call__(f.field, function_on(system, "x^2*y*exp(t)"))
    assert equivalent(system, "(x'^2 + y'^2)/2 - k*x + y*x'").defects[0].name == "∂A[x]/∂y = ∂A[y]/∂x"
    other = ch.System(coordinates=["y", "x"], lagrangian="x'^2 + y'^2")
    with pytest.raises(ch.ModelError, match="same coordinates"):
        equivalent(system, other)


def test_a_primitive_is_proved_or_there_is_none() -> None:
    field = Field()
    x, y = field.symbols("x y")
    assert primitive({("x", 0): field.exp(-(x**2))}) is None  # no elementary function
    assert primitive({("x", 0): y, ("y", 0): -x}) is None  # not closed
    assert primitive({("x", 0): field.zero}) == 0
