"""Legendre's transformation with and without constraints (SCOPE K9, K24)."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.expr.exact.vanishing import zero_test
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import add, symbol
from formulas import formula, formulas
from portions import some

AFFINE = [
    "knife-edge",
    "caratheodory-sleigh",
    "heisenberg",
    "ball-on-rotating-table",
    "pendulum-moving-support",
]


@pytest.mark.parametrize("name", AFFINE)
def test_K24_canonical_equations_are_the_motion(name: str) -> None:
    """q'(t, q, P) gives back the velocities, and Ṗ the rates along accelerations of Chetaev's equations."""
    system = ch.load(name)
    found = ch.hamilton(system)
    assert found.exists is True
    assert found.regular is True
    field = ch.field(system, "chetaev")
    names = list(system.coordinates)
    for state in system.random_states(3, seed=5):
        t, q, v = state.get(system.time, 0.0), [state[c] for c in names], [state[f"{c}_dot"] for c in names]
        a = field(t, q, v)

        def point(t: float, q: list[float], v: list[float]) -> dict[object, float]:
            values = {**system.parameter_values, system.time: t, **dict(zip(names, q, strict=True))}
            return values | {(c, 1): x for c, x in zip(names, v, strict=True)}

        momenta = list(found.momenta.values())
        here = point(t, q, v)
        P = dict(zip(found.names, map(float, evaluate(momenta, here)), strict=True))
        speeds = evaluate([found.equations[c] for c in names], here | P)
        assert [float(x) for x in speeds] == pytest.approx(v, rel=1e-9, abs=1e-9)
        h = 1e-5
        ahead, back = (
            evaluate(
                momenta,
                point(
                    t + s,
                    [x + s * y + s * s / 2 * z for x, y, z in zip(q, v, a, strict=True)],
                    [x + s * y for x, y in zip(v, a, strict=True)],
                ),
            )
            for s in (h, -h)
        )
        differences = [(float(x) - float(y)) / (2 * h) for x, y in zip(ahead, back, strict=True)]
        rates = evaluate([found.equations[n] for n in found.names], here | P)
        assert [float(x) for x in rates] == pytest.approx(differences, rel=1e-6, abs=1e-6)


def test_K24_condition_89_fails_with_a_witness() -> None:
    found = ch.hamilton(ch.load("leibniz-particle"))
    assert found.exists is False
    assert found.condition.witness
    with pytest.raises(ch.ModelError, match=r"\(89\)"):
        _ = found.momenta


def test_K24_a_nonlinear_constraint_with_momenta() -> None:
    """One free velocity: (89) says nothing, and P follows by integration (91)."""
    system = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", constraints=["y' = x'^2/2"])
    found = ch.hamilton(system)
    assert found.exists is True
    # L̄ = x'²/2 + x'⁴/8, −B̄ = L̄'' − y'·g'' = 1 + 3x'²/2 − x'²/2
    value = evaluate([found.momenta["P_x"]], {("x", 1): 0.6, ("y", 1): 0.18})[0]
    assert float(value) == pytest.approx(0.6 + 0.6**3 / 3)


def test_K9_both_regularity_conditions() -> None:
    second = ch.hamilton(ch.System(coordinates=["x", "y"], lagrangian="x'^2/2 + x'*y' - x"))
    assert second.regular is True
    affine = ch.hamilton(ch.System(coordinates=["x", "y"], lagrangian="x*y' - y*x' - x^2"))
    assert affine.regular is True
    neither = ch.hamilton(ch.System(coordinates=["x", "y"], lagrangian="(x' + y')^2/2"))
    assert neither.regular is False
    with pytest.raises(ch.ModelError, match=r"ch\.dirac"):
        _ = neither.hamiltonian


@pytest.mark.parametrize(
    ("lagrangian", "parameters"),
    [("(x'^2 + k*y'^2)/2 - x*y", {"k": 0}), ("a*(x'^2 + y'^2)/2 + b*x'*y' - x*y", {"a": 2, "b": "a"})],
)
def test_K9_regular_is_asked_of_the_values_that_the_parameters_have(
    lagrangian: str, parameters: dict[str, float | str]
) -> None:
    dynamics = {"lagrangian": lagrangian, "degenerate": True}
    system = ch.System(coordinates=["x", "y"], dynamics=dynamics, parameters=parameters)
    assert ch.hamilton(system).regular is False
    assert ch.dirac(system).outcome != "regular"
    other = system.with_parameters(**{name: 5 + i for i, name in enumerate(parameters)})
    assert ch.hamilton(other).regular is True


def test_K9_kepler() -> None:
    kepler = ch.hamilton(
        ch.System(
            coordinates=["r", "th"], lagrangian="m*(r'^2 + r^2*th'^2)/2 + k/r", parameters={"m": 1, "k": 2}
        )
    )
    assert kepler.hamiltonian == formula("p_r^2/(2*m) + p_th^2/(2*m*r^2) - k/r")
    assert kepler.equations["p_th"] == formula("0")


def test_K24_bad_input() -> None:
    for wrong in ("disc", None):
        with pytest.raises(ch.ModelError, match=r"ch\.hamilton"):
            ch.hamilton(wrong)
    mixed = ch.System(coordinates=["x"], dynamics={"accelerations": {"x": "-x"}})
    with pytest.raises(ch.ModelError, match="no Lagrangian"):
        ch.hamilton(mixed)


# -- the energy 1-form -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "exact"),
    [
        ("semiholonomic-disc", True),
        ("vertical-rolling-disc", True),  # not semiholonomic, but its reactions do not feel the curvature
        ("knife-edge", False),
        ("heisenberg", False),
        ("charged-particle-magnetic", True),
    ],
)
def test_K24_energy_form_is_minus_dH_for_semiholonomic_constraints_96(name: str, exact: bool) -> None:
    found = ch.hamilton(ch.load(name))
    assert found.energy_form.exact is exact
    if not exact:
        assert found.energy_form.exactness.witness


def test_K24_components_of_the_energy_form_are_the_canonical_equations_93() -> None:
    found = ch.hamilton(ch.load("damped-sleigh"))
    eta, law = found.energy_form, found.equations
    for c, name in zip(found.independent, found.names, strict=True):
        assert zero_test(add(eta.by_momentum[name], law[c])).is_zero
    # applied forces are no part of η
    assert not zero_test(add(law[found.names[0]], -1 * eta.by_position[found.independent[0]])).is_zero


def test_K24_energy_form_under_a_nonlinear_constraint_is_given_in_velocities() -> None:
    system = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - y", constraints=["y' = x'^2/2"])
    eta = ch.hamilton(system).energy_form
    assert (eta.in_momenta, eta.by_momentum["P_x"]) == formulas((False, "-x'"))
    # reduced equation: (1 + x'^2) x'' = -x' (force -1 in y times ∂g/∂x' = x'), and Ṗ = (1 + x'²) x''
    assert eta.by_position["x"] == formula("-x'")
    assert "dP_x" in str(eta)
    assert r"\eta" in eta.latex()


# -- condition (89) for the papers' own examples ---------------------------------------------------------
FAILS = [
    "appell-hamel", "central-force-constant-speed", "decelerated-particle", "leibniz-particle",
    "relativistic-particle", "relativistic-particle-homogeneous", "implicit-constraint",
]  # fmt: skip
HOLDS = ["rolling-disc", "suslov", "ball-on-rotating-table", "knife-edge", "caratheodory-sleigh"]


@pytest.mark.parametrize("name", some(FAILS, every=3))
def test_K24_condition_89_fails_for_these_examples_in_every_chart(name: str) -> None:
    """Krupková's, Swaczyna's, Bates and Nester's: no momenta, whichever velocity is called dependent."""
    system = ch.load(name)
    for c in system.coordinates:
        found = ch.hamilton(system, dependent=[c])
        assert found.exists is False
        assert found.condition.proved
        assert found.condition.witness


