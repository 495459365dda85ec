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
from chetaev.analysis.control.invariants import invariants, kept_under_inputs
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
from chetaev.expr.exact import Element, Field, GivenUp, answer, ask
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

    try:
        control = ask(control_affine, system, inputs, effort)
        if isinstance(control, GivenUp):
            raise ModelError(f"whether inputs reach an open set of states is {_words(control, effort)}")
        state = None if given is None else _state(control, given)
        return _asked(control, state, effort)
    except GeometryError as error:
        raise ModelError(f"the vector fields of the system cannot be bracketed: {error}") from None


def _words(lost: GivenUp, effort: int) -> str:
    return beyond(effort) if lost.limit else f"not decided: {lost.reason}"


def _asked(control: ControlAffine, state: dict[Name, Expr] | None, effort: int) -> Accessibility:
    """Every question by itself: what one of them spends is not what another one found."""
    if state is not None and not control.smooth:
        raise ModelError(
            "the law has kinks, and questions at one state are asked of smooth laws",
            remedy="leave out at=…, or make abs, sign, min and max smooth",
        )
    whole = Distribution.spanned_by(list(control.fields), control.on, control.chart, check=False)
    full = whole.dimension
    values = None if state is None else PointValues(control.chart, state)
    linear = None if values is None else _linear(control, values, full)
    kalman = isinstance(linear, LinearControl) and linear.rank == full
    flag = ask(lambda: whole.derived_flag)
    ranks = () if isinstance(flag, GivenUp) else flag.ranks
    proved = not isinstance(flag, GivenUp) and flag.proved
    verdict = True if kalman else _verdict(max(ranks, default=0), full, proved and control.smooth)
    growth = answer(ask(lambda: whole.small_flag.ranks)) or ranks
    names: tuple[str, ...] = ()
    obstruction: tuple[str, ...] = ()
    kept: list[Element] = []
    if verdict:
        names = answer(ask(lambda: tuple(B.name for B in spanning(control, whole.zeros, full)))) or ()
        names = names if names or not isinstance(linear, LinearControl) else linear.brackets
    elif verdict is False and not isinstance(flag, GivenUp):
        last = flag.last
        obstruction = answer(ask(lambda: tuple(str(w) for w in last.annihilator))) or ()
        kept = answer(ask(invariants, last, control.fields)) or []
    elif control.smooth:
        kept = answer(ask(kept_under_inputs, control, whole.zeros)) or []
        verdict = False if kept else None
    strong = verdict
    if not (kalman or control.timed or control.drift.is_zero):
        strong = answer(ask(_strongly, control, full))
    evidence = "proved" if proved or verdict or kept else "seen at points, not proved"
    if verdict is None and isinstance(flag, GivenUp):
        evidence = _words(flag, effort)
    elif verdict is None and proved:
        evidence = "on every smooth side; kinks may lead from one leaf to others"
    there, local = (None, None) if values is None else _local_or_open(control, values, full, verdict, linear)
    algebra = answer(ask(SymmetricAlgebra.of, control))
    rest: AtRest | None = None
    if algebra is not None:
        still = state is not None and _is_rest(control, state)
        rest = answer(ask(at_rest, algebra, values if still else None))
    if rest is not None and algebra is not None and local is not None and local.verdict is None:
        all_directions = rest.sym_rank == algebra.size
        if rest.configuration_controllable and all_directions:
            local = LocalControl(True, rest.reason, "Lewis and Murray 1997")
    count = len(control.inputs)
    remarks = (BROCKETT,) if control.drift.is_zero and count < full and max(ranks, default=0) > count else ()
    return Accessibility(
        control.level, control.names, full - control.timed, tuple(g - control.timed for g in growth), verdict,
        strong, names, obstruction, tuple(shown_law(control, F.to_expr()) for F in kept), _written(control,
        state), there, local, linear if isinstance(linear, LinearControl) else None, rest, remarks, evidence,
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
    if isinstance(full, GivenUp) and full.limit:
        raise ModelError(f"the state is {_words(full, EFFORT)}")
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


def _linear(control: ControlAffine, values: PointValues, full: int) -> LinearControl | GivenUp | None:
    """The linear system at the state; None where the law depends on time."""
    there = ask(lambda: [values.at(X) for X in control.fields])
    if isinstance(there, GivenUp) and not there.undefined:
        return there
    if isinstance(there, GivenUp):
        raise ModelError(
            "the vector fields have no exact value at this state",
            remedy="choose a state inside the domain of the law and of its quasi-velocities",
        )
    if control.timed or control.drift.is_zero:
        return None
    return ask(lambda: linear_control(control, values, _tangent(control, values), full))


def _local_or_open(*asked: Any) -> tuple[bool | None, LocalControl]:
    found = ask(_local, *asked)
    if isinstance(found, GivenUp):
        return None, LocalControl(None, f"the fields at the state: {found.reason}", "")
    return found


def _local(
    control: ControlAffine, values: PointValues, full: int, generic: bool | None,
    linear: LinearControl | GivenUp | None,
) -> tuple[bool | None, LocalControl]:  # fmt: skip
    """Whether brackets span at the state, and local controllability."""
    rank = linear.rank if isinstance(linear, LinearControl) else -1
    spans: bool | GivenUp = generic is not False
    if spans and rank < full:
        spans = ask(_spans, control, values, full)
    if generic is False:
        why, source = ("the states reached have no interior", "Sussmann and Jurdjevic 1972")
        if control.drift.is_zero:
            why, source = ("the states reached lie on a leaf of the hull of the fields", "Frobenius")
        return False, LocalControl(False, why, source)
    if isinstance(spans, GivenUp):
        return None, LocalControl(None, f"brackets at the state: {spans.reason}", "")
    there = True if spans else None
    if not control.drift.is_zero:
        return there, local_control(control, values, full, rank)
    if spans:
        why = "there is no drift, and brackets span there"
        return there, LocalControl(True, why, "Rashevskii 1938; Chow 1939")
    return None, LocalControl(None, f"brackets of up to {LONGEST} fields do not span there", "")


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
