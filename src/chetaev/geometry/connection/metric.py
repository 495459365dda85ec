r"""Metrics of any signature: raising and lowering, projection, Levi-Civita connection, Killing fields.

    Γ^k_ij = ½ g^{kl} (∂_i g_jl + ∂_j g_il − ∂_l g_ij),        X is Killing iff L_X g = 0.

The projection onto D exists where g restricted to D is nondegenerate (SCOPE B9, L1, L2); for a definite
metric always.

>>> from chetaev.geometry import Chart
>>> polar = Chart(["r", "a"])
>>> g = Metric(polar, [[1, 0], [0, "r^2"]])
>>> print(g.levi_civita.coefficient(1, 1, 0))
-r
>>> g.is_killing(polar.partial("a"))
True
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from chetaev.expr.exact import Element
from chetaev.expr.exact.field.normal_form_zero import negated
from chetaev.expr.exact.linear.growing_echelon import Row
from chetaev.expr.exact.linear.matrix import dot
from chetaev.geometry.calculus.endomorphism import Endomorphism
from chetaev.geometry.calculus.form import Form
from chetaev.geometry.calculus.tensor import Index, Tensor
from chetaev.geometry.calculus.vector_field import VectorField
from chetaev.geometry.chart.chart import Chart, Function
from chetaev.geometry.chart.function_matrix import determinant, inverse
from chetaev.geometry.chart.functions import GeometryError
from chetaev.geometry.chart.zeros import Zeros
from chetaev.geometry.distribution.distribution import Distribution

if TYPE_CHECKING:
    from chetaev.geometry.connection.connection import Connection


class Metric:
    """A symmetric nondegenerate form g_ij on a chart, of any signature."""

    def __init__(self, chart: Chart, matrix: Sequence[Sequence[Function]]) -> None:
        n = chart.dimension
        if len(matrix) != n or any(len(row) != n for row in matrix):
            raise GeometryError(f"a metric on ({chart.describe()}) needs a {n} by {n} matrix")
        self.chart = chart
        self.matrix: list[Row] = [[chart(f) for f in row] for row in matrix]
        for i in range(n):
            for j in range(i):
                if self.matrix[i][j] != self.matrix[j][i]:
                    raise GeometryError(
                        f"a metric is symmetric, but entries ({i + 1}, {j + 1}) and ({j + 1}, {i + 1}) differ"
                    )
        found = inverse(self.matrix, Zeros(chart))
        if found is None:
            raise GeometryError("the metric is degenerate: its determinant is zero everywhere")
        self.inverse = found

    def __str__(self) -> str:
        return str(self.tensor)

    def __repr__(self) -> str:
        return f"Metric({self})"

    def __call__(self, first: VectorField, second: VectorField) -> Element:
        """g(X, Y)."""
        return self.flat(first)(second)

    @property
    def tensor(self) -> Tensor:
        """The metric as a tensor of type (0, 2)."""
        terms: dict[Index, Element] = {
            (i, j): f for i, row in enumerate(self.matrix) for j, f in enumerate(row)
        }
        return Tensor.of(self.chart, 0, 2, terms)

    def flat(self, field: VectorField) -> Form:
        """The 1-form g(X, ·)."""
        self.chart.require(field.chart, "the field")
        row: dict[Index, Element] = {(i,): dot(r, field.components) for i, r in enumerate(self.matrix)}
        return Form.of(self.chart, 1, row)

    def sharp(self, form: Form) -> VectorField:
        """The vector field X with g(X, ·) = θ."""
        self.chart.require(form.chart, "the form")
        row = form.row()
        return VectorField.of(self.chart, [dot(r, row) for r in self.inverse])

    def gradient(self, f: Function) -> VectorField:
        """The field with g(grad f, ·) = df."""
        g = self.chart(f)
        return self.sharp(Form.function(self.chart, g).d())

    def is_killing(self, field: VectorField) -> bool | None:
        """Whether L_X g = 0."""
        return self.tensor.lie(field).is_zero

    @cached_property
    def levi_civita(self) -> Connection:
        """The torsion-free connection with ∇g = 0."""
        from chetaev.geometry.connection.connection import Connection
        from chetaev.geometry.distribution.frame import Frame

        n = self.chart.dimension
        symbols = self.chart.symbols
        slope = [[[self.matrix[i][j].diff(s) for s in symbols] for j in range(n)] for i in range(n)]
        half = Fraction(1, 2)
        terms = {}
        for i in range(n):
            for j in range(i + 1):
                first = [(slope[j][m][i] + slope[i][m][j] - slope[i][j][m]) * half for m in range(n)]
                for k in range(n):
                    value = dot(self.inverse[k], first)
                    terms[i, j, k] = terms[j, i, k] = value
        return Connection.make(Frame.coordinate(self.chart), terms)

    # -- distributions -------------------------------------------------------------------------------
    def gram(self, distribution: Distribution) -> list[Row]:
        """The matrix g(e_i, e_j) of a basis of D."""
        flats = [self.flat(X) for X in distribution.fields]
        return [[w(Y) for Y in distribution.fields] for w in flats]

    def is_nondegenerate_on(self, distribution: Distribution) -> bool | None:
        """Whether g restricted to D is nondegenerate at generic points: D ∩ D^⊥ = 0  (B9)."""
        gram = self.gram(distribution)
        return not gram or negated(determinant(gram, distribution.zeros).is_zero)

    def orthogonal(self, distribution: Distribution) -> Distribution:
        """The orthogonal distribution D^⊥."""
        return Distribution.annihilated_by([self.flat(X) for X in distribution.fields], chart=self.chart)

    def projector(self, distribution: Distribution) -> Endomorphism:
        """The orthogonal projector onto D: P = e_i G^{ij} g(e_j, ·)."""
        fields = distribution.fields
        if not fields:
            return Endomorphism.make(self.chart, {})
        inverted = inverse(self.gram(distribution), distribution.zeros)
        if inverted is None:
            raise GeometryError(
                "the metric is degenerate on the distribution, so there is no orthogonal projection onto it"
            )
        flats = [self.flat(X).row() for X in fields]
        n = self.chart.dimension
        duals = [[dot(row, [f[j] for f in flats]) for j in range(n)] for row in inverted]
        terms: dict[Index, Element] = {
            (i, j): dot([X.components[i] for X in fields], [d[j] for d in duals])
            for i in range(n)
            for j in range(n)
        }
        return Endomorphism.make(self.chart, terms)
