"""What a run is asked for: parameters and initial data together, what is missing, how many steps."""

from __future__ import annotations

import numpy as np
import pytest

import chetaev as ch
from chetaev.cli import run


def pendulum() -> ch.System:
    return ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - 9.8*y",
        constraints={"position": ["x^2 + y^2 = l^2"]},
        parameters={"l": 1.5},
        initial={"x": 1.5, "y": 0, "y'": 0},
        until=0.2,
    )


def spring(**initial: float) -> ch.System:
    return ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2", initial={"x": 1, "x'": 0, **initial})


def test_parameters_and_the_initial_data_that_match_them_are_laid_over_together() -> None:
    motion = ch.simulate(pendulum(), at=3, parameters={"l": 2}, initial={"x": 2})
    np.testing.assert_allclose(motion.x**2 + motion.y**2, 4.0, rtol=1e-12)
    found = ch.sensitivities(pendulum(), until=0.1, parameters={"l": 2}, initial={"x": 2})
    assert np.isfinite(found.by_initial).all()
    with pytest.raises(ch.ModelError, match="misses the constraint"):
        ch.simulate(pendulum(), parameters={"l": 2})


def test_the_command_line_lays_them_over_together_too(tmp_path, capsys) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "pendulum.toml"
    path.write_text(pendulum().to_toml(), encoding="utf-8")
    assert run(["simulate", str(path), "--set", "l=2", "--set", "x=2", "--json"]) == 0
    assert run(["simulate", str(path), "--set", "l=2"]) == 2
    assert "misses the constraint" in capsys.readouterr().err


def test_a_position_that_is_left_out_is_solved_or_refused() -> None:
    with pytest.raises(ch.ModelError, match="initial position of 'x' is None"):
        ch.simulate(spring(), until=1, initial={"x": None})
    with pytest.raises(ch.ModelError, match="initial time is None"):
        ch.simulate(spring(), until=1, initial={"t": None})
    assert pendulum().with_initial(x=None, y=0.9).state.position["x"] == pytest.approx(1.2)


def test_acceleration_constraints_have_residuals() -> None:
    motion = ch.simulate(ch.load("acceleration-constraint"), at=5)
    assert motion.attrs["status"] == "done"
    assert float(abs(motion.residual).max()) < 1e-9


def test_a_run_to_the_end_of_time_says_that_it_used_up_its_steps() -> None:
    motion = ch.simulate(spring(), until=1e300, max_steps=2000)
    assert motion.attrs["status"] == "max steps"
    assert "2000 steps" in motion.attrs["reason"]
    assert "--max-steps" in motion.attrs["reason"]
    assert motion.attrs["end_time"] > 100
    for wrong in (0, True, 1.5):
        with pytest.raises(ch.ModelError, match="max_steps"):
            ch.simulate(spring(), until=1, max_steps=wrong)  # type: ignore[arg-type]


def test_reactions_are_in_the_data_set_under_names_that_no_coordinate_bears() -> None:
    system = ch.System(
        coordinates=["x", "reaction_x"],
        lagrangian="(x'^2 + reaction_x'^2)/2 - x",
        constraints=["x' = reaction_x'"],
        initial={"x'": 0},
    )
    motion = ch.simulate(system, until=1, at=2)
    np.testing.assert_allclose(motion["reaction_x_"], 0.5, rtol=1e-12)
    np.testing.assert_allclose(motion["reaction_reaction_x"], -0.5, rtol=1e-12)


def test_a_tolerance_out_of_range_and_a_law_that_no_file_can_name_are_told() -> None:
    for wrong in (0, -1, 1e-16, 1, float("nan"), "1e-9"):
        with pytest.raises(ch.ModelError, match="the tolerance is") as told:
            ch.simulate(spring(), until=1, tolerance=wrong)  # type: ignore[arg-type]
        assert "from 2e-15 to 0.1" in str(told.value)
    for name in ("", "a/b", ".hidden"):
        with pytest.raises(ch.ModelError, match="a law is named"):
            ch.simulate(spring(), until=1, laws={name: "x"})
