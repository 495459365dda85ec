"""The sum of a step in machine code: every entry is one chain of sums, and nothing is written beside."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from chetaev.flow.compile import small_compiler
from chetaev.flow.compile.machine import compile_text
from chetaev.flow.kernels import linear

ARGUMENTS = [ctypes.c_int64] * 2 + [ctypes.c_void_p] * 3 + [ctypes.c_double, ctypes.c_void_p]


def test_an_entry_does_not_depend_on_its_neighbours() -> None:
    """Alone, in a block or in the rest behind the blocks, with the same bits."""
    library = compile_text(small_compiler.translate([linear], roots=("combine",)), optimise=True)
    combine = ctypes.CFUNCTYPE(None, *ARGUMENTS)(library.address("combine"))
    generator = np.random.default_rng(3)
    for d in range(1, 30):
        for stages in (1, 3, 12):
            weights, k = generator.normal(size=stages), generator.normal(size=(stages, d))
            y, h, out = generator.normal(size=d), 0.37, np.full(d + 8, -7.0)
            combine(d, stages, weights.ctypes.data, k.ctypes.data, y.ctypes.data, h, out.ctypes.data)
            assert out[:d] == pytest.approx(y + h * (weights @ k), rel=1e-13, abs=1e-14)
            assert np.all(out[d:] == -7.0)
            for i in range(d):
                alone, one = np.zeros(1), np.ascontiguousarray(k[:, i])
                combine(
                    1, stages, weights.ctypes.data, one.ctypes.data, y[i:].ctypes.data, h, alone.ctypes.data
                )
                assert out[i] == alone[0]
