"""Kinks that do not matter: forces such as −c |v| v have derivatives at rest, although |v| has none.

A product u·k at a point where u = 0, u differentiable and k continuous, has the derivative k·du there,

    u(z + h) k(z + h) = k(z) du(h) + o(|h|),

whatever k does. So at a state each k may be replaced by something smooth of the same value: |w| and √w by 0
where w = 0, max(a, b) by a where a = b. Two factors that are 0 and of which one has a bounded slope (|w|, min
or max of smooth functions) make a product with the derivative 0. The law that results has, at this state, the
value and the first derivatives of the given one.

>>> import chetaev as ch
>>> drag = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2", forces={"x": "-x' - abs(x')*x'"})
>>> law, kinks = without_flat_kinks(drag.with_initial(x=0, x_dot=0))
>>> str(law.forces["x"]), kinks
("-x' - 0*x'", ("abs(x')",))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isfinite
from typing import Any

from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import ZERO, Expr, make, postorder, substitute
from chetaev.model.system import System

KINK = 1e-12
"""As near to a kink is on it."""
BOUNDED = ("abs", "min", "max")
"""Functions with kinks and a bounded slope."""
KINKED = (*BOUNDED, "sign")
SMOOTH = (
    "number", "symbol", "constant", "define", "add", "mul", "neg", "div",
    "sin", "cos", "tan", "exp", "sinh", "cosh", "tanh", "atan", "asinh",
)  # fmt: skip
"""Functions that are smooth wherever they have a value."""
ENDS = {"asin": 1.0, "acos": 1.0, "atanh": 1.0}
"""Functions that end where their arguments have this size."""


def without_flat_kinks(system: System) -> tuple[System, tuple[str, ...]]:
    """The system with forces whose kinks at its state do not matter made smooth, and these kinks."""
    smoothing = _Smoothing(tuple(system.forces.values()), system.values_of(system.state))
    forces = {c: smoothing(e) for c, e in system.forces.items()}
    if not smoothing.kinks or all(forces[c] is e for c, e in system.forces.items()):
        return system, ()
    return system.with_forces(forces), tuple(dict.fromkeys(smoothing.gone))


def is_on_kink(values: Sequence[float]) -> bool:
    """Whether abs, sign, min or max have their kink at these arguments."""
    ordered = sorted(values)
    least = abs(ordered[0]) if len(ordered) == 1 else min(b - a for a, b in pairwise(ordered))
    return least <= KINK * max(1.0, *map(abs, ordered))


class _Smoothing:
    def __init__(self, roots: tuple[Expr, ...], point: Mapping[Any, float]) -> None:
        nodes = list(postorder(*roots))
        self.value = dict(zip(nodes, map(float, evaluate(nodes, point)), strict=True))
        self.kinks = {n for n in nodes if self._is_kink(n)}
        self.kinked: set[Expr] = set()
        for n in nodes:
            if n in self.kinks or any(a in self.kinked for a in n.args):
                self.kinked.add(n)
        self.gone: list[str] = []

    def __call__(self, e: Expr) -> Expr:
        """The same with kinks that do not matter made smooth."""
        if e not in self.kinked:
            return e
        if e.op == "mul":
            return self._product(e)
        args = [self(a) for a in e.args]
        if all(a is b for a, b in zip(args, e.args, strict=True)):
            return e
        return args[0] if e.op == "define" else make(e.op, args, e.value)

    def _product(self, e: Expr) -> Expr:
        zero = [a for a in e.args if self.value[a] == 0.0]
        rough = [a for a in e.args if a in self.kinked]
        if not all(self._is_continuous(a) for a in rough):
            return e
        if any(a not in self.kinked for a in zero):
            return make("mul", [self._plain(a) if a in self.kinked else a for a in e.args], None)
        if len(zero) > 1 and any(all(n.op in BOUNDED for n in self._in(a)) for a in zero):
            self.gone += [str(n) for a in rough for n in self._in(a)]
            return ZERO
        return e

    def _plain(self, e: Expr) -> Expr:
        """Something smooth of the same value."""
        found = self._in(e)
        self.gone += [str(n) for n in found]
        return substitute([e], {n: self._at_the_value(n) for n in found})[0]

    def _at_the_value(self, e: Expr) -> Expr:
        """Of min and max the argument that they are here; others are 0."""
        return next(a for a in e.args if self.value[a] == self.value[e]) if e.op in ("min", "max") else ZERO

    def _in(self, e: Expr) -> list[Expr]:
        return [n for n in postorder(e) if n in self.kinks]

    def _is_kink(self, e: Expr) -> bool:
        """Whether it is not seen to be smooth at the state, where its arguments are."""
        if e.op in SMOOTH:
            return False
        values = [self.value[a] for a in e.args]
        if e.op == "pow":
            whole = e.args[1].op == "number" and e.args[1].value.denominator == 1
            return values[0] == 0.0 and not whole
        if e.op in ("sqrt", "log"):
            return values[0] <= 0.0
        if e.op == "atan2":
            return values == [0.0, 0.0]
        if e.op in ENDS:
            return abs(values[0]) >= ENDS[e.op]
        if e.op == "acosh":
            return values[0] <= 1.0
        return e.op not in KINKED or is_on_kink(values)

    def _is_continuous(self, e: Expr) -> bool:
        """Whether it has a value near the state that tends to the value there."""
        return all(isfinite(self.value[n]) for n in postorder(e)) and all(
            n.op in (*BOUNDED, "sqrt") or (n.op == "pow" and self.value[n.args[1]] > 0.0) for n in self._in(e)
        )
