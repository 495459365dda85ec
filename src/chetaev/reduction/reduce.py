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

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import inf
from typing import Any

from chetaev.effort import EFFORT, expect_effort
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, GivenUp, answer, ask
from chetaev.expr.exact.vanishing import Verdict
from chetaev.expr.graph.node import Expr, postorder, sub, substitute, symbol, symbols
from chetaev.laws.rate import rate, solved_accelerations
from chetaev.laws.search.motion_modulo_prime import Motion
from chetaev.laws.standpoint import Standpoint, standpoints
from chetaev.laws.symmetry.given_fields import Components
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.system import System, expect_system
from chetaev.reduction.closure import is_function_of, rank_of, witness
from chetaev.reduction.expressed import Letter, expressed, letters, renamed, tidy
from chetaev.reduction.given_invariants import Invariant, named_invariants, read_invariants
from chetaev.reduction.given_symmetries import (
    Examined,
    examined,
    expect_algebra,
    expect_maps_of_motions,
    read_maps,
)
from chetaev.reduction.invariants_of_symmetries import FoundInvariants, generous, invariants_of, isotropy
from chetaev.reduction.linear_invariants import LinearInvariants, of_fields, of_maps
from chetaev.reduction.on_section import poles_of_section, rates_on_section, section
from chetaev.reduction.reduced_motion import Rate, Reduction
from chetaev.reduction.relations import relations, without_members


