"""The names, parameters and constraints of a motion that has no Lagrangian (SCOPE K25, D4, Sa1).

A fundamental 1-form, or a system given on Q itself, needs coordinates, parameters, time and constraints, but
has no L. A :class:`Carrier` has all of these and refuses to be taken for a mechanical system.

>>> import chetaev as ch
>>> ch.simulate(carrier(["x"]), until=1)
Traceback (most recent call last):
chetaev.errors.ModelError: ch.simulate was given names and constraints without a Lagrangian
  expected a System, such as ch.load gives
  a motion given by its own equations has them in derive()
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Self

from chetaev.errors import ModelError
from chetaev.expr.graph.node import Expr
from chetaev.model.dynamics.any_dynamics import Dynamics, Part
from chetaev.model.file.loader import loads
from chetaev.model.reading.text_places import PythonSource
from chetaev.model.system import System
from chetaev.model.system_arguments import data_of


class NoDynamics(Dynamics):
    """Names and constraints alone say nothing about accelerations."""

    kind = "none"
    given_by = "its own equations"

    @property
    def parts(self) -> tuple[Part, ...]:
        """None."""
        return ()

    def with_parts(self, functions: Sequence[Expr]) -> Self:
        """The same nothing."""
        return self

    def table(self) -> dict[str, Any]:
        """Nothing stands in a model file."""
        return {}

    def lacks(self, what: str) -> str:
        """Whatever is asked for, there is none."""
        return "these are the names and constraints of a motion that has no Lagrangian"


class Carrier(System):
    """A System without dynamics."""

    __slots__ = ()

    has_dynamics = False

    @property
    def lagrangian(self) -> Expr:
        """There is none: a ModelError says so."""
        raise ModelError(
            "these are the names and constraints of a motion that has no Lagrangian",
            remedy="its equations are given by themselves: derive() states them",
        )

    @property
    def dynamics(self) -> Dynamics:
        """Nothing: neither a Lagrangian nor forces."""
        return NoDynamics(self.coordinates, {})

    def to_toml(self) -> str:
        """There is no model file without a Lagrangian: a ModelError says so."""
        raise ModelError("a motion without a Lagrangian has no model file", remedy="write a System instead")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Carrier) and self._fields == other._fields

    @cached_property
    def _hash(self) -> int:
        return hash((self.time, self.coordinates, tuple(self.parameters), self.velocity_constraints))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        data = data_of(self._fields)
        return _restored, (System.from_data(data, PythonSource(data)).to_toml(),)

    def __repr__(self) -> str:
        return super().__repr__().replace("<System", "<Carrier", 1)


def carrier(
    coordinates: Sequence[str],
    constraints: Any = (),
    parameters: Mapping[str, Any] | None = None,
    **options: Any,
) -> Carrier:
    """Names, parameters and constraints for what has no Lagrangian; options are those of a System.

    >>> carrier(["x", "y"], ["y' = x*x'"], {"c": 3}).lagrangian
    Traceback (most recent call last):
    chetaev.errors.ModelError: these are the names and constraints of a motion that has no Lagrangian
      its equations are given by themselves: derive() states them
    """
    null = " + ".join(
        f"{c}'" for c in coordinates
    )  # d/dt of a function: even if it leaked out, no law would follow
    return Carrier(
        coordinates=coordinates,
        lagrangian=null,
        degenerate=True,
        constraints=constraints,
        parameters=parameters,
        **options,
    )


def _restored(text: str) -> System:
    data = data_of(loads(text)._fields)
    return Carrier.from_data(data, PythonSource(data))
