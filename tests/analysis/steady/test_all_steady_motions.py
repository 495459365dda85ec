"""Steady motions against root finding: none is lost because exact numbers grow long there."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import chetaev as ch

DISC = ch.load("rolling-disc")


@pytest.mark.parametrize(
    ("psi", "phi", "tilts"), [(3, 1, (-2.901557842, 0.2128461672)), (2, "0.7", None), (5, 2, None)]
)
def test_the_circling_disc_is_found_M6(psi: object, phi: object, tilts: tuple[float, ...] | None) -> None:
    found = ch.relative_equilibria(DISC, ["x", "y", "psi", "phi"], given={"psi'": psi, "phi'": phi})
    assert found.complete
    acceleration = ch.field(DISC)
    for e in found:
        q, v = ([e.state[c + end] for c in DISC.coordinates] for end in ("", "_dot"))
        a = dict(zip(DISC.coordinates, acceleration(0.0, q, v), strict=True))
        assert [a["theta"], a["psi"], a["phi"]] == pytest.approx([0, 0, 0], abs=1e-9)
    assert any(0 < e.state["theta"] < math.pi / 2 for e in found)
    if tilts:
        assert [e.state["theta"] for e in found] == pytest.approx(tilts, abs=1e-9)


def test_a_governor_with_its_hinge_off_the_axis_M6() -> None:
    system = ch.System(coordinates=["a", "phi"], lagrangian="a'^2/2 + phi'^2*(2 + sin(a))^2/2 + 2*cos(a)")
    found = ch.relative_equilibria(system, ["phi"], given={"phi'": 2})
    assert [(e.state["a"], e.stable) for e in found] == [
        (pytest.approx(-2.0005507), False), (pytest.approx(1.4049022), True)
    ]  # fmt: skip
    assert found.complete
    # its numbers are those of a steady motion, given in doubles
    near = ch.linearize(system, at=dict(found[1].state), relative_to=["phi"])
    assert near.kind == "relative equilibrium"
    assert near.eigenvalues == pytest.approx(found[1].eigenvalues, abs=1e-6)
    assert "none" not in str(near)
    assert "exact (" not in str(near)


@pytest.mark.slow
def test_conical_double_pendulums_M6() -> None:
    system = ch.System(
        coordinates=["a", "b", "phi"],
        lagrangian="a'^2 + b'^2/2 + a'*b'*cos(a - b) + phi'^2*(2*sin(a)^2 + 2*sin(a)*sin(b) + sin(b)^2)/2"
        " + 2*cos(a) + cos(b)",
    )
    found = ch.relative_equilibria(system, ["phi"], given={"phi'": 2})
    for e in found:
        a, b = e.state["a"], e.state["b"]
        pulls = [
            4 * math.cos(a) * (2 * math.sin(a) + math.sin(b)) - 2 * math.sin(a),
            4 * math.cos(b) * (math.sin(a) + math.sin(b)) - math.sin(b),
        ]
        assert pulls == pytest.approx([0, 0], abs=1e-12)
    assert len(found) == 8
    assert sum(e.stable is True for e in found) == 2


def arms(seed: int) -> tuple[ch.System, float, list[tuple[float, bool | None]]]:
    """I(a) φ'²/2 + a'²/2 − V(a), trigonometric, and its steady motions from roots on the circle."""
    draw = random.Random(seed)
    i1, i2 = draw.choice([-1, 1, 2]), draw.choice([0, 1])
    v1, v2 = draw.randint(1, 4), draw.randint(-3, 3)
    w = draw.choice([1, 2, 0.5, 1.3])
    inertia = f"(5 + {i1}*sin(a) + {i2}*cos(a))"
    system = ch.System(
        coordinates=["a", "phi"],
        lagrangian=f"a'^2/2 + phi'^2*{inertia}/2 - ({v1}*cos(a) + {v2}*sin(2*a))",
    )
    # w²/2 I' − V' = w²/2 (i1 cos a − i2 sin a) + v1 sin a − 2 v2 cos 2a, times 2 z², in z = e^{ia}
    c, s = w**2 / 2 * i1, v1 - w**2 / 2 * i2
    polynomial = [-2 * v2, c - 1j * s, 0, c + 1j * s, -2 * v2]
    while polynomial and polynomial[0] == 0:
        polynomial = polynomial[1:-1]
    found = []
    for z in np.roots(polynomial):
        if abs(abs(z) - 1) < 1e-6 and all(abs(z - np.exp(1j * b)) > 1e-6 for b, _ in found):
            a = float(np.angle(z)) if abs(z + 1) > 1e-6 else math.pi
            J = 5 + i1 * math.sin(a) + i2 * math.cos(a)
            dJ, ddJ = i1 * math.cos(a) - i2 * math.sin(a), -i1 * math.sin(a) - i2 * math.cos(a)
            bend = -v1 * math.cos(a) - 4 * v2 * math.sin(2 * a) - w**2 / 2 * ddJ + w**2 * dJ**2 / J
            found.append((a, bend > 0 if abs(bend) > 1e-9 else None))
    return system, w, sorted(found)


def compared(seed: int) -> int:
    system, w, wanted = arms(seed)
    found = ch.relative_equilibria(system, ["phi"], given={"phi'": w})
    assert found.complete
    told = sorted((math.remainder(e.state["a"], 2 * math.pi), e.stable) for e in found)
    assert [a for a, _ in told] == pytest.approx([a for a, _ in wanted], abs=1e-7), seed
    assert all(s is t for (_, s), (_, t) in zip(told, wanted, strict=True) if t is not None), seed
    return len(told)


def test_arms_that_turn_M6() -> None:
    assert sum(map(compared, range(3)))


@pytest.mark.slow
def test_a_hundred_steady_motions_M6() -> None:
    assert sum(map(compared, range(3, 50))) >= 100


@pytest.mark.parametrize(
    ("lagrangian", "given"),
    [
        ("(r'^2 + r^2*phi'^2)/2 - 10*(r - 1)^2 - r^4/4", 1),
        ("(r'^2 + r^2*phi'^2)/2 - 10*(r - 1)^2 + 3*cos(r)", "0.7"),
        ("(r'^2 + (1 + r^2)*phi'^2)/2 - r^12/12 + r^7/7 - r/3", "0.77"),
        ("(r'^2 + (1 + r^2)*phi'^2)/2 - 123456789.123*r^21/21 + 987654321.7*r^10/10 - r", "0.123456789"),
    ],
)
def test_springs_and_high_polynomials_M6(lagrangian: str, given: object) -> None:
    system = ch.System(coordinates=["r", "phi"], lagrangian=lagrangian)
    found = ch.relative_equilibria(system, ["phi"], given={"phi'": given})
    assert found
    assert found.seen.singular == 0
    for e in found:
        q, v = ([e.state[c + end] for c in system.coordinates] for end in ("", "_dot"))
        scale = max(1.0, abs(e.eigenvalues).max() ** 2)
        assert abs(ch.field(system)(0.0, q, v)[0]) < 1e-9 * scale
        assert e.stable is not None
        # a state that is the nearest in doubles is what it stands for
        assert ch.linearize(system, at=dict(e.state), relative_to=["phi"]).kind == "relative equilibrium"
