"""Forces that Python functions supply to a run.

    ch.simulate(system, forces={"x": lambda t, q, v: -3*v["x"] if t > 1 else 0.0})

The force on x is that of the model plus what the function returns; q and v are tables of positions and
velocities by name. In compiled code it is one more parameter, set before each evaluation of the field. What
is lost: a function has no text and no derivatives, so that nothing can be proved of it, and no formulation,
law or data set holds it; a run calls it some twelve times a step, at Python's speed, and does not know where
it has corners. So it is an argument of a run and not a part of a model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.expr.graph.node import ZERO, add, symbol
from chetaev.flow.run.array_calls import Array
from chetaev.model.system import System
from chetaev.model.system_arguments import data_of

Force = Callable[[float, Mapping[str, float], Mapping[str, float]], float]


class Supplied:
    """Python functions as forces on a system, which has a parameter for each, `names` by coordinate."""

    def __init__(self, system: System, forces: Mapping[Any, Any]) -> None:
        self.forces: dict[str, Force] = {}
        for name, force in forces.items():
            if name not in system.coordinates:
                raise ModelError.unknown(
                    f"there is no coordinate {shown(name)} for a force to act on", name, system.coordinates
                )
            if not callable(force):
                raise ModelError(
                    f"the force on {name!r} is {shown(force)}",
                    expected="a Python function of (t, q, v)",
                    remedy="forces in the model language belong into the model: System(…, forces={…})",
                )
            self.forces[name] = force
        self.original = system
        self.names = {name: self._free(system, f"force_{name}") for name in self.forces}
        data = data_of(system)
        applied = {**data["dynamics"]["forces"]}
        for name, parameter in self.names.items():
            applied[name] = add(applied[name], symbol(parameter)) if name in applied else symbol(parameter)
        parameters = {**data["parameters"], **dict.fromkeys(self.names.values(), ZERO)}
        dynamics = {**data["dynamics"], "forces": applied}
        self.system = system._changed({"parameters": parameters, "dynamics": dynamics}, {})
        every = list(self.system.parameters)
        self.places = {name: every.index(parameter) for name, parameter in self.names.items()}
        self.error: ModelError | None = None

    @staticmethod
    def _free(system: System, name: str) -> str:
        while name in system.names:
            name += "_1"
        return name

    def values(self, t: float, q: Array, v: Array) -> dict[str, float]:
        """What the functions return at a state, coordinate by coordinate; a ModelError if one fails."""
        names = self.original.coordinates
        at, speed = (dict(zip(names, map(float, x), strict=True)) for x in (q, v))
        found = {}
        for name, force in self.forces.items():
            try:
                found[name] = float(force(t, at, speed))
            except Exception as error:  # whatever a foreign function does
                raise ModelError(
                    f"the force on {name!r} failed at {self.original.time} = {t:.10g}: "
                    f"{type(error).__name__}: {error}",
                    expected="a function of (t, q, v), tables of positions and velocities by name, "
                    "that returns a number",
                ) from error
        return found

    def set(self, p: Array, t: float, state: Array) -> None:
        """Put the forces at a state among the parameters of compiled code; nan once a function has failed."""
        n = len(self.original.coordinates)
        found: Mapping[str, float] = dict.fromkeys(self.forces, np.nan)
        if self.error is None:
            try:
                found = self.values(t, state[:n], state[n : 2 * n])
            except ModelError as error:
                self.error = error
        for name, place in self.places.items():
            p[place] = found[name]

    def along(self, t: Array, q: Array, v: Array) -> dict[str, Array]:
        """The parameters at states of a motion, one array each."""
        rows = [self.values(float(t[i]), q[i], v[i]) for i in range(len(t))]
        return {self.names[name]: np.array([row[name] for row in rows]) for name in self.forces}
