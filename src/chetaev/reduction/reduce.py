"""`ch.reduce`: the motion of invariants, if it closes (SCOPE B11; Bates and Nester, section 8).

For functions σ on Q the rates Γ(σ) are functions on Q again. Where they are functions of t and σ alone,

    σ̇^i = Γ(σ^i) = P^i(t, σ),

the invariants move by themselves: a first-order system, which can be shown, run, searched for laws like any
other (`.system`). Each P^i is proposed by linear algebra at points and proved on Q; where a rate is no
function of the invariants, a state and a direction show it.

>>> import chetaev as ch
>>> plane = ch.System(
...     coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - k*(x^2 + y^2)/2", parameters={"k": 2}
... )
>>> print(ch.reduce(plane, invariants={"a": "x^2 + y^2", "b": "x*x' + y*y'", "c": "x'^2 + y'^2"}))
a' = 2*b
b' = c - k*a
c' = -2*k*b
  with a = x^2 + y^2
       b = x*x' + y*y'
       c = x'^2 + y'^2
  closed: every rate is a function of the invariants (proved for every value of the parameters)
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from chetaev.constraint.submanifold.positive_functions import positive
from chetaev.effort import EFFORT, expect_effort
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, BudgetError, EffortError, Field, NotRealError
from chetaev.expr.exact.vanishing import Verdict
from chetaev.expr.graph.node import Expr, sub, substitute, symbol, symbols
from chetaev.expr.print import to_latex, to_text
from chetaev.laws.holding import vanish
from chetaev.laws.rate import rate, solved_accelerations
from chetaev.laws.search.motion import Motion
from chetaev.laws.search.primes import UnluckyError
from chetaev.laws.standpoint import Standpoint, standpoints
from chetaev.model.system import System, expect_system
from chetaev.reduction.closure import Witness, is_function_of, rank_of, witness
from chetaev.reduction.expressed import TIDY, Letter, expressed, letters, renamed, tidy
from chetaev.reduction.given_invariants import Invariant, read_invariants
from chetaev.reduction.invariants_of_symmetries import generous, invariants_of
from chetaev.reduction.reconstruction import lifted, reduced_system
from chetaev.reduction.relations import relations
from chetaev.reduction.section import section

if TYPE_CHECKING:
    import xarray


LONG = 2_000
"""Characters of a rate that are printed."""
UNDONE = (UnluckyError, BudgetError, EffortError, NotRealError, ArithmeticError)


@dataclass(frozen=True)
class Rate:
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
class Reduction:
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
    """

    full: System
    invariants: tuple[Invariant, ...]
    rates: Mapping[str, Rate]
    rank: int
    relations: tuple[Expr, ...] = ()
    notes: tuple[str, ...] = field(default=())

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
        for e in self.field.values():
            try:
                bottom = Field(Budget(TIDY))(values.apply([e])[0])
                _, factors = bottom.field.factor(bottom.denominator)
            except UNDONE:
                continue
            for p, _ in factors:
                factor = bottom.field.polynomial(p)
                if not positive(factor) and not positive(-factor):
                    found[factor.to_expr()] = None
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
        """The full motion from the reduced one: `ch.simulate` of :attr:`lifted`, with its options."""
        from chetaev.flow.data.simulate import simulate

        return simulate(self.lifted, **options)

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
        return {
            "invariants": {s.name: to_text(s.function) for s in self.invariants},
            "field": {n: to_text(e) for n, e in self.field.items()},
            "closed": self.closed,
            "rates": {
                n: {
                    "on_q": to_text(r.on_q),
                    "reduced": None if r.reduced is None else to_text(r.reduced),
                    "closed": r.closed,
                    "evidence": r.evidence,
                    "witness": None if r.witness is None else r.witness.to_json(),
                }
                for n, r in self.rates.items()
            },
            "rank": self.rank,
            "relations": [to_text(e) for e in self.relations],
            "poles": [to_text(e) for e in self.poles],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        lines = []
        for n, r in self.rates.items():
            text = to_text(r.reduced if r.reduced is not None else r.on_q)
            shown = f"{n}' = {text if len(text) <= LONG else f'{text[:LONG]} … ({len(text)} characters)'}"
            lines.append(shown if r.closed else f"{shown}    ({r.evidence})")
        for i, s in enumerate(self.invariants):
            lines.append(f"  {'with' if not i else '    '} {s.name} = {to_text(s.function)}")
        if self.closed:
            how = next(iter(dict.fromkeys(r.evidence for r in self.rates.values())))
            lines.append(f"  closed: every rate is a function of the invariants ({how})")
        else:
            said = "not closed" if self.closed is False else "not known to be closed"
            lines.append(f"  {said}: {', '.join(n for n, r in self.rates.items() if not r.closed)}")
        lines += [f"  relation: {to_text(e)} = 0" for e in self.relations]
        lines += [f"  not defined where {to_text(e)} = 0" for e in self.poles]
        return "\n".join(lines + [f"  {note}" for note in self.notes])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>$\\dot{{{to_latex(s.letter)}}}$</td><td>${to_latex(self.field[s.name])}$</td></tr>"
            for s in self.invariants
            if s.name in self.field
        )
        return f"<table>{rows}</table><pre>{html.escape(str(self))}</pre>"


