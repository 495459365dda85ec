"""Families followed in a parameter: folds, pitchforks, Hopf points and others to all digits (M3, M6)."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import chetaev as ch
from chetaev.cli import run

HOOP = ch.System(
    coordinates=["theta"],
    lagrangian="m*R^2*(theta'^2 + Omega^2*sin(theta)^2)/2 + m*g*R*cos(theta)",
    parameters={"m": 1, "R": 1, "g": 10, "Omega": 4},
    name="Bead on a hoop",
)


def line(potential: str, force: str = "-c*x'", **parameters: float) -> ch.System:
    return ch.System(
        coordinates=["x"], lagrangian=f"x'^2/2 - ({potential})", forces={"x": force},
        parameters={"c": 0.1, **parameters},
    )  # fmt: skip


@pytest.mark.slow
def test_a_pitchfork_is_found_from_either_of_its_branches_M6() -> None:
    for start in ({"theta": 0}, {"theta": 0.9}):
        diagram = ch.follow(HOOP, start, "Omega", (1, 6))
        (fork,) = diagram.of_kind("pitchfork")
        assert abs(fork.parameter - math.sqrt(10)) < 1e-14
        assert abs(fork.state["theta"]) < 1e-12
        assert [p.kind for p in diagram.points] == ["pitchfork"]
        assert len(diagram) == 2
    assert ch.follow(HOOP, {"theta": 0}, "Omega", (1, 6)).points[0].criticality == "supercritical"


@pytest.mark.slow
def test_the_eigenvalue_that_passes_zero_at_a_branch_point_has_no_sign_there_M6() -> None:
    """At the pitchfork the linear theory decides nothing, and roundoff of 10 − 10 is no eigenvalue."""
    diagram = ch.follow(HOOP, {"theta": 0}, "Omega", (1, 6))
    leaving = diagram.branches[1]
    middle = int(np.argmin(abs(leaving.values["theta"])))
    assert leaving.parameter[middle] == pytest.approx(math.sqrt(10))
    assert not leaving.unstable.any()
    assert set(leaving.stable) == {None}
    assert str(diagram).count("none on the right") == 2


def test_a_start_at_the_branch_point_itself_M6() -> None:
    diagram = ch.follow(HOOP.with_parameters(g=9, Omega=3), {"theta": 0}, "Omega", (1, 6))
    (fork,) = diagram.points
    assert (fork.kind, fork.criticality, round(fork.parameter, 12)) == ("pitchfork", "supercritical", 3.0)
    assert len(diagram) == 2


@pytest.mark.slow
def test_points_of_a_branch_are_equilibria_and_spectra_are_those_of_linearize_M6() -> None:
    diagram = ch.follow(HOOP, {"theta": 0.9}, "Omega", (1, 6), switch=False)
    (branch,) = diagram
    assert np.abs(np.cos(branch.values["theta"]) - 10 / branch.parameter**2).max() < 1e-12
    for i in (0, len(branch) // 3, len(branch) - 1):
        here = HOOP.with_parameters(Omega=float(branch.parameter[i]))
        near = ch.linearize(here, at={"theta": float(branch.values["theta"][i]), "theta'": 0})
        assert np.abs(near.eigenvalues - branch.eigenvalues[i]).max() < 1e-6


@pytest.mark.slow
def test_folds_of_a_snapping_arch_M6() -> None:
    diagram = ch.follow(line("x^4/4 - x^2/2 - F*x", F=0), {"x": -1}, "F", (-1, 1))
    assert [p.kind for p in diagram.points] == ["fold", "fold"]
    for p, sign in zip(diagram.points, (1, -1), strict=True):
        assert abs(p.parameter - sign * 2 / 3 / math.sqrt(3)) < 1e-14
        assert abs(abs(p.state["x"]) - 1 / math.sqrt(3)) < 1e-7
    (branch,) = diagram
    assert (branch.stable[0], branch.stable[-1], set(branch.unstable)) == (True, True, {0, 1})


@pytest.mark.slow
def test_transcritical_and_imperfect_branches_M6() -> None:
    diagram = ch.follow(line("x^3/3 - a*x^2/2", a=-1), {"x": 0}, "a", (-1, 1))
    assert [(p.kind, p.parameter) for p in diagram.points] == [("transcritical", 0.0)]
    assert len(diagram) == 2
    apart = ch.follow(line("x^3/3 - a*x^2/2 + x/100", a=1), {"x": 0}, "a", (-1, 1))
    assert [p.kind for p in apart.points] == ["fold"]
    assert abs(apart.points[0].parameter - 0.2) < 1e-14


def test_subcritical_pitchfork_M6() -> None:
    diagram = ch.follow(line("-a*x^2/2 - x^4/4", a=-1), {"x": 0}, "a", (-1, 1))
    (fork,) = diagram.of_kind("pitchfork")
    assert (fork.criticality, fork.parameter) == ("subcritical", 0.0)


def test_two_eigenvalues_that_pass_zero_together_are_a_branch_point_M6() -> None:
    square = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 + a*(x^2 + y^2)/2 - (x^4 + y^4)/4 - 3*x^2*y^2/20",
        forces={"x": "-x'/10", "y": "-y'/10"}, parameters={"a": -1},
    )  # fmt: skip
    (point,) = ch.follow(square, {"x": 0, "y": 0}, "a", (-1, 1)).points
    assert point.kind == "branch point"
    assert abs(point.parameter) < 1e-5


def test_hopf_point_and_a_saddle_whose_trace_changes_sign_M6() -> None:
    diagram = ch.follow(line("w^2*x^2/2", "(a - x^2)*x'", a=-1, w=3), {"x": 0}, "a", (-1, 1))
    (hopf,) = diagram.points
    assert (hopf.kind, hopf.parameter) == ("Hopf", 0.0)
    assert abs(hopf.frequency - 3) < 1e-12
    saddle = ch.follow(line("-x^2/2", "a*x'", a=-1), {"x": 0}, "a", (-1, 1))
    assert saddle.points == []  # two real eigenvalues of opposite signs pass through equal sizes


def test_pairs_that_meet_on_the_axis_Ziegler_and_Routh_M6() -> None:
    column = ch.load("ziegler-pendulum")
    diagram = ch.follow(column, dict.fromkeys(column.coordinates, 0), "P", (0, 6))
    (flutter,) = diagram.points
    assert flutter.kind == "Hamiltonian Hopf"
    assert abs(flutter.parameter - (3.5 - math.sqrt(2))) < 1e-12
    triangle = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 + x*y' - y*x' + (x^2 + y^2)/2 + (1 - mu)/sqrt((x + mu)^2 + y^2)"
        " + mu/sqrt((x - 1 + mu)^2 + y^2)",
        parameters={"mu": 0.01},
    )
    (routh,) = ch.follow(triangle, {"x": 0.49, "y": 0.866}, "mu", (0.001, 0.5)).points
    assert abs(routh.parameter - (1 - math.sqrt(23 / 27)) / 2) < 1e-13


@pytest.mark.slow
def test_steady_motions_along_a_group_of_rotations_M6() -> None:
    """Circular orbits of the potential −k/r^n are stable for n < 2."""
    power = ch.System(
        coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 + k/(x^2 + y^2)^(n/2)",
        parameters={"k": 1, "n": 1},
    )  # fmt: skip
    turn = {"x": "-y", "y": "x"}
    circle = {"x": 1, "y": 0, "x'": 0, "y'": 1, "rate_1": 1}
    diagram = ch.follow(power, circle, "n", (0.5, 3), symmetries=[turn])
    (limit,) = diagram.points
    assert (limit.kind, round(limit.parameter, 12)) == ("zero", 2.0)
    (branch,) = diagram
    radius = np.hypot(branch.values["x"], branch.values["y"])
    assert np.abs(branch.parameter * radius ** -(branch.parameter + 2) - 1).max() < 1e-12
    with pytest.raises(ch.ModelError, match="no symmetry"):
        ch.follow(power, circle, "n", (0.5, 3), symmetries=[{"x": "y"}])


@pytest.mark.slow
def test_straight_rolling_M3_zeros_of_the_family_are_set_aside() -> None:
    disc = ch.load("rolling-disc")
    rolling = {"theta": 0, "psi'": 3, "phi'": 0}
    diagram = ch.follow(disc, rolling, "psi'", (1, 5), symmetries=["x", "y", "psi", "phi"])
    (branch,) = diagram
    assert branch.zeros == 2
    (limit,) = diagram.points
    assert limit.kind == "zero"
    assert abs(limit.parameter - math.sqrt(9.8 / 1.5)) < 1e-12


@pytest.mark.slow
def test_sleigh_M6_is_stable_forwards_and_the_rest_states_are_a_family_at_one_speed() -> None:
    sleigh = ch.load("caratheodory-sleigh")
    diagram = ch.follow(sleigh, {"x'": 1, "phi": 0, "phi'": 0}, "x'", (-2, 2), symmetries=["x", "y"])
    (branch,) = diagram
    assert (branch.stable[0], branch.stable[-1]) == (False, True)
    assert [(p.kind, p.parameter) for p in diagram.points] == [("vertical family", 0.0)]


@pytest.mark.slow
def test_holonomic_constraints_and_closed_branches_M6() -> None:
    pendulum = ch.load("pendulum-cartesian")
    (branch,) = ch.follow(pendulum, {"x": 0, "y": "-l"}, "l", (0.5, 2))
    assert np.abs(branch.values["y"] + branch.parameter).max() < 1e-12
    circle = line("x^3/3 + (a^2 - 1)*x", a=0)
    (loop,) = ch.follow(circle, {"x": 1}, "a", (-2, 2))
    assert loop.ended == "the branch is closed"
    assert np.abs(loop.values["x"] ** 2 + loop.parameter**2 - 1).max() < 1e-12


@pytest.mark.slow
def test_results_are_data_and_pictures() -> None:
    import matplotlib

    matplotlib.use("agg")
    diagram = ch.follow(HOOP, {"theta": 0}, "Omega", (1, 6))
    data = diagram.to_xarray()
    assert data.sizes["point"] == sum(len(b) for b in diagram)
    assert set(data["branch"].values.tolist()) == {0, 1}
    assert json.loads(json.dumps(diagram.to_json()))["points"][0]["kind"] == "pitchfork"
    (fork,) = (one for one in diagram.points if one.kind == "pitchfork")
    assert fork.parameter == pytest.approx(math.sqrt(10))
    assert f"supercritical pitchfork at Omega = {fork.parameter:.12g}" in str(diagram)
    assert "pitchfork" in diagram._repr_html_()
    for result in (diagram, ch.equilibria(HOOP), ch.linearize(HOOP, at={"theta": 0, "theta'": 0})):
        assert ch.plot(result).axes
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"parameter": "Omga"}, "Omega"),
        ({"parameter": ""}, "one of m, R, g, Omega"),
        ({"over": (2, 2)}, "is empty"),
        ({"over": (1,)}, "two numbers"),
        ({"hold": ["x"]}, "no unknown"),
        ({"start": {"theta": 0}, "given": {"theta": 0}}, "not both"),
    ],
)
def test_mistakes_are_sentences(arguments: dict[str, object], words: str) -> None:
    usual: dict[str, object] = {"start": {"theta": 0}, "parameter": "Omega", "over": (1, 6)}
    with pytest.raises(ch.ModelError, match=words):
        ch.follow(HOOP, **{**usual, **arguments})  # type: ignore[arg-type]


def test_a_system_without_equilibria_and_a_start_off_the_constraint_are_sentences() -> None:
    fall = ch.System(coordinates=["z"], lagrangian="m*z'^2/2 - m*z", parameters={"m": 1})
    with pytest.raises(ch.ModelError, match="no equilibria"):
        ch.follow(fall, None, "m", (1, 2))
    with pytest.raises(ch.ModelError, match="no equilibrium near the start"):
        ch.follow(fall, {"z": 0}, "m", (1, 2))
    with pytest.raises(ch.ModelError):
        ch.follow(ch.load("pendulum-cartesian"), {"x": 3, "y": 3}, "l", (0.5, 2))


def test_command_follows(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["stability", "ziegler-pendulum", "--follow", "P=0:4", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [p["kind"] for p in data["points"]] == ["Hamiltonian Hopf"]
    for wrong in (["--follow", "P"], ["--follow", "P=a:b"], ["--follow", "Q=0:1"], ["--hold", "x"]):
        assert run(["stability", "ziegler-pendulum", *wrong]) == 2
        assert "Traceback" not in capsys.readouterr().err


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("more", "damping", "near"),
    [("", "0", 1e-14), ("+ z^2/2", "0", 1e-14), ("- z^2", "0", 1e-14), ("", "c", 1e-6)],
)  # fmt: skip
def test_two_pairs_that_pass_zero_together_are_a_branch_point_and_no_hopf_M6(
    more: str, damping: str, near: float
) -> None:
    """λ² = −a twice: nothing has a frequency there, whatever else is stable or not."""
    names = ["x", "y", "z"] if more else ["x", "y"]
    kinetic = " + ".join(f"{n}'^2/2" for n in names)
    square = ch.System(
        coordinates=names,
        lagrangian=f"{kinetic} - a*(x^2 + y^2)/2 - (x^4 + y^4)/4 {more}",
        forces={n: f"-{damping}*{n}'" for n in names},
        parameters={"a": 1, "c": 0.3},
    )
    (point,) = ch.follow(square, dict.fromkeys(names, 0), "a", (-1, 1)).points
    assert point.kind == "branch point"
    assert abs(point.parameter) < near


def test_three_equal_roots_are_no_hamiltonian_hopf_point_M6() -> None:
    cube = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - a*(x^2 + y^2 + z^2)/2 - (x^4 + y^4 + z^4)/4",
        parameters={"a": 1},
    )
    assert [p.kind for p in ch.follow(cube, {"x": 0, "y": 0, "z": 0}, "a", (-1, 1)).points] == [
        "branch point"
    ]


def test_two_pairs_that_cross_together_have_each_their_frequency_M6() -> None:
    pair = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - (x^2 + 3*y^2)/2",
        forces={n: f"(a - {n}^2)*{n}'" for n in ("x", "y")},
        parameters={"a": -1},
    )
    points = ch.follow(pair, {"x": 0, "y": 0}, "a", (-1, 1)).points
    assert [p.kind for p in points] == ["Hopf", "Hopf"]
    assert np.allclose(sorted(p.frequency for p in points), [1, math.sqrt(3)], atol=1e-9)


@pytest.mark.parametrize("low", [0.0, 0.5, 0.9, 0.95])
def test_rest_of_lorenz_is_stable_below_one_however_short_that_is(low: float) -> None:
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints=["x' = 10*(y - x)", "y' = x*(rho - z) - y", "z' = x*y - 8*z/3"],
        parameters={"rho": 2},
    )
    diagram = ch.follow(system, None, "rho", (low, 30))
    (rest,) = [b for b in diagram if np.abs(b.values["x"]).max() < 1e-9]
    assert rest.parameter.min() == pytest.approx(low)
    assert all(s is True for p, s in zip(rest.parameter, rest.stable, strict=True) if p < 1 - 1e-6)
    assert f"rho from {low:g}" in str(diagram) or f"rho at {low:g}" in str(diagram)
    assert "none on the right, stable" in str(diagram).split("branch 2")[1]
