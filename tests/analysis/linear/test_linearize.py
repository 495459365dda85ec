"""`ch.linearize`: dim Q eigenvalues, exact and compiled numbers, steady motions, ports (M3, M6)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import expm

import chetaev as ch
from chetaev.analysis.linear.linearization import eigenspace
from chetaev.analysis.linear.local_chart import tangent
from chetaev.analysis.linear.residual import Residual
from chetaev.analysis.linear.state_matrices import Asked, matrices_at
from formulas import formulas

NAMES = [
    "acceleration-constraint", "appell-hamel", "ball-on-rotating-table", "bead-on-rotating-hoop",
    "contact-oscillator", "decelerated-particle", "implicit-constraint", "pendulum-cartesian",
    "pendulum-moving-support", "relativistic-particle", "rolling-disc", "sleigh-on-q",
]  # fmt: skip


def in_doubles(system: ch.System) -> np.ndarray:
    state = system.state
    q, v = (np.array([x[c] for c in system.coordinates]) for x in (state.position, state.velocity))
    return matrices_at(system, Residual(system), Asked((), (), (), ()), state.t, q, v).A


@pytest.mark.few(4)
@pytest.mark.parametrize("name", NAMES)
def test_exact_and_compiled_matrices_agree_and_have_dim_Q_rows(name: str) -> None:
    system = ch.load(name)
    found = ch.linearize(system)
    held = len(system.position_constraints)
    moved = held + len(system.velocity_constraints)
    assert len(found.eigenvalues) == len(found.states) == 2 * len(system.coordinates) - held - moved
    assert found.exact is not None
    np.testing.assert_allclose(found.A.values, in_doubles(system), rtol=1e-9, atol=1e-9)


PENDULUM = {"x": 0, "y": "-l", "x'": 0}


def test_a_pendulum_in_cartesian_coordinates_has_two_eigenvalues() -> None:
    found = ch.linearize(ch.load("pendulum-cartesian"), at=PENDULUM)
    assert found.kind == "equilibrium"
    assert found.states == ("x", "x_dot")
    assert [list(row) for row in found.exact] == formulas([["0", "1"], ["-g/l", "0"]])
    assert list(found.characteristic) == formulas(["s^2 + g/l"])
    np.testing.assert_allclose(found.eigenvalues, [1j * math.sqrt(9.8), -1j * math.sqrt(9.8)])
    assert found.spectrum.verdict is None  # on the axis: linear theory does not decide


def test_the_top_of_a_pendulum_is_unstable_and_pi_is_meant_exactly() -> None:
    system = ch.System(
        coordinates=["a"], lagrangian="a'^2/2 + k*cos(a)", parameters={"k": 4}, initial={"a": 0, "a'": 0}
    )
    found = ch.linearize(system, at={"a": math.pi})
    assert found.kind == "equilibrium"
    assert [list(row) for row in found.exact][1] == formulas(["k", "0"])
    assert found.eigenvalues.tolist() == [2, -2]
    assert found.spectrum.verdict is False


@pytest.mark.slow
def test_the_flow_of_A_is_what_the_compiled_tangent_flow_gives() -> None:
    """Two derivations without common code: exp(A t) and the variational equation of the compiled motion."""
    for name, at, cyclic in (
        ("pendulum-cartesian", PENDULUM, ()),
        (
            "ziegler-pendulum",
            {c + d: 0 for c in ch.load("ziegler-pendulum").coordinates for d in ("", "_dot")},
            (),
        ),
        ("rolling-disc", {"theta": 0, "psi'": 3}, ("x", "y", "psi", "phi")),
    ):
        system = ch.load(name).with_initial(at) if at else ch.load(name)
        found = ch.linearize(system, relative_to=cyclic)
        flow = ch.sensitivities(system, until=0.7, tolerance=1e-11).by_initial
        residual = Residual(system)
        state = system.state
        q, v = (np.array([x[c] for c in system.coordinates]) for x in (state.position, state.velocity))
        slopes = residual.at(state.t, q, v, residual.model.default_values)
        matrices = matrices_at(system, residual, Asked(tuple(cyclic), (), (), ()), state.t, q, v)
        E = tangent(matrices.chart, slopes.held, slopes.held_by_time)[0][:, matrices.kept]
        moved = flow.sel(final=list(found.states)).values @ E
        np.testing.assert_allclose(moved, expm(0.7 * found.A.values), rtol=1e-7, atol=1e-7)


DISC = ch.load("rolling-disc")


def test_straight_rolling_of_the_disc_M3_is_stable_above_the_known_speed() -> None:
    """v² > g R/3 for a homogeneous disc (Neimark and Fufaev)."""
    free = ("x", "y", "psi", "phi")
    limit = math.sqrt(9.8 * 0.5 / 3) / 0.5
    for speed, real in ((0.99 * limit, True), (1.01 * limit, False)):
        found = ch.linearize(DISC, at={"theta": 0, "psi'": speed}, relative_to=free)
        assert found.kind == "relative equilibrium"
        assert found.states == ("theta", "psi_dot", "phi_dot", "theta_dot")
        assert bool(found.eigenvalues.real.max() > 1e-6) is real
        assert np.count_nonzero(found.eigenvalues == 0) == 2


def test_the_chart_is_looked_for_in_which_cyclic_coordinates_decouple() -> None:
    """With R = 2 the largest pivot would be that of psi', in which phi is not cyclic."""
    found = ch.linearize(
        DISC.with_parameters(R=2), at={"theta": 0, "psi'": 3}, relative_to=("psi", "phi", "x", "y")
    )
    assert found.states == ("theta", "psi_dot", "phi_dot", "theta_dot")


