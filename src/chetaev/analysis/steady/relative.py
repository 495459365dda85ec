"""`ch.relative_equilibria`: steady motions, in which only cyclic coordinates move, with constant independent
velocities (SCOPE M3, M6, B12).

>>> import chetaev as ch
>>> disc = ch.load("rolling-disc")
>>> (rolling,) = ch.relative_equilibria(disc, ["x", "y", "psi", "phi"], given={"theta": 0, "phi'": 0})
>>> rolling.free, [str(e) for e in rolling.criteria.conditions]
(('psi_dot',), ["3*R*psi'^2 - g"])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any

from chetaev.analysis.linear.state_matrices import expect_names
from chetaev.analysis.linear.steady_directions import Moving, moving_of
from chetaev.analysis.steady.along_group import along_group, plain_number
from chetaev.analysis.steady.equilibria import expect_autonomous
from chetaev.analysis.steady.equilibrium import Equilibria
from chetaev.analysis.steady.steady_in_chart import (
    SteadyQuestion,
    equations_in_charts,
    in_chart,
    larger_family,
    with_lost,
)
from chetaev.checked_arguments import table
from chetaev.effort import EFFORT, expect_effort
from chetaev.equations.law.first_order_motion import first_order_motion
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Field
from chetaev.expr.graph.node import ONE, ZERO, Expr, substitute, symbol, symbols
from chetaev.expr.language.parser import parse
from chetaev.laws.standpoint import standpoints
from chetaev.model.reading.expression_values import graph_of
from chetaev.model.system import System, expect_system
from chetaev.model.system_arguments import as_list, nested_initial

Name = tuple[str, int]


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
    system = first_order_motion(system)
    effort = expect_effort(effort)
    moving = _moving(system, symmetries)
    expect_autonomous(system)
    if moving.fields:
        motions, left, wanted = along_group(system, moving, table(given, "given"), free, effort)
        if motions is None:
            raise larger_family(left, wanted)
        return motions
    cyclic = moving.cyclic
    family = _family(system, cyclic, free)
    known = _given(system, cyclic, given, set(family))
    views = standpoints(system)
    field, free_field = Field(Budget.of(effort)), Field(Budget.of(effort))
    here = {symbol(*k): e for k, e in family.items()}
    fixed = {k: substitute(views[-1].apply([e]), here)[0] for k, e in known.items()} | family
    asked = SteadyQuestion(system, cyclic, family, known, fixed, views, field, free_field, effort)
    first: Equilibria | None = None
    charts = equations_in_charts(asked)
    tried: list[Any] = []
    for steady, functions, solved in charts:
        motions, singular = in_chart(asked, steady, functions, solved)
        if not singular:
            return with_lost(asked, steady, motions, chain(tried, charts))
        tried.append((steady, functions, solved))
        first = motions if first is None else first
    assert first is not None  # `equations_in_charts` has found one, or said why not
    return first


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
