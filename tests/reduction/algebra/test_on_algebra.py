"""Systems on Lie algebras: Euler–Poincaré–Suslov equations (M4)."""

from __future__ import annotations

import json

import numpy as np
import pytest

import chetaev as ch
from chetaev.expr.exact.vanishing import zero_tests
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import sub
from chetaev.expr.language.parser import parse
from chetaev.reduction.algebra.structure import NAMED, named
from formulas import any_order, formula, formulas

SLEIGH = {
    "w": {"phi": 1},
    "u": {"x": "cos(phi)", "y": "sin(phi)"},
    "v": {"x": "-sin(phi)", "y": "cos(phi)"},
}
EULER = {  # w1 = psi' sin(theta) sin(phi) + theta' cos(phi), …: the dual frame
    "e1": {"psi": "sin(phi)/sin(theta)", "theta": "cos(phi)", "phi": "-sin(phi)*cos(theta)/sin(theta)"},
    "e2": {"psi": "cos(phi)/sin(theta)", "theta": "-sin(phi)", "phi": "-cos(phi)*cos(theta)/sin(theta)"},
    "e3": {"phi": 1},
}
TURNING = {"g1": "g2*w3 - g3*w2", "g2": "g3*w1 - g1*w3", "g3": "g1*w2 - g2*w1"}
INERTIA = {"I11": 2, "I22": 1.5, "I33": 1, "I13": 0.3, "I23": 0.2}
SUSLOV = {
    "inertia": [["I11", 0, "I13"], [0, "I22", "I23"], ["I13", "I23", "I33"]],
    "constraints": ["w3 = 0"],
    "parameters": INERTIA,
}


def proved(verdicts):
    return all(v.is_zero and v.proved for v in verdicts.values())


@pytest.mark.parametrize("name", NAMED)
def test_L3_named_algebras_obey_jacobi_and_their_matrices_have_the_same_brackets(name):
    algebra = named(name)
    algebra.expect_jacobi()
    E = [np.array(m) for m in algebra.matrices]
    for i in range(len(E)):
        for j in range(i):
            row = algebra.constants.get((j, i), {})
            expected = sum((float(e.value) * E[k] for k, e in row.items()), 0 * E[0])
            assert (E[j] @ E[i] - E[i] @ E[j] == expected).all()


def test_M4_suslovs_problem_on_so3_is_that_of_the_gallery():
    mine = ch.on_algebra("so3", **SUSLOV, initial={"w1": 0.6, "w2": -0.8})
    known = ch.load("suslov")
    computed = ch.on_algebra(known, frame=EULER)
    assert computed.structure.names == ("e1", "e2", "e3")
    assert computed.structure.constants == formulas({(0, 1): {2: "1"}, (0, 2): {1: "-1"}, (1, 2): {0: "1"}})
    assert proved(computed.agreement())
    rates = [str(e).replace("w", "e") for e in mine.rates.values()]
    assert list(computed.rates.values()) == formulas(rates)
    at = np.linspace(0, 4, 9)
    full = ch.simulate(known, until=4, at=at, tolerance=1e-12)
    small = ch.simulate(mine.system, until=4, at=at, tolerance=1e-12)
    w1 = full["psi_dot"] * np.sin(full["theta"]) * np.sin(full["phi"]) + full["theta_dot"] * np.cos(
        full["phi"]
    )
    np.testing.assert_allclose(small["w1"], w1, atol=1e-9)
    back = computed.reconstruct(until=4, at=at, tolerance=1e-12)
    for c in known.coordinates:
        np.testing.assert_allclose(back[c], full[c], atol=1e-9)


def test_M4_the_hamiltonian_side_moves_alike():
    """The same body on so(3)*, by its Lie–Poisson bracket: M = ∂l/∂w."""
    mine = ch.on_algebra("so3", **SUSLOV, initial={"w1": 0.6, "w2": -0.8})
    at = np.linspace(0, 4, 5)
    small = ch.simulate(mine.system, until=4, at=at, tolerance=1e-11)
    other = ch.simulate(ch.load("suslov-poisson"), until=4, at=at, tolerance=1e-11)
    np.testing.assert_allclose(2 * small["w1"], other["M1"], atol=1e-8)


def test_M1_the_sleigh_on_se2_is_that_of_the_gallery():
    mine = ch.on_algebra(
        "se2",
        lagrangian="m/2*(u^2 + (v + a*w)^2) + J/2*w^2",
        constraints=["v = 0"],
        parameters={"m": 1, "J": 0.5, "a": 0.4},
        initial={"w": 0.1, "u": -1, "v": 0},
    )
    known = ch.load("caratheodory-sleigh")
    computed = ch.on_algebra(known, frame=SLEIGH)
    assert proved(computed.agreement())
    assert computed.rates == formulas({n: str(e) for n, e in mine.rates.items()})
    at = np.linspace(0, 10, 11)
    full = ch.simulate(known, until=10, at=at, tolerance=1e-12)
    group = mine.reconstruct(until=10, at=at, tolerance=1e-12)  # from g = 1, where the gallery starts too
    np.testing.assert_allclose(group["g_13"], full["x"], atol=1e-9)
    np.testing.assert_allclose(group["g_23"], full["y"], atol=1e-9)
    np.testing.assert_allclose(group["g_11"], np.cos(full["phi"]), atol=1e-9)


