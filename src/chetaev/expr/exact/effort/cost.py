"""What operations cost: a number for each, made from sizes alone, about the microseconds it takes somewhere.

    product          5 + (a + b)/4 + ab/32      terms a, b; large coefficients weigh more
    common divisor   5 + 4(a + b)
    factorization    15 + 100·[a > 1] + 10 a Σ degrees
    ball             2 per operation and 2 more per slope, times 1 + bits/1000

The numbers are measured (``benchmarks/effort.py``), and only their proportions matter: an effort is then the
same number of operations everywhere, and some time that depends on the machine.

>>> product(10, 10), common_divisor(10, 10), values(100, 128)
(13, 85, 225)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flint import fmpq_mpoly

GROEBNER = 2000
"""A Gröbner basis within the limits set to it, for each polynomial of the ideal."""

WRITING = 200
"""A term of an element written as an expression for people."""

ELEMENT = 5
"""A sum, product or quotient of elements, beside that of its polynomials."""


def product(a: int, b: int, bits: int = 0) -> int:
    """A product of polynomials with a and b terms, whose coefficients have so many bits together."""
    return 5 + ((a + b) // 4 + a * b // 32) * (1 + bits // 256)


def division(a: int, b: int) -> int:
    """The quotient of a polynomial with a terms by a divisor with b terms."""
    return 5 + a // 4 + a * b // 32


def common_divisor(a: int, b: int) -> int:
    """A common divisor of polynomials with a and b terms."""
    return 5 + 4 * (a + b)


def factorization(p: fmpq_mpoly) -> int:
    """The irreducible factors of a polynomial."""
    return 15 if len(p) < 2 else 115 + 10 * len(p) * sum(int(d) for d in p.degrees())


def terms(a: int, generators: int) -> int:
    """One look at every term of a polynomial with a terms in a ring with so many generators."""
    return 1 + a * (1 + generators // 16)


def elimination(rows: int, columns: int) -> int:
    """A matrix of residues modulo a prime, written down and eliminated."""
    return rows * columns * (1 + min(rows, columns) // 400)


def values(steps: int, bits: int, slopes: int = 0) -> int:
    """A program of so many operations in ball arithmetic, with derivatives in so many directions."""
    return 2 * steps * (1 + slopes) * (1000 + bits) // 1000
