"""Pulses: short times at which a function of time alone, in the law, is not what it is otherwise.

A step sees the law at its stages; a pulse between them is stepped over, and no estimate of the error knows.
So what depends on time alone is looked at ahead, and a step ends at the top of every pulse: there the error
of the step tells that something was missed.

The function is sampled at `SAMPLES` times of the run, and at the zeros and extrema of all its parts, as t − 5
and (t − 5)² are in exp(−10⁶ (t − 5)²): they are as wide as the pulse is narrow. A pulse stands out by more
than `PART` of the largest deviation from the function's median for less than `SHORT` of the run.

>>> from chetaev.expr.language.parser import parse
>>> from chetaev.expr.language.scope import Scope
>>> force = parse("3*x + 1000*exp(-10^6*(t - 5)^2) + 10^9*exp(-10^20*(t - 7)^2) + cos(t)", Scope.of(["x"]))
>>> [round(t, 3) for t in Pulses([force], "t", []).tops({}, 0.0, 10.0)]
[5.0, 7.0]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr, postorder, symbols

SAMPLES = 2**14
PART = 1e-3
SHORT = 0.01
MOST = 1000
"""A function with more pulses is one that oscillates, and steps follow it; so it is with zeros of a part."""
HIGHEST = 16
"""A higher power may be a pulse."""
HALVINGS = 48
"""Of the distance of two samples, to the last digits of a time."""
ROUNDING = 1e-9
"""Of the largest terms of a part: smaller differences of neighbours make no extremum."""

Array = NDArray[np.float64]
Evaluation = Callable[[Expr, Array], Array]


class Pulses:
    """The functions of time alone in the graphs of a law."""

    def __init__(self, graphs: Sequence[Expr], time: str, parameters: Iterable[str]) -> None:
        self.time = time
        self.functions = [f for f in _of_time(graphs, time, set(parameters)) if _inside(f)]
        self.parameters = sorted({name for name, _ in symbols(*self.functions)} - {time})
        self._known: tuple[object, list[float]] = (None, [])

    def tops(self, values: Mapping[str, float], begin: float, end: float) -> list[float]:
        """The tops of pulses, in the order of the run."""
        if not self.functions or begin == end:
            return []
        asked = (tuple(values[name] for name in self.parameters), begin, end)
        if self._known[0] != asked:
            self._known = (asked, self._tops(dict(zip(self.parameters, asked[0], strict=True)), begin, end))
        return list(self._known[1])

    def _tops(self, values: Mapping[str, float], begin: float, end: float) -> list[float]:
        t = np.linspace(begin, end, SAMPLES + 1)
        known = {(name, 0): value for name, value in values.items()}
        found: set[float] = set()

        def at(f: Expr, times: Array) -> Array:
            with np.errstate(all="ignore"):
                value = evaluate([f], {**known, (self.time, 0): times})[0]
            return np.broadcast_to(np.asarray(value, float), times.shape)

        for f in self.functions:
            marked = [t]
            for part in _inside(f):
                if (self.time, 0) in symbols(part):
                    marked += [_zeros(part, at, t), _extrema(part, at, t)]
            times = np.unique(np.concatenate(marked))
            inside = at(f, times)
            if np.all(np.isfinite(inside)):
                found |= {float(x) for x in times[_tops(times, inside, float(np.median(at(f, t))))]}
        ordered = sorted(found - {begin, end}, reverse=end < begin)
        return ordered if len(ordered) <= MOST else []


def _is_slow(node: Expr) -> bool:
    """Whether a function has no pulses if its arguments have none: sums, products, powers, sines, cosines."""
    if node.op == "pow":
        power = node.args[1]
        return power.op == "number" and power.value.denominator == 1 and 0 <= power.value <= HIGHEST
    if node.op == "div":
        return node.args[1].op in ("number", "constant")
    return node.op in ("number", "constant", "symbol", "define", "add", "mul", "neg", "sin", "cos")


def _inside(f: Expr) -> list[Expr]:
    """The parts of arguments of other functions."""
    return list(postorder(*(a for node in postorder(f) if not _is_slow(node) for a in node.args)))


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


def _zeros(part: Expr, at: Evaluation, t: Array) -> Array:
    """Where the part changes its sign."""
    values = at(part, t)
    places = np.flatnonzero((values[1:] > 0) != (values[:-1] > 0))
    if not 0 < len(places) <= MOST:
        return t[:0]
    left, right, positive = t[places], t[places + 1], values[places] > 0
    for _ in range(HALVINGS):
        middle = 0.5 * (left + right)
        same = (at(part, middle) > 0) == positive
        left, right = np.where(same, middle, left), np.where(same, right, middle)
    return np.concatenate([left, right])


def _extrema(part: Expr, at: Evaluation, t: Array) -> Array:
    """Where the part is larger, or smaller, than beside."""
    values = at(part, t)
    if not np.all(np.isfinite(values)):
        return t[:0]
    rises = np.diff(values)
    rises[abs(rises) < ROUNDING * abs(values).max()] = 0.0
    places = np.flatnonzero(rises[1:] * rises[:-1] < 0)
    if not 0 < len(places) <= MOST:
        return t[:0]
    sign = np.where(rises[places] > 0, 1.0, -1.0)
    left, right = t[places], t[places + 2]
    for _ in range(HALVINGS):
        low, high = left + 0.4 * (right - left), left + 0.6 * (right - left)
        rising = sign * at(part, low) < sign * at(part, high)
        left, right = np.where(rising, low, left), np.where(rising, right, high)
    return 0.5 * (left + right)


def _tops(times: Array, values: Array, median: float) -> list[int]:
    """The places of the largest values of all short stretches that stand out."""
    off = np.abs(values - median)
    high = np.concatenate([[False], off > PART * off.max(), [False]])
    turns = np.flatnonzero(high[1:] != high[:-1]).reshape(-1, 2)
    length = SHORT * abs(times[-1] - times[0])
    return [int(a + np.argmax(off[a:b])) for a, b in turns if times[b - 1] - times[a] < length]
