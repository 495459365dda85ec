"""Solutions in a box, where equations are no polynomials in unknowns, sines and cosines.

A certified search (:mod:`.search`) finds them, for each way in which factors of the equations vanish. Where
there are fewer equations than unknowns the solutions are families, which are cut at one value of some of
them, those that the others depend on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, islice, product
from math import prod

import numpy as np
from flint import arb

from chetaev.analysis.steady.completeness import InBox
from chetaev.analysis.steady.real_solutions import Solutions, Value, once
from chetaev.analysis.steady.search import EnclosedNumber, ZeroOfFunctions, search
from chetaev.effort import EFFORT
from chetaev.expr.exact import Budget, Field, GivenUp, answer, ask
from chetaev.expr.exact.numbers.balls import BallProgram
from chetaev.expr.graph.node import ZERO, Expr, constant, number, postorder, substitute, symbol, symbols
from chetaev.numeric import numerical_rank

Name = tuple[str, int]
Ranges = Mapping[Name, tuple[float, float]]
MOST_BRANCHES = 8
"""Choices of factors that are searched one by one."""
CUTS = (Fraction(1, 3), Fraction(-1, 20), Fraction(0), Fraction(7, 2))
"""Values at which families are cut, one after the other until there are members."""
SAME = 1e-7
"""Zeros that are nearer to each other are one."""
MOST_CUTS = 8
TRIED = 3
"""Points in the box at which the equations are asked which unknowns depend on which."""


def solutions_in_box(
    functions: Sequence[Expr], unknowns: Sequence[Name], ranges: Ranges, why: str, effort: int,
    cuttable: Sequence[Name] = (),
) -> tuple[list[Solutions], InBox]:  # fmt: skip
    """All solutions that the search finds in the box, and what it has seen; no members are looked for of
    families, unless they may be cut at the unknowns in `cuttable`.
    """
    rows = [e for e in functions if e is not ZERO]
    occurring = {s for e in rows for s in symbols(e)}
    free = [u for u in unknowns if u not in occurring]
    looked = [u for u in unknowns if u in occurring]
    beyond = max(0, len(looked) - len(rows))
    cuts = _cuts(rows, looked, cuttable, ranges, beyond)
    found: list[dict[Name, Value]] = []
    cut: tuple[Name, ...] = tuple(looked[len(looked) - beyond :])
    box: Ranges = {u: ranges[u] for u in looked}
    undecided = 0
    for value, cut in islice(product(CUTS if beyond else CUTS[:1], cuts), MOST_CUTS):
        box = {u: ranges[u] for u in looked if u not in cut}
        at = {u: Value(float(value), number(value)) for u in cut}
        found, undecided = _zeros(
            substitute(rows, {symbol(*u): number(value) for u in cut}), box, effort, not cut
        )
        found = [zero | at for zero in found]
        if found:
            break
    named = tuple(n + "'" * order for n, order in cut)
    seen = InBox(box=box, undecided=undecided, why=why, cut=named)
    return [Solutions(found, (*free, *cut), cut)] if found or cut else [], seen


def _zeros(
    rows: Sequence[Expr], box: Ranges, effort: int, isolated: bool
) -> tuple[list[dict[Name, Value]], int]:
    """Different zeros, angles up to whole turns, and how many small boxes stayed undecided. Where families
    were cut, those alone whose slopes are seen to be regular, so that the others follow what was cut.
    """
    found: list[dict[Name, Value]] = []
    undecided, turning = 0, angles(rows)
    for functions in _branches(rows, effort):
        seen = search(functions, list(box), box)
        undecided += seen.undecided
        certain = [recognised(functions, z, effort) for z in seen.zeros]
        doubtful = [recognised(functions, z, effort) for z in seen.doubtful] if isolated else []
        exactly = [z for z in doubtful if all(x.exact for x in z.values())]
        for zero in (*certain, *exactly):
            if not any(_same(zero, other, turning) for other in found):
                found.append(zero)
    return found, undecided


def _cuts(
    rows: Sequence[Expr], looked: Sequence[Name], cuttable: Sequence[Name], ranges: Ranges, beyond: int
) -> list[tuple[Name, ...]]:
    """So many unknowns of which the others may be functions, the last ones first."""
    if not beyond:
        return [()]
    choices = combinations([u for u in reversed(looked) if u in cuttable], beyond)
    return [c for c in choices if _rank(rows, [u for u in looked if u not in c], looked, ranges)]


def _rank(rows: Sequence[Expr], kept: Sequence[Name], looked: Sequence[Name], ranges: Ranges) -> bool:
    """Whether the slopes by some unknowns are seen to have the rank that all have, at a point of the box."""
    program = BallProgram(list(rows))
    for k in range(1, TRIED + 1):
        at = {
            u: arb(low + (high - low) * math.modf(math.sqrt(2 + 3 * i) * k)[0])
            for i, (u, (low, high)) in enumerate((u, ranges[u]) for u in looked)
        }
        found = ask(program.gradients, at, looked)
        if isinstance(found, GivenUp):
            continue
        slopes = np.array([[float(x.mid()) for x in row] for row in found[1]])
        own = slopes[:, [looked.index(u) for u in kept]]
        if np.isfinite(slopes).all() and numerical_rank(own) == numerical_rank(slopes):
            return True
    return False


def _branches(functions: Sequence[Expr], effort: int) -> list[list[Expr]]:
    """The equations with each choice of their factors in their place: multiple zeros become simple."""
    field = Field(Budget.of(effort))

    def factored(e: Expr) -> list[Expr]:
        return [f.to_expr() for f in once(field(e))]

    parts = [answer(ask(factored, e)) or [e] for e in functions]
    if prod(map(len, parts)) > MOST_BRANCHES:
        return [list(functions)]
    return [list(choice) for choice in product(*parts)]


def angles(functions: Sequence[Expr]) -> set[Name]:
    """Unknowns of which only sines, cosines and tangents of whole multiples occur: a turn changes nothing.

    >>> from chetaev.expr.graph.node import call
    >>> a, b = symbol("a"), symbol("b")
    >>> [sorted(angles([e])) for e in (call("sin", 2 * a) + b, call("cos", a / 2), call("sin", a) + a)]
    [[('a', 0)], [], []]
    """
    counted: dict[Expr, set[Name]] = {}
    for n in postorder(*functions):
        if n.op in ("sin", "cos", "tan"):
            counted[n] = {s for s in symbols(n) if not _whole(n, s)}
        elif n.op == "symbol":
            counted[n] = set(symbols(n))
        else:
            counted[n] = {s for part in n.args for s in counted[part]}
    outside = {s for e in functions for s in counted[e]}
    return {s for e in functions for s in symbols(e)} - outside


def _whole(turned: Expr, name: Name) -> bool:
    """Whether the argument grows by a whole multiple of 2π when a coordinate makes a turn."""
    field = Field(Budget.of(EFFORT))
    rate = answer(ask(lambda: field(turned.args[0]).diff(name).as_fraction()))
    return rate is not None and rate.denominator == 1


def recognised(functions: Sequence[Expr], zero: Mapping[Name, float], effort: int) -> dict[Name, Value]:
    """A zero that was found by a search: with plain numbers, if the functions vanish exactly there."""
    plain = {k: Fraction(x).limit_denominator(1000) for k, x in zero.items()}
    enclosed = ZeroOfFunctions(BallProgram(functions), zero)
    values = {
        k: Value(x, None, constant(EnclosedNumber(enclosed, i))) for i, (k, x) in enumerate(zero.items())
    }
    if any(abs(float(plain[k]) - x) > 1e-12 * max(1.0, abs(x)) for k, x in zero.items()):
        return values
    at = {symbol(*k): number(x) for k, x in plain.items()}
    if not vanish_at(functions, at, effort):
        return values
    return {k: Value(float(x), number(x)) for k, x in plain.items()}


def vanish_at(functions: Sequence[Expr], at: Mapping[Expr, Expr], effort: int) -> bool:
    """Whether functions are seen to vanish exactly at values."""
    field = Field(Budget.of(effort))
    found = ask(lambda: all(field(e).is_zero is True for e in substitute(functions, dict(at))))
    return answer(found) is True


def _same(a: Mapping[Name, Value], b: Mapping[Name, Value], turning: set[Name]) -> bool:
    """Whether two zeros are one, angles up to whole turns."""
    gaps = {name: abs(x.double - b[name].double) for name, x in a.items()}
    return all(
        (math.remainder(x, 2 * math.pi) if n in turning else x) ** 2 < SAME**2 for n, x in gaps.items()
    )
