"""A time dτ = N(q) dt in which a Chaplygin system is Hamiltonian (SCOPE M4): found, proved, or obstructed."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
import pytest

import chetaev as ch
from chetaev.expr.exact import Field
from chetaev.expr.exact.vanishing import zero_test
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.language.parser import parse
from chetaev.laws.standpoint import EVERY_VALUE
from formulas import formula
from portions import SOAK

# a body turning about a fixed point whose angular velocity has no vertical component: ω·γ = psi' + phi' cos θ
VESELOVA = {
    "coordinates": ["theta", "phi", "psi"],
    "define": {
        "w1": "psi'*sin(theta)*sin(phi) + theta'*cos(phi)",
        "w2": "psi'*sin(theta)*cos(phi) - theta'*sin(phi)",
        "w3": "psi'*cos(theta) + phi'",
    },
    "parameters": {"A": 1, "B": 2, "C": 3, "k": "1/2"},
    "lagrangian": "(A*w1^2 + B*w2^2 + C*w3^2)/2 - k*cos(theta)",
    "constraints": ["psi' + phi'*cos(theta) = 0"],
}
SLEIGH = {
    "coordinates": ["x", "y", "phi"],
    "parameters": {"m": 2, "J": 1, "a": 0},
    "lagrangian": "m*((x' - a*phi'*sin(phi))^2 + (y' + a*phi'*cos(phi))^2)/2 + J*phi'^2/2",
    "constraints": ["x'*sin(phi) - y'*cos(phi) = 0"],
}
# two wheels on an axle of width 2c; centre of mass at a distance l before the axle
CARRIAGE = {
    "coordinates": ["x", "y", "phi", "u", "w"],
    "parameters": {"m": 3, "J": 2, "K": 1, "R": "1/2", "c": 1, "l": 0},
    "lagrangian": "(m*((x' - l*phi'*sin(phi))^2 + (y' + l*phi'*cos(phi))^2) + J*phi'^2 + K*(u'^2 + w'^2))/2",
    "constraints": [
        "x' = R*(u' + w')*cos(phi)/2", "y' = R*(u' + w')*sin(phi)/2", "phi' = R*(u' - w')/(2*c)"
    ],
}  # fmt: skip


def constant_ratio(one: object, other: object, system: ch.System) -> bool:
    """Whether two functions differ by a constant factor: d log of their ratio vanishes."""
    F = Field()
    ratio = F(one) / F(other)
    return all(zero_test(ratio.diff(c).to_expr()).is_zero for c in system.coordinates)


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("heisenberg", "1/sqrt(1 + y^2)"),
        ("nonholonomic-particle", "1/sqrt(1 + y^2)"),
        ("heisenberg-symmetric", "1/(1 + x^2 + y^2)"),
        ("vertical-rolling-disc", "1"),
        ("knife-edge", "abs(cos(phi))"),
        ("semiholonomic-disc", "1"),
        ("double-pendulum", "1"),
    ],
)
def test_M4_known_multipliers(name: str, expected: str) -> None:
    system = ch.load(name)
    found = ch.hamiltonize(system)
    assert (found.verdict, found.evidence) == (True, "proved")
    assert constant_ratio(found.multiplier, parse(expected, system.scope), system)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("caratheodory-sleigh", "no invariant measure"),
        ("suslov", "no invariant measure"),
        ("damped-sleigh", "no invariant measure"),
        ("rolling-disc", "gyroscopic forces"),
    ],
)
def test_M4_obstructions_have_their_term_and_a_witness(name: str, kind: str) -> None:
    found = ch.hamiltonize(ch.load(name))
    assert (found.verdict, found.obstruction.kind) == (False, kind)
    assert found.obstruction.evidence.witness
    assert zero_test(found.obstruction.term).is_zero is False
    with pytest.raises(ch.ModelError, match="no Lagrangian in another time"):
        _ = found.hamiltonian


def test_M4_a_magnetic_2_form_that_is_not_closed_is_an_obstruction() -> None:
    """The reaction K dA of z' = A with the momentum K: d(K dA) = dK ∧ dA, here da ∧ db ∧ dc."""
    given = {"coordinates": ["a", "b", "c", "z"], "constraints": ["z' = b*c'"], "degenerate": True}
    found = ch.hamiltonize(ch.System(lagrangian="(a'^2 + b'^2 + c'^2)/2 + a*z'", **given))
    assert (found.verdict, found.obstruction.kind) == (False, "magnetic terms")
    assert ch.hamiltonize(ch.System(lagrangian="(a'^2 + b'^2 + c'^2)/2 + 2*z'", **given)).verdict is True


