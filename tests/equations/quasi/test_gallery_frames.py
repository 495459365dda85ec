"""Natural quasi-velocities of the gallery, and their equations as printed (SCOPE D1, D5; issue 12, 2)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import chetaev as ch
from chetaev.equations.law.setup import Setup
from chetaev.equations.quasi.natural_frame import natural_frame
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import symbol
from chetaev.expr.language.parser import parse, parse_equation
from formulas import any_order, formulas
from galleries import DETERMINED
from portions import some

# what is no velocity of a coordinate, and where the frame is none; () if that is proved to be nowhere
FRAMES: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "appell-hamel-linear": ({}, ()),
    "ball-on-accelerated-table": ({"u": "phi'*cos(theta) + psi'"}, ("sin(theta)",)),
    "ball-on-rotating-table": ({"u": "phi'*cos(theta) + psi'"}, ("sin(theta)",)),
    "car-with-trailers-2": (
        {"u": "x'*cos(theta)*cos(delta) + y'*sin(theta)*cos(delta) + theta'*L*sin(delta)"},
        (),
    ),
    "caratheodory-sleigh": ({"u1": "x'*cos(phi) + y'*sin(phi)"}, ()),  # u is its own
    "contact-oscillator": ({}, ()),
    "damped-sleigh": ({"u": "x'*cos(phi) + y'*sin(phi)"}, ()),
    "differential-drive": ({"u1": "x'*cos(theta) + y'*sin(theta)"}, ()),
    "disc-on-incline": ({}, ()),
    "dog-pursues-man": ({"u": "(x*x' + y*y' - t*y'*c)/(t^2*c^2 - 2*t*y*c + x^2 + y^2)"}, ()),
    "heisenberg": ({}, ()),
    "heisenberg-symmetric": ({}, ()),
    "knife-edge": ({"u": "x'*cos(phi) + y'*sin(phi)"}, ()),
    "magnetic-nonholonomic-particle": ({}, ()),
    "nonholonomic-particle": ({}, ()),
    "pendulum-cartesian": ({"u": "(y*x' - x*y')/(x^2 + y^2)"}, ()),
    "rolling-ball": ({}, ("sin(theta)",)),
    "rolling-disc": ({"u": "psi' - phi'*sin(theta)"}, ()),
    "rolling-disc-swaczyna": ({}, ()),
    "semiholonomic-cone": (
        {"u1": "(y*x' - x*y')/(x^2 + y^2)", "u2": "(x*x' + y*y' + z*z')/(x^2 + y^2 + z^2)"},
        (),
    ),
    "semiholonomic-disc": ({}, ()),
    "snakeboard": ({"u": "x'*cos(phi)*cos(theta) + y'*cos(phi)*sin(theta) + theta'*l*sin(phi)"}, ()),
    "suslov": ({}, ("sin(theta)",)),
    "variable-transmission": ({}, ()),
    "vertical-disc-torques": ({}, ()),
    "vertical-rolling-disc": ({}, ()),
}


@pytest.mark.parametrize("name", some(FRAMES, 5))
def test_D1_natural_quasi_velocities(name: str) -> None:
    system = ch.load(name)
    frame = natural_frame(system)
    own = {frame.labels[i]: frame.functions[i] for i in frame.named}
    fresh = {u: e for u, e in own.items() if u not in system.definitions}
    velocities, zeros = FRAMES[name]
    assert fresh == formulas(velocities)
    assert frame.vanishing == any_order(*zeros, factor=True)
    assert frame.regular is (True if not frame.vanishing else None)
    for u, e in own.items():  # what the model itself calls so, it is
        assert u not in system.definitions or e is system.definitions[u].args[0]


def applies(name: str) -> bool:
    return "quasi" in ch.forms(ch.load(name))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("perpendicular-velocities", "not affine in the velocities"),
        ("implicit-constraint", "not affine in the velocities"),
        ("acceleration-constraint", "constraints on accelerations"),
        ("sleigh-on-q", "no momenta"),
    ],
)
def test_where_quasi_does_not_apply_it_says_why(name: str, words: str) -> None:
    assert words in ch.forms(ch.load(name)).excluded["quasi"]


LONG = ("car-with-trailers-2", "rattleback", "rolling-ellipsoid")
"""So long that shared parts are named below the equations."""


@pytest.mark.parametrize("name", some([n for n in DETERMINED if n not in LONG], 5, slow=2))
def test_D5_equations_hold_at_the_initial_state_as_they_are_printed(name: str) -> None:
    """The text is parsed and evaluated: all is finite there, and agrees with Gauss's principle."""
    system = ch.load(name)
    if not applies(name):
        with pytest.raises(ch.ModelError):
            ch.equations(system, "quasi")
        return
    law = ch.equations(system, "quasi")
    frame = law.quasi_frame
    s, state = Setup(system), system.state
    u = s.column(list(frame.functions))
    rates = s.graphs(s.by_v(u) @ s.a + s.along(u))
    q, v = list(state.position.values()), list(state.velocity.values())
    at: dict[object, float] = {**system.parameter_values, system.time: state.t}
    for order, values in enumerate((q, v, ch.field(system, "gauss")(state.t, q, v))):
        at |= {(c, order): float(x) for c, x in zip(system.coordinates, values, strict=True)}
    at |= {(n, 1): float(x) for n, x in zip(frame.labels, evaluate(rates, at), strict=True) if "'" not in n}
    lines = str(law).splitlines()
    scope = replace(system.scope, order=2)
    named = {n: symbol(n) for n in frame.labels if "'" not in n}
    named |= {k: e for k, e in scope.values.items() if k not in named}
    scope = replace(scope, values=named, coordinates=frozenset({*scope.coordinates, *frame.labels}))
    for line in (x for x in lines if "where" in x):
        n, e = line.removeprefix("  where ").split(" = ", 1)
        at[(n, 0)] = float(evaluate([parse(e, scope)], at)[0])
    for line in lines:
        if "where" not in line:
            equation = parse_equation(line, scope)
            left, right = (float(x) for x in evaluate([equation.lhs, equation.rhs], at))
            assert np.isfinite([left, right]).all()
            assert abs(left - right) < 1e-7 * (1 + abs(left)), line
