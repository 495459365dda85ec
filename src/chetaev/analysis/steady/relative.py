"""`ch.relative_equilibria`: steady motions, in which only cyclic coordinates move, with constant independent
velocities (SCOPE M3, M6, B12).

>>> import chetaev as ch
>>> disc = ch.load("rolling-disc")
>>> (rolling,) = ch.relative_equilibria(disc, ["x", "y", "psi", "phi"], given={"theta": 0, "phi'": 0})
>>> rolling.free, [str(e) for e in rolling.criteria.conditions]
(('psi_dot',), ["3*R*psi'^2 - g"])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from chetaev.analysis.linear.exact_state import BEYOND
from chetaev.analysis.linear.local_chart import LocalChart
from chetaev.analysis.linear.residual import Residual, states_of_q
from chetaev.analysis.linear.state_matrices import Asked, decoupled, expect_names
from chetaev.analysis.linear.steady_directions import Moving, moving_of
from chetaev.analysis.steady.along_group import along_group, plain_number
from chetaev.analysis.steady.completeness import ByDegree, InBox, RealZeros
from chetaev.analysis.steady.equilibria import expect_autonomous, searched_in
from chetaev.analysis.steady.equilibrium import Equilibria, Equilibrium
from chetaev.analysis.steady.follow import followed
from chetaev.analysis.steady.members import member
from chetaev.analysis.steady.real_solutions import (
    NotAlgebraicError,
    Solutions,
    Value,
    have_kinks,
    real_solutions,
)
from chetaev.analysis.steady.rest import Steady
from chetaev.checked_arguments import table
from chetaev.effort import EFFORT, expect_effort
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Element, Field
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import ONE, ZERO, Expr, substitute, symbol, symbols
from chetaev.expr.language.parser import parse
from chetaev.laws.standpoint import Standpoint, standpoints
from chetaev.model.reading.expression_values import graph_of
from chetaev.model.system import System, expect_system
from chetaev.model.system_arguments import as_list, nested_initial

Name = tuple[str, int]


class LargerFamilyError(ModelError):
    """Steady motions form a family of `size` more dimensions in the `unknowns`."""

    unknowns: Sequence[str] = ()
    size: int = 0


def relative_equilibria(
    system: System,
    symmetries: Iterable[Any] = (),
    given: Mapping[Any, Any] | None = None,
    *,
    free: Iterable[str] = (),
    effort: int = EFFORT,
) -> Equilibria:
    """Steady motions of a system: cyclic coordinates move, with constant independent velocities, and all
    others rest; or the whole system moves along generators of its symmetries.

    Parameters
    ----------
    system
        A system that does not depend on time.
    symmetries
        The cyclic coordinates, by name, or what :func:`chetaev.symmetries` found; or generators by their
        components, ``{"x": "-y", "y": "x"}``: then motions along Σ c_i ξ_i, with the c_i as ``rate_1``, …
    given
        Values of positions and of velocities of cyclic coordinates that are prescribed, as numbers or texts
        in the parameters: ``{"theta": 0, "psi'": "v/R"}``; they may contain other positions and velocities.
    free
        Positions and velocities that number the members of a family: they stay symbols, and the others become
        functions of them. ``free=["theta", "phi'"]`` gives all steady motions of a disc.
    effort
        What each exact question may cost (:mod:`chetaev.effort`).

    Returns
    -------
    Equilibria
        With velocities that no equation bounds as symbols: ``free`` names them, ``criteria`` contain them,
        and ``stable`` is the verdict at the model's own value of them (1 if it has none).
    """
    expect_system(system, "ch.relative_equilibria")
    effort = expect_effort(effort)
    moving = _moving(system, symmetries)
    expect_autonomous(system)
    if moving.fields:
        motions, left, wanted = along_group(system, moving, table(given, "given"), free, effort)
        if motions is None:
            raise _larger(left, wanted)
        return motions
    cyclic = moving.cyclic
    family = _family(system, cyclic, free)
    known = _given(system, cyclic, given, set(family))
    views = standpoints(system)
    field, free_field = Field(Budget.of(effort)), Field(Budget.of(effort))
    here = {symbol(*k): e for k, e in family.items()}
    fixed = {k: substitute(views[-1].apply([e]), here)[0] for k, e in known.items()} | family
    asked = _Question(system, cyclic, family, known, fixed, views, field, free_field, effort)
    first: Equilibria | None = None
    for steady, functions, solved in _equations(asked):
        motions, singular = _in_chart(asked, steady, functions, solved)
        if not singular:
            return motions
        first = motions if first is None else first
    assert first is not None  # `_equations` has found one, or said why not
    return first


@dataclass(frozen=True)
class _Question:
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


def _in_chart(
    asked: _Question, steady: Steady, functions: list[Element], solved: Mapping[Name, Element]
) -> tuple[Equilibria, int]:
    """The steady motions in one chart, and how many are singular in it."""
    system, cyclic, family, known, fixed = asked.system, asked.cyclic, asked.family, asked.known, asked.fixed
    views, field, free_field, effort = asked.views, asked.field, asked.free_field, asked.effort
    chart, names = steady.chart, system.coordinates
    unknowns = [(c, 0) for c in names if c not in cyclic and (c, 0) not in fixed]
    unknowns += [(names[i], 1) for i in chart.velocities if names[i] in cyclic and (names[i], 1) not in fixed]
    unknowns += [k for k, e in solved.items() if k in e.symbols]
    in_box: InBox | None = None
    try:
        branches = real_solutions(field, functions, unknowns)
    except (*BEYOND, NotAlgebraicError, ValueError) as error:
        branches, in_box = _searched(functions, unknowns, str(error), effort)
    sliced = sorted({k for b in branches for k in b.sliced})
    if sliced:
        raise _larger(unknowns, sliced)
    general: list[Element] = []
    velocities: dict[Name, Element] = {}
    try:
        general, velocities = steady.equations(
            free_field, views[0], {k: views[0].apply([e])[0] for k, e in known.items()}
        )
        can_follow = True
    except (*BEYOND, ValueError):
        can_follow = False
    found: list[Equilibrium] = []
    singular = 0
    for branch in branches or ():
        for solution in branch.found:
            try:
                symbolic = (*family, *branch.free)
                state = (
                    _followed(system, free_field, general, velocities, solution, known, symbolic, family)
                    if can_follow
                    else None
                )
                values, exact = _values(system, chart, steady, field, fixed, solution, branch.free)
                size = len(symbolic) + _further(steady, field, fixed, solution, views[-1], family)
                found.append(
                    member(system, values, exact, symbolic, cyclic, state, effort, size, cut=tuple(family))
                )
            except (*BEYOND, ModelError, ValueError):  # where the chart or the law is singular
                singular += 1
    if family and can_follow and len(unknowns) == 1 and not singular:
        degree = _degree(general, unknowns[0])
        if degree is not None and degree == len(found) and all(e.characteristic for e in found):
            name, order = unknowns[0]
            by_degree = ByDegree(name + "'" * order, degree, tuple(n + "'" * k for n, k in family))
            return Equilibria(found, by_degree), 0
    seen = in_box or RealZeros(
        found=len(found),
        singular=singular,
        constant=tuple(names[i] + "'" for i in chart.velocities if names[i] in cyclic),
        resting=tuple(c for c in names if c not in cyclic),
        solved_for=_solved_for(asked, steady),
        at=tuple((n + "'" * order, e) for (n, order), e in family.items()),
        kinks=have_kinks(field, functions, unknowns),
        stops=bool(system.stops),
    )
    return Equilibria(found, seen), singular


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


def _searched(
    functions: list[Element], unknowns: list[Name], why: str, effort: int
) -> tuple[list[Solutions], InBox]:
    """By a certified search, positions up to 5 and velocities up to 100."""
    left = [e.to_expr() for e in functions if not e.is_zero]
    occurring = {s for e in left for s in symbols(e)}
    box = {u: (-100.0, 100.0) if u[1] else (-5.0, 5.0) for u in unknowns if u in occurring}
    return searched_in(left, box, [u for u in unknowns if u not in occurring], why, effort)


def _further(
    steady: Steady, field: Field, fixed: Mapping[Name, Expr], solution: Mapping[Name, Value],
    view: Standpoint, family: Mapping[Name, Expr],
) -> int:  # fmt: skip
    """How many given values could be others, the rest being what it is: so many dimensions more."""
    count = 0
    at = {k: field(x.exact) for k, x in solution.items() if x.exact is not None}
    if len(at) < len(solution):
        return 0
    for name in fixed:
        if name in family or name[0] == steady.system.time or (name[0] in steady.cyclic and not name[1]):
            continue
        functions, _ = steady.equations(field, view, {k: e for k, e in fixed.items() if k != name})
        count += all((e.subs(at) if at else e).is_zero is True for e in functions)
    return count


def _solved_for(asked: _Question, steady: Steady) -> tuple[str, ...]:
    """The dependent velocities, if steady motions may be lost where the constraints do not give them."""
    dependent = tuple(steady.system.coordinates[i] + "'" for i in steady.chart.dependent_velocities)
    field, view = Field(Budget.of(asked.effort)), asked.views[-1]
    try:
        lost = (
            real_solutions(field, *steady.where_the_chart_ends(field, view, asked.fixed)) if dependent else []
        )
    except (*BEYOND, NotAlgebraicError, ValueError):
        return dependent
    return dependent if lost else ()


def _moving(system: System, given: Any) -> Moving:
    """What moves, from names, translations and fields."""
    moving = moving_of(system, given)
    if not moving.cyclic and not moving.fields:
        raise ModelError(
            "no symmetries are named",
            expected="the coordinates that move, such as symmetries=['phi'], or fields of symmetries",
            remedy="ch.equilibria(system) finds states at rest; ch.symmetries(system) looks for symmetries",
        )
    return moving


def _larger(unknowns: Sequence[Name], sliced: Sequence[Name]) -> LargerFamilyError:
    texts, first = [n + "'" * order for n, order in unknowns], sliced[0][0] + "'" * sliced[0][1]
    error = LargerFamilyError(
        f"the steady motions form a family of {len(sliced)} dimension{'' if len(sliced) == 1 else 's'} in "
        + ", ".join(texts),
        expected=f'{len(sliced)} more of them with given={{…}}, such as given={{"{first}": 1}}, or as '
        f'symbols with free=[…], such as free=["{first}"]',
    )
    error.unknowns, error.size = texts, len(sliced)
    return error


def _family(system: System, cyclic: tuple[str, ...], free: Any) -> dict[Name, Expr]:
    """Symbols of a family, each with the value of the member that is judged: the model's, if it is not 0."""
    known = [c for c in system.coordinates if c not in cyclic] + [f"{c}'" for c in cyclic]
    spelled = [
        n[:-4] + "'" if isinstance(n, str) and n.endswith("_dot") else n
        for n in ([free] if isinstance(free, str) else as_list(free, "free"))
    ]
    start = system.state if system.initial is not None else None
    found: dict[Name, Expr] = {}
    for text in expect_names(spelled, "free", known, "position that rests or velocity that moves"):
        name, order = text.rstrip("'"), int(text.endswith("'"))
        own = 0.0 if start is None else (start.velocity if order else start.position)[name]
        found[name, order] = plain_number(own) if own else (ONE if order else plain_number(0.5))
    return found


