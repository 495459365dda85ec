"""Random numbers that belong to a member and a name, whoever asks for them and when.

NumPy's Philox is a bijection of 256 bits, here of (number of the member, draw), under a key, here (seed,
name): so member 17 is the same in every chunk and on every core (Salmon, Moraes, Dror and Shaw, "Parallel
random numbers: as easy as 1, 2, 3", 2011).
"""

from __future__ import annotations

import hashlib
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
BLOCK = 4
"""So many numbers come from one state of the generator."""
WORD = 2**64


def stream_of(name: str) -> int:
    """The number of the stream that a name has."""
    return int.from_bytes(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:8], "little")


def uniform(start: int, stop: int, name: str, seed: int, draw: int = 0) -> Array:
    """Numbers strictly between 0 and 1 for members `start` to `stop`, multiples of 2⁻⁵³ and a half.

    >>> float(uniform(3, 4, "theta", 1)[0]) == float(uniform(0, 10, "theta", 1)[3])
    True
    """
    block, before = divmod(start, BLOCK)
    bits = np.random.Philox(counter=block + draw * WORD, key=seed % WORD + stream_of(name) * WORD)
    return np.random.Generator(bits).random(before + stop - start)[before:] + 2.0**-54


def normal(start: int, stop: int, name: str, seed: int, draw: int = 0) -> Array:
    """Numbers with mean 0 and variance 1: the normal distribution's quantiles of `uniform`.

    >>> float(normal(0, 10_000, "x", 1).std().round(1))
    1.0
    """
    return np.array([*map(NormalDist().inv_cdf, uniform(start, stop, name, seed, draw).tolist())])
