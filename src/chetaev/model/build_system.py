"""From nested data to the fields of a System, checked.

The data have the shape of a model file (docs/model-language.md); expressions in them are texts of the
model language, exact numbers, SymPy expressions or graphs. Every mistake raises a ModelError with its place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chetaev.errors import ExpressionError, InitialDataError, ModelError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import Equation
from chetaev.expr.language.scope import Scope
from chetaev.model.checked_fields import Fields, Initial, Stop
from chetaev.model.dynamics.dynamics_table import DynamicsData, by_coordinate, read_dynamics
from chetaev.model.model_checks import LEVELS, check_constraint
from chetaev.model.quasi_table import read_quasi
from chetaev.model.reading.all_mistakes import with_others
from chetaev.model.reading.data_tables import read_tables
from chetaev.model.reading.expression_values import kind_of
from chetaev.model.reading.model_reader import NotYet, Reader, frozen
from chetaev.model.reading.text_places import Path, Source
from chetaev.model.reading.unit_labels import read_units
from chetaev.model.states.stack_of_constraints import every_constraint

if TYPE_CHECKING:
    from chetaev.model.system import System


MAX_COORDINATES = 10_000
UNNAMED = "untitled"
"""The name of a system that was given none."""
EQUATIONS = "equations, e.g. [\"x' = R*psi'\"]"


class Builder(Reader):
    """Reads one model."""

    def build(self) -> Fields:
        """All fields; where a text cannot be read, the error tells all texts that cannot."""
        try:
            return self._build()
        except ExpressionError as error:
            raise with_others(self, error) from None

    def _build(self) -> Fields:
        """All fields, in the order in which they may depend on each other."""
        self.check_keys()
        time = self.claim(self.text(("time",), "t"), "time variable", ("time",))
        coordinates = self._coordinates()
        parameters = self._parameters()
        tables = read_tables(self)
        scope = Scope.of(coordinates, parameters, time, speech=self.source.speech).but(tables=tables)
        definitions = self._definitions(scope)
        scope = scope.but(values={**scope.values, **definitions})
        for level in LEVELS:  # before any of them is read
            count = len(self.items(("constraints", level), EQUATIONS))
            if count > MAX_COORDINATES:
                path = ("constraints", level)
                self.fail(f"the model has {count} constraints", path, expected=f"at most {MAX_COORDINATES}")
        constraints = {level: self._constraints(level, scope) for level in LEVELS}
        dynamics = read_dynamics(DynamicsData(self, scope, coordinates, constraints, parameters, time))
        constants = Scope.of((), parameters, None, speech=self.source.speech)
        constants = constants.but(purpose="initial data", kind="initial data")
        return Fields(
            name=self.text(("name",), UNNAMED),
            summary=self.text(("summary",), ""),
            source=self.text(("source",), ""),
            time=time,
            coordinates=coordinates,
            parameters=MappingProxyType(parameters),
            units=read_units(self),
            definitions=MappingProxyType(definitions),
            tables=MappingProxyType(tables),
            dynamics=dynamics,
            degenerate=self.flag(("dynamics", "degenerate")),
            position_constraints=(*dynamics.relations, *constraints["position"]),
            velocity_constraints=(*dynamics.equations, *constraints["velocity"]),
            acceleration_constraints=constraints["acceleration"],
            quasi=MappingProxyType(read_quasi(self, scope, coordinates)),
            stops=self._stops(scope, Scope.of((), parameters, None, purpose="a restitution")),
            initial=self._initial(constants, coordinates, time),
            until=self.optional(("run", "until"), constants),
            tolerance=self.optional(("run", "tolerance"), constants),
            gauge=self._gauge(),
            view=frozen(self, self.table(("view",)), ("view",)),
            claims=self._claims(),
        )

    def _gauge(self) -> tuple[str, ...]:
        """Conditions on phase space as they are written: momenta have names only when there are some."""
        path: Path = ("run", "gauge")
        found = []
        for i, condition in enumerate(self.items(path, 'conditions, e.g. ["z = 0"]')):
            if not isinstance(condition, str) or not condition.strip():
                self.fail(
                    f"entry {i + 1} of run.gauge is {kind_of(condition)}",
                    path,
                    expected='a condition on phase space as text, e.g. "z = 0"',
                )
            found.append(self.encodable(condition, path))
        return tuple(found)

    # --- names ------------------------------------------------------------------------------------

    def _coordinates(self) -> tuple[str, ...]:
        path: Path = ("coordinates",)
        values = self.items(path, 'names, e.g. ["x", "y"]')
        if not values:
            self.fail(
                "the model has no coordinates",
                path,
                expected='coordinates = ["x", "y", …]',
                remedy="name at least one coordinate",
            )
        if len(values) > MAX_COORDINATES:
            self.fail(f"the model has {len(values)} coordinates", path, expected=f"at most {MAX_COORDINATES}")
        return tuple(self.claim(v, "coordinate", (*path, i)) for i, v in enumerate(values))

    def _parameters(self) -> dict[str, Expr]:
        parameters: dict[str, Expr] = {}
        table = self.table(("parameters",))
        names = [self.claim(n, "parameter", ("parameters", n)) for n in table]
        values: dict[str, Expr] = {}  # grows: a parameter may use those before it
        given = zip(names, table.values(), strict=True)
        missing = [name for name, value in given if value is None or (isinstance(value, str) and not value)]
        for name, written in zip(names, table, strict=True):
            path: Path = ("parameters", written)
            if name in missing:
                others = [repr(other) for other in missing if other != name]
                self.fail(
                    f"the parameter {name!r} has no value" + (f", nor {', '.join(others)}" if others else ""),
                    path,
                    expected="a number, or an expression in earlier parameters",
                    key=True,
                )
            closed = NotYet(self.used, "parameter", name, self.source.speech)
            scope = Scope(
                values, closed=closed, purpose="a parameter", kind="parameter", speech=self.source.speech
            )
            parameters[name] = self.expression(path, scope)
            values[name] = graph.symbol(name)
        return parameters

    def _definitions(self, scope: Scope) -> dict[str, Expr]:
        definitions: dict[str, Expr] = {}
        table = self.table(("define",))
        names = [self.claim(n, "definition", ("define", n)) for n in table]
        values = dict(scope.values)  # grows: a definition may use those before it
        for name, written in zip(names, table, strict=True):
            closed = NotYet(self.used, "definition", name, self.source.speech)
            inner = scope.but(values=values, closed=closed, purpose="a definition")
            meaning = self.expression(("define", written), inner)
            self.below[name] = self.symbols(meaning)
            values[name] = definitions[name] = graph.define(name, meaning)
        return definitions

    # --- constraints ------------------------------------------------------------------------------

    def _constraints(self, level: str, scope: Scope) -> tuple[Equation, ...]:
        path: Path = ("constraints", level)
        order = LEVELS.index(level)
        article = "an" if order == 2 else "a"
        inner = scope.but(order=order, purpose=f"{article} {level} constraint", kind="constraint")
        equations = []
        for i in range(len(self.items(path, EQUATIONS))):
            equation = self.equation((*path, i), inner)
            check_constraint(self, equation, order, (*path, i))
            equations.append(equation)
        return tuple(equations)

    def _stops(self, scope: Scope, constants: Scope) -> tuple[Stop, ...]:
        inner = scope.but(order=0, purpose="a stop")
        stops = []
        for i, stop in enumerate(self.items(("stops",), "tables, each headed [[stops]]")):
            path: Path = ("stops", i)
            if isinstance(stop, Stop):
                stops.append(stop)
                continue
            if not isinstance(stop, Mapping) or "position" not in stop:
                self.fail(
                    f"a stop is {kind_of(stop)}"
                    if not isinstance(stop, Mapping)
                    else "a stop has no 'position'",
                    path,
                    expected='a table such as position = "y", restitution = 0.8',
                )
            for key in stop:
                if key not in ("position", "restitution"):
                    known = "position, restitution"
                    self.fail(
                        f"unknown key {key!r} in a stop", (*path, key), expected=f"one of {known}", key=True
                    )
            position = self.expression((*path, "position"), inner)
            if not {n for n, _ in self.symbols(position) if self.used.get(n) == "coordinate"}:
                self.fail(
                    "the stop contains no coordinate",
                    (*path, "position"),
                    expected="an expression that is ≥ 0",
                )
            if any(order for _, order in self.symbols(position)):
                self.fail(
                    "the stop contains a velocity", (*path, "position"), expected="time and coordinates"
                )
            given = "restitution" in stop
            stops.append(
                Stop(position, self.expression((*path, "restitution"), constants) if given else graph.ZERO)
            )
        return tuple(stops)

    # --- initial data -----------------------------------------------------------------------------

    def _initial(self, scope: Scope, coordinates: tuple[str, ...], time: str) -> Initial | None:
        if self.get(("initial",)) is None:
            return None
        table = self.table(("initial",))
        key = time if time in table and time not in ("position", "velocity") else "t"
        t = self.expression(("initial", key), scope) if key in table else graph.ZERO
        parts: dict[str, Mapping[str, Expr]] = {}
        for part in ("position", "velocity"):
            values = by_coordinate(self, ("initial", part), f"an initial {part}", scope, coordinates)
            parts[part] = MappingProxyType(values)
        return Initial(t, parts["position"], parts["velocity"])

    def _claims(self) -> tuple[Mapping[str, Any], ...]:
        claims = self.items(("claims",), "tables, each headed [[claims]]")
        for i, claim in enumerate(claims):
            if not isinstance(claim, Mapping):
                self.fail(f"a claim is {kind_of(claim)}", ("claims", i), expected="a table headed [[claims]]")
        return tuple(frozen(self, claim, ("claims", i)) for i, claim in enumerate(claims))


def check_values(system: System, source: Source) -> None:
    """Raise a ModelError where the numbers of a system are not what they must be."""
    _ = system.parameter_values
    if len(every_constraint(system)) > len(system.coordinates):
        _check_agreement(system, source)
    freedom = system.dynamics.freedom
    if freedom is not None and freedom != system.degrees_of_freedom:
        raise ModelError(
            f"A and B are given for {', '.join(system.dynamics.arrangement)}, and the constraints leave "
            f"{system.degrees_of_freedom} degree{'' if system.degrees_of_freedom == 1 else 's'} of freedom",
            source.key_place(("dynamics", "A")),
            expected="one entry of A for each independent coordinate",
        )
    if system.initial is not None:
        _ = system.state
    if system.quasi:
        from chetaev.model.quasi_table import check_quasi

        check_quasi(system, source)
    until = system.until_value
    if until is not None and not math.isfinite(until):
        place = source.value_place(("run", "until"))
        raise ModelError(f"the run ends at t = {until}", place, expected="a finite time")
    if system.tolerance is not None:
        from chetaev.expr.graph.evaluate import evaluate

        tolerance = float(evaluate([system.tolerance], system.parameter_values)[0])
        if not 0 < tolerance < math.inf:
            place = source.value_place(("run", "tolerance"))
            raise ModelError(f"the tolerance is {tolerance}", place, expected="a positive number")


def _check_agreement(system: System, source: Source) -> None:
    """More constraints than coordinates, with nothing left free, may not contradict each other."""
    from chetaev.model.states.redundancy import must_agree

    if must_agree(system, system.parameter_values, source):
        try:
            _ = system.redundancy
        except InitialDataError:
            raise
        except ModelError as error:
            level = next(x for x in LEVELS if getattr(system, f"{x}_constraints"))
            raise error.at(source.key_place(("constraints", level))) from None
