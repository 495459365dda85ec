"""Flags of a distribution and their growth vectors.

    small:    D¹ = D,  D^{k+1} = D^k + [D, D^k]              (the filtration that measures control)
    derived:  D⁽⁰⁾ = D,  D⁽ᵏ⁺¹⁾ = D⁽ᵏ⁾ + [D⁽ᵏ⁾, D⁽ᵏ⁾]   (the one whose end is the smallest involutive hull)

Both end in the same involutive distribution; its corank is the number of independent integrals of D. Neither
depends on the basis, so every member is kept in reduced echelon form: the brackets stay short.

SCOPE D2, L2, B9; issue "which kind of constraint do I have?".

>>> from chetaev.geometry import Chart, Distribution, VectorField
>>> chart = Chart(["x", "y", "z", "w"])
>>> engel = Distribution.spanned_by([chart.partial("w"), VectorField(chart, [1, "z", "w", 0])])
>>> engel.small_flag.ranks, engel.derived_flag.ranks, engel.small_flag.integrals
((2, 3, 4), (2, 3, 4), 0)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chetaev.geometry.distribution import Distribution


@dataclass(frozen=True)
class Flag:
    """An increasing sequence of distributions, until it stops growing."""

    members: tuple[Distribution, ...]

    @property
    def ranks(self) -> tuple[int, ...]:
        """The growth vector."""
        return tuple(D.rank for D in self.members)

    @property
    def last(self) -> Distribution:
        """The involutive distribution at which the flag ends."""
        return self.members[-1]

    @property
    def integrals(self) -> int:
        """The number of independent functions that are constant along D."""
        return self.last.corank

    @property
    def degree(self) -> int:
        """How many steps it takes."""
        return len(self.members)

    @property
    def proved(self) -> bool:
        """Whether all ranks are proved; else dependent brackets were found by points of the submanifold."""
        return self.last.proved


def derived_flag(distribution: Distribution) -> Flag:
    """The derived flag."""
    members = [distribution]
    while members[-1].rank < distribution.dimension:
        following = members[-1].derived()
        if following.rank == members[-1].rank:
            break
        members.append(following)
    return Flag(tuple(members))


def small_flag(distribution: Distribution) -> Flag:
    """The small (weak derived) flag."""
    from chetaev.geometry.distribution import Distribution

    members = [distribution]
    generators = distribution.fields
    while members[-1].rank < distribution.dimension:
        now = members[-1]
        rows = now._echelon.copy()
        fields = now.fields
        if len(members) == 1:
            pairs = list(combinations(fields, 2))
        else:
            pairs = [(X, Z) for X in generators for Z in fields]
        for X, Z in pairs:
            if rows.rank == distribution.dimension:
                break
            rows.add(X.bracket(Z).components)
        if rows.rank == now.rank:
            break
        members.append(Distribution(distribution.chart, rows, distribution.on))
    return Flag(tuple(members))
