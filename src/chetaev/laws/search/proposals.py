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
from chetaev.expr.exact import Budget, BudgetError, EffortError, Element, NotRealError
from chetaev.expr.graph.node import Expr, postorder
from chetaev.expr.graph.sharing import text_length
from chetaev.laws.search.atoms import coordinates_of
from chetaev.laws.search.darboux import CofactorGauge, darboux, potential
from chetaev.laws.search.first_integrals import Differentials, Found, first_integrals
from chetaev.laws.search.function_space import Space
from chetaev.laws.search.further_spaces import further
from chetaev.laws.search.logarithms import darboux_functions, logarithmic
from chetaev.laws.search.motion_modulo_prime import Motion, Points
from chetaev.laws.search.primes import UnluckyError
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
    try:
        motion = Motion(system, standpoints(system)[0], Budget.of(8 * effort))
        given = [motion.function(f) for f in functions]
        space, searched = _space(motion, degree, given, effort)
    except ModelError as error:
        return [], Searched(degree, (), (), (), 0, cut=error.message)
    except UnluckyError:
        return [], Searched(degree, (), (), (), 0, cut=NO_POINT)
    except (BudgetError, EffortError, NotRealError):
        cut = (
            f"the functions of its equations are not known within effort {written(effort)}; effort= raises it"
        )
        return [], Searched(degree, (), (), (), 0, cut=cut)
    search = _ProposalSearch(motion, space, known, effort)
    found: list[Expr] = []
    gauges: list[CofactorGauge] = []
    also: list[str] = []
    try:
        found += [shaped(motion, e) for e in search.run()]
        for words, more in further(motion, degree, given, _limit(motion, degree, effort)):
            if search.complete:
                break
            found += [shaped(motion, e) for e in search.also(more)]
            also.append(words)
        if not search.complete:
            gauges = _gauges(motion, exponentials=exponentials or rational, rational=rational)
            size = min(SMALL, limit_for(effort) // 4)
            small, _ = suited(motion, degree, given, size, roots=False, rarely=exponentials or rational)
            found += search.darboux(small, gauges)
            if rational:
                found += search.logarithms(small)
    except (BudgetError, EffortError, NotRealError, UnluckyError):
        search.cut = search.cut or f"stopped at effort {written(effort)}; effort= raises it"
    searched = replace(
        searched,
        independent=search.independent,
        cut=search.cut,
        also=tuple(also),
        gauges=tuple(("log " if g.is_log else "") + str(g.function.to_expr()) for g in gauges),
    )
    return found, searched


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
        try:
            source = motion.points()
            for _ in range(3):
                source.draw()
        except UnluckyError:
            plain = Motion(motion.system, motion.standpoint, Budget.of(8 * effort))
            again = [plain.function(g.to_expr()) for g in given]
            motion.__dict__.update(plain.__dict__)
            return suited(motion, degree, again, limit, roots=False)
    return space, searched


def lasting(motion: Motion, known: Sequence[Expr]) -> list[Element]:
    """The integrals that are known, as functions on Q; those that are too long are left out."""
    found = []
    for f in known:
        try:
            found.append(motion.function(f))
        except (BudgetError, EffortError, NotRealError):
            continue
    return found


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
            budget = Budget(self.effort)
            try:
                found += self._new(darboux(self.motion, space, gauge, special=False, budget=budget))
            except UnluckyError:
                continue
            except (EffortError, BudgetError, NotRealError):
                words = (
                    f"the search for exp(−λ g) P stopped at effort {written(self.effort)}; effort= raises it"
                )
                self.cut = self.cut or words
        return found

    def logarithms(self, space: Space) -> list[Expr]:
        """Integrals Σ λ_i log P_i + G beyond those found so far."""
        found: list[Expr] = []
        try:
            functions = darboux_functions(self.motion)
            found += self._new(logarithmic(self.motion, space, functions, Budget(self.effort)))
        except UnluckyError:
            return found
        except (EffortError, BudgetError, NotRealError):
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
        try:
            budget = Budget(2 * self.effort)
            return first_integrals(self.motion, self.space, self.known, special=special, budget=budget)
        except UnluckyError:
            self.cut = NO_POINT
        except (EffortError, BudgetError):
            self.cut = f"stopped at effort {written(self.effort)}; effort= raises it"
        return None

    def _lifted(self, found: Found, special: bool) -> list[Element | None]:
        return [self._lift(found, n, special) for n in range(len(found.vectors))]

    def _lift(self, found: Found, n: int, special: bool) -> Element | None:
        try:
            element = found.lifted(n, special=special, budget=Budget(self.effort))
        except (UnluckyError, EffortError, BudgetError, ZeroDivisionError):
            element = None
        if element is None and special:
            self.cut = "an integral was found whose coefficients are too long to be written exactly"
        return element

    def _is_new(self, element: Element, others: Sequence[Element]) -> bool:
        """Whether dF is independent of the others' at the model's values."""
        self.motion.meet([])
        for special in (True, False):  # constants such as √k may exist modulo p at other values only
            source: Points = self.motion.points(seed=5, special=special)
            try:
                stack = Differentials(self.motion, source.draw(), [*self.known, *others])
                return stack.grows(stack.of(element))
            except UnluckyError:
                continue
            except KeyError:
                return False
        return False


def proposals_in(motion: Motion, space: Space, known: Sequence[Expr], effort: int = EFFORT) -> list[Expr]:
    """New first integrals in a space that was made for another question, for the parameters of `motion`."""
    try:
        return [shaped(motion, e) for e in _ProposalSearch(motion, space, known, effort).run()]
    except (BudgetError, EffortError, NotRealError, UnluckyError):
        return []
