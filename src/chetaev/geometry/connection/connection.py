r"""Linear connections: coefficients in any frame, torsion, curvature, covariant derivatives.

    ∇_{e_i} e_j = Γ^k_ij e_k,        T(X, Y) = ∇_X Y − ∇_Y X − [X, Y],
    R(X, Y) Z = ∇_X ∇_Y Z − ∇_Y ∇_X Z − ∇_{[X, Y]} Z,

Bianchi, with S the cyclic sum over X, Y, Z:

    S R(X, Y) Z = S { T(T(X, Y), Z) + (∇_X T)(Y, Z) },        S { (∇_X R)(Y, Z) + R(T(X, Y), Z) } = 0.

A frame has its own connection, in which its fields are parallel (teleparallelism): Γ = 0 in the frame,
curvature zero, torsion T(e_i, e_j) = −c^k_ij e_k, that is Θ^k = dθ^k. SCOPE D3, L2. (Delphenich's (2.58)
has 2dθ^k: (2.54) mixes this connection with that of the coordinates, whose torsion is zero.)

>>> from chetaev.geometry import Chart, VectorField, Frame
>>> chart = Chart(["x", "y"])
>>> frame = Frame([VectorField(chart, ["cos(y)", 0]), chart.partial("y")])
>>> flat = Connection.of_frame(frame)
>>> flat.curvature.is_zero, flat.torsion.is_zero
(True, False)

The second fundamental form of a distribution with respect to a metric.

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

from collections.abc import Mapping
from functools import cached_property

from chetaev.expr.exact import Element
from chetaev.expr.exact.field.normal_form_zero import all_zero
from chetaev.geometry.calculus.endomorphism import Endomorphism, evaluate_vector_form, vector_valued_2_form
from chetaev.geometry.calculus.form import Form
from chetaev.geometry.calculus.tensor import Index, Tensor
from chetaev.geometry.calculus.vector_field import VectorField
from chetaev.geometry.chart.chart import Chart, Function
from chetaev.geometry.chart.functions import GeometryError
from chetaev.geometry.connection.metric import Metric
from chetaev.geometry.distribution.distribution import Distribution
from chetaev.geometry.distribution.frame import Frame

Coefficients = dict[tuple[int, int, int], Element]
"""Γ^k_ij by (i, j, k): direction i, field j, component k."""


class Connection:
    """A linear connection on a chart.

    Parameters
    ----------
    frame
        The frame the coefficients refer to.
    coefficients
        Γ^k_ij by (i, j, k); those left out are 0.
    """

    def __init__(self, frame: Frame, coefficients: Mapping[tuple[int, int, int], Function]) -> None:
        for key in coefficients:
            if len(key) != 3 or not all(0 <= i < frame.size for i in key):
                raise GeometryError(
                    f"{key!r} is no index (i, j, k) of a connection in a frame of {frame.size} fields"
                )
        self.frame = frame
        self.coefficients: Coefficients = {k: frame.chart(f) for k, f in coefficients.items()}
        self.coefficients = {k: f for k, f in self.coefficients.items() if not f.is_blank}

    @classmethod
    def make(cls, frame: Frame, coefficients: Coefficients) -> Connection:
        """From elements; nothing is checked."""
        result = object.__new__(cls)
        result.frame = frame
        result.coefficients = {k: f for k, f in coefficients.items() if not f.is_blank}
        return result

    @classmethod
    def of_frame(cls, frame: Frame) -> Connection:
        """The frame's own flat connection, in which its fields are parallel  (D3)."""
        return cls.make(frame, {})

    def __str__(self) -> str:
        return (
            ", ".join(f"Γ^{k}_{i}{j} = {f}" for (i, j, k), f in sorted(self.coefficients.items())) or "Γ = 0"
        )

    def __repr__(self) -> str:
        return f"Connection({self})"

    @property
    def chart(self) -> Chart:
        """Where it lives."""
        return self.frame.chart

    def coefficient(self, i: int, j: int, k: int) -> Element:
        """Γ^k_ij, the e_k component of ∇_{e_i} e_j."""
        return self.coefficients.get((i, j, k), self.chart.field.zero)

    def forms(self) -> list[list[Form]]:
        """The connection forms ω^k_j = Γ^k_ij θ^i, as rows k: ∇e_j = ω^k_j ⊗ e_k."""
        n, zero = self.frame.size, Form.zero(self.chart, 1)
        result = [[zero] * n for _ in range(n)]
        for (i, j, k), g in sorted(self.coefficients.items(), key=lambda entry: entry[0]):
            result[k][j] = result[k][j] + g * self.frame.coframe[i]
        return result

    def in_frame(self, frame: Frame) -> Connection:
        """The same connection with its coefficients in another frame."""
        self.chart.require(frame.chart, "the frame")
        terms: Coefficients = {}
        for i, X in enumerate(frame.fields):
            for j, Y in enumerate(frame.fields):
                for k, c in enumerate(frame.components(self.derivative(X, Y))):
                    terms[i, j, k] = c
        return Connection.make(frame, terms)

    @cached_property
    def christoffel(self) -> Coefficients:
        """The coefficients in the coordinate frame."""
        return self.in_frame(Frame.coordinate(self.chart)).coefficients

    # -- derivatives ---------------------------------------------------------------------------------
    def derivative(self, direction: VectorField, field: VectorField) -> VectorField:
        """The covariant derivative ∇_X Y."""
        X = self.frame.components(direction)
        Y = self.frame.components(field)
        components = [direction.derivative(y) for y in Y]
        for (i, j, k), g in self.coefficients.items():
            if not X[i].is_blank and not Y[j].is_blank:
                components[k] = components[k] + X[i] * Y[j] * g
        return self.frame.combine(components)

    def __call__(self, direction: VectorField, field: VectorField) -> VectorField:
        """∇_X Y."""
        return self.derivative(direction, field)

    def differential(self, field: VectorField) -> list[Form]:
        """The covariant differentials ∇X^k = dX^k + ω^k_j X^j of the components in the frame, (2.46)."""
        X = self.frame.components(field)
        return [
            sum((x * w for x, w in zip(X, row, strict=True)), Form.function(self.chart, X[k]).d())
            for k, row in enumerate(self.forms())
        ]

    def tensor_derivative(self, direction: VectorField, tensor: Tensor) -> Tensor:
        """∇_X T for a tensor field of any type."""
        self.chart.require(tensor.chart, "the tensor")
        matrix: dict[tuple[int, int], Element] = {}
        for (i, j, k), g in self.christoffel.items():
            x = direction.components[i]
            if not x.is_blank:
                matrix[k, j] = matrix[k, j] + x * g if (k, j) in matrix else x * g
        return tensor.derivation(direction.derivative, matrix)

    def form_derivative(self, direction: VectorField, form: Form) -> Form:
        """∇_X θ for a 1-form, (2.50)."""
        row = form.row()
        tensor = Tensor.of(self.chart, 0, 1, {(i,): a for i, a in enumerate(row)})
        return Form.of(self.chart, 1, self.tensor_derivative(direction, tensor).terms)

    # -- torsion and curvature -----------------------------------------------------------------------
    @cached_property
    def torsion(self) -> Tensor:
        """T of type (1, 2)."""

        def value(X: VectorField, Y: VectorField) -> VectorField:
            return self.derivative(X, Y) - self.derivative(Y, X) - X.bracket(Y)

        return vector_valued_2_form(self.chart, value)

    @cached_property
    def curvature(self) -> Tensor:
        """R of type (1, 3) with components R^a_{b c d} of R(∂_c, ∂_d) ∂_b, as index (a, b, c, d)."""
        partials = self.chart.partials()
        n = self.chart.dimension
        first = [[self.derivative(X, Y) for Y in partials] for X in partials]
        terms: dict[Index, Element] = {}
        for c in range(n):
            for d in range(c):
                for b in range(n):
                    value = self.derivative(partials[c], first[d][b]) - self.derivative(
                        partials[d], first[c][b]
                    )
                    for a, f in enumerate(value.components):
                        terms[a, b, c, d] = f
                        terms[a, b, d, c] = -f
        return Tensor.of(self.chart, 1, 3, terms)

    def torsion_of(self, first: VectorField, second: VectorField) -> VectorField:
        """T(X, Y)."""
        return evaluate_vector_form(self.torsion, first, second)

    def curvature_of(self, first: VectorField, second: VectorField, field: VectorField) -> VectorField:
        """R(X, Y) Z."""
        return evaluate_vector_form(self.curvature, field, first, second)

    def ricci(self) -> Tensor:
        """Ric(Y, Z) = trace of X ↦ R(X, Y) Z, as the tensor (Y, Z)."""
        terms: dict[Index, Element] = {}
        for (a, b, c, d), f in self.curvature.terms.items():
            if a == c:
                terms[d, b] = terms[d, b] + f if (d, b) in terms else f
        return Tensor.of(self.chart, 0, 2, terms)


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
