"""Accessibility where brackets are too long to be written down: one question gives up, the others answer."""

from __future__ import annotations

import numpy as np
import pytest

import chetaev as ch
from chetaev.analysis.control.lie_brackets import PointValues
from chetaev.expr.exact import EffortError
from chetaev.expr.language.parser import parse
from galleries import MODELS
from portions import some

ARM = ch.System(coordinates=["a", "b"], lagrangian="a'^2 + b'^2/2 + a'*b'*cos(a - b) - 2*cos(a) - cos(b)")
CART = ch.System(
    coordinates=["x", "a", "b"],
    lagrangian="2*x'^2 + a'^2 + b'^2/2 + 2*x'*a'*cos(a) + x'*b'*cos(b) + a'*b'*cos(a - b)"
    " - 20*cos(a) - 10*cos(b)",
)
TRAILER = ch.System(
    coordinates=["x", "y", "theta", "beta"],
    parameters={"d": "4/5"},
    lagrangian="x'^2 + y'^2 + theta'^2/20 + ((x' + d*beta'*sin(beta))^2 + (y' - d*beta'*cos(beta))^2)/2"
    " + beta'^2/40",
    constraints=["x'*sin(theta) = y'*cos(theta)", "x'*sin(beta) - y'*cos(beta) + d*beta' = 0"],
    initial={"x": 0, "y": 0, "theta": 0, "beta": 0.9, "x'": 1, "theta'": 0.5},
)


def kalman(system: ch.System, inputs: list[str], at: dict[str, object]) -> int:
    """The rank of (B, AB, …) by finite differences of the compiled law, in doubles."""
    names = list(system.coordinates)
    driven = ch.System(
        coordinates=names, lagrangian=system.lagrangian, parameters={**system.parameters, "tau": 0},
        forces={inputs[0]: "tau"},
    )  # fmt: skip
    f = ch.rhs(driven, inputs=["tau"])
    y = np.array([*(float(at[c]) for c in names), *[0.0] * len(names)])
    h, n = 1e-6, len(y)
    A = np.array([(f(0.0, y + h * e, [0.0]) - f(0.0, y - h * e, [0.0])) / (2 * h) for e in np.eye(n)]).T
    B = (f(0.0, y, [1.0]) - f(0.0, y, [-1.0])) / 2
    rows = [B]
    for _ in range(n - 1):
        rows.append(A @ rows[-1] / np.linalg.norm(A @ rows[-1]))
    return int(np.linalg.matrix_rank(np.array(rows), 1e-6))


@pytest.mark.parametrize(
    ("system", "input_"),
    some([(ARM, "a"), (ARM, "b"), (CART, "x"), (MODELS["double-pendulum"], "a1")], every=4),
)
def test_upright_rest_is_decided_by_kalman_M6(system: ch.System, input_: str) -> None:
    """Long brackets, but at an equilibrium first derivatives are enough; exact rank against doubles."""
    at = dict.fromkeys(system.coordinates, 0)
    found = ch.accessibility(system, [input_], at)
    assert found.linear is not None
    assert found.linear.rank == kalman(system, [input_], at) == 2 * len(system.coordinates)
    assert found.controllable is not None
    assert (found.accessible, found.strongly_accessible, found.accessible_there) == (True, True, True)
    assert found.controllable.source.startswith("Kalman")
    assert found.brackets


def test_what_is_given_up_is_undecided_and_says_why_M6() -> None:
    """Too little effort for brackets is a result with its reason and no error, and no false reason."""
    found = ch.accessibility(MODELS["double-pendulum"], ["a1"], {"a1": 1, "a2": 2}, effort=150_000)
    assert (found.accessible, found.accessible_there, found.strongly_accessible) == (None, None, None)
    assert "effort" in found.evidence
    assert found.controllable is not None
    assert found.controllable.verdict is None


def test_values_of_fields_that_are_given_up_are_no_missing_values_M6(monkeypatch: pytest.MonkeyPatch) -> None:
    def spent(*_: object) -> object:
        raise EffortError("not enough")

    monkeypatch.setattr(PointValues, "at", spent)
    found = ch.accessibility(ARM, ["a"], {"a": 0, "b": 0})
    assert (found.linear, found.accessible_there) == (None, None)
    assert found.controllable is not None
    assert found.controllable.verdict is None
    assert "not enough" in found.controllable.reason


@pytest.mark.slow
def test_a_combination_that_no_torque_changes_proves_inaccessibility_M6() -> None:
    """A torque on the axle of a robot with a trailer: the energy of translation and trailer stays."""
    found = ch.accessibility(TRAILER, ["theta"])
    assert (found.accessible, found.evidence) == (False, "proved")
    assert found.growth_vector == (2, 3, 4, 5)
    (kept,) = found.invariants
    driven = TRAILER.with_forces({"theta": parse("sin(3*t) + x/5", TRAILER.scope)})
    motion = ch.simulate(driven, until=2, tolerance=1e-11, laws={"kept": kept})
    assert float(np.ptp(motion.kept.values)) < 1e-8 * float(abs(motion.kept).max())
    assert float(np.ptp(motion.energy.values)) > 1e-2
