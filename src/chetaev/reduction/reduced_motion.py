"""What a reduction hands back: rates of invariants, relations, the way back (SCOPE B11, M6).

σ̇ = P(t, σ),     R(σ) = 0,     I(σ) ≥ 0
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from chetaev.constraint.submanifold.positive_functions import positive
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Field, ask
from chetaev.expr.graph.node import Expr
from chetaev.expr.print import to_latex, to_text
from chetaev.flow.data.simulate import simulate
from chetaev.flow.run.events import Event, listed
from chetaev.laws.standpoint import standpoints
from chetaev.laws.symmetry.given_fields import Components
from chetaev.model.system import System
from chetaev.reduction.closure import Witness
from chetaev.reduction.expressed import TIDY, cut_text
from chetaev.reduction.given_invariants import Invariant
from chetaev.reduction.reconstruction import lifted, reduced_system
from chetaev.results import PlainData, TextResult, plain

if TYPE_CHECKING:
    import xarray

    from chetaev.reduction.phases import Phases

LONG = 2_000
"""Characters of a rate that are printed."""
MANY = 12
"""Relations that are printed; `relations` has all."""


@dataclass(frozen=True)
class Rate(PlainData):
    """The rate of one invariant.

    Attributes
    ----------
    on_q
        Γ(σ), as a function on Q.
    reduced
        P(t, σ); None if none was found.
    closed
        True if Γ(σ) = P(t, σ) holds, False if Γ(σ) is no function of the invariants, None if that is not
        known.
    evidence
        How that is known.
    witness
        For False: a state and a direction.
    """

    on_q: Expr
    reduced: Expr | None
    closed: bool | None
    evidence: str
    witness: Witness | None = None


@dataclass(frozen=True)
class Reduction(TextResult):
    """The reduced motion: σ̇ = P(t, σ).

    Attributes
    ----------
    full
        The system that was reduced.
    invariants
        The functions σ on Q.
    rates
        The rate of each, by name.
    rank
        How many of the invariants are independent on Q.
    relations
        Functions R(σ) that vanish on Q, proved; there are relations if `rank` is less than the number of
        invariants.
    notes
        What else there is to say.
    symmetries
        The fields that it was reduced by, if it was.
    """

    full: System
    invariants: tuple[Invariant, ...]
    rates: Mapping[str, Rate]
    rank: int
    relations: tuple[Expr, ...] = ()
    notes: tuple[str, ...] = field(default=())
    symmetries: tuple[Components, ...] = ()

    facts = "field closed rates rank relations poles notes"

    @property
    def field(self) -> dict[str, Expr]:
        """P by name, where found."""
        return {n: r.reduced for n, r in self.rates.items() if r.reduced is not None}

    @property
    def closed(self) -> bool | None:
        """Whether the invariants move by themselves."""
        answers = [r.closed for r in self.rates.values()]
        return False if False in answers else None if None in answers else True

    @cached_property
    def poles(self) -> tuple[Expr, ...]:
        """Denominators of the reduced field that are not seen to be positive, for the values given."""
        values = standpoints(self.full)[-1]
        found: dict[Expr, None] = {}
        field = Field(Budget(TIDY * len(self.invariants)))
        for s in self.invariants:
            field.base(s.letter)

        def look(e: Expr) -> None:
            for p, _ in field.factor(field(values.apply([e])[0]).denominator)[1]:
                factor = field.polynomial(p)
                if not positive(factor) and not positive(-factor):
                    found[factor.to_expr()] = None

        for e in self.field.values():
            ask(look, e)  # what was found until then is as true
        return tuple(found)

    @cached_property
    def system(self) -> System:
        """The reduced motion as a system of its own, with the invariants as coordinates."""
        self._expect_closed()
        return reduced_system(self.full, self.invariants, self.field)

    @cached_property
    def lifted(self) -> System:
        """The reduced motion together with the reconstruction equation for the full coordinates."""
        self._expect_closed()
        return lifted(self.full, self.invariants, self.field)

    def reconstruct(self, **options: Any) -> xarray.Dataset:
        """The full motion from the reduced one: `ch.simulate` of :attr:`lifted`, with its options.

        It ends where the reduced field is not defined, at one of the :attr:`poles`.
        """
        ends = [
            Event(pole, terminal=True, name=f"{to_text(pole)} = 0, where the reduced motion is not defined")
            for pole in self.poles
        ]
        if ends and options.get("precision") is None:
            options["events"] = [*listed(options.get("events", ())), *ends]
        return simulate(self.lifted, **options)

    def phases(
        self,
        period: float | None = None,
        *,
        initial: Mapping[Any, Any] | None = None,
        until: float | None = None,
    ) -> Phases:
        """What the full motion is shifted by along the group when the reduced one has returned.

        Parameters
        ----------
        period
            After which the invariants have their first values again; searched if left out.
        initial
            Initial data laid over the model's own.
        until
            How long the period is searched; the model's own final time if left out.
        """
        from chetaev.reduction.phases import phases

        self._expect_closed()
        return phases(self, period, initial, until)

    def _expect_closed(self) -> None:
        if self.closed:
            return
        name, bad = next((n, r) for n, r in self.rates.items() if not r.closed)
        raise ModelError(
            f"the invariants do not close: the rate of {name!r} is {to_text(bad.on_q)[:200]}, {bad.evidence}",
            remedy=f"add an invariant for it, or leave {name!r} out",
        )

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return super().to_json() | {
            "invariants": {s.name: to_text(s.function) for s in self.invariants},
            "symmetries": [plain(f.by_name) for f in self.symmetries],
        }

    def __str__(self) -> str:
        lines = []
        for n, r in self.rates.items():
            shown = f"{n}' = {cut_text(r.reduced if r.reduced is not None else r.on_q, LONG)}"
            lines.append(shown if r.closed else f"{shown}    ({r.evidence})")
        for i, s in enumerate(self.invariants):
            lines.append(f"  {'with' if not i else '    '} {s.name} = {to_text(s.function)}")
        if self.closed:
            how = next(iter(dict.fromkeys(r.evidence for r in self.rates.values())))
            lines.append(f"  closed: every rate is a function of the invariants ({how})")
        else:
            said = "not closed" if self.closed is False else "not known to be closed"
            lines.append(f"  {said}: {', '.join(n for n, r in self.rates.items() if not r.closed)}")
        lines += [f"  relation: {to_text(e)} = 0" for e in self.relations[:MANY]]
        if (more := len(self.relations) - MANY) > 0:
            lines.append(f"  and {more} more relations")
        lines += [f"  not defined where {to_text(e)} = 0" for e in self.poles]
        return "\n".join(lines + [f"  {note}" for note in self.notes])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>$\\dot{{{to_latex(s.letter)}}}$</td><td>${to_latex(self.field[s.name])}$</td></tr>"
            for s in self.invariants
            if s.name in self.field
        )
        return f"<table>{rows}</table>{super()._repr_html_()}"
