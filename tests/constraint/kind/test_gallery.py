"""Every gallery model's classification, with its reason (SCOPE K13, K17, K18, K23; issue 3, "Shown by")."""

from __future__ import annotations

import json
from functools import cache

import pytest

import chetaev as ch
from chetaev.constraint import Classification, classify
from chetaev.expr.graph.node import postorder
from formulas import formulas
from portions import some

M, Y, Q = "configuration space", "space-time", "Q"
LINEAR = ("nonholonomic", "linear", 1, "skleronomic", True, True)
SPEED = ("nonholonomic", "nonlinear", 2, "skleronomic", False, False)
CONE = ("nonholonomic", "nonlinear", 2, "skleronomic", True, False)
QUINTIC = ("nonholonomic", "nonlinear", 5, "skleronomic", False, False)
MOVING = ("nonholonomic", "linear", 1, "rheonomic", True, True)
PHASE_SPACE = ("not applicable", "not applicable", None, "not applicable", None, None)
FREE = ("unconstrained", "none", 0, "skleronomic", True, True)

# model: (holonomy, velocities, degree, time, homogeneous, projectable), freedom, growth vector, its space
TABLE = {
    "acceleration-constraint": (("semiholonomic", "none", 0, "skleronomic", True, True), 1, (2,), M),
    "appell-hamel": (CONE, 2, (5, 6), Q),
    "appell-hamel-linear": (LINEAR, 2, (2, 3, 4), M),
    "ball-on-accelerated-table": (("nonholonomic", "affine", 1, "rheonomic", False, True), 3, (4, 6), Y),
    "ball-on-rotating-table": (("nonholonomic", "affine", 1, "skleronomic", False, True), 3, (4, 6), Y),
    "bead-on-rotating-hoop": (("holonomic", "none", 0, "rheonomic", False, True), 1, (2,), Y),
    "bouncing-ball": (FREE, 2, (2,), M),
    "brachistochrone-constrained": (SPEED, 1, (3, 4), Q),
    "brachistochrone-metric": (FREE, 2, (2,), M),
    "car-with-trailers-2": (LINEAR, 2, (2, 3, 4, 5, 6), M),
    "caratheodory-sleigh": (LINEAR, 2, (2, 3), M),
    "central-force-constant-speed": (SPEED, 2, (5, 6), Q),
    "charged-particle-magnetic": (FREE, 3, (3,), M),
    "christ-lee": (FREE, 3, (3,), M),
    "contact-oscillator": (LINEAR, 2, (2, 3), M),
    "contact-oscillator-perturbed": (LINEAR, 2, (2, 3), M),
    "damped-sleigh": (LINEAR, 2, (2, 3), M),
    "decelerated-particle": (("nonholonomic", "nonlinear", 2, "rheonomic", False, False), 2, (5, 6), Q),
    "differential-drive": (LINEAR, 2, (2, 3, 4), M),
    "disc-on-incline": (LINEAR, 2, (2, 3, 4), M),
    "dog-pursues-man": (MOVING, 1, (2, 3), Y),
    "double-pendulum": (FREE, 2, (2,), M),
    "heisenberg": (LINEAR, 2, (2, 3), M),
    "heisenberg-symmetric": (LINEAR, 2, (2, 3), M),
    "implicit-constraint": (QUINTIC, 2, (5, 6), Q),
    "implicit-constraint-quintic": (QUINTIC, 2, (5, 6), Q),
    "knife-edge": (LINEAR, 2, (2, 3), M),
    "leibniz-particle": (SPEED, 2, (5, 6), Q),
    "magnetic-nonholonomic-particle": (LINEAR, 2, (2, 3), M),
    "nonholonomic-particle": (LINEAR, 2, (2, 3), M),
    "particle-with-spin": (PHASE_SPACE, 0, (), M),
    "particle-on-cone": (CONE, 2, (5, 6), Q),
    "pendulum-cartesian": (("holonomic", "none", 0, "skleronomic", True, True), 1, (1,), M),
    "pendulum-multiplier": (FREE, 3, (3,), M),
    "pendulum-moving-support": (("holonomic", "none", 0, "rheonomic", False, True), 1, (2,), Y),
    "perpendicular-velocities": (CONE, 3, (7, 8), Q),
    "pursuit": (MOVING, 1, (2, 3), Y),
    "rattleback": (LINEAR, 3, (3, 5), M),
    "rolling-ellipsoid": (LINEAR, 3, (3, 5), M),
    "relativistic-particle": (SPEED, 3, (7, 8), Q),
    "relativistic-particle-homogeneous": (SPEED, 3, (7, 8), Q),
    "relativistic-particle-scalar": (SPEED, 3, (7, 8), Q),
    "relativistic-particle-scalar-homogeneous": (SPEED, 3, (7, 8), Q),
    "rolling-ball": (LINEAR, 3, (3, 5), M),
    "rolling-disc": (LINEAR, 3, (3, 4, 5), M),
    "rolling-disc-steady": (("nonholonomic", "affine", 1, "skleronomic", False, True), 3, (4, 5, 6), Y),
    "rolling-disc-swaczyna": (LINEAR, 3, (3, 4, 5), M),
    "semiholonomic-cone": (("semiholonomic", "linear", 1, "skleronomic", True, True), 2, (2,), M),
    "semiholonomic-disc": (("semiholonomic", "linear", 1, "skleronomic", True, True), 1, (1,), M),
    "sleigh-on-q": (LINEAR, 2, (2, 3, 4), M),
    "sleigh-reduced": (PHASE_SPACE, 0, (), M),
    "snakeboard": (LINEAR, 3, (3, 4, 5), M),
    "steered-car": (MOVING, 1, (2, 3, 4, 5), Y),
    "stick-slip": (FREE, 1, (1,), M),
    "suslov": (LINEAR, 2, (2, 3), M),
    "suslov-poisson": (PHASE_SPACE, 0, (), M),
    "suslov-reduced": (PHASE_SPACE, 0, (), M),
    "variable-transmission": (LINEAR, 2, (2, 3), M),  # the gear changes as the pendulum turns
    "vertical-disc-torques": (LINEAR, 2, (2, 3, 4), M),
    "vertical-disc-torques-delphenich": (LINEAR, 2, (2, 3, 4), M),
    "vertical-rolling-disc": (LINEAR, 2, (2, 3, 4), M),
    "ziegler-pendulum": (FREE, 2, (2,), M),
}

