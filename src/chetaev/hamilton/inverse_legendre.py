"""Legendre's transformation in numbers, both ways, for momenta that nobody can invert (SCOPE K9, K24).

Velocities with given momenta solve P_l(t, q, v) = p_l and f^a(t, q, v) = 0, m equations for m unknowns.
Newton's method is started from many points, with many digits; each end is *certified* by Krawczyk's test in
ball arithmetic: for a box V around v₀ with Y ≈ J(v₀)⁻¹,

    v₀ − Y F(v₀) + (1 − Y J(V))(V − v₀)  inside V

proves that exactly one solution lies in V. One certified solution is the answer; of several, the one nearest
to `near`, and without it a sentence lists them. Where none is certified, a sentence says how near the starts
came: it is no proof that there is none.

>>> import chetaev as ch
>>> fast = ch.System(coordinates=["x"], lagrangian="-sqrt(1 - x'^2)")
>>> back = ch.hamilton(fast).to_velocities(0, [0], [0.75])
>>> round(back["x"], 12), back.certified
(0.6, True)
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.expr.exact.effort.ask import GivenUp, answer, ask
from chetaev.expr.exact.effort.budget import SingularSystemError
from chetaev.expr.exact.numbers.balls import BallProgram
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr, number, substitute, symbol
from chetaev.laws.standpoint import standpoints
from chetaev.model.system import System

BITS = 200
STARTS = 48
STEPS = 60
WIDTH = 2.0**-60
"""Half the width of the box in which a solution is certified, relative to 1 + |v|."""
APART = 1e-12
"""Solutions nearer to each other than this, relative to 1 + |v|, are one."""
ON_Q = 1e-9


class Velocities(dict[str, float]):
    """All velocities by coordinate.

    Attributes
    ----------
    certified
        Whether a box around them is proved to hold exactly one solution.
    radius
        Half the width of that box.
    """

    certified: bool = False
    radius: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"velocities": dict(self), "certified": self.certified, "radius": self.radius}


class LegendreMap:
    """P(t, q, v) on Q as numbers, and back."""

    def __init__(
        self, system: System, names: Sequence[str], momenta: Sequence[Expr], f: Sequence[Expr]
    ) -> None:
        self.system, self.names = system, tuple(names)
        self.momenta, self.f = list(momenta), list(f)

    # -- arguments ---------------------------------------------------------------------------------------
    def _numbers(self, given: Any, names: Sequence[str], what: str) -> dict[str, Fraction]:
        if isinstance(given, Mapping):
            for name in given:
                if name not in names:
                    raise ModelError.unknown(f"{what} are given for {shown(name)}", name, names)
            values = [given.get(name) for name in names]
            missing = [name for name, x in zip(names, values, strict=True) if x is None]
            if missing:
                raise ModelError(f"{what} are not given for {', '.join(missing)}")
        else:
            try:
                values = list(given)
            except TypeError:
                values = []
            if isinstance(given, str) or len(values) != len(names):
                raise ModelError(
                    f"{what} are {shown(given)}", expected=f"a number for each of {', '.join(names)}"
                )
        return {name: _fraction(x, f"{what} of {name}") for name, x in zip(names, values, strict=True)}

    def _place(self, t: Any, q: Any) -> dict[tuple[str, int], Fraction]:
        positions = self._numbers(q, self.system.coordinates, "positions")
        place = {(c, 0): x for c, x in positions.items()}
        return {**place, (self.system.time, 0): _fraction(t, "the time")}

    # -- to momenta --------------------------------------------------------------------------------------
    def to_momenta(self, t: Any, q: Any, v: Any) -> dict[str, float]:
        """P by name at a state; v must satisfy the constraints."""
        place = self._place(t, q)
        speeds = self._numbers(v, self.system.coordinates, "velocities")
        here: dict[Any, Any] = {k: float(x) for k, x in place.items()} | dict(self.system.parameter_values)
        here |= {(c, 1): float(x) for c, x in speeds.items()}
        values = evaluate([*self.momenta, *self.f], here)
        P, f = values[: len(self.momenta)], values[len(self.momenta) :]
        size = 1 + max((abs(float(x)) for x in speeds.values()), default=0.0)
        for i, residual in enumerate(f):
            if not abs(residual) <= ON_Q * size:
                raise ModelError(
                    f"the velocities do not satisfy constraint {i + 1}: its residual is {residual:.3g}",
                    expected="a state on the constraint submanifold",
                )
        if not np.isfinite(P).all():
            raise ModelError("the momenta have no value at this state")
        return dict(zip(self.names, P, strict=True))

    # -- to velocities -----------------------------------------------------------------------------------
    def to_velocities(self, t: Any, q: Any, p: Any, near: Any = None) -> Velocities:
        """The velocities with given momenta."""
        place = self._place(t, q)
        momenta = self._numbers(p, self.names, "momenta")
        wanted = None if near is None else self._numbers(near, self.system.coordinates, "velocities")
        fixed = {symbol(*k): number(x) for k, x in place.items()}
        given = dict(standpoints(self.system)[-1].replaced)
        functions = [P - number(momenta[n]) for n, P in zip(self.names, self.momenta, strict=True)]
        functions = substitute(substitute([*functions, *self.f], given), fixed)
        search = _InverseSearch(functions, [(c, 1) for c in self.system.coordinates])
        found = search.solutions(None if wanted is None else [float(x) for x in wanted.values()])
        shown_p = ", ".join(f"{n} = {float(x):.6g}" for n, x in momenta.items())
        if not found:
            raise ModelError(
                f"no velocities with {shown_p} were found: Newton's method from {search.tried} starts came "
                f"no nearer than {search.nearest:.2g} (this is no proof that there are none)",
                expected="momenta in the image of Legendre's transformation",
            )
        if len(found) > 1 and wanted is None:
            listed = "; ".join(
                ", ".join(f"{c}' = {x:.6g}" for c, x in zip(self.system.coordinates, v, strict=True))
                for v, _ in found[:4]
            )
            raise ModelError(
                f"several velocities have {shown_p}: {listed}{'; …' if len(found) > 4 else ''}",
                remedy="give near=… to choose the nearest",
            )
        v, radius = found[0]
        result = Velocities(zip(self.system.coordinates, v, strict=True))
        result.certified, result.radius = True, radius
        return result


def _fraction(x: Any, what: str) -> Fraction:
    try:
        if isinstance(x, bool):
            raise TypeError
        value = Fraction(x) if not isinstance(x, np.generic) else Fraction(x.item())
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{what} is {shown(x)}", expected="a number") from None
    return value


class _InverseSearch:
    """Certified solutions of as many equations as unknowns."""

    def __init__(self, functions: Sequence[Expr], unknowns: Sequence[tuple[str, int]]) -> None:
        self.program, self.unknowns = BallProgram(functions), list(unknowns)
        self.n = len(self.unknowns)
        self.tried, self.nearest = 0, float("inf")

    def solutions(self, near: Sequence[float] | None) -> list[tuple[list[float], float]]:
        """Certified solutions, with the half width of their boxes; nearest to `near` first."""
        found: list[tuple[list[float], float]] = []
        before = ctx.prec
        try:
            ctx.prec = BITS
            for start in self._starts(near):
                self.tried += 1
                end = self._newton(start)
                if end is None:
                    continue
                proof = answer(ask(self._certified, end))
                if proof is None:
                    continue
                v, radius = proof
                size = 1 + max(map(abs, v), default=0.0)
                if all(max(abs(a - b) for a, b in zip(v, w, strict=True)) > APART * size for w, _ in found):
                    found.append((v, radius))
        finally:
            ctx.prec = before
        if near is not None:
            found.sort(key=lambda s: sum((a - b) ** 2 for a, b in zip(s[0], near, strict=True)))
        return found

    def _starts(self, near: Sequence[float] | None) -> list[list[float]]:
        rng = random.Random(17)
        first = [list(near)] if near is not None else []
        plain = [[x] * self.n for x in (0.0, 0.5, -0.5, 1.0, -1.0)]
        sizes = (0.3, 0.9, 2.0, 6.0)
        more = [[rng.uniform(-1, 1) * sizes[k % 4] for _ in range(self.n)] for k in range(STARTS)]
        return [*first, *plain, *more]

    def _at(self, v: Sequence[arb]) -> tuple[list[arb], list[list[arb]]]:
        return self.program.gradients(dict(zip(self.unknowns, v, strict=True)), self.unknowns)

    def _newton(self, start: Sequence[float]) -> list[arb] | None:
        v = [arb(x) for x in start]
        last = None
        for _ in range(STEPS):
            found = ask(self._step, v)
            if isinstance(found, GivenUp):
                if last is None:
                    return None
                v = [
                    (a + b).mid() / 2 for a, b in zip(v, last, strict=True)
                ]  # back towards where it had values
                if max(abs(float((a - b).mid())) for a, b in zip(v, last, strict=True)) < 1e-12:
                    return None
                continue
            size, step = found
            if not size < 1e100:
                return None
            if size < 1e-45:
                return v
            last = v
            v = [(x - step[i, 0]).mid() for i, x in enumerate(v)]
        return None

    def _step(self, v: list[arb]) -> tuple[float, arb_mat]:
        """How far from 0 the functions are, and Newton's step."""
        F, J = self._at(v)
        size = max((abs(float(x.mid())) for x in F), default=0.0)
        if size < 1e100:
            self.nearest = min(self.nearest, size)
        return size, _inverse(J) * _mid(arb_mat([[x] for x in F]))

    def _certified(self, v: list[arb]) -> tuple[list[float], float] | None:
        """The solution as numbers and how near it is, where Krawczyk's operator shows that there is one."""
        scale = 1 + max((abs(float(x)) for x in v), default=0.0)
        radius = WIDTH * scale
        F, J = self._at(v)
        Y = _inverse(J)
        box = [arb(x.mid(), radius) for x in v]
        _, slopes = self._at(box)
        rest = arb_mat(self.n, self.n, [int(i == j) for i in range(self.n) for j in range(self.n)])
        rest = rest - Y * arb_mat(slopes)
        moved = Y * arb_mat([[x] for x in F])
        spread = rest * arb_mat([[arb(0, radius)] for _ in v])
        inside = all(abs(spread[i, 0] - moved[i, 0]) < arb(radius) for i in range(self.n))
        return ([float(x.mid()) for x in v], radius) if inside else None


def _inverse(J: list[list[arb]]) -> arb_mat:
    """The inverse of the midpoints."""
    try:
        return _mid(arb_mat(J)).inv()
    except ZeroDivisionError:  # so FLINT says it
        raise SingularSystemError("a singular matrix of slopes") from None


def _mid(matrix: arb_mat) -> arb_mat:
    """The midpoints: proposals need no rigour."""
    return arb_mat(matrix.nrows(), matrix.ncols(), [x.mid() for row in matrix.tolist() for x in row])
