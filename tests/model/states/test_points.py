"""Random points and random initial data on the constraints."""

from __future__ import annotations

import numpy as np
import pytest

import chetaev as ch
from chetaev.errors import ModelError
from chetaev.model.states import points
from chetaev.model.states.points import sample_point


@pytest.mark.parametrize(
    "name", ["rolling-disc", "leibniz-particle", "relativistic-particle", "double-pendulum"]
)
def test_K13_random_states_lie_on_the_constraints_and_run(name: str) -> None:
    system = ch.load(name)
    states = system.random_states(4, seed=3)
    for data in states:
        state = system.with_initial(data).state
        assert {c: data[c] for c in system.coordinates} == state.position
        assert np.max(np.abs(state.residuals), initial=0.0) < 1e-12
    motion = ch.simulate(system, until=states[0][system.time] + 0.05, initial=states[0], at=2)
    assert motion.attrs["status"] == "done"


def test_random_states_are_seeded_and_spread() -> None:
    system = ch.load("rolling-disc")
    first, again, other = (system.random_states(5, seed=s) for s in (1, 1, 2))
    assert first == again
    assert first != other
    for name in system.coordinates:
        assert np.std([data[name] for data in first]) > 0.1


def test_both_branches_of_a_cone_are_reached() -> None:
    system = ch.System(
        coordinates=["x", "y", "z"], lagrangian="x'^2 + y'^2 + z'^2", constraints=["z'^2 = x'^2 + y'^2"]
    )
    signs = {np.sign(data["z_dot"]) for data in system.random_states(12)}
    assert signs == {1.0, -1.0}


@pytest.mark.parametrize("wrong", [-1, 1.5, "3", None, True])
def test_a_wrong_number_of_states_is_a_sentence(wrong: object) -> None:
    with pytest.raises(ModelError, match="random states"):
        ch.load("knife-edge").random_states(wrong)  # type: ignore[arg-type]


@pytest.mark.slow
def test_where_no_point_can_be_found_it_is_said() -> None:
    system = ch.System(coordinates=["x", "y"], lagrangian="x'^2 + y'^2", constraints=["x'^2 + y'^2 = -1"])
    with pytest.raises(ModelError, match="no point of the constraint could be found"):
        system.random_states(1)


@pytest.mark.slow
def test_a_contradiction_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """300 random points were tried again by every question about the system."""
    system = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", constraints=["x' = 1", "x' = 2"])
    drawn: list[int] = []
    draw = points._draw
    monkeypatch.setattr(points, "_draw", lambda *given: drawn.append(1) or draw(*given))
    for _ in range(2):
        with pytest.raises(ch.ModelError, match="contradict"):
            sample_point(system)
    assert len(drawn) == points.HOPELESS
