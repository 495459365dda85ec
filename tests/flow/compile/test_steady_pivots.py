"""Pivots that the parameters decide alone are not watched; all others are. Flags tell of every margin."""

from __future__ import annotations

import ctypes
import math

import casadi
import numpy as np
import pytest

import chetaev as ch
from chetaev.flow.compile import scalar_programs
from chetaev.flow.compile.long_programs import WEAK_FLAG
from chetaev.flow.compile.machine import compile_text
from chetaev.flow.compile.one_state import OneState, Store
from chetaev.flow.compile.translate import state_text
from chetaev.flow.derive.instructions import from_casadi
from chetaev.flow.run.compiled_field import compile_field
from chetaev.flow.run.integrate import integrate
from chetaev.flow.run.lane_motions import LaneMotions
from chetaev.flow.run.session import Session
from chetaev.flow.run.state_calls import SCALAR
from portions import parts
from random_systems import random_system


def pivots(system: ch.System, count: int = 4) -> tuple[np.ndarray, tuple[int, int]]:
    """Of the field at random states in the first chart, and how many at both ends are not watched."""
    field = compile_field(system)
    programs, n = field.programs, field.model.size
    library = scalar_programs.rhs(programs, programs.first_chart, "null", False)
    p, draw, found = (
        np.append(field.model.default_values, 0.0),
        np.random.default_rng(4),
        np.empty((count, n + 1)),
    )
    for aux in found:
        y, out = draw.uniform(0.1, 1.0, 2 * n), np.empty(2 * n)
        SCALAR(library.address("f"))(0.3, *(x.ctypes.data for x in (y, p, out, aux)))
    return found[:, :n], scalar_programs.steady(library)


@pytest.mark.slow
def test_of_the_disc_the_pivots_of_its_constraints_are_not_watched() -> None:
    """They are 1. That cos² + sin² is 1 in two others, programs do not know: these are watched, too."""
    disc = ch.load("rolling-disc")
    values, ends = pivots(disc)
    assert ends == (2, 0)
    assert [len(set(column)) for column in values.T][:2] == [1, 1]
    assert np.ptp(values, axis=0) == pytest.approx([0, 0, 0, np.ptp(values[:, 3]), 0], abs=1e-15)
    assert np.ptp(values[:, 3]) > 0.01
    assert LaneMotions(compile_field(disc), 4)._steady == ends


@pytest.mark.parametrize("seed", parts(range(40), 8))
def test_what_is_not_watched_does_not_move(seed: int) -> None:
    values, (first, last) = pivots(random_system(seed))
    n = values.shape[1]
    steady = [*range(first), *range(n - last, n)]
    assert all(len(set(values[:, k].tolist())) == 1 for k in steady)
    if first < n:
        ends = values[:, [first, n - 1 - last]]
        assert all(len(set(column)) > 1 for column in ends.T.tolist())


def test_all_pivots_are_watched_where_python_supplies_what_parameters_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = []
    load = Session._load
    monkeypatch.setattr(Session, "_load", lambda s: (load(s), seen.append((s.supplied, s.loop.steady_first))))
    disc = ch.load("rolling-disc")
    ch.simulate(disc, 0.1, forces={"theta": lambda t, q, v: 0.0})
    integrate(compile_field(disc), 0.0, [0.0] * 3 + [0.1, 0.2], [0.0] * 5, 0.1)
    assert [(supplied is None, first) for supplied, first in (seen[0], seen[-1])] == [(False, 0), (True, 2)]


@pytest.mark.parametrize("x", [1.0, 0.0, -1.0, math.nan])
@pytest.mark.parametrize("y", [1.0, -0.0, -2.0, math.nan])
def test_flags_tell_of_each_of_which_the_margin_is_the_least(x: float, y: float) -> None:
    t, q, v, p = (casadi.SX.sym(name) for name in "tqvp")
    margin = casadi.fmin(casadi.fmin(1.0, q), casadi.fmin(v, q))
    program = from_casadi([t, q, v, p], [q + v, margin])
    function = OneState("f", program, 1, [Store("out"), None], margin=1)
    state, room = np.array([x, y]), np.zeros(4)
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in (state, room, room, room)]
    library = compile_text(state_text(function))
    flags = SCALAR(library.address("f"))(0.0, *pointers)
    assert (flags == WEAK_FLAG) is (not (x >= 0 and y >= 0))