@pytest.mark.slow
def test_a_state_that_is_no_equilibrium_is_called_so() -> None:
    found = ch.linearize(DISC)
    assert found.kind == "no equilibrium"
    assert "no equilibrium" in found.notes[0]
    assert float(found.drift.sel(state="psi")) == 3
    leaning = ch.linearize(DISC, at={"theta": 0.2, "psi'": 0}, relative_to=("x", "y", "psi", "phi"))
    assert leaning.kind == "no equilibrium"
    assert float(leaning.drift.sel(state="theta_dot")) != 0


def test_redundant_constraints_bring_no_eigenvalues() -> None:
    base = {
        "coordinates": ["x", "y", "z"],
        "lagrangian": "(x'^2 + y'^2 + z'^2)/2 - k*(x^2 + y^2 + z^2)/2 + b*x*y",
        "parameters": {"k": 3, "b": 1},
        "initial": {"x": 0, "y": 0, "z": 0, "x'": 0, "y'": 0},
    }
    one = ch.linearize(ch.System(constraints=["z' = x'*exp(x)"], **base))
    two = ch.linearize(ch.System(constraints=["z' = x'*exp(x)", "2*z' = 2*x'*exp(x)"], **base))
    assert one.states == two.states
    assert len(one.states) == 5
    np.testing.assert_allclose(one.eigenvalues, two.eigenvalues)
    assert np.count_nonzero(one.eigenvalues == 0) == 1  # the way z - exp(x) is kept


@pytest.mark.slow
def test_inputs_and_outputs_are_labelled() -> None:
    cart = ch.System(
        coordinates=["x", "a"],
        lagrangian="M*x'^2/2 + m*(x'^2 + 2*l*x'*a'*cos(a) + l^2*a'^2)/2 - m*g*l*cos(a)",
        forces={"x": "u - c*x'"},
        parameters={"M": 2, "m": 1, "l": 1, "g": 10, "c": 0.5, "u": 0},
        initial={"x": 0, "a": 0, "x'": 0, "a'": 0},
    )
    found = ch.linearize(cart, inputs=["u", "a"], outputs=["x + l*sin(a)", "x'*u"])
    assert found.inputs == ("u", "a")
    assert found.outputs == ("x + l*sin(a)", "x'*u")
    np.testing.assert_allclose(found.B.sel(input="u"), [0, 0, 0.5, -0.5])
    np.testing.assert_allclose(found.B.sel(input="a"), [0, 0, -0.5, 1.5])
    np.testing.assert_allclose(found.C.values, [[1, 1, 0, 0], [0, 0, 0, 0]])
    np.testing.assert_allclose(found.A.sel(state="a_dot", by="a"), 15)
    assert found.to_scipy().A.shape == (4, 4)
    assert found.to_json()["states"] == ["x", "a", "x_dot", "a_dot"]
    vectors = found.eigenvectors
    for value, vector in zip(found.eigenvalues, vectors.T.values, strict=True):
        np.testing.assert_allclose(found.A.values @ vector, value * vector, atol=1e-9)
    assert "eigenvalues" in found._repr_html_()
    assert "det(s - A)" in str(found)


