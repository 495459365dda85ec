"""The oracle's own reading of ``[poisson]``: rates on phase space, and their derivatives along the motion.

The variables z_i + ε_i and the time t + σ are carried to second order, so that ∂_i F, ∂F/∂t and ∂_i ∂_j F are
coefficients. The rates

    Z_i = Λ_ij ∂_j H + F_i + λ_a Y^a_i      with ∂c_a/∂t + Z·∂c_a = 0

follow at every point; their derivative along the motion is a central difference with a step of 2⁻ᵖ in 4p
bits, whose error is beyond the p bits of the answer. So is the gradient of the rate of a constraint that no
reaction reaches, which stands in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flint import arb, arb_mat, ctx

from chetaev.compare.oracle.jets import Jet
from chetaev.compare.oracle.model import ModelText, Run, program, table
from chetaev.compare.oracle.reader import normal
from chetaev.compare.oracle.solve import UndeterminedError

LEAST_BITS = 100
NOTHING = arb(10) ** -20
"""Rates of constraints below this are those of constraints that the motion keeps by itself."""

Place = Sequence[Any]
"""The time, then z."""


class PoissonText:
    """H, Λ, added rates, constraints, and the momenta or reactions by their numbers.

    `at(place)` evaluates programs on phase space.
    """

    def __init__(self, text: ModelText, built: Any, at: Callable[[Place], Run]) -> None:
        given: Mapping[str, Any] = text.poisson or {}
        names, self.at = text.coordinates, at
        place = {c: i for i, c in enumerate(names)}
        self.H = program(given["hamiltonian"], built.H)
        self.bracket = {}
        for (a, b), e in built.bracket.items():
            self.bracket[place[a], place[b]] = program(_entry(given["bracket"], a, b, place), e)
        self.added = {place[n]: p for n, p in table(given.get("forces"), built.added).items()}
        self.constraints = text.own
        reactions = zip(given.get("reactions") or (), built.reactions, strict=True)
        self.reactions = [{place[n]: p for n, p in table(row, y).items()} for row, y in reactions]
        self.momenta = [place[normal(str(n))] for n in given.get("momenta") or ()]

    def rows(self, here: Place, v: Sequence[Any]) -> list[Jet]:
        """v − Z as jets in the infinitesimals of the velocities and of the time."""
        along = _difference(lambda s: self._rates([x + s * dx for x, dx in zip(here, [1, *v], strict=True)]))
        Z = self._rates(here)
        rates = [slope + arb(0, z.rad()) for z, slope in zip(Z, along, strict=True)]
        return [
            Jet(x - z, {1 + i: arb(1), 0: -r}) for i, (x, z, r) in enumerate(zip(v, Z, rates, strict=True))
        ]

    def _free(self, here: Place) -> tuple[list[Any], list[Jet]]:
        """Z without reactions, and the constraints."""
        run, n = self.at(here), len(here) - 1
        H, Z = run(self.H), [arb(0)] * n
        for i, p in self.added.items():
            Z[i] += run(p).value
        for (i, j), p in self.bracket.items():
            entry = run(p).value
            Z[i], Z[j] = Z[i] + entry * H.d(1 + j), Z[j] - entry * H.d(1 + i)
        return Z, [run(p) for p in self.constraints]

    def _rate_of_constraint(self, a: int, here: Place) -> Any:
        Z, constraints = self._free(here)
        return _dot([1, *Z], _gradient(constraints[a], len(Z)))

    def _rates(self, here: Place) -> list[Any]:
        """Z with the reactions that keep the constraints."""
        n, run, momenta = len(here) - 1, self.at(here), self.momenta
        Z, constraints = self._free(here)
        kept = [_gradient(c, n) for c in constraints]  # by the time, then by z
        if not self.reactions and momenta:
            for a, slope in enumerate(kept):
                if all(slope[1 + k].is_zero() for k in momenta):
                    kept[a] = [self._slope_of_rate(a, here, k) for k in range(n + 1)]
        needs = [-_dot([1, *Z], slope) for slope in kept]
        if not (self.reactions or momenta) or all(abs(x) < NOTHING for x in needs):
            return Z
        directions = [[run(y[i]).value if i in y else arb(0) for i in range(n)] for y in self.reactions]
        if momenta:
            H = run(self.H)
            metric = [[H.d(1 + a, 1 + b) for b in momenta] for a in momenta]
            for slope in kept:
                forces = dict(zip(momenta, _solved(metric, [slope[1 + k] for k in momenta]), strict=True))
                directions.append([forces.get(i, arb(0)) for i in range(n)])
        matrix = [[_dot(slope[1:], Y) for Y in directions] for slope in kept]
        for factor, Y in zip(_solved(matrix, needs), directions, strict=True):
            Z = [z + factor * y for z, y in zip(Z, Y, strict=True)]
        return Z

    def _slope_of_rate(self, a: int, here: Place, k: int) -> Any:
        def moved(s: Any) -> list[Any]:
            return [self._rate_of_constraint(a, [x + s if i == k else x for i, x in enumerate(here)])]

        return _difference(moved)[0]


def _entry(given: Any, a: str, b: str, place: Mapping[str, int]) -> Any:
    """What was given for {a, b}, which may stand in a matrix or under a key of two names."""
    if not isinstance(given, Mapping):
        return given[place[a]][place[b]]
    for key, value in given.items():
        if [normal(part.strip(" {}")) for part in str(key).split(",")] == [a, b]:
            return value
    return None


def _gradient(F: Jet, n: int) -> list[Any]:
    return [F.d(i) for i in range(n + 1)]


def _difference(f: Callable[[Any], list[Any]]) -> list[Any]:
    """The derivatives of functions of s at 0."""
    bits = max(ctx.prec, LEAST_BITS)
    with ctx.workprec(4 * bits):
        step = arb(2) ** -bits
        return [(x - y) / (2 * step) for x, y in zip(f(step), f(-step), strict=True)]


def _dot(x: Sequence[Any], y: Sequence[Any]) -> Any:
    return sum((a * b for a, b in zip(x, y, strict=True)), arb(0))


def _solved(matrix: Sequence[Sequence[Any]], right: Sequence[Any]) -> list[Any]:
    """The solution of a linear system of balls."""
    try:
        found = arb_mat(matrix).solve(arb_mat([[b] for b in right]))
    except ZeroDivisionError:
        raise UndeterminedError("the reactions are not determined at this point") from None
    return [found[i, 0] for i in range(len(right))]
