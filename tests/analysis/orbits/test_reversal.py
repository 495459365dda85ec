"""Reversals: proved, refuted by a state, and what they do to the rattleback (M6)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import chetaev as ch
from formulas import formula, formulas

RATTLEBACK = ch.System(
    name="Rattleback",
    coordinates=["x", "y", "phi", "alpha", "beta"],  # centre; heading, tilts about axes 1 and 2
    parameters={"m": 1, "g": 1, "a": 3, "b": 2, "c": 1, "A": 4, "B": 6, "C": "9/2", "D": -1},
    define={
        "g1": "-cos(alpha)*sin(beta)", "g2": "sin(alpha)", "g3": "cos(alpha)*cos(beta)",  # the vertical
        "w1": "alpha'*cos(beta) - phi'*cos(alpha)*sin(beta)", "w2": "beta' + phi'*sin(alpha)",
        "w3": "alpha'*sin(beta) + phi'*cos(alpha)*cos(beta)",
        "h": "sqrt(a^2*g1^2 + b^2*g2^2 + c^2*g3^2)",  # height of the centre of an ellipsoid
        "r1": "-a^2*g1/h", "r2": "-b^2*g2/h", "r3": "-c^2*g3/h",  # from the centre to the contact
        "u1": "w3*r2 - w2*r3", "u2": "w1*r3 - w3*r1", "u3": "w2*r1 - w1*r2",  # velocity of the centre
        "e1": "u1*cos(beta) + u3*sin(beta)", "e3": "-u1*sin(beta) + u3*cos(beta)",
        "k2": "u2*cos(alpha) - e3*sin(alpha)", "k3": "u2*sin(alpha) + e3*cos(alpha)",
    },
    lagrangian="m*(x'^2 + y'^2 + k3^2)/2 + (A*w1^2 + B*w2^2 + C*w3^2)/2 + D*w1*w2 - m*g*h",
    constraints=["x' = e1*cos(phi) - k2*sin(phi)", "y' = e1*sin(phi) + k2*cos(phi)"],
    initial={"phi'": 2, "alpha'": 0, "beta'": 0},
)  # fmt: skip


@pytest.mark.slow
def test_reversal_of_the_rattleback_carries_an_attractor_into_a_repeller_M6() -> None:
    (R,) = ch.reversals(RATTLEBACK, {})
    assert (R.holds, R.involution) == (True, True)
    spin = {"x": 0.0, "y": 0.0, "phi": 0.0, "alpha": 0.0, "beta": 0.0}
    spin |= {f"{c}_dot": 2.0 if c == "phi" else 0.0 for c in RATTLEBACK.coordinates}
    image = R(spin)
    assert image["phi_dot"] == -2.0
    there, back = (
        ch.periodic(RATTLEBACK, state, period=1.5, relative_to=["x", "y", "phi"], laws=())
        for state in (spin, image)
    )
    assert (there.stable, back.stable) == (True, False)
    one, other = (sorted(o.multipliers[-4:], key=abs) for o in (there, back))
    products = np.array(one) * np.conj(np.array(other[::-1]))
    np.testing.assert_allclose(abs(products), 1, atol=1e-7)  # multipliers μ and 1/μ
    assert max(abs(np.array(one))) < 0.93


def test_rattleback_of_the_gallery_is_reversible_M6() -> None:
    (R,) = ch.reversals(ch.load("rattleback"), {})
    assert (R.holds, R.involution) == (True, True)


def test_energy_of_the_rattleback_is_conserved_all_the_same_M6() -> None:
    """Near the attracting spin tilts die out, near the repelling one they grow, at constant energy."""
    tilts = []
    for speed in (2, -2):
        motion = ch.simulate(RATTLEBACK, until=30, initial={"phi'": speed, "alpha'": 0.01}, at=[0, 20, 30])
        assert float(abs(motion.energy - motion.energy[0]).max()) < 1e-7
        tilts.append(float(abs(motion.alpha_dot[-1]) + abs(motion.beta_dot[-1]) + abs(motion.alpha[-1])))
    assert tilts[0] < 0.01 < tilts[1]


def moved(reversal: Any) -> set[str]:
    """The coordinates that its map changes."""
    return {c for c, e in reversal.map.items() if e != formula(c)}


def test_reversals_are_searched_among_signs_and_proved_M6() -> None:
    found = ch.reversals(ch.load("caratheodory-sleigh"))
    assert [moved(r) for r in found] == [set(), {"y", "phi"}]
    assert all(r.holds for r in found)
    assert "all 8" in found.searched
    magnetic = ch.reversals(ch.load("charged-particle-magnetic"))
    assert all(moved(r) for r in magnetic)  # v -> -v alone is none
    assert len(magnetic) == 2
    assert not ch.reversals(ch.load("damped-sleigh"))
    forced = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2 + x*sin(t)")
    assert [r.map["x"] for r in ch.reversals(forced)] == formulas(["-x"])  # t -> -t turns the forcing around


def test_a_refuted_reversal_has_a_state_that_can_be_looked_at_M6() -> None:
    system = ch.load("damped-sleigh")
    (R,) = ch.reversals(system, {})
    assert R.holds is False
    here = dict(R.witness)
    there = R(here)
    field = ch.field(system)
    values = [
        field(s[system.time], [s[c] for c in system.coordinates], [s[f"{c}_dot"] for c in system.coordinates])
        for s in (here, there)
    ]
    assert np.abs(values[0] - values[1]).max() > 1e-6  # r is the identity: accelerations should be the same


def test_curved_maps_and_nonlinear_constraints_M6() -> None:
    turned = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - (x^2 + y^2)^2")
    (R,) = ch.reversals(turned, {"x": "3*x/5 + 4*y/5", "y": "4*x/5 - 3*y/5"})
    assert (R.holds, R.involution) == (True, True)
    polar = ch.System(coordinates=["r", "phi"], lagrangian="(r'^2 + r^2*phi'^2)/2 - 1/r")
    (R,) = ch.reversals(polar, {"r": "-r"})
    assert R.holds is False  # the potential changes its sign
    assert all(r.holds for r in ch.reversals(ch.load("appell-hamel")))
    assert ch.reversals(ch.load("appell-hamel"), {"z": "-z"})[0].holds is False


def test_first_order_systems_are_reversed_by_their_constraints_M6() -> None:
    text = 'coordinates = ["x", "y"]\n[dynamics.velocities]\nx = "y"\ny = "-x - x^3"\n'
    found = ch.reversals(ch.loads(text))
    assert all(r.holds for r in found)
    assert [moved(r) for r in found] == [{"y"}, {"x"}]
    assert [(r.map["x"], r.map["y"]) for r in found] == formulas([("x", "-y"), ("-x", "y")])


def test_a_level_whose_rate_follows_has_a_chart_M6() -> None:
    """Suslov's body goes from one steady rotation to another, and no closed motion is found."""
    with pytest.raises(ch.ModelError, match="no closed motion was found"):
        ch.periodic(ch.load("suslov-poisson"), period=1)


BAD = [
    (lambda: ch.reversals("model"), "a System"),
    (lambda: ch.reversals(RATTLEBACK, 3), "the maps"),
    (lambda: ch.reversals(RATTLEBACK, [3]), "a reversal is 3"),
    (lambda: ch.reversals(RATTLEBACK, {"q": "x"}), "no coordinate"),
    (lambda: ch.reversals(RATTLEBACK, {"x": "x'"}), "uses x'"),
    (lambda: ch.reversals(RATTLEBACK, {"x": "x", "x'": "x'"}), "in reversed time"),
    (lambda: ch.reversals(RATTLEBACK, {"x": "nothing"}), "unknown name"),
    (lambda: ch.reversals(RATTLEBACK, {})[0]({"x": 1}), "the state is"),
]


@pytest.mark.parametrize(("ask", "words"), BAD)
def test_mistakes_are_answered_by_a_sentence(ask: object, words: str) -> None:
    with pytest.raises(ch.ModelError, match=words):
        ask()


def test_that_there_is_none_is_said_too() -> None:
    damped = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2", forces={"x": "-x'"})
    assert len(ch.reversals(damped)) == 0
    assert "no reversal was found" in str(ch.reversals(damped))
