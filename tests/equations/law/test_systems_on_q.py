"""Systems on Q itself and mixed first- and second-order systems (K25, Sa1)."""

from __future__ import annotations

import pickle

import pytest

import chetaev as ch
from chetaev.constraint import contact_forms
from chetaev.equations.forms import chetaev
from chetaev.equations.law.law import SingularError
from chetaev.equations.law.systems_on_q import mixed, on_submanifold
from chetaev.errors import ModelError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.model.states.points import random_points


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
    law, reference = on_q.derive(), chetaev.derive(ch.load("leibniz-particle"))
    for point in random_points(on_q.system, 4):
        a, b = law.evaluate(point)[0], reference.evaluate(point | {"g": point["G"], "v0": 3})[0]
        assert max(abs(x - y) for x, y in zip(a, b, strict=True)) < 1e-40 * max(1, *map(abs, b))
    assert law.multiplier_rows is None


def test_Sa1_a_mixed_system_has_no_lagrangian():
    system = mixed(["x", "y", "w"], second={"x": "-x - k*x' + w"}, first={"y": "sin(x)*x'^2", "w": "t*y - w"},
                   parameters={"k": 0.3})  # fmt: skip
    law = system.derive()
    point = next(random_points(system.system, 1))
    t, x, y, w, v = point["t"], point["x", 0], point["y", 0], point["w", 0], point["x", 1]
    from mpmath import mp

    with mp.workdps(50):
        a = -x - mp.mpf(3) / 10 * v + w
        first = mp.sin(x) * v**2
        expected = [a, mp.cos(x) * v**3 + 2 * mp.sin(x) * v * a, y + t * first - (t * y - w)]
        assert max(abs(p - q) for p, q in zip(law.evaluate(point)[0], expected, strict=True)) < 1e-45


def test_Sa1_only_first_order_equations_are_refused_with_the_reason():
    with pytest.raises(ModelError):
        mixed(["x"], second={}, first={"x": "1"})


def test_K25_B_need_not_be_symmetric_nor_regular():
    system = on_submanifold(["x", "y"], g={}, A={"x": "x", "y": "y"}, B={("x", "y"): "1", ("y", "x"): "-2"})
    point = {("x", 0): 3, ("y", 0): 4, ("x", 1): 0, ("y", 1): 0, "t": 0}
    assert [float(a) for a in system.derive().evaluate(point)[0]] == [2.0, -3.0]
    degenerate = on_submanifold(["x", "y"], g={}, A={"x": "x"}, B={("x", "x"): "1"})
    with pytest.raises(SingularError):
        degenerate.derive().evaluate(point)


@pytest.mark.parametrize(
    ("second", "first", "message"),
    [
        ({"x": "y'"}, {"y": "x'"}, "velocity of 'y', which is not independent"),
        ({"x": "1"}, {}, "'y' has no equation"),
        ({"x": "1", "y": "1"}, {"y": "1"}, "'y' has two equations"),
        ({"x": "q"}, {"y": "1"}, "unknown name|q"),
    ],
)
def test_Sa1_mistakes_are_named(second, first, message):
    with pytest.raises(ModelError, match=message):
        mixed(["x", "y"], second=second, first=first)


def test_K25_components_of_dependent_coordinates_are_refused():
    with pytest.raises(ModelError, match="no independent coordinate"):
        on_submanifold(["x", "y"], g={"y": "x'"}, A={"y": "1"}, B={})


def test_Sa1_the_geometry_of_a_mixed_system():
    """Q, its chart and the semispray Γ, which is tangent to Q and annihilated by the contact forms."""
    s = mixed(
        ["x", "w", "y", "z"],
        second={"x": "-x + y*x'", "w": "sin(t)"},
        first={"y": "x*x' + w'^2", "z": "y"},
    )
    assert s.constraint.codimension == 2
    assert s.chart.dependent == ("y", "z")
    J = s.constraint.chart
    assert s.accelerations["z"] == J("x*x' + w'^2")
    assert s.accelerations["y"] == J("x'^2 + x*(y*x' - x) + 2*w'*sin(t)")
    assert all(s.constraint.zeros(s.semispray(f)) for f in s.constraint.functions)
    assert s.semispray(J("t")) == 1
    assert all(s.constraint.zeros(form(s.semispray)) for form in contact_forms(s.constraint))


def test_Sa1_a_mixed_system_from_a_rolling_disc_with_expressions():
    s = mixed(
        ["psi", "phi", "x", "y"],
        second={"psi": 0, "phi": graph.ZERO},
        first={"x": "R*cos(phi)*psi'", "y": "R*sin(phi)*psi'"},
        parameters={"R": 2},
    )
    assert s.accelerations["x"] == s.constraint.chart("-R*sin(phi)*phi'*psi'")


def test_K25_the_semispray_solves_the_law_that_is_derived():
    """B̄ neither symmetric nor constant: the exact accelerations and those of `derive` agree at points."""
    s = on_submanifold(
        ["x", "y", "z"],
        g={"z": "x'*y' + sin(x)"},
        A={"x": "x - y'^2", "y": "t*z"},
        B={("x", "x"): "2 + x'^2", ("x", "y"): "y", ("y", "y"): "-3"},
    )
    exact = [s.accelerations[c].to_expr() for c in s.system.coordinates]
    for point in random_points(s.system, 3):
        values, law = evaluate_mp(exact, point, 50), s.derive().evaluate(point)[0]
        assert max(abs(a - b) for a, b in zip(values, law, strict=True)) < 1e-40


def test_K25_a_singular_B_has_no_semispray():
    degenerate = on_submanifold(["x", "y"], g={}, A={"x": "x"}, B={("x", "x"): "1"})
    with pytest.raises(ModelError, match="singular"):
        _ = degenerate.semispray


def test_Sa1_the_names_of_a_mixed_system_are_no_system_that_runs():
    """x'' = −x is not to be taken for a free particle, however one asks."""
    system = mixed(["x", "y"], second={"x": "-x"}, first={"y": "x*x'"}, initial={"x": 1, "x_dot": 0}).system
    asked = (ch.simulate, ch.integrals, ch.forms, ch.equations, ch.classify, ch.compare, ch.study, ch.field)
    for ask in asked:
        for carrier in (system, pickle.loads(pickle.dumps(system)), system.with_initial(x=2)):
            with pytest.raises(ModelError, match=r"no Lagrangian|without a Lagrangian"):
                ask(carrier)
    with pytest.raises(ModelError, match="no Lagrangian"):
        _ = system.lagrangian


def test_Sa1_mixed_systems_are_one_class():
    from chetaev import constraint

    assert not hasattr(constraint, "MixedSystem")
