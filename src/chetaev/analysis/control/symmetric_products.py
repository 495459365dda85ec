r"""Mechanical systems at rest: symmetric products of inputs, and what they decide (Lewis and Murray 1997).

Where the law on a frame W_α of the admissible directions is u'^γ = −Γ^γ_αβ u^α u^β + Σ u_a Y_a^γ, with
neither potential nor other forces, Γ is the constrained connection, and for fields A = A^α W_α, B = B^α W_α

    ⟨A : B⟩^γ = A(B^γ) + B(A^γ) + Γ^γ_αβ (A^α B^β + B^α A^β).

Sym(Y) is the smallest span of the Y_a that contains its own symmetric products. From rest at q₀ the positions
reached have an interior iff Lie(Sym(Y)) spans at q₀, the states also iff Sym(Y) is the whole of D. A
product is bad if each Y_a occurs an even number of times in it; if each bad one is at q₀ a combination of
good ones of lower degree, the neighbourhood of q₀ is reached in every short time (configuration
controllability).

Bullo and Lewis, Geometric Control of Mechanical Systems (2005), chapters 3.8, 7.3; for constraints Lewis,
Simple mechanical control systems with constraints (2000).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chetaev.analysis.control.control_affine import ControlAffine
from chetaev.analysis.control.lie_brackets import PointValues
from chetaev.expr.exact import Element, GivenUp, ask
from chetaev.expr.exact.linear.growing_echelon import GrowingEchelon
from chetaev.geometry import Distribution, VectorField
from chetaev.geometry.chart.zeros import Zeros
from chetaev.results import PlainData

HIGHEST = 6
"""Degree of products that are formed."""


@dataclass(frozen=True)
class SymmetricProduct:
    """A symmetric product: its name, how often each input occurs in it, its components in the frame."""

    name: str
    degrees: tuple[int, ...]
    components: tuple[Element, ...]

    @property
    def bad(self) -> bool:
        """Whether each input occurs an even number of times."""
        return all(d % 2 == 0 for d in self.degrees)


class SymmetricAlgebra:
    """The symmetric products of the inputs of a mechanical control system; see :func:`of`."""

    def __init__(self, control: ControlAffine, second: list[list[list[Element]]]) -> None:
        self.control, self._second = control, second
        self.size = len(control.directions)
        self.base = control.directions[0].chart
        m, n = len(control.system.coordinates), self.size
        count = len(control.inputs)
        self.inputs = [
            SymmetricProduct(f"Y{a + 1}", tuple(int(i == a) for i in range(count)), Y.components[m : m + n])
            for a, Y in enumerate(control.inputs)
        ]

    @classmethod
    def of(cls, control: ControlAffine) -> SymmetricAlgebra | None:
        """None where the law is not of this kind."""
        if control.level != "dynamic" or control.timed or not control.directions or control.frame is None:
            return None
        system, chart = control.system, control.chart
        u = [s.value for s in control.frame.symbols]
        m, n = len(system.coordinates), len(u)
        V, a = control.drift.components[:m], control.drift.components[m : m + n]
        still = dict.fromkeys(u, chart.field.zero)
        if any(not e.subs(still).is_zero for e in V):
            return None
        if any(e.symbols & set(u) for Y in control.inputs for e in Y.components):
            return None
        second = [[[e.diff(x, y) for y in u] for x in u] for e in a]
        if any(e.symbols & set(u) for table in second for row in table for e in row):
            return None
        symbols = [chart.field.symbol(*x) for x in u]
        for e, table in zip(a, second, strict=True):
            half = chart.field.zero
            for i, row in enumerate(table):
                for j, c in enumerate(row):
                    half = half + c * symbols[i] * symbols[j] / 2
            if (e - half).is_zero is not True:
                return None
        return cls(control, second)

    def field(self, components: Sequence[Element]) -> VectorField:
        """A^α W_α on positions."""
        total = [self.base.field.zero] * self.base.dimension
        for c, W in zip(components, self.control.directions, strict=True):
            if not c.is_blank:
                total = [t + c * w for t, w in zip(total, W.components, strict=True)]
        return VectorField.of(self.base, total)

    def components(self, A: Sequence[Element], B: Sequence[Element]) -> tuple[Element, ...]:
        """⟨A : B⟩ in the frame."""
        X, Y = self.field(A), self.field(B)
        found = []
        for c, table in enumerate(self._second):
            value = X.derivative(B[c]) + Y.derivative(A[c])
            for i in range(self.size):
                for j in range(self.size):
                    if not (table[i][j].is_blank or A[i].is_blank or B[j].is_blank):
                        value = value - table[i][j] * A[i] * B[j]
            found.append(value)
        return tuple(found)

    def product(self, A: SymmetricProduct, B: SymmetricProduct) -> SymmetricProduct:
        """⟨A : B⟩ with its name."""
        degrees = tuple(a + b for a, b in zip(A.degrees, B.degrees, strict=True))
        return SymmetricProduct(
            f"<{A.name} : {B.name}>", degrees, self.components(A.components, B.components)
        )

    def by_degree(self, highest: int = HIGHEST) -> list[list[SymmetricProduct]]:
        """All products that are not zero, by degree from 1; a degree without any ends the list."""
        levels = [list(self.inputs)]
        while len(levels) < highest:
            d = len(levels) + 1
            found = []
            for low in range(1, d // 2 + 1):
                for i, A in enumerate(levels[low - 1]):
                    others = levels[d - low - 1]
                    for B in others[i:] if 2 * low == d else others:
                        made = self.product(A, B)
                        if any(not e.is_blank for e in made.components):
                            found.append(made)
            levels.append(found)
            if sum(map(len, levels)) > 60:
                break
        return levels

    def closure(self) -> tuple[list[SymmetricProduct], bool]:
        """Products that span Sym(Y) at generic points, and whether it is proved that there are no others."""
        zeros = Zeros(self.base, self.control.on)
        span = GrowingEchelon(self.size, zeros)
        kept = [P for P in self.inputs if span.add(P.components)]
        done = 0
        while done < len(kept) and span.rank < self.size:
            A = kept[done]
            for B in kept[: done + 1]:
                made = self.product(A, B)
                if span.add(made.components):
                    kept.append(made)
            done += 1
        return kept, zeros.proved


@dataclass(frozen=True)
class AtRest(PlainData):
    """What symmetric products say about motions from rest.

    Attributes
    ----------
    products
        Spanning products of Sym(Y) at generic points.
    sym_rank, lie_rank, full
        The ranks of Sym(Y) and of Lie(Sym(Y)) at generic points, and the dimension of the positions.
    configuration_accessible
        Whether positions reached from rest have an interior, at generic points.
    configuration_controllable
        Whether they contain a neighbourhood, at the position asked for; None where it is not decided.
    reason
        Why.
    """

    products: tuple[str, ...]
    sym_rank: int
    lie_rank: int
    full: int
    configuration_accessible: bool | None
    configuration_controllable: bool | None
    reason: str

    facts = "products sym_rank lie_rank configuration_accessible configuration_controllable reason"


def at_rest(algebra: SymmetricAlgebra, values: PointValues | None) -> AtRest:
    """The theorem of Lewis and Murray, at generic positions, and at a point where one is given."""
    kept, proved = algebra.closure()
    fields = [algebra.field(P.components) for P in kept]
    lie = Distribution.spanned_by(fields, algebra.control.on, algebra.base, check=False)
    flag = lie.derived_flag
    full, rank = lie.dimension, flag.ranks[-1]
    accessible = True if rank == full else (False if proved and flag.proved else None)
    names = tuple(P.name for P in kept)
    verdict: bool | None = None
    reason = ""
    if values is not None and accessible and proved:
        found = ask(_controllable, algebra, values, full, len(kept))
        unknown = None, "the products have no exact values there within the effort"
        verdict, reason = unknown if isinstance(found, GivenUp) else found
    return AtRest(names, len(kept), rank, full, accessible, verdict, reason)


def _controllable(
    algebra: SymmetricAlgebra, values: PointValues, full: int, whole: int
) -> tuple[bool | None, str]:
    """Bad products against good ones of lower degree at the point.

    Once good ones span as much as Sym(Y) does anywhere, `whole`, all bad ones of higher degree are
    combinations.
    """
    good = GrowingEchelon(algebra.size, values.span().zeros)
    kept: list[SymmetricProduct] = []
    neutralised: list[str] = []
    rows: list[list[Element]] = []
    for level in algebra.by_degree():
        at = [(P, [values.of(c) for c in P.components]) for P in level]
        for P, row in at:
            if P.bad and any(not e.is_zero for e in row):
                if not good.contains(row):
                    return (
                        None,
                        f"the bad product {P.name} is no combination of good ones of lower degree",
                    )
                neutralised.append(P.name)
        for P, row in at:
            if not P.bad and good.add(row):
                kept.append(P)
        if good.rank < whole:
            continue
        fields = [algebra.field(P.components) for P in kept]
        rows = [values.at(X) for X in _with_brackets(fields)]
        span = values.span([row + [row[0].field.zero] * (values.width - len(row)) for row in rows])
        if span.rank >= full:
            what = f"{', '.join(neutralised)} are neutralised" if neutralised else "bad ones vanish there"
            return True, f"symmetric products and their brackets span, and {what}"
    return None, "symmetric products and their brackets do not span there within the degrees tried"


def _with_brackets(fields: Sequence[VectorField], longest: int = 4) -> list[VectorField]:
    """Fields and their brackets of up to `longest` of them."""
    found, newest = list(fields), list(fields)
    for _ in range(longest - 1):
        newest = [B for X in fields for Z in newest if not (B := X.bracket(Z)).is_zero][:80]
        found += newest
    return found
