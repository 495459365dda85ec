"""Integrals whose coefficients are defined by a differential equation in one coordinate (SCOPE K22).

Let s be a coordinate or the time, and let functions w_1, …, w_n on Q have the rates

    Γ(w_j) = ṡ Σ_k A_jk(s) w_k .

Then F = Σ_j c_j(s) w_j is a first integral if and only if dc_k/ds = −Σ_j c_j A_jk(s): a linear system of
ordinary differential equations, whose solutions give as many integrals as there are w_j. This is how a
disc, and every body of revolution, that rolls on a plane has two integrals besides its energy: s is the
inclination, and the equation is hypergeometric. The w_j are found from the determining equations of
integrals that are linear or quadratic in the velocities (:mod:`chetaev.laws.coefficient.determining`) and
verified by the zero test; how many of the integrals are new is the rank of their differentials on Q, in
which c_j and dc_j/ds enter only.

>>> import chetaev as ch
>>> (found,) = coefficient_equations(ch.load("rolling-disc"), [], degree=1)
>>> str(found.coordinate), [str(w) for w in found.velocities], found.new
('theta', ["psi'", "phi'"], 2)
>>> found.solutions[1].function
'F(a, b; 1/2; sin(theta)^2), a + b = -3/2, a*b = 5/6'
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, answer, ask
from chetaev.expr.exact.vanishing import Verdict
from chetaev.expr.graph.evaluate import evaluate, key_name
from chetaev.expr.graph.node import ONE, ZERO, Expr, add, mul, neg, symbol, symbols
from chetaev.laws.coefficient.closed_forms import ball_at, solutions
from chetaev.laws.coefficient.coefficient_solution import CoefficientSolution
from chetaev.laws.coefficient.determining import Block, DeterminingFrame, blocks
from chetaev.laws.coefficient.enclosed_solution import ORDER, Enclosed
from chetaev.laws.parameter_signs import BITS
from chetaev.laws.rate import EFFORT, rate
from chetaev.laws.search.first_integrals import Differentials
from chetaev.laws.search.motion_modulo_prime import Motion
from chetaev.laws.standpoint import decisive, standpoints
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.system import System
from chetaev.results import PlainData

Array = np.ndarray[Any, np.dtype[np.float64]]

ROUNDING = 2.0**-50
"""What evaluating w_j in double precision may add, relative to the sum of the terms' sizes."""


@dataclass(frozen=True)
class CoefficientEquations(PlainData):
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

    facts = "coordinate velocities equations new proof.proved solutions"

    @cached_property
    def solutions(self) -> tuple[CoefficientSolution, ...]:
        """The coefficients in closed form or by functions with names, each proved by substitution; empty
        if none were found.
        """
        return solutions(self.system, self.coordinate, self.velocities, self.matrix)

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
            f"c{j + 1}({self.coordinate})" + ("" if w is ONE else f"*({w})" if w.op == "add" else f"*{w}")
            for j, w in enumerate(self.velocities)
        )
        known = self.proof.how
        many = "1 new integral" if self.new == 1 else f"{self.new} new integrals"
        words = f"F = {F} is constant for every solution of {'; '.join(self.equations)}: {many} ({known})"
        return "; ".join([words, *(f"solution {n}: {x}" for n, x in enumerate(self.solutions, start=1))])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self).replace('; solution', chr(10) + 'solution'))}</pre>"

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return super().to_json() | {"words": str(self)}

    # -- numbers with bounds -------------------------------------------------------------------------
    def enclosed(self, start: float | Fraction) -> Enclosed:
        """The solutions that are the unit matrix at `start`, in balls that certainly contain them, at the
        model's values of the parameters.
        """
        flat = standpoints(self.system)[-1].apply([e for row in self.matrix for e in row])
        n = len(self.velocities)
        rows = [flat[i * n : (i + 1) * n] for i in range(n)]
        return Enclosed(rows, self.coordinate, Fraction(start))

    def series(self, at: float | Fraction = 0, order: int = 8) -> Array:
        """The Taylor coefficients about a point of the solutions that are the unit matrix there: rows of
        entry n are solutions, columns the c_k, each rounded from a ball.
        """
        if not 0 <= order <= ORDER:
            raise ModelError(f"the order is {order}", expected=f"a number from 0 to {ORDER}")
        step = self.enclosed(at).right[0]
        return np.array(
            [[[float(x.mid()) for x in row] for row in m] for m in step.coefficients[: order + 1]]
        )

    def solution_at(self, n: int, s: float | Fraction) -> list[arb]:
        """The coefficients of solution n at one s, in balls."""
        value = Fraction(s)
        with ctx.workprec(BITS):
            point = arb(fmpq(value.numerator, value.denominator))
            return self.solutions[n].at(ball_at(self.system, self.coordinate, point))

    def along(self, motion: Any) -> Array:
        """The integrals along a motion of `ch.simulate`, one row for each w_j: that with c_j = 1 at the
        start.
        """
        return self.along_with_bounds(motion)[0]

    def along_with_bounds(self, motion: Any) -> tuple[Array, Array]:
        """The integrals along a motion, and a bound of the error that evaluating them makes: the balls of
        c, and rounding. (How far the motion itself is from an exact one is another matter.)
        """
        name = str(self.coordinate)
        s = np.asarray(motion["time" if name == self.system.time else name].values, dtype=float)
        solution = self.enclosed(float(s[0]))
        c = np.empty((len(s), len(self.velocities), len(self.velocities)))
        radius = np.empty_like(c)
        for i, x in enumerate(s):
            balls = solution.at(Fraction(float(x)))
            c[i] = [[float(b.mid()) for b in row] for row in balls]
            radius[i] = [
                [float(b.rad().upper()) + abs(float(b.mid())) * ROUNDING for b in row] for row in balls
            ]
        w = self._functions_along(motion, len(s))
        values = np.einsum("tij,jt->it", c, w)
        errors = np.einsum("tij,jt->it", radius + ROUNDING * np.abs(c), np.abs(w))
        return values, errors

    def _functions_along(self, motion: Any, length: int) -> Array:
        values: dict[Any, Any] = dict(self.system.parameter_values)
        for name, order in symbols(*self.velocities):
            if name in self.system.coordinates:
                values[(name, order)] = np.asarray(motion[key_name(name, order)].values, dtype=float)
            elif name == self.system.time:
                values[(name, order)] = np.asarray(motion["time"].values, dtype=float)
        found: Mapping[int, Any] = dict(enumerate(evaluate(list(self.velocities), values)))
        return np.array([np.broadcast_to(np.asarray(found[i], dtype=float), (length,)) for i in found])


