"""Flags tell of every margin."""

from __future__ import annotations

import math

import casadi
import numpy as np
import pytest

from chetaev.flow.compile.machine import compile_text
from chetaev.flow.compile.program_text import WEAK_FLAG, OneState, Store, state_text
from chetaev.flow.derive.program import from_casadi
from chetaev.flow.run.array_calls import call


@pytest.mark.parametrize("x", [1.0, 0.0, -1.0, math.nan])
@pytest.mark.parametrize("y", [1.0, -0.0, -2.0, math.nan])
def test_flags_tell_of_each_of_which_the_margin_is_the_least(x: float, y: float) -> None:
    t, q, v, p = (casadi.SX.sym(name) for name in "tqvp")
    margin = casadi.fmin(casadi.fmin(1.0, q), casadi.fmin(v, q))
    program = from_casadi([t, q, v, p], [q + v, margin])
    function = OneState("f", program, 1, [Store("out"), None], margin=1)
    state, room = np.array([x, y]), np.zeros(4)
    library = compile_text(state_text(function))
    flags = call(library.address("f"), 0.0, state, room, room, room)
    assert (flags == WEAK_FLAG) is (not (x >= 0 and y >= 0))
