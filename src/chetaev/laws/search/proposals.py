"""What a search proposes: expressions that are constant along the motion as far as residues show.

The search is made at the model's values of the parameters, where there are most integrals. Each one found
is then lifted: its support may carry an integral for every value of the parameters, with coefficients that
are functions of them. If one does not, the search is made for generic parameters too, and what it finds
comes first.

>>> import chetaev as ch
>>> found, searched = proposals(ch.load("knife-edge"), [])
>>> print(found[0])
phi'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from chetaev.effort import written
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Element, GivenUp, answer, ask
from chetaev.expr.graph.node import Expr, postorder
from chetaev.expr.graph.sharing import text_length
from chetaev.laws.search.atoms import coordinates_of
from chetaev.laws.search.darboux import CofactorGauge, darboux, potential
from chetaev.laws.search.first_integrals import Found, first_integrals
from chetaev.laws.search.function_space import Space
from chetaev.laws.search.further_spaces import further
from chetaev.laws.search.independence import grows
from chetaev.laws.search.logarithms import darboux_functions, logarithmic
from chetaev.laws.search.motion_modulo_prime import Motion
from chetaev.laws.search.suited_space import LIMIT, Searched, suited
from chetaev.laws.search.written_integral import shaped
from chetaev.laws.standpoint import standpoints
from chetaev.model.system import System

EFFORT = 2_000_000
"""The effort for which a space has `LIMIT` members."""
SMALL = 90
"""Members of the space for functions with a cofactor: one is searched for each gauge."""
NO_POINT = "no point of Q was found modulo a prime at which the law determines the accelerations"


def limit_for(effort: int, degree: int = 2) -> int:
    """How many members a space may have: the cost grows like the square of it, or a little more.

    >>> limit_for(2_000_000), limit_for(20_000_000) > 1000, limit_for(2_000_000, degree=4)
    (420, True, 840)
    """
    return max(40, min(4000, int(LIMIT * max(2, degree) / 2 * (effort / EFFORT) ** 0.4)))


def proposals(
    system: System,
    known: Sequence[Expr],
    *,
    degree: int = 2,
    functions: Sequence[Expr] = (),
    exponentials: bool = False,
    rational: bool = False,
    effort: int = EFFORT,
) -> tuple[list[Expr], Searched]:
    """New first integrals in the space that suits the system, and what that space is.

    `known` are functions that are constant already: what is a function of them is left out. With
    `exponentials` also functions of a smaller space times exponentials of t and of the potential, with
    `rational` over powers of velocities and coordinates (:mod:`chetaev.laws.search.darboux`).
    """

    def begun() -> tuple[Motion, list[Element], Space, Searched]:
        motion = Motion(system, standpoints(system)[0], Budget.of(8 * effort))
        given = [motion.function(f) for f in functions]
        return motion, given, *_space(motion, degree, given, effort)

    try:
        start = ask(begun)
    except ModelError as error:
        return [], Searched(degree, (), (), (), 0, cut=error.message)
    if isinstance(start, GivenUp):
        unknown = f"the functions of its equations are not known within {_limited(effort)}"
        return [], Searched(degree, (), (), (), 0, cut=unknown if start.reason else NO_POINT)
    motion, given, space, searched = start
    search = _ProposalSearch(motion, space, known, effort)
    found: list[Expr] = []
    gauges: list[CofactorGauge] = []
    also: list[str] = []

    def look() -> None:
        found.extend(shaped(motion, e) for e in search.run())
        for words, more in further(motion, degree, given, _limit(motion, degree, effort)):
            if search.complete:
                break
            found.extend(shaped(motion, e) for e in search.also(more))
            also.append(words)
        if not search.complete:
            gauges.extend(_gauges(motion, exponentials=exponentials or rational, rational=rational))
            size = min(SMALL, limit_for(effort) // 4)
            small, _ = suited(motion, degree, given, size, roots=False, rarely=exponentials or rational)
            found.extend(search.darboux(small, gauges))
            if rational:
                found.extend(search.logarithms(small))

    if isinstance(ask(look), GivenUp):
        search.cut = search.cut or f"stopped at {_limited(effort)}"
    searched = replace(
        searched,
        independent=search.independent,
        cut=search.cut,
        also=tuple(also),
        gauges=tuple(("log " if g.is_log else "") + str(g.function.to_expr()) for g in gauges),
    )
    return found, searched


def _limited(effort: int) -> str:
    return f"effort {written(effort)}; effort= raises it"


def _gauges(motion: Motion, *, exponentials: bool, rational: bool) -> list[CofactorGauge]:
    """Functions g for integrals exp(−λ g) P: time, potential and cyclic coordinates, and logarithms for
    quotients.
    """
    field = motion.field
    found: list[CofactorGauge] = []
    bare, seldom = coordinates_of(motion)
    if rational:  # quotients before exponentials: they are simpler
        found += [CofactorGauge(field.variable(v), True) for v in motion.velocities]
        found += [CofactorGauge(a.function, True) for a in bare if a.kind == "position"]
    inside = {b for _, _, f in motion.functions for b in map(field.base, f.symbols)}
    idle = [a.function for a in seldom if field.base(a.function) not in inside]
    if exponentials:
        found.append(CofactorGauge(field.variable(motion.time)))
        V = potential(motion)
        found += [] if V is None else [CofactorGauge(V)]
    return found + [CofactorGauge(q) for q in idle if not exponentials or field.base(q) != motion.time]


def _limit(motion: Motion, degree: int, effort: int) -> int:
    """How many members a space of this system may have: points of long laws cost more."""
    a_point = 4 * sum(1 for _ in postorder(*motion.law_graphs)) + 200
    return max(40, min(limit_for(effort, degree), effort // a_point))


def _space(motion: Motion, degree: int, given: Sequence[Element], effort: int) -> tuple[Space, Searched]:
    """The space; without roots of denominators if they exist at hardly any point modulo p."""
    before = len(motion.field.generators)
    limit = _limit(motion, degree, effort)
    space, searched = suited(motion, degree, given, limit)
    if len(motion.field.generators) > before:
        source = motion.points()
        if isinstance(ask(lambda: [source.draw() for _ in range(3)]), GivenUp):
            plain = Motion(motion.system, motion.standpoint, Budget.of(8 * effort))
            again = [plain.function(g.to_expr()) for g in given]
            motion.__dict__.update(plain.__dict__)
            return suited(motion, degree, again, limit, roots=False)
    return space, searched


def lasting(motion: Motion, known: Sequence[Expr]) -> list[Element]:
    """The integrals that are known, as functions on Q; those that are too long are left out."""
    return [e for e in (answer(ask(motion.function, f)) for f in known) if e is not None]


class _ProposalSearch:
    """One search in one space."""

    def __init__(self, motion: Motion, space: Space, known: Sequence[Expr], effort: int) -> None:
        self.motion, self.space, self.effort = motion, space, effort
        self.known = lasting(motion, known)
        self.cut = ""
        self.independent = 0
        self.complete = False
        self.kept: list[Element] = []

    def darboux(self, space: Space, gauges: Sequence[CofactorGauge]) -> list[Expr]:
        """Integrals exp(−λ g) P beyond those found so far."""
        found: list[Expr] = []
        for gauge in gauges:
            pairs = darboux(self.motion, space, gauge, special=False, budget=Budget(self.effort))
            stopped = ask(lambda pairs=pairs: found.extend(self._new(pairs)))  # type: ignore[misc]
            if isinstance(stopped, GivenUp) and stopped.reason:
                words = f"the search for exp(−λ g) P stopped at {_limited(self.effort)}"
                self.cut = self.cut or words
        return found

    def logarithms(self, space: Space) -> list[Expr]:
        """Integrals Σ λ_i log P_i + G beyond those found so far."""
        found: list[Expr] = []

        def look() -> None:
            functions = darboux_functions(self.motion)
            found.extend(self._new(logarithmic(self.motion, space, functions, Budget(self.effort))))

        stopped = ask(look)
        if isinstance(stopped, GivenUp) and stopped.reason:
            self.cut = self.cut or f"the search for logarithms stopped at effort {written(self.effort)}"
        return found

    def _new(self, pairs: Iterable[tuple[Element, Expr]]) -> Iterator[Expr]:
        """Those beyond what is kept, short ones first, which are kept from now on."""
        for element, expression in sorted(pairs, key=lambda pair: text_length(pair[1])):
            if self._is_new(element, self.kept):
                self.kept.append(element)
                yield expression

    def run(self) -> list[Element]:
        """The integrals found, with exact coefficients."""
        self.kept = self._run()
        return list(self.kept)

    def also(self, space: Space) -> list[Element]:
        """The integrals of another space beyond those found so far."""
        other = _ProposalSearch(self.motion, space, (), self.effort)
        other.known = [*self.known, *self.kept]
        found = other.run()
        self.kept += found
        self.complete = other.complete
        self.cut = self.cut or other.cut
        return found

    def _run(self) -> list[Element]:
        special = bool(self.motion.values)
        found = self._first(special)
        if found is None:
            return []
        self.independent = len(found.space)
        self.complete = found.rank >= found.most
        if not special:
            return [e for e in self._lifted(found, False) if e is not None]
        lasting = [found.is_generic(n) for n in range(len(found.vectors))]
        kept: list[Element] = []
        if not all(lasting):
            everywhere = self._first(False)
            kept = [] if everywhere is None else [e for e in self._lifted(everywhere, False) if e is not None]
        plain = not kept
        for n, generic in enumerate(lasting):
            here = self._lift(found, n, False) if generic else None
            here = self._lift(found, n, True) if here is None else here
            if here is not None and (plain or self._is_new(here, kept)):
                kept.append(here)
        return kept

    def _first(self, special: bool) -> Found | None:
        budget = Budget(2 * self.effort)
        found = ask(first_integrals, self.motion, self.space, self.known, special=special, budget=budget)
        if isinstance(found, GivenUp):
            self.cut = f"stopped at {_limited(self.effort)}" if found.reason else NO_POINT
        return answer(found)

    def _lifted(self, found: Found, special: bool) -> list[Element | None]:
        return [self._lift(found, n, special) for n in range(len(found.vectors))]

    def _lift(self, found: Found, n: int, special: bool) -> Element | None:
        element = answer(ask(found.lifted, n, special=special, budget=Budget(self.effort)))
        if element is None and special:
            self.cut = "an integral was found whose coefficients are too long to be written exactly"
        return element

    def _is_new(self, element: Element, others: Sequence[Element]) -> bool:
        """Whether dF is seen to be independent of the others' at the model's values."""
        return grows(self.motion, [*self.known, *others, element]) is True


def proposals_in(motion: Motion, space: Space, known: Sequence[Expr], effort: int = EFFORT) -> list[Expr]:
    """New first integrals in a space that was made for another question, for the parameters of `motion`."""
    return [shaped(motion, e) for e in _ProposalSearch(motion, space, known, effort).run()]
