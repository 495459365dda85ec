"""A model as programs of the oracle: every expression read from the text that the user wrote.

A system from a file, or from texts and numbers in Python, is read from these. Parts that were given as SymPy
expressions or as graphs have no text; they are read from the text that chetaev writes for them, which is then
the one thing that the oracle shares with the formulations (`expr.print`).

>>> from chetaev.model.system import System
>>> system = System(coordinates=["x"], lagrangian="m*x'^2/2", parameters={"k": 2, "m": "k/3"})
>>> ModelText.of(system).parameters["k"]
(Step(what='number', value=Fraction(2, 1), count=0),)
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from chetaev.compare.oracle.kinds import Kind, kind
from chetaev.compare.oracle.phase_space import FromPoisson, poisson
from chetaev.compare.oracle.reader import Program, Step, normal, read

if TYPE_CHECKING:
    from chetaev.model.system import System


@dataclass(frozen=True)
class ModelText:
    """What a model says, as programs; constraints as lhs − rhs."""

    time: str
    coordinates: tuple[str, ...]
    parameters: Mapping[str, Program]
    definitions: Mapping[str, Program]
    dynamics: Kind | FromPoisson
    forces: Mapping[str, Program]
    position: tuple[Program, ...]
    velocity: tuple[Program, ...]
    acceleration: tuple[Program, ...]

    @classmethod
    def of(cls, system: System) -> ModelText:
        """The texts of a system."""
        given = system.given
        dynamics = given.get("dynamics") or {}
        constraints = given.get("constraints") or {}
        coordinates = tuple(normal(c) for c in given["coordinates"])
        own: Kind | FromPoisson
        if given.get("poisson") is not None:
            own = poisson(given["poisson"], system.dynamics, coordinates, _program)
        else:
            own = kind(dynamics, system.dynamics, coordinates, _program)
        meanings = {name: node.args[0] for name, node in system.definitions.items()}
        return cls(
            time=normal(given.get("time") or "t"),
            coordinates=coordinates,
            parameters=_table(given.get("parameters"), system.parameters),
            definitions=_table(given.get("define"), meanings),
            dynamics=own,
            forces=_table(dynamics.get("forces"), system.forces),
            position=_position(own, constraints, system),
            velocity=() if isinstance(own, FromPoisson) else _velocity(dynamics, constraints, system),
            acceleration=_list(constraints.get("acceleration"), system.acceleration_constraints),
        )


def _position(own: Kind | FromPoisson, constraints: Mapping[str, Any], system: System) -> tuple[Program, ...]:
    """The constraints on coordinates, those of [poisson] first."""
    built = system.position_constraints[len(system.dynamics.relations) :]
    first = own.constraints if isinstance(own, FromPoisson) else ()
    return (*first, *_list(constraints.get("position"), built))


def _velocity(
    dynamics: Mapping[str, Any], constraints: Mapping[str, Any], system: System
) -> tuple[Program, ...]:
    """The velocity constraints; a mixed system has its own, x' − g for the velocity g of x."""
    if dynamics.get("velocities") is None:
        return _list(constraints.get("velocity"), system.velocity_constraints)
    given = dynamics["velocities"].items()
    right = [_program(g, e.rhs) for (_, g), e in zip(given, system.velocity_constraints, strict=True)]
    return tuple(
        (Step("name", normal(name), 1), *g, Step("-")) for (name, _), g in zip(given, right, strict=True)
    )


def _table(given: Mapping[str, Any] | None, built: Mapping[str, Any]) -> dict[str, Program]:
    return {normal(name): _program(value, built[normal(name)]) for name, value in (given or {}).items()}


def _list(given: Iterable[Any] | None, built: Iterable[Any]) -> tuple[Program, ...]:
    return tuple(_program(value, equation) for value, equation in zip(given or (), built, strict=True))


def _program(given: Any, built: Any) -> Program:
    """The program of a value: of its text, its number, or of the text of what was built from it."""
    if isinstance(given, str):
        return read(given)
    if isinstance(given, (int, Fraction, Decimal)):
        return (Step("number", Fraction(given)),)
    if isinstance(given, numbers.Real):  # a float means the decimal number that Python prints for it
        return (Step("number", Fraction(repr(float(given)))),)
    return read(str(built))
