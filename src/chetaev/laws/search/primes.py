"""Primes modulo which laws are searched; the residues are :mod:`chetaev.expr.exact.numbers.residues`.

The primes are safe, p = 2q + 1 with q prime: then p ≡ 3 mod 4, so that √u = u^{(p+1)/4} where it exists, and
every odd root exists and is unique, u^{1/n} = u^m with m n ≡ 1 mod p − 1.

>>> p = PRIMES[0]
>>> fraction(pow(3, -1, p) * 2 % p, p)
Fraction(2, 3)
>>> pow(root(5**3, 3, p), 3, p)
125
"""

from __future__ import annotations

from collections.abc import Iterator

from flint import fmpz

from chetaev.expr.exact.numbers.residues import (
    UnluckyError,
    combined,
    drawn,
    fraction,
    inverse,
    residue,
    root,
)

PRIMES = (
    2305843009213691579,
    2305843009213690799,
    2305843009213686707,
    2305843009213685819,
    2305843009213685339,
    2305843009213684763,
    2305843009213684223,
    2305843009213684103,
)
"""Safe primes below 2⁶¹, the largest first."""

SHORT_PRIME = 2147483579
"""The largest safe prime below 2³¹: sums of two products of residues are machine numbers."""


def primes(first: int = PRIMES[0]) -> Iterator[int]:
    """The safe primes from this one down.

    >>> from itertools import islice
    >>> list(islice(primes(), 8)) == list(PRIMES)
    True
    """
    yield first
    q = first // 2
    while q > 3:
        q -= 2
        if fmpz(q).is_prime() and fmpz(2 * q + 1).is_prime():
            yield 2 * q + 1


__all__ = [
    "PRIMES", "SHORT_PRIME", "UnluckyError", "combined", "drawn", "fraction", "inverse", "primes", "residue",
    "root",
]  # fmt: skip
