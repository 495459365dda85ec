"""A Poisson tensor in coordinates z, given by functions Λ^ij = {z^i, z^j} (SCOPE B13).

    {F, G} = Λ^ij ∂_i F ∂_j G,      ż^i = {z^i, H} + F^i + λ_A Y^{A i},      c^A(t, z) = 0.

F are added rates. A constraint c acts in a direction Y: the one that is given, or, by d'Alembert's principle,
the one that is orthogonal with respect to the kinetic metric (Bates and Nester, sections 1 and 8.2): with p
the variables that are momenta and v = ∂H/∂p,

    Y_p = ∂c/∂v = (∂²H/∂p∂p)⁻¹ ∂c/∂p,      0 elsewhere.

λ follows from ċ = 0. On T*Q this is ṗ = −∂H/∂q + λ ∂c/∂v; on so(3)* the torque λ a for ⟨a, Ω⟩ = 0. What has
no momenta in it acts through its rate, as a position constraint does. One that H keeps by itself, such
as a function of the Casimirs, needs no direction: its multiplier is 0 (section 3.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from chetaev.expr.exact.effort.budget import SingularSystemError
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.field.field import Field
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.exact.vanishing import zero_test
from chetaev.expr.graph.node import Expr, symbol

Pair = tuple[str, str]


class NoReactionError(Exception):
    """A constraint that no reaction can keep: its number, and why."""

    def __init__(self, which: int, why: str, remedy: str) -> None:
        super().__init__(why)
        self.which, self.why, self.remedy = which, why, remedy


class BracketTable:
    """Λ as elements of one exact field: Λ^ij for some pairs of names; the others by antisymmetry, or 0.

    Parameters, `first`, stand before the coordinates in formulas.
    """

    def __init__(
        self, time: str, names: Sequence[str], entries: Mapping[Pair, Expr], first: Sequence[str] = ()
    ) -> None:
        self.field = Field()
        for name in first:
            self.field.symbol(name)
        self.t = self.field(symbol(time))
        self.names = tuple(names)
        self.z = [self.field(symbol(n)) for n in self.names]
        place = {n: i for i, n in enumerate(self.names)}
        self.tensor: dict[tuple[int, int], Element] = {}
        for (a, b), e in entries.items():
            value = self.field(e)
            if not value.is_zero:
                self.tensor[(place[a], place[b])] = value
                self.tensor[(place[b], place[a])] = -value

    def __call__(self, F: Element, G: Element) -> Element:
        """{F, G}."""
        by = [G.diff(z) for z in self.z]
        left = [F.diff(z) for z in self.z]
        used = [(i, j) for i, j in self.tensor if not left[i].is_zero and not by[j].is_zero]
        return sum((self.tensor[i, j] * left[i] * by[j] for i, j in used), self.field.zero)

    def jacobiator(self, i: int, j: int, k: int) -> Element:
        """{z^i, {z^j, z^k}} + cyclic."""
        total = self.field.zero
        for a, b, c in ((i, j, k), (j, k, i), (k, i, j)):
            inner = self.tensor.get((b, c))
            if inner is None:
                continue
            for n, z in enumerate(self.z):
                outer = self.tensor.get((a, n))
                if outer is not None:
                    total = total + outer * inner.diff(z)
        return total

    def failures(self) -> Iterator[tuple[tuple[str, str, str], Element]]:
        """Triples of coordinates for which Jacobi's identity is not seen to hold, with what is not 0."""
        moving = {self.names[i] for pair, e in self.tensor.items() if _moves(e, self.names) for i in pair}
        for i, j, k in combinations(range(len(self.names)), 3):
            if moving.isdisjoint(self.names[n] for n in (i, j, k)):
                continue
            found = self.jacobiator(i, j, k)
            if not found.is_zero and zero_test(found).answer != "zero":
                yield (self.names[i], self.names[j], self.names[k]), found


def _moves(e: Element, names: Sequence[str]) -> bool:
    return any(name in names for name, _ in e.symbols)


