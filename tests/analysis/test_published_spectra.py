"""Eigenvalues and limits of stability that are printed in the literature, to the digits printed (M3, M6)."""

from __future__ import annotations

import functools
import math
from pathlib import Path

import numpy as np
import pytest

import chetaev as ch
from formulas import formula, formulas

# Meijaard, Papadopoulos, Ruina and Schwab, Proc. R. Soc. A 463 (2007), table 2: weave, capsize, castering
BICYCLE = {
    0: (5.53094371765393, 3.13164324790656, -3.13164324790656, -5.53094371765393),
    1: (3.52696170990070 + 0.80774027519930j, -3.13423125066578, -7.11008014637442),
    2: (2.68234517512745 + 1.68066296590675j, -3.07158645641514, -8.67387984831735),
    4: (0.41325331521125 + 3.07910818603206j, -1.42944427361326, -12.15861426576447),
    5: (-0.77534188219585 + 4.46486771378823j, -0.32286642900409, -14.07838969279822),
    6: (-1.52644486584142 + 5.87673060598709j, -0.00406690076970, -16.0853712309803),
    10: (-3.72016840437287 + 10.90681139476287j, 0.16105338653172, -24.62459635017404),
}
ROLLING = ("x", "y", "psi", "rear", "front")


@functools.cache
def bicycle() -> ch.System:
    return ch.load(Path(__file__).parent / "linear" / "bicycle.toml")


def spectrum(system: ch.System, at: dict[str, object], **more: object) -> list[complex]:
    return ch.linearize(system, at=at, **more).eigenvalues.tolist()


@pytest.mark.parametrize(
    "speed", [pytest.param(v, marks=[] if v == 5 else [pytest.mark.slow]) for v in BICYCLE]
)
def test_Whipples_bicycle_has_the_eigenvalues_of_the_benchmark(speed: int) -> None:
    found = spectrum(bicycle(), {"rear'": f"-{speed}/rR"}, relative_to=ROLLING)
    expected = [0j]  # of the speed itself
    for z in BICYCLE[speed]:
        expected += [complex(z)] if isinstance(z, float) else [z, z.conjugate()]
    assert len(found) == 5
    for z in expected:
        assert min(abs(z - y) for y in found) < 2e-13 * max(1, abs(z)), (z, found)


@pytest.mark.slow
def test_Whipples_bicycle_has_the_printed_coefficients() -> None:
    """M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 for q = (phi, delta): equations (A 20) of the same paper."""
    M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
    K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
    K2 = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])
    C1 = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
    near = ch.linearize(bicycle(), at={"rear'": "-3/rR"}, relative_to=ROLLING)
    assert near.states == ("phi", "delta", "phi_dot", "delta_dot", "rear_dot")
    A = near.A.values[2:4, :4]
    expected = -np.linalg.solve(M, np.hstack([9.81 * K0 + 9 * K2, 3 * C1]))
    assert np.abs(A - expected).max() < 1e-11


@pytest.mark.slow
def test_Whipples_bicycle_weave_and_capsize_speeds() -> None:
    """4.292382536341 and 6.024262015388 m/s (same paper); circles leave at the second."""
    diagram = ch.follow(bicycle(), {}, "x'", (2, 8), symmetries=ROLLING, switch=False)
    weave, capsize = diagram.points
    assert (weave.kind, capsize.kind, capsize.criticality) == ("Hopf", "pitchfork", "subcritical")
    assert abs(weave.parameter - 4.292382536341) < 1e-12
    assert abs(capsize.parameter - 6.024262015388) < 1e-12
    (branch,) = diagram
    stable = [v for v, s in zip(branch.parameter, branch.stable, strict=True) if s]
    assert 4.29 < min(stable) < max(stable) < 6.03


def chain(links: int) -> ch.System:
    """Equal masses on equal strings, in angles."""
    names = [f"a{i}" for i in range(1, links + 1)]
    kinetic, height = [], []
    for i in range(links):
        x = " + ".join(f"cos({n})*{n}'" for n in names[: i + 1])
        y = " + ".join(f"sin({n})*{n}'" for n in names[: i + 1])
        kinetic.append(f"m*l^2*(({x})^2 + ({y})^2)/2")
        height.append("m*g*l*(" + " + ".join(f"cos({n})" for n in names[: i + 1]) + ")")
    return ch.System(
        coordinates=names, lagrangian=" + ".join(kinetic + height), parameters={"m": 2, "g": 1, "l": 1}
    )


@pytest.mark.parametrize(
    "zeros",
    [
        (0.585786437627, 3.414213562373),
        (0.415774556783, 2.294280360279, 6.289945082937),
        pytest.param(
            (0.322547689619, 1.745761101158, 4.536620296921, 9.395070912301), marks=pytest.mark.slow
        ),
    ],
)
def test_a_hanging_chain_has_the_zeros_of_Laguerres_polynomials(zeros: tuple[float, ...]) -> None:
    """ω^2 l/g for n links are the zeros of L_n (digits: Abramowitz and Stegun, table 25.9).

    For two links 2 ± √2: Landau and Lifshitz, Mechanics, §23.
    """
    system = chain(len(zeros))
    found = spectrum(system, {n: 0 for c in system.coordinates for n in (c, f"{c}_dot")})
    assert sorted(round(z.imag**2, 12) for z in found if z.imag > 0) == list(zeros)
    assert all(z.real == 0 for z in found)