def reduce(
    system: System,
    *,
    invariants: Mapping[str, Any] | None = None,
    symmetries: Sequence[Mapping[str, Any]] | None = None,
    effort: int = EFFORT,
) -> Reduction:
    """The motion of invariants, with its closure proved or refuted.

    Parameters
    ----------
    system
        The system.
    invariants
        Functions of time, coordinates and velocities by name: ``{"r2": "x^2 + y^2"}``.
    symmetries
        Instead: point fields by components, ``[{"x": "-y", "y": "x"}]``; they are examined, and their
        invariants are searched.
    effort
        What each exact question may cost (:mod:`chetaev.effort`).

    Examples
    --------
    >>> import chetaev as ch
    >>> sleigh = ch.load("caratheodory-sleigh")
    >>> moves = [{"x": 1}, {"y": 1}, {"x": "-y", "y": "x", "phi": 1}]
    >>> {n: str(e) for n, e in ch.reduce(sleigh, symmetries=moves).field.items()}
    {'v_phi': '-m*a*v_phi*s1/(m*a^2 + J)', 's1': 'a*v_phi^2'}
    """
    expect_system(system, "ch.reduce")
    effort = expect_effort(effort)
    if (invariants is None) == (symmetries is None):
        raise ModelError(
            "ch.reduce was given "
            + ("both invariants and symmetries" if invariants else "nothing to reduce by"),
            expected='invariants={"r2": "x^2 + y^2", …} or symmetries=[{"x": "-y", "y": "x"}, …]',
        )
    solved_accelerations(system)  # a sentence now if the motion is not determined
    notes: tuple[str, ...] = ()
    if symmetries is not None:
        chosen, notes = invariants_of(system, symmetries, effort)
    else:
        chosen = read_invariants(system, invariants)
    if system.stops:
        notes = (*notes, "between impacts: stops are no part of the reduced motion")
    found = _for_parameters(system, chosen, effort, notes)
    if symmetries is not None and (found.closed is None or found.poles):
        more = generous(system, symmetries, chosen)
        if len(more) > len(chosen):
            again = _for_parameters(system, more, effort, notes)
            if again.closed and (not found.closed or len(again.poles) < len(found.poles)):
                return again
    return found


def _for_parameters(
    system: System, chosen: tuple[Invariant, ...], effort: int, notes: tuple[str, ...]
) -> Reduction:
    """For every value of the parameters if that closes, else for the values given."""
    views = standpoints(system)
    found = _reduced(system, chosen, views[0], effort, notes)
    if found.closed is None and len(views) > 1:
        again = _reduced(system, chosen, views[-1], effort, notes)
        return found if again.closed is None else again
    return found


def _symbols(system: System) -> list[Expr]:
    """Parameters, coordinates and velocities, in this order."""
    moving = [symbol(c, k) for k in (0, 1) for c in system.coordinates]
    return [*map(symbol, system.parameters), *moving]