class Rates:
    """ż for a Hamiltonian, added rates and constraints with their reactions."""

    def __init__(
        self,
        bracket: BracketTable,
        hamiltonian: Expr,
        added: Mapping[str, Expr],
        constraints: Sequence[Expr],
        momenta: Sequence[str],
        reactions: Sequence[Mapping[str, Expr]],
    ) -> None:
        field = bracket.field
        self.bracket, self.H = bracket, field(hamiltonian)
        self.added = [field(added[n]) if n in added else field.zero for n in bracket.names]
        self.constraints = [field(c) for c in constraints]
        self.free = [bracket(z, self.H) + f for z, f in zip(bracket.z, self.added, strict=True)]
        self.relations: list[Element] = []
        """Rates of constraints that have no momenta in them: they vanish too."""
        self.directions = self._directions(momenta, reactions)
        self.multipliers = self._multipliers()
        self.rates = list(self.free)
        for multiplier, direction in zip(self.multipliers, self.directions, strict=True):
            self.rates = [z + multiplier * y for z, y in zip(self.rates, direction, strict=True)]

    def along(self, F: Element, rates: Sequence[Element]) -> Element:
        """∂F/∂t + ż·∂F/∂z."""
        moved = (F.diff(z) * rate for z, rate in zip(self.bracket.z, rates, strict=True))
        return sum(moved, F.diff(self.bracket.t))

    def _directions(
        self, momenta: Sequence[str], reactions: Sequence[Mapping[str, Expr]]
    ) -> list[list[Element]]:
        """Y^A; none where the motion keeps all constraints by itself."""
        field, names = self.bracket.field, self.bracket.names
        self.kept = list(self.constraints)
        lost = [i for i, c in enumerate(self.constraints) if not self._vanishes(self.along(c, self.free))]
        if not lost:
            return []
        if reactions:
            return [[field(y[n]) if n in y else field.zero for n in names] for y in reactions]
        if not momenta:
            raise NoReactionError(
                lost[0],
                "the motion does not keep it, and nothing says in which direction its reaction acts",
                "name the momenta, momenta = […], for d'Alembert's principle; or give reactions = […]",
            )
        p = [field(symbol(n)) for n in momenta]
        metric = [[self.H.diff(a).diff(b) for b in p] for a in p]
        for i, c in enumerate(self.constraints):
            if all(c.diff(a).is_zero for a in p):
                self.kept[i] = self.along(c, self.free)
                self.relations.append(self.kept[i])
        found = []
        for i, c in enumerate(self.kept):
            try:
                forces = linear.solve(metric, [c.diff(a) for a in p])
            except SingularSystemError:
                raise NoReactionError(
                    i,
                    "the Hamiltonian has no invertible matrix of second derivatives by the momenta, so there "
                    "is no kinetic metric",
                    "give reactions = […], or other momenta",
                ) from None
            by_name = dict(zip(momenta, forces, strict=True))
            found.append([by_name.get(n, field.zero) for n in names])
        return found

    def _multipliers(self) -> list[Element]:
        """λ from ċ = 0; those of redundant constraints are 0."""
        if not self.directions:
            return []
        still = [self.bracket.field.zero] * len(self.bracket.names)
        matrix = [[self.along(c, y) - self.along(c, still) for y in self.directions] for c in self.kept]
        right = [-self.along(c, self.free) for c in self.kept]
        for i, row in enumerate(matrix):
            if all(map(self._vanishes, row)) and not self._vanishes(right[i]):
                raise NoReactionError(
                    i,
                    f"no reaction changes it, and its rate {-right[i]} is not 0",
                    "its reactions need a direction in which it changes",
                )
        singular = NoReactionError(
            len(self.kept) - 1,
            "the reactions cannot keep all constraints: the matrix of their rates is singular",
            "leave out constraints that follow from the others",
        )
        try:
            found = linear.solve(matrix, right)
        except SingularSystemError:
            raise singular from None
        if self._vanishes(linear.determinant(matrix)):  # where the constraints hold
            raise singular
        return found

    def _vanishes(self, e: Element) -> bool:
        """Whether a function is seen to vanish where the constraints hold."""
        if e.is_zero:
            return True
        return zero_test(e, [*self.constraints, *self.relations]).answer == "zero"
