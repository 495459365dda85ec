"""Events: expressions of the model language, and their zeros along a motion.

How they are found stands in `flow.kernels.events`, what is said of them in `flow.run.occurrences`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from chetaev.checked_arguments import flag, shown
from chetaev.errors import ModelError
from chetaev.expr.graph.node import Expr, postorder, symbols
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import Scope
from chetaev.flow.derive.ingredients import Ingredients
from chetaev.flow.derive.lookups import without_tables


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
