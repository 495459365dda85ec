"""A System as a model file; reading it back gives an equal System.

>>> from chetaev.model.system import System
>>> system = System(coordinates=["x"], lagrangian="x'^2/2", parameters={})
>>> print(to_toml(system))
name = "untitled"
coordinates = [
    "x",
]
<BLANKLINE>
[dynamics]
lagrangian = "x'^2/2"
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import tomli_w

from chetaev.expr.graph.node import ZERO, Expr, number
from chetaev.expr.graph.table import DataTable
from chetaev.expr.language.parser import Equation
from chetaev.expr.print import decimal_text, to_text
from chetaev.model.reading.model_reader import thaw

if TYPE_CHECKING:
    from chetaev.model.system import System


def to_toml(system: System) -> str:
    """The model file of a system."""
    return tomli_w.dumps(to_data(system))


def to_data(system: System) -> dict[str, Any]:
    """The nested data of a model file."""
    data: dict[str, Any] = {"name": system.name}
    for key in ("summary", "source"):
        if getattr(system, key):
            data[key] = getattr(system, key)
    if system.time != "t":
        data["time"] = system.time
    data["coordinates"] = list(system.coordinates)
    if system.parameters:
        data["parameters"] = _values(system.parameters)
    if system.definitions:
        data["define"] = {n: to_text(d.args[0]) for n, d in system.definitions.items()}
    if system.units:
        data["units"] = dict(system.units)
    if system.tables:
        data["data"] = {name: _table(table) for name, table in system.tables.items()}
    own = system.dynamics
    dynamics = _dynamics(system)
    if dynamics or own.section == "dynamics":
        data["dynamics"] = dynamics
    if own.section != "dynamics":
        data[own.section] = thaw(own.table(), _text)
    constraints = {
        "velocity": [] if own.states_constraints else [str(e) for e in system.velocity_constraints],
        "position": [str(e) for e in system.position_constraints[len(own.relations) :]],
        "acceleration": [str(e) for e in system.acceleration_constraints],
    }
    if any(constraints.values()):
        data["constraints"] = {k: v for k, v in constraints.items() if v}
    if system.quasi:
        data["quasi"] = {n: to_text(u) for n, u in system.quasi.items()}
    if system.stops:
        data["stops"] = [
            {"position": to_text(s.position), "restitution": _value(s.restitution)} for s in system.stops
        ]
    if system.initial is not None:
        initial: dict[str, Any] = {} if system.initial.t is ZERO else {"t": _value(system.initial.t)}
        for key in ("position", "velocity"):
            values = _values(getattr(system.initial, key))
            if values:
                initial[key] = values
        data["initial"] = initial
    run: dict[str, Any] = {
        k: _value(v) for k, v in (("until", system.until), ("tolerance", system.tolerance)) if v is not None
    }
    if system.gauge:
        run["gauge"] = list(system.gauge)
    if run:
        data["run"] = run
    if system.view:
        data["view"] = thaw(system.view)
    if system.claims:
        data["claims"] = [thaw(c) for c in system.claims]
    return data


def _dynamics(system: System) -> dict[str, Any]:
    own = system.dynamics
    dynamics: dict[str, Any] = thaw(own.table(), _text) if own.section == "dynamics" else {}
    if system.degenerate:
        dynamics["degenerate"] = True
    if system.forces:
        dynamics["forces"] = {n: to_text(f) for n, f in system.forces.items()}
    return dynamics


def _text(value: Any) -> str:
    """An entry of a dynamics as a text."""
    return str(value) if isinstance(value, (str, Equation)) else to_text(value)


def _values(values: Mapping[str, Expr]) -> dict[str, Any]:
    return {name: _value(expr) for name, expr in values.items()}


def _table(table: DataTable) -> dict[str, Any]:
    rows = {"t": table.knots, "values": table.values}
    written: dict[str, Any] = {key: [_value(number(x)) for x in numbers] for key, numbers in rows.items()}
    return written | {"interpolation": table.interpolation}


def _value(expr: Expr) -> int | Decimal | str:
    """A number of TOML where that is exact, else a text."""
    if expr.op != "number":
        return to_text(expr)
    value: Fraction = expr.value
    if value.denominator == 1 and abs(value.numerator) < 2**63:
        return value.numerator
    decimal = decimal_text(value)
    return Decimal(decimal) if decimal is not None and len(decimal) <= 40 else to_text(expr)
