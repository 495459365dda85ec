"""A, B, C, D in doubles at one state, in the first chart in which the cyclic coordinates decouple."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.linear.flat_kinks import KINKED, is_on_kink
from chetaev.analysis.linear.local_chart import LocalChart, charts, expect_full_rank, tangent
from chetaev.analysis.linear.residual import KinkError, NoLinearizationError, Residual, Slopes, states_of_q
from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr, postorder, symbols
from chetaev.expr.language.parser import parse
from chetaev.flow.data.sensitivity import parameter_chain
from chetaev.model.reading.expression_values import graph_of
from chetaev.model.states.stack_of_constraints import every_constraint
from chetaev.model.system import System
from chetaev.model.system_arguments import as_list

Array = NDArray[np.float64]

CYCLIC = 4
"""So many states of Q are tried for a coordinate that is called cyclic."""
DECOUPLED = 1e-7
"""What is smaller, beside the largest entry of A, is no coupling."""


class NotCyclicError(ModelError):
    """A coordinate was called cyclic and is none."""

    coordinate: str = ""


@dataclass(frozen=True)
class Asked:
    """What a linearisation is asked for, checked."""

    relative_to: tuple[str, ...]
    """Coordinates that are left out."""
    inputs: tuple[str, ...]
    """Parameters, or coordinates for forces on them."""
    outputs: tuple[Expr, ...]
    texts: tuple[str, ...]
    """Expressions, and how they were written."""

    @classmethod
    def of(cls, system: System, relative_to: Any, inputs: Any, outputs: Any) -> Asked:
        """From what the user gave."""
        cyclic = expect_names(relative_to, "relative_to", system.coordinates, "coordinate")
        known = (*system.parameters, *system.coordinates)
        named = expect_names(inputs, "inputs", known, "parameter and no coordinate")
        if isinstance(outputs, (str, Expr)):
            outputs = (outputs,)
        exprs = [
            parse(e, system.scope) if isinstance(e, str) else graph_of(e, system.scope)
            for e in as_list(outputs, "outputs")
        ]
        return cls(cyclic, named, tuple(exprs), tuple(str(e) for e in exprs))


def expect_names(given: Any, what: str, known: Sequence[str], kind: str) -> tuple[str, ...]:
    """Different names among those that are known."""
    if isinstance(given, str):
        given = (given,)
    names = as_list(given, what)
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise ModelError.unknown(f"{what} has {shown(name)}, which is no {kind}", name, known)
        if names.count(name) > 1:
            raise ModelError(f"{what} has {name!r} twice")
    return tuple(names)


@dataclass(frozen=True)
class Matrices:
    """A and B on the kept coordinates of a chart, C on all of them, D; X there, and what it is made of."""

    chart: LocalChart
    kept: list[int]
    A: Array
    B: Array
    C: Array
    D: Array
    drift: Array
    dropped_drift: Array
    size: float
    t: float


def matrices_at(system: System, residual: Residual, asked: Asked, t: float, q: Array, v: Array) -> Matrices:
    """The matrices at a state of Q."""
    _expect_smooth(system, t, q, v)
    p = residual.model.default_values
    slopes = residual.at(t, q, v, p)
    expect_full_rank(slopes.phi_q, slopes.f_v)
    chart = next(decoupled(system, residual, asked, slopes, p))
    return in_chart(system, residual, asked, chart, t, q, v, slopes)


def _expect_smooth(system: System, t: float, q: Array, v: Array) -> None:
    """A ModelError on a kink of abs, sign, min or max: there is no derivative there."""
    roots = [*system.dynamics.functions, *(e.residual for e in every_constraint(system))]
    for node in postorder(*roots):
        if node.op not in KINKED:
            continue
        names = {n for n, _ in symbols(node)}
        if not names & {*system.coordinates, system.time}:
            continue
        if is_on_kink([float(x) for x in evaluate(node.args, system.values_at(t, q, v))]):
            raise KinkError(
                f"the law has a kink at this state: {node} has no derivative there",
                remedy="linearise on one side of it, or make it smooth",
            )


def decoupled(
    system: System, residual: Residual, asked: Asked, slopes: Slopes, p: Array
) -> Iterator[LocalChart]:
    """The charts in which the coordinates that are left out decouple, here and elsewhere on Q.

    A ModelError if there is none.
    """
    places = [system.coordinates.index(c) for c in asked.relative_to]
    found = charts(slopes.phi_q, slopes.f_v, places)
    if not places:
        yield from found
        return
    coupled: tuple[str, str] | None = None
    others: list[Slopes] | None = None
    count = 0
    for chart in found:
        bound = [c for c, i in zip(asked.relative_to, places, strict=True) if i in chart.dependent_positions]
        if bound:
            raise _not_cyclic(
                bound[0],
                f"{bound[0]} is not cyclic: position constraints bind it to the other coordinates",
                remedy="leave it out of relative_to",
            )
        seen = _coupling(system, chart, asked, slopes)
        if seen is None:
            others = _elsewhere(system, residual, p) if others is None else others
            regular = [s for s in others if chart.is_regular(s.phi_q, s.f_v)]
            seen = next((c for s in regular if (c := _coupling(system, chart, asked, s))), None)
        if seen is None:
            count += 1
            yield chart
        coupled = coupled or seen
    if not count:
        name, on = coupled or (asked.relative_to[0], "the motion")
        raise _not_cyclic(
            name,
            f"{name} is not cyclic: the rate of {on} depends on it",
            expected="cyclic coordinates, on which nothing else depends in some chart of Q",
            remedy="leave it out, or give the symmetry that moves it by its components, such as "
            '{"x": "-y", "y": "x", "phi": 1}',
        )


def _not_cyclic(name: str, said: str, *, expected: str = "", remedy: str = "") -> NotCyclicError:
    error = NotCyclicError(said, expected=expected, remedy=remedy)
    error.coordinate = name
    return error


def _elsewhere(system: System, residual: Residual, p: Array) -> list[Slopes]:
    found = []
    for state in states_of_q(system, CYCLIC, seed=1):
        try:
            found.append(residual.at(*state, p))
        except NoLinearizationError:
            continue
    return found


def _coupling(system: System, chart: LocalChart, asked: Asked, slopes: Slopes) -> tuple[str, str] | None:
    """A coordinate that is left out, and a kept one whose rate depends on it."""
    names = chart.names(system.coordinates)
    A = ambient(slopes)[chart.places] @ tangent(chart, slopes.held, slopes.held_by_time)[0]
    out = [i for i, n in enumerate(names) if n in asked.relative_to]
    kept = [i for i in range(len(names)) if i not in out]
    for i in kept:
        for j in out:
            if abs(A[i, j]) > DECOUPLED * max(float(np.abs(A[i]).max()), 1e-6 * float(np.abs(A).max())):
                return names[j], names[i]
    return None


def ambient(slopes: Slopes) -> Array:
    """[[0, 1], [∂a/∂q, ∂a/∂v]]."""
    m = len(slopes.a)
    return np.vstack([np.hstack([np.zeros((m, m)), np.eye(m)]), slopes.by_state])


def in_chart(
    system: System, residual: Residual, asked: Asked, chart: LocalChart,
    t: float, q: Array, v: Array, slopes: Slopes,
) -> Matrices:  # fmt: skip
    """The matrices at a state in a given chart."""
    p = residual.model.default_values
    names = chart.names(system.coordinates)
    kept = [i for i, n in enumerate(names) if n not in asked.relative_to]
    out = [i for i, n in enumerate(names) if n in asked.relative_to]
    E, _ = tangent(chart, slopes.held, slopes.held_by_time)
    A = ambient(slopes)[chart.places] @ E
    B, by_input = _inputs(system, residual, asked, chart, slopes)
    _, by_x, by_p = residual.outputs_at(t, q, v, p)
    C, D = by_x @ E, by_p @ by_input
    for j in out:
        for i, text in enumerate(asked.texts):
            if abs(C[i, j]) > DECOUPLED * np.abs(C[i]).max():
                raise ModelError(
                    f"the output {text} depends on {names[j]}, which relative_to leaves out",
                    remedy="take it out of relative_to, or ask for an output that does not change with it",
                )
    rate = np.concatenate([v, slopes.a])[chart.places]
    size = float(max(1.0, np.abs(v).max(initial=0.0), np.abs(slopes.a).max(initial=0.0)))
    return Matrices(chart, kept, A[np.ix_(kept, kept)], B[kept], C, D, rate[kept], rate[out], size, t)


def input_in_constraint(name: str) -> ModelError:
    """The error of an input that is a parameter of a constraint."""
    return ModelError(
        f"the input {name} stands in a constraint: if it changes in time, its rate acts, too",
        expected="a parameter of the law, or a coordinate for a force on it",
        remedy="make what is prescribed a coordinate, and a force on it the input",
    )


def _inputs(
    system: System, residual: Residual, asked: Asked, chart: LocalChart, slopes: Slopes
) -> tuple[Array, Array]:
    """B in the chart, and ∂p/∂(inputs)."""
    parameters = list(system.parameters)
    chain = parameter_chain(residual.model) if asked.inputs else np.zeros((0, 0))
    B = np.zeros((len(chart.places), len(asked.inputs)))
    by_input = np.zeros((len(parameters), len(asked.inputs)))
    m = len(system.coordinates)
    for j, name in enumerate(asked.inputs):
        if name in parameters:
            if residual.occurs(name)[1]:
                raise input_in_constraint(name)
            by_input[:, j] = chain[:, parameters.index(name)]
            rate = slopes.by_parameter @ by_input[:, j]
        else:
            rate = slopes.by_force[:, system.coordinates.index(name)]
        B[:, j] = np.concatenate([np.zeros(m), rate])[chart.places]
    return B, by_input
