"""What the records claim is measured: reversibility of every scheme, and orders on four problems each."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import chetaev as ch
from chetaev.flow import schemes
from chetaev.flow.compile import loops
from chetaev.flow.run.compiled_field import compile_field
from chetaev.flow.run.integrate import integrate
from flow.schemes.test_fixed_steps import PROBLEMS, SKATE
from flow.schemes.test_rotations import BALL, RATES, START, TOP, UNIT

FIXED = [scheme for scheme in ch.schemes() if scheme.fixed]
OWN = [scheme.name for scheme in ch.schemes() if not scheme.fixed and not scheme.chooses]
"""Those that choose their steps, with steps of their own."""
HEAVY = ch.System(
    coordinates=["a", "b", "c", "d"],
    define=RATES,
    lagrangian="(O1^2 + 2*O2^2 + 3*O3^2)/2 - (a^2 - b^2 - c^2 + d^2) - cos(t)*a*b/3",
    constraints={"position": [UNIT]},
    forces={"b": "-b'/5"},
    initial=START,
)
"""A top in a field that changes with time, with a damper."""
SUSLOV = ch.System(
    coordinates=["a", "b", "c", "d"],
    define=RATES,
    lagrangian="(O1^2 + 2*O2^2 + 3*O3^2)/2 + O1*O3/3 - a*c",
    constraints={"position": [UNIT], "velocity": ["O3 = O1^2/2"]},
    initial={"a": 1, "b": 0, "c": 0, "d": 0, "b'": 0.3, "c'": 0.5},
)
"""Suslov's problem with a constraint that is not linear in the velocities."""


def start(system: ch.System) -> tuple[list[float], list[float]]:
    state = system.state
    return list(state.position.values()), list(state.velocity.values())


@pytest.mark.parametrize("name", [scheme.name for scheme in FIXED])
def test_a_scheme_is_reversible_if_and_only_if_its_record_says_so(name: str) -> None:
    """100 steps there and 100 back; the leapfrog from velocities that are its own."""
    system = BALL if name == "lie-midpoint" else SKATE
    field, first = compile_field(system), start(system)
    there = integrate(field, 0.0, *first, 2.0, at=[2.0], method=name, step=0.02)
    back = integrate(field, 2.0, *there.state, 0.0, at=[0.0], method=name, step=0.02)
    assert there.status == back.status == "done"
    missed = float(np.max(np.abs(np.concatenate(back.state) - np.concatenate(first))))
    if schemes.find(name).reversible:
        assert missed < 1e-12
    else:
        assert missed > 1e-3


@pytest.mark.parametrize(
    "system", [TOP, BALL, HEAVY, SUSLOV], ids=["free top", "ball", "driven top", "nonlinear constraint"]
)
def test_steps_on_the_group_of_rotations_have_order_two(system: ch.System) -> None:
    exact = integrate(compile_field(system), 0.0, *start(system), 1.0, at=[1.0], tolerance=1e-12)
    errors = []
    for count in (20, 40):
        how: dict[str, Any] = {"method": "lie-midpoint", "step": 1.0 / count}
        made = integrate(compile_field(system), 0.0, *start(system), 1.0, at=[1.0], **how)
        errors.append(np.max(np.abs(np.concatenate(made.state) - np.concatenate(exact.state))))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.2), errors


@pytest.mark.slow
def test_the_momentum_about_the_vertical_of_a_rolling_ball_is_kept() -> None:
    """An inhomogeneous ball may spin where it stands, L sees no rotation of space: R(Q) I Ω · e₃."""
    about = "(2*(b*d - a*c)*O1 + 3*(c*d + a*b)*O2 + 2*(a^2 - b^2 - c^2 + d^2)*O3)*2/5"
    spread = {}
    for method in ("lie-midpoint", "gauss2"):
        run = ch.simulate(BALL, until=20.0, at=41, method=method, step=0.1, laws={"J": about})
        spread[method] = float(abs(run["J"] - run["J"][0]).max())
    assert spread["lie-midpoint"] < 1e-13
    assert spread["gauss2"] > 1e-6


def end_after(method: str, system: ch.System, count: int, until: float) -> np.ndarray:
    """So many equal steps of the scheme itself, without projection; its own Jacobian by differences."""
    f = ch.rhs(system)
    d = len(f.names)
    run, kernels = loops.blank(schemes.find(method), d), loops.plain(method)

    def field(t: float, y: Any, p: Any, dy: Any, aux: Any) -> int:
        for i, value in enumerate(f(t, [y[j] for j in range(d)])):
            dy[i] = float(value)
        for i in range(d // 2):
            aux[i] = 1.0
        return 0

    run.rhs, run.p = field, np.zeros(1)  # type: ignore[assignment]
    run.n = run.free = run.watched = d // 2
    run.h, run.rtol, run.atol = until / count, 1e-12, 1e-12
    run.first = 1
    run.work = np.zeros(run.work_size)
    for i in range(d):
        run.y[i] = f.initial[i]
    for i in range(d // 2):
        run.pivots[i] = 1.0
    for step in range(count):
        run.t = step * run.h
        field(run.t, run.y, run.p, run.k, run.aux)
        run.current = 0
        assert kernels["step"](run) == 0
        run.first = 0
        for i in range(d):
            run.y[i] = run.new[i]
    return np.array([run.y[i] for i in range(d)])


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("method", OWN)
def test_the_order_of_schemes_that_choose_their_steps(method: str, problem: str) -> None:
    system, order = PROBLEMS[problem], schemes.find(method).order
    counts = (4, 8, 16) if order > 6 else (8, 16, 32)
    exact = end_after("dop853", system, 60, 1.0)
    errors = [float(np.max(np.abs(end_after(method, system, n, 1.0) - exact))) for n in counts]
    measured = np.log2([a / b for a, b in pairwise(errors)])
    assert order - 0.7 < measured.max() < order + 2.5, (errors, measured)
    assert measured.min() > order - 1.5, (errors, measured)


def test_a_choice_claims_no_more_than_either_of_its_schemes() -> None:
    for scheme in ch.schemes():
        if scheme.chooses:
            both = [schemes.find(name) for name in scheme.chooses]
            assert scheme.order == min(x.order for x in both)
            assert scheme.dense_order == min(x.dense_order for x in both)
