"""Quasi-velocities of a frame: short forms θ^s on the velocities with θ^s(W_r) = δ^s_r.

On Q every left inverse of W gives the same u = θ (v − w); the shortest one is chosen, in this order:

    a row of W with a single entry, a constant        u = v^i / const
    a column with rows of its own, cos φ and sin φ    u = (Σ c_i v^i/p_i) / Σ c_i²,  W^i = p_i c_i
    columns that hang together, a constant det W_S    u = W_S⁻¹ v_S, S some of the rows
    others                                            u = (WᵀW)⁻¹ Wᵀ v.

Here p_i is the product of the parameters in W^i. The second and the last are regular wherever the frame is;
where some of the c_i² add up to a number, only these are taken, and nothing is divided by: x' cos φ + y'
sin φ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import combinations
from operator import add

from chetaev.equations.quasi.short_kernel import Vector, length, parameter_content
from chetaev.expr.exact import Element
from chetaev.expr.exact.effort.budget import SingularSystemError
from chetaev.expr.exact.linear.matrix import determinant, inverse

MOST_SUBSETS = 60
SMALL = 3
"""Most entries of a column whose squares are tried to add up to a number, beside all of them."""


class Coframe:
    """The forms θ^s of a frame W, as rows of coefficients."""

    def __init__(self, frame: Sequence[Vector], constants: frozenset[int]) -> None:
        self.W, self.constants = frame, constants
        self.n, self.m = len(frame), len(frame[0])
        self.field = frame[0][0].field
        self.rows: list[Vector | None] = [None] * self.n
        open_columns = list(range(self.n))
        while open_columns:
            done = self._by_row(open_columns) or self._by_column(open_columns) or self._by_block(open_columns)
            open_columns = [s for s in open_columns if s not in done]

    @property
    def forms(self) -> list[Vector]:
        """θ^s, one a row."""
        return [row for row in self.rows if row is not None]

    def is_constant(self, e: Element) -> bool:
        """Whether an entry has parameters and numbers in it only."""
        used = {*e.field.tower.used(e.numerator), *e.field.tower.used(e.denominator)}
        return not e.is_blank and used <= self.constants

    def _remainder(self, i: int) -> Vector:
        """v^i − Σ W^i_r u^r over the columns r that are settled, as a form."""
        form = [self.field.one if j == i else self.field.zero for j in range(self.m)]
        for r, row in enumerate(self.rows):
            if row is not None and not self.W[r][i].is_blank:
                form = [a - self.W[r][i] * b for a, b in zip(form, row, strict=True)]
        return tuple(form)

    def _by_row(self, open_columns: list[int]) -> list[int]:
        """A row with a constant in a single open column; rows without settled columns first."""
        found = []
        for i in range(self.m):
            used = [s for s in open_columns if not self.W[s][i].is_blank]
            if len(used) == 1 and self.is_constant(self.W[used[0]][i]):
                settled = sum(not w[i].is_blank for w in self.W) - 1
                entry = self.W[used[0]][i]
                found.append((settled, not entry.is_number, i, used[0]))
        if not found:
            return []
        settled, _, i, s = min(found)
        if settled and self._short_column(s, open_columns):
            return []  # x' cos θ + y' sin θ rather than a difference of two rates
        self.rows[s] = tuple(e / self.W[s][i] if not e.is_blank else e for e in self._remainder(i))
        return [s]

    def _alone(self, s: int, open_columns: list[int]) -> list[int]:
        """The rows where column s stands alone among the open ones."""
        return [
            i
            for i in range(self.m)
            if not self.W[s][i].is_blank and all(self.W[r][i].is_blank for r in open_columns if r != s)
        ]

    def _parts(self, s: int, rows: Sequence[int]) -> list[tuple[int, Element, Element]]:
        """(i, p_i, c_i) with W^i_s = p_i c_i."""
        found = []
        for i in rows:
            p = parameter_content(self.W[s][i], self.constants)
            found.append((i, p, self.W[s][i] / p))
        return found

    def _short_column(self, s: int, open_columns: list[int]) -> Vector | None:
        """A form from entries whose squares add up to a number, in rows that hold nothing else."""
        rows = [
            i
            for i in self._alone(s, open_columns)
            if all(w[i].is_blank for w in self.W if w is not self.W[s])
        ]
        parts = self._parts(s, rows)
        for size in range(2, SMALL + 1):
            for chosen in combinations(parts, size):
                total = sum((c * c for _, _, c in chosen), self.field.zero)
                if total.is_number:
                    return self._weighted(chosen, total)
        return None

    def _weighted(self, chosen: Sequence[tuple[int, Element, Element]], total: Element) -> Vector:
        form = [self.field.zero] * self.m
        for i, p, c in chosen:
            for j, e in enumerate(self._remainder(i)):
                if not e.is_blank:
                    form[j] = form[j] + e * c / (p * total)
        return tuple(form)

    def _by_column(self, open_columns: list[int]) -> list[int]:
        """A column that some rows have to itself, enough of them that they vanish where all of it does."""
        for s in open_columns:
            short = self._short_column(s, open_columns)
            if short is not None:
                self.rows[s] = short
                return [s]
        for s in open_columns:
            rows = self._alone(s, open_columns)
            if len(rows) == sum(not e.is_blank for e in self.W[s]):
                parts = self._parts(s, rows)
                total = sum((c * c for _, _, c in parts), self.field.zero)
                self.rows[s] = self._weighted(parts, total)
                return [s]
        return []

    def _by_block(self, open_columns: list[int]) -> list[int]:
        """All open columns at once, from rows with a short determinant."""
        rows = [i for i in range(self.m) if any(not self.W[s][i].is_blank for s in open_columns)]
        best: tuple[tuple[bool, int], tuple[int, ...]] | None = None
        for S in list(combinations(rows, len(open_columns)))[:MOST_SUBSETS]:
            det = determinant([[self.W[s][i] for s in open_columns] for i in S])
            if det.is_blank or det.is_zero is not False:
                continue
            key = (not self.is_constant(det), det.terms)
            if best is None or key < best[0]:
                best = (key, S)
        if best is None:
            raise SingularSystemError("no rows of the frame are independent")
        if best[0][0]:
            return self._by_gram(open_columns, rows)
        S = best[1]
        table = inverse([[self.W[s][i] for s in open_columns] for i in S])
        remainders = [self._remainder(i) for i in S]
        for s, row in zip(open_columns, table, strict=True):
            form = [self.field.zero] * self.m
            for a, remainder in zip(row, remainders, strict=True):
                if not a.is_blank:
                    form = [x + a * y for x, y in zip(form, remainder, strict=True)]
            self.rows[s] = tuple(form)
        return open_columns

    def _by_gram(self, open_columns: list[int], rows: list[int]) -> list[int]:
        """All open columns at once, u = (WᵀW)⁻¹ Wᵀ v: regular wherever the frame is."""
        gram = [[_sum(self.W[r][i] * self.W[s][i] for i in rows) for s in open_columns] for r in open_columns]
        table = inverse(gram)
        remainders = [self._remainder(i) for i in rows]
        for place, s in enumerate(open_columns):
            weights = [_sum(table[place][b] * self.W[r][i] for b, r in enumerate(open_columns)) for i in rows]
            self.rows[s] = tuple(
                _sum(a * remainder[j] for a, remainder in zip(weights, remainders, strict=True))
                for j in range(self.m)
            )
        return open_columns


def _sum(terms: Iterable[Element]) -> Element:
    first, *rest = terms
    return reduce(add, rest, first)


def scaled(column: Vector, form: Vector, constants: frozenset[int]) -> tuple[Vector, Vector]:
    """W_s/p and p θ^s with the product p of parameters that makes both short.

    With the first entry free of parameters where lengths are equal: u is then a speed where x is a length.
    """
    field = column[0].field
    factors = [field.one]
    for e in column:
        if not e.is_blank:
            p = parameter_content(e, constants)
            if not any(p == q for q in factors):
                factors.append(p)
    made = []
    used = [e for e in form if not e.is_blank]
    if len(used) == 1 and used[0].is_number and used[0].to_expr().value < 0:
        factors = [-p for p in factors]  # x', not -x'
    for k, p in enumerate(factors):
        w = tuple(e if e.is_blank else e / p for e in column)
        theta = tuple(e if e.is_blank else e * p for e in form)
        used = [e for e in theta if not e.is_blank]
        name = 0 if len(used) == 1 and used[0] == field.one else 8
        made.append((length(w) + length(theta) + name, k != 1, k, w, theta))
    *_, w, theta = min(made, key=lambda entry: entry[:3])
    return w, theta
