"""Eigenvalues with their multiplicities, and on which side of the imaginary axis they lie.

A characteristic polynomial with rational coefficients is divided into square-free factors, whose roots FLINT
isolates in balls; so a threefold zero is three zeros. Which roots lie *on* the axis is algebra too: with
p(iω) = E(ω) + i O(ω), real polynomials E and O, they are i times the real roots of gcd(E, O). All others have
a real part that is not zero, and its sign is found with as many digits as it takes.

Coefficients that are not rational (√2, sin 1) are balls; then a root whose ball meets the axis is decided
only if the polynomial is even and its square a simple real root. Matrices of doubles are rational matrices
whose entries are not quite the right ones: what is nearer to the axis than rounding errors can tell stays
open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from flint import acb, acb_poly, arb, ctx, fmpq, fmpq_mat, fmpq_poly

from chetaev.analysis.linear.characteristic import blocks
from chetaev.expr.exact import Element

BITS = (64, 256, 1024)
ROUNDOFF = 1e-14
NARROW = 2.0**-70
"""Relative width of the balls of roots."""
NEAR = 1e-7
"""Part of the largest eigenvalue of a block that roundoff in its entries may move a multiple eigenvalue."""


@dataclass(frozen=True)
class SpectralRoot:
    """An eigenvalue: its value, how often it occurs, and the sign of its real part; None: not known."""

    value: complex
    multiplicity: int
    side: int | None


@dataclass(frozen=True)
class Spectrum:
    """The eigenvalues, those with the largest real part first; `certain` if multiplicities are proved,
    `signed` if the sides are: not those of doubles, whose entries may be what rounding leaves of zeros.
    """

    roots: tuple[SpectralRoot, ...]
    certain: bool
    signed: bool = True

    @property
    def values(self) -> list[complex]:
        """All eigenvalues, repeated as often as they occur."""
        return [r.value for r in self.roots for _ in range(r.multiplicity)]

    def count(self, side: int | None) -> int:
        """How many eigenvalues lie on a side: 1, 0 (on the axis), −1, or None (not known)."""
        return sum(r.multiplicity for r in self.roots if r.side == side)

    def with_zeros(self, count: int) -> Spectrum:
        """Where at least so many eigenvalues are known to be zero, and no more balls hold 0: these are."""
        holding = [r for r in self.roots if r.value == 0 and r.side != 1 and r.side != -1]
        if not self.signed or not count or sum(r.multiplicity for r in holding) != count:
            return self
        roots = tuple(replace(r, side=0) if r in holding else r for r in self.roots)
        return replace(self, roots=roots, certain=all(r.side is not None for r in roots))

    @property
    def verdict(self) -> bool | None:
        """False with an eigenvalue on the right, True with all on the left, else None."""
        if self.count(1):
            return False
        return True if self.count(-1) == len(self.values) else None

    @property
    def words(self) -> str:
        """The verdict of linear theory in words."""
        if self.count(1):
            many = self.count(1)
            what = (
                "eigenvalue has a positive real part" if many == 1 else "eigenvalues have positive real parts"
            )
            return f"{many} {what}"
        if self.verdict:
            return "all eigenvalues have negative real parts"
        open_ones = self.count(0) + self.count(None)
        return f"{open_ones} of {len(self.values)} eigenvalues lie on the imaginary axis" + (
            "" if not self.count(None) else ", or too near to it for doubles"
        )


def of_factors(factors: Sequence[Sequence[Element]]) -> Spectrum | None:
    """The spectrum from the factors of an exact characteristic polynomial without symbols; None where
    multiplicities cannot be told.
    """
    roots: list[SpectralRoot] = []
    for coefficients in factors:
        rational = [c.as_fraction() for c in coefficients]
        if all(c is not None for c in rational):
            p = fmpq_poly([fmpq(c.numerator, c.denominator) for c in rational if c is not None])
            roots += _rational(p)
        else:
            found = _balls(coefficients)
            if found is None:
                return None
            roots += found
    return Spectrum(ordered(roots), True)


def of_doubles(matrix: Any) -> Spectrum:
    """The spectrum of a matrix of doubles, block by block; entries below roundoff of their row are 0."""
    n = len(matrix)
    rows = [[float(x) for x in row] for row in matrix]
    least = [ROUNDOFF * max(map(abs, row), default=0.0) for row in rows]
    kept = [[abs(x) > least[i] for x in row] for i, row in enumerate(rows)]
    roots: list[SpectralRoot] = []
    for part in blocks(kept):
        block = [[_exact(rows[i][j]) if kept[i][j] else fmpq(0) for j in part] for i in part]
        found = _rational(fmpq_mat(block).charpoly(), decide=False)
        largest = max((abs(r.value) for r in found), default=0.0)
        if len(part) == 1 and rows[part[0]][part[0]] == 0:
            found = [SpectralRoot(0j, 1, 0)]
        else:
            near = NEAR * largest
            found = [SpectralRoot(r.value, r.multiplicity, _clear(r.value.real, near)) for r in found]
        roots += found
    return Spectrum(ordered(roots), n == 0, n == 0)


def _exact(x: Any) -> fmpq:
    numerator, denominator = float(x).as_integer_ratio()
    return fmpq(numerator, denominator)


def _clear(x: float, near: float) -> int | None:
    if abs(x) <= near:
        return None
    return 1 if x > 0 else -1


def _rational(p: fmpq_poly, decide: bool = True) -> list[SpectralRoot]:
    found: list[SpectralRoot] = []
    _, parts = p.factor_squarefree() if p.degree() > 0 else (None, [])
    for part, multiplicity in parts:
        on_axis = on_the_axis(part) if decide else 0
        for bits in BITS:
            with ctx.workprec(bits):
                balls = [z for z, _ in _roots(part)]
                unclear = sum(1 for z in balls if z.real.contains(0))
            if unclear == on_axis or not decide:
                break
        for z in balls:
            side: int | None = 0
            if not z.real.contains(0):
                side = 1 if z.real > 0 else -1
            elif unclear != on_axis:
                side = None
            value = complex(0.0 if side == 0 else float(z.real.mid()), _imaginary(z))
            found.append(SpectralRoot(value, int(multiplicity), side))
    return found


def _imaginary(z: acb) -> float:
    return 0.0 if z.imag.contains(0) else float(z.imag.mid())


def on_the_axis(p: fmpq_poly) -> int:
    """How many roots of a square-free polynomial lie on the imaginary axis."""
    even = fmpq_poly([c * (-1) ** (k // 2) if k % 2 == 0 else 0 for k, c in enumerate(p.coeffs())])
    odd = fmpq_poly([c * (-1) ** (k // 2) if k % 2 == 1 else 0 for k, c in enumerate(p.coeffs())])
    common = even.gcd(odd)
    if common.degree() < 1:
        return 0
    return sum(bool(z.imag == 0) for z, _ in _roots(common))  # FLINT gives real roots as such


def _roots(p: fmpq_poly) -> list[tuple[acb, int]]:
    """Roots with their multiplicities."""
    found: Any = p.complex_roots()  # its stub knows no pairs
    return list(found)


def _balls(coefficients: Sequence[Element]) -> list[SpectralRoot] | None:
    """Roots of a polynomial whose coefficients are constants but not all rational."""
    zeros = next(i for i, c in enumerate(coefficients) if not c.is_zero)
    rest = list(coefficients[zeros:])
    found = [SpectralRoot(0j, zeros, 0)] if zeros else []
    if len(rest) == 1:
        return found
    even = all(c.is_zero for c in rest[1::2])
    if even:
        squares = _isolated(rest[::2])
        if squares is None:
            return None
        for z in squares:
            with ctx.workprec(256):
                root = z.sqrt()
            if z.imag.contains(0):  # isolated, and the polynomial is real: a real root
                x = arb(z.real)
                if x.contains(0):
                    return None
                size = float(abs(x).sqrt().mid())
                pair = [(complex(size, 0.0), 1), (complex(-size, 0.0), -1)]
                if x < 0:
                    pair = [(complex(0.0, size), 0), (complex(0.0, -size), 0)]
            else:
                if root.real.contains(0):
                    return None
                value = complex(root)
                side = 1 if root.real > 0 else -1
                pair = [(value, side), (-value, -side)]
            found += [SpectralRoot(value, 1, side) for value, side in pair]
        return found
    isolated = _isolated(rest)
    if isolated is None:
        return None
    for z in isolated:
        known: int | None = None if z.real.contains(0) else (1 if z.real > 0 else -1)
        found.append(SpectralRoot(complex(float(z.real.mid()), _imaginary(z)), 1, known))
    return found


def _isolated(coefficients: Sequence[Element]) -> list[acb] | None:
    for bits in (256, 1024):
        with ctx.workprec(bits):
            values = [c.evaluate({}, bits) for c in coefficients]
            if not all(v.is_finite() for v in values) or values[-1].contains(0):
                continue
            polynomial = acb_poly([acb(v) for v in values])
            try:
                return list(polynomial.roots(tol=NARROW, maxprec=bits))  # isolated alone is not narrow
            except ValueError:  # FLINT's word for roots that it does not isolate
                continue
    return None


def ordered(roots: list[SpectralRoot]) -> tuple[SpectralRoot, ...]:
    """Equal values together, the largest real part first, conjugate pairs with the positive one first."""
    merged: dict[complex, SpectralRoot] = {}
    for r in roots:
        old = merged.get(r.value)
        merged[r.value] = (
            r if old is None else SpectralRoot(r.value, r.multiplicity + old.multiplicity, r.side)
        )
    return tuple(sorted(merged.values(), key=lambda r: (-r.value.real, abs(r.value.imag), -r.value.imag)))