def test_derived_parameters_follow_an_input() -> None:
    system = ch.System(
        coordinates=["x"], lagrangian="x'^2/2", forces={"x": "w*x + w"}, parameters={"u": 1, "w": "2*u"}
    )
    found = ch.linearize(system, at={"x": 0, "x'": 0}, inputs=["u"])
    assert found.B.values.tolist() == [[0], [2]]


def test_along_a_motion_A_is_the_jacobian_at_each_time() -> None:
    motion = ch.simulate(DISC, until=1.0, at=[0.0, 0.5, 1.0])
    found = ch.linearize(DISC, along=motion, outputs=["theta"])
    assert found.A.dims == ("time", "state", "by")
    assert found.sizes["state"] == 8
    names = [*DISC.coordinates, *(c + "_dot" for c in DISC.coordinates)]
    there = {n: float(motion[n].sel(time=0.5)) for n in names}
    state = ch.linearize(DISC, at=there, outputs=["theta"])
    assert list(found.state.values) == list(state.states)
    np.testing.assert_allclose(found.A.sel(time=0.5), state.A, rtol=1e-6, atol=1e-6)


def test_large_systems_take_the_compiled_path() -> None:
    n = 12
    springs = " - ".join(["0"] + [f"(x{i + 1} - x{i})^2/2" for i in range(n - 1)])
    chain = ch.System(
        coordinates=[f"x{i}" for i in range(n)],
        lagrangian=" + ".join(f"x{i}'^2/2" for i in range(n)) + f" + ({springs})",
        initial={f"x{i}{d}": 0 for i in range(n) for d in ("", "'")},
    )
    found = ch.linearize(chain)
    assert found.exact is None
    assert "doubles" in found.evidence
    expected = sorted(2 * math.sin(math.pi * k / (2 * n)) for k in range(n))
    np.testing.assert_allclose(sorted(abs(found.eigenvalues.imag))[::2], expected, atol=1e-6)


def test_rest_that_lasts_for_a_moment_only_is_no_equilibrium() -> None:
    assert ch.linearize(ch.load("snakeboard")).kind == "no equilibrium"
    swing = ch.System(coordinates=["a"], lagrangian="a'^2/2 + (9 + cos(t))*cos(a)", initial={"a": 0, "a'": 0})
    assert ch.linearize(swing).kind == "equilibrium"


def test_time_in_the_law_is_told() -> None:
    found = ch.linearize(ch.load("pendulum-moving-support"))
    assert not found.autonomous
    assert any("depend on t" in n for n in found.notes)


