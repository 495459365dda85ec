"""Steady motions along generators that are no translations: q moves with Σ c_i ξ_i (SCOPE M3, M6).

At a relative equilibrium v = Σ c_i ξ_i(q) with constant c_i, and so a = (∂v/∂q) v along the orbit of the
group. What is left are equations for q and the c_i: M a + h − F in the span of the rows of C, and f = 0,
φ = 0, C a + c' = 0. The orbit itself is a family of solutions, of which one member is looked for, at a
section: coordinates that are 0, or what `given` says. Velocities that are given are further equations.

>>> import chetaev as ch
>>> kepler = ch.System(
...     coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 + k/sqrt(x^2 + y^2)", parameters={"k": 1}
... )
>>> turn = {"x": "-y", "y": "x"}
>>> found = ch.relative_equilibria(kepler, [turn], given={"x": 1, "y": 0})
>>> [(e.where, e.stable) for e in found]
[('x = 1, y = 0, y_dot = -sqrt(k)', True), ('x = 1, y = 0, y_dot = sqrt(k)', True)]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from chetaev.analysis.linear.exact_slopes import ExactSlopes
from chetaev.analysis.linear.linearize import linearized
from chetaev.analysis.linear.quotient import exact_frame
from chetaev.analysis.linear.redundant_rows import kept_rows
from chetaev.analysis.linear.steady_directions import Moving
from chetaev.analysis.steady.completeness import InBox, RealZeros
from chetaev.analysis.steady.equilibria import first_regular
from chetaev.analysis.steady.equilibrium import Equilibria, Equilibrium
from chetaev.analysis.steady.follow import continues, followed
from chetaev.analysis.steady.in_box import solutions_in_box
from chetaev.analysis.steady.members import criteria_of, judged_or_open, placed
from chetaev.analysis.steady.real_solutions import (
    Solutions,
    Value,
    have_kinks,
    real_solutions,
)
from chetaev.analysis.steady.rest import in_span
from chetaev.analysis.steady.section_of_orbits import section_of_orbits
from chetaev.equations.law.setup import Setup, fresh_names
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Element, Field, GivenUp, answer, ask
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.graph.evaluate import evaluate, key_name
from chetaev.expr.graph.node import ONE, ZERO, Expr, number, substitute, symbol, symbols
from chetaev.expr.language.parser import parse
from chetaev.laws.standpoint import Standpoint, standpoints
from chetaev.model.reading.expression_values import exact_number, graph_of
from chetaev.model.system import System
from chetaev.model.system_arguments import as_list
from chetaev.numeric import least_squares

Name = tuple[str, int]


class Turning:
    """The equations of motions along generators, in the coordinates and the speeds along them."""

    def __init__(self, system: System, moving: Moving) -> None:
        s = Setup(system)
        rows = kept_rows(system, s.k)
        M, h = s.inertia
        parts = (M, h - s.F, s.rows.C[rows, :], s.rows.c[rows], s.f, s.phi)
        self.M, self.load, self.C, self.c, self.f, self.phi = s.matrices(*parts)
        self.system, self.moving = system, moving
        self.multipliers = [(m, 0) for m in fresh_names(system, len(rows))]
        self.rates = [(n, 0) for n in moving.rates]

    def motion(self, field: Field, view: Standpoint) -> tuple[list[Element], list[Element]]:
        """v and a along the orbit."""
        names = self.system.coordinates
        v = [field.zero] * len(names)
        for rate, one in zip(self.rates, self.moving.fields, strict=True):
            for i, e in enumerate(view.apply([e for _, e in one.along])):
                v[i] = v[i] + field.symbol(*rate) * field(e)
        a = [
            sum((x.diff((c, 0)) * rate_of for c, rate_of in zip(names, v, strict=True)), field.zero)
            for x in v
        ]
        return v, a

    def equations(
        self, field: Field, view: Standpoint, known: Mapping[Name, Expr], square: bool = False
    ) -> tuple[list[Element], list[Name]]:
        """What vanishes, and the multipliers among the unknowns.

        `square`: by a basis of ker C, with its poles: as many functions as unknowns where zeros are isolated.
        """
        v, a = self.motion(field, view)
        moved = {(c, 1): e for c, e in zip(self.system.coordinates, v, strict=True)}
        here = {k: field(e) for k, e in known.items()}

        def on_orbit(table: list[list[Expr]]) -> list[list[Element]]:
            return [[field(e).subs(moved) for e in view.apply(row)] for row in table]

        M, load, C, c = (on_orbit(x) for x in (self.M, self.load, self.C, self.c))
        force = [linear.dot(row, a) + load[i][0] for i, row in enumerate(M)]
        held = [row[0] for row in (*on_orbit(self.f), *on_orbit(self.phi))]
        held += [moved[k] - e for k, e in here.items() if k in moved]
        used: list[Name] = []
        if square:
            functions = [linear.dot(w, force) for w in linear.nullspace(C)] if C else force
        else:
            held += [linear.dot(row, a) + c[i][0] for i, row in enumerate(C)]
            functions, used = in_span(field, force, C, self.multipliers)
        every = [e.subs(here) for e in (*functions, *held)]
        return [e for e in every if not e.is_zero], used


def along_group(
    system: System, moving: Moving, given: Mapping[Any, Any], free: Any, effort: int
) -> tuple[Equilibria | None, list[Name], list[Name]]:
    """The steady motions; or None, with the unknowns and those in which they form a larger family."""
    turning, views = Turning(system, moving), standpoints(system)
    family = _family(system, moving, free)
    known = _given(system, moving, given)
    section = section_of_orbits(system, moving.fields, known | family)
    at_section = () if section is None else section.coordinates
    known |= {(c, 0): ZERO for c in at_section}
    twice = next((k[0] for k in family if k in known), None)
    if twice is not None:
        raise ModelError(f"{twice} is given and free", expected="one of the two")
    fixed = {k: views[-1].apply([e])[0] for k, e in known.items()} | family
    unknowns = [(c, 0) for c in (*system.coordinates, *moving.rates) if (c, 0) not in fixed]
    field, kinks = Field(Budget.of(effort)), False
    in_box: InBox | None = None

    def solved() -> tuple[list[Solutions], bool]:
        functions, multipliers = turning.equations(field, views[-1], fixed)
        found = real_solutions(field, functions, [*unknowns, *multipliers])
        return found, have_kinks(field, functions, unknowns)

    exactly = ask(solved)
    if isinstance(exactly, GivenUp):
        branches, in_box = _searched(turning, fixed, unknowns, exactly.reason, effort)
    else:
        branches, kinks = exactly
    unknowns = [u for u in unknowns if u not in turning.multipliers]
    sliced = [u for u in unknowns if any(u in b.sliced for b in branches)]
    if sliced:
        branches = [b for b in branches if not b.sliced and b.found]
        if not branches:
            return None, unknowns, sliced
    general_field = Field(Budget.of(effort))
    general, _ = answer(ask(turning.equations, general_field, views[0], known)) or ([], [])
    found: list[Equilibrium] = []
    singular = given_up = 0
    for branch in branches:
        for solution in branch.found:
            kept = {k: x for k, x in solution.items() if k in unknowns}
            idle = tuple(k for k in branch.free if k in unknowns)
            parts = (turning, fixed, family, known, kept, idle, (general_field, general), effort)
            one = first_regular((partial(_member, *parts),))
            found += [one] if isinstance(one, Equilibrium) else []
            singular += one is None
            given_up += isinstance(one, GivenUp)
    seen = in_box or RealZeros(
        found=len(found),
        along=tuple(map(str, moving.fields)),
        at=tuple((n, e) for (n, _), e in family.items()),
        section=at_section,
        independent=section is None or section.everywhere or not at_section,
        left_out=tuple(n for n, _ in sliced),
        kinks=kinks,
    )
    counted = replace(seen, singular=singular, given_up=given_up, stops=bool(system.stops))
    return Equilibria(found, counted), unknowns, []


def _searched(
    turning: Turning, fixed: Mapping[Name, Expr], unknowns: list[Name], why: str, effort: int
) -> tuple[list[Solutions], InBox]:
    """By a certified search."""
    view = standpoints(turning.system)[-1]
    functions, more = turning.equations(Field(Budget.of(effort)), view, fixed, square=True)
    places = turning.system.coordinates
    every = [*unknowns, *more]
    ranges = {u: (-5.0, 5.0) if u[0] in places else (-100.0, 100.0) for u in every}
    return solutions_in_box([e.to_expr() for e in functions], every, ranges, why, effort)


def _member(
    turning: Turning, fixed: Mapping[Name, Expr], family: Mapping[Name, Expr], known: Mapping[Name, Expr],
    solution: Mapping[Name, Value], idle: tuple[Name, ...], general: tuple[Field, list[Element]], effort: int,
) -> Equilibrium:  # fmt: skip
    system, names = turning.system, turning.system.coordinates
    view = standpoints(system)[-1]
    exact = {k: x.place if x.place is not None else plain_number(x.double) for k, x in solution.items()}
    exact |= {k: _own(turning, k) for k in idle} | dict(fixed)
    orbit = Field(Budget.of(effort))
    v, _ = turning.motion(orbit, view)
    at = {symbol(*k): e for k, e in exact.items()}
    speeds = substitute([e.to_expr() for e in v], at)
    state: dict[str, Any] = {c: exact[c, 0] for c in names}
    state |= {key_name(c, 1): e for c, e in zip(names, speeds, strict=True)}
    here = placed(system, state, effort)
    fields = [dict(one.by_name) for one in turning.moving.fields]
    near = linearized(here, relative_to=fields, effort=effort)
    judged = {**family, **{k: exact[k] for k in idle}}
    shown = _followed(turning, general, known, judged, solution) if general[1] else None
    sure = family if shown is not None or _continues(turning, known, family, solution, effort) else {}
    independent = len(near.states) + len(fields) == len(near.chart.places)
    speeds_free = sum(k in turning.rates for k in (*sure, *idle)) if independent else 0
    stable, reason, _ = judged_or_open(here, near, near.chart, speeds_free, effort, turning.moving.fields)
    if judged:
        reason += f" (at {', '.join(f'{symbol(*k)} = {e}' for k, e in judged.items())})"

    def rows(field: Field, view: Standpoint) -> list[list[Element]]:
        place = {(c, k): (shown or {})[key_name(c, k)] for k in (0, 1) for c in names}
        place[system.time, 0] = ZERO
        every = near.chart.names(names)
        kept = [i for i, n in enumerate(every) if n in near.states]
        out = [i for i, n in enumerate(every) if n not in near.states]
        point = ExactSlopes(here).at(field, view, place)
        return exact_frame(point, view, place, turning.moving.fields, near.chart, kept, out)[0]

    limits, factors = criteria_of(system, shown, effort, rows)
    plain = {k: e for k, e in state.items() if all(x.exact is not None for x in solution.values())}
    numbers = {n: float(evaluate([e], {})[0]) for n, e in state.items()}
    moves = any(numbers[key_name(c, 1)] for c in names)
    return Equilibrium(
        "relative equilibrium" if moves else "equilibrium", numbers, shown or plain,
        tuple(n for n, _ in (*sure, *idle)), stable, reason, near, limits, factors,
    )  # fmt: skip


def _continues(
    turning: Turning, known: Mapping[Name, Expr], family: Mapping[Name, Expr],
    solution: Mapping[Name, Value], effort: int,
) -> bool:  # fmt: skip
    """Whether there are steady motions at all values near those of the family."""
    view, field = standpoints(turning.system)[-1], Field(Budget.of(effort))
    formed = ask(turning.equations, field, view, {k: view.apply([e])[0] for k, e in known.items()})
    if isinstance(formed, GivenUp):
        return False
    functions, more = formed
    values = {k: float(evaluate([e], {})[0]) for k, e in family.items()}
    return not more and continues(functions, {k: x.double for k, x in solution.items()}, values)


def _own(turning: Turning, name: Name) -> Expr:
    """The value of an unknown nothing binds: the model's own, else 1 for a speed, 1/2 for a position."""
    system = turning.system
    if system.initial is None:
        return ONE if name in turning.rates else plain_number(0.5)
    state = system.state
    if name not in turning.rates:
        return plain_number(state.position[name[0]] or 0.5)
    fields = [one.along for one in turning.moving.fields]
    values: dict[Any, float] = {**system.parameter_values, **{(c, 0): x for c, x in state.position.items()}}
    columns = np.array([evaluate([e for _, e in along], values) for along in fields], dtype=float).T
    rates = least_squares(columns, np.array([state.velocity[c] for c in system.coordinates]))
    own = float(rates[turning.rates.index(name)])
    return plain_number(round(own, 12)) if abs(own) > 1e-9 else ONE