def chaplygin_sphere():
    """On se(3): v = R w × γ, the velocity of the middle in the body, with the vertical γ advected."""
    return ch.on_algebra(
        "se3",
        inertia=["A", "B", "C", "m", "m", "m"],
        constraints=["v1 = R*(w2*g3 - w3*g2)", "v2 = R*(w3*g1 - w1*g3)", "v3 = R*(w1*g2 - w2*g1)"],
        advected=TURNING,
        parameters={"A": 1, "B": 2, "C": 2.5, "m": 3, "R": 0.5},
        initial={"w1": 1, "w2": 0.5, "w3": -0.7, "g1": 0.6, "g2": 0, "g3": 0.8},
    )


def test_M4_the_chaplygin_sphere_on_se3_is_the_rolling_body():
    """The equations of ω and γ by Newton and Euler, proved equal on |γ| = 1."""
    mine = chaplygin_sphere().system
    other = ch.bodies.rolling(
        support="R",
        inertia=["A", "B", "C"],
        mass="m",
        parameters={"A": 1, "B": 2, "C": 2.5, "m": 3, "R": 0.5},
    ).reduced
    sphere = parse("g1^2 + g2^2 + g3^2 - 1", mine.scope)
    theirs = {str(e.lhs): e.rhs for e in other.velocity_constraints}
    defects = [sub(e.rhs, theirs[str(e.lhs)]) for e in mine.velocity_constraints]
    for verdict in zero_tests(defects, [sphere], effort=20_000_000):
        assert verdict.is_zero
    motion = ch.simulate(mine, until=5, tolerance=1e-11)
    g = np.array([motion[f"g{i}"] for i in (1, 2, 3)])
    w = np.array([motion[f"w{i}"] for i in (1, 2, 3)])
    K = np.array([1, 2, 2.5])[:, None] * w + 3 * 0.25 * (w - g * (g * w).sum(0))
    np.testing.assert_allclose((K * K).sum(0), (K * K).sum(0)[0], atol=1e-8)  # |K|² is an integral
    np.testing.assert_allclose((K * g).sum(0), (K * g).sum(0)[0], atol=1e-8)  # and K·γ


@pytest.mark.slow
def test_M4_a_heavy_top_has_its_torque_from_the_advected_vertical():
    top = ch.on_algebra(
        "so3",
        lagrangian="(A*w1^2 + A*w2^2 + C*w3^2)/2 - k*g3",
        advected=TURNING,
        parameters={"A": 2, "C": 1, "k": 3},
    )
    assert {n: e for n, e in top.rates.items() if n[0] == "w"} == formulas(
        {
            "w1": "(A*w2*w3 - C*w2*w3 + k*g2)/A",
            "w2": "(C*w1*w3 - A*w1*w3 - k*g1)/A",
            "w3": "0",
        }
    )
    assert [law.expression for law in ch.integrals(top.system)] == any_order(
        "w3",
        "w1^2*A + w2^2*A + 2*g3*k",
        "w1*g1*A + w2*g2*A + w3*g3*C",
        "g1^2 + g2^2 + g3^2",
        factor=True,
    )


def test_M4_results_are_models_like_others():
    mine = ch.on_algebra("heisenberg", inertia=[1, 1, 1], constraints=["c = 0"], initial={"a": 1, "b": 2})
    assert mine.system.coordinates == ("a", "b")
    assert list(mine.rates.values()) == formulas(["0", "0"])
    back = mine.reconstruct(until=1, at=[0, 1])
    assert abs(float(back["g_13"][-1]) - 1.0) < 1e-6  # ∫ x dy for x = t, y = 2 t
    assert ch.linearize(mine.system, at={"a": 0, "b": 0}).A is not None
    assert json.loads(json.dumps(mine.to_json()))["constraints"] == formulas(["c = 0"])
    assert "<table>" in mine._repr_html_()


def test_L3_an_element_may_occur_in_brackets_alone():
    found = ch.on_algebra({"a, b": "c"}, inertia=[1, 1, 1])
    assert found.structure.names == ("a", "b", "c")
    assert list(found.rates.values()) == formulas(["-b*c", "a*c", "0"])


def test_L3_structure_constants_may_contain_parameters():
    found = ch.on_algebra({"a, b": "k*c", "b, c": "a", "c, a": "b"}, inertia=[1, 2, 3], parameters={"k": 2})
    assert found.structure.constants == formulas({(0, 1): {2: "k"}, (0, 2): {1: "-1"}, (1, 2): {0: "1"}})
    assert found.rates["c"] == formula("-a*b/3")