BAD = [
    ({"at": {"x": 0, "y": "-2*l"}}, "misses the constraint"),
    ({"at": 3}, "the state is 3"),
    ({"at": {"z": 0}}, "'z'"),
    ({"relative_to": ["z"]}, "no coordinate"),
    ({"relative_to": ["x"]}, "not cyclic"),
    ({"relative_to": 5}, "relative_to is 5"),
    ({"inputs": ["l"]}, "stands in a constraint"),
    ({"inputs": ["nothing"]}, "no parameter and no coordinate"),
    ({"inputs": ["g", "g"]}, "twice"),
    ({"outputs": ["q + 1"]}, "unknown name 'q'"),
    ({"outputs": 7}, "outputs is 7"),
    ({"along": "motion"}, "the motion is 'motion'"),
    ({"along": {}, "at": {}}, "not both"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD)
def test_mistakes_are_answered_by_a_sentence(arguments: dict, words: str) -> None:
    with pytest.raises(ch.ModelError, match=".*" + words.replace("+", r"\+")):
        ch.linearize(ch.load("pendulum-cartesian"), **arguments)


def test_a_kink_a_singular_state_and_missing_ports_are_told() -> None:
    dry = ch.System(
        coordinates=["x"], lagrangian="x'^2/2 - x^2/2", forces={"x": "-sign(x')"},
        initial={"x": 0, "x'": 0},
    )  # fmt: skip
    with pytest.raises(ch.ModelError, match="kink"):
        ch.linearize(dry)
    assert ch.linearize(dry, at={"x'": 1}).kind == "no equilibrium"
    cone = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="x'^2 + y'^2 + z'^2",
        constraints=["x'^2 + y'^2 = z'^2"],
        initial={"x'": 3, "y'": 4, "z'": 5},
    )
    with pytest.raises(ch.ModelError, match=r"singular|rank"):
        ch.linearize(cone, at={"x'": 0, "y'": 0, "z'": 0})
    with pytest.raises(ch.ModelError, match="at least one input"):
        ch.linearize(cone).to_scipy()
    with pytest.raises(ch.ModelError, match="no initial data"):
        ch.linearize(ch.System(coordinates=["x"], lagrangian="x'^2"))


def test_eigenvectors_of_multiple_eigenvalues_are_a_basis_that_no_machine_turns() -> None:
    """Two equal oscillators, turned: the eigenspaces have two dimensions, and any basis would do."""
    both = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - (x^2 + y^2)/2 - 2*z^2",
    )
    found = ch.linearize(both, at=dict.fromkeys(["x", "y", "z", "x'", "y'", "z'"], 0))
    vectors = found.eigenvectors.values
    np.testing.assert_allclose(found.A.values @ vectors, vectors * found.eigenvalues, atol=1e-12)
    assert np.linalg.matrix_rank(vectors) == 6
    assert (np.abs(vectors).max(axis=0) == 1).all()
    fold = np.array([[0.0, 1.0], [0.0, 0.0]])  # one vector, twice
    assert eigenspace(fold.tolist(), 0) == [[1, 0]]


@pytest.mark.parametrize("polar", [0, "pi", np.pi])
def test_poles_of_a_chart_are_singular_though_doubles_miss_them_M1(polar: object) -> None:
    """sin(pi) is 1.2e-16 in doubles; the law has no accelerations at either pole."""
    sphere = ch.System(coordinates=["a", "b"], lagrangian="(a'^2 + sin(a)^2*b'^2)/2 - cos(a)")
    with pytest.raises(ch.ModelError, match="singular at this state"):
        ch.linearize(sphere, at={"a": polar, "b": 0, "a'": 0, "b'": 0})


def test_poles_of_a_chart_are_no_equilibria_M3() -> None:
    sphere = ch.System(coordinates=["a", "b"], lagrangian="(a'^2 + sin(a)^2*b'^2)/2 - cos(a)")
    found = ch.equilibria(sphere)
    assert not found
    assert found.searched.startswith("2 where law or constraints are singular")


def test_a_constraint_is_quoted_as_it_is_written() -> None:
    circle = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", constraints=["x*x' + y*y' = 0"])
    with pytest.raises(ch.ModelError) as caught:
        ch.linearize(circle, at={"x": 0, "y": 0, "x'": 1, "y'": 1})
    assert "Equation(" not in str(caught.value)
    assert "\n    x*x' + y*y' = 0\n" in str(caught.value)


@pytest.mark.parametrize("constraints", [[], ["y' = x*x'"], ["y' = x'", "2*y' = 2*x'"]])
def test_a_system_of_which_no_velocity_is_given_is_linearised_at_rest(constraints: list[str]) -> None:
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - x^2 - 2*y^2",
        constraints=constraints,
        initial={"x": 0},
    )
    for near in (ch.linearize(system), ch.linearize(system, at={"x": 0})):
        assert near.kind == "equilibrium"
        if not constraints:
            assert sorted(near.eigenvalues.imag) == pytest.approx([-2, -math.sqrt(2), math.sqrt(2), 2])