def _followed(
    turning: Turning, general: tuple[Field, list[Element]], known: Mapping[Name, Expr],
    family: Mapping[Name, Expr], solution: Mapping[Name, Value],
) -> dict[str, Expr] | None:  # fmt: skip
    """The state as functions of the parameters and of what is free."""
    system, names = turning.system, turning.system.coordinates
    exact = {k: x.exact for k, x in solution.items() if x.exact is not None}
    doubles = {k: x.double for k, x in solution.items()}
    values: dict[Any, float] = {k: float(evaluate([e], {})[0]) for k, e in family.items()}
    field, equations = general

    def state_of() -> dict[str, Expr] | None:
        found = followed(field, equations, exact, doubles, {**system.parameter_values, **values})
        if found is None:
            return None
        view = standpoints(system)[0]
        state = {k: view.apply([e])[0] for k, e in known.items()} | found | {k: symbol(*k) for k in family}
        at = {k: field(e) for k, e in state.items()}
        v, _ = turning.motion(field, view)
        speeds = {key_name(c, 1): e.subs(at).to_expr() for c, e in zip(names, v, strict=True)}
        return {c: state[c, 0] for c in names} | speeds

    return answer(ask(state_of))


def plain_number(x: float) -> Expr:
    """A double as the exact number that is written so."""
    value = exact_number(x)
    assert value is not None
    return number(value)