@pytest.mark.parametrize(
    ("structure", "options", "words"),
    [
        ({"a, b": "b", "b, c": "a", "a, c": "c"}, {}, "Jacobi's identity fails for a, b, c: the cyclic sum"),
        ({"a, b": "a*b"}, {}, "is not linear"),
        ({"a, b": "a + 1"}, {}, "which is no element of the algebra"),
        ({"a, a": "b", "a, b": 0}, {}, "is not 0"),
        ({"a, b": "a", "b, a": "a"}, {}, "given twice"),
        ({"a": "b"}, {}, "a bracket is called 'a'"),
        ({"a, b": "q"}, {}, "the inertia is"),  # q is a third element
        ({"a, b": "q"}, {"names": ["a", "b"]}, "unknown name 'q'"),
        ("so4", {}, "no algebra is called 'so4'"),
        (3, {}, "the algebra is 3"),
        ("so3", {"lagrangian": "w1^2"}, "both inertia and lagrangian"),
        ("so3", {"inertia": None}, "no Lagrangian"),
        ("so3", {"inertia": [1, 2]}, "the inertia is"),
        ("so3", {"inertia": [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}, "not symmetric"),
        ("so3", {"inertia": [1, 0, 0]}, "the inertia is singular"),
        ("so3", {"constraints": ["w1*w2 = 0"]}, "not linear and homogeneous"),
        ("so3", {"constraints": ["w1 = 1"]}, "not linear and homogeneous"),
        ("so3", {"advected": {"g": "w1"}}, "do not fit the algebra"),
        ("so3", {"forces": {"q": "1"}}, "a force along 'q'"),
        ("so3", {"names": ["a"]}, "has dimension 3, 1 names are given"),
        ("so3", {"constraints": ["w3 = 0"], "initial": {"w1": 1, "w2": 0, "w3": 2}}, "constraints make it 0"),
        ("so3", {"frame": {}}, "a frame is given, but no system"),
    ],
)  # fmt: skip
def test_M4_mistakes_are_sentences(structure, options, words):
    n = (
        3
        if isinstance(structure, str) or structure == 3
        else len({x for k in structure for x in k.split(", ")})
    )
    with pytest.raises(ch.ModelError, match=words):
        ch.on_algebra(structure, **({"inertia": [1] * n} | options))


@pytest.mark.parametrize(
    ("name", "frame", "words"),
    [
        ("caratheodory-sleigh", {"e": {"x": 1}}, "the frame is"),
        ("caratheodory-sleigh", {"e": {"x": 1}, "f": {"x": 2}, "g": {"phi": 1}}, "dependent"),
        ("caratheodory-sleigh", {"m": {"x": 1}, "f": {"y": 2}, "g": {"phi": 1}}, "a name of its own"),
        ("caratheodory-sleigh", {"e": {"x": 1}, "f": {"y": 1}, "g": {"phi": 1}}, "depends on phi"),
        (
            "caratheodory-sleigh",
            {"e": {"x": "1 + x^2"}, "f": {"y": "1 + x"}, "g": {"phi": 1}},
            "depends on x",
        ),
        ("pendulum-cartesian", {"e": {"x": 1}, "f": {"y": 1}}, "constraints on velocities only"),
    ],
)
def test_M4_a_frame_that_does_not_fit_is_a_sentence(name, frame, words):
    with pytest.raises(ch.ModelError, match=words):
        ch.on_algebra(ch.load(name), frame=frame)


def test_M4_veselovas_problem_says_where_its_constraint_cannot_be_solved():
    """ω·γ = 0 gives ω₃ where γ₃ is not zero; there Euler's equations with a multiplier hold."""
    found = ch.on_algebra(
        "so3",
        inertia=["A", "B", "C"],
        constraints=["w1*g1 + w2*g2 + w3*g3 = 0"],
        advected={"g1": "g2*w3 - g3*w2", "g2": "g3*w1 - g1*w3", "g3": "g1*w2 - g2*w1"},
        parameters={"A": 1, "B": 2, "C": 2.5},
        initial={"w1": 0.6, "w2": 0.3, "g1": 0.6, "g2": 0, "g3": 0.8},
    )
    assert list(found.poles) == formulas(["g3"], factor=True)
    assert f"not defined where {found.poles[0]} = 0" in str(found)
    inertia, rng = np.diag([1, 2, 2.5]), np.random.default_rng(4)
    for _ in range(4):
        w, g = rng.uniform(-1, 1, 3), rng.uniform(0.3, 1, 3)
        w[2] = -(w[0] * g[0] + w[1] * g[1]) / g[2]
        matrix = np.block([[inertia, -g[:, None]], [g[None], np.zeros((1, 1))]])
        expected = np.linalg.solve(matrix, [*-np.cross(w, inertia @ w), -np.cross(g, w) @ w])[:2]
        values = dict(found.system.parameter_values) | {("w1", 0): w[0], ("w2", 0): w[1]}
        values |= {(f"g{i + 1}", 0): x for i, x in enumerate(g)}
        rates = evaluate([found.rates["w1"], found.rates["w2"]], values)
        np.testing.assert_allclose([float(x) for x in rates], expected, rtol=1e-10)
