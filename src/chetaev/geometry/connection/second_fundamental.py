r"""The second fundamental form of a distribution with respect to a metric.

With P the orthogonal projector onto D^⊥ and ∇ the Levi-Civita connection,

    S_D(X, Y) = (∇_X P)(Y) = −P ∇_X Y,      X, Y in D,

    S_D(X, Y) − S_D(Y, X) = −P [X, Y].

So D is integrable iff S_D is symmetric. It is geodesically invariant (a geodesic that starts in D stays in
D) iff S_D is skew. If S_D = 0, D is integrable with totally geodesic leaves.

SCOPE L2 (A. Lewis, Equations of motion for nonholonomic systems).

>>> from chetaev.geometry import Chart, Distribution
>>> chart = Chart(["x", "y", "z"])
>>> g = Metric(chart, [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
>>> theta = chart.d("z") - chart("y") * chart.d("x") + chart("x") * chart.d("y")
>>> S = SecondFundamentalForm(g, Distribution.annihilated_by([theta]))
>>> S.is_symmetric, S.is_skew
(False, True)
"""

from __future__ import annotations

from functools import cached_property

from chetaev.expr.exact.field.normal_form_zero import all_zero
from chetaev.geometry.calculus.endomorphism import Endomorphism
from chetaev.geometry.calculus.vector_field import VectorField
from chetaev.geometry.chart.errors import GeometryError
from chetaev.geometry.connection.metric import Metric
from chetaev.geometry.distribution.distribution import Distribution


class SecondFundamentalForm:
    """S_D: D × D → D^⊥."""

    def __init__(self, metric: Metric, distribution: Distribution) -> None:
        metric.chart.require(distribution.chart, "the distribution")
        self.metric = metric
        self.distribution = distribution
        onto = metric.projector(distribution)
        self.projector = Endomorphism.identity(metric.chart) - onto
        """P, the orthogonal projector onto D^⊥."""

    def __call__(self, first: VectorField, second: VectorField) -> VectorField:
        """S_D(X, Y) for fields in D."""
        for X in (first, second):
            if not self.distribution.contains(X):
                raise GeometryError(f"the field {X} is not in the distribution")
        return self._value(first, second)

    def _value(self, first: VectorField, second: VectorField) -> VectorField:
        value: VectorField = -self.projector(self.metric.levi_civita(first, second))
        return value

    @cached_property
    def table(self) -> list[list[VectorField]]:
        """S_D(e_i, e_j) for the basis of D."""
        fields = self.distribution.fields
        return [[self._value(X, Y) for Y in fields] for X in fields]

    @property
    def is_symmetric(self) -> bool | None:
        """Whether S_D is symmetric: D is integrable; None if that is not known."""
        pairs = ((i, j) for i in range(len(self.table)) for j in range(i))
        return all_zero(self.table[i][j] - self.table[j][i] for i, j in pairs)

    @property
    def is_skew(self) -> bool | None:
        """Whether S_D is skew: D is geodesically invariant; None if that is not known."""
        pairs = ((i, j) for i in range(len(self.table)) for j in range(i + 1))
        return all_zero(self.table[i][j] + self.table[j][i] for i, j in pairs)

    @property
    def is_zero(self) -> bool | None:
        """Whether D is integrable with totally geodesic leaves; None if that is not known."""
        return all_zero(X for row in self.table for X in row)
