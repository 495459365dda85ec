"""One equilibrium from a solution: its linearisation, the verdict, criteria that follow the parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from chetaev.analysis.linear.characteristic import characteristic, polynomial
from chetaev.analysis.linear.criteria import Criteria, criteria
from chetaev.analysis.linear.exact_slopes import ExactSlopes, is_singular
from chetaev.analysis.linear.exact_state import modest
from chetaev.analysis.linear.linearization import Linearization
from chetaev.analysis.linear.linearize import linearized
from chetaev.analysis.linear.residual import CoarseError, NoLinearizationError
from chetaev.analysis.linear.state_matrices import NotCyclicError
from chetaev.analysis.steady.equilibrium import Equilibrium
from chetaev.analysis.steady.stability import StabilityVerdict, verdict
from chetaev.constraint.submanifold.positive_functions import positive as is_positive
from chetaev.errors import ModelError
from chetaev.expr.exact import Element, Field, GivenUp, answer, ask
from chetaev.expr.exact.functions.radicals import factors as factors_of
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.graph.evaluate import key_name
from chetaev.expr.graph.node import ZERO, Expr, is_implicit, number, symbol, symbols
from chetaev.laws.standpoint import Standpoint, standpoints
from chetaev.model.system import System

Name = tuple[str, int]


def member(
    system: System, values: Mapping[Name, float], exact: Mapping[Name, Expr], free: Sequence[Name],
    cyclic: Sequence[str], followed: Mapping[Name, Expr] | None, effort: int, family: int | None = None,
    cut: Sequence[Name] = (), sure: bool = False,
) -> Equilibrium:  # fmt: skip
    """The equilibrium with these values; `exact` for the model's parameters, `followed` for all of them.

    `family` is the dimension of the family that it belongs to, where others than free values count; `cut` are
    the free ones on which the others depend; `sure` whether it is proved to have that dimension.
    Raises a ModelError where the motion has no linearisation there.
    """
    here = placed(system, {key_name(*k): exact.get(k, x) for k, x in values.items()}, effort)
    near, left_out = _near(here, cyclic, effort)
    if family is None:
        family = sum(n not in left_out for n, _ in free)
    if sure and near.spectrum.count(None):
        near = replace(near, spectrum=near.spectrum.with_zeros(family))
    stable, reason, linear_theory = judged_or_open(here, near, near.chart, family, effort)
    shown = {key_name(*k): e for k, e in (followed or exact).items() if not is_implicit(e)}
    moving = any(x for (_, order), x in values.items() if order)
    moved = [k for k in free if k[1]]
    seen = [k for k in free if not k[1] and k not in cut and k[0] not in left_out]
    named = None if followed is None else {**followed, **{k: symbol(*k) for k in seen}}
    singular: list[Expr] = []

    def rows(field: Field, view: Standpoint) -> list[list[Element]]:
        kept = [i for i, n in enumerate(near.chart.names(system.coordinates)) if n not in near.relative_to]
        full = {(system.time, 0): ZERO, **{(c, 1): ZERO for c in system.coordinates}, **(named or {})}
        at = ExactSlopes(here).at(field, view, full)
        singular.extend(_singular(at.K, seen))
        table = at.on(near.chart)
        return [[table[i][j] for j in kept] for i in kept]

    limits, factors = criteria_of(system, named, effort, rows)
    used = None if factors is None else {k for e in factors for k in symbols(e)}
    judged_at = [
        k
        for k in free
        if k in moved
        or (k in cut and followed is not None)
        or (k in seen and (used is None or k in used or not linear_theory))
    ]
    if judged_at:
        reason += f" (at {', '.join(f'{symbol(*k)} = {values[k]:g}' for k in judged_at)})"
    return Equilibrium(
        "relative equilibrium" if moving or moved else "equilibrium",
        {key_name(*k): x for k, x in values.items()},
        shown,
        tuple(key_name(*k) for k in free),
        stable,
        reason,
        near,
        limits,
        factors,
        () if followed is not None else tuple(key_name(*k) for k in cut),
        tuple(singular),
    )


def judged_or_open(*asked: Any) -> StabilityVerdict:
    """The verdict, or that it was given up and why."""
    found = ask(verdict, *asked)
    return StabilityVerdict(None, f"not decided: {found.reason}") if isinstance(found, GivenUp) else found


def placed(system: System, values: Mapping[str, Any], effort: int) -> System:
    """The system at a state that solves its equations; a NoLinearizationError where that is shown to be
    singular, and a CoarseError where only the doubles of the state are refused.
    """
    try:
        return system.with_initial(values)
    except ModelError as error:
        state = {key: exactly(values[key_name(*key)]) for c in system.coordinates for key in ((c, 0), (c, 1))}
        if is_singular(system, {(system.time, 0): ZERO, **state}, effort):
            raise NoLinearizationError(error.message) from None
        raise CoarseError(error.message) from None


def exactly(x: Expr | float) -> Expr:
    """A value in exact algebra."""
    return x if isinstance(x, Expr) else number(Fraction(x))


def _near(system: System, cyclic: Sequence[str], effort: int) -> tuple[Linearization, Sequence[str]]:
    """Without the cyclic coordinates, where they are such."""
    if cyclic:
        try:
            return linearized(system, relative_to=cyclic, effort=effort), cyclic
        except NotCyclicError:
            pass
    return linearized(system, effort=effort), ()


def criteria_of(
    system: System, state: Mapping[Any, Expr] | None, effort: int,
    rows: Callable[[Field, Standpoint], list[list[Element]]],
) -> tuple[Criteria | None, tuple[Expr, ...] | None]:  # fmt: skip
    """Inequalities in the parameters and in what is free, and the factors of det(s − A), from rows of A."""
    if state is None or not (system.parameters or any(symbols(e) for e in state.values())):
        return None, None
    s = "s" if "s" not in system.names else "lambda"

    def of_rows() -> tuple[list[list[Element]], tuple[Expr, ...]]:
        polynomials = characteristic(rows(modest(effort), standpoints(system)[0]))
        return polynomials, tuple(polynomial(c, s) for c in polynomials)

    try:
        found = ask(of_rows)
    except NoLinearizationError:  # for general values of the parameters
        return None, None
    if isinstance(found, GivenUp):
        return None, None
    polynomials, factors = found
    positive = [n for n, x in system.parameter_values.items() if x > 0]
    return answer(ask(criteria, polynomials, positive)), factors


def _singular(K: Sequence[Sequence[Element]], seen: Sequence[Name]) -> tuple[Expr, ...]:
    """Factors of det K in free coordinates that may vanish: there C or M on ker C has no full rank."""
    if not seen or not any(e.symbols & set(seen) for row in K for e in row):
        return ()
    whole = linear.determinant([list(row) for row in K])
    found = [f for f, _ in factors_of(whole.field, whole.numerator)[1] if f.symbols & set(seen)]
    return tuple(f.to_expr() for f in found if not (is_positive(f) or is_positive(-f)))
