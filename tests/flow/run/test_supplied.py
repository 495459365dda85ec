"""Forces from Python functions: the same motion as with the force in the model, and honest errors."""

from __future__ import annotations

import json

import numpy as np
import pytest

import chetaev as ch

SLEIGH = ch.load("caratheodory-sleigh")


@pytest.mark.parametrize("method", ["dop853", "radau"])
def test_a_function_moves_a_constrained_system_like_its_formula(method: str) -> None:
    told = {**{c: str(f) for c, f in SLEIGH.forces.items()}, "phi": "-0.3*phi' + 0.1*sin(t)*x"}
    written = ch.loads(
        SLEIGH.to_toml().replace(
            "[constraints]", '[dynamics.forces]\nphi = "' + told["phi"] + '"\n\n[constraints]'
        )
    )
    called = {"phi": lambda t, q, v: -0.3 * v["phi"] + 0.1 * np.sin(t) * q["x"]}
    a = ch.simulate(written, at="0:3:0.5", method=method)
    b = ch.simulate(SLEIGH, at="0:3:0.5", method=method, forces=called)
    for name in ("x", "phi", "phi_dot", "phi_ddot", "multiplier", "reaction_x"):
        assert np.allclose(a[name], b[name], atol=1e-7), name
    assert json.loads(b.attrs["supplied_forces"]) == {"phi": "<lambda>"}
    assert ch.loads(b.attrs["model"]) == SLEIGH


def test_a_function_may_meet_friction_that_sticks() -> None:
    block = ch.System(
        coordinates=["x"], lagrangian="x'^2/2", forces={"x": "-sign(x')"}, initial={"x": 0, "x_dot": 0}
    )
    run = ch.simulate(block, until=2, forces={"x": lambda t, q, v: 1.5 * np.sin(t)})
    (first, *_) = run.attrs["held"]
    assert first["to"] == pytest.approx(np.arcsin(2 / 3), abs=1e-7)


def test_functions_that_fail_are_told_with_time_and_coordinate() -> None:
    def broken(t, q, v):
        return 1 / (t - 1) if t < 1 else q["y"]

    with pytest.raises(ch.ModelError, match=r"force on 'x' failed at t = .*KeyError: 'y'"):
        ch.simulate(
            ch.System(coordinates=["x"], lagrangian="x'^2/2", initial={"x": 0, "x_dot": 0}),
            until=0.5,
            forces={"x": lambda t, q, v: q["y"]},
        )
    for forces, said in (
        ({"z": broken}, "no coordinate 'z'"),
        ({"x": "-x"}, "forces in the model language belong into the model"),
        ({"x": lambda t: 1}, "1 positional argument but 3"),
        ({"x": lambda t, q, v: "much"}, "could not convert"),
    ):
        with pytest.raises(ch.ModelError, match=said):
            ch.simulate(SLEIGH, until=1, forces=forces)
    with pytest.raises(ch.ModelError, match="run in doubles"):
        ch.simulate(SLEIGH, until=1, forces={"x": lambda t, q, v: 0.0}, precision=20)
