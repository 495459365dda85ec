"""Random numbers that belong to a member and a name, whoever asks for them and when.

Philox 4×32 with ten rounds (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
2011): a bijection of 128 bits, here of (number of the member, draw, name), under a key, here the seed. So
member 17 is the same in every chunk, on every core and machine; only +, ·, shifts, and for normal numbers the
four operations of IEEE 754 are used.

>>> [hex(int(x[0])) for x in philox(np.zeros(1, np.uint64), 0, 0, 0)]  # the authors' first test vector
['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from chetaev.numeric import logarithm

Array = NDArray[np.float64]
Whole = NDArray[np.uint64]

ROUNDS = 10
LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
FACTORS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
KEYS = 0x9E3779B9, 0xBB67AE85


def philox(member: Whole, draw: int, stream: int, seed: int) -> tuple[Whole, Whole, Whole, Whole]:
    """Four times 32 random bits for each member."""
    a, b = member & LOW, member >> HALF
    c, d = np.full_like(a, draw & 0xFFFFFFFF), np.full_like(a, stream & 0xFFFFFFFF)
    key = [seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF]
    for _ in range(ROUNDS):
        first, second = FACTORS[0] * a, FACTORS[1] * c
        a, b, c, d = (
            (second >> HALF) ^ b ^ np.uint64(key[0]),
            second & LOW,
            (first >> HALF) ^ d ^ np.uint64(key[1]),
            first & LOW,
        )
        key = [(k + step) & 0xFFFFFFFF for k, step in zip(key, KEYS, strict=True)]
    return a, b, c, d


def stream_of(name: str) -> int:
    """The number of the stream that a name has."""
    return int.from_bytes(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:4], "little")


def uniform(start: int, stop: int, name: str, seed: int, draw: int = 0) -> Array:
    """Numbers strictly between 0 and 1 for members `start` to `stop`, multiples of 2⁻⁵³ and a half.

    >>> float(uniform(3, 4, "theta", 1)[0]) == float(uniform(0, 10, "theta", 1)[3])
    True
    """
    a, b, _, _ = philox(np.arange(start, stop, dtype=np.uint64), draw, stream_of(name), seed)
    return ((a >> np.uint64(5)) * 67108864.0 + (b >> np.uint64(6)) + 0.5) * 2.0**-53


def normal(start: int, stop: int, name: str, seed: int, draw: int = 0) -> Array:
    """Numbers with mean 0 and variance 1: the normal distribution's quantiles of `uniform`.

    >>> [round(float(x), 6) for x in quantile(np.array([0.5, 0.975, 1e-10]))]
    [0.0, 1.959964, -6.361341]
    """
    return quantile(uniform(start, stop, name, seed, draw))


# --- the quantiles of the normal distribution -------------------------------------------------------

# fmt: off
CENTRE = (
    (
        2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4,
        4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3,
        1.3314166789178437745e2, 3.3871328727963666080e0,
    ),
    (
        5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4,
        2.1213794301586595867e4, 5.3941960214247511077e3, 6.8718700749205790830e2,
        4.2313330701600911252e1, 1.0,
    ),
)
MIDDLE = (
    (
        7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
        1.27045825245236838258e0, 3.64784832476320460504e0, 5.76949722146069140550e0,
        4.63033784615654529590e0, 1.42343711074968357734e0,
    ),
    (
        1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
        1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940e0,
        2.05319162663775882187e0, 1.0,
    ),
)
TAIL = (
    (
        2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
        2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e0,
        5.46378491116411436990e0, 6.65790464350110377720e0,
    ),
    (
        2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
        7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
        5.99832206555887937690e-1, 1.0,
    ),
)
# fmt: on
"""Numerators and denominators of Wichura's approximations (Applied Statistics 37, 1988, algorithm 241)."""


def quantile(p: Array) -> Array:
    """x with Φ(x) = p, for 0 < p < 1; sixteen digits (Wichura's algorithm 241)."""
    q = p - 0.5
    near = 0.180625 - q * q
    centre = q * _ratio(CENTRE, near)
    r = np.sqrt(-logarithm(np.where(q < 0, p, 1.0 - p)))
    far = np.where(r <= 5.0, _ratio(MIDDLE, r - 1.6), _ratio(TAIL, r - 5.0))
    return np.where(np.abs(q) <= 0.425, centre, np.where(q < 0, -far, far))


def _ratio(both: tuple[tuple[float, ...], tuple[float, ...]], x: Array) -> Array:
    above, below = np.zeros_like(x), np.zeros_like(x)
    for a, b in zip(*both, strict=True):
        above, below = above * x + a, below * x + b
    return np.asarray(above / below)
