"""A chart of Q: dependent velocities D, and the derivations of functions on Q in ambient coordinates.

With C_D = ∂f/∂v_D invertible the implicit function theorem gives, without solving f = 0 for v_D = g,

    B^a_s = ∂g^a/∂v^s = −(C_D⁻¹ C_S)^a_s          ∂/∂v^s|_Q = ∂/∂v^s + B^a_s ∂/∂v^a
    ∂/∂q^σ|_Q = ∂/∂q^σ − (C_D⁻¹ ∂f/∂q^σ)^a ∂/∂v^a  (t likewise)
    d'_c/dt = ∂/∂t|_Q + v^σ ∂/∂q^σ|_Q              d_c/dt = d'_c/dt + a^s ∂/∂v^s|_Q              (58), (59)

SCOPE K13, K16, Sa2 (B and g − B v are the coefficients of Sarlet's connection).

>>> from chetaev.constraint.submanifold.submanifold import Constraint
>>> Q = Constraint.of(["sin(x') + y'*z' = x"], coordinates=["x", "y", "z"])
>>> chart = AdaptedChart(Q, (1,))
>>> chart.B[0][0] == Q.chart("-cos(x')/z'"), chart.B[0][1] == Q.chart("-y'/z'")
(True, True)
>>> chart.d_cut("x' + y'") == Q.chart("x'/z'")
True
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from chetaev.expr.exact import Element, Field
from chetaev.expr.exact.effort.budget import SingularSystemError
from chetaev.expr.exact.effort.ledger import Remembered, remembered
from chetaev.expr.exact.linear.matrix import solve_columns
from chetaev.geometry.calculus.vector_field import VectorField
from chetaev.geometry.chart.chart import CoordinateLike, Function, Symbol
from chetaev.geometry.chart.functions import GeometryError

if TYPE_CHECKING:
    from chetaev.constraint.submanifold.submanifold import Constraint


class AdaptedChart:
    """A chart (t, q, v_S) of Q.

    `constraint`: the submanifold; `dependent`: the coordinates with dependent velocities, by number or name,
    C_D must be invertible at generic points of Q.
    """

    def __init__(self, constraint: Constraint, dependent: Sequence[int | str]) -> None:
        self.constraint = constraint
        self.ambient = constraint.chart
        self.D = tuple(dict.fromkeys(self._number(i) for i in dependent))
        self.S = tuple(i for i in range(len(constraint.coordinates)) if i not in self.D)
        if len(self.D) != constraint.codimension:
            raise GeometryError(
                f"{len(self.D)} dependent velocities are chosen for {constraint.codimension} constraints",
                expected="as many as there are independent constraints",
            )

    def _number(self, coordinate: int | str) -> int:
        names = self.constraint.coordinates
        if isinstance(coordinate, str) and coordinate in names:
            return names.index(coordinate)
        if isinstance(coordinate, int) and 0 <= coordinate < len(names):
            return coordinate
        raise GeometryError(
            f"a chart of Q: {coordinate!r} is no coordinate of the system, nor the number of one",
            expected="one of " + ", ".join(names),
        )

    @property
    def dependent(self) -> tuple[str, ...]:
        """The coordinates whose velocities are dependent."""
        return tuple(self.constraint.coordinates[i] for i in self.D)

    @property
    def free(self) -> tuple[str, ...]:
        """The coordinates whose velocities are free."""
        return tuple(self.constraint.coordinates[i] for i in self.S)

    def chart_coordinate(self, coordinate: CoordinateLike) -> Symbol:
        """A coordinate of this chart of Q as (name, order); a dependent velocity is none.

        >>> from chetaev.constraint.submanifold.submanifold import Constraint
        >>> Constraint.of(["z' = y*x'"], ["x", "y", "z"]).adapted.partial("z'", "z'")
        Traceback (most recent call last):
        chetaev.geometry...GeometryError: z' is a function of the other coordinates in this chart of Q
          expected one of t, x, y, z, x', y'
          Constraint.charts() lists the other charts
        """
        name, order = self.ambient.symbols[self.ambient.index(coordinate)]
        if order and name in self.dependent:
            known = [n + "'" * k for n, k in self.ambient.symbols if not (k and n in self.dependent)]
            raise GeometryError(
                f"{name}' is a function of the other coordinates in this chart of Q",
                expected="one of " + ", ".join(known),
                remedy="Constraint.charts() lists the other charts",
            )
        return name, order

    # --- first derivatives of g -------------------------------------------------------------------
    def slope(self, coordinate: CoordinateLike) -> list[Element]:
        """∂g^a/∂x on Q for x = t, q^σ or v^s: −C_D⁻¹ ∂f/∂x."""
        symbol = self.chart_coordinate(coordinate)
        if symbol[1] and symbol[0] in self.free:  # the columns of B: one elimination for all of them
            return self._velocity_slopes[symbol]
        return self.field.ledger.recall(
            self.field.tower.budget, self._slopes, symbol, lambda: self._slope(symbol)
        )

    def _slope(self, symbol: Symbol) -> list[Element]:
        return self._solved([[-f.diff(symbol) for f in self.constraint.functions]])[0]

    @property
    def field(self) -> Field:
        """The functions on J¹Y."""
        return self.ambient.field

    def _solved(self, rights: list[list[Element]]) -> list[list[Element]]:
        """C_D⁻¹ b for several right sides."""
        try:
            return solve_columns(self._CD, rights)
        except SingularSystemError:
            velocities = ", ".join(f"{q}'" for q in self.dependent)
            raise GeometryError(
                f"the constraints cannot be solved for {velocities}: ∂f/∂v is singular there on all of Q",
                remedy="Constraint.charts() lists the charts of Q",
            ) from None

    @remembered
    def _velocity_slopes(self) -> dict[tuple[str, int], list[Element]]:
        rows = self.constraint.jacobian
        columns = self._solved([[-row[i] for row in rows] for i in self.S])
        return {(q, 1): column for q, column in zip(self.free, columns, strict=True)}

    @cached_property
    def _slopes(self) -> dict[Symbol, Remembered[list[Element]]]:
        return {}

    @remembered
    def _CD(self) -> list[list[Element]]:
        return [[row[i] for i in self.D] for row in self.constraint.jacobian]

    @remembered
    def B(self) -> list[list[Element]]:
        """B^a_s = ∂g^a/∂v^s, in ambient coordinates."""
        columns = [self.slope((q, 1)) for q in self.free]
        return [[column[a] for column in columns] for a in range(len(self.D))]

    @cached_property
    def g(self) -> list[Element]:
        """g^a on Q in ambient coordinates: the velocity v^a itself."""
        return [self.ambient.field.symbol(q, 1) for q in self.dependent]

    @remembered
    def A(self) -> list[Element]:
        """A^a = g^a − B^a_s v^s: for an affine constraint g = A + B v."""
        if self.constraint.is_affine_as_written:
            return self._solved([[-self.constraint.at_rest[a] for a in self.constraint.survey.rows]])[0]
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
        i = self.ambient.index(self.chart_coordinate(coordinate))
        components = [self.ambient.field.zero] * self.ambient.dimension
        components[i] = self.ambient.field.one
        for q, e in zip(self.dependent, self.slope(i), strict=True):
            components[self.ambient.index((q, 1))] = e
        return VectorField.of(self.ambient, components)

    def partial(self, f: Function, coordinate: CoordinateLike) -> Element:
        """The derivative of a function on Q along a chart coordinate."""
        return self.derivation(coordinate)(f)

    @remembered
    def cut_total(self) -> VectorField:
        """d'_c/dt (59) as a field on Q."""
        moved = (self.ambient.field.symbol(q, 1) * self.derivation(q) for q in self.constraint.coordinates)
        return sum(moved, self.derivation(0))

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