def _given(
    system: System, cyclic: tuple[str, ...], given: Any, family: AbstractSet[Name] = frozenset()
) -> dict[Name, Expr]:
    """Prescribed values, with cyclic positions at the model's own values and other velocities 0."""
    nested = nested_initial(table(given, "given"), system.coordinates, system.time)
    known: dict[Name, Expr] = {(system.time, 0): ZERO}
    start = system.initial.position if system.initial is not None else {}
    for c in cyclic:
        known[c, 0] = start.get(c, ZERO)
    for order, part in enumerate(("position", "velocity")):
        for name, value in nested[part].items():
            if order and name not in cyclic:
                raise ModelError(
                    f"the velocity of {name} is given, and {name} is not among the symmetries",
                    expected="velocities of " + ", ".join(cyclic),
                )
            e = parse(value, system.scope) if isinstance(value, str) else graph_of(value, system.scope)
            wrong = [n for n, k in symbols(e) if n not in system.parameters and (n in cyclic) != bool(k)]
            if wrong:
                raise ModelError(
                    f"the value of {name} contains {wrong[0]}",
                    expected="numbers, parameters, positions that rest and velocities that move",
                )
            if (name, order) in family:
                raise ModelError(f"{name} is given and free", expected="one of the two")
            known[name, order] = e
    for (name, order), e in known.items():
        used = next((n for n, k in symbols(e) if (n, k) in known and n != name), None)
        if used is not None and (name, order) != (system.time, 0):
            raise ModelError(
                f"the value of {name} contains {used}, which is given, too", remedy="put its value in"
            )
    return known