@pytest.mark.parametrize("name", ["leibniz-particle", "ball-on-rotating-table", "pendulum-cartesian"])
def test_M4_no_chaplygin_system(name: str) -> None:
    found = ch.hamiltonize(ch.load(name))
    assert (found.verdict, found.obstruction.kind) == (None, "no Chaplygin system")
    assert "no Chaplygin system" in str(found)


@pytest.mark.slow
def test_M4_a_sleigh_with_its_mass_on_the_edge_and_off_it() -> None:
    assert ch.hamiltonize(ch.System(**SLEIGH)).verdict is True
    off = ch.System(**{**SLEIGH, "parameters": {"m": 2, "J": 1, "a": "1/3"}})
    assert ch.hamiltonize(off).obstruction.kind == "no invariant measure"


@pytest.mark.slow
def test_M4_a_two_wheeled_carriage() -> None:
    """In the angles of heading and wheel N exists for every offset l: exp of a linear function, which is not
    periodic. A sleigh, which has no wheel to count its way, has none (see above).
    """
    found = ch.hamiltonize(ch.System(**CARRIAGE))
    assert (found.verdict, found.parameters) == (True, EVERY_VALUE)
    on_axle = ch.System(**{**CARRIAGE, "lagrangian": CARRIAGE["lagrangian"].replace("l*phi'", "0*phi'")})
    assert ch.hamiltonize(on_axle).multiplier == formula("1", factor=True)


@pytest.mark.slow
def test_M4_veselova() -> None:
    """N² (γ·I⁻¹γ) is constant, for every inertia (Veselov and Veselova, 1988; Fedorov and Jovanović)."""
    system = ch.System(**VESELOVA)
    found = ch.hamiltonize(system)
    assert (found.verdict, found.base, found.fibre) == (True, ("theta", "phi"), ("psi",))
    gamma = "(sin(theta)^2*sin(phi)^2/A + sin(theta)^2*cos(phi)^2/B + cos(theta)^2/C)"
    expected = parse(f"1/sqrt({gamma})", system.scope)
    assert constant_ratio(found.multiplier, expected, system)


@pytest.mark.slow
@pytest.mark.parametrize("which", ["veselova", "particle"])
def test_M4_motions_in_both_times_are_the_same_curves(which: str) -> None:
    """Another way: simulate the system with t, and L̃ with τ, and compare at τ(t) = ∫N dt."""
    if which == "veselova":
        system = ch.System(
            **VESELOVA,
            initial={
                "position": {"theta": 1.0, "phi": 0.3, "psi": 0},
                "velocity": {"theta": 0.4, "phi": -0.7},
            },
        )
    else:
        system = ch.System(
            coordinates=["x", "y", "z"],
            lagrangian="(x'^2 + y'^2 + z'^2)/2 - x*y",
            constraints=["z' = y*x'"],
            initial={"position": {"x": 0.1, "y": 0.5, "z": 0}, "velocity": {"x": 0.7, "y": -0.3}},
        )
    found = ch.hamiltonize(system)
    times = np.linspace(0, 2, 401)
    run = ch.simulate(system, until=2.0, at=list(times), tolerance=1e-11)
    values = {**system.parameter_values, **{c: run[c].values for c in found.base}}
    N = np.broadcast_to(np.asarray(evaluate([found.multiplier], values)[0], dtype=float), times.shape)
    step = times[2] - times[0]
    simpson = np.concatenate([[0], np.cumsum((N[0:-2:2] + 4 * N[1:-1:2] + N[2::2]) * step / 6)])
    start = {c: float(run[c].values[0]) for c in found.base}
    start |= {f"{c}_dot": float(run[f"{c}_dot"].values[0] / N[0]) for c in found.base}
    other = ch.simulate(
        found.transformed, until=float(simpson[-1]), at=list(simpson), initial=start, tolerance=1e-11
    )
    for c in found.base:
        assert np.abs(other[c].values - run[c].values[::2]).max() < 1e-8
        assert np.abs(other[f"{c}_dot"].values * N[::2] - run[f"{c}_dot"].values[::2]).max() < 1e-7


