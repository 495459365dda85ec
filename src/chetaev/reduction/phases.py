"""Geometric and dynamic phase of a relative periodic orbit (SCOPE M6).

If the reduced motion returns after T, the full one has been moved by a group element: x(T) = g x(0). A
connection (`group_motion.py`) splits it. With ξ(t) the part of q̇ along the group,

    k̇ = ξ(t) k,  k(0) = 1:     x(t) = k(t) y(t),      y horizontal,      y(T) = h y(0),      g = k(T) h;

k(T) is the dynamic, h the geometric phase: the holonomy of the closed curve in the shapes. Group elements are
written as exponentials exp(c^a X_a) of the fields given. For commuting fields exponents add:
c(g) = ∫ξ dt + c(h).

>>> import chetaev as ch
>>> beanie = ch.System(
...     coordinates=["a", "b"],
...     lagrangian="3*a'^2/2 + (a' + b')^2/2 + cos(b)",
...     initial={"a": 0, "b": 0, "a_dot": 0.5, "b_dot": 4},
...     until=10,
... )
>>> found = ch.reduce(beanie, symmetries=[{"a": 1}]).phases()
>>> found.geometric.round(9).tolist(), round(-6.283185307179586 / 4, 9)
([-1.570796327], -1.570796327)
>>> bool(abs(found.total - found.dynamic - found.geometric).max() < 1e-9)
True
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chetaev.checked_arguments import number
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Field, answer, ask
from chetaev.expr.graph.node import Expr, symbols
from chetaev.flow.data.simulate import simulate
from chetaev.flow.run.events import Event
from chetaev.laws.symmetry.algebra import bracket
from chetaev.laws.symmetry.given_fields import Components
from chetaev.reduction.group_motion import NODES, WEIGHTS, GroupConnection, GroupMotion
from chetaev.reduction.reconstruction import reduced_system
from chetaev.results import TextResult

if TYPE_CHECKING:
    from chetaev.reduction.reduced_motion import Reduction

Array = NDArray[np.float64]

FIRST_STEPS, MOST_STEPS = 48, 768
SETTLED = 1e-11
"""Two numbers of steps have to agree to this, relative to the size of the state."""
RETURNED = 1e-7
"""How close the invariants have to come to their first values, relative to their size."""
TOLERANCE = 1e-13


@dataclass(frozen=True)
class Phases(TextResult):
    """What a relative periodic orbit does in one period.

    Attributes
    ----------
    period
        After which the invariants have their values again.
    fields
        The fields X_a.
    total, dynamic, geometric
        Exponents c^a of group elements g = k h: exp(c^a X_a).
    commuting
        Whether the fields commute; then total = dynamic + geometric.
    connection
        "mechanical" or "nonholonomic".
    error
        The largest difference between g x(0) and the full motion at the end.
    """

    period: float
    fields: tuple[Components, ...]
    total: Array
    dynamic: Array
    geometric: Array
    commuting: bool
    connection: str
    error: float

    def __str__(self) -> str:
        lines = [f"period {self.period:.9g}, {self.connection} connection"]
        rows = [("total", self.total), ("dynamic", self.dynamic), ("geometric", self.geometric)]
        for name, c in rows:
            parts = [f"{_shown(x)} ({f})" for x, f in zip(c, self.fields, strict=True)]
            lines.append(f"  {name:<9} exp of {' + '.join(parts)}")
        if not self.commuting:
            lines.append("  the fields do not commute: total = dynamic · geometric as group elements")
        return "\n".join(lines)


def _shown(x: float) -> str:
    return f"{0.0 if abs(x) < 1e-9 else x:.9g}"


def phases(
    reduction: Reduction,
    period: float | None = None,
    initial: Mapping[Any, Any] | None = None,
    until: float | None = None,
) -> Phases:
    """The phases of the motion from an initial state; see :meth:`Reduction.phases`."""
    full = reduction.full
    if not reduction.symmetries:
        raise ModelError(
            "phases are shifts along the orbits of symmetries, and this reduction was made by invariants",
            remedy="reduce with symmetries=[…]",
        )
    _expect_steady(reduction)
    if initial is not None:
        full = full.with_initial(initial)
    if full.initial is None:
        raise ModelError("a phase needs a motion: the model has no initial state", remedy="give initial={…}")
    turning = _angles(reduction)
    length = (
        number(period, "the period", 1e-9) if period is not None else _period(reduction, full, until, turning)
    )
    fields = reduction.symmetries
    connection, group = GroupConnection(full, fields), GroupMotion(full, fields)
    n = len(full.coordinates)
    turns = np.array([c in turning for c in full.coordinates] + [False] * n)
    commuting = _commute(reduction)
    steps, before = FIRST_STEPS, None
    while True:
        start, end, xi = _along(full, connection, length, steps)
        h = length / steps
        integral = h * np.einsum("s,ksa->a", WEIGHTS, xi)
        back = group.transported(end, -xi[::-1, ::-1], h)
        size = 1 + float(np.abs(back).max(initial=0.0))
        if before is not None and float(np.abs(back - before).max(initial=0.0)) < SETTLED * size:
            break
        if steps >= MOST_STEPS:
            break
        before, steps = back, 2 * steps
    zero = np.zeros(len(fields))
    geometric = _found(group, start, back, [zero, integral, *_further(zero)], turns)
    if commuting:
        dynamic = integral
        total = dynamic + geometric
    else:
        dynamic = _found(group, back, end, [integral, zero, *_further(integral)], turns)
        total = _found(group, start, end, [integral + geometric, zero, *_further(integral)], turns)
    rest = end - group.shifted(start, total)
    rest = np.where(turns, rest - 2 * math.pi * np.round(rest / (2 * math.pi)), rest)
    error = float(np.abs(rest).max(initial=0.0))
    return Phases(length, fields, total, dynamic, geometric, commuting, connection.kind, error)


def _found(group: GroupMotion, start: Array, end: Array, guesses: Sequence[Array], turns: Array) -> Array:
    found = group.exponents(start, end, guesses, turns)
    if found is None:
        raise ModelError(
            "after this time the motion is not where the group takes its first state",
            expected="a period of the reduced motion",
            remedy="leave period= out, and it is searched",
        )
    return found[0]


def _further(base: Array) -> list[Array]:
    """Other places to start from: logarithms of group elements may be far from each other."""
    found = []
    for a in range(len(base)):
        for turn in (math.pi / 2, -math.pi / 2, math.pi):
            step = np.zeros(len(base))
            step[a] = turn
            found.append(base + step)
    return found


def _along(full: Any, connection: GroupConnection, length: float, steps: int) -> tuple[Array, Array, Array]:
    """First and last state of the full motion, and ξ at the nodes of every step."""
    t0 = full.state.t
    h = length / steps
    inner = [t0 + h * (k + float(c)) for k in range(steps) for c in NODES]
    motion = simulate(full, until=t0 + length, at=[t0, *inner, t0 + length], tolerance=TOLERANCE)
    if motion.sizes["time"] != len(inner) + 2:
        raise ModelError(f"the motion ends before its period: {motion.attrs.get('status', '')}")
    t = motion["time"].values
    q = np.stack([motion[c].values for c in full.coordinates], axis=-1)
    v = np.stack([motion[f"{c}_dot"].values for c in full.coordinates], axis=-1)
    xi = connection(t[1:-1], q[1:-1], v[1:-1]).reshape(steps, len(NODES), -1)
    states = np.concatenate([q, v], axis=1)
    return states[0], states[-1], xi


def _expect_steady(reduction: Reduction) -> None:
    timed = [e for e in reduction.field.values() if (reduction.full.time, 0) in symbols(e)]
    timed += [e for f in reduction.symmetries for _, e in f.along if (reduction.full.time, 0) in symbols(e)]
    if timed:
        raise ModelError(
            "phases of a motion whose reduced equations or symmetries contain time are not defined here",
            expected="a system and symmetries that do not depend on time",
        )


def _commute(reduction: Reduction) -> bool:
    ring = Field(Budget(1_000_000))
    names = reduction.full.coordinates
    listed = [{n: ring(e) for n, e in f.along} for f in reduction.symmetries]
    return all(
        e.is_zero for X, Y in combinations(listed, 2) for e in bracket(names, X, Y, ring.zero).values()
    )


def _angles(reduction: Reduction) -> set[str]:
    """Coordinates among the invariants on which everything depends by sines and cosines alone."""
    graphs = [*reduction.field.values(), *(s.function for s in reduction.invariants if not s.is_coordinate)]
    found = set()
    for s in reduction.invariants:
        if s.is_coordinate and all(_is_periodic(e, s.name) for e in graphs):
            found.add(s.name)
    return found


def _is_periodic(e: Expr, name: str) -> bool:
    """Whether a coordinate occurs only inside sines and cosines of whole multiples of it."""
    if (name, 0) not in symbols(e):
        return True
    if e.op == "symbol":
        return False
    if e.op in ("sin", "cos", "tan"):
        found = answer(ask(lambda: Field(Budget(100_000))(e.args[0]).coefficients((name, 0))))
        slope = None if found is None or max(k for (k,) in found) > 1 else found[1,].as_fraction()
        return slope is not None and slope.denominator == 1
    return all(_is_periodic(a, name) for a in e.args)


def _period(reduction: Reduction, full: Any, until: float | None, turning: set[str]) -> float:
    """When the invariants first have their first values again, by crossings of a surface through these."""
    small = reduced_system(full, reduction.invariants, reduction.field)
    first = {c: float(x) for c, x in small.state.position.items()}
    speeds = dict(zip(first, small.at_start([reduction.field[c] for c in first]), strict=True))
    size = max(map(abs, speeds.values()))
    if size < 1e-12:
        raise ModelError(
            "the reduced motion stands still: a relative equilibrium, which any time is a period of",
            remedy="give period=…",
        )
    terms = [
        f"({u!r})*sin({c} - ({first[c]!r}))" if c in turning else f"({u!r})*({c} - ({first[c]!r}))"
        for c, u in speeds.items()
        if u
    ]
    event = Event(" + ".join(terms), direction=1)
    motion = simulate(small, until=until, at=2, tolerance=TOLERANCE, events=[event])
    nearest = math.inf
    for one in motion.attrs["events"]:
        t = float(one["time"])
        if t - small.state.t < 1e-8:
            continue
        away = _distance(one, first, turning)
        if away < RETURNED:
            return t - small.state.t
        nearest = min(nearest, away)
    limit = float(motion["time"].values[-1])
    said = "" if nearest is math.inf else f"; at crossings the nearest was {nearest:.3g} away"
    raise ModelError(
        f"the reduced motion does not return to its first values before {small.time} = {limit:g}{said}",
        remedy="until= looks further; a relative periodic orbit may need other initial data",
    )


def _distance(event: Mapping[str, Any], first: Mapping[str, float], turning: set[str]) -> float:
    away = 0.0
    for (c, x), here in zip(first.items(), event["position"], strict=True):
        rest = float(here) - x
        if c in turning:
            rest -= 2 * math.pi * round(rest / (2 * math.pi))
        away = max(away, abs(rest) / (1 + abs(x)))
    return away
