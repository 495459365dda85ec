"""The constraints of a model as numeric functions of t, q, v.

Derivatives come from the number engine; where the constraints are affine in the velocities, from their
coefficients, without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from chetaev.expr.graph import node as graph
from chetaev.expr.graph.affine_forms import affine_forms
from chetaev.model.states.stack_of_constraints import Stack

if TYPE_CHECKING:
    from chetaev.model.checked_fields import Fields

Array = npt.NDArray[np.float64]


class Kinematics:
    """The constraints of a model as numeric functions of t, q, v."""

    def __init__(self, fields: Fields, parameters: Mapping[str, float]) -> None:
        self._fields, self.parameters = fields, parameters
        self._affine: tuple[float, list[float], tuple[Array, Array] | None] | None = None

    @cached_property
    def _functions(self) -> Functions:
        return Functions(self._fields, self.parameters)

    def _forms(self, t: float, q: Array) -> tuple[Array, Array] | None:
        """A and b of f = A v + b, where there are velocity constraints only and they are affine."""
        fields = self._fields
        if fields.position_constraints or fields.acceleration_constraints:
            return None
        at = q.tolist()
        if self._affine is None or self._affine[0] != t or self._affine[1] != at:
            values = {(n, 0): x for n, x in self.parameters.items()} | {(fields.time, 0): t}
            values |= {(c, 0): x for c, x in zip(fields.coordinates, at, strict=True)}
            residuals = [e.residual for e in fields.velocity_constraints]
            self._affine = (t, at, affine_forms(residuals, fields.coordinates, values))
        return self._affine[2]

    def linear(self, t: float, q: Array) -> bool:
        """Whether all constraints are affine in the velocities, by their structure."""
        return self._forms(t, q) is not None or self._functions.linear

    def position(self, t: float, q: Array) -> tuple[Array, Array]:
        """φ and ∂φ/∂q."""
        if not self._fields.position_constraints:
            return np.zeros(0), np.zeros((0, len(q)))
        return self._functions.position(t, q)

    def velocity(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """All constraints at velocity level, f, and C = ∂f/∂v; those of positions come first."""
        forms = self._forms(t, q)
        if forms is None:
            return self._functions.velocity(t, q, v)
        return forms[0] @ v + forms[1], forms[0]

    def rows(self, t: float, q: Array, v: Array) -> Array:
        """C with the rows of the acceleration constraints below."""
        return self.velocity(t, q, v)[1] if self._forms(t, q) is not None else self._functions.rows(t, q, v)


class Functions:
    """The constraints through the number engine, which differentiates."""

    def __init__(self, fields: Fields, parameters: Mapping[str, float]) -> None:
        from chetaev.expr.graph.engine import Engine

        engine, stack = Engine(), Stack.of_constraints(fields)
        rows, velocities = stack.on(engine), stack.symbols(1)
        self._p = [parameters[n] for n in fields.parameters]
        p = [graph.symbol(n) for n in fields.parameters]
        inputs: list[graph.Expr | Sequence[graph.Expr]] = [
            graph.symbol(fields.time), stack.symbols(0), velocities, p
        ]  # fmt: skip
        self._position = engine.function(inputs, [rows.phi, rows.phi_q]) if stack.position else None
        self._velocity = engine.function(inputs, [rows.f, rows.f_v])
        self._rows = engine.function(inputs, [rows.C])
        self.linear = engine.is_linear_column(rows.f, velocities)

    def position(self, t: float, q: Array) -> tuple[Array, Array]:
        """φ and ∂φ/∂q."""
        assert self._position is not None
        phi, jacobian = self._position(t, q, np.zeros_like(q), self._p)
        return np.asarray(phi).ravel(), np.asarray(jacobian)

    def velocity(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """All constraints at velocity level, f, and C = ∂f/∂v; those of positions come first."""
        f, jacobian = self._velocity(t, q, v, self._p)
        return np.asarray(f).ravel(), np.asarray(jacobian)

    def rows(self, t: float, q: Array, v: Array) -> Array:
        """C with the rows of the acceleration constraints below."""
        return np.asarray(self._rows(t, q, v, self._p))
