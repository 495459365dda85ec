"""The sum of a step: whatever the width of the vectors, an entry has the bits of one chain of fused sums."""

from __future__ import annotations

import ctypes
from fractions import Fraction

import numpy as np
import pytest

from chetaev.flow.compile import vectors
from chetaev.flow.compile.machine import compile_text

ARGUMENTS = [ctypes.c_int64] * 2 + [ctypes.c_void_p] * 3 + [ctypes.c_double, ctypes.c_void_p]


def fused(a: float, b: float, c: float) -> float:
    """a b + c, rounded once."""
    return float(Fraction(a) * Fraction(b) + Fraction(c))


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_every_width_has_the_same_bits_and_writes_nothing_beside(lanes: int) -> None:
    library = compile_text(vectors.combine_text(lanes))
    combine = ctypes.CFUNCTYPE(None, *ARGUMENTS)(library.address("combine"))
    generator = np.random.default_rng(3)
    for d in range(1, 30):
        for stages in (1, 3):
            weights, k = generator.normal(size=stages), generator.normal(size=(stages, d))
            y, h, out = generator.normal(size=d), 0.37, np.full(d + 8, -7.0)
            combine(d, stages, weights.ctypes.data, k.ctypes.data, y.ctypes.data, h, out.ctypes.data)
            for i in range(d):
                total = 0.0
                for j in range(stages):
                    total = fused(weights[j], k[j, i], total)
                assert out[i] == fused(h, total, y[i])
            assert np.all(out[d:] == -7.0)


def test_no_store_has_a_mask() -> None:
    assert "masked" not in vectors.combine_text(8)
