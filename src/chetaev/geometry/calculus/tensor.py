r"""Tensor fields of type (p, q), their Lie derivative, and transport by maps.

    (L_X T)^{a…}_{b…} = X(T^{a…}_{b…}) − T^{c…}_{b…} ∂X^a/∂x^c − … + T^{a…}_{c…} ∂X^c/∂x^b + …

>>> from chetaev.geometry import Chart, VectorField
>>> chart = Chart(["x", "y"])
>>> g = Tensor(chart, 0, 2, {("x", "x"): 1, ("y", "y"): 1})
>>> g.lie(VectorField(chart, ["-y", "x"])).is_zero
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from chetaev.expr.exact import Element
from chetaev.expr.print import name_latex
from chetaev.geometry.calculus.form import Form
from chetaev.geometry.calculus.vector_field import Module, VectorField, combination_latex, combination_text
from chetaev.geometry.chart.chart import Chart, CoordinateLike, Function
from chetaev.geometry.chart.functions import GeometryError

if TYPE_CHECKING:
    from typing import Self

    from chetaev.geometry.calculus.maps import Map

Index = tuple[int, ...]


class Tensor(Module):
    """A tensor field with `upper` contravariant and `lower` covariant places.

    Components are given by coordinates, the upper ones first; those left out are 0.
    """

    __slots__ = ("chart", "lower", "terms", "upper")

    chart: Chart
    upper: int
    lower: int
    terms: dict[Index, Element]

    def __init__(
        self,
        chart: Chart,
        upper: int,
        lower: int,
        terms: Mapping[tuple[CoordinateLike, ...], Function],
    ) -> None:
        self.chart, self.upper, self.lower = chart, upper, lower
        self.terms = {}
        for key, value in terms.items():
            if len(key) != upper + lower:
                raise GeometryError(
                    f"a tensor of type ({upper}, {lower}) has components with {upper + lower} indices, "
                    f"got {len(key)}"
                )
            f = chart(value)
            if not f.is_blank:
                self.terms[tuple(chart.index(c) for c in key)] = f

    def like(self, terms: Mapping[Index, Element]) -> Self:
        """A tensor of the same type with other components, unchecked."""
        return self.typed(self.chart, self.upper, self.lower, terms)

    @staticmethod
    def of(chart: Chart, upper: int, lower: int, terms: Mapping[Index, Element]) -> Tensor:
        """From components by index tuples; nothing is checked."""
        return Tensor.typed(chart, upper, lower, terms)

    @classmethod
    def typed(cls, chart: Chart, upper: int, lower: int, terms: Mapping[Index, Element]) -> Self:
        """The same as a tensor of this class."""
        result = object.__new__(cls)
        result.chart, result.upper, result.lower = chart, upper, lower
        result.terms = {k: f for k, f in terms.items() if not f.is_blank}
        return result

    # -- linear structure ----------------------------------------------------------------------------
    def _same_type(self, other: Tensor) -> None:
        self.chart.require(other.chart, "the second tensor of a sum")
        if (self.upper, self.lower) != (other.upper, other.lower):
            raise GeometryError(
                f"tensors of type ({self.upper}, {self.lower}) and ({other.upper}, {other.lower}) "
                "cannot be added"
            )

    def __add__(self, other: Tensor) -> Self:
        if not isinstance(other, Tensor):
            return NotImplemented
        self._same_type(other)
        terms = dict(self.terms)
        for k, f in other.terms.items():
            terms[k] = terms[k] + f if k in terms else f
        return self.like(terms)

    def coefficients(self) -> Iterable[Element]:
        """The components that are not zero as they are written."""
        return self.terms.values()

    def changed(self, by: Callable[[Element], Element]) -> Self:
        """The tensor with every component changed."""
        return self.like({k: by(f) for k, f in self.terms.items()})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tensor):
            return NotImplemented
        same = (self.upper, self.lower) == (other.upper, other.lower) and self.chart == other.chart
        return same and (self - other).is_zero is True

    def __hash__(self) -> int:
        return hash((self.chart, self.upper, self.lower, frozenset(self.terms)))

    def __getitem__(self, key: tuple[CoordinateLike, ...]) -> Element:
        """One component."""
        return self.terms.get(tuple(self.chart.index(c) for c in key), self.chart.field.zero)

    # -- calculus ------------------------------------------------------------------------------------
    def __call__(self, *arguments: Any) -> Any:
        """The value on 1-forms (upper places) and vector fields (lower places)."""
        if len(arguments) != self.upper + self.lower:
            raise GeometryError(
                f"a tensor of type ({self.upper}, {self.lower}) takes {self.upper} 1-forms and {self.lower} "
                f"vector fields, got {len(arguments)} arguments"
            )
        rows = []
        for place, a in enumerate(arguments):
            wanted = Form if place < self.upper else VectorField
            if not isinstance(a, wanted):
                raise GeometryError(
                    f"argument {place + 1} should be a {'1-form' if wanted is Form else 'vector field'}"
                )
            self.chart.require(a.chart, f"argument {place + 1}")
            rows.append(a.row() if isinstance(a, Form) else a.components)
        result = self.chart.field.zero
        for index, f in self.terms.items():
            for row, i in zip(rows, index, strict=True):
                f = f * row[i]
                if f.is_blank:
                    break
            else:
                result = result + f
        return result

    def derivation(
        self, function_part: Callable[[Element], Element], matrix: Mapping[tuple[int, int], Element]
    ) -> Self:
        """The derivation with the given action on functions and D ∂_c = m^a_c ∂_a, D dx^a = −m^a_c dx^c."""
        terms: dict[Index, Element] = {}

        def put(key: Index, value: Element) -> None:
            terms[key] = terms[key] + value if key in terms else value

        for index, f in self.terms.items():
            put(index, function_part(f))
            for place, c in enumerate(index):
                for (a, b), m in matrix.items():
                    if place < self.upper and b == c:
                        put((*index[:place], a, *index[place + 1 :]), f * m)
                    elif place >= self.upper and a == c:
                        put((*index[:place], b, *index[place + 1 :]), -(f * m))
        return self.like(terms)

    def lie(self, field: VectorField) -> Self:
        """The Lie derivative L_X T."""
        self.chart.require(field.chart, "the vector field of a Lie derivative")
        matrix = {}
        for a, component in enumerate(field.components):
            for s in component.symbols:
                c = self.chart._index.get(s)
                if c is not None:
                    slope = component.diff(s)
                    if not slope.is_blank:
                        matrix[a, c] = -slope
        return self.derivation(field.derivative, matrix)

    # -- to be read ----------------------------------------------------------------------------------
    def __str__(self) -> str:
        plain = [n + "'" * k for n, k in self.chart.symbols]
        return combination_text(
            (f, " ⊗ ".join(f"∂/∂{plain[i]}" if p < self.upper else f"d{plain[i]}" for p, i in enumerate(k)))
            for k, f in sorted(self.terms.items())
        )

    def latex(self) -> str:
        r"""LaTeX in the coordinate basis, with ⊗."""
        names = [name_latex(*s) for s in self.chart.symbols]

        def basis(place: int, i: int) -> str:
            return rf"\frac{{\partial}}{{\partial {names[i]}}}" if place < self.upper else f"d{names[i]}"

        return combination_latex(
            (f, r" \otimes ".join(basis(p, i) for p, i in enumerate(k)))
            for k, f in sorted(self.terms.items())
        )


def pull_tensor(phi: Map, tensor: Tensor) -> Tensor:
    """φ*T for a map with an inverse: covariant places by Tφ, contravariant ones by Tφ⁻¹."""
    phi.target.require(tensor.chart, "the tensor to be pulled back")
    values = dict(zip(phi.target.symbols, phi.components, strict=True))
    terms: dict[Index, Element] = {k: f.subs(values) for k, f in tensor.terms.items()}
    down = phi.jacobian
    up = [[f.subs(values) for f in row] for row in phi.inverse.jacobian] if tensor.upper else []
    n = phi.source.dimension
    for place in range(tensor.upper + tensor.lower):
        new: dict[Index, Element] = {}
        for index, f in terms.items():
            for i in range(n):
                factor = up[i][index[place]] if place < tensor.upper else down[index[place]][i]
                if factor.is_blank:
                    continue
                key = (*index[:place], i, *index[place + 1 :])
                new[key] = new[key] + f * factor if key in new else f * factor
        terms = new
    return Tensor.of(phi.source, tensor.upper, tensor.lower, terms)