def _equations(asked: _Question) -> Iterator[tuple[Steady, list[Element], dict[Name, Element]]]:
    """The equations in charts that decouple and are regular where the values are given."""
    system, cyclic = asked.system, asked.cyclic
    residual = Residual(system)
    p = residual.model.default_values
    slopes = residual.at(*states_of_q(system, 1, seed=3)[0], p)
    why, count = "", 0
    for chart in decoupled(system, residual, Asked(cyclic, (), (), ()), slopes, p):
        steady = Steady(system, chart, cyclic)
        try:
            equations = steady.equations(asked.field, asked.views[-1], asked.fixed)
        except (*BEYOND, ValueError) as error:
            if isinstance(error, ModelError):
                raise
            why = why or str(error)
            continue
        count += 1
        yield steady, *equations
    if count:
        return
    raise ModelError(
        f"the equations of steady motions are not formed: {why}",
        remedy="ch.linearize(system, at=…, relative_to=…) judges a state",
    )


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
    try:
        found = followed(field, general, exact, doubles, {**system.parameter_values, **values})
        if found is None:
            return None
        at = {k: field(e) for k, e in found.items()}
        here = {symbol(*k): e for k, e in found.items()}
        state = {k: substitute(view.apply([e]), here)[0] for k, e in known.items()} | found
        state |= {k: (e.subs(at) if at else e).to_expr() for k, e in velocities.items()}
    except (*BEYOND, ValueError):
        return None
    state |= {k: symbol(*k) for k in free}
    return {(c, order): state.get((c, order), ZERO) for order in (0, 1) for c in system.coordinates}


