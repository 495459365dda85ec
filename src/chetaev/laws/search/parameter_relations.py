"""Relations between parameters under which there are more integrals: conditions and their solutions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chetaev.expr.graph.node import Expr
from chetaev.remedy_words import listed
from chetaev.results import PlainData, plain


@dataclass(frozen=True)
class ParameterRelation(PlainData):
    """Conditions on parameters under which there are more integrals than without them.

    Attributes
    ----------
    conditions
        Polynomials in the parameters, with integer coefficients, that are to be zero together.
    solutions
        Parameters by others, one mapping for each branch; empty if the conditions were not solved.
    more
        How many more independent integrals the space has than where fewer of the conditions hold.
    """

    conditions: tuple[Expr, ...]
    solutions: tuple[Mapping[str, Expr], ...]
    more: int

    def __str__(self) -> str:
        if self.solutions and all(len(s) == len(self.conditions) for s in self.solutions):
            branches = [listed(f"{n} = {e}" for n, e in sorted(s.items())) for s in self.solutions]
            return " or ".join(branches)
        return listed(f"{c} = 0" for c in self.conditions)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return super().to_json() | {"words": str(self)}


@dataclass(frozen=True)
class Relations(PlainData):
    """What was found for several parameters.

    Attributes
    ----------
    names
        The parameters.
    found
        The relations, those with fewer conditions first.
    generic
        How many integrals are independent for generic values.
    cut
        Why the search is not complete, in words.
    """

    names: tuple[str, ...]
    found: tuple[ParameterRelation, ...] = ()
    generic: int = 0
    cut: str = ""

    facts = "names cut"

    def __str__(self) -> str:
        words = f"relations of {listed(self.names)} with more integrals: "
        words += "; ".join(map(str, self.found)) if self.found else "" if self.cut else "none were found"
        return f"{words}{'; ' if self.found and self.cut else ''}{self.cut}"

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return super().to_json() | {"relations": plain(self.found), "words": str(self)}
