"""`ch.equilibria` and `ch.relative_equilibria`: all states of rest, and steady motions (SCOPE M3, M6, B12).

>>> import chetaev as ch
>>> hoop = ch.System(
...     coordinates=["theta"],
...     lagrangian="m*R^2*(theta'^2 + Omega^2*sin(theta)^2)/2 + m*g*R*cos(theta)",
...     parameters={"m": 1, "R": 1, "g": 10, "Omega": 4},
... )
>>> found = ch.equilibria(hoop)
>>> [(e.where, e.stable) for e in found]
[('theta = pi', False), ('theta = -acos(g/(Omega^2*R))', True), ('theta = 0', False), \
('theta = acos(g/(Omega^2*R))', True)]
>>> found.complete
True
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from chetaev.analysis.linear.residual import NoLinearizationError, Residual
from chetaev.analysis.steady.completeness import InBox, RealZeros
from chetaev.analysis.steady.equilibrium import Equilibria, Equilibrium
from chetaev.analysis.steady.follow import followed
from chetaev.analysis.steady.in_box import Ranges, angles, solutions_in_box, vanish_at
from chetaev.analysis.steady.members import member
from chetaev.analysis.steady.real_solutions import (
    Solutions,
    Value,
    have_kinks,
    real_solutions,
)
from chetaev.analysis.steady.rest import Rest
from chetaev.checked_arguments import number, shown, table
from chetaev.effort import EFFORT, expect_effort
from chetaev.equations.law.first_order_motion import first_order_motion
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Element, Field, GivenUp, answer, ask
from chetaev.expr.graph.node import ZERO, Expr, symbol, symbols
from chetaev.expr.graph.node import number as graph_number
from chetaev.laws.standpoint import standpoints
from chetaev.model.system import System, expect_system

Name = tuple[str, int]
RANGE = 5.0
"""Where coordinates that are no angles are searched, if nothing else is said."""


def equilibria(
    system: System, box: Mapping[str, tuple[float, float]] | None = None, *, effort: int = EFFORT
) -> Equilibria:
    """All equilibria of a system, with their stability.

    Parameters
    ----------
    system
        A system that does not depend on time.
    box
        Where to look, by coordinate, if the equations are no polynomials in coordinates, sines and cosines:
        ``{"x": (-2, 2)}``; left out, angles between −π and π and others between −5 and 5.
    effort
        What each exact question may cost (:mod:`chetaev.effort`).

    Returns
    -------
    Equilibria
        A list of :class:`Equilibrium` with ``.complete`` and ``.searched``.
    """
    expect_system(system, "ch.equilibria")
    system = first_order_motion(system)
    effort = expect_effort(effort)
    ranges = _box(system, table(box, "the box", "ranges by coordinate, such as {'x': (-2, 2)}"))
    expect_autonomous(system)
    rest = Rest(system)
    views = standpoints(system)
    unknowns = [(c, 0) for c in system.coordinates]
    field, free_field = Field(Budget.of(effort)), Field(Budget.of(effort))

    def solved() -> tuple[list[Solutions], list[Element], list[Name]]:
        formed, more = rest.equations(field, views[-1])
        return real_solutions(field, formed, [*unknowns, *more]), formed, more

    exactly = ask(solved)
    in_box: InBox | None = None
    functions: list[Element] = []
    general: list[Element] | None = None
    if isinstance(exactly, GivenUp):
        branches, in_box = _searched(rest, ranges, exactly.reason, effort)
    else:
        branches, functions, multipliers = exactly
        formed = answer(ask(rest.equations, free_field, views[0]))
        general = None if formed is None or formed[1] else formed[0]
    found, singular, given_up = [], 0, 0
    for branch in branches:
        for solution in branch.found:
            solution = {k: x for k, x in solution.items() if k in unknowns}
            free = [u for u in branch.free if u in unknowns]
            values, exact = completed(system, solution)
            cut = [u for u in branch.sliced if u in unknowns]
            state = None
            if in_box is not None:
                state = exact if len(exact) == len(values) and _always(rest, solution, effort) else None
            elif general is not None:
                state = _follow(system, free_field, general, solution, values, exact, cut)
            if state is None and cut and in_box is None and not multipliers:
                state = _follow(system, field, functions, solution, values, exact, cut)
            cyclic = [n for n, _ in free if (n, 0) not in branch.sliced]
            here, elsewhere = (
                partial(member, system, *at, free, cyclic, state, effort, cut=cut, sure=in_box is not None)
                for at in ((values, exact), completed(system, solution, elsewhere=True))
            )
            one = first_regular((here, elsewhere))
            if isinstance(one, Equilibrium):
                same = one.linearization and set(one.free) <= set(one.linearization.relative_to)
                found.append(one if same else typical(one, first_regular((elsewhere,))))
            singular += one is None
            given_up += isinstance(one, GivenUp)
    seen = in_box or RealZeros(
        found=len(found),
        cut=tuple(sorted({n + "'" * order for b in branches for n, order in b.sliced})),
        singular_members=any(e.singular for e in found),
        kinks=have_kinks(field, functions, unknowns),
    )
    counted = replace(seen, singular=singular, given_up=given_up, held=rest.jumps, stops=bool(system.stops))
    return Equilibria(found, counted)


def first_regular(members: Iterable[Callable[[], Equilibrium]]) -> Equilibrium | GivenUp | None:
    """The first member of a family at which the motion has a linearisation; None where all are singular."""
    found: GivenUp | None = None
    for made in members:
        try:
            one = ask(made)
        except NoLinearizationError:
            continue
        if not isinstance(one, GivenUp):
            return one
        found = one
    return found


def typical(one: Equilibrium, other: Equilibrium | GivenUp | None) -> Equilibrium:
    """Of two members of a family the general one, without zeros that belong to the other alone: what holds at
    an exceptional member, which is named, need not hold anywhere else.
    """
    if not isinstance(other, Equilibrium):
        return one
    zeros = [int((e.eigenvalues == 0).sum()) for e in (one, other)]
    if zeros[1] >= zeros[0]:
        return one
    where = ", ".join(f"{n} = {one.state[n]:g}" for n in one.free if n in one.state)
    word = {True: "stable", False: "unstable", None: "undecided"}[one.stable]
    apart = "" if one.stable is other.stable else f"; exceptional is {where}, which is {word}"
    return replace(other, reason=other.reason + apart)


def expect_autonomous(system: System) -> None:
    """A ModelError where time occurs in law or constraints."""
    if not Residual(system).autonomous:
        raise ModelError(
            f"law or constraints depend on {system.time}: a state at rest now need not be one a moment later",
            expected="a system that does not depend on time",
            remedy="write it in coordinates in which time does not occur, such as those of a turning frame; "
            "ch.linearize(system, at=…) looks at one time",
        )


def completed(
    system: System, solution: Mapping[Name, Value], elsewhere: bool = False
) -> tuple[dict[Name, float], dict[Name, Expr]]:
    """All values at rest, and those that are exact; free coordinates have the model's values, or 0; or
    elsewhere, where those are singular: 1/2, 1/3, ….
    """
    values: dict[Name, float] = {}
    exact: dict[Name, Expr] = {}
    start = system.state.position if system.initial is not None else {}
    for i, c in enumerate(system.coordinates):
        if (c, 0) in solution:
            values[c, 0] = solution[c, 0].double
            e = solution[c, 0].place
            if e is not None:
                exact[c, 0] = e
        elif elsewhere:
            exact[c, 0], values[c, 0] = graph_number(Fraction(1, i + 2)), 1 / (i + 2)
        else:
            values[c, 0] = float(start.get(c, 0.0))
            if values[c, 0] == 0:
                exact[c, 0] = ZERO
    for c in system.coordinates:
        values[c, 1] = 0.0
        exact[c, 1] = ZERO
    return values, exact


def _follow(
    system: System, field: Field, general: Sequence[Any], solution: Mapping[Name, Value],
    values: Mapping[Name, float], exact: Mapping[Name, Expr], cut: Sequence[Name],
) -> dict[Name, Expr] | None:  # fmt: skip
    """The state as functions of the parameters, of the coordinates at which a family was cut, and of those
    that are free for the model's parameters alone.
    """
    known = {k: x.exact for k, x in solution.items() if x.exact is not None and k not in cut}
    doubles = {k: x.double for k, x in solution.items() if k not in cut}
    at: dict[Any, float] = {**system.parameter_values, **values}
    found = answer(ask(followed, field, general, known, doubles, at))
    if found is None:
        return None
    return {**{k: e for k, e in exact.items() if k not in solution}, **found, **{k: symbol(*k) for k in cut}}


def _box(system: System, given: Mapping[Any, Any]) -> dict[Name, tuple[float, float]]:
    found: dict[Name, tuple[float, float]] = {}
    for name, ends in given.items():
        if name not in system.coordinates:
            words = f"the box has {shown(name)}, which is no coordinate"
            raise ModelError.unknown(words, name, system.coordinates)
        if not isinstance(ends, Iterable) or isinstance(ends, str) or len(pair := list(ends)) != 2:
            raise ModelError(f"the range of {name} is {shown(ends)}", expected="two numbers, such as (-2, 2)")
        low, high = (number(x, f"an end of the range of {name}", -1e6, 1e6) for x in pair)
        if not low < high:
            raise ModelError(f"the range of {name} is {shown(ends)}", expected="the smaller number first")
        found[name, 0] = (low, high)
    return found


def _searched(rest: Rest, box: Ranges, why: str, effort: int) -> tuple[list[Solutions], InBox]:
    """By a certified search in the box: angles anywhere, other coordinates as far as `RANGE`."""
    rows, unknowns = rest.functions(standpoints(rest.system)[-1])
    functions, turning = _simplified(rows, rest.multipliers, effort), angles(rows)
    positions = [u for u in unknowns if u[0] in rest.system.coordinates]
    ranges: dict[Name, tuple[float, float]] = {}
    for u in unknowns:
        wide = (-math.pi - 0.01, math.pi + 0.01) if u in turning else (-RANGE, RANGE)
        ranges[u] = box.get(u, wide if u in positions else (-1e3, 1e3))
    eliminated = [u for u in unknowns if u not in positions and all(u not in symbols(e) for e in functions)]
    unknowns = [u for u in unknowns if u not in eliminated]
    return solutions_in_box(functions, unknowns, ranges, why, effort, positions)


def _simplified(functions: Sequence[Expr], multipliers: Sequence[str], effort: int) -> list[Expr]:
    """The functions in normal form, with multipliers that one of them gives put into the others."""
    field = Field(Budget.of(effort))

    def simplified() -> list[Expr]:
        rows = [field(e) for e in functions]
        for name in multipliers:
            for i, e in enumerate(rows):
                slope = e.diff((name, 0)).as_fraction()
                if slope:
                    value = -e.subs({(name, 0): field.zero}) / slope
                    rows = [x.subs({(name, 0): value}) for j, x in enumerate(rows) if j != i]
                    break
        return [e.to_expr() for e in rows]

    return answer(ask(simplified)) or list(functions)


def _always(rest: Rest, solution: Mapping[Name, Value], effort: int) -> bool:
    """Whether plain numbers are an equilibrium for every value of the parameters."""
    at = {symbol(*k): x.exact for k, x in solution.items() if x.exact is not None}
    functions = standpoints(rest.system)[0].apply([*rest.load, *rest.held])
    return not rest.count and vanish_at(functions, at, effort)
