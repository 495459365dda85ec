"""Systems on Q itself and mixed first- and second-order systems (K25, Sa1)."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.constraint import contact_forms
from chetaev.equations.forms import chetaev, reduced
from chetaev.equations.law.law import SingularError
from chetaev.equations.law.systems_on_q import SystemOnQ
from chetaev.errors import ModelError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.model.states.points import random_points
from given_on_q import mixed, on_submanifold


def test_K25_the_leibniz_particle_from_its_own_A_B_and_g():
    """Given on Q, upper sheet, without any Lagrangian (Swaczyna 5.4, with the right sign of A')."""
    g = "sqrt(C - x'^2 - y'^2)"
    on_q = on_submanifold(
        ["x", "y", "z"],
        g={"z": g},
        A={"x": f"m*G*x'/{g}", "y": f"m*G*y'/{g}"},
        B={(a, b): f"-m*({int(a == b)} + {a}'*{b}'/{g}^2)" for a in "xy" for b in "xy"},
        parameters={"m": 1, "G": 9.8, "C": 9},
        initial={"x_dot": 1, "y_dot": 1},
    )
    law, reference = reduced.derive(on_q), chetaev.derive(ch.load("leibniz-particle"))
    for point in random_points(on_q, 4):
        a, b = law.evaluate(point)[0], reference.evaluate(point | {"g": point["G"], "v0": 3})[0]
        assert max(abs(x - y) for x, y in zip(a, b, strict=True)) < 1e-40 * max(1, *map(abs, b))
    assert law.multiplier_rows is None


def test_Sa1_a_mixed_system_has_no_lagrangian():
    system = mixed(["x", "y", "w"], second={"x": "-x - k*x' + w"}, first={"y": "sin(x)*x'^2", "w": "t*y - w"},
                   parameters={"k": 0.3})  # fmt: skip
    law = reduced.derive(system)
    point = next(random_points(system, 1))
    t, x, y, w, v = point["t"], point["x", 0], point["y", 0], point["w", 0], point["x", 1]
    from mpmath import mp

    with mp.workdps(50):
        a = -x - mp.mpf(3) / 10 * v + w
        first = mp.sin(x) * v**2
        expected = [a, mp.cos(x) * v**3 + 2 * mp.sin(x) * v * a, y + t * first - (t * y - w)]
        assert max(abs(p - q) for p, q in zip(law.evaluate(point)[0], expected, strict=True)) < 1e-45


def test_K25_B_need_not_be_symmetric_nor_regular():
    system = on_submanifold(["x", "y"], g={}, A={"x": "x", "y": "y"}, B={("x", "y"): "1", ("y", "x"): "-2"})
    point = {("x", 0): 3, ("y", 0): 4, ("x", 1): 0, ("y", 1): 0, "t": 0}
    assert [float(a) for a in reduced.derive(system).evaluate(point)[0]] == [2.0, -3.0]
    degenerate = on_submanifold(["x", "y"], g={}, A={"x": "x"}, B={("x", "x"): "1"}, degenerate=True)
    with pytest.raises(SingularError):
        reduced.derive(degenerate).evaluate(point)


@pytest.mark.parametrize(
    ("second", "first", "message"),
    [
        ({"x": "y'"}, {"y": "x'"}, "velocity of 'y', which is not independent"),
        ({"x": "1"}, {}, "'y' has no equation"),
        ({"x": "1", "y": "1"}, {"y": "1"}, "'y' has an acceleration and a velocity"),
        ({"x": "q"}, {"y": "1"}, "unknown name|q"),
    ],
)
def test_Sa1_mistakes_are_named(second, first, message):
    with pytest.raises(ModelError, match=message):
        mixed(["x", "y"], second=second, first=first)


def test_K25_components_of_dependent_coordinates_are_refused():
    with pytest.raises(ModelError, match="B has 1 row"):
        on_submanifold(["x", "y"], g={"y": "x'"}, A={"y": "1"}, B={})


def test_Sa1_the_geometry_of_a_mixed_system():
    """Q, its chart and the semispray Γ, which is tangent to Q and annihilated by the contact forms."""
    system = mixed(
        ["x", "w", "y", "z"],
        second={"x": "-x + y*x'", "w": "sin(t)"},
        first={"y": "x*x' + w'^2", "z": "y"},
    )
    s = SystemOnQ.of(system)
    assert s.constraint.codimension == 2
    assert s.chart.dependent == ("y", "z")
    J = s.constraint.chart
    assert s.accelerations["z"] == J("x*x' + w'^2")
    assert s.accelerations["y"] == J("x'^2 + x*(y*x' - x) + 2*w'*sin(t)")
    assert all(s.constraint.zeros(s.semispray(f)) for f in s.constraint.functions)
    assert s.semispray(J("t")) == 1
    assert all(s.constraint.zeros(form(s.semispray)) for form in contact_forms(s.constraint))


def test_Sa1_a_mixed_system_from_a_rolling_disc_with_expressions():
    system = mixed(
        ["psi", "phi", "x", "y"],
        second={"psi": 0, "phi": graph.ZERO},
        first={"x": "R*cos(phi)*psi'", "y": "R*sin(phi)*psi'"},
        parameters={"R": 2},
    )
    s = SystemOnQ.of(system)
    assert s.accelerations["x"] == s.constraint.chart("-R*sin(phi)*phi'*psi'")


def test_K25_the_semispray_solves_the_law_that_is_derived():
    """B̄ neither symmetric nor constant: the exact accelerations and those of `derive` agree at points."""
    system = on_submanifold(
        ["x", "y", "z"],
        g={"z": "x'*y' + sin(x)"},
        A={"x": "x - y'^2", "y": "t*z"},
        B={("x", "x"): "2 + x'^2", ("x", "y"): "y", ("y", "y"): "-3"},
    )
    s = SystemOnQ.of(system)
    exact = [s.accelerations[c].to_expr() for c in s.system.coordinates]
    for point in random_points(system, 3):
        values, law = evaluate_mp(exact, point, 50), reduced.derive(system).evaluate(point)[0]
        assert max(abs(a - b) for a, b in zip(values, law, strict=True)) < 1e-40


def test_K25_a_singular_B_has_no_semispray():
    degenerate = on_submanifold(["x", "y"], g={}, A={"x": "x"}, B={("x", "x"): "1"}, degenerate=True)
    with pytest.raises(ModelError, match="singular"):
        _ = SystemOnQ.of(degenerate).semispray


def test_Sa1_mixed_systems_are_one_class():
    from chetaev import constraint

    assert not hasattr(constraint, "MixedSystem")