def _values(
    system: System, chart: LocalChart, steady: Steady, field: Field, fixed: Mapping[Name, Expr],
    solution: Mapping[Name, Value], free: tuple[Name, ...],
) -> tuple[dict[Name, float], dict[Name, Expr]]:  # fmt: skip
    """Numbers of a member of the family: free unknowns have the model's own values, else 1 or 0."""
    start = system.state if system.initial is not None else None
    found = {k: x.exact if x.exact is not None else plain_number(x.double) for k, x in solution.items()}
    here = {symbol(*k): e for k, e in found.items()}
    exact = {k: substitute([e], here)[0] for k, e in fixed.items() if k != (system.time, 0)} | found
    for name, order in free:
        own = None if start is None else (start.velocity if order else start.position)[name]
        exact[name, order] = plain_number(own) if own else (ONE if order else ZERO)
    for i in chart.velocities:
        exact.setdefault((system.coordinates[i], 1), ZERO)
    _, velocities = steady.equations(field, standpoints(system)[-1], {**fixed, **exact})
    values: dict[Name, float] = {k: float(evaluate([e], {})[0]) for k, e in exact.items()}
    for k, e in velocities.items():
        if k in exact:
            continue
        values[k] = float(evaluate([e.to_expr()], {})[0])
        exact[k] = e.to_expr()
    rounded = {k for k, x in solution.items() if x.exact is None}
    if rounded:
        exact = {k: e for k, e in exact.items() if k not in rounded and k not in velocities}
    return {(c, k): values[c, k] for k in (0, 1) for c in system.coordinates}, exact
