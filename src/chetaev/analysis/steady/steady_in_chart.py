"""Steady motions in one chart: the equations, their real solutions, the members made of them (SCOPE M3, M6).

The independent velocities of cyclic coordinates are constant and all other coordinates rest. Which velocities
are independent is a matter of the chart, and a motion that is singular in one may be regular in another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any

from chetaev.analysis.linear.local_chart import LocalChart
from chetaev.analysis.linear.residual import NoLinearizationError, Residual, states_of_q
from chetaev.analysis.linear.state_matrices import Asked, decoupled
from chetaev.analysis.steady.along_group import plain_number
from chetaev.analysis.steady.completeness import ByDegree, InBox, RealZeros
from chetaev.analysis.steady.equilibria import first_regular, typical
from chetaev.analysis.steady.equilibrium import Equilibria, Equilibrium
from chetaev.analysis.steady.follow import continues, followed
from chetaev.analysis.steady.in_box import solutions_in_box
from chetaev.analysis.steady.members import member
from chetaev.analysis.steady.real_solutions import (
    Solutions,
    Value,
    have_kinks,
    real_solutions,
)
from chetaev.analysis.steady.rest import Steady
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Element, Field, GivenUp, answer, ask
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import ONE, ZERO, Expr, number, substitute, symbol
from chetaev.laws.standpoint import Standpoint, standpoints
from chetaev.model.system import System

Name = tuple[str, int]
MOST_OTHERS = 4
"""Charts that are tried for steady motions outside of the first."""


class LargerFamilyError(ModelError):
    """Steady motions form a family of `size` more dimensions in the `unknowns`."""

    unknowns: Sequence[str] = ()
    size: int = 0


def larger_family(unknowns: Sequence[Name], sliced: Sequence[Name]) -> LargerFamilyError:
    """The error that asks for more values, or for symbols in their place."""
    texts, first = [n + "'" * order for n, order in unknowns], sliced[0][0] + "'" * sliced[0][1]
    error = LargerFamilyError(
        f"the steady motions form a family of {len(sliced)} dimension{'' if len(sliced) == 1 else 's'} in "
        + ", ".join(texts),
        expected=f'{len(sliced)} more of them with given={{…}}, such as given={{"{first}": 1}}, or as '
        f'symbols with free=[…], such as free=["{first}"] (on the command line --given and --free)',
    )
    error.unknowns, error.size = texts, len(sliced)
    return error


@dataclass(frozen=True)
class SteadyQuestion:
    """What is asked, in every chart."""

    system: System
    cyclic: tuple[str, ...]
    family: Mapping[Name, Expr]
    known: Mapping[Name, Expr]
    fixed: Mapping[Name, Expr]
    views: Sequence[Standpoint]
    field: Field
    free_field: Field
    effort: int


def equations_in_charts(asked: SteadyQuestion) -> Iterator[tuple[Steady, list[Element], dict[Name, Element]]]:
    """The equations in charts that decouple and are regular where the values are given."""
    system, cyclic = asked.system, asked.cyclic
    residual = Residual(system)
    p = residual.model.default_values
    slopes = residual.at(*states_of_q(system, 1, seed=3)[0], p)
    why, count = "", 0
    for chart in decoupled(system, residual, Asked(cyclic, (), (), ()), slopes, p):
        steady = Steady(system, chart, cyclic)
        equations = ask(steady.equations, asked.field, asked.views[-1], asked.fixed)
        if isinstance(equations, GivenUp):
            why = why or equations.reason
            continue
        count += 1
        yield steady, *equations
    if count:
        return
    raise ModelError(
        f"the equations of steady motions are not formed: {why}",
        remedy="ch.linearize(system, at=…, relative_to=…) judges a state",
    )


def in_chart(
    asked: SteadyQuestion, steady: Steady, functions: list[Element], solved: Mapping[Name, Element]
) -> tuple[Equilibria, int]:
    """The steady motions in one chart, and how many are singular in it."""
    system, cyclic, family, known, fixed = asked.system, asked.cyclic, asked.family, asked.known, asked.fixed
    views, field, free_field, effort = asked.views, asked.field, asked.free_field, asked.effort
    chart, names = steady.chart, system.coordinates
    unknowns = [(c, 0) for c in names if c not in cyclic and (c, 0) not in fixed]
    unknowns += [(names[i], 1) for i in chart.velocities if names[i] in cyclic and (names[i], 1) not in fixed]
    unknowns += [k for k, e in solved.items() if k in e.symbols]
    in_box: InBox | None = None
    branches = ask(real_solutions, field, functions, unknowns)
    if isinstance(branches, GivenUp):
        rows = [e.to_expr() for e in functions if not e.is_zero]
        ranges = {u: (-100.0, 100.0) if u[1] else (-5.0, 5.0) for u in unknowns}
        branches, in_box = solutions_in_box(rows, unknowns, ranges, branches.reason, effort)
    sliced = sorted({k for b in branches for k in b.sliced})
    if sliced:
        raise larger_family(unknowns, sliced)
    formed = ask(
        steady.equations, free_field, views[0], {k: views[0].apply([e])[0] for k, e in known.items()}
    )
    can_follow = not isinstance(formed, GivenUp)
    general, velocities = ([], {}) if isinstance(formed, GivenUp) else formed
    found: list[Equilibrium] = []
    singular = given_up = 0
    for branch in branches:
        for solution in branch.found:
            symbolic = (*family, *branch.free)
            state = (
                _followed(system, free_field, general, velocities, solution, known, symbolic, family)
                if can_follow
                else None
            )
            lasting = family if state is not None or _continues(asked, steady, solution) else {}
            symbolic = (*lasting, *branch.free)
            size = len(symbolic) + _further(steady, field, fixed, solution, views[-1], family)

            def made(
                elsewhere: bool, solution: Mapping[Name, Value] = solution, branch: Solutions = branch,
                symbolic: tuple[Name, ...] = symbolic, state: dict[Name, Expr] | None = state,
                size: int = size, cut: tuple[Name, ...] = tuple(lasting),
            ) -> Equilibrium:  # fmt: skip
                at = _values(system, chart, solved, fixed, solution, branch.free, effort, elsewhere)
                return member(system, *at, symbolic, cyclic, state, effort, size, cut=cut)

            one = first_regular((partial(made, False),))  # where it is singular, another chart is tried
            if isinstance(one, Equilibrium):
                found.append(typical(one, first_regular((partial(made, True),))) if branch.free else one)
            singular += one is None
            given_up += isinstance(one, GivenUp)
    if family and can_follow and len(unknowns) == 1 and not (singular or given_up):
        degree = _degree(general, unknowns[0])
        if degree is not None and degree == len(found) and all(e.characteristic for e in found):
            name, order = unknowns[0]
            by_degree = ByDegree(name + "'" * order, degree, tuple(n + "'" * k for n, k in family))
            return Equilibria(found, by_degree), 0
    seen = in_box or RealZeros(
        found=len(found),
        constant=tuple(names[i] + "'" for i in chart.velocities if names[i] in cyclic),
        resting=tuple(c for c in names if c not in cyclic),
        solved_for=_solved_for(asked, steady),
        at=tuple((n + "'" * order, e) for (n, order), e in family.items()),
        kinks=have_kinks(field, functions, unknowns),
    )
    counted = replace(seen, singular=singular, given_up=given_up, stops=bool(system.stops))
    return Equilibria(found, counted), singular


def _degree(equations: list[Element], unknown: Name) -> int | None:
    """The least degree in an unknown of an equation that is a polynomial in it; None if there is none."""
    found = []
    for e in equations:
        if e.is_zero is not False:
            continue
        top = e.field.polynomial(e.numerator)
        for degree in range(1, 9):
            top = top.diff(unknown)
            if unknown not in top.symbols:
                found.append(degree)
                break
    return min(found, default=None)


def _continues(asked: SteadyQuestion, steady: Steady, solution: Mapping[Name, Value]) -> bool:
    """Whether there are steady motions at all values near those of the family."""
    family, view = asked.family, asked.views[-1]
    formed = ask(steady.equations, asked.field, view, {k: view.apply([e])[0] for k, e in asked.known.items()})
    if isinstance(formed, GivenUp):
        return False
    functions, _ = formed
    values = {k: float(evaluate([e], {})[0]) for k, e in family.items()}
    return continues(functions, {k: x.double for k, x in solution.items()}, values)


def _further(
    steady: Steady, field: Field, fixed: Mapping[Name, Expr], solution: Mapping[Name, Value],
    view: Standpoint, family: Mapping[Name, Expr],
) -> int:  # fmt: skip
    """How many given values could be others together, the rest being what it is: so many dimensions more."""
    at = {k: field(x.place) for k, x in solution.items() if x.place is not None}
    if len(at) < len(solution):
        return 0
    held, count = dict(fixed), 0
    for name in fixed:
        if name in family or name[0] == steady.system.time or (name[0] in steady.cyclic and not name[1]):
            continue
        others = {k: e for k, e in held.items() if k != name}

        def holds(others: Mapping[Name, Expr] = others) -> bool:
            functions, _ = steady.equations(field, view, others)
            return all((e.subs(at) if at else e).is_zero is True for e in functions)

        if answer(ask(holds)) is True:
            held, count = others, count + 1
    return count


def _solved_for(asked: SteadyQuestion, *charts: Steady) -> tuple[str, ...]:
    """The dependent velocities of the first chart, if steady motions may be lost where all of them end."""
    dependent = tuple(charts[0].system.coordinates[i] + "'" for i in charts[0].chart.dependent_velocities)
    field, view = Field(Budget.of(asked.effort)), asked.views[-1]

    def lost() -> list[Solutions]:
        ends = [steady.where_the_chart_ends(field, view, asked.fixed) for steady in charts]
        return real_solutions(field, [e for found, _ in ends for e in found], ends[0][1])

    found = ask(lost) if dependent else []
    return dependent if isinstance(found, GivenUp) or found else ()


def with_lost(
    asked: SteadyQuestion, steady: Steady, motions: Equilibria,
    charts: Iterable[tuple[Steady, list[Element], dict[Name, Element]]],
) -> Equilibria:  # fmt: skip
    """The steady motions in one chart, and those where it ends, from another that reaches all of these."""
    seen = motions.seen
    if not isinstance(seen, RealZeros) or not seen.solved_for or seen.at:
        return motions
    for other, functions, solved in islice(charts, MOST_OTHERS):
        if _solved_for(asked, steady, other):
            continue

        def there() -> tuple[Equilibria, int]:
            (end, *_), _ = steady.where_the_chart_ends(asked.field, asked.views[-1], asked.fixed)
            return in_chart(asked, other, [*functions, end.subs(solved) if solved else end], solved)  # noqa: B023

        try:
            found = ask(there)
        except LargerFamilyError:
            continue
        if isinstance(found, GivenUp):
            continue
        more, singular = found
        if singular or not isinstance(more.seen, RealZeros):
            continue
        kinks = seen.kinks or more.seen.kinks
        both = replace(seen, found=seen.found + len(more), kinks=kinks, elsewhere=more.seen.constant)
        return Equilibria([*motions, *more], both)
    return motions


def _followed(
    system: System, field: Field, general: list[Element], velocities: Mapping[Name, Element],
    solution: Mapping[Name, Value], known: Mapping[Name, Expr], free: tuple[Name, ...],
    family: Mapping[Name, Expr],
) -> dict[Name, Expr] | None:  # fmt: skip
    """The state as functions of the parameters and of what is free."""
    exact = {k: x.exact for k, x in solution.items() if x.exact is not None}
    doubles = {k: x.double for k, x in solution.items()}
    view = standpoints(system)[0]
    values: dict[Any, float] = {k: float(evaluate([e], {})[0]) for k, e in family.items()}

    def state_of() -> dict[Name, Expr] | None:
        found = followed(field, general, exact, doubles, {**system.parameter_values, **values})
        if found is None:
            return None
        at = {k: field(e) for k, e in found.items()}
        here = {symbol(*k): e for k, e in found.items()}
        state = {k: substitute(view.apply([e]), here)[0] for k, e in known.items()} | found
        return state | {k: (e.subs(at) if at else e).to_expr() for k, e in velocities.items()}

    state = answer(ask(state_of))
    if state is None:
        return None
    state |= {k: symbol(*k) for k in free}
    return {(c, order): state.get((c, order), ZERO) for order in (0, 1) for c in system.coordinates}


def _values(
    system: System, chart: LocalChart, solved: Mapping[Name, Element], fixed: Mapping[Name, Expr],
    solution: Mapping[Name, Value], free: tuple[Name, ...], effort: int,
    elsewhere: bool,
) -> tuple[dict[Name, float], dict[Name, Expr]]:  # fmt: skip
    """Numbers of a member of the family: free unknowns have the model's own values, else 1 or 0; or,
    elsewhere, 1/2, 1/3, …, and one more for velocities.
    """
    start = system.state if system.initial is not None else None
    found = {k: x.place if x.place is not None else plain_number(x.double) for k, x in solution.items()}
    here = {symbol(*k): e for k, e in found.items()}
    exact = {k: substitute([e], here)[0] for k, e in fixed.items() if k != (system.time, 0)} | found
    for i, (name, order) in enumerate(free):
        if elsewhere:
            exact[name, order] = number(order + Fraction(1, i + 2))
            continue
        own = None if start is None else (start.velocity if order else start.position)[name]
        exact[name, order] = plain_number(own) if own else (ONE if order else ZERO)
    for i in chart.velocities:
        exact.setdefault((system.coordinates[i], 1), ZERO)
    at = {symbol(*k): e for k, e in exact.items()}
    for k, e in solved.items():
        if k in exact:
            continue
        plain = substitute([e.to_expr()], at)[0]
        velocity = ask(lambda: Field(Budget.of(effort))(plain).to_expr())  # noqa: B023
        if isinstance(velocity, GivenUp):
            if velocity.undefined:
                raise NoLinearizationError("the chart ends at this state")
            velocity = plain
        exact[k] = velocity
    values: dict[Name, float] = {k: float(evaluate([e], {})[0]) for k, e in exact.items()}
    return {(c, k): values[c, k] for k in (0, 1) for c in system.coordinates}, exact
