"""Rows of C that depend on earlier ones, with `DIGITS` digits at `POINTS` random points of Q (SCOPE K13).

At each point rows [C | c] are eliminated in order; a row of C that depends on those before it must not ask
for another acceleration there, and near the point it must vanish wherever those vanish.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from chetaev.errors import ModelError
from chetaev.expr.exact import answer, ask
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.calculus import Calculus
from chetaev.expr.graph.evaluate import evaluate_mp, mp_context
from chetaev.expr.graph.node import Expr
from chetaev.model.states.points import parameter_point, settled
from chetaev.model.states.stack_of_constraints import Stack, every_constraint
from chetaev.numeric.many_digits import half, independent_rows

if TYPE_CHECKING:
    from chetaev.model.system import System

POINTS = 3
DIGITS = 50
DRAWS = 12


class RowSurvey:
    """Ranks of the rows [C | c] at points of Q, with many digits."""

    def __init__(self, system: System) -> None:
        self.system, self.mp = system, mp_context(DIGITS)
        self.follow = len(system.dynamics.relations)  # they follow from the dynamics: they come last
        calculus = Calculus()
        rows = Stack.of_constraints(system).on(calculus)
        self.phi, self.f = rows.levels(calculus)
        self.rows, self.rates = calculus.matrix(rows.C), calculus.graphs(rows.c)

    def result(self, state: tuple[float, Any, Any] | None) -> tuple[int, tuple[int, ...]]:
        """The largest rank at the points and the other rows, once no dependent row prescribes more there."""
        best: list[int] = []
        dependent: dict[int, Any] = {}
        found = list(self._points(*state)) if state is not None else []
        if not found:
            raise ModelError(
                "no state was found where the constraints hold and have independent derivatives, redundant "
                "ones aside: " + "; ".join(map(str, every_constraint(self.system)[:6])),
                remedy="do they contradict each other, hide a condition on positions, or lose their "
                "derivative where they hold ((x' - y')^2 = 0 is better written x' = y')? If not, give an "
                "initial state",
            )
        for point in found:
            kept, rest = self._independent(point, self.rows, self.rates)
            if len(kept) > len(best) or not best:
                best, dependent = kept, rest
        for point in found:
            kept, rest = self._independent(point, self.rows, self.rates)
            if kept == best:
                dependent = {i: max(rest[i], dependent.get(i, 0), key=abs) for i in rest}
        for row, excess in dependent.items():
            if excess:
                raise self._more(row, best, f"their accelerations differ by {self.mp.nstr(abs(excess), 3)}")
        if dependent:
            for number, point in enumerate(found):
                self._vanish(point, best, random.Random(number))
        return len(best), tuple(dependent)

    def _points(self, t: float, q: Any, v: Any) -> Iterator[dict[Any, Any]]:
        """Points of Q around a state, with all digits."""
        rng, mp, names, found = random.Random(13), self.mp, self.system.coordinates, 0
        parameters = parameter_point(self.system, DIGITS)
        for draw in range(DRAWS):
            spread = (0.25, 0.0625, 1.0)[draw % 3]

            def near(x: float, spread: float = spread) -> Any:
                return (
                    mp.mpf(round(x * 2**16) + round(spread * (1 + abs(x)) * rng.uniform(-1, 1) * 2**16))
                    / 2**16
                )

            at = {**parameters, self.system.time: near(t)}
            at |= {(c, o): near(float(x)) for o, y in ((0, q), (1, v)) for c, x in zip(names, y, strict=True)}
            if self._onto(*self.phi, at, 0) and self._onto(*self.f, at, 1):
                found += 1
                yield at
                if found == POINTS:
                    return

    def _independent(
        self, point: dict[Any, Any], rows: Sequence[Sequence[Expr]], rates: Sequence[Expr]
    ) -> tuple[list[int], dict[int, Any]]:
        """Rows that do not depend on earlier ones, and for each of the others what its c lacks, or 0."""
        n = len(self.system.coordinates)
        at = {**point, **{(c, 2): self.mp.zero for c in self.system.coordinates}}
        values = evaluate_mp([*(e for row in rows for e in row), *rates], at, DIGITS)
        numbers = [[*values[i * n : (i + 1) * n], values[len(rows) * n + i]] for i in range(len(rows))]
        order = sorted(range(len(rows)), key=lambda i: rows is self.rows and i < self.follow)
        kept, rest = independent_rows([numbers[i] for i in order], half(self.mp))
        return sorted(order[i] for i in kept), {order[i]: x for i, x in rest.items()}

    def _vanish(self, point: dict[Any, Any], kept: list[int], rng: random.Random) -> None:
        """Raise unless the rows left out vanish wherever the rows kept do, near a point, level by level."""
        system = self.system
        held = len(system.position_constraints)
        at = {k: self.mp.mpf(x) for k, x in point.items()}
        positions = self._independent(point, self.phi[1], [graph.ZERO] * held)[0] if held else []
        for order, ((functions, jacobian), rows) in enumerate(
            ((self.phi, positions), (self.f, [i for i in kept if i < len(self.f[0])]))
        ):
            for name in system.coordinates:
                at[(name, order)] += self.mp.mpf(rng.randrange(-(2**12), 2**12)) / 2**16
            if not functions:
                continue
            if not self._onto([functions[i] for i in rows], [jacobian[i] for i in rows], at, order):
                return  # no point was found so near: nothing is refuted
            values = evaluate_mp(functions, at, DIGITS)
            for i, value in enumerate(values):
                if i not in rows and not abs(value) < half(self.mp):
                    raise self._more(i, rows, f"where those hold it is missed by {self.mp.nstr(value, 3)}")

    def _onto(
        self, functions: list[Expr], jacobian: list[list[Expr]], point: dict[Any, Any], order: int
    ) -> bool:
        """Move a point onto f = 0; whether it arrives."""
        keys = [(c, order) for c in self.system.coordinates]
        found = answer(ask(settled, functions, jacobian, keys, point, self.mp))
        point.update(found or {})
        return found is not None

    def _more(self, row: int, kept: list[int], why: str) -> ModelError:
        equations = every_constraint(self.system)
        others = [str(equations[i]) for i in kept if i < row] or [str(equations[i]) for i in kept]
        earlier = " and ".join(others[:4]) + (" …" if len(others) > 4 else "")
        depends = f"depends on {earlier} in its derivative" if others else "has no derivative where it holds"
        return ModelError(
            f"the constraint {equations[row]} {depends}, but asks for something else: {why}",
            remedy="remove or correct one of them; a condition on positions belongs into 'position', and "
            "(x' - y')^2 = 0 is better written x' = y'",
        )
