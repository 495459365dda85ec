"""Equilibria as values: where, which spectrum, whether stable and how that is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from chetaev.analysis.linear.criteria import Criteria
from chetaev.analysis.linear.linearization import Linearization, written
from chetaev.analysis.steady.completeness import Completeness
from chetaev.expr.graph.node import Expr
from chetaev.results import Table, TableResult, TextResult, plain


@dataclass(frozen=True)
class Equilibrium(TextResult):
    """An equilibrium or a steady motion.

    Attributes
    ----------
    kind
        ``"equilibrium"`` or ``"relative equilibrium"``.
    state
        Values by name, velocities as ``x_dot``; free ones have a value of the model, or none where the family
        is given by symbols.
    exact
        The values as expressions, in the parameters where they could be followed, for those that have any.
    free
        Names that no equation bounds: there is a whole family, of which this is one member.
    stable
        True, False, or None where neither linear theory nor integrals decide.
    reason
        How `stable` is known, in a sentence.
    linearization
        The motion near it; None for a family given by symbols.
    criteria
        Inequalities in the parameters; None where none were derived.
    characteristic
        The factors of det(s − A) as expressions in s, in the parameters and in what is free; None likewise.
    cut
        Those of `free` on which the other values depend in a way that was not found: `state` is the member
        at one value of them.
    singular
        Functions of `free`: where one of them vanishes law or constraints are singular, and what is said here
        does not hold.
    """

    kind: str
    state: Mapping[str, float]
    exact: Mapping[str, Expr]
    free: tuple[str, ...]
    stable: bool | None
    reason: str
    linearization: Linearization | None
    criteria: Criteria | None
    characteristic: tuple[Expr, ...] | None = None
    cut: tuple[str, ...] = ()
    singular: tuple[Expr, ...] = ()

    facts = "kind state exact free cut singular stable reason eigenvalues criteria characteristic"

    @property
    def eigenvalues(self) -> np.ndarray[Any, Any]:
        """The spectrum of the motion near it, zeros of the family included."""
        return np.zeros(0, dtype=complex) if self.linearization is None else self.linearization.eigenvalues

    @property
    def isolated(self) -> bool:
        """Whether it is no member of a family."""
        return not self.free

    @property
    def where(self) -> str:
        """The state in words, zeros of velocities left out."""
        parts = []
        free = [n for n in self.free if n not in self.cut]
        aside = {*free, *(self.linearization.relative_to if self.linearization else ())}
        for name, x in self.state.items():
            exact = self.exact.get(name)
            if name in aside:
                continue
            if name.endswith("_dot") and x == 0 and (exact is None or exact.op == "number"):
                continue
            parts.append(f"{name} = {exact if exact is not None else f'{x:.10g}'}")
        if free:
            within = " and ".join(f"{e} ≠ 0" for e in self.singular)
            parts.append(f"any {', '.join(free)}" + (f" where {within}" if within else ""))
        return ", ".join(parts) + self._along

    @property
    def _along(self) -> str:
        """The family, which is surely there if no more eigenvalues are zero than it has dimensions.

        Complex solutions have that dimension; where they are not smooth, as x² + y² = 0, a real one may be
        alone.
        """
        if not self.cut:
            return ""
        sure = int((self.eigenvalues == 0).sum()) <= len(self.free)
        return f", {'' if sure else 'perhaps '}one of a family along {', '.join(self.cut)}"

    def __str__(self) -> str:
        answer = {True: "stable", False: "unstable", None: "undecided"}[self.stable]
        lines = [f"{self.kind} at {self.where or 'any state at rest'}: {answer}", f"  {self.reason}"]
        if len(self.eigenvalues):
            lines.append("  eigenvalues: " + ", ".join(written(complex(z)) for z in self.eigenvalues))
        if self.criteria is not None:
            lines.append(f"  {self.criteria}")
        return "\n".join(lines)

    def _plot_(self, figure: Any) -> None:
        """The spectrum (for `ch.plot`)."""
        _draw(figure, [self])


class Equilibria(TableResult, list[Equilibrium]):
    """A list of equilibria that says whether these are all.

    Attributes
    ----------
    seen
        What the search has seen and what it left out, as values.
    complete
        True if there are no others, proved; None if that is not known.
    searched
        How they were found, in a sentence.
    """

    facts = "complete searched"

    def __init__(self, found: Iterable[Equilibrium], seen: Completeness) -> None:
        super().__init__(found)
        self.seen = seen

    @property
    def complete(self) -> bool | None:
        """Whether there are no others."""
        return self.seen.complete

    @property
    def searched(self) -> str:
        """How they were found."""
        return str(self.seen)

    def __str__(self) -> str:
        lines = [str(e) for e in self]
        if not lines and not self.complete:
            lines = ["no equilibria were found"]
        return "\n".join([*lines, self.searched])

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"equilibria": plain(list(self))} | super().to_json()

    def _table_(self) -> Table:
        words = {True: "stable", False: "unstable", None: "undecided"}
        rows = tuple(
            (e.where, words[e.stable], ", ".join(written(complex(z)) for z in e.eigenvalues), e.reason)
            for e in self
        )
        return Table(("where", "", "eigenvalues", "because"), rows, self.searched)

    def _plot_(self, figure: Any) -> None:
        """The spectra in the complex plane, side by side (for `ch.plot`)."""
        _draw(figure, self)


def _draw(figure: Any, found: Iterable[Equilibrium]) -> None:
    from chetaev.analysis.linear.spectrum_picture import draw_spectra

    words = {True: "stable", False: "unstable", None: "undecided"}
    draw_spectra(figure, [(f"{e.where}: {words[e.stable]}", e.eigenvalues.tolist()) for e in found])
