"""Position constraints internally and by multipliers, shown equal (K12)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chetaev as ch
from chetaev.equations.forms import chetaev, internal
from chetaev.errors import ModelError
from chetaev.model.states.points import random_points
from portions import examples

HOLONOMIC = ("bead-on-rotating-hoop", "pendulum-cartesian", "pendulum-moving-support")


def compare(system, count=3):
    inside, outside = internal.derive(system), chetaev.derive(system)
    for point in random_points(system, count):
        a, mu = inside.evaluate(point)
        b, reactions = outside.evaluate(point)
        assert max(abs(x - y) for x, y in zip(a, b, strict=True)) < 1e-40 * max([1, *map(abs, b)])
        scale = max([1, *map(abs, reactions)])
        assert max((abs(x - y) for x, y in zip(mu, reactions, strict=True)), default=0) < 1e-40 * scale


@pytest.mark.parametrize("name", HOLONOMIC)
def test_K12_accelerations_and_multipliers_agree_on_the_gallery(name):
    compare(ch.load(name))


def test_K12_no_closed_solution_is_needed():
    """φ is a quintic in every coordinate, moves with time, and the Lagrangian is not quadratic."""
    compare(
        ch.System(
            coordinates=["x", "y", "z"],
            lagrangian="(x'^2 + y'^2 + z'^2)/2 + (x' + y')^4/24 + t*x*y' - z*sin(x)",
            constraints={"position": ["x^5 + x + y^5 + y + (1 + t)*z + z^5 = 1"]},
            forces={"x": "-x'*y", "z": "cos(t)"},
        )
    )


@settings(max_examples=examples(5))
@given(st.integers(2, 4), st.data())
def test_K12_random_position_constraints(m, data):
    number = st.integers(-3, 3)
    q = [f"q{i}" for i in range(m)]
    k = data.draw(st.integers(1, m - 1))
    phi = []
    for a in range(k):
        c = [data.draw(number) for _ in range(4)]
        bent = f"{c[0]}*sin({q[-1]}) + {c[1]}*t*{q[-1]} + {c[2]}*{q[a - 1]}^2 + {c[3]}"
        phi.append(f"{q[a]} + {q[a]}^3/5 + ({bent})/7 = 0")
    kinetic = " + ".join(f"(2 + sin({q[i - 1]} + t))*{q[i]}'^2/2" for i in range(m))
    system = ch.System(
        coordinates=q,
        lagrangian=f"{kinetic} + {q[0]}'*{q[-1]}'/3 + {data.draw(number)}*{q[0]}*{q[-1]}' - cos({q[-1]})",
        constraints={"position": phi},
        forces={q[0]: f"{data.draw(number)}*{q[-1]}'"},
    )
    compare(system, 2)


@pytest.mark.parametrize("name", ["rolling-disc", "acceleration-constraint"])
def test_K12_other_constraints_are_refused(name):
    with pytest.raises(ModelError, match="fill no space of events"):
        internal.derive(ch.load(name))
