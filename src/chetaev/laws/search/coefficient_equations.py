"""Integrals whose coefficients are defined by a differential equation in one coordinate (SCOPE K22).

Let s be a coordinate, w_1, …, w_n independent velocities and w_0 = 1, and let on Q

    Γ(w_j) = ṡ Σ_k A_jk(s) w_k .

Then F = Σ_j c_j(s) w_j is a first integral if and only if dc_k/ds = −Σ_j c_j A_jk(s): a linear system of
ordinary differential equations, whose solutions give as many integrals as there are w_j. This is how a
disc, and every body of revolution, that rolls on a plane has two integrals besides its energy: s is the
inclination, and the equation is Legendre's or hypergeometric. A is read off the accelerations in normal
form and verified by the zero test; how many of the integrals are new is the rank of their differentials on
Q, in which c_j and dc_j/ds enter only.

>>> import chetaev as ch
>>> (found,) = coefficient_equations(ch.load("rolling-disc"), [])
>>> str(found.coordinate), [str(v) for v in found.velocities], found.new
('theta', ["psi'", "phi'"], 2)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chetaev.equations.law.normal_law import OnConstraint
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.exact import BudgetError, EffortError, Element, NotRealError
from chetaev.expr.exact.vanishing import Verdict
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import ONE, ZERO, Expr, add, mul, neg, symbol, symbols
from chetaev.laws.holding import vanish
from chetaev.laws.rate import EFFORT, solved_accelerations
from chetaev.laws.search.first_integrals import Differentials
from chetaev.laws.search.motion import Motion
from chetaev.laws.search.primes import UnluckyError
from chetaev.laws.standpoint import standpoints
from chetaev.model.system import System
from chetaev.numeric import inverse, product

Array = np.ndarray[Any, np.dtype[np.float64]]

GRID = 2000
"""Steps of the coefficients' equation over the range of the coordinate."""


@dataclass(frozen=True)
class CoefficientEquations:
    """dc_k/ds = −Σ_j c_j A_jk(s), and the integrals F = Σ_j c_j(s) w_j of its solutions.

    Attributes
    ----------
    coordinate
        s.
    velocities
        w_j; the number 1 where the equations are not homogeneous.
    matrix
        A_jk, functions of s and the parameters.
    new
        How many of the integrals are independent of those known.
    proof
        The verdict on Γ(w_j) = ṡ Σ_k A_jk w_k, the weakest of all rows.
    """

    system: System
    coordinate: Expr
    velocities: tuple[Expr, ...]
    matrix: tuple[tuple[Expr, ...], ...]
    new: int
    proof: Verdict

    @property
    def equations(self) -> tuple[str, ...]:
        """The equations of the coefficients, as text."""
        lines = []
        for k, _ in enumerate(self.velocities):
            terms = [_times(row[k], j + 1) for j, row in enumerate(self.matrix) if row[k] is not ZERO]
            right = " ".join(terms).removeprefix("+ ") or "0"
            right = f"-{right[2:]}" if right.startswith("- ") else right
            lines.append(f"dc{k + 1}/d{self.coordinate} = {right}")
        return tuple(lines)

    def __str__(self) -> str:
        F = " + ".join(
            f"c{j + 1}({self.coordinate})" + ("" if w is ONE else f"*{w}")
            for j, w in enumerate(self.velocities)
        )
        known = "proved" if self.proof.proved else "tested at points"
        many = "1 new integral" if self.new == 1 else f"{self.new} new integrals"
        return f"F = {F} is constant for every solution of {'; '.join(self.equations)}: {many} ({known})"

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "coordinate": str(self.coordinate),
            "velocities": [str(w) for w in self.velocities],
            "equations": list(self.equations),
            "new": self.new,
            "proved": self.proof.proved,
            "words": str(self),
        }

    def along(self, motion: Any) -> Array:
        """The integrals along a motion of `ch.simulate`, one row for each w_j: that with c_j = 1 at the
        start.

        The equation of the coefficients is solved by a Runge–Kutta method of order 4 over the range of the
        coordinate: numbers, not bounds.
        """
        name = str(self.coordinate)
        s = np.asarray(motion[name].values, dtype=float)
        c = self._solved(s)
        values = {
            (w.value[0], 1): motion[f"{w.value[0]}_dot"].values for w in self.velocities if w is not ONE
        }
        w = np.array(
            [
                np.ones_like(s) if v is ONE else np.asarray(values[v.value], dtype=float)
                for v in self.velocities
            ]
        )
        return np.asarray(np.einsum("tij,jt->it", c, w))

    def _solved(self, s: Array) -> Array:
        """c(s) for every s, as matrices whose rows are solutions, the identity at the first s."""
        low, high = float(s.min()), float(s.max())
        step = max(high - low, 1e-12) / GRID
        grid: Array = low + step * np.arange(GRID + 1, dtype=np.float64)
        A, middle = self._matrices(grid), self._matrices(np.asarray(grid[:-1] + step / 2, dtype=np.float64))
        n = len(self.velocities)
        c = np.empty((GRID + 1, n, n))
        c[0] = np.eye(n)
        for i in range(GRID):
            k1 = -product(c[i], A[i])
            k2 = -product(c[i] + step / 2 * k1, middle[i])
            k3 = -product(c[i] + step / 2 * k2, middle[i])
            k4 = -product(c[i] + step * k3, A[i + 1])
            c[i + 1] = c[i] + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        slopes = -np.einsum("tij,tjk->tik", c, A)
        place = np.clip(((s - low) / step).astype(int), 0, GRID - 1)
        x = ((s - grid[place]) / step)[:, None, None]
        left, right = c[place], c[place + 1]
        d0, d1 = step * slopes[place], step * slopes[place + 1]
        found = left + x * (d0 + x * (3 * (right - left) - 2 * d0 - d1 + x * (2 * (left - right) + d0 + d1)))
        return np.asarray(np.einsum("ij,tjk->tik", inverse(found[0]), found))

    def _matrices(self, s: Array) -> Array:
        values: Mapping[Any, Any] = {**self.system.parameter_values, self.coordinate.value: s}
        flat = [e for row in self.matrix for e in row]
        columns = [np.broadcast_to(np.asarray(x, dtype=float), s.shape) for x in evaluate(flat, values)]
        n = len(self.velocities)
        return np.array(columns).T.reshape(len(s), n, n)


