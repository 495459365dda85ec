"""Events: expressions of the model language and their zeros along a motion, and what is shown of those that
did not occur. How they are found stands in `flow.kernels.events`.

A value of an event function is clear of zero if it is larger than η = Σ |∂g/∂y_i| δ_i, with δ_i what is open
of the i-th entry of the state: the tolerance, and the estimated errors of the steps so far. Between two
values that are clear of zero

    crossing   their signs differ
    touch      their signs agree, and between them g is not clear of zero: by the accuracy of the run it
               may touch zero, cross it twice, or miss it
    zero       the same, for longer than a step
    end        g is not clear of zero at the end of the run

A zero at the start of a run is none of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chetaev.checked_arguments import flag, shown
from chetaev.errors import ModelError
from chetaev.expr.graph.node import Expr, postorder, symbols
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import Scope
from chetaev.flow.derive.ingredients import Ingredients
from chetaev.flow.derive.modes import without_tables
from chetaev.flow.kernels import integration, walk

if TYPE_CHECKING:
    from chetaev.flow.run.session import Session


@dataclass(frozen=True)
class Event:
    """An expression whose zeros are found.

    Attributes
    ----------
    expression
        Text in the model language, or a graph; of time, coordinates, velocities, parameters, definitions.
    direction
        +1 only upwards, −1 only downwards, 0 both; in the direction of the run. A touch counts for the
        direction in which zero is approached.
    terminal
        Whether the run ends there.
    name
        For the list of events; the expression itself if left out.

    >>> Event("x'", direction=-1, terminal=True).name
    "x'"
    """

    expression: str | Expr
    direction: int = 0
    terminal: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.expression, (str, Expr)):
            raise _no_event(self.expression)
        whole = isinstance(self.direction, (int, np.integer)) and not isinstance(self.direction, bool)
        if not whole or self.direction not in (-1, 0, 1):
            raise ModelError(
                f"an event has the direction {shown(self.direction)}",
                expected="-1 (downwards), 0 (both) or 1 (upwards)",
            )
        flag(self.terminal, "whether an event is terminal")
        if not isinstance(self.name, str):
            raise ModelError(f"an event has the name {shown(self.name)}", expected="a text")
        if not self.name:
            object.__setattr__(self, "name", str(self.expression))


def _no_event(value: object) -> ModelError:
    """The error for what is not the text of an expression: a function, for example."""
    return ModelError(
        f"an event is {'a function' if callable(value) else shown(value)}",
        expected="an expression in the model language, whose zeros are found",
        remedy='write it as a text in the names of the model, such as events=["x - 1"]; for more than that, '
        'ch.Event("x - 1", direction=-1, terminal=True)',
    )


def listed(events: Iterable[Event | str | Expr] | Event | str | Expr) -> list[Event]:
    """Events as a list; one alone is one event, whatever letters it has.

    >>> [event.name for event in listed("x - 1")]
    ['x - 1']
    """
    if isinstance(events, (Event, str, Expr)):
        events = [events]
    elif callable(events):
        raise _no_event(events)
    try:
        given = list(events)
    except TypeError:
        raise ModelError(f"the events are {shown(events)}", expected="a list of expressions") from None
    return [e if isinstance(e, Event) else Event(e) for e in given]


def read(
    events: Iterable[Event | str | Expr] | Event | str | Expr, model: Ingredients
) -> tuple[list[Event], list[Expr]]:
    """Events and the graphs of their expressions."""
    known = listed(events)
    if not known:
        return [], []
    scope = Scope.of(model.coordinates, model.parameters, model.time, model.definitions)
    scope = scope.but(tables=model.tables, purpose="an event expression", kind="event")
    graphs = [parse(e.expression, scope) if isinstance(e.expression, str) else e.expression for e in known]
    allowed = {(c, o) for c in model.coordinates for o in (0, 1)} | {(model.time, 0)}
    moving = set(allowed)
    allowed |= {(name, 0) for name in model.parameters}
    for event, expr in zip(known, graphs, strict=True):
        used = symbols(expr)
        if used - allowed:
            name, order = sorted(used - allowed)[0]
            raise ModelError(
                f"the event {event.name!r} uses {name + chr(39) * order}, which the model does not have"
            )
        if not used & moving:
            raise ModelError(
                f"the event {event.name!r} does not change along a motion, so it cannot cross zero",
                expected="an expression in time, coordinates or velocities",
            )
    graphs = without_tables(graphs, model.lookups) if model.tables else graphs
    for event, expr in zip(known, graphs, strict=True):
        call = next((node for node in postorder(expr) if node.op == "table"), None)
        if call is not None:
            raise ModelError(
                f"the event {event.name!r} uses {call}, which the equations of motion do not",
                expected="tables with the arguments that they have in the model",
            )
    return known, graphs


Array = NDArray[np.float64]
_WAYS = {1: "upwards", -1: "downwards"}


@dataclass(frozen=True)
class Crossing:
    """An event: which one, when, the state there, and what kind it is of."""

    # index, name: which one
    index: int
    name: str
    # time, q, v: when, and the state there
    time: float
    q: Array
    v: Array
    kind: str = "crossing"  # ``"crossing"``, ``"touch"``, ``"zero"`` (for a while) or ``"end"`` (of the run)
    direction: int = 0  # +1 upwards, −1 downwards; for the other kinds, that in which zero was approached
    # the first and the last time that were looked at in between, where the values are not clear of zero
    span: tuple[float, float] = (0.0, 0.0)
    accuracy: float = 0.0  # η: values up to this are not clear of zero there; 0 if there was no doubt


@dataclass(frozen=True)
class Watched:
    """What is known of an event function on a run."""

    # name, direction: of the event
    name: str
    direction: int
    found: int  # how many crossings, touches, stretches of zero and ends in that direction there are
    other_way: int  # how many there are in the other direction
    least: float  # where no zero is, |g| is at least this, by the polynomials through its samples
    spacing: float  # the longest time between samples: what is shorter may be missed
    # parts of steps on which nothing is known, because the function is too fast for the effort spent
    not_examined: int
    # poles, jumps: changes of sign without a zero
    poles: int
    jumps: int
    undefined: bool  # whether it is undefined on a part of the run
    zero_at_start: bool  # whether it is not clear of zero at the start
    zero_throughout: bool  # whether it never is clear of zero

    @property
    def excluded(self) -> bool:
        """Whether the event did not occur, as far as samples show."""
        return self.found == 0 and self.not_examined == 0 and not self.zero_throughout

    @property
    def statement(self) -> str:
        """What is known, in words.

        >>> Watched("x", 0, 0, 0, 0.25, 0.01, 0, 0, 0, False, False, False).statement
        'did not occur: it stays at least 0.25 from zero, at times no more than 0.01 apart'
        """
        if self.zero_throughout:
            return "is zero at all times, as far as the accuracy of the run goes"
        if self.found:
            return self._with_remarks(f"occurred {self.found} time{'s' * (self.found > 1)}")
        if self.not_examined:
            return self._with_remarks("was not found")
        return self._with_remarks(f"did not occur: {self._why_not()}")

    def _why_not(self) -> str:
        if self.least == np.inf:
            return "it is not defined on this run"
        where = " where it is defined" if self.undefined else ""
        apart = f"at times no more than {self.spacing:.2g} apart"
        if self.other_way:
            return f"zero is reached {_WAYS[-self.direction]} only"
        if self.zero_at_start:
            return "it is zero at the start, which is not counted, and nowhere else"
        if self.poles or self.jumps:
            return "no zero"
        if self.direction:
            return f"no zero in that direction{where}, {apart}"
        return f"it stays at least {self.least:.3g} from zero{where}, {apart}"

    def _with_remarks(self, text: str) -> str:
        remarks = []
        if self.poles:
            remarks.append(f"{_times('pole', self.poles)} with a change of sign, not counted")
        if self.jumps:
            remarks.append(f"{_times('jump', self.jumps)} over zero, not counted")
        if self.not_examined:
            remarks.append(f"further zeros are not excluded, on {_times('part', self.not_examined)} of steps")
        return "; ".join([text, *remarks])


def _times(word: str, count: int) -> str:
    return f"{count} {word}{'s' * (count > 1)}"


def outcome(session: Session, events: Sequence[Event]) -> tuple[tuple[Crossing, ...], tuple[Watched, ...]]:
    """The events of a session that has ended, in order of time, and what is known of each function."""
    first = session.first_event
    count = session.loop.found_count
    rows = session.found[:count]
    sense = 1.0 if session.loop.end >= session.begun else -1.0
    rows = rows[np.argsort(sense * rows[:, walk.TIME_AT], kind="stable")]
    every: list[Crossing] = []
    watched = []
    for i, event in enumerate(events):
        own = rows[rows[:, walk.EVENT_AT] == i + first]
        known = session.watch[(i + first) * integration.WATCH :][: integration.WATCH]
        undefined = bool(known[walk.UNDEFINED_PARTS] > 0)
        here, other_way = _of_event(session, i, event, own, undefined)
        every += here
        started = bool(np.any(own[:, walk.KIND_AT] == walk.STARTED))
        watched.append(
            Watched(
                name=event.name,
                direction=event.direction,
                found=len(here),
                other_way=other_way,
                least=float(known[walk.LEAST]),
                spacing=float(known[walk.SPACING]),
                not_examined=int(known[walk.NOT_EXAMINED]),
                poles=int(known[walk.POLES]),
                jumps=int(known[walk.LEAPS]),
                undefined=undefined,
                zero_at_start=started,
                zero_throughout=bool(started and known[walk.FAR_AWAY] == 0 and not here),
            )
        )
    every.sort(key=lambda crossing: sense * crossing.time)
    return tuple(every), tuple(watched)


def _of_event(
    session: Session, index: int, event: Event, rows: Array, undefined: bool
) -> tuple[list[Crossing], int]:
    """The events of one function in the direction asked for, and the number of those in the other."""
    ended = session.loop.event_index - session.first_event == index and event.terminal
    step = abs(session.t - session.begun) / max(session.loop.steps, 1)
    open_part = float(session.loop.rtol * (1.0 + session.loop.gathered))
    gap = 10.0 * step * np.sqrt(open_part) if undefined else 1e-13 * abs(session.t - session.begun)
    found: list[Crossing] = []
    other_way = 0
    before = np.inf
    for row in rows:
        direction, time = int(row[walk.DIRECTION_AT]), float(row[walk.TIME_AT])
        kind = _kind(row, step, ended)
        if row[walk.KIND_AT] not in (walk.CROSSED, walk.DROPPED):
            again = abs(time - before) <= gap  # the same touch: undefined in between by rounding only
            before = time
            if again:
                continue
        if kind and event.direction and direction == -event.direction:
            other_way += 1
        elif kind:
            found.append(_crossing(session.n, index, event.name, kind, direction, row))
    return found, other_way


def _kind(row: Array, step: float, ended: bool) -> str:
    """The kind of a row in words; empty if it does not count."""
    code = int(row[walk.KIND_AT])
    if code == walk.CROSSED:
        return "crossing"
    if code in (walk.DROPPED, walk.STARTED):
        return ""
    if row[walk.STAYS_AT] and abs(row[walk.LAST_AT] - row[walk.FIRST_AT]) > step:
        return "zero"
    return "end" if code == walk.OPEN_END and not ended else "touch"


def _crossing(n: int, index: int, name: str, kind: str, direction: int, row: Any) -> Crossing:
    state = row[walk.HEAD :]
    span = (float(row[walk.FIRST_AT]), float(row[walk.LAST_AT]))
    accuracy = float(row[walk.ACCURACY_AT])
    q, v = state[:n].copy(), state[n : 2 * n].copy()
    return Crossing(index, name, float(row[walk.TIME_AT]), q, v, kind, direction, span, accuracy)
