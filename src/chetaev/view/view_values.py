"""The numbers that the expressions of a view stand for, along a motion.

Besides time, parameters, coordinates with their derivatives and definitions, a view may use the
multipliers ``mu_1``, ``mu_2``, … in the order of the data set, the components ``reaction_x`` of the
constraint force μ_a ∂f^a/∂x', and ``energy``.

>>> import chetaev as ch
>>> sorted(extra_names(ch.load("knife-edge")))
['energy', 'mu_1', 'reaction_phi', 'reaction_x', 'reaction_y']
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate, key_name
from chetaev.expr.graph.node import Expr, symbol, symbols
from chetaev.flow.data.labels import length, name_of
from chetaev.model.states.stack_of_constraints import every_constraint, levels
from chetaev.model.system import System

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]


def extra_names(system: System) -> dict[str, Expr]:
    """The names a view may use beyond those of the model."""
    names = ["energy"] if system.dynamics.has_energy else []
    count = len(every_constraint(system))
    if count and system.dynamics.constraints_react:
        names += [f"mu_{i + 1}" for i in range(count)]
        names += [f"reaction_{c}" for c in system.coordinates]
    return {name: symbol(name) for name in names}


def variable(motion: xarray.Dataset, key: str) -> Array | None:
    """A quantity of a data set by its plain name, also where a coordinate bears that name."""
    name = name_of(motion, key)
    return np.asarray(motion[name].values, dtype=float) if name in motion else None


def pick(count: int, frames: int) -> NDArray[np.intp]:
    """Which of so many times are shown: every n-th and the last, at most `frames`.

    >>> pick(7, 4).tolist()
    [0, 2, 4, 6]
    """
    if count <= frames:
        return np.arange(count)
    stride = -(-(count - 1) // (frames - 1))
    chosen = np.arange(0, count, stride)
    return chosen if chosen[-1] == count - 1 else np.append(chosen, count - 1)


def values_along(
    system: System, motion: xarray.Dataset, chosen: NDArray[np.intp], used: Iterable[Expr]
) -> dict[Any, Any]:
    """Values by symbol at the chosen times; only the reactions that are used are computed."""
    missing = [c for c in system.coordinates if c not in motion or key_name(c, 1) not in motion]
    if missing:
        raise ModelError(
            f"the motion has no variable {missing[0]!r}",
            expected="a data set that ch.simulate made of this system",
        )
    values: dict[Any, Any] = dict(system.parameter_values)
    given = json.loads(motion.attrs.get("parameters", "{}"))
    values |= {k: v for k, v in given.items() if k in values}
    values[system.time] = np.asarray(motion[name_of(motion, "time")].values, dtype=float)[chosen]
    for name in system.coordinates:
        for order in range(3):
            if key_name(name, order) in motion:
                values[name, order] = np.asarray(motion[key_name(name, order)].values, dtype=float)[chosen]
    own = set(system.scope.values)
    energy = variable(motion, "energy")
    if energy is not None and "energy" not in own:
        values["energy"] = energy[chosen]
    multipliers = variable(motion, "multiplier")
    if motion.attrs.get("dynamics") == "vakonomic":  # its multipliers are states, and its forces are given
        own_names = [*str(motion.attrs.get("further_states", "")).split()]
        own_names += [f"reaction_{c}" for c in system.coordinates]
        found = {name: variable(motion, name) for name in own_names}
        values |= {name: x[chosen] for name, x in found.items() if x is not None and name not in own}
    if multipliers is not None:
        for i in range(multipliers.shape[1]):
            values.setdefault(f"mu_{i + 1}", multipliers[chosen, i])
        wanted = {name for name, _ in symbols(*used)} - own
        wanted_reactions = [c for c in system.coordinates if f"reaction_{c}" in wanted]
        for name, value in reactions(system, values, multipliers[chosen], wanted_reactions).items():
            values[f"reaction_{name}"] = value
    return values


def reactions(
    system: System, values: dict[Any, Any], multipliers: Array, coordinates: list[str]
) -> dict[str, Array]:
    """The components μ_a ∂f^a/∂v of the constraint force, by coordinate."""
    if not coordinates:
        return {}
    from chetaev.expr.graph.calculus import Calculus

    total = {c: np.zeros(len(multipliers)) for c in coordinates}
    rows = [(order, equation) for order, level in enumerate(levels(system)) for equation in level]
    for multiplier, (order, equation) in zip(multipliers.T, rows, strict=True):
        calculus = Calculus()
        column = calculus.gradient(equation.residual, [symbol(c, order) for c in coordinates])
        for name, slope in zip(coordinates, evaluate(calculus.graphs(column), values), strict=True):
            total[name] = total[name] + multiplier * slope
    return total


def integrals(
    system: System, motion: xarray.Dataset, rates: dict[str, Expr], chosen: NDArray[np.intp]
) -> dict[str, Array]:
    """The integrals of rates from the start of a motion on, by the trapezoidal rule over all its times."""
    if not rates:
        return {}
    every = values_along(system, motion, np.arange(length(motion)), rates.values())
    t = np.asarray(every[system.time], dtype=float)
    found = {}
    for name, rate in zip(rates, evaluate(rates.values(), every), strict=True):
        y = np.nan_to_num(np.broadcast_to(rate, t.shape), posinf=0.0, neginf=0.0)
        steps = np.diff(t) * (y[1:] + y[:-1]) / 2
        found[name] = np.concatenate([[0.0], np.cumsum(steps)])[chosen]
    return found