def _times(entry: Expr, j: int) -> str:
    """−A c_j as a term with its sign before it."""
    text = str(entry)
    sign, text = ("+", text[1:]) if text.startswith("-") else ("-", text)
    if text == "1":
        return f"{sign} c{j}"
    return f"{sign} {f'({text})' if entry.op == 'add' else text}*c{j}"


def coefficient_equations(
    system: System, known: Sequence[Expr], effort: int = EFFORT, degree: int = 2
) -> list[CoefficientEquations]:
    """For every coordinate and the time, the equations of coefficients that depend on it, if they give new
    integrals: linear ones in the velocities first, then quadratic ones.
    """
    try:
        counted = answer(ask(_Counted, system, known))
        frame = None if counted is None or counted.complete else answer(ask(DeterminingFrame, system, effort))
    except ModelError:  # the law is in no form that can be evaluated
        return []
    found: list[CoefficientEquations] = []
    if counted is None or frame is None:
        return found
    for s, block in _candidates(frame, min(degree, 2), effort):
        if counted.complete:
            break
        made = answer(ask(_made, system, s, block, counted, effort))
        if made is not None:
            found.append(made)
    return found


def _candidates(frame: DeterminingFrame, degree: int, effort: int) -> Iterator[tuple[str, Block]]:
    names = [*frame.system.coordinates, frame.system.time]
    for d in range(1, degree + 1):
        for s in names:
            if d == 2 and s == frame.system.time:
                continue  # products of the linear ones
            with frame.field.limit(Budget(effort // 8)):
                listed = answer(ask(lambda s=s, d=d: list(blocks(frame, s, d))))  # type: ignore[misc]
            yield from ((s, block) for block in listed or ())


def _made(
    system: System, s: str, block: Block, counted: _Counted, effort: int
) -> CoefficientEquations | None:
    w = tuple(e.to_expr() for e in block.functions)
    A = tuple(tuple(ZERO if e.is_blank else e.to_expr() for e in row) for row in block.matrix)
    new = counted.new(s, w, A)
    if not new:
        return None
    speed = ONE if s == system.time else symbol(s, 1)
    defects = [
        add(rate(system, v), neg(mul(speed, add(*(mul(e, x) for e, x in zip(row, w, strict=True))))))
        for v, row in zip(w, A, strict=True)
    ]
    verdicts = vanish(system, defects, standpoints(system)[0], effort)
    if not all(v.is_zero for v in verdicts):
        return None
    counted.keep(s, w, A)
    weakest = decisive(verdicts)
    return CoefficientEquations(system, symbol(s), w, A, new, weakest)


class _Counted:
    """How many integrals are independent on Q: dF = Σ c_j (dw_j − Σ_k A_jk w_k ds)."""

    def __init__(self, system: System, known: Sequence[Expr]) -> None:
        self.system, self.known = system, list(known)
        self.kept: list[tuple[str, Expr, Expr]] = []
        self.complete = False
        self._grown([])

    def new(self, s: str, w: Sequence[Expr], A: Sequence[Sequence[Expr]]) -> int:
        """How many of the integrals of a block are new."""
        return self._grown(self._rows(s, w, A))

    def keep(self, s: str, w: Sequence[Expr], A: Sequence[Sequence[Expr]]) -> None:
        """The integrals of a block are known from now on."""
        self.kept += self._rows(s, w, A)
        self._grown([])

    @staticmethod
    def _rows(s: str, w: Sequence[Expr], A: Sequence[Sequence[Expr]]) -> list[tuple[str, Expr, Expr]]:
        return [
            (s, v, add(*(mul(e, x) for e, x in zip(row, w, strict=True))))
            for v, row in zip(w, A, strict=True)
        ]

    def _grown(self, rows: Sequence[tuple[str, Expr, Expr]]) -> int:
        motion = Motion(self.system)
        elements = [motion.function(f) for f in self.known]
        every = [*self.kept, *rows]
        functions = [(s, motion.function(v), motion.function(slope)) for s, v, slope in every]
        motion.meet([])
        given = answer(ask(motion.points(seed=6, special=True).draw))
        # constants such as √k may exist modulo p at other values only
        point = motion.points(seed=6).draw() if given is None else given
        stack = Differentials(motion, point, elements)
        grown = 0
        names = [self.system.time, *self.system.coordinates]
        for n, (s, v, slope) in enumerate(functions):
            row = stack.of(v)
            place = names.index(s)
            row[place] = (row[place] - point.value(slope)) % stack.p
            grown += stack.grows(row) and n >= len(self.kept)
        # on Q there are as many independent functions as Q has dimensions; one of them grows with the motion
        self.complete = stack.rank >= 2 * len(self.system.coordinates) - stack.constraints
        return grown