def _reduced(
    system: System, invariants: tuple[Invariant, ...], view: Standpoint, effort: int, notes: tuple[str, ...]
) -> Reduction:
    """For the parameters of a standpoint."""
    budget = Budget(40 * effort)
    try:
        motion = Motion(system, view, budget)
        rank = rank_of(motion, invariants)
    except UNDONE as error:
        raise ModelError(
            "the motion could not be evaluated modulo a prime: "
            + (str(error) or "no points of the constraint were found there"),
            remedy="effort= raises what may be spent; functions without normal forms cannot be reduced by",
        ) from None
    on_q = {s.name: tidy(rate(system, s.function), _symbols(system)) for s in invariants}
    timed = any(
        (system.time, 0) in symbols(e, s.function) for e, s in zip(on_q.values(), invariants, strict=True)
    )

    @cache
    def alphabet() -> list[Letter]:
        return letters(motion, invariants, [*_given(system), *on_q.values()], timed)

    rates = {n: _rate(motion, invariants, alphabet, e, view, effort) for n, e in on_q.items()}
    count = len(invariants)
    proposed = relations(motion, alphabet(), count - rank, 10 * effort) if rank < count else []
    proved = [
        tidy(r, [s.letter for s in invariants])
        for r in proposed
        if _holds(system, invariants, r, view, effort).proved
    ]
    more: tuple[str, ...] = ()
    if len(proved) < count - rank:
        dependent = f"only {rank} of the {count} invariants are independent on Q"
        more = (f"{dependent}, by {count - rank} relations, found: {len(proved)}",)
    return Reduction(system, invariants, rates, rank, tuple(proved), (*notes, *more))


def _given(system: System) -> list[Expr]:
    """The functions that the model was given by: what they contain need not be visible in normal forms."""
    parts = [part.expr for part in system.dynamics.parts]
    return [*parts, *system.forces.values(), *(e.residual for e in system.velocity_constraints)]


def _rate(
    motion: Motion,
    invariants: tuple[Invariant, ...],
    alphabet: Callable[[], list[Letter]],
    on_q: Expr,
    view: Standpoint,
    effort: int,
) -> Rate:
    system = motion.system
    if is_function_of(motion, invariants, on_q) is False:
        shown = witness(system, invariants, on_q)
        how = f"no function of the invariants: {shown}" if shown else "no function of the invariants"
        how += "" if shown else " at points modulo a prime; no state was met that shows it"
        return Rate(on_q, None, False if shown else None, how, shown)
    words = f" {view.words}" if view.words else ""
    for proposed in _proposals(motion, invariants, alphabet, on_q, view, effort):
        verdict = _holds(system, invariants, sub(on_q, proposed), view, effort)
        if not verdict.is_zero:
            continue
        reduced = tidy(proposed, [*map(symbol, system.parameters), *(s.letter for s in invariants)])
        if verdict.proved:
            return Rate(on_q, reduced, True, f"proved{words}")
        return Rate(on_q, reduced, None, f"tested at {verdict.points} points{words}, not proved")
    how = "it depends on the invariants alone as far as differentials say, but no expression was found"
    return Rate(on_q, None, None, how)


def _proposals(
    motion: Motion,
    invariants: tuple[Invariant, ...],
    alphabet: Callable[[], list[Letter]],
    on_q: Expr,
    view: Standpoint,
    effort: int,
) -> Iterator[Expr]:
    """Functions of the invariants that a rate may be, the cheaper to find first."""
    found: Expr | None
    try:
        found = renamed(motion, invariants, on_q)
        if found is not None:
            yield found
        states = section(motion.system, invariants, view)
        (found,) = substitute(view.apply([on_q]), states)
        yield found
    except (*UNDONE, ValueError):
        pass
    try:
        found = expressed(motion, alphabet(), on_q, 10 * effort)
    except UNDONE:
        return
    if found is not None:
        yield found


def _holds(
    system: System, invariants: tuple[Invariant, ...], difference: Expr, view: Standpoint, effort: int
) -> Verdict:
    """Whether a function of the invariants and of the state vanishes on Q."""
    letters_ = {s.letter: s.function for s in invariants if not s.is_coordinate}
    return vanish(system, substitute([difference], letters_), view, 10 * effort)[0]
