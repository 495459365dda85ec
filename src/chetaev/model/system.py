"""A mechanical system with constraints: what the user wrote, checked, frozen.

The equations it stands for are d/dt ∂L/∂v − ∂L/∂q = F + μ_a ∂f^a/∂v together with f(t, q, v) = 0, where a
position constraint φ(t, q) = 0 counts with f = dφ/dt (SCOPE K11–K14).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from chetaev.checked_arguments import shown
from chetaev.errors import InitialDataError, ModelError
from chetaev.expr.graph.node import Expr, define, symbols
from chetaev.expr.language.scope import Scope
from chetaev.model.build_system import UNNAMED, Builder, check_values
from chetaev.model.checked_fields import Fields
from chetaev.model.reading.text_places import Path, PythonSource, Source
from chetaev.model.states.stack_of_constraints import every_constraint
from chetaev.model.system_arguments import (
    as_list,
    as_mapping,
    constraints_of,
    data_of,
    dynamics_of,
    name_of,
    nested_initial,
    other_initial,
    other_parameters,
    poisson_of,
)

if TYPE_CHECKING:
    from chetaev.model.states.initial_data import State
    from chetaev.model.states.redundancy import Redundancy


class System(Fields):
    """A Lagrangian or another dynamics, forces, constraints, parameters and initial data.

    Parameters
    ----------
    coordinates
        Names, or SymPy symbols or functions of time.
    lagrangian
        L(t, q, v), as text of the model language or a SymPy expression; or give `kinetic` and `potential`.
    dynamics
        The entries of [dynamics] in a model file, where there is no Lagrangian: ``{"form": {"F": […], "Pi":
        […]}}``, ``{"accelerations": {…}, "velocities": {…}}`` or ``{"A": {…}, "B": [[…]]}``.
    poisson
        The entries of [poisson], where the coordinates are those of a phase space: ``{"bracket": {"x, p": 1},
        "hamiltonian": "p^2/2"}``.
    constraints
        Velocity constraints as equations; or a mapping with ``"velocity"``, ``"position"`` and
        ``"acceleration"``.
        A SymPy expression means that it vanishes; ``sympy.Eq`` is an equation.
    forces
        Generalized forces by coordinate.
    parameters
        Values by name: numbers, or expressions in earlier parameters.
    initial
        Initial data by name, velocities as ``x_dot`` (or ``x'``): ``{"x": 1, "y_dot": 2, "t": 0}``.
    define
        Named subexpressions, in order; they are kept as nodes and never expanded.
    units
        Labels for data sets and axes, by name: ``{"x": "m", "phi": "rad"}``; nothing is computed with them.
    quasi
        Quasi-velocities by name, affine in the velocities, as many as degrees of freedom: ``{"u":
        "x'*cos(phi) + y'*sin(phi)", "omega": "phi'"}``. Without them ``form="quasi"`` finds natural ones.
    data
        Tables of data, used in expressions as functions ``wind(t)``: ``{"wind": (times, values)}``,
        ``(times, values, "cubic")`` or ``{"file": "wind.csv", "columns": ["t", "speed"]}``.
    stops
        Conditions on positions: ``[{"position": "y", "restitution": 0.8}]`` means y ≥ 0, with impacts.

    Examples
    --------
    >>> sleigh = System(
    ...     coordinates=["x", "y", "phi"],
    ...     lagrangian="m*(x'^2 + y'^2)/2 + I*phi'^2/2",
    ...     constraints=["y'*cos(phi) = x'*sin(phi)"],
    ...     parameters={"m": 1, "I": 0.5},
    ...     initial={"x_dot": 1, "phi_dot": 2},
    ... )
    >>> sleigh.state.velocity
    {'x': 1.0, 'y': 0.0, 'phi': 2.0}
    """

    _given: Mapping[str, Any]
    _source: Source

    def __init__(
        self,
        *,
        coordinates: Iterable[Any],
        lagrangian: Any = None,
        dynamics: Mapping[str, Any] | None = None,
        poisson: Mapping[str, Any] | None = None,
        kinetic: Any = None,
        potential: Any = None,
        constraints: Any = (),
        forces: Mapping[Any, Any] | None = None,
        parameters: Mapping[Any, Any] | None = None,
        initial: Mapping[Any, Any] | None = None,
        define: Mapping[str, Any] | None = None,
        units: Mapping[Any, str] | None = None,
        quasi: Mapping[str, Any] | None = None,
        data: Mapping[str, Any] | None = None,
        stops: Iterable[Mapping[str, Any]] = (),
        time: Any = "t",
        name: str = UNNAMED,
        summary: str = "",
        source: str = "",
        until: Any = None,
        tolerance: Any = None,
        gauge: Iterable[str] | None = None,
        degenerate: bool = False,
        view: Mapping[str, Any] | None = None,
        claims: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        names = [name_of(c) for c in as_list(coordinates, "coordinates")]
        entries = {"lagrangian": lagrangian, "kinetic": kinetic, "potential": potential}
        entries["forces"] = {name_of(k): v for k, v in as_mapping(forces, "forces").items()}
        tables = {name_of(k): v for k, v in as_mapping(data, "data").items()}
        data = {
            "name": name,
            "summary": summary,
            "source": source,
            "time": name_of(time),
            "coordinates": names,
            "parameters": {name_of(k): v for k, v in as_mapping(parameters, "parameters").items()},
            "define": {name_of(k): v for k, v in as_mapping(define, "define").items()},
            "units": {name_of(k): v for k, v in as_mapping(units, "units").items()},
            "dynamics": dynamics_of(dynamics, entries | {"degenerate": degenerate}),
            "constraints": constraints_of(constraints),
            "quasi": {name_of(k): v for k, v in as_mapping(quasi, "quasi").items()},
            "data": tables,
            "stops": as_list(stops, "stops"),
            "view": as_mapping(view, "view"),
            "claims": as_list(claims, "claims"),
        }
        if poisson is not None:
            data["poisson"] = poisson_of(poisson)
        if initial is not None:
            data["initial"] = nested_initial(as_mapping(initial, "initial"), names, data["time"])
        run = {"until": until, "tolerance": tolerance, "gauge": gauge}
        data["run"] = {k: v for k, v in run.items() if v is not None}
        self._set(data, PythonSource(data))

    @classmethod
    def from_data(cls, data: Mapping[str, Any], source: Source) -> System:
        """A System from the nested data of a model file."""
        self = object.__new__(cls)
        self._set(data, source)
        return self

    def _set(self, data: Mapping[str, Any], source: Source, given: Mapping[str, Any] | None = None) -> None:
        own = vars(self)
        own.update(vars(Builder(data, source).build()))
        own.update(_source=source, _given=data if given is None else given)
        check_values(self, source)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a System does not change; use with_parameters or with_initial to get another")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a System does not change; use with_parameters or with_initial to get another")

    # --- what follows from what was given ----------------------------------------------------------

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
            state = solve(self, self.parameter_values, speech=self._source.speech)
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

    # --- freedom --------------------------------------------------------------------------------

    @cached_property
    def redundancy(self) -> Redundancy:
        """How many constraints are independent, and which are redundant."""
        from chetaev.model.states.redundancy import redundancy

        return redundancy(self)

    @cached_property
    def degrees_of_freedom(self) -> int:
        """The number of coordinates minus the number of independent constraints of all levels."""
        count = len(every_constraint(self))
        if count > 1:
            try:
                count = self.redundancy.rank
            except ModelError:  # contradictions are an error of the motion
                count = min(count, len(self.coordinates))
        return len(self.coordinates) - count

    # --- other systems ----------------------------------------------------------------------------

    def with_parameters(self, values: Mapping[str, Any] | None = None, /, **named: Any) -> System:
        """The same system with other parameter values.

        >>> from chetaev.model.system import System
        >>> s = System(coordinates=["x"], lagrangian="m*x'^2/2", parameters={"m": 1, "k": "2*m"})
        >>> s.with_parameters(m=3).parameter_values
        {'m': 3.0, 'k': 6.0}
        """
        return self._changed(
            *other_parameters(self, self.given, {**as_mapping(values, "parameters"), **named})
        )

    def with_initial(self, values: Mapping[Any, Any] | None = None, /, **named: Any) -> System:
        """The same system with other initial data, laid over its own: ``with_initial(x=1, y_dot=2)``.

        A velocity solved from the constraints stays solved; to leave out one that the model gives, set it to
        None, and it is solved too. So is a position that occurs in a position constraint.
        """
        return self._changed(other_initial(self, {**as_mapping(values, "initial data"), **named}), {})

    def with_data(
        self, parameters: Mapping[str, Any] | None = None, initial: Mapping[Any, Any] | None = None
    ) -> System:
        """The same system with other parameter values and initial data, laid over its own together.

        >>> from chetaev.model.system import System
        >>> pendulum = System(
        ...     coordinates=["x", "y"],
        ...     lagrangian="x'^2 + y'^2 - y",
        ...     constraints={"position": ["x^2 + y^2 = l^2"]},
        ...     parameters={"l": 1},
        ...     initial={"x": 1, "y": 0, "y_dot": 0},
        ... )
        >>> pendulum.with_data({"l": 2}, {"x": 2}).state.position
        {'x': 2.0, 'y': 0.0}
        """
        changes: dict[str, Any] = {}
        written: dict[str, Any] = {}
        if parameters:
            changes, written = other_parameters(self, self.given, as_mapping(parameters, "parameters"))
        if initial:
            changes |= other_initial(self, as_mapping(initial, "initial data"))
        return self._changed(changes, written)

    def with_forces(self, forces: Mapping[str, Expr]) -> System:
        """The same system with other forces: graphs, by the names of their coordinates.

        >>> from chetaev.model.system import System
        >>> spring = System(coordinates=["x"], lagrangian="x'^2 - x^2", forces={"x": "-x'"})
        >>> str(spring.with_forces({"x": spring.forces["x"] / 2}).forces["x"])
        "-x'/2"
        """
        data = data_of(self)
        return self._changed({"dynamics": {**data["dynamics"], "forces": dict(forces)}}, {})

    def random_states(self, count: int, seed: int = 0) -> list[dict[str, float]]:
        """Initial data on the constraints, at random around the model's own (around 0 if it has none).

        Each is fit for :meth:`with_initial` and for ``ch.simulate(system, initial=…)``; the same seed gives
        the same data.

        >>> from chetaev.model.system import System
        >>> skate = System(
        ...     coordinates=["x", "y", "phi"],
        ...     lagrangian="x'^2 + y'^2 + phi'^2",
        ...     constraints=["x'*sin(phi) = y'*cos(phi)"],
        ... )
        >>> data = skate.random_states(2, seed=1)[0]
        >>> list(data)
        ['t', 'x', 'y', 'phi', 'x_dot', 'y_dot', 'phi_dot']
        >>> abs(skate.with_initial(data).state.residuals[0]) < 1e-12
        True
        """
        from chetaev.model.states.points import random_states

        return random_states(self, count, seed)

    def _changed(self, changes: dict[str, Any], written: dict[str, Any]) -> System:
        """The system with other data; what did not change stays as it was written."""
        data = {**data_of(self), **changes}
        other = object.__new__(type(self))
        other._set(data, PythonSource(data), {**self._given, **written})
        return other

    # --- identity and display ---------------------------------------------------------------------

    def to_toml(self) -> str:
        """The model file; reading it back gives an equal System."""
        from chetaev.model.file.writer import to_toml

        return to_toml(self)

    @property
    def text(self) -> str:
        """The model file: the very text the system was read from, else what :meth:`to_toml` writes."""
        text = getattr(self._source, "text", None)
        given = self._given.get("data") or {}
        if any(isinstance(table, Mapping) and "file" in table for table in given.values()):
            return self.to_toml()  # with the data themselves: the file may be elsewhere by then
        return text if isinstance(text, str) else self.to_toml()

    @property
    def given(self) -> Mapping[str, Any]:
        """The data of the model before they were read: each text, number or expression as the user gave it.

        >>> from chetaev.model.system import System
        >>> s = System(coordinates=["x"], lagrangian="0.5*m*x'**2", parameters={"m": 1})
        >>> s.with_parameters(m=2).given["dynamics"]["lagrangian"]
        "0.5*m*x'**2"
        """
        return self._given

    @cached_property
    def _hash(self) -> int:
        return hash(self.to_toml())

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        from chetaev.model.file.loader import loads

        return loads, (self.to_toml(),)

    def __repr__(self) -> str:
        count = len(self.coordinates)
        constraints = len(every_constraint(self))
        return (
            f"<System {self.name!r}: {count} coordinate{'' if count == 1 else 's'}, "
            f"{constraints} constraint{'' if constraints == 1 else 's'}>"
        )

    def _repr_latex_(self) -> str:
        from chetaev.model.system_display import system_latex

        return system_latex(self)

    def _repr_html_(self) -> str:
        from chetaev.model.system_display import system_html

        return system_html(self)


def expect_system(value: object, asked: str) -> None:
    """Raise a ModelError unless the value is a System."""
    if not isinstance(value, System):
        raise ModelError(
            f"{asked} was given {shown(value)}",
            expected="a System, such as ch.load gives",
            remedy=f"write ch.load({value!r})" if isinstance(value, str) and len(value) < 60 else "",
        )
