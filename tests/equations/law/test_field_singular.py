"""`ch.field` where a law is singular: nan, whatever rounding errors leave in its matrix."""

from __future__ import annotations

import numpy as np
import pytest

import chetaev as ch


@pytest.mark.few(4)
@pytest.mark.parametrize("form", ["euler-lagrange", "gauss", "chetaev"])
@pytest.mark.parametrize(
    "lagrangian",
    [
        "sqrt(x'^2 + y'^2 + z'^2)",  # homogeneous of degree 1: v spans the kernel of M
        "sqrt(x'^2 + exp(y)*y'^2 + z'^2) - x",
        "(x'*sin(x) + exp(y)*y'/3)^2/2 + z'^2/2 - x*y",
    ],
)
def test_a_law_that_is_singular_everywhere_has_no_finite_value(lagrangian: str, form: str) -> None:
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=(60, 3)), rng.normal(size=(60, 3))
    system = ch.System(coordinates=["x", "y", "z"], lagrangian=lagrangian)
    assert np.isnan(ch.field(system, form)(0.0, q, v)).all()


def test_an_ill_conditioned_law_is_right_to_the_last_digits() -> None:
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="((x' + y')^2 + w*y'^2 - 2*x - 2*y - 2*w*y)/2",
        parameters={"w": 1e-12},
    )
    a = ch.field(system, "euler-lagrange")(0.0, [[0.3, 0.2]] * 2, [[0.1, 0.4]] * 2)
    np.testing.assert_allclose(a, [[0.0, -1.0]] * 2, atol=1e-14)


def test_points_off_Q_are_refused_by_singular() -> None:
    pendulum = ch.System(
        coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", constraints={"position": ["x^2 + y^2 = 1"]}
    )
    assert ch.singular(pendulum, {"x": 0.6, "y": 0.8, "x'": -0.8, "y'": 0.6}).regular
    with pytest.raises(ch.ModelError, match=r"not on the constraint x\^2 \+ y\^2 = 1: it is missed by 3"):
        ch.singular(pendulum, {"x": 2, "y": 0, "x'": 0, "y'": 3})
    with pytest.raises(ch.ModelError, match="derivative, as a condition on velocities, is missed by 2"):
        ch.singular(pendulum, {"x": 1, "y": 0, "x'": 1, "y'": 3})
    skate = ch.load("knife-edge")
    with pytest.raises(ch.ModelError, match="not on the constraint"):
        ch.singular(skate, {"x": 0, "y": 0, "phi": 0, "x'": 0, "y'": 1, "phi'": 0, "t": 0})