def _expect(system: System, moving: Moving, name: Any, what: str) -> Name:
    names = (*system.coordinates, *moving.rates)
    if name not in names:
        words = f"{what} has {name!r}, which is neither a coordinate nor a speed along a generator"
        raise ModelError.unknown(words, name, names)
    return name, 0


def _family(system: System, moving: Moving, free: Any) -> dict[Name, Expr]:
    """Symbols of a family, each with the value of the member that is judged: the model's, if it is not 0."""
    found: dict[Name, Expr] = {}
    start = system.state.position if system.initial is not None else {}
    for name in [free] if isinstance(free, str) else as_list(free, "free"):
        own = start.get(name, 0.0) if isinstance(name, str) else 0.0
        key = _expect(system, moving, name, "free")
        found[key] = plain_number(own) if own else (plain_number(0.5) if name in system.coordinates else ONE)
    return found


def _given(system: System, moving: Moving, given: Mapping[Any, Any]) -> dict[Name, Expr]:
    found: dict[Name, Expr] = {}
    still = [c for c in system.coordinates if all(c not in one.by_name for one in moving.fields)]
    for name, value in given.items():
        bare = name.removesuffix("_dot").rstrip("'") if isinstance(name, str) else name
        if bare != name and bare in still:
            raise ModelError(
                f"the velocity of {bare} is given, and {bare} is not moved by the symmetries",
                expected="velocities of " + ", ".join(c for c in system.coordinates if c not in still),
            )
        key = _expect(system, moving, bare, "given")
        if bare != name:
            key = key[0], 1
        e = parse(value, system.scope) if isinstance(value, str) else graph_of(value, system.scope)
        wrong = next((n for n, _ in symbols(e) if n not in system.parameters), None)
        if wrong is not None:
            raise ModelError(f"the value of {name} contains {wrong}", expected="numbers and parameters")
        found[key] = e
    return found
