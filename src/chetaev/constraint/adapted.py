"""A chart of Q: dependent velocities D, and the derivations of functions on Q in ambient coordinates.

With C_D = ∂f/∂v_D invertible the implicit function theorem gives, without solving f = 0 for v_D = g,

    B^a_s = ∂g^a/∂v^s = −(C_D⁻¹ C_S)^a_s          ∂/∂v^s|_Q = ∂/∂v^s + B^a_s ∂/∂v^a
    ∂/∂q^σ|_Q = ∂/∂q^σ − (C_D⁻¹ ∂f/∂q^σ)^a ∂/∂v^a  (t likewise)
    d'_c/dt = ∂/∂t|_Q + v^σ ∂/∂q^σ|_Q              d_c/dt = d'_c/dt + a^s ∂/∂v^s|_Q              (58), (59)

SCOPE K13, K16, Sa2 (B and g − B v are the coefficients of Sarlet's connection).

>>> from chetaev.constraint.submanifold import Constraint
>>> Q = Constraint.of(["sin(x') + y'*z' = x"], coordinates=["x", "y", "z"])
>>> chart = AdaptedChart(Q, (1,))
>>> chart.B[0][0] == Q.chart("-cos(x')/z'"), chart.B[0][1] == Q.chart("-y'/z'")
(True, True)
>>> chart.d_cut("x' + y'") == Q.chart("x'/z'")
True
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from chetaev.expr.exact import Element
from chetaev.expr.exact.matrix import solve
from chetaev.geometry.chart import CoordinateLike, Function
from chetaev.geometry.vector_field import VectorField

if TYPE_CHECKING:
    from chetaev.constraint.submanifold import Constraint


class AdaptedChart:
    """A chart (t, q, v_S) of Q.

    Parameters
    ----------
    constraint
        The submanifold.
    dependent
        Indices of the dependent velocities; C_D must be invertible at generic points of Q.
    """

    def __init__(self, constraint: Constraint, dependent: tuple[int, ...]) -> None:
        self.constraint = constraint
        self.D = dependent
        self.S = tuple(i for i in range(len(constraint.coordinates)) if i not in dependent)
        self.ambient = constraint.chart

    @property
    def dependent(self) -> tuple[str, ...]:
        """The coordinates whose velocities are dependent."""
        return tuple(self.constraint.coordinates[i] for i in self.D)

    @property
    def free(self) -> tuple[str, ...]:
        """The coordinates whose velocities are free."""
        return tuple(self.constraint.coordinates[i] for i in self.S)

    # --- first derivatives of g -------------------------------------------------------------------
    def slope(self, coordinate: CoordinateLike) -> list[Element]:
        """∂g^a/∂x on Q for x = t, q^σ or v^s: −C_D⁻¹ ∂f/∂x."""
        symbol = self.ambient.symbols[self.ambient.index(coordinate)]
        if symbol not in self._slopes:
            right = [-f.diff(symbol) for f in self.constraint.functions]
            if all(e.is_zero for e in right):
                self._slopes[symbol] = right
            else:
                self._slopes[symbol] = solve(self._CD, right)
        return self._slopes[symbol]

    @cached_property
    def _slopes(self) -> dict[tuple[str, int], list[Element]]:
        return {}

    @cached_property
    def _CD(self) -> list[list[Element]]:
        return [[row[i] for i in self.D] for row in self.constraint.jacobian]

    @cached_property
    def B(self) -> list[list[Element]]:
        """B^a_s = ∂g^a/∂v^s, in ambient coordinates."""
        columns = [self.slope((q, 1)) for q in self.free]
        return [[column[a] for column in columns] for a in range(len(self.D))]

    @cached_property
    def g(self) -> list[Element]:
        """g^a on Q in ambient coordinates: the velocity v^a itself."""
        return [self.ambient.field.symbol(q, 1) for q in self.dependent]

    @cached_property
    def A(self) -> list[Element]:
        """A^a = g^a − B^a_s v^s: for an affine constraint g = A + B v."""
        if self.constraint.is_affine_as_written:
            still = {(q, 1): 0 for q in self.constraint.coordinates}
            return solve(self._CD, [-f.subs(still) for f in self.constraint.functions]) if self.D else []
        vs = [self.ambient.field.symbol(q, 1) for q in self.free]
        result = []
        for a, row in enumerate(self.B):
            value = self.g[a]
            for b, v in zip(row, vs, strict=True):
                value = value - b * v
            result.append(value)
        return result

    # --- derivations ------------------------------------------------------------------------------
    def derivation(self, coordinate: CoordinateLike) -> VectorField:
        """∂/∂x|_Q for x = t, q^σ or a free velocity: tangent to Q, in ambient coordinates."""
        i = self.ambient.index(coordinate)
        components = [self.ambient.field.zero] * self.ambient.dimension
        components[i] = self.ambient.field.one
        for q, e in zip(self.dependent, self.slope(i), strict=True):
            components[self.ambient.index((q, 1))] = e
        return VectorField.of(self.ambient, components)

    def partial(self, f: Function, coordinate: CoordinateLike) -> Element:
        """The derivative of a function on Q along a chart coordinate."""
        return self.derivation(coordinate)(f)

    @cached_property
    def cut_total(self) -> VectorField:
        """d'_c/dt (59) as a field on Q."""
        X = self.derivation(0)
        for q in self.constraint.coordinates:
            X = X + self.ambient.field.symbol(q, 1) * self.derivation(q)
        return X

    def d_cut(self, f: Function) -> Element:
        """d'_c f/dt (59)."""
        return self.cut_total(f)

    def d(self, f: Function) -> Element:
        """d_c f/dt (58), a function on Q̂ in the coordinates (t, q, v, a_S)."""
        value = self.d_cut(f)
        for q in self.free:
            slope = self.partial(f, (q, 1))
            if not slope.is_zero:
                value = value + slope * self.ambient.field.symbol(q, 2)
        return value

    def __repr__(self) -> str:
        return f"<chart of Q: {', '.join(q + chr(39) for q in self.dependent)} dependent>"
