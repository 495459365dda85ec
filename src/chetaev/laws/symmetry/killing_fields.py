"""What `ch.killing` finds: Killing fields with their momenta, and how many there can be (SCOPE L3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from chetaev.expr.graph.node import Expr
from chetaev.expr.print import to_text
from chetaev.laws.symmetry.algebra import Algebra
from chetaev.laws.symmetry.field_space import SearchedFields, beside
from chetaev.laws.symmetry.given_fields import combination
from chetaev.laws.symmetry.symmetry import Answer
from chetaev.results import TextResult, plain


@dataclass(frozen=True)
class KillingField(TextResult):
    """A Killing field of the kinetic metric.

    Attributes
    ----------
    components
        By name of the coordinate; zero where left out.
    momentum
        J_X = g(X, v).
    metric
        That L_X g = 0, with its evidence.
    horizontal
        Whether X lies in D = ker ∂f/∂v on Q.
    lagrangian
        Whether X is a symmetry of L as well: of the potential and what is linear in v.
    """

    components: Mapping[str, Expr]
    momentum: Expr
    metric: Answer
    horizontal: Answer
    lagrangian: Answer

    facts = "components momentum metric.evidence"

    @property
    def words(self) -> str:
        """The field as it is written."""
        return combination(self.components, "∂/∂")

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return super().to_json() | {
            "field": self.words,
            "horizontal": self.horizontal.holds,
            "of_lagrangian": self.lagrangian.holds,
        }

    def __str__(self) -> str:
        words = {True: "yes", False: "no", None: "—"}
        return (
            f"{self.words}: Killing ({self.metric.evidence}); of L: {words[self.lagrangian.holds]}; "
            f"in D: {words[self.horizontal.holds]}; J = {to_text(self.momentum)}"
        )


class Killing(TextResult, list[KillingField]):
    """Killing fields, how many there can be, and what was searched.

    Attributes
    ----------
    bound
        The largest number that the prolonged system allows, at most n(n + 1)/2; `order` is that of its
        derivatives.
    complete
        True if there are so many: these are all. None if there may be more outside of the space searched.
    searched, algebra, remark
        As for `ch.symmetries`.
    """

    facts = "bound complete searched algebra remark"

    def __init__(
        self,
        found: Iterable[KillingField],
        limit: int,
        order: int,
        searched: SearchedFields | None,
        structure: Algebra | None,
        remark: str = "",
    ) -> None:
        super().__init__(found)
        self.bound, self.order = limit, order
        self.searched, self.algebra, self.remark = searched, structure, remark

    @property
    def complete(self) -> bool | None:
        """Whether these are all Killing fields."""
        return True if len(self) == self.bound else None

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"fields": plain(list(self))} | super().to_json()

    def __str__(self) -> str:
        lines = [f"X{i + 1} = {one}" for i, one in enumerate(self)] or ["none found"]
        words = "these are all" if self.complete else "there may be more outside of the space searched"
        order = f"derivatives of order {self.order} of the Killing equations" if self.order else "n(n + 1)/2"
        lines.append(f"at most {self.bound} ({order}): {words}")
        return "\n".join([*lines, *beside(self)])
