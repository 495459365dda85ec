"""What follows from the parts of a system: names in scope, parameters in numbers, the initial state."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from chetaev.errors import InitialDataError, ModelError
from chetaev.expr.graph.node import Expr, define, symbols
from chetaev.expr.language.scope import Scope
from chetaev.model.reading.text_places import Path, Source
from chetaev.model.system_parts import SystemParts

if TYPE_CHECKING:
    from chetaev.model.states.initial_data import State


class SystemValues(SystemParts):
    """What a system says in numbers, computed when it is asked for."""

    __slots__ = ("__dict__",)

    _source: Source

    @cached_property
    def names(self) -> frozenset[str]:
        """All names the model uses: of coordinates, parameters, definitions, tables, quasi-velocities."""
        named = (*self.parameters, *self.definitions, *self.tables, *self.quasi)
        return frozenset({*self.coordinates, *named, self.time})

    @cached_property
    def scope(self) -> Scope:
        """The names an expression about this system may use."""
        named = {name: define(name, u) for name, u in self.quasi.items()}
        scope = Scope.of(self.coordinates, self.parameters, self.time, {**self.definitions, **named})
        return scope.but(tables=self.tables)

    @cached_property
    def parameter_values(self) -> dict[str, float]:
        """The parameters in numbers."""
        from chetaev.expr.graph.evaluate import evaluate

        values: dict[str, float] = {}
        for name, expr in self.parameters.items():
            if expr.op == "number":
                value = float(expr.value)
            else:
                value = evaluate([expr], {n: values[n] for n, _ in symbols(expr)})[0]
            if not math.isfinite(value):
                raise ModelError(
                    f"the parameter {name!r} has no finite real value",
                    self._source.value_place(("parameters", name)),
                    expected="a finite number",
                    remedy=f"its expression gives {value}",
                )
            values[name] = value
        return values

    @cached_property
    def until_value(self) -> float | None:
        """The time a run ends at, in numbers."""
        from chetaev.expr.graph.evaluate import evaluate

        return None if self.until is None else float(evaluate([self.until], self.parameter_values)[0])

    @cached_property
    def state(self) -> State:
        """The initial state on the constraints; raises InitialDataError where there is none."""
        from chetaev.model.states.initial_data import solve

        if self.initial is None:
            raise ModelError(
                f"the model {self.name!r} has no initial data",
                remedy=self._source.speech.initial,
            )
        try:
            state = solve(self._fields, self.parameter_values, speech=self._source.speech)
        except InitialDataError as error:
            raise error.at(self._source.key_place(error.path)) from None
        self._check_finite(state)
        return state

    def at_start(self, functions: Sequence[Expr]) -> list[float]:
        """The values of functions of t, q and v at the initial state."""
        from chetaev.expr.graph.evaluate import evaluate

        return [float(x) for x in evaluate(list(functions), self.values_of(self.state))]

    def values_at(self, t: Any, q: Iterable[Any], v: Iterable[Any]) -> dict[Any, Any]:
        """What functions of t, q and v are evaluated with at a state, or, with arrays, at many of them."""
        known: dict[Any, Any] = {**self.parameter_values, self.time: t}
        for c, position, velocity in zip(self.coordinates, q, v, strict=True):
            known[c, 0], known[c, 1] = position, velocity
        return known

    def values_of(self, state: State) -> dict[Any, Any]:
        """The same at a state that has names."""
        q, v = ([part[c] for c in self.coordinates] for part in (state.position, state.velocity))
        return self.values_at(state.t, q, v)

    def _check_finite(self, state: State) -> None:
        from chetaev.expr.graph.evaluate import evaluate
        from chetaev.model.states.initial_data import DOMAIN

        values = self.values_of(state)
        parts: list[tuple[str, Expr, Path]] = [(p.what, p.expr, p.path) for p in self.dynamics.parts]
        parts += [(f"the force on {n}", f, ("dynamics", "forces", n)) for n, f in self.forces.items()]
        for (what, _, path), value in zip(parts, evaluate([p[1] for p in parts], values), strict=True):
            if not math.isfinite(value):
                raise ModelError(
                    f"{what} has no finite value at the initial state",
                    self._source.value_place(path),
                    remedy=DOMAIN,
                )
