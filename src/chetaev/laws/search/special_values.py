"""Special values of a parameter at which there are more first integrals, from where a rank drops (SCOPE K22).

A determinant proposes values modulo a prime (:mod:`chetaev.laws.search.rank_drop`), the rank is counted at
each of them, and what has a short rational number or a short quadratic equation is kept: a theory that
proposes. Relations between several parameters: :mod:`chetaev.laws.search.relations`.

>>> import chetaev as ch
>>> henon_heiles = ch.System(
...     coordinates=["x", "y"],
...     parameters={"eps": 0},
...     lagrangian="(x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y - eps*y^3/3",
... )
>>> [str(root) for root in special_values(henon_heiles, "eps").roots]
['1', '6']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any

from flint import fmpz_mat, nmod_poly

from chetaev.effort import written
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, GivenUp, answer, ask
from chetaev.expr.graph.node import Expr, call, neg, number, symbol, symbols
from chetaev.laws.search.function_space import Space
from chetaev.laws.search.further_spaces import further
from chetaev.laws.search.motion_modulo_prime import Motion
from chetaev.laws.search.primes import fraction
from chetaev.laws.search.proposals import lasting, proposals_in
from chetaev.laws.search.rank_drop import RankDrop
from chetaev.laws.search.suited_space import suited
from chetaev.laws.standpoint import standpoints
from chetaev.model.system import System
from chetaev.results import PlainData

LIMIT = 240
"""Members of the space for one parameter."""
FEW = 110
"""Members of the space for several."""
EFFORT = 2_000_000


@dataclass(frozen=True)
class SpecialValues(PlainData):
    """Real values of a parameter at which a space has more first integrals than for generic ones.

    Attributes
    ----------
    name
        The parameter.
    roots
        Its special values: rational numbers and square roots, as expressions.
    generic
        How many integrals are independent for generic values.
    cut
        Why the search is not complete, in words.
    """

    name: str
    roots: tuple[Expr, ...] = ()
    generic: int = 0
    cut: str = ""

    facts = "name roots cut"

    def __str__(self) -> str:
        if self.cut and not self.roots:
            return f"special values of {self.name}: {self.cut}"
        words = f"{self.name} = {', '.join(map(str, self.roots))}" if self.roots else "no real one was found"
        words += f"; {self.cut}" if self.cut else ""
        return f"special values of {self.name} with more integrals, the other parameters as given: {words}"

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return super().to_json() | {"words": str(self)}


UNNAMED = "there may be others: algebraic numbers of a degree above 2, or long fractions, which are not named"
NO_POINTS = "no points of Q were found modulo a prime at which the motion is rational in"


def special_values(
    system: System,
    name: str,
    known: Sequence[Expr] = (),
    *,
    degree: int = 2,
    functions: Sequence[Expr] = (),
    effort: int = EFFORT,
) -> SpecialValues:
    """Where in one parameter there are more first integrals; the other parameters keep their values.

    `known` are integrals for every value of it, of which there are more elsewhere too.
    """
    budget = Budget(24 * effort)
    roots: list[Expr] = []
    unnamed: list[int] = []
    generic, cut = 0, ""

    def search() -> None:
        nonlocal generic
        loose = loosened(system, [name])
        motion = Motion(loose, standpoints(loose)[0], Budget.of(4 * effort))
        space, limit = space_for(motion, [name], degree, functions, effort, LIMIT)
        given = [motion.function(f) for f in functions]
        constant = lasting(motion, known)
        for each in chain([space], (more for _, more in further(motion, degree, given, limit))):
            drop = RankDrop(motion, each, [name], budget, constant)
            usual = drop.integrals(drop.anywhere())
            generic = max(generic, usual)
            named, others = _roots(drop, usual)
            roots.extend(named)
            unnamed.extend(others)

    try:
        if isinstance(stopped := ask(search), GivenUp):
            cut = stopped_because(stopped, f"{NO_POINTS} {name}", effort)
    except ModelError as error:
        cut = error.message
    if unnamed and not cut:
        cut = UNNAMED
    ordered = sorted(
        dict.fromkeys(roots), key=lambda e: (e.op != "number", e.value if e.op == "number" else 0, str(e))
    )
    return SpecialValues(name, tuple(ordered), generic, cut)


def stopped_because(given_up: GivenUp, without_points: str, effort: int) -> str:
    """Why a search has ended, in words: an :class:`UnluckyError` has none of its own."""
    return f"stopped at effort {written(effort)}; effort= raises it" if given_up.reason else without_points


def space_for(
    motion: Motion, names: Sequence[str], degree: int, functions: Sequence[Expr], effort: int, few: int
) -> tuple[Space, int]:
    """The space in which ranks are compared: smaller than that of a search, since it is searched often.

    Where the parameters stand in the constraints, velocities that depend on others by these are left out:
    their rates are of high degree in the parameters. And how many members it may have.
    """
    given = [motion.function(f) for f in functions]
    limit = max(30, min(600, int(few * (effort / EFFORT) ** 0.3)))
    space, searched = suited(motion, degree, given, limit, roots=False, rarely=False)
    if not {(n, 0) for n in names} & symbols(*motion.f):
        return space, limit
    names_of = motion.system.coordinates
    chosen = {symbol(names_of[i], 1) for i in Setup(motion.system).independent}
    first = len(searched.atoms)
    left_out = {first + i for i, v in enumerate(searched.velocities) if v not in chosen}
    return space.only([n for n, m in enumerate(space.members) if not left_out & {a for a, _ in m}]), limit


def integrals_in_space(
    system: System,
    known: Sequence[Expr],
    names: Sequence[str],
    degree: int,
    functions: Sequence[Expr],
    effort: int,
) -> list[Expr]:
    """The integrals of a system in the space in which ranks are compared, of one parameter or of several."""

    def proposed() -> list[Expr]:
        motion = Motion(system, standpoints(system)[0], Budget.of(8 * effort))
        space, _ = space_for(motion, names, degree, functions, effort, LIMIT if len(names) == 1 else FEW)
        return proposals_in(motion, space, known, effort)

    try:
        return answer(ask(proposed)) or []
    except ModelError:  # at these values the law is in no form that can be evaluated
        return []


def loosened(system: System, names: Sequence[str]) -> System:
    """The same system, these parameters no longer defined by others: they have their values as numbers."""
    replaced = dict(standpoints(system)[-1].replaced)
    tied = [n for n in names if system.parameters[n].op != "number"]
    return system.with_parameters({n: str(replaced[symbol(n)]) for n in tied}) if tied else system


def _roots(drop: RankDrop, generic: int) -> tuple[list[Expr], list[int]]:
    """The real values at which a space has more integrals than for generic ones; and residues of those that
    are neither short fractions nor of degree 2.
    """
    roots: list[Expr] = []
    unnamed: list[int] = []
    for root in residues_of(drop.zeros(lambda s: [s])):
        if drop.integrals([root]) > generic:
            value = fraction(root, drop.p)
            if value is not None and _short(value):
                roots.append(number(value))
            else:
                pairs = quadratic_of(root, drop.p)
                roots += [e for pair in pairs for e in _solved(pair)]
                unnamed += [] if pairs else [root]
    return roots, unnamed


def residues_of(poly: nmod_poly) -> list[int]:
    """The zeros of a polynomial modulo p."""
    if poly.degree() < 1:
        return []
    p = int(poly.modulus())
    linear = [f for f, _ in poly.factor()[1] if f.degree() == 1]
    return [-int(f[0]) * pow(int(f[1]), -1, p) % p for f in linear]


def quadratic_of(root: int, p: int) -> list[tuple[Fraction, ...]]:
    """The quadratic polynomial with short coefficients of which a residue is a root, if there is one."""
    lattice = fmpz_mat([[1, 0, 0, root * root % p], [0, 1, 0, root], [0, 0, 1, 1], [0, 0, 0, p]])
    scale = fmpz_mat([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 2**60]])
    best = (lattice * scale).lll().tolist()[0]
    a, b, c, zero = (int(x) for x in best)
    if zero or not a or max(map(abs, (a, b, c))) > 10**5:
        return []
    return [(Fraction(c, a), Fraction(b, a), Fraction(1))]


def _solved(quadratic: tuple[Fraction, ...]) -> list[Expr]:
    """The real roots of a quadratic polynomial, with square roots."""
    c, b, _ = quadratic
    disc = b * b / 4 - c
    if disc < 0:
        return []
    r = call("sqrt", number(disc))
    return [number(-b / 2) - r, number(-b / 2) + r] if b else [neg(r), r]


def _short(value: Fraction) -> bool:
    return abs(value.numerator) < 10**6 and value.denominator < 10**6