INTEGRALS = {
    "appell-hamel-linear": (1, "b*phi + z", 5.0),
    "differential-drive": (1, "2*s*theta - R*right + R*left", 0.0),
    "semiholonomic-cone": (1, "z^2/(x^2 + y^2)", 4.0),
    "semiholonomic-disc": (1, "R*psi - x", -1.0),
}

DEGENERATE = {"christ-lee", "pendulum-multiplier"}
IDLE = {"heisenberg-symmetric", "relativistic-particle", "rolling-ball"}
NO_FORCE = {"brachistochrone-constrained", "relativistic-particle-homogeneous"}

REASONS = {
    "unconstrained": "there are no constraints",
    "holonomic": "all constraints are on positions",
    "semiholonomic": "the canonical distribution is completely integrable",
    "not applicable": "the variables are those of a phase space",
}


@cache
def classified(name: str) -> Classification:
    return classify(ch.load(name), effort=10**7)


def test_the_table_covers_the_gallery() -> None:
    assert set(TABLE) == set(ch.gallery())


@pytest.mark.few(2, 6)
@pytest.mark.parametrize("name", some(TABLE, 3))
def test_K18_gallery_model(name: str) -> None:
    kind, freedom, growth, space = TABLE[name]
    c = classified(name)
    assert (c.holonomy, c.velocities, c.degree, c.time, c.homogeneous, c.projectable) == kind
    assert c.degrees_of_freedom == freedom == ch.load(name).degrees_of_freedom
    assert (c.growth_vector, c.growth_on) == (growth, space)
    assert bool(c.regular) == (kind != PHASE_SPACE and name not in DEGENERATE)
    assert c.integrable == (None if kind == PHASE_SPACE else c.holonomy != "nonholonomic")


@pytest.mark.parametrize("name", some(TABLE, 3))
def test_K18_gallery_model_has_its_reason(name: str) -> None:
    c = classified(name)
    reason = c.reason("holonomy")
    if name == "acceleration-constraint":
        words = "the constraint on accelerations can be integrated twice"
    elif c.velocities == "nonlinear":
        words = "not affine in the velocities, so its canonical distribution is not integrable"
    else:
        words = REASONS.get(c.holonomy, "the canonical distribution is not integrable: growth vector")
    assert words in reason
    assert "proved" in reason or c.holonomy == "not applicable"
    assert reason in c.reasons


@pytest.mark.parametrize("name", some(TABLE, 3))
def test_K18_gallery_integrals(name: str) -> None:
    c = classified(name)
    own = c.integrals[len(ch.load(name).position_constraints) :]
    count, text, value = INTEGRALS.get(name, (0, "", 0.0))
    assert len(own) == count
    if count:
        from chetaev.geometry.chart.chart import Chart

        system = ch.load(name)
        chart = Chart(system.coordinates, parameters=system.parameters)
        assert chart(own[0].expression) == chart(text)
        assert own[0].value == pytest.approx(value, abs=1e-12)
        assert any("is the holonomic constraint" in w and "const = " in w for w in c.warnings)
    else:
        assert not any("is the holonomic constraint" in w for w in c.warnings)


@pytest.mark.parametrize("name", some(TABLE, 3))
def test_B4_gallery_constraints_that_do_nothing(name: str) -> None:
    warnings = classified(name).warnings
    assert any("does nothing" in w for w in warnings) == (name in IDLE)
    assert any("exerts no force" in w for w in warnings) == (name in NO_FORCE)


def test_ignorable_coordinates() -> None:
    assert any(w.startswith("x, y and psi are ignorable") for w in classified("rolling-disc").warnings)
    assert any(w.startswith("x is ignorable") for w in classified("brachistochrone-metric").warnings)
    assert not any("ignorable" in w for w in classified("double-pendulum").warnings)


@pytest.mark.parametrize(
    "name", ["rolling-disc", "leibniz-particle", "semiholonomic-cone", "double-pendulum"]
)
def test_display(name: str) -> None:
    c = classified(name)
    assert c.kind in str(c)
    assert json.loads(json.dumps(c.to_json()))["holonomy"] == c.holonomy
    assert c._repr_html_().startswith("<table>")
    assert "tabular" in c.latex()


def test_B13_a_phase_space_is_not_classified() -> None:
    c = classified("suslov-poisson")
    assert str(c).startswith("not applicable\n  - the variables are those of a phase space")
    assert "ch.poisson" in c._repr_html_()
    assert "growth" not in c._repr_html_()
    assert c.to_json()["kind"] == "not applicable"
    assert not c.warnings


def test_normal_forms_of_the_sphere_are_two_branches() -> None:
    forms = classified("leibniz-particle").normal_forms
    assert len(forms) == 2
    assert all("sqrt" in {node.op for node in postorder(*f.velocities.values())} for f in forms)


def test_singular_set_of_the_ball() -> None:
    assert list(classified("ball-on-rotating-table").singular_where) == formulas(["sin(theta)"], factor=True)