@pytest.mark.parametrize("name", HOLDS)
def test_K24_condition_89_holds_by_itself_for_affine_examples(name: str) -> None:
    found = ch.hamilton(ch.load(name))
    assert found.exists is True
    assert "affine" in found.condition.method


def test_K24_one_free_velocity_satisfies_89_trivially() -> None:
    found = ch.hamilton(ch.load("brachistochrone-constrained"))
    assert (found.exists, "one velocity" in found.condition.method) == (True, True)


def test_K24_another_chart_has_other_momenta_and_the_same_motion() -> None:
    system = ch.load("knife-edge")
    one, other = ch.hamilton(system, dependent=["y"]), ch.hamilton(system, dependent=["x"])
    state = system.random_states(1, seed=4)[0]
    q, v = [state[c] for c in ["x", "y", "phi"]], [state[f"{c}_dot"] for c in ["x", "y", "phi"]]
    here = {**system.parameter_values, "x": q[0], "y": q[1], "phi": q[2]}
    speeds = []
    for found in (one, other):
        P = found.to_momenta(0, q, v)
        speeds.append([float(x) for x in evaluate([found.equations[c] for c in ["x", "y", "phi"]], here | P)])
    assert speeds[0] == pytest.approx(v, rel=1e-12)
    assert speeds[1] == pytest.approx(v, rel=1e-12)
    for wrong, words in ((["q"], "no coordinate"), (["phi"], "cannot be solved"), ("x", "names")):
        with pytest.raises(ch.ModelError, match=words):
            ch.hamilton(system, dependent=wrong)


# -- both directions in numbers --------------------------------------------------------------------------
QUARTIC = ch.System(
    coordinates=["x", "y"], lagrangian="x'^4/4 - x'^2/2 + y'^2/2", constraints=["y' = x*x' + 1"]
)


