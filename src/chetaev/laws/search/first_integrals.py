"""First integrals in a space of functions: Γ(F) = 0 on Q, as a null space (SCOPE K22, L4).

1. Values of all members at random points of Q modulo p: those that are no combination of simpler ones on Q
   stay.
2. Rates Γ(b) of these at the same points: the null space has every first integral of the space.
3. In order of simplicity a vector stays if its differential on Q, dF modulo df and dφ, is independent of
   those of the
   functions that are known: so constants, multiples of constraints and functions of what is known drop out.
4. Its coefficients are made exact. The proof is another matter (:mod:`chetaev.laws.rate`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chetaev.expr.exact import Budget, Element, GivenUp, ask
from chetaev.expr.exact.effort import cost
from chetaev.laws.search.function_space import Space
from chetaev.laws.search.motion_modulo_prime import Motion, PointOnQ
from chetaev.laws.search.nullspace import SPARE, Nullspace, exact, independent, null_vectors, of_table, rank
from chetaev.laws.search.primes import SHORT_PRIME

LOOKS = 2
"""Points at which differentials are compared."""


@dataclass(frozen=True)
class Found:
    """First integrals in a space."""

    motion: Motion
    space: Space
    """The members that are independent on Q."""
    vectors: tuple[dict[int, int], ...]
    """Null vectors modulo p of new integrals, by member, simplest first."""
    dimension: int
    """The dimension of the null space: all first integrals of the space, constants and products included."""
    rank: int
    """How many of the functions known and found are independent on Q."""
    most: int
    """How many there can be: dim Q − 1."""

    def is_generic(self, n: int) -> bool:
        """Whether the support of an integral carries one for generic parameters too."""
        part, _ = self._part(n)
        found = ask(null_vectors, self.motion.points(), len(part), lambda point: [part.rates(point)])
        return not isinstance(found, GivenUp) and len(found.vectors) == 1

    def lifted(self, n: int, *, special: bool, budget: Budget | None = None) -> Element | None:
        """A found integral with exact coefficients, for every value of the parameters or for those given."""
        part, vector = self._part(n)
        found = exact(self.motion, lambda point: [part.rates(point)], vector, special=special, budget=budget)
        return None if found is None else part.combination(found)

    def _part(self, n: int) -> tuple[Space, dict[int, int]]:
        """The members that an integral is made of, and its coefficients."""
        support = sorted(self.vectors[n])
        return self.space.only(support), {j: self.vectors[n][i] for j, i in enumerate(support)}


def first_integrals(
    motion: Motion,
    space: Space,
    known: Sequence[Element] = (),
    *,
    special: bool = False,
    budget: Budget | None = None,
) -> Found:
    """All first integrals of the space beyond those known, none a function of the others.

    For generic values of the parameters that stay symbols in `motion`, or with `special` for the model's
    values.
    """
    p = motion.primes(1, SHORT_PRIME)[0]
    points = motion.points(p, special=special)
    sample: list[PointOnQ] = []
    while len(sample) < len(space) + SPARE:
        before = points.spent
        sample.append(points.draw())
        if budget is not None:
            budget.spend(points.spent - before + 2 * len(space.atoms))
    if budget is not None:
        budget.spend(cost.elimination(len(sample), len(space)))
    values, rates = space.tables(sample)
    chosen = independent(values.tolist(), len(space), p)
    smaller = space.only(chosen)
    found = of_table(rates[:, chosen].tolist(), len(chosen), p, budget)
    news, total, most = _new(motion, smaller, found, known, sample)
    return Found(motion, smaller, tuple(news), len(found.vectors), total, most)


def _new(
    motion: Motion, space: Space, found: Nullspace, known: Sequence[Element], sample: Sequence[PointOnQ]
) -> tuple[list[dict[int, int]], int, int]:
    """The null vectors with independent differentials on Q, simplest first; the rank of all, and what it is
    at most.
    """
    p = found.p
    stacks = [Differentials(motion, point, known) for point in sample[:LOOKS]]
    gradients = [space.gradients(point) for point in sample[:LOOKS]]
    news = []
    for vector in found.vectors:
        rows = [[sum(c * g[j] for j, c in vector.items()) % p for g in gradient] for gradient in gradients]
        grown = [stack.grows(row) for stack, row in zip(stacks, rows, strict=True)]
        if all(grown):
            news.append(vector)
    most = min(2 * len(motion.positions) - stack.constraints for stack in stacks)
    return news, max(stack.rank for stack in stacks), most


class Differentials:
    """Differentials at a point of Q, modulo those of the constraints: how many are independent?"""

    def __init__(self, motion: Motion, point: PointOnQ, known: Sequence[Element] = ()) -> None:
        self.p = point.residues.p
        base = [motion.field(e) for e in (*motion.f, *motion.levels)]
        tangents = [point.along({k: 1}) for k in (motion.time, *motion.positions, *motion.velocities)]
        self.rows = [point.slopes(f, tangents) for f in base]
        self.constraints = self.all = rank(self.rows, self.p)
        self.tangents, self.point = tangents, point
        for f in known:
            self.grows(self.of(f))

    def of(self, function: Element) -> list[int]:
        """dF at the point."""
        return self.point.slopes(function, self.tangents)

    def grows(self, row: list[int]) -> bool:
        """Whether a differential is independent of those before it; it is then one of them."""
        more = rank([*self.rows, row], self.p)
        if more == self.all:
            return False
        self.rows.append(row)
        self.all = more
        return True

    @property
    def rank(self) -> int:
        """The number of independent differentials on Q."""
        return self.all - self.constraints
