"""Motions in quasi-velocities: the same as in (q, v), on the constraints by construction (issue 12, 2)."""

from __future__ import annotations

import numpy as np
import pytest

import chetaev as ch
from chetaev.errors import ModelError
from portions import some

NAMES = ["caratheodory-sleigh", "pendulum-moving-support", "rolling-disc", "rolling-ball", "snakeboard",
         "suslov", "dog-pursues-man", "ball-on-accelerated-table", "differential-drive", "double-pendulum",
         "leibniz-particle",
         "semiholonomic-cone", "damped-sleigh"]  # fmt: skip


@pytest.mark.few(2)
@pytest.mark.parametrize("name", some(NAMES, 6))
def test_D5_motions_in_quasi_velocities_are_those_in_velocities(name: str) -> None:
    system = ch.load(name)
    until = system.state.t + 1.5
    found = ch.simulate(system, until, at=7, tolerance=1e-11, form="quasi")
    plain = ch.simulate(system, until, at=7, tolerance=1e-11, quasi=True)
    for key in [k for c in system.coordinates for k in (c, f"{c}_dot")]:
        assert np.allclose(found[key], plain[key], rtol=1e-8, atol=1e-8), key
    assert found.attrs["form"] == "quasi"
    assert "form" not in plain.attrs
    if "residual" in found:
        assert float(abs(found.residual).max()) < 1e-13
    more = set(found) - set(ch.simulate(system, until, at=1))
    law = ch.equations(system, "quasi")
    assert more == {n for n in law.quasi_frame.labels if "'" not in n} == set(plain) & more
    for name in more:
        assert np.allclose(found[name], plain[name], rtol=1e-8, atol=1e-8)


def test_the_sleigh_ends_as_its_closed_solution_says() -> None:
    """v = V tanh(a V (t − t0)/b²), b² = (J + m a²)/m, V² = 2E/m, in the words of the model."""
    sleigh = ch.load("caratheodory-sleigh")
    motion = ch.simulate(sleigh, 20.0, at=5, form="quasi", tolerance=1e-12)
    m, J, a = (sleigh.parameter_values[n] for n in ("m", "J", "a"))
    u, w = motion.u.values, motion.phi_dot.values
    V = np.sqrt(u[0] ** 2 + (J + m * a**2) / m * w[0] ** 2)
    rate = a * V * m / (J + m * a**2)
    start = np.arctanh(u[0] / V)
    assert np.allclose(u, V * np.tanh(rate * motion.time.values + start), atol=1e-8)


def test_events_and_laws_may_use_the_names() -> None:
    sleigh = ch.load("caratheodory-sleigh")
    motion = ch.simulate(
        sleigh, 20.0, at=3, form="quasi", events=[ch.Event("u", direction=1, terminal=True)], check=True
    )
    assert motion.attrs["status"] == "event"
    assert abs(float(motion.u[-1])) < 1e-8
    assert motion.attrs["check_error"] < 1e-6
    named = ch.System(
        coordinates=["x", "y", "phi"], lagrangian="x'^2 + y'^2 + phi'^2 + x",
        constraints=["x'*sin(phi) = y'*cos(phi)"], quasi={"u": "x'*cos(phi) + y'*sin(phi)", "w": "phi'"},
        initial={"x_dot": 1, "phi_dot": 1}, until=1,
    )  # fmt: skip
    plain = ch.simulate(named, at=3, events=["u - 1.2"], laws={"half": "u^2/2"})
    assert "u" not in plain
    assert np.isfinite(plain.half).all()
    assert [event["name"] for event in plain.attrs["events"]] == ["u - 1.2"]


def test_what_cannot_be_run_in_quasi_velocities_is_said() -> None:
    for name, words in (("implicit-constraint", "not affine"), ("steered-car", "no momenta")):
        with pytest.raises(ModelError, match=words):
            ch.simulate(ch.load(name), 1.0, form="quasi")
    with pytest.raises(ModelError, match="a run in the form 'hamel'"):
        ch.simulate(ch.load("knife-edge"), 1.0, form="hamel")
    with pytest.raises(ModelError, match="runs in doubles"):
        ch.simulate(ch.load("knife-edge"), 1.0, form="quasi", precision=30)
    singular = ch.System(
        coordinates=["x", "y", "phi"], lagrangian="x'^2 + y'^2 + phi'^2",
        constraints=["x'*sin(phi) = y'*cos(phi)"], quasi={"u": "x'", "w": "phi'"},
        initial={"phi": "pi/2", "y_dot": 1, "phi_dot": 0}, until=1,
    )  # fmt: skip
    assert ch.simulate(singular, at=2).attrs["status"] == "done"
    with pytest.raises(ModelError, match="singular at the initial state"):
        ch.simulate(singular, form="quasi")