def test_K24_velocities_from_momenta_are_certified() -> None:
    found = ch.hamilton(QUARTIC)
    back = found.to_velocities(0, [1, 2], [0.5])
    assert back.certified
    assert back.radius < 1e-17
    assert found.to_momenta(0, [1, 2], dict(back))["P_x"] == pytest.approx(0.5, abs=1e-15)
    assert back.to_json()["certified"] is True
    curved = ch.System(
        coordinates=["x", "y"], lagrangian="exp(x'^2/2)*(2 + sin(y))/3 + cosh(y') + x'*y'/9 + x'^4"
    )
    forth = ch.hamilton(curved).to_momenta(0, {"x": 0.2, "y": 0.7}, [0.3, -1.1])
    assert ch.hamilton(curved).to_velocities(0, [0.2, 0.7], forth) == pytest.approx({"x": 0.3, "y": -1.1})


def test_K24_several_velocities_or_none_are_sentences() -> None:
    found = ch.hamilton(QUARTIC)
    with pytest.raises(ch.ModelError, match=r"several velocities have P_x = 0\.1") as error:
        found.to_velocities(0, [0, 2], [0.1])
    assert str(error.value).count("x' =") == 3
    assert found.to_velocities(0, [0, 2], [0.1], near=[1, 1])["x"] == pytest.approx(1.0466805318)
    bounded = ch.hamilton(ch.System(coordinates=["x"], lagrangian="log(cosh(x'))"))  # |p| < 1
    with pytest.raises(ch.ModelError, match="came no nearer than"):
        bounded.to_velocities(0, [0], [1.5])
    assert bounded.to_velocities(0, [0], [0.5])["x"] == pytest.approx(0.5493061443340549)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, [0, 2], ["a"]), "momenta of P_x is 'a'"),
        ((0, [0, 2], {"P_q": 1}), "P_q"),
        ((0, [0, 2], {}), "not given for P_x"),
        ((0, [0], [1]), "positions are"),
        ((0, "ab", [1]), "positions are"),
        (("noon", [0, 2], [1]), "the time is"),
        ((0, [0, 2], [float("nan")]), "momenta of P_x is nan"),
        ((0, [0, 2], None), "momenta are None"),
        ((True, [0, 2], [1]), "the time is True"),
    ],
)
def test_K24_hostile_numbers(arguments: tuple[object, ...], words: str) -> None:
    with pytest.raises(ch.ModelError) as error:
        ch.hamilton(QUARTIC).to_velocities(*arguments)
    assert words in str(error.value)


def test_K24_a_state_off_the_constraint_has_no_momenta() -> None:
    with pytest.raises(ch.ModelError, match="do not satisfy constraint 1"):
        ch.hamilton(QUARTIC).to_momenta(0, [0, 2], [1, 2])


# -- Lagrangians affine in the velocities ----------------------------------------------------------------
def test_K9_first_order_lagrangians() -> None:
    """L = p_i(q) v^i − H: two vortices, with time and a force, against Euler–Lagrange's equations by hand."""
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="(1 + x^2)*y' - t*y*x' - x*y^2",
        forces={"x": "y/3"},
    )
    found = ch.hamilton(system)
    assert (found.first_order, found.regular, found.hamiltonian) == formulas((True, True, "x*y^2"))
    # x: d/dt(−t y) − 2x y' + y² = y/3;  y: d/dt(1 + x²) + t x' + 2 x y = 0
    law = found.equations
    x, y, t = symbol("x"), symbol("y"), symbol("t")
    first = -1 * y - t * law["y"] - 2 * x * law["y"] + y**2 - y / 3
    second = 2 * x * law["x"] + t * law["x"] + 2 * x * y
    assert zero_test(first).is_zero
    assert zero_test(second).is_zero
    with pytest.raises(ch.ModelError, match="functions of positions alone"):
        found.to_velocities(0, [1, 1], [1, 1])
    with pytest.raises(ch.ModelError, match="no energy 1-form"):
        _ = found.energy_form
    singular = ch.hamilton(ch.System(coordinates=["x", "y", "z"], lagrangian="x*y' - z*x' - x*z + z*z'"))
    assert (singular.first_order, singular.regular) == (True, False)  # odd dimension


def test_K24_latex_reads_like_the_papers() -> None:
    formula = ch.hamilton(ch.load("knife-edge")).latex()
    assert r"P_{\phi} = \frac{\partial \bar L}{\partial \dot{\phi}} &= J \dot{\phi}" in formula
    assert r"\frac{d P_{\phi}}{dt} &= 0" in formula
    assert r"\neq" in ch.hamilton(ch.load("leibniz-particle")).latex()


def test_momenta_with_the_sign_of_a_velocity_have_no_closed_inverse_here() -> None:
    """p = x' + y sign(x') has slope 1, and x' = p is wrong."""
    system = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 + y*abs(x')")
    with pytest.raises(ch.ModelError, match="not affine in them"):
        _ = ch.hamilton(system).hamiltonian
