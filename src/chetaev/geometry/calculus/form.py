r"""Differential forms of any degree, with wedge, d, interior product, Lie derivative and evaluation.

A k-form is Σ ω_I dx^I over increasing I, and (dx^1 ∧ … ∧ dx^k)(X_1, …, X_k) = det(X_j^i), so that

    dω(X, Y) = X(ω(Y)) − Y(ω(X)) − ω([X, Y])     and     L_X = i_X d + d i_X   (Cartan).

>>> from chetaev.geometry import Chart
>>> chart = Chart(["x", "y", "z"])
>>> theta = chart.d("z") - chart("y") * chart.d("x")
>>> print(theta.d())
dx ∧ dy
>>> print(theta ^ theta.d())
dx ∧ dy ∧ dz
>>> theta.d().d().is_zero
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations

from chetaev.expr.exact import Element
from chetaev.expr.print import name_latex
from chetaev.geometry.calculus.vector_field import Module, VectorField, combination_latex, combination_text
from chetaev.geometry.chart.chart import Chart, CoordinateLike, Function
from chetaev.geometry.chart.functions import GeometryError

Index = tuple[int, ...]


class Form(Module):
    """A differential form on a chart.

    Parameters
    ----------
    chart
        Where it lives.
    degree
        k = 0, 1, 2, …; functions are forms of degree 0.
    terms
        Coefficients by coordinates, in any order: ``{("x", "y"): "z"}`` is z dx ∧ dy. For a 1-form a key
        may be one coordinate: ``{"x": 1}``.
    """

    __slots__ = ("chart", "degree", "terms")

    chart: Chart
    degree: int
    terms: dict[Index, Element]
    called = "a form"

    def __init__(
        self,
        chart: Chart,
        degree: int,
        terms: Mapping[CoordinateLike | tuple[CoordinateLike, ...], Function],
    ) -> None:
        if not isinstance(degree, int) or degree < 0:
            raise GeometryError(f"a form has a degree 0, 1, 2, …; got {degree!r}")
        self.chart = chart
        self.degree = degree
        gathered: dict[Index, Element] = {}
        for key, value in terms.items():
            places = self._places(chart, degree, key)
            index, sign = sort_index(places)
            if sign:
                f = chart(value)
                gathered[index] = gathered.get(index, chart.field.zero) + (f if sign > 0 else -f)
        self.terms = {k: f for k, f in gathered.items() if not f.is_blank}

    @staticmethod
    def _places(chart: Chart, degree: int, key: object) -> Index:
        if isinstance(key, tuple) and not (
            len(key) == 2 and isinstance(key[0], str) and isinstance(key[1], int)
        ):
            places = tuple(chart.index(c) for c in key)
        else:
            places = (chart.index(key),)  # type: ignore[arg-type]
        if len(places) != degree:
            raise GeometryError(
                f"a {degree}-form has terms with {degree} differentials; got one with {len(places)}"
            )
        return places

    @classmethod
    def of(cls, chart: Chart, degree: int, terms: Mapping[Index, Element]) -> Form:
        """From coefficients by increasing index tuples; nothing is checked."""
        form = object.__new__(cls)
        form.chart = chart
        form.degree = degree
        form.terms = {k: f for k, f in terms.items() if not f.is_blank}
        return form

    @classmethod
    def function(cls, chart: Chart, f: Function) -> Form:
        """A function as a 0-form."""
        return cls.of(chart, 0, {(): chart(f)})

    @classmethod
    def zero(cls, chart: Chart, degree: int) -> Form:
        """The zero form of a degree."""
        return cls.of(chart, degree, {})

    # -- the exterior algebra ------------------------------------------------------------------------
    def _same(self, other: Form, what: str) -> None:
        self.chart.require(other.chart, what)

    def __add__(self, other: Form) -> Form:
        if not isinstance(other, Form):
            return NotImplemented
        self._same(other, "the second form of a sum")
        if self.degree != other.degree:
            raise GeometryError(
                f"a {self.degree}-form and a {other.degree}-form cannot be added",
                expected="forms of the same degree",
            )
        terms = dict(self.terms)
        for k, f in other.terms.items():
            terms[k] = terms[k] + f if k in terms else f
        return Form.of(self.chart, self.degree, terms)

    def coefficients(self) -> Iterable[Element]:
        """Those that are not zero as they are written."""
        return self.terms.values()

    def changed(self, by: Callable[[Element], Element]) -> Form:
        """The form with every coefficient changed."""
        return Form.of(self.chart, self.degree, {k: by(f) for k, f in self.terms.items()})

    def __mul__(self, factor: Function) -> Form:
        if isinstance(factor, Form):
            raise GeometryError("two forms are multiplied by ∧, not by *", remedy="write a.wedge(b) or a ^ b")
        return self.__rmul__(factor)

    def wedge(self, other: Form) -> Form:
        """The exterior product ω ∧ η."""
        if not isinstance(other, Form):
            raise GeometryError(
                "the wedge product is taken of two forms", remedy="multiply by functions with *"
            )
        self._same(other, "the second form of a wedge product")
        terms: dict[Index, Element] = {}
        for i, f in self.terms.items():
            for j, g in other.terms.items():
                index, sign = sort_index(i + j)
                if sign:
                    value = f * g if sign > 0 else -(f * g)
                    terms[index] = terms[index] + value if index in terms else value
        return Form.of(self.chart, self.degree + other.degree, terms)

    def __xor__(self, other: Form) -> Form:
        """``ω ^ η`` is ω ∧ η; note that Python binds ^ more weakly than + and −."""
        return self.wedge(other)

    def __rxor__(self, other: object) -> Form:
        return self.wedge(other)  # type: ignore[arg-type]  # which says what it is taken of

    # -- calculus ------------------------------------------------------------------------------------
    def d(self) -> Form:
        """The exterior derivative."""
        terms: dict[Index, Element] = {}
        for index, f in self.terms.items():
            for s in f.symbols:
                i = self.chart._index.get(s)
                if i is None or i in index:
                    continue
                slope = f.diff(s)
                key, sign = sort_index((i, *index))
                value = slope if sign > 0 else -slope
                terms[key] = terms[key] + value if key in terms else value
        return Form.of(self.chart, self.degree + 1, terms)

    def interior(self, field: VectorField) -> Form:
        """The interior product i_X ω, X into the first place; of a function it is 0."""
        self.chart.require(field.chart, "the vector field of an interior product")
        terms: dict[Index, Element] = {}
        for index, f in self.terms.items():
            for place, i in enumerate(index):
                component = field.components[i]
                if component.is_blank:
                    continue
                value = component * f if place % 2 == 0 else -(component * f)
                key = index[:place] + index[place + 1 :]
                terms[key] = terms[key] + value if key in terms else value
        return Form.of(self.chart, max(self.degree - 1, 0), terms)

    def lie(self, field: VectorField) -> Form:
        """The Lie derivative L_X ω by Cartan's formula."""
        if self.degree == 0:
            return self.d().interior(field)
        return self.d().interior(field) + self.interior(field).d()

    def __call__(self, *fields: VectorField) -> Element:
        """The value ω(X_1, …, X_k)."""
        if len(fields) != self.degree:
            k = self.degree
            raise GeometryError(f"a {k}-form takes {k} vector field{'s' * (k != 1)}, got {len(fields)}")
        form = self
        for X in fields:
            form = form.interior(X)
        return form.terms.get((), self.chart.field.zero)

    # -- questions -----------------------------------------------------------------------------------
    @property
    def is_closed(self) -> bool | None:
        """Whether dω = 0; None if that is not known."""
        return self.d().is_zero

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Form):
            return NotImplemented
        same = self.chart == other.chart and self.degree == other.degree
        return same and (self - other).is_zero is True

    def __hash__(self) -> int:
        return hash((self.chart, self.degree, frozenset(self.terms)))

    def __getitem__(self, key: CoordinateLike | tuple[CoordinateLike, ...]) -> Element:
        """The coefficient of dx^I, with the sign of the order in which I is given."""
        index, sign = sort_index(self._places(self.chart, self.degree, key))
        f = self.terms.get(index, self.chart.field.zero)
        return f if sign > 0 else -f if sign else self.chart.field.zero

    def row(self) -> tuple[Element, ...]:
        """The components of a 1-form."""
        if self.degree != 1:
            raise GeometryError(f"a 1-form is expected, got a {self.degree}-form")
        zero = self.chart.field.zero
        return tuple(self.terms.get((i,), zero) for i in range(self.chart.dimension))

    # -- to be read ----------------------------------------------------------------------------------
    def _sorted(self) -> list[tuple[Index, Element]]:
        return sorted(self.terms.items())

    def __str__(self) -> str:
        names = ["d" + n + "'" * k for n, k in self.chart.symbols]
        return combination_text((f, " ∧ ".join(names[i] for i in k)) for k, f in self._sorted())

    def latex(self) -> str:
        r"""LaTeX in the basis dx ∧ … ∧ dy."""
        names = [f"d{name_latex(*s)}" for s in self.chart.symbols]
        return combination_latex((f, r" \wedge ".join(names[i] for i in k)) for k, f in self._sorted())


def sort_index(index: Index) -> tuple[Index, int]:
    """The increasing index and the sign of the permutation; 0 if an index is repeated.

    >>> sort_index((2, 0, 1)), sort_index((1, 0)), sort_index((1, 1))
    (((0, 1, 2), 1), ((0, 1), -1), ((1, 1), 0))
    """
    if len(index) < 2:
        return index, 1
    if len(set(index)) != len(index):
        return index, 0
    inversions = sum(1 for i, j in combinations(index, 2) if i > j)
    return tuple(sorted(index)), -1 if inversions % 2 else 1


def one_form(chart: Chart, components: Mapping[CoordinateLike, Function]) -> Form:
    """A 1-form by its components: ``one_form(chart, {"x": "y", "z": -1})`` is y dx − dz."""
    return Form(chart, 1, components)  # type: ignore[arg-type]


def volume(chart: Chart) -> Form:
    """The form dx^1 ∧ … ∧ dx^n."""
    return Form.of(chart, chart.dimension, {tuple(range(chart.dimension)): chart.field.one})
