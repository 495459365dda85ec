"""Invariants as people give them: functions on Q by name, ``{"r2": "x^2 + y^2"}`` (SCOPE B11).

An invariant has a name that is free: no parameter, no time, and a coordinate's name only for that coordinate
itself.

>>> import chetaev as ch
>>> found = read_invariants(ch.load("knife-edge"), {"phi": "phi", "omega": "phi'"})
>>> [(s.name, str(s.function), s.is_coordinate) for s in found]
[('phi', 'phi', True), ('omega', "phi'", False)]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.expr.graph.node import Expr, symbol, symbols
from chetaev.expr.language.scope import normal_name
from chetaev.model.jet_functions import function_on
from chetaev.model.system import System


@dataclass(frozen=True)
class Invariant:
    """A name and a function on Q."""

    name: str
    function: Expr

    @property
    def letter(self) -> Expr:
        """The name as a coordinate of the reduced space."""
        return symbol(self.name)

    @property
    def coordinate(self) -> str | None:
        """The coordinate that it is, if it is one."""
        return str(self.function.value[0]) if self._is_position else None

    @property
    def is_coordinate(self) -> bool:
        """Whether it is the coordinate of its own name."""
        return self.coordinate == self.name

    @property
    def _is_position(self) -> bool:
        return self.function.op == "symbol" and self.function.value[1] == 0


def read_invariants(system: System, given: Any) -> tuple[Invariant, ...]:
    """Invariants from a mapping of names to functions."""
    if not isinstance(given, Mapping) or not given:
        raise ModelError(
            f"the invariants are {shown(given)}",
            expected='functions by name, such as {"r2": "x^2 + y^2", "u": "x*x\' + y*y\'"}',
        )
    found: dict[str, Invariant] = {}
    for name, value in given.items():
        plain = _name(system, name)
        function = function_on(system, value, f"the invariant {plain!r}")
        if plain in found:
            raise ModelError(f"two invariants are called {plain!r}", remedy="give each a name of its own")
        if plain in system.coordinates and function is not symbol(plain):
            raise ModelError(
                f"the invariant {plain!r} has the name of a coordinate but is {shown(str(function))}",
                remedy="give it another name",
            )
        if not any(n in system.coordinates for n, _ in symbols(function)):
            raise ModelError(
                f"the invariant {plain!r} is {shown(str(function))}, which is no function of the state",
                expected="a function of coordinates and velocities",
            )
        found[plain] = Invariant(plain, function)
    return tuple(found.values())


def named_invariants(system: System, functions: Sequence[Expr]) -> tuple[Invariant, ...]:
    """Coordinates keep their names, velocities get v_x, other functions s1, s2, …"""
    taken = {system.time, *system.parameters, *system.coordinates}
    found: list[Invariant] = []
    count = 0
    for e in functions:
        if e.op == "symbol" and e.value[0] in system.coordinates:
            name, order = e.value
            wanted = name if not order else f"v_{name}"
        else:
            count += 1
            wanted = f"s{count}"
        while wanted in taken and not (e.op == "symbol" and e.value == (wanted, 0)):
            wanted += "_"
        taken.add(wanted)
        found.append(Invariant(wanted, e))
    return tuple(found)


def _name(system: System, name: object) -> str:
    """A name that the reduced system can have."""
    if not isinstance(name, str):
        raise ModelError(f"an invariant is called {shown(name)}", expected="a name")
    plain = normal_name(name)
    if plain == system.time or plain in system.parameters:
        what = "time" if plain == system.time else "a parameter"
        raise ModelError(f"the invariant {plain!r} has the name of {what}", remedy="give it another name")
    _probe(plain)
    return plain


def _probe(name: str) -> None:
    """Let a system judge the name: it will be a coordinate."""
    try:
        System(coordinates=[name], dynamics={"velocities": {name: "0"}})
    except ModelError as error:
        raise ModelError(
            f"an invariant cannot be called {name!r}: {error.message}", remedy="give it another name"
        ) from None