# -- planted systems -------------------------------------------------------------------------------------
def planted(seed: int) -> tuple[ch.System, str, ch.System]:
    """Forces that come from L̄(q, N q') + A q' − U in n = 2 or 3 coordinates; the N; and one that has none."""
    rng = random.Random(seed)
    names = ["x", "y", "z"][: rng.choice((2, 3))]
    log_N = rng.choice(["x*y", "log(1 + x^2 + y^2)", "-log(2 + sin(x))/2", "x^2/3 - y", "log(1 + y^2)/2"])
    metric = [rng.choice(["1", "2 + sin(x)", "1 + y^2", "3"]) for _ in names]
    kinetic = " + ".join(f"({g})*{c}'^2/2" for g, c in zip(metric, names, strict=True))
    kinetic += f" + {rng.choice(['0', 'x', '1/3'])}*x'*y'/5 + {rng.choice(['0', 'y', 'x*y'])}*x'"
    U, A = rng.choice(["x*y", "cos(x)", "y^2"]), rng.choice(["0", "x*y", "sin(x)"])
    system = ch.System(coordinates=names, lagrangian=f"{kinetic} - x^2")
    scope = system.scope
    F = Field()
    L, phi_of, U_of, A_of = (F(parse(e, scope)) for e in (f"{kinetic} - x^2", log_N, U, A))
    v = [F.symbol(c, 1) for c in names]
    p = [L.diff((c, 1)) for c in names]
    power = sum((a * b for a, b in zip(p, v, strict=True)), F.zero)
    along = sum((phi_of.diff(c) * b for c, b in zip(names, v, strict=True)), F.zero)
    N = F.exp(phi_of)
    forces = {}
    for s, c in enumerate(names):
        total = power * phi_of.diff(c) - p[s] * along - U_of.diff(c)
        if s == 1:  # A = A_y dy: N σ_sr = ∂_s A_r − ∂_r A_s
            total = total - sum((A_of.diff(d) * v[r] for r, d in enumerate(names) if r != 1), F.zero) / N
        else:
            total = total + A_of.diff(c) * v[1] / N
        forces[c] = total.to_expr()
    good = ch.System(coordinates=names, lagrangian=f"{kinetic} - x^2", forces=forces)
    extra = parse(rng.choice(["x'*y'/7", "-y'/3", "x*y'^2", "y"]), scope)
    bad = {**forces, "x": forces["x"] + extra}
    return good, log_N, ch.System(coordinates=names, lagrangian=f"{kinetic} - x^2", forces=bad)


def check_planted(seed: int) -> None:
    good, log_N, bad = planted(seed)
    found = ch.hamiltonize(good)
    assert found.verdict is True, (seed, str(found))
    F = Field()
    for c, e in found.logarithmic.items():
        assert zero_test((F(e) - F(parse(log_N, good.scope)).diff(c)).to_expr()).is_zero, seed
    other = ch.hamiltonize(bad)
    assert other.verdict is False, (seed, str(other))
    assert other.obstruction.evidence.witness is not None


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_M4_planted_multipliers_are_found_and_disturbed_ones_refused(seed: int) -> None:
    check_planted(seed)


@pytest.mark.parametrize(
    "seeds",
    [pytest.param(range(2, 10), marks=pytest.mark.slow), pytest.param(range(10, 100), marks=SOAK)],
    ids=["few", "many"],
)
def test_M4_more_planted_multipliers(seeds: range) -> None:
    for seed in seeds:
        check_planted(seed)


def test_M4_degenerate_and_bad_input() -> None:
    degenerate = ch.System(
        coordinates=["x", "y"], dynamics={"lagrangian": "(x' + y')^2/2", "degenerate": True}
    )
    assert ch.hamiltonize(degenerate).obstruction.kind == "degenerate"
    for wrong in ("disc", None, 3):
        with pytest.raises(ch.ModelError, match=r"ch\.hamiltonize"):
            ch.hamiltonize(wrong)
    with pytest.raises(ch.ModelError, match="no Lagrangian"):
        ch.hamiltonize(ch.System(coordinates=["x"], dynamics={"accelerations": {"x": "-x"}}))
    found = ch.hamiltonize(ch.load("heisenberg"))
    assert found.to_json()["multiplier"] == formula("1/sqrt(y^2 + 1)", factor=True)
    assert "tilde L" in found._repr_latex_()
    assert "<pre" in found._repr_html_()
    assert math.isclose(float(evaluate([found.density], {"y": 2.0})[0]), math.sqrt(5))