def _times(entry: Expr, j: int) -> str:
    """−A c_j as a term with its sign before it."""
    text = str(entry)
    sign, text = ("+", text[1:]) if text.startswith("-") else ("-", text)
    return f"{sign} {f'({text})' if entry.op == 'add' else text}*c{j}"


def coefficient_equations(
    system: System, known: Sequence[Expr], effort: int = EFFORT
) -> list[CoefficientEquations]:
    """For every coordinate, the equation of coefficients that depend on it, if it gives new integrals."""
    try:
        show = OnConstraint(system, effort)
        s = Setup(system)
        if any(order for row in s.matrix(s.by_v(s.f)) for e in row for _, order in symbols(e)):
            return []
        free = s.independent
        first = standpoints(system)[0]
        a = [show.element(e) for e in first.apply(solved_accelerations(system))]
    except (ModelError, BudgetError, EffortError, NotRealError, ArithmeticError, ValueError):
        return []
    found = []
    for i in free:
        try:
            read = _read(system, a, i, free)
            made = None if read is None else _made(system, i, *read, known, effort)
        except (BudgetError, EffortError, NotRealError, UnluckyError, ArithmeticError):
            continue
        if made is not None:
            found.append(made)
    return found


def _read(
    system: System, a: Sequence[Element], s: int, free: Sequence[int]
) -> tuple[list[int], list[list[Element]]] | None:
    """The velocities whose rates are ṡ times combinations of them, and A with the column of 1 last."""
    names = [(system.coordinates[i], 1) for i in free]
    place = {i: n for n, i in enumerate(free)}
    allowed = {(system.coordinates[s], 0), *((name, 0) for name in system.parameters)}
    chosen = [i for i in free if i != s]
    while chosen:
        rows = []
        for j in chosen:
            parts = a[j].coefficients(*names)
            row = [a[j].field.zero] * (len(chosen) + 1)
            good = parts is not None
            for exponents, c in (parts or {}).items():
                others = [(i, exponents[place[i]]) for i in free if i != s and exponents[place[i]]]
                fits = exponents[place[s]] == 1 and len(others) <= 1 and c.symbols <= allowed
                fits = fits and all(e == 1 and i in chosen for i, e in others)
                good = good and (fits or c.is_blank)
                if fits:
                    row[chosen.index(others[0][0]) if others else len(chosen)] = c
            rows.append(row if good else None)
        if all(row is not None for row in rows):
            return chosen, [row for row in rows if row is not None]
        chosen = [j for j, row in zip(chosen, rows, strict=True) if row is not None]
    return None


def _made(
    system: System,
    s: int,
    chosen: Sequence[int],
    rows: Sequence[Sequence[Element]],
    known: Sequence[Expr],
    effort: int,
) -> CoefficientEquations | None:
    n = len(chosen)
    affine = any(not row[n].is_blank for row in rows)
    if all(e.is_blank for row in rows for e in row):
        return None  # the velocities themselves are constant
    w = [symbol(system.coordinates[i], 1) for i in chosen] + ([ONE] if affine else [])
    A = [[e.to_expr() for e in row[: len(w)]] for row in rows]
    A = [[ZERO if e.op == "number" and e.value == 0 else e for e in row] for row in A]
    if affine:
        A.append([ZERO] * len(w))
    speed = symbol(system.coordinates[s], 1)
    acceleration = solved_accelerations(system)
    defects = [
        add(acceleration[i], neg(mul(speed, add(*(mul(e, v) for e, v in zip(row, w, strict=True))))))
        for i, row in zip(chosen, A, strict=False)
    ]
    verdicts = vanish(system, defects, standpoints(system)[0], effort)
    if not all(v.is_zero for v in verdicts):
        return None
    new = _new(system, s, w, A, known)
    if not new:
        return None
    weakest = min(verdicts, key=lambda v: (v.proved, v.points))
    rows_ = tuple(tuple(row) for row in A)
    return CoefficientEquations(system, symbol(system.coordinates[s]), tuple(w), rows_, new, weakest)


def _new(
    system: System, s: int, w: Sequence[Expr], A: Sequence[Sequence[Expr]], known: Sequence[Expr]
) -> int:
    """How many of the integrals are independent of those known: dF = Σ c_j (dw_j − Σ_k A_jk w_k ds)."""
    motion = Motion(system)
    elements = [motion.function(f) for f in known]
    slopes = [motion.function(add(*(mul(e, v) for e, v in zip(row, w, strict=True)))) for row in A]
    velocities = [motion.function(v) for v in w]
    point = motion.points(seed=6).draw()
    stack = Differentials(motion, point, elements)
    grown = 0
    for v, slope in zip(velocities, slopes, strict=True):
        row = stack.of(v)
        row[1 + s] = (row[1 + s] - point.value(slope)) % stack.p
        grown += stack.grows(row)
    return grown
