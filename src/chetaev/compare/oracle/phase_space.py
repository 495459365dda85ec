"""The oracle's own reading of ``[poisson]``: rates on phase space and their derivatives along the motion.

A variable is z_i + σ v_i + ε_i, carried to second order, so that of the program of a function

    ∂_i F  of ε_i,      ∂_i ∂_j F  of ε_i ε_j,      d(∂_i F)/dt  of σ ε_i.

Without constraints Z_i = Λ_ij ∂_j H + F_i and dZ/dt are such coefficients. With constraints the direction of
a reaction has second derivatives of H in it already, so dZ/dt is the central difference of Z along v, with a
step of 2⁻ᵖ in 4p bits, whose error is beyond the p bits of the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flint import arb, arb_mat, ctx

from chetaev.compare.oracle import jets
from chetaev.compare.oracle.jets import Jet, Number
from chetaev.compare.oracle.kinds import Law, Make, Run, first, second
from chetaev.compare.oracle.reader import Program, normal
from chetaev.compare.oracle.solve import UndeterminedError

LEAST_BITS = 100
NOTHING = arb(10) ** -20
"""Rates of constraints below this are those of constraints that the motion keeps by itself."""


@dataclass(frozen=True)
class FromPoisson:
    """H, Λ, added rates, constraints, and the momenta or reactions by their numbers."""

    H: Program
    bracket: Mapping[tuple[int, int], Program]
    added: Mapping[int, Program]
    constraints: Sequence[Program]
    momenta: Sequence[int]
    reactions: Sequence[Mapping[int, Program]]

    def law(self, run: Run, n: int) -> Law:
        """No inertia: all equations are of first order."""
        return [[arb(0)] * n for _ in range(n)], [arb(0)] * n

    def rows(self, values: Callable[[Any], Run], v: Sequence[Any]) -> list[Jet]:
        """v − Z as jets in the infinitesimals of the velocities and of the time.

        `values(s)` runs programs at the point that is moved by s along the motion.
        """
        n = len(v)
        if not self.constraints:
            found = _Local(self, values(arb(0)), v).exact()
        else:
            found = self._differenced(values, v)
        return [
            Jet(v[i] - z, {1 + i: arb(1), 0: -rate}) for i, (z, rate) in zip(range(n), found, strict=True)
        ]

    def _differenced(self, values: Callable[[Any], Run], v: Sequence[Any]) -> list[tuple[Any, Any]]:
        here = _Local(self, values(arb(0)), v).rates()
        bits = max(ctx.prec, LEAST_BITS)
        with ctx.workprec(4 * bits):
            step = arb(2) ** -bits
            after, before = (_Local(self, values(s), v).rates() for s in (step, -step))
            slopes = [(x - y) / (2 * step) for x, y in zip(after, before, strict=True)]
        return [(z, slope + arb(0, z.rad())) for z, slope in zip(here, slopes, strict=True)]


class _Local:
    """Everything at one point."""

    def __init__(self, of: FromPoisson, run: Run, v: Sequence[Any]) -> None:
        self.of, self.v, self.n = of, v, len(v)
        self.H = jets.jet(run(of.H))
        self.bracket = {ij: jets.jet(run(p)) for ij, p in of.bracket.items()}
        self.added = {i: jets.jet(run(p)) for i, p in of.added.items()}
        self.constraints = [jets.jet(run(p)) for p in of.constraints]
        self.reactions = [{i: jets.jet(run(p)).value for i, p in y.items()} for y in of.reactions]

    def exact(self) -> list[tuple[Any, Any]]:
        """Z and dZ/dt without constraints."""
        found = [Jet(arb(0)) for _ in range(self.n)]
        for i, f in self.added.items():
            found[i] = _sum(found[i], Jet(f.value, {0: first(f, 0)}))
        for (i, j), value in self.bracket.items():
            entry = Jet(value.value, {0: first(value, 0)})
            found[i] = _sum(found[i], jets.multiply(entry, self._slope(j)))
            found[j] = _sum(found[j], jets.negative(jets.multiply(entry, self._slope(i))))
        return [(z.value, first(z, 0)) for z in found]

    def _slope(self, j: int) -> Jet:
        return Jet(first(self.H, 1 + j), {0: second(self.H, 0, 1 + j)})

    def free(self) -> list[Any]:
        """Z without reactions."""
        return [z for z, _ in self.exact()]

    def rates(self) -> list[Any]:
        """Z with the reactions that keep the constraints."""
        n, Z = self.n, self.free()
        kept = [(self._gradient(c), self._clock(c)) for c in self.constraints]
        P = self.of.momenta
        if not self.reactions and P:
            for a, (slope, _) in enumerate(kept):
                if all(slope[k].is_zero() for k in P):
                    kept[a] = self._rate_of(self.constraints[a])
        needs = [-(clock + _dot(slope, Z)) for slope, clock in kept]
        if not (self.reactions or P) or all(abs(x) < NOTHING for x in needs):
            return Z
        directions = [[y.get(i, arb(0)) for i in range(n)] for y in self.reactions]
        if P:
            metric = [[second(self.H, 1 + a, 1 + b) for b in P] for a in P]
            for slope, _ in kept:
                forces = _solved(metric, [slope[k] for k in P])
                directions.append([forces[P.index(i)] if i in P else arb(0) for i in range(n)])
        matrix = [[_dot(slope, Y) for Y in directions] for slope, _ in kept]
        multipliers = _solved(matrix, needs)
        for factor, Y in zip(multipliers, directions, strict=True):
            Z = [z + factor * y for z, y in zip(Z, Y, strict=True)]
        return Z

    def _gradient(self, F: Jet) -> list[Any]:
        return [first(F, 1 + i) for i in range(self.n)]

    def _clock(self, F: Jet) -> Any:
        """∂F/∂t: the derivative along the motion less its part through z."""
        return first(F, 0) - _dot(self._gradient(F), self.v)

    def _rate_of(self, c: Jet) -> tuple[list[Any], Any]:
        """The gradient of ċ = ∂c/∂t + Λ_ij ∂_i c ∂_j H + F·∂c by z, and ∂ċ/∂t at fixed z."""
        n = self.n
        gradient = [arb(0)] * n
        pairs = [*self.bracket.items(), *(((j, i), jets.negative(x)) for (i, j), x in self.bracket.items())]
        for k in range(n):
            total = self._clock_of_slope(c, k)
            for (i, j), entry in pairs:
                e = jets.jet(entry)
                total += first(e, 1 + k) * first(c, 1 + i) * first(self.H, 1 + j)
                total += e.value * second(c, 1 + i, 1 + k) * first(self.H, 1 + j)
                total += e.value * first(c, 1 + i) * second(self.H, 1 + j, 1 + k)
            for i, f in self.added.items():
                total += first(f, 1 + k) * first(c, 1 + i) + f.value * second(c, 1 + i, 1 + k)
            gradient[k] = total
        return gradient, self._along_time(c, pairs)

    def _along_time(self, c: Jet, pairs: Sequence[Any]) -> Any:
        """∂ċ/∂t at fixed z."""
        total = second(c, 0, 0)
        for i, x in enumerate(self.v):
            total -= 2 * x * self._clock_of_slope(c, i)
            for j, y in enumerate(self.v):
                total -= x * y * second(c, 1 + i, 1 + j)
        for (i, j), entry in pairs:
            e = jets.jet(entry)
            total += self._clock(e) * first(c, 1 + i) * first(self.H, 1 + j)
            total += e.value * self._clock_of_slope(c, i) * first(self.H, 1 + j)
            total += e.value * first(c, 1 + i) * self._clock_of_slope(self.H, j)
        for i, f in self.added.items():
            total += self._clock(f) * first(c, 1 + i) + f.value * self._clock_of_slope(c, i)
        return total

    def _clock_of_slope(self, F: Jet, i: int) -> Any:
        """∂²F/∂t∂z_i."""
        through = (second(F, 1 + i, 1 + k) * w for k, w in enumerate(self.v))
        return second(F, 0, 1 + i) - sum(through, arb(0))


def _dot(x: Sequence[Any], y: Sequence[Any]) -> Any:
    return sum((a * b for a, b in zip(x, y, strict=True)), arb(0))


def _sum(x: Jet, y: Number) -> Jet:
    return jets.jet(jets.add(x, y))


def _solved(matrix: Sequence[Sequence[Any]], right: Sequence[Any]) -> list[Any]:
    """The solution of a linear system of balls."""
    try:
        found = arb_mat(matrix).solve(arb_mat([[b] for b in right]))
    except ZeroDivisionError:
        raise UndeterminedError("the reactions are not determined at this point") from None
    return [found[i, 0] for i in range(len(right))]


def poisson(given: Mapping[str, Any], built: Any, coordinates: Sequence[str], make: Make) -> FromPoisson:
    """The programs of a table [poisson]; `built` is for what was not given as text."""
    place = {c: i for i, c in enumerate(coordinates)}
    bracket = {}
    if isinstance(given["bracket"], Mapping):
        for key, value in given["bracket"].items():
            a, b = (place[normal(part.strip(" {}"))] for part in str(key).split(","))
            back = (b, a) in bracket
            if a != b and not back:
                bracket[a, b] = make(value, built.bracket.get((coordinates[a], coordinates[b])))
    else:
        for (a, b), e in built.bracket.items():
            bracket[place[a], place[b]] = make(given["bracket"][place[a]][place[b]], e)
    added = {
        place[normal(n)]: make(v, built.added[normal(n)]) for n, v in (given.get("forces") or {}).items()
    }
    constraints = [
        make(value, e) for value, e in zip(given.get("constraints") or (), built.constraints, strict=True)
    ]
    reactions = [
        {place[normal(n)]: make(v, y[normal(n)]) for n, v in row.items()}
        for row, y in zip(given.get("reactions") or (), built.reactions, strict=True)
    ]
    momenta = [place[normal(str(n))] for n in given.get("momenta") or ()]
    H = make(given["hamiltonian"], built.H)
    return FromPoisson(H, bracket, added, constraints, momenta, reactions)
