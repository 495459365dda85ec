r"""Maps between charts: pullback of functions and forms, pushforward of vector fields, changes of chart.

For φ: M → N given by functions y^j = φ^j(x):

    φ*f = f ∘ φ,    φ*(f dy^J) = (f ∘ φ) dφ^J,    φ_*X = (X(φ^j) ∘ φ⁻¹) ∂/∂y^j   if φ has an inverse.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> plane, polar = Chart(["x", "y"], field), Chart(["r", "a"], field)
>>> phi = Map(polar, plane, ["r*cos(a)", "r*sin(a)"])
>>> print(phi.pullback(plane.d("x") ^ plane.d("y")))
r*dr ∧ da
>>> phi.are_related(polar.partial("a"), VectorField(plane, ["-y", "x"]))
True
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, overload

from chetaev.errors import NonexistentError
from chetaev.expr.exact import Element
from chetaev.expr.exact.field.normal_form_zero import negated
from chetaev.geometry.calculus.form import Form
from chetaev.geometry.calculus.vector_field import VectorField
from chetaev.geometry.chart.chart import Chart, Function, JetChart
from chetaev.geometry.chart.function_matrix import determinant
from chetaev.geometry.chart.functions import GeometryError, function_list
from chetaev.geometry.chart.zeros import Zeros

if TYPE_CHECKING:
    from chetaev.geometry.calculus.tensor import Tensor


class Map:
    """A map between charts of one field.

    Parameters
    ----------
    source, target
        The charts.
    components
        The target's coordinates as functions on the source.
    inverse
        The source's coordinates as functions on the target; checked. Needed to push fields forward.
    """

    def __init__(
        self,
        source: Chart,
        target: Chart,
        components: Sequence[Function],
        inverse: Sequence[Function] | None = None,
    ) -> None:
        if source.field is not target.field:
            raise GeometryError(
                "a map needs both charts in one field",
                remedy="make the second chart with Chart(names, field=first.field)",
            )
        self.source = source
        self.target = target
        self.components = function_list(source, components, target.dimension, "a map")
        self._inverse: tuple[Element, ...] | None = None
        if inverse is not None:
            self._inverse = function_list(target, inverse, source.dimension, "the inverse of a map")
            self._check_inverse(self._inverse)

    def _check_inverse(self, inverse: tuple[Element, ...]) -> None:
        for x, y in zip(self.source.coordinates, inverse, strict=True):
            back = y.subs(self._values)
            if back != x:
                raise GeometryError(
                    f"the functions given are not the inverse: they take {x} to {back}",
                    expected=f"{x}",
                )

    @classmethod
    def identity(cls, chart: Chart) -> Map:
        """The identity."""
        return cls(chart, chart, chart.coordinates, chart.coordinates)

    @property
    def _values(self) -> dict[tuple[str, int], Element]:
        return dict(zip(self.target.symbols, self.components, strict=True))

    @cached_property
    def jacobian(self) -> list[list[Element]]:
        """The matrix ∂φ^j/∂x^i, one row for each target coordinate."""
        return [[f.diff(s) for s in self.source.symbols] for f in self.components]

    @property
    def is_local_diffeomorphism(self) -> bool | None:
        """Whether the Jacobian has a determinant that is not zero everywhere."""
        if self.source.dimension != self.target.dimension:
            return False
        return negated(determinant(self.jacobian, Zeros(self.source)).is_zero)

    @property
    def inverse(self) -> Map:
        """The inverse map."""
        if self._inverse is None:
            raise GeometryError(
                f"the inverse of the map to ({self.target.describe()}) is not known",
                remedy="give it: Map(source, target, components, inverse=[…])",
            )
        result = Map(self.target, self.source, self._inverse)
        result._inverse = self.components
        return result

    def then(self, other: Map) -> Map:
        """First this map, then the other."""
        self.target.require(other.source, "the second map of a composition")
        result = Map(self.source, other.target, [f.subs(self._values) for f in other.components])
        if self._inverse is not None and other._inverse is not None:
            back = dict(zip(other.source.symbols, other._inverse, strict=True))
            result._inverse = tuple(f.subs(back) for f in self._inverse)
        return result

    # -- pulling back --------------------------------------------------------------------------------
    @overload
    def pullback(self, value: Form) -> Form: ...

    @overload
    def pullback(self, value: Function) -> Element: ...

    def pullback(self, value: Form | Function) -> Form | Element:
        """φ* of a function or a form on the target."""
        if not isinstance(value, Form):
            return self._compose(self.target(value))
        self.target.require(value.chart, "the form to be pulled back")
        basis = [Form.of(self.source, 1, {(i,): a for i, a in enumerate(row)}) for row in self.jacobian]
        products: dict[tuple[int, ...], Form] = {(): Form.function(self.source, 1)}

        def product(index: tuple[int, ...]) -> Form:
            if index not in products:
                products[index] = product(index[:-1]).wedge(basis[index[-1]])
            return products[index]

        terms = (self._compose(f) * product(index) for index, f in value.terms.items())
        return sum(terms, Form.zero(self.source, value.degree))

    def _compose(self, f: Element) -> Element:
        """f ∘ φ."""
        try:
            return f.subs(self._values)
        except NonexistentError as error:
            raise GeometryError(
                f"{f} is not defined anywhere on the image of the map, so it cannot be pulled back"
            ) from error

    # -- pushing forward -----------------------------------------------------------------------------
    def along(self, field: VectorField) -> tuple[Element, ...]:
        """The components of Tφ·X as functions on the source: a vector field along φ."""
        self.source.require(field.chart, "the field to be pushed forward")
        return tuple(field.derivative(f) for f in self.components)

    def pushforward(self, field: VectorField) -> VectorField:
        """φ_*X, for a map with an inverse."""
        back = dict(zip(self.source.symbols, self.inverse.components, strict=True))
        return VectorField.of(self.target, [a.subs(back) for a in self.along(field)])

    def are_related(self, field: VectorField, image: VectorField) -> bool:
        """Whether Tφ·X = Y ∘ φ."""
        self.target.require(image.chart, "the second field")
        values = self._values
        return all(a == b.subs(values) for a, b in zip(self.along(field), image.components, strict=True))

    def pull_tensor(self, tensor: Tensor) -> Tensor:
        """The pullback of any tensor field along a map with an inverse."""
        from chetaev.geometry.calculus.tensor import pull_tensor

        return pull_tensor(self, tensor)

    def __repr__(self) -> str:
        images = ", ".join(f"{n + chr(39) * k} = {f}" for (n, k), f in self._named())
        return f"Map(({self.source.describe()}) → {images})"

    def _named(self) -> list[tuple[tuple[str, int], Element]]:
        return list(zip(self.target.symbols, self.components, strict=True))


def section(jet: JetChart, functions: Mapping[str, Function]) -> Map:
    """The prolonged section J^r γ: t ↦ (t, γ, γ̇, …), from the functions γ^σ(t).

    >>> J = JetChart(["x"], order=2)
    >>> gamma = section(J, {"x": "cos(t)"})
    >>> print(gamma.pullback("x^2 + x'^2"))
    1
    """
    base = Chart([jet.time_name], jet.field, jet.parameters)
    missing = [n for n in jet.names if n not in functions]
    unknown = [n for n in functions if n not in jet.names]
    if missing or unknown:
        raise GeometryError(
            f"a section of ({jet.at_order(0).describe()}) is given by one function of {jet.time_name} "
            f"for each of {', '.join(jet.names)}; "
            + (f"{missing[0]} is missing" if missing else f"{unknown[0]} is no coordinate")
        )
    level = [base(functions[n]) for n in jet.names]
    components: list[Element] = [base.coordinates[0]]
    for _ in range(jet.order + 1):
        components += level
        level = [f.diff((jet.time_name, 0)) for f in level]
    return Map(base, jet, components)
