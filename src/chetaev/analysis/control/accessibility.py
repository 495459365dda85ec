r"""`ch.accessibility`: can inputs take the system from a state in all directions? (SCOPE M6)

The Lie algebra of X, Y_1, …, Y_m spans at generic points what their involutive hull does, the last member
of a flag; so "accessible" is a rank, and "not accessible" comes with 1-forms that vanish along all fields
and their brackets, and with functions that no input changes where they are found. Strong accessibility is
the same question about ∂/∂t + X and Y_a on (time, state).

>>> import chetaev as ch
>>> ball = ch.accessibility(ch.load("rolling-ball"), inputs=["x", "y"])
>>> ball.accessible, [str(F) for F in ball.invariants], ball.growth_vector
(False, ['wz'], (3, 5, 7))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from chetaev.analysis.control.control_affine import ControlAffine, control_affine, with_time
from chetaev.analysis.control.invariants import invariants
from chetaev.analysis.control.lie_brackets import PointValues, every, spanning
from chetaev.analysis.control.linear_control import LinearControl, linear_control
from chetaev.analysis.control.local_control import LocalControl, local_control
from chetaev.analysis.control.reachability import Accessibility
from chetaev.analysis.control.steering_task import shown_law
from chetaev.analysis.control.symmetric_products import AtRest, SymmetricAlgebra, at_rest
from chetaev.analysis.linear.exact_state import exact_state
from chetaev.checked_arguments import table
from chetaev.effort import EFFORT, beyond, expect_effort
from chetaev.errors import ModelError
from chetaev.expr.exact import EffortError, Element, Field, GivenUp, answer, ask
from chetaev.expr.exact.linear.matrix import nullspace
from chetaev.expr.graph.node import Expr, number, substitute, symbol
from chetaev.geometry import Distribution, GeometryError
from chetaev.laws.standpoint import standpoints
from chetaev.model.system import System, expect_system

Name = tuple[str, int]
LONGEST = 8
"""Brackets of so many fields are looked at in one state."""
BROCKETT = (
    "no continuous feedback that depends on the state alone makes an equilibrium asymptotically stable: "
    "the velocities "
    "near it fill no neighbourhood of zero (Brockett 1983)"
)


def accessibility(
    system: System,
    inputs: Iterable[str] | None = None,
    at: Mapping[Any, Any] | None = None,
    *,
    effort: int = 10 * EFFORT,
) -> Accessibility:
    """Whether inputs reach an open set of states, and all states near a given one.

    Parameters
    ----------
    system
        The system.
    inputs
        Coordinates, on which forces act, and parameters of the law, in which it is affine. If left out, the
        velocities are chosen freely among those that the constraints admit.
    at
        A state at which local questions are asked, laid over the model's initial state, velocities as
        ``x'`` or ``x_dot``; texts such as ``"pi/2"`` stay exact. Velocities left out are zero.
    effort
        What the brackets may cost (:mod:`chetaev.effort`).

    Returns
    -------
    Accessibility
        With ``accessible``, ``strongly_accessible``, ``controllable``, … and their evidence.

    Examples
    --------
    >>> import chetaev as ch
    >>> car = ch.accessibility(ch.load("car-with-trailers-2"))
    >>> car.accessible, car.growth_vector, car.brackets[2:4]
    (True, (2, 3, 4, 5, 6), ('[Y1, Y2]', '[Y1, [Y1, Y2]]'))
    """
    expect_system(system, "ch.accessibility")
    effort = expect_effort(effort)
    given = None if at is None else table(at, "the state", "a dictionary such as {'x': 1, 'x_dot': 0}")

    def answered() -> Accessibility:
        control = control_affine(system, inputs, effort)
        return _asked(control, None if given is None else _state(control, given))

    try:
        found = ask(answered)
        if isinstance(found, GivenUp):
            words = beyond(effort) if found.limit else f"not decided: {found.reason}"
            raise ModelError(f"whether inputs reach an open set of states is {words}")
        return found
    except GeometryError as error:
        raise ModelError(f"the vector fields of the system cannot be bracketed: {error}") from None


def _asked(control: ControlAffine, state: dict[Name, Expr] | None) -> Accessibility:
    whole = Distribution.spanned_by(list(control.fields), control.on, control.chart, check=False)
    flag, full = whole.derived_flag, whole.dimension
    rank = flag.ranks[-1]
    verdict = _verdict(rank, full, flag.proved and control.smooth)
    names: tuple[str, ...] = ()
    growth = whole.small_flag.ranks
    if verdict:
        names = tuple(B.name for B in spanning(control, whole.zeros, full))
    obstruction: tuple[str, ...] = ()
    kept: list[Element] = []
    if verdict is False:
        obstruction = tuple(str(w) for w in flag.last.annihilator)
        kept = invariants(flag.last, control.fields)
    strong = verdict if control.timed or control.drift.is_zero else _strongly(control, full)
    evidence = "proved" if flag.proved or verdict else "seen at points, not proved"
    if verdict is None and flag.proved:
        evidence = "on every smooth side; kinks may lead from one leaf to others"
    if state is not None and not control.smooth:
        raise ModelError(
            "the law has kinks, and questions at one state are asked of smooth laws",
            remedy="leave out at=…, or make abs, sign, min and max smooth",
        )
    there, local, linear = _local(control, whole, state, verdict)
    algebra = SymmetricAlgebra.of(control)
    rest: AtRest | None = None
    if algebra is not None:
        still = state is not None and _is_rest(control, state)
        rest = at_rest(algebra, PointValues(control.chart, state) if still and state is not None else None)
    if rest is not None and algebra is not None and local is not None and local.verdict is None:
        all_directions = rest.sym_rank == algebra.size
        if rest.configuration_controllable and all_directions:
            local = LocalControl(True, rest.reason, "Lewis and Murray 1997")
    count = len(control.inputs)
    remarks = (BROCKETT,) if control.drift.is_zero and count < full and rank > count else ()
    return Accessibility(
        control.level, control.names, full - control.timed, tuple(g - control.timed for g in growth), verdict,
        strong, names, obstruction, tuple(shown_law(control, F.to_expr()) for F in kept), _written(control,
        state), there, local, linear, rest, remarks, evidence,
    )  # fmt: skip


def _verdict(rank: int, full: int, proved: bool) -> bool | None:
    return True if rank == full else (False if proved else None)


def _strongly(control: ControlAffine, full: int) -> bool | None:
    """The same rank for ∂/∂t + X and Y_a on (state, time)."""
    fields = with_time(control)
    flag = Distribution.spanned_by(list(fields), control.on, fields[0].chart, check=False).derived_flag
    return _verdict(flag.ranks[-1], full + 1, flag.proved and control.smooth)


# --- at one state -----------------------------------------------------------------------------------


def _state(control: ControlAffine, given: Mapping[Any, Any]) -> dict[Name, Expr]:
    """The exact state on the chart; a ModelError where there is none."""
    system = control.system
    velocities = {c + "_dot" for c in system.coordinates} | {c + "'" for c in system.coordinates}
    told = any(isinstance(k, str) and k in velocities for k in given)
    placed = system.with_initial({**({} if told else {c + "_dot": 0 for c in system.coordinates}), **given})
    _ = placed.state
    view = standpoints(placed)[-1]
    full = ask(exact_state, placed, view, Field())
    if isinstance(full, GivenUp):
        raise ModelError(
            "the state is not known exactly, and ranks at one state need that",
            expected="numbers and texts such as 'pi/3' that satisfy the constraints exactly",
        )
    if control.frame is None:
        return {s: full[s] for s in control.chart.symbols}
    into = {symbol(*k): e for k, e in full.items()}
    u = substitute(view.apply(control.frame.functions), into)
    own = dict(zip((s.value for s in control.frame.symbols), u, strict=True))
    return {s: own[s] if s in own else full[s] for s in control.chart.symbols}


def _is_rest(control: ControlAffine, state: Mapping[Name, Expr]) -> bool:
    field = Field()
    frame = control.frame
    return frame is not None and all(field(state[s.value]).is_zero is True for s in frame.symbols)


def _written(control: ControlAffine, state: Mapping[Name, Expr] | None) -> dict[str, str]:
    if state is None:
        return {}
    return {n + "'" * k: str(_plain(state[n, k])) for n, k in control.chart.symbols}


def _plain(e: Expr) -> Expr:
    """The number, where an exact one is seen."""
    value = answer(ask(lambda: Field()(e).as_fraction()))
    return e if value is None else number(value)


def _local(
    control: ControlAffine, whole: Distribution, state: Mapping[Name, Expr] | None, generic: bool | None
) -> tuple[bool | None, LocalControl | None, LinearControl | None]:
    """Whether brackets span at the state, local controllability, and the linear system."""
    if state is None:
        return None, None, None
    values, full = PointValues(control.chart, state), whole.dimension

    def seen() -> tuple[LinearControl | None, bool]:
        tangent = _tangent(control, values)
        linear = None if control.timed else answer(ask(linear_control, control, values, tangent, full))
        return linear, generic is not False and _spans(control, values, full)

    found = ask(seen)
    if isinstance(found, GivenUp):
        if not found.undefined:  # what brackets do at this state is not decided within the effort
            raise EffortError(found.reason)
        raise ModelError(
            "the vector fields have no exact value at this state",
            remedy="choose a state inside the domain of the law and of its quasi-velocities",
        )
    linear, spans = found
    there = True if spans else (False if generic is False else None)
    if control.drift.is_zero:
        if spans:
            said = LocalControl(
                True, "there is no drift, and brackets span there", "Rashevskii 1938; Chow 1939"
            )
        elif there is False:
            said = LocalControl(
                False, "the states reached lie on a leaf of the hull of the fields", "Frobenius"
            )
        else:
            said = LocalControl(None, f"brackets of up to {LONGEST} fields do not span there", "")
        return there, said, None
    if there is False:
        return (
            False,
            LocalControl(False, "the states reached have no interior", "Sussmann and Jurdjevic 1972"),
            linear,
        )
    return there, local_control(control, values, full, -1 if linear is None else linear.rank), linear


def _tangent(control: ControlAffine, values: PointValues) -> list[list[Element]]:
    """A basis of the tangent space at the point."""
    rows = [[values.of(f.diff(s)) for s in control.chart.symbols] for f in control.on]
    one, zero = values.field.one, values.field.zero
    if not rows:
        return [[one if i == j else zero for j in range(values.width)] for i in range(values.width)]
    return nullspace(rows)


def _spans(control: ControlAffine, values: PointValues, full: int) -> bool:
    span = values.span()
    for level in every(control, LONGEST):
        for B in level:
            span.add(values.at(B.field))
        if span.rank == full:
            return True
    return False
