"""The law with many digits, for states where doubles cannot tell whether it determines the accelerations.

Rounding leaves 1e-16 where M, C or the reduced matrix is singular, and elimination would divide by it. The
graphs are exact and a state in doubles is an exact point, so 50 digits decide. The policy:

- nan where a pivot of the scaled elimination (see `derive.pivoting`) is below 8 (n + m) ε, ε = 2⁻⁵²: states
and
  parameters are known to ε only, and within that the law is singular;
- nan where the rank of C is below its rank on Q, and where redundant rows contradict the others by more than
  `OFF`, which they do off Q: there no acceleration satisfies all equations;
- elsewhere the accelerations, right to the last digits however ill conditioned the law is.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import casadi
import numpy as np

from chetaev.expr.graph import node as graph
from chetaev.expr.graph.calculus import Calculus
from chetaev.expr.graph.evaluate import evaluate_mp, mp_context
from chetaev.flow.derive.chart import OFF
from chetaev.flow.derive.ingredients import Ingredients
from chetaev.flow.derive.pivoting import settle

DIGITS = 50
SINGULAR = 8 * 2.0**-52


class ExactLaw:
    """M, h − F, C and c of a model as exact graphs, and the accelerations that follow.

    >>> import chetaev as ch
    >>> law = ExactLaw(Ingredients.of(ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2")))
    >>> print(law.accelerations({"t": 0, ("x", 0): 2, ("x", 1): 0})[0])
    -2.0
    """

    def __init__(self, model: Ingredients, digits: int = DIGITS) -> None:
        self.model, self.digits, self.mp = model, digits, mp_context(digits)
        calculus = Calculus()
        rows = model.on(calculus)
        M, h = model.dynamics.inertia(rows.at)
        every = [M.T, h - model.dynamics.applied(rows.at), rows.C.T, rows.c]
        self.graphs = calculus.graphs(casadi.vertcat(*(casadi.vec(casadi.densify(x)) for x in every)))
        self.levels = rows.levels(calculus)

    @property
    def effort(self) -> int:
        """Operations for one state."""
        return graph.size(*self.graphs)

    def values(self, point: dict[Any, Any]) -> list[Any]:
        """M, h − F, C row by row and c, one after the other."""
        return evaluate_mp(self.graphs, point, self.digits)

    def point(self, t: Any, q: Sequence[Any], v: Sequence[Any], p: Sequence[Any]) -> dict[Any, Any]:
        """The point that a state and parameter values stand for."""
        names = self.model.coordinates
        at: dict[Any, Any] = dict(zip([*self.model.parameters, *self.model.modes], p, strict=True)) | {
            self.model.time: t
        }
        return at | {(c, 0): x for c, x in zip(names, q, strict=True)} | {
            (c, 1): x for c, x in zip(names, v, strict=True)
        }  # fmt: skip

    def accelerations(
        self, point: dict[Any, Any], singular: Any = SINGULAR, off: float = OFF
    ) -> list[Any] | None:
        """The accelerations at a point; None where the law does not determine them.

        `singular` is the size of a pivot, for each row, that counts as 0; `off` how far redundant rows may
        contradict the others.
        """
        mp, n, m = self.mp, self.model.size, self.model.rows
        try:
            values = [mp.mpf(x) for x in self.values(point)]
        except (ZeroDivisionError, ValueError, OverflowError, TypeError):  # outside the domain of a function
            return None
        if not all(mp.isfinite(x) for x in values):
            return None
        sizes = itertools.accumulate((n * n, n, m * n))
        mass, h, C, c = np.split(np.array(values, dtype=object)[None], list(sizes), axis=1)
        found, excess, smallest = settle(
            self.model.independent, mass.reshape(1, n, n), h, C.reshape(1, m, n), c
        )
        if not smallest[0] > float(singular * (n + m)) or excess[0] > off:
            return None
        return list(found[0])