def reduce(
    system: System,
    *,
    invariants: Mapping[str, Any] | None = None,
    symmetries: Sequence[Mapping[str, Any]] | None = None,
    group: Sequence[Any] | None = None,
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
        invariants are searched. Where they act linearly, the generators of the ring of invariant
        polynomials are taken.
    group
        Instead: linear maps that generate a finite group, by components, ``[{"x": "-x", "y": "-y"}]``, or
        as matrices.
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
    given = [x for x in (invariants, symmetries, group) if x is not None]
    if len(given) != 1:
        raise ModelError(
            "ch.reduce was given "
            + ("more than one thing to reduce by" if given else "nothing to reduce by"),
            expected='invariants={"r2": "x^2 + y^2", …}, symmetries=[{"x": "-y", "y": "x"}, …] or '
            'group=[{"x": "-x"}, …]',
        )
    solved_accelerations(system)  # a sentence now if the motion is not determined
    if symmetries is not None:
        return _by_symmetries(system, symmetries, effort)
    if group is not None:
        return _by_group(system, group, effort)
    return _for_parameters(system, read_invariants(system, invariants), effort, _of_stops(system))


def _of_stops(system: System) -> tuple[str, ...]:
    return ("between impacts: stops are no part of the reduced motion",) if system.stops else ()


def _by_symmetries(system: System, given: Any, effort: int) -> Reduction:
    """The invariants of fields: of the ring of polynomials if they act linearly, else searched."""
    known = examined(system, given, effort)
    _expect_algebra(system, known.fields, effort)
    notes = (*known.notes, *_of_stops(system))
    ring = of_fields(system, known.fields)
    orbits = isotropy(system, known.fields)
    notes = (*([orbits] if orbits else []), *notes)
    if ring is not None:
        found = _with_ring(system, ring, effort, notes)
        if found.closed:
            return replace(found, symmetries=known.fields)
    searched = invariants_of(system, known.fields, effort)
    notes = (*searched.notes, *notes)
    at_once = _by_section(system, known, searched, effort, notes) if searched.complete else None
    wider = generous(system, known.fields, searched.functions)
    if at_once is not None and (not at_once.poles or not _has_all_velocities(system, wider)):
        return at_once
    chosen = named_invariants(system, searched.functions)
    found = at_once or _for_parameters(system, chosen, effort, notes)
    if (found.closed is None or found.poles) and len(wider) > len(searched.functions):
        again = _for_parameters(system, wider, effort, notes)
        if again.closed and (not found.closed or _trouble(again) < _trouble(found)):
            found = again
    return replace(found, symmetries=known.fields)


def _trouble(found: Reduction) -> tuple[int, float]:
    """How many poles there are, and how near the initial state is to one."""
    small = found.system
    if not found.poles or small.initial is None:
        return len(found.poles), 0.0
    return len(found.poles), -min(map(abs, small.at_start(found.poles)))


def _has_all_velocities(system: System, invariants: Sequence[Invariant]) -> bool:
    """Then rates need not be divided by anything that the accelerations are not."""
    functions = {s.function for s in invariants}
    return all(symbol(c, 1) in functions for c in system.coordinates)


def _by_section(
    system: System, known: Examined, searched: FoundInvariants, effort: int, notes: tuple[str, ...]
) -> Reduction | None:
    """Proved by symmetry at a state of every orbit, with the invariants that have the fewest poles there."""

    @cache
    def poles(functions: tuple[Expr, ...]) -> tuple[float, float]:
        return poles_of_section(system, named_invariants(system, functions), effort) or (inf, 0.0)

    best = searched.functions
    while poles(best)[0]:
        better = min(_neighbours(best, searched.spare), key=poles, default=best)
        if poles(better) >= poles(best):
            break
        best = better
    if poles(best)[0] == inf:
        return None
    return _proved_by_symmetry(system, known, named_invariants(system, best), effort, notes)


def _neighbours(functions: tuple[Expr, ...], spare: Sequence[Expr]) -> Iterator[tuple[Expr, ...]]:
    """The invariants with one of them, a function of velocities, replaced by a further one."""
    for other in spare:
        for i, e in enumerate(functions):
            if other not in functions and any(k for _, k in symbols(e)):
                yield (*functions[:i], other, *functions[i + 1 :])


def _proved_by_symmetry(
    system: System, known: Examined, chosen: tuple[Invariant, ...], effort: int, notes: tuple[str, ...]
) -> Reduction | None:
    for view in standpoints(system):
        rates = (
            rates_on_section(system, known.fields, chosen, view, 2 * effort) if known.proved(view) else None
        )
        if rates is not None:
            words = f"proved {view.words}".rstrip()
            listed = {
                s.name: Rate(tidy(rate(system, s.function), _symbols(system)), rates[s.name], True, words)
                for s in chosen
            }
            return Reduction(system, chosen, listed, len(chosen), (), notes, symmetries=known.fields)
    return None


def _expect_algebra(system: System, fields: Sequence[Components], effort: int) -> None:
    found = ask(
        lambda: expect_algebra(Motion(system, standpoints(system)[0], Budget(40 * effort)), fields, effort)
    )
    if isinstance(found, GivenUp):
        raise ModelError(
            "the brackets of these symmetries could not be computed: "
            + (found.reason or "no points were found"),
            remedy="give invariants by name: invariants={…}",
        )


def _by_group(system: System, given: Any, effort: int) -> Reduction:
    """The invariants of a finite group."""
    maps = read_maps(system, given)
    ring = of_maps(system, maps)
    expect_maps_of_motions(system, maps, effort)
    if ring is None:
        raise ModelError(
            "the group has too many invariants, or none that are not coordinates",
            remedy="give invariants by name: invariants={…}",
        )
    return _with_ring(system, ring, effort, _of_stops(system))


def _with_ring(system: System, ring: LinearInvariants, effort: int, notes: tuple[str, ...]) -> Reduction:
    return _for_parameters(system, ring.invariants, effort, (*ring.notes, *notes))


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

    def evaluated() -> tuple[Motion, int]:
        motion = Motion(system, view, Budget(40 * effort))
        return motion, rank_of(motion, invariants)

    answered = ask(evaluated)
    if isinstance(answered, GivenUp):
        raise ModelError(
            "the motion could not be evaluated modulo a prime: "
            + (answered.reason or "no points of the constraint were found there"),
            remedy="effort= raises what may be spent; functions without normal forms cannot be reduced by",
        )
    motion, rank = answered
    on_q = {s.name: tidy(rate(system, s.function), _symbols(system)) for s in invariants}
    timed = any(
        (system.time, 0) in symbols(e, s.function) for e, s in zip(on_q.values(), invariants, strict=True)
    )
    count = len(invariants)
    asked = _AskedRates(
        motion, invariants, view, effort, [*_given(system), *on_q.values()], timed, rank < count
    )
    rates = {n: asked.rate(e) for n, e in on_q.items()}
    proposed = relations(motion, asked.alphabet, count - rank, 10 * effort) if rank < count else []
    verdicts = [asked.holds(r) for r in proposed]
    kept = [r for r, v in zip(proposed, verdicts, strict=True) if v.is_zero and v.sure]
    proved = [_whole(r, [s.letter for s in invariants]) for r in kept]
    proved = without_members(proved, [s.name for s in invariants])
    more: tuple[str, ...] = ()
    if len(proved) < count - rank:
        dependent = f"only {rank} of the {count} invariants are independent on Q"
        more = (f"{dependent}, by {count - rank} relations, found: {len(proved)}",)
    return Reduction(system, invariants, rates, rank, tuple(proved), (*notes, *more))


def _given(system: System) -> list[Expr]:
    """The functions that the model was given by: what they contain need not be visible in normal forms."""
    parts = [part.expr for part in system.dynamics.parts]
    return [*parts, *system.forces.values(), *(e.residual for e in system.velocity_constraints)]


@dataclass(frozen=True)
class _AskedRates:
    """Rates as functions of invariants, proposed and judged.

    With relations between the invariants (`several`) a function of them is written in many ways.
    """

    motion: Motion
    invariants: tuple[Invariant, ...]
    view: Standpoint
    effort: int
    occurring: list[Expr]
    timed: bool
    several: bool

    @cached_property
    def alphabet(self) -> list[Letter]:
        """What rates may be made of."""
        return letters(self.motion, self.invariants, self.occurring, self.timed)

    def rate(self, on_q: Expr) -> Rate:
        """The rate of an invariant from what it is on Q."""
        system, invariants = self.motion.system, self.invariants
        if is_function_of(self.motion, invariants, on_q) is False:
            shown = witness(system, invariants, on_q)
            how = f"no function of the invariants: {shown}" if shown else "no function of the invariants"
            how += "" if shown else " at points modulo a prime; no state was met that shows it"
            return Rate(on_q, None, False if shown else None, how, shown)
        words = f" {self.view.words}" if self.view.words else ""
        several = self.several and not _divides_by(on_q, system.coordinates)
        found: Rate | None = None
        for proposed in self.proposals(on_q):
            verdict = self.holds(sub(on_q, proposed))
            if not verdict.is_zero or (found is not None and not verdict.sure):
                continue
            reduced = tidy(proposed, [*map(symbol, system.parameters), *(s.letter for s in invariants)])
            if not verdict.sure:
                return Rate(on_q, reduced, None, f"{verdict.how}{words}, not proved")
            found = found or Rate(on_q, reduced, True, f"{verdict.how}{words}")
            if not several or not _divides_by(reduced, [s.name for s in invariants]):
                return Rate(on_q, reduced, True, f"{verdict.how}{words}")
        how = "it depends on the invariants alone as far as differentials say, but no expression was found"
        return found or Rate(on_q, None, None, how)

    def proposals(self, on_q: Expr) -> Iterator[Expr]:
        """Functions of the invariants that a rate may be, the cheaper to find first."""

        def on_a_section() -> Expr:
            states = section(self.motion.system, self.invariants, self.view)
            return substitute(self.view.apply([on_q]), states)[0]

        for step in (
            lambda: renamed(self.motion, self.invariants, on_q),
            on_a_section,
            lambda: expressed(self.motion, self.alphabet, on_q, 10 * self.effort),
        ):
            found = answer(ask(step))
            if found is not None:
                yield found

    def holds(self, difference: Expr) -> Verdict:
        """Whether a function of the invariants and of the state vanishes on Q."""
        letters_ = {s.letter: s.function for s in self.invariants if not s.is_coordinate}
        asked = substitute([difference], letters_)
        return vanish(self.motion.system, asked, self.view, 10 * self.effort)[0]


def _whole(relation: Expr, letters: Sequence[Expr]) -> Expr:
    """N of a relation N/D = 0 in lowest terms."""
    found = tidy(relation, letters)
    while found.op in ("neg", "div"):
        found = found.args[0]
    return found


def _divides_by(e: Expr, names: Collection[str]) -> bool:
    """Whether some of these symbols stand in a denominator."""
    below = [n.args[1] for n in postorder(e) if n.op == "div"]
    return any(n in names for n, _ in symbols(*below))