def test_kinks_and_stops_are_said_and_constants_have_no_witness() -> None:
    kink = ch.hamiltonize(ch.System(coordinates=["x"], lagrangian="x'^2/2 - abs(x)"))
    assert "away from the kinks of abs" in str(kink)
    assert "away from the kinks of abs" in kink.to_json()["evidence"]
    floor = ch.System(
        coordinates=["y"], lagrangian="y'^2/2 - y", stops=[{"position": "y", "restitution": 0.5}]
    )
    assert "between impacts" in str(ch.hamiltonize(floor))
    turned = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", forces={"x": "-y", "y": "x"})
    assert str(ch.hamiltonize(turned)).endswith("= 2, which is not zero")


@pytest.mark.parametrize(
    ("row", "base", "potential"),
    [
        ("z' = x*x' + y*y'", ("x", "y"), "x^2/2 + y^2/2"),
        ("z' = x*y' + y*x'", ("x", "y"), "x*y"),
        ("z' = y*x'", ("y", "z"), "z"),
    ],
)
def test_M4_a_potential_may_contain_the_fibre(row: str, base: tuple[str, ...], potential: str) -> None:
    """V = z: on a leaf z = φ(x, y) + c it is φ, c being no matter."""
    system = ch.System(
        coordinates=["x", "y", "z"], lagrangian="(x'^2 + y'^2 + z'^2)/2 - z", constraints=[row]
    )
    found = ch.hamiltonize(system)
    assert (found.verdict, found.base, found.evidence) == (True, base, "proved")
    at_rest = {(c, 1): 0 for c in base}
    field = Field()
    assert (field(found.lagrangian).subs(at_rest) + field(parse(potential, system.scope))).is_zero


def test_M4_a_potential_whose_slopes_keep_the_fibre_is_refused() -> None:
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - z^2",
        constraints=["z' = x*x' + y*y'"],
    )
    assert ch.hamiltonize(system).obstruction.kind == "no Chaplygin system"


@pytest.mark.parametrize(
    ("rows", "multiplier"),
    [
        (["z' = y*x'", "w' = y^2*x'"], lambda y: (1 + y**2 + y**4) ** -0.5),
        (["z' = y^2*x'", "w' = 0"], lambda y: (1 + y**4) ** -0.5),
        (["z' = sqrt(y^2 + y)*x'", "w' = 0"], lambda y: (1 + y + y**2) ** -0.5),
    ],
)
def test_M4_the_integral_of_d_log_n_needs_no_roots_modulo_a_prime(
    rows: list[str], multiplier: Callable[[float], float]
) -> None:
    """1 + y² + y⁴ = (1 + y + y²)(1 − y + y²), each with an inverse tangent in which √3 occurs."""
    found = ch.hamiltonize(
        ch.System(
            coordinates=["x", "y", "z", "w"], lagrangian="(x'^2 + y'^2 + z'^2 + w'^2)/2", constraints=rows
        )
    )
    assert found.verdict
    assert found.multiplier is not None
    ratios = [evaluate([found.multiplier], {"y": y})[0] / multiplier(y) for y in (0.3, 1.1, 2.7)]
    assert ratios == pytest.approx([ratios[0]] * 3)
    assert found.evidence == "proved"


def test_M4_inverse_tangents_with_a_root_are_found() -> None:
    """∂ log N/∂y = −y (1 + y²)/(1 + y² + y⁴)."""
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + (1 + y^2)*z'^2)/2",
        constraints=["z' = y*x'"],
    )
    found = ch.hamiltonize(system)
    assert found.evidence == "proved"
    assert found.multiplier is not None

    def log_n(y: float) -> float:
        return math.log(evaluate([found.multiplier], {"y": y})[0])

    for y in (0.4, 1.3, -2.1):
        slope = (log_n(y + 1e-5) - log_n(y - 1e-5)) / 2e-5
        assert slope == pytest.approx(-y * (1 + y**2) / (1 + y**2 + y**4), abs=1e-8)
