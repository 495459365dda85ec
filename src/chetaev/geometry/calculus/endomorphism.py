r"""(1, 1) tensor fields as linear maps of vector fields, and the Frölicher–Nijenhuis bracket.

    [R, S](X, Y) = [RX, SY] + [SX, RY] − R[SX, Y] − R[X, SY] − S[RX, Y] − S[X, RY] + (RS + SR)[X, Y],
    N_R = ½[R, R]:   N_R(X, Y) = [RX, RY] − R[RX, Y] − R[X, RY] + R²[X, Y]      (Nijenhuis torsion).

For a projector P onto V along H the torsion holds both obstructions to integrability: P[HX, HY] and H[PX, PY]
(H = I − P). On J¹Y the vertical endomorphism is S = ω^σ ⊗ ∂/∂q̇^σ (SCOPE Sa3).

>>> from chetaev.geometry import JetChart
>>> J = JetChart(["x", "y"], order=1)
>>> S = vertical_endomorphism(J)
>>> (S @ S).is_zero, S(J.partial("x")) == J.partial("x'")
(True, True)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from chetaev.expr.exact import Element
from chetaev.geometry.calculus.contact import contact_forms
from chetaev.geometry.calculus.form import Form
from chetaev.geometry.calculus.tensor import Index, Tensor
from chetaev.geometry.calculus.vector_field import VectorField
from chetaev.geometry.chart.chart import Chart, CoordinateLike, Function, JetChart
from chetaev.geometry.chart.functions import GeometryError


class Endomorphism(Tensor):
    """A (1, 1) tensor field R: X ↦ R(X), with R^i_j the component of R(∂_j) at ∂_i.

    Parameters
    ----------
    chart
        Where it lives.
    terms
        Components by pairs (i, j) of coordinates, or a square matrix of rows i.
    """

    __slots__ = ()

    def __init__(
        self,
        chart: Chart,
        terms: Mapping[tuple[CoordinateLike, CoordinateLike], Function] | Sequence[Sequence[Function]],
    ) -> None:
        if not isinstance(terms, Mapping):
            n = chart.dimension
            if len(terms) != n or any(len(row) != n for row in terms):
                raise GeometryError(f"an endomorphism on ({chart.describe()}) needs a {n} by {n} matrix")
            terms = {(i, j): f for i, row in enumerate(terms) for j, f in enumerate(row)}
        super().__init__(chart, 1, 1, terms)  # type: ignore[arg-type]

    @classmethod
    def make(cls, chart: Chart, terms: Mapping[Index, Element]) -> Endomorphism:
        """From components by index pairs; nothing is checked."""
        return cls.typed(chart, 1, 1, terms)

    @classmethod
    def identity(cls, chart: Chart) -> Endomorphism:
        """The identity I."""
        return cls.make(chart, {(i, i): chart.field.one for i in range(chart.dimension)})

    def __call__(self, *arguments: Any) -> Any:
        """R(X) for a vector field; R(θ, X) = θ(R(X)) for a 1-form and a vector field."""
        if len(arguments) != 1:
            return super().__call__(*arguments)
        (field,) = arguments
        if isinstance(field, Form):
            return self.dual(field)
        if not isinstance(field, VectorField):
            raise GeometryError("an endomorphism acts on a vector field or a 1-form")
        self.chart.require(field.chart, "the vector field")
        components = [self.chart.field.zero] * self.chart.dimension
        for (i, j), f in self.terms.items():
            if not field.components[j].is_blank:
                components[i] = components[i] + f * field.components[j]
        return VectorField.of(self.chart, components)

    def dual(self, form: Form) -> Form:
        """The 1-form θ ∘ R."""
        self.chart.require(form.chart, "the form")
        row = form.row()
        terms: dict[Index, Element] = {}
        for (i, j), f in self.terms.items():
            terms[j,] = terms.get((j,), self.chart.field.zero) + row[i] * f
        return Form.of(self.chart, 1, terms)

    def __matmul__(self, other: Endomorphism) -> Endomorphism:
        """The composition R ∘ S."""
        self.chart.require(other.chart, "the second endomorphism of a composition")
        terms: dict[Index, Element] = {}
        for (i, k), f in self.terms.items():
            for (m, j), g in other.terms.items():
                if k == m:
                    terms[i, j] = terms[i, j] + f * g if (i, j) in terms else f * g
        return Endomorphism.make(self.chart, terms)

    @property
    def trace(self) -> Element:
        """R^i_i."""
        return sum((f for (i, j), f in self.terms.items() if i == j), self.chart.field.zero)

    @property
    def is_projector(self) -> bool:
        """Whether R² = R."""
        return self @ self == self

    def nijenhuis(self) -> Tensor:
        """The Nijenhuis torsion N_R = ½[R, R], a tensor of type (1, 2), skew in the lower places."""

        def torsion(X: VectorField, Y: VectorField) -> VectorField:
            RX, RY = self(X), self(Y)
            inner = RX.bracket(Y) + X.bracket(RY) - self(X.bracket(Y))
            value: VectorField = RX.bracket(RY) - self(inner)
            return value

        return vector_valued_2_form(self.chart, torsion)

    def frolicher_nijenhuis(self, other: Endomorphism) -> Tensor:
        """The Frölicher–Nijenhuis bracket [R, S]."""
        self.chart.require(other.chart, "the second endomorphism of a bracket")
        R, S = self, other

        def value(X: VectorField, Y: VectorField) -> VectorField:
            RX, RY, SX, SY, XY = R(X), R(Y), S(X), S(Y), X.bracket(Y)
            first = RX.bracket(SY) + SX.bracket(RY)
            second: VectorField = R(SX.bracket(Y) + X.bracket(SY)) + S(RX.bracket(Y) + X.bracket(RY))
            third: VectorField = R(S(XY)) + S(R(XY))
            result: VectorField = first - second + third
            return result

        return vector_valued_2_form(self.chart, value)


def vector_valued_2_form(chart: Chart, value: Any) -> Tensor:
    """The (1, 2) tensor, skew in its lower places, with the given values on coordinate fields."""
    partials = chart.partials()
    terms: dict[Index, Element] = {}
    for i, j in combinations(range(chart.dimension), 2):
        for a, f in enumerate(value(partials[i], partials[j]).components):
            terms[a, i, j] = f
            terms[a, j, i] = -f
    return Tensor.of(chart, 1, 2, terms)


def evaluate_vector_form(tensor: Tensor, *fields: VectorField) -> VectorField:
    """The vector field T(·, X_1, …, X_q) of a tensor of type (1, q)."""
    if tensor.upper != 1 or len(fields) != tensor.lower:
        raise GeometryError(
            f"a tensor of type (1, {len(fields)}) is expected, got ({tensor.upper}, {tensor.lower})"
        )
    chart = tensor.chart
    components = [chart.field.zero] * chart.dimension
    for (a, *lower), f in tensor.terms.items():
        for X, i in zip(fields, lower, strict=True):
            f = f * X.components[i]
        components[a] = components[a] + f
    return VectorField.of(chart, components)


def tensor_product(form: Form, field: VectorField) -> Endomorphism:
    """θ ⊗ X as the endomorphism Y ↦ θ(Y) X."""
    field.chart.require(form.chart, "the form")
    row = form.row()
    terms: dict[Index, Element] = {
        (i, j): a * b for i, a in enumerate(field.components) for j, b in enumerate(row)
    }
    return Endomorphism.make(field.chart, terms)


def vertical_endomorphism(jet: JetChart) -> Endomorphism:
    """S = ω^σ ⊗ ∂/∂q̇^σ on J¹Y  (Sa3)."""
    if jet.order != 1:
        raise GeometryError(f"the vertical endomorphism lives on jets of order 1, got order {jet.order}")
    pairs = zip(jet.names, contact_forms(jet), strict=True)
    products = (tensor_product(omega, jet.partial((n, 1))) for n, omega in pairs)
    return sum(products, Endomorphism.make(jet, {}))