def test_Zieglers_column_flutters_at_the_printed_load() -> None:
    """P l/c = 7/2 − √2 = 2.086 for masses 2m and m (Ziegler, Ing.-Arch. 20, 1952)."""
    column = ch.load("ziegler-pendulum")
    (flutter,) = ch.follow(column, dict.fromkeys(column.coordinates, 0), "P", (0, 4)).points
    assert f"{flutter.parameter:.3f}" == "2.086"
    assert abs(flutter.parameter - 3.5 + math.sqrt(2)) < 1e-12


def test_damped_column_of_Ziegler_flutters_at_a_smaller_load() -> None:
    """P l/k = 41/28 + c^2/2 with equal dampers: vanishing friction destabilises (Herrmann and Jong 1965)."""
    column = ch.System(
        coordinates=["a", "b"],
        lagrangian="(3*a'^2 + 2*cos(a - b)*a'*b' + b'^2)/2 - (a^2 + (b - a)^2)/2",
        forces={"a": "P*sin(a - b) - c*(2*a' - b')", "b": "-c*(b' - a')"},
        parameters={"P": 0.5, "c": 0.1},
    )
    (flutter,) = ch.follow(column, {"a": 0, "b": 0}, "P", (0, 4)).points
    assert flutter.kind == "Hopf"
    assert abs(flutter.parameter - 41 / 28 - 0.005) < 1e-12


def test_triangular_points_are_stable_below_Rouths_ratio() -> None:
    """μ = 0.0385208965 (Gascheau 1843, Routh 1875; Szebehely, Theory of Orbits): pairs meet at √2/2."""
    three = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 + x*y' - y*x' + (x^2 + y^2)/2 + (1 - mu)/sqrt((x + mu)^2 + y^2)"
        " + mu/sqrt((x - 1 + mu)^2 + y^2)",
        parameters={"mu": 0.01},
    )
    (point,) = ch.follow(three, {"x": 0.49, "y": 0.866}, "mu", (0.001, 0.2)).points
    assert f"{point.parameter:.10f}" == "0.0385208965"
    assert f"{point.frequency:.6f}" == "0.707107"


def test_conical_pendulum_oscillates_with_the_printed_frequency() -> None:
    """ω^2 = Ω^2 (1 + 3 cos^2 θ), Ω^2 = g/(l cos θ) (Whittaker, Analytical Dynamics, §55), for every θ."""
    ball = ch.System(
        coordinates=["theta", "phi"],
        lagrangian="m*l^2*(theta'^2 + sin(theta)^2*phi'^2)/2 + m*g*l*cos(theta)",
        parameters={"m": 1, "l": 1, "g": 10},
    )
    found = ch.relative_equilibria(ball, ["phi"], free=["theta"])
    cones = [e for e in found if "phi_dot" in e.exact and e.exact["phi_dot"] != formula("0")]
    assert [e.exact["phi_dot"] for e in cones] == formulas(
        ["-sqrt(g/(l*cos(theta)))", "sqrt(g/(l*cos(theta)))"]
    )
    for e in cones:
        assert e.stable is True
        (rate,) = (abs(z.imag) for z in e.eigenvalues if z.imag > 0)
        c = math.cos(e.state["theta"])
        assert abs(rate**2 - 10 / c * (1 + 3 * c * c)) < 1e-9


def test_Foucaults_pendulum_has_two_frequencies_that_differ_by_twice_the_turn() -> None:
    """√(g/l + w^2) ± w (Foucault 1851; Landau and Lifshitz, Mechanics, §39)."""
    pendulum = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 + w*(x*y' - y*x') - g*(x^2 + y^2)/(2*l)",
        parameters={"w": 3, "g": 9, "l": 0.5625},
    )
    found = spectrum(pendulum, {"x": 0, "y": 0, "x'": 0, "y'": 0})
    assert sorted(z.imag for z in found) == [-8.0, -2.0, 2.0, 8.0]


def test_Chaplygins_sleigh_settles_at_the_printed_rate() -> None:
    """−m a v/(J + m a^2) (Neimark and Fufaev; Bloch, Nonholonomic Mechanics and Control)."""
    sleigh = ch.load("caratheodory-sleigh")
    near = ch.linearize(sleigh, at={"x'": 1, "phi": 0, "phi'": 0}, relative_to=["x", "y"])
    values = sleigh.parameter_values
    rate = -values["m"] * values["a"] / (values["J"] + values["m"] * values["a"] ** 2)
    assert abs(min(z.real for z in near.eigenvalues) - rate) < 1e-15
