"""The determining equations of F = Σ_α c_α(s) m_α with unknown functions c_α of one coordinate s (SCOPE K22).

m_α are monomials in the velocities (for s = t also in the coordinates). On Q

    Γ(F) = Σ_α (dc_α/ds ṡ m_α + c_α Γ(m_α)) = 0

holds at all values of the other coordinates and of the velocities. Collected by monomials in everything
that does not depend on s alone, it gives equations over the functions of s: as many as there are c_α for
the dc_α/ds, the others without derivatives. These are differentiated until nothing new appears; what is
left is

    c = K(s) d,      dd/ds = −B(s) d,      F = Σ_i d_i w_i,      w_i = Σ_α K_αi(s) m_α .

The system for d falls into blocks that have nothing to do with each other.

>>> import chetaev as ch
>>> frame = DeterminingFrame(ch.load("rolling-disc"))
>>> (block,) = blocks(frame, "theta", 1)
>>> [str(w.to_expr()) for w in block.functions], [[str(a) for a in row] for row in block.matrix]
(["psi'", "phi'"], [['2*sin(theta)/cos(theta)', '5*cos(theta)/3'], ['2/cos(theta)', '0']])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import prod

from chetaev.equations.law.normal_law import OnConstraint
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.exact import Element, Field
from chetaev.expr.exact.linear.matrix import dot, echelon, nullspace
from chetaev.expr.graph.node import symbol, symbols
from chetaev.laws.rate import EFFORT, solved_accelerations
from chetaev.laws.standpoint import standpoints
from chetaev.model.system import System

MOST_UNKNOWNS = 16
"""More unknown functions than these are not tried."""


class DeterminingFrame:
    """A system's accelerations in normal form, with the independent velocities of affine constraints.

    Raises :class:`~chetaev.errors.ModelError` where there is no such form.
    """

    def __init__(self, system: System, effort: int = EFFORT) -> None:
        self.system = system
        self.show = OnConstraint(system, effort)
        s = Setup(system)
        if any(order for row in s.matrix(s.by_v(s.f)) for e in row for _, order in symbols(e)):
            raise ModelError("the constraints are not affine in the velocities")
        self.free = list(s.independent)
        accelerations = standpoints(system)[0].apply(solved_accelerations(system))
        self.accelerations = [self.show.element(e) for e in accelerations]
        self.velocities = [self.show.element(symbol(c, 1)) for c in system.coordinates]

    @property
    def field(self) -> Field:
        """The functions on Q."""
        return self.show.field

    def speed(self, s: str) -> Element:
        """ṡ, which is 1 for the time."""
        return self.field.one if s == self.system.time else self.velocities[self.system.coordinates.index(s)]

    def monomials(self, s: str, degree: int) -> list[tuple[Element, Element]]:
        """The m_α with their rates: in the independent velocities, for s = t in all coordinates too; 1
        last.
        """
        names = self.system.coordinates
        variables = [(self.field.symbol(names[i], 1), self.accelerations[i]) for i in self.free]
        if s == self.system.time:
            variables += [(self.field.symbol(c), v) for c, v in zip(names, self.velocities, strict=True)]
        elif degree == 1:
            variables = [x for x, i in zip(variables, self.free, strict=True) if names[i] != s]
        found = []
        for d in range(degree, -1, -1):
            for chosen in combinations_with_replacement(range(len(variables)), d):
                factors = [variables[i] for i in chosen]
                m = prod((x for x, _ in factors), start=self.field.one)
                rate = self.field.zero
                for n, (_, r) in enumerate(factors):
                    rate = rate + r * prod(
                        (x for k, (x, _) in enumerate(factors) if k != n), start=self.field.one
                    )
                found.append((m, rate))
        return found


@dataclass(frozen=True)
class Block:
    """F = Σ_j c_j(s) w_j is constant if dc_k/ds = −Σ_j c_j A_jk(s)."""

    functions: tuple[Element, ...]
    """w_j."""
    matrix: tuple[tuple[Element, ...], ...]
    """A_jk, functions of s and the parameters."""


def blocks(frame: DeterminingFrame, s: str, degree: int) -> list[Block]:
    """The blocks for one coordinate, without those in which nothing depends on s."""
    monomials = frame.monomials(s, degree)
    if len(monomials) > MOST_UNKNOWNS:
        return []
    derivative, algebraic = _collected(frame, s, monomials)
    if derivative is None:
        return []
    kernel = _closed(frame.field, s, derivative, algebraic)
    return _blocks([m for m, _ in monomials], derivative, kernel)


Matrix = list[list[Element]]


def _collected(
    frame: DeterminingFrame, s: str, monomials: Sequence[tuple[Element, Element]]
) -> tuple[Matrix | None, Matrix]:
    """dc/ds = −B c, and the rows Z with Z c = 0."""
    field, speed, n = frame.field, frame.speed(s), len(monomials)
    entries = [speed * m for m, _ in monomials] + [rate for _, rate in monomials]
    here = field.base(symbol(s))
    system = frame.system
    names = {(x, k) for x in (system.time, *system.coordinates) for k in (0, 1)}
    moving = {g.index for g in field.generators if g.kind == "symbol" and g.name in names} - {here}
    outer = tuple(g.index for g in field.generators if g.kind != "dead" and g.depends & moving)

    def mixed(e: Element) -> bool:
        return bool(set(field.tower.used(e.denominator)) & set(outer))

    for _ in range(4):  # a root in a denominator needs another pass
        common = field.one
        for e in filter(mixed, entries):
            rest = field.divide(e.denominator, field.gcd(common.numerator, e.denominator))
            common = common * field.polynomial(rest)
        if common.is_number:
            break
        entries = [e * common for e in entries]
    if any(map(mixed, entries)):
        return None, []
    rows: dict[tuple[int, ...], list[Element]] = {}
    for j, e in enumerate(entries):
        for exponents, poly in field.tower.collect(e.numerator, outer).items():
            entry = field.polynomial(poly) / field.polynomial(e.denominator)
            rows.setdefault(exponents, [field.zero] * (2 * n))[j] = entry
    table = list(rows.values())
    if not table:
        return None, []
    reduced = echelon(table, range(n))
    if reduced.pivots != list(range(n)):
        return None, []
    B = [[reduced.entry(i, n + j) for j in range(n)] for i in range(n)]
    algebraic = []
    for row in table:
        left = [row[n + j] for j in range(n)]
        for i in range(n):
            if not row[i].is_blank:
                left = [x - row[i] * B[i][j] for j, x in enumerate(left)]
        if any(not x.is_blank for x in left):
            algebraic.append(left)
    return B, algebraic


def _closed(field: Field, s: str, B: Matrix, rows: Matrix) -> Matrix:
    """A basis of the c that satisfy the rows and all their derivatives, by columns of functions of s."""
    n = len(B)
    if not rows:
        return [[field.one if i == j else field.zero for j in range(n)] for i in range(n)]
    rank = 0
    while True:
        reduced = echelon(rows)
        rows = [[reduced.entry(i, j) for j in range(n)] for i in range(reduced.rank)]
        if reduced.rank in (rank, n):
            break
        rank = reduced.rank
        more = []
        for row in rows:
            slope = [x.diff(symbol(s)) for x in row]
            for i, x in enumerate(row):
                if not x.is_blank:
                    slope = [y - x * B[i][j] for j, y in enumerate(slope)]
            more.append(slope)
        rows = rows + more
    return nullspace(rows) if reduced.rank < n else []


def _blocks(monomials: Sequence[Element], B: Matrix, kernel: Matrix) -> list[Block]:
    if not kernel:
        return []
    reduced = echelon(kernel)  # each c of the basis has 1 where the others have 0
    basis = [[reduced.entry(i, j) for j in range(len(monomials))] for i in range(reduced.rank)]
    free, n = reduced.pivots, reduced.rank
    # d_i = c at free[i]:  dd_i/ds = −Σ_j B[free_i][j] c_j = −Σ_k (Σ_j B[free_i][j] basis[k][j]) d_k
    A = [[dot(B[free[k]], basis[j]) for k in range(n)] for j in range(n)]
    w = [dot(basis[i], monomials) for i in range(n)]
    found = []
    for part in _connected(A):
        inner = tuple(tuple(A[j][k] for k in part) for j in part)
        if any(not a.is_blank for row in inner for a in row):
            found.append(Block(tuple(w[j] for j in part), inner))
    return found


def _connected(A: Matrix) -> list[list[int]]:
    """Indices in groups that A couples."""
    groups: list[set[int]] = []
    for j, row in enumerate(A):
        together = {j, *(k for k, a in enumerate(row) if not a.is_blank)}
        together = together.union(*(g for g in groups if g & together))
        groups = [g for g in groups if not g & together] + [together]
    return sorted((sorted(g) for g in groups), key=lambda g: g[0])
