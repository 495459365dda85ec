"""Switches that pile up, kinks of tables in equations of first order, and pulses between steps."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import chetaev as ch
from chetaev.cli import run


@pytest.mark.parametrize(("friction", "start"), [(0.5, 1.0), (0.25, 2.0), (0.75, 0.5)])
def test_switches_that_pile_up_end_the_run(friction: float, start: float) -> None:
    """x'' = −sign x − μ sign x' from rest at a: inwards for √(2a/(1 − μ)), outwards to a' = a (1 − μ)/(1 + μ)
    for √(2a'/(1 + μ)), and so on; the sum of all times is finite."""
    relay = ch.System(
        coordinates=["x"], lagrangian="x'^2/2", forces={"x": f"-sign(x) - {friction}*sign(x')"},
        initial={"x": start, "x'": 0},
    )  # fmt: skip
    motion = ch.simulate(relay, until=100)
    swing, total = start, 0.0
    ratio = (1 - friction) / (1 + friction)
    for _ in range(200):
        total += math.sqrt(2 * swing / (1 - friction)) + math.sqrt(2 * swing * ratio / (1 + friction))
        swing *= ratio
    assert motion.attrs["status"] == "switches pile up"
    assert "x = " in motion.attrs["reason"]
    assert abs(motion.attrs["end_time"] - total) < 1e-6
    assert abs(float(motion.x[-1])) < 1e-12


def test_dry_friction_on_its_own_still_sticks() -> None:
    block = ch.System(
        coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", forces={"x": "-sign(x')/2", "y": "-sign(y')/2"},
        initial={"x": 0, "y": 0, "x'": 1, "y'": 1},
    )  # fmt: skip
    motion = ch.simulate(block, until=5)
    assert motion.attrs["status"] == "done"
    np.testing.assert_allclose([float(motion.x[-1]), float(motion.y[-1])], 1, atol=1e-9)


def test_an_equation_of_first_order_goes_over_kinks_of_its_table() -> None:
    """x' = w(t), a roof: x(2) is its area."""
    driven = ch.loads("""
coordinates = ["x"]
[data.w]
t = [0, 1, 2, 3]
values = [0, 1, 0, 1]
interpolation = "linear"
[dynamics.velocities]
x = "w(t)"
[initial.position]
x = 0
""")
    motion = ch.simulate(driven, until=3, check=True)
    assert motion.attrs["status"] == "done"
    assert abs(float(motion.x[-1]) - 1.5) < 1e-9
    assert motion.attrs["check_error"] < 1e-9


@pytest.mark.parametrize("at", [5.0, 0.7, 9.9])
@pytest.mark.parametrize("sense", [1, -1])
def test_a_pulse_is_not_stepped_over(at: float, sense: int) -> None:
    """1000 exp(−10⁶ (t − a)²) gives a body at rest the velocity √π, in runs either way."""
    hit = ch.System(
        coordinates=["x"], lagrangian="x'^2/2", forces={"x": f"1000*exp(-10^6*(t - {at})^2)"},
        initial={"x": 0, "x'": 0, "t": 0 if sense > 0 else 10},
    )  # fmt: skip
    motion = ch.simulate(hit, until=10 if sense > 0 else 0)
    assert abs(sense * float(motion.x_dot[-1]) - math.sqrt(math.pi)) < 1e-7


@pytest.mark.parametrize(
    ("force", "impulse"),
    [
        ("10^5*exp(-10^10*(t - 7.123)^2)", math.sqrt(math.pi)),
        ("10^8*exp(-10^16*(t - 1.7)^2)", math.sqrt(math.pi)),
        ("10^4/cosh(10^4*(t - 6.1))^2", 2.0),
        ("10^6/(1 + 10^14*(t - 4.4)^2)", math.pi / 10),
        ("10^6*exp(-10^12*(sin(t) - 1/2)^2)", 8 * math.sqrt(math.pi / 3)),  # four times, |cos t| = √3/2
    ],
)
def test_pulses_narrower_than_the_distance_of_samples(force: str, impulse: float) -> None:
    hit = ch.System(coordinates=["x"], lagrangian="x'^2/2", forces={"x": force}, initial={"x": 0, "x'": 0})
    motion = ch.simulate(hit, until=10, check=True)
    assert abs(float(motion.x_dot[-1]) - impulse) < 1e-6
    assert motion.attrs["check_error"] < 1e-6


def test_lanes_end_steps_at_pulses_as_single_motions_do() -> None:
    hit = ch.System(
        coordinates=["x"], lagrangian="x'^2/2", parameters={"c": 1},
        forces={"x": "c*exp(-10^6*(t - 5)^2)"}, initial={"x": 0, "x'": 0},
    )  # fmt: skip
    runs = {"over": {"c": [0, 1, 10, 1000]}, "until": 10}
    wide, alone = (ch.ensemble(hit, **runs, lanes=n) for n in (4, 1))
    assert wide.identical(alone)
    np.testing.assert_allclose(wide["final"][:, 1], wide["c"] * math.sqrt(math.pi) / 1000, atol=1e-7)


BARRIER = ch.System(
    coordinates=["x"], lagrangian="x'^2/2", forces={"x": "1000*exp(-10^6*(x - 1/2)^2)"},
    initial={"x": 0, "x'": 0.1},
)  # fmt: skip
AFTER = math.sqrt(0.01 + 2 * math.sqrt(math.pi))
"""Its work is √π."""


def test_a_check_takes_other_steps_than_the_run() -> None:
    """A force that acts in a narrow place is stepped over; the second run does not."""
    motion = ch.simulate(BARRIER, until=10, check=True)
    missed = abs(float(motion.x_dot[-1]) - AFTER)
    assert missed < 1e-6 or motion.attrs["check_error"] > 0.1


@pytest.mark.parametrize("method", ["dop853", "radau", "auto"])
def test_no_step_is_longer_than_the_longest(method: str) -> None:
    motion = ch.simulate(BARRIER, until=10, max_step=0.005, method=method)
    assert abs(float(motion.x_dot[-1]) - AFTER) < 1e-6
    assert motion.attrs["steps"] >= 2000
    found = ch.ensemble(BARRIER, {"x": [0.0, 0.1]}, until=10, max_step=0.005, method=method)
    np.testing.assert_allclose(found["final"][:, 1], AFTER, atol=1e-6)


def test_the_longest_step_is_an_option(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = tmp_path / "barrier.toml"
    model.write_text(BARRIER.to_toml(), encoding="utf-8")
    assert run(["simulate", str(model), "--until", "10", "--max-step", "0.005", "--json"]) == 0
    assert abs(json.loads(capsys.readouterr().out)["variables"]["x_dot"][-1] - AFTER) < 1e-6
    store = str(tmp_path / "out.zarr")
    asked = ["--grid", "x=0", "--until", "10", "--max-step", "0.005"]
    assert run(["sweep", str(model), *asked, "-o", store]) == 0
    np.testing.assert_allclose(ch.read(store)["final"][:, 1], AFTER, atol=1e-6)


@pytest.mark.parametrize(
    "given", [{"max_step": 0}, {"max_step": "a"}, {"max_step": 0.1, "precision": 30},
              {"max_step": 0.1, "method": "leapfrog", "step": 0.01}]
)  # fmt: skip
def test_a_longest_step_that_means_nothing_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(ch.ModelError, match=r"longest step|max_step"):
        ch.simulate(BARRIER, until=1, **given)


FRICTION = {c: f"-{c}'/sqrt(x'^2 + y'^2)" for c in "xy"}
BELT = {"x": "-(x' - 1/3)/sqrt((x' - 1/3)^2 + y'^2)", "y": "-y'/sqrt((x' - 1/3)^2 + y'^2)"}


PLANE = "(x'^2 + y'^2 - x^2 - 2*y^2)/2"


@pytest.mark.parametrize(
    ("lagrangian", "forces", "start"),
    [
        (PLANE, FRICTION, (1, 0.5)),
        (PLANE, FRICTION, (0, 0.7)),
        ("(x'^2 + y'^2 - x^2 - y^2)/2", FRICTION, (1, 0.5)),
        ("(3*x'^2 + x'*y' + y'^2 - x^2 - 2*y^2)/2", FRICTION, (1, 0.5)),
        (PLANE, BELT, (1, 0.5)),
    ],
)
def test_planar_dry_friction_with_springs_ends_where_it_sticks(
    lagrangian: str, forces: dict[str, str], start: tuple[float, float]
) -> None:
    """Steps come to rest from any side, and schemes have fixed points beside the jump."""
    puck = ch.System(
        coordinates=["x", "y"], lagrangian=lagrangian, forces=forces,
        initial={"x": 5, "y": 0, "x'": start[0], "y'": start[1]},
    )  # fmt: skip
    motion = ch.simulate(puck, until=60)
    assert motion.attrs["status"] == "law jumps"
    assert motion.attrs["steps"] < 30_000
    slip = float(motion.x_dot[-1]) - (1 / 3 if forces is BELT else 0)
    assert abs(slip) + abs(float(motion.y_dot[-1])) < 1e-7


@pytest.mark.parametrize(
    ("force", "start", "speed"),
    [
        ("1000*max(0, -x)^(3/2)", (1, -1), 1.0),  # Hertz's contact gives back what it took
        ("-sqrt(abs(x))*sign(x)", (1, 0), None),
        ("-abs(x)^(1/3)*sign(x)", (1, 0), None),
    ],
)
def test_roots_of_what_has_a_kink_are_crossed(
    force: str, start: tuple[float, float], speed: float | None
) -> None:
    """A branch of |x| or max has no root beyond its end, which steps pass by their last bits."""
    body = ch.System(
        coordinates=["x"], lagrangian="x'^2/2", forces={"x": force},
        initial={"x": start[0], "x'": start[1]},
    )  # fmt: skip
    motion = ch.simulate(body, until=5, at=1001, laws={"size": "abs(x)"})
    assert motion.attrs["status"] == "done"
    if speed is not None:
        assert float(motion.x_dot[-1]) == pytest.approx(speed, abs=1e-6)
    else:
        power = 1.5 if "sqrt" in force else 4 / 3
        energy = motion.x_dot.values**2 / 2 + motion["size"].values ** power / power
        np.testing.assert_allclose(energy, energy[0], rtol=1e-6)


def test_changes_of_branches_on_the_spot_end_the_run() -> None:
    """x' = −√|x| sign x is at rest after 2."""
    system = ch.loads(
        'coordinates = ["x"]\n[dynamics.velocities]\nx = "-sqrt(abs(x))*sign(x)"\n[initial.position]\nx = 1'
    )
    motion = ch.simulate(system, until=3)
    assert motion.attrs["status"] == "switches pile up"
    assert motion.attrs["end_time"] == pytest.approx(2, abs=1e-3)


def test_planar_dry_friction_ends_at_rest() -> None:
    """−v/|v|: at rest after |v₀| the law has no value, and steps that go to and fro end the run."""
    puck = ch.System(
        coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2",
        forces={"x": "-x'/sqrt(x'^2 + y'^2)", "y": "-y'/sqrt(x'^2 + y'^2)"},
        initial={"x": 0, "y": 0, "x'": 1, "y'": 0.5},
    )  # fmt: skip
    motion = ch.simulate(puck, until=3)
    assert motion.attrs["status"] == "law jumps"
    assert "x' = " in motion.attrs["reason"]
    assert abs(motion.attrs["end_time"] - math.sqrt(1.25)) < 1e-2
    assert motion.attrs["steps"] < 20_000


def test_long_runs_of_fast_oscillations_follow_their_law() -> None:
    fast = ch.System(coordinates=["x"], lagrangian="x'^2/2 - 10^6*x^2/2", initial={"x": 1, "x'": 0})
    motion = ch.simulate(fast, until=20, at=[20.0])
    assert (motion.attrs["status"], motion.attrs["steps"] > 10_000) == ("done", True)


def test_explicit_steps_in_a_stiff_system_follow_their_law() -> None:
    stiff = ch.System(
        coordinates=["x"], lagrangian="x'^2/2 - x^2/2", forces={"x": "-10^5*x'"}, initial={"x": 1, "x'": 0}
    )
    motion = ch.simulate(stiff, until=2, at=[2.0])
    assert (motion.attrs["status"], motion.attrs["steps"] > 20_000) == ("done", True)
