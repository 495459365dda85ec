"""Pulses: short times at which a function of time alone, in the law, is not what it is otherwise.

A step sees the law at its stages; a pulse between them is stepped over, and no estimate of the error knows.
So what depends on time alone is sampled ahead, at `SAMPLES` times of the run, and a step ends at the top of
every pulse: there the error of the step tells that something was missed.

A pulse stands out by more than `PART` of the largest deviation from the function's median for less than
`SHORT` of the run. What is shorter than the distance of two samples is not seen.

>>> from chetaev.expr.language.parser import parse
>>> from chetaev.expr.language.scope import Scope
>>> force = parse("3*x + 1000*exp(-10^6*(t - 5)^2) + cos(t)", Scope.of(["x"]))
>>> [round(t, 3) for t in pulses([force], "t", {}, 0.0, 10.0)]
[5.0]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr, postorder

SAMPLES = 2**14
PART = 1e-3
SHORT = 0.01
MOST = 1000
"""A function with more pulses is one that oscillates, and steps follow it."""


def pulses(
    graphs: Sequence[Expr], time: str, parameters: Mapping[str, float], begin: float, end: float
) -> list[float]:
    """The tops of pulses, in the order of the run."""
    functions = _of_time(graphs, time, set(parameters))
    if not functions or begin == end:
        return []
    t = np.linspace(begin, end, SAMPLES + 1)
    known = {(name, 0): value for name, value in parameters.items()}
    found: set[float] = set()
    for f in functions:
        values = np.broadcast_to(np.asarray(evaluate([f], {**known, (time, 0): t})[0], float), t.shape)
        if np.all(np.isfinite(values)):
            found |= {float(x) for x in t[_tops(values)]}
    inside = sorted(found - {begin, end}, reverse=end < begin)
    return inside if len(inside) <= MOST else []


def _of_time(graphs: Sequence[Expr], time: str, parameters: set[str]) -> list[Expr]:
    """Functions of time and parameters alone, as large as they are in the graphs."""
    timed: dict[int, bool | None] = {}  # None where something else occurs
    found: dict[int, Expr] = {}
    for node in postorder(*graphs):
        if node.op == "symbol":
            name, order = node.value
            own = order == 0 and (name == time or name in parameters)
            timed[id(node)] = name == time if own else None
            continue
        parts = [timed[id(a)] for a in node.args]
        timed[id(node)] = None if None in parts else True in parts
        if timed[id(node)]:
            for a in node.args:
                found.pop(id(a), None)
            found[id(node)] = node
    return list(found.values())


def _tops(values: NDArray[np.float64]) -> list[int]:
    """The places of the largest values of all short stretches that stand out."""
    off = np.abs(values - np.median(values))
    high = np.concatenate([[False], off > PART * off.max(), [False]])
    turns = np.flatnonzero(high[1:] != high[:-1]).reshape(-1, 2)
    return [int(a + np.argmax(off[a:b])) for a, b in turns if b - a < SHORT * len(values)]
