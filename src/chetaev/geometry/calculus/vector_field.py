r"""Vector fields: derivations of functions, X = X^i ∂/∂x^i, and their Lie bracket

    [X, Y] = (X(Y^i) − Y(X^i)) ∂/∂x^i,        [X, Y](f) = X(Y(f)) − Y(X(f)).

>>> from chetaev.geometry import Chart
>>> chart = Chart(["x", "y", "z"])
>>> X = VectorField(chart, [1, 0, "-y/2"])
>>> Y = VectorField(chart, {"y": 1, "z": "x/2"})
>>> print(X.bracket(Y))
∂/∂z
>>> X("x*z") == chart("z - x*y/2")
True

What forms, vector fields and tensors have in common: sums, and products with functions on the chart.

LaTeX that reads like the papers: ∂/∂q̇, dx ∧ dy, coefficients before their basis element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Self

from chetaev.expr.exact import Element
from chetaev.expr.exact.field.normal_form_zero import all_zero
from chetaev.expr.graph.node import ONE, Expr, div, mul, number
from chetaev.expr.print import name_latex, to_latex, to_text
from chetaev.geometry.chart.chart import Chart, CoordinateLike, Function
from chetaev.geometry.chart.functions import GeometryError, function_list


def combination_latex(terms: Iterable[tuple[Element, str]]) -> str:
    """Σ coefficient·basis, with signs and brackets as people write them."""
    return _combination(terms, to_latex, r" \, ", (r"\left(", r"\right)"))


def combination_text(terms: Iterable[tuple[Element, str]]) -> str:
    """The same in plain text."""
    return _combination(terms, to_text, "*", ("(", ")"))


def _combination(
    terms: Iterable[tuple[Element, str]], show: Callable[[Expr], str], times: str, brackets: tuple[str, str]
) -> str:
    written = ""
    for coefficient, basis in terms:
        if coefficient.is_blank:
            continue
        negative, size = _signed(coefficient.to_expr())
        text = show(size)
        if size.op == "add" and (basis or negative):
            text = text.join(brackets)
        if basis:
            text = basis if size == ONE else f"{text}{times}{basis}"
        sign = "-" if negative else "+" if written else ""
        written += f" {sign} {text}" if written else sign + text
    return written or "0"


def _signed(expr: Expr) -> tuple[bool, Expr]:
    """Whether a minus stands before an expression, and what it stands before."""
    if expr.op == "neg":
        return True, expr.args[0]
    if expr.op == "number" and expr.value < 0:
        return True, number(-expr.value)
    if expr.op not in ("mul", "div"):
        return False, expr
    (negative, first), rest = _signed(expr.args[0]), expr.args[1:]
    if not negative:
        return False, expr
    if expr.op == "div":
        return True, div(first, *rest)
    return True, rest[0] if first == ONE and len(rest) == 1 else mul(first, *rest)


class Module:
    """A member of a module over the functions on a chart, by its coefficients."""

    __slots__ = ()

    chart: Chart
    called = "a tensor"

    def coefficients(self) -> Iterable[Element]:
        """All coefficients that may not be zero."""
        raise NotImplementedError

    def changed(self, by: Callable[[Element], Element]) -> Self:
        """The same with every coefficient changed."""
        raise NotImplementedError

    def latex(self) -> str:
        """LaTeX in the basis of the coordinates."""
        raise NotImplementedError

    def __add__(self, other: Any) -> Self:
        raise NotImplementedError

    def __neg__(self) -> Self:
        return self.changed(lambda f: -f)

    def __sub__(self, other: Any) -> Self:
        return self + (-other) if isinstance(other, Module) else NotImplemented

    def __rmul__(self, factor: Function) -> Self:
        if not isinstance(factor, (Element, Expr, Fraction, int, str)):
            return NotImplemented
        g = self.chart(factor)
        return self.changed(lambda f: g * f)

    def __mul__(self, factor: Function) -> Self:
        return self.__rmul__(factor)

    def __truediv__(self, factor: Function) -> Self:
        g = self.chart(factor)
        if g.is_blank:
            raise GeometryError(f"{self.called} is divided by a function that is zero")
        return self.changed(lambda f: f / g)

    @property
    def is_zero(self) -> bool | None:
        """Whether all coefficients are zero; None if that is not known."""
        return all_zero(self.coefficients())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"


Slopes = dict[int, dict[int, Element]]


class VectorField(Module):
    """A vector field on a chart.

    Parameters
    ----------
    chart
        Where it lives.
    components
        One function for each coordinate, or a mapping from coordinates; those left out are 0.
    """

    __slots__ = ("chart", "components")

    chart: Chart
    components: tuple[Element, ...]
    called = "a vector field"

    def __init__(
        self, chart: Chart, components: Sequence[Function] | Mapping[CoordinateLike, Function]
    ) -> None:
        self.chart = chart
        if isinstance(components, Mapping):
            values: list[Function] = [0] * chart.dimension
            for coordinate, value in components.items():
                values[chart.index(coordinate)] = value
            components = values
        self.components = function_list(chart, components, chart.dimension, "a vector field")

    @classmethod
    def of(cls, chart: Chart, components: Sequence[Element]) -> VectorField:
        """From elements that are known to be functions on the chart; nothing is checked."""
        field = object.__new__(cls)
        field.chart = chart
        field.components = tuple(components)
        return field

    # -- what it does --------------------------------------------------------------------------------
    def __call__(self, f: Function) -> Element:
        """The derivative X(f)."""
        g = self.chart(f)
        return self.derivative(g)

    def derivative(self, f: Element) -> Element:
        """X(f) for an element, unchecked."""
        result = self.chart.field.zero
        depends = f.symbols
        if not depends:
            return result
        for symbol, component in zip(self.chart.symbols, self.components, strict=True):
            if symbol in depends and not component.is_blank:
                slope = f.diff(symbol)
                if not slope.is_blank:
                    result = result + component * slope
        return result

    def bracket(self, other: VectorField) -> VectorField:
        """The Lie bracket [X, Y]."""
        self.chart.require(other.chart, "the second vector field of a bracket")
        zero = self.chart.field.zero
        return VectorField.of(
            self.chart,
            [
                zero if a.is_number and b.is_number else self.derivative(b) - other.derivative(a)
                for a, b in zip(self.components, other.components, strict=True)
            ],
        )

    def slopes(self) -> Slopes:
        """The ∂X^i/∂x^j that are not 0, by i and j: what many brackets with one field share."""
        found: Slopes = {}
        for i, f in enumerate(self.components):
            depends = f.symbols
            for j, symbol in enumerate(self.chart.symbols if depends else ()):
                if symbol in depends and not (slope := f.diff(symbol)).is_blank:
                    found.setdefault(i, {})[j] = slope
        return found

    def __getitem__(self, coordinate: CoordinateLike) -> Element:
        """One component."""
        return self.components[self.chart.index(coordinate)]

    # -- the module of vector fields -----------------------------------------------------------------
    def __add__(self, other: VectorField) -> VectorField:
        if not isinstance(other, VectorField):
            return NotImplemented
        self.chart.require(other.chart, "the second vector field of a sum")
        return VectorField.of(
            self.chart, [a + b for a, b in zip(self.components, other.components, strict=True)]
        )

    def coefficients(self) -> tuple[Element, ...]:
        """The components."""
        return self.components

    def changed(self, by: Callable[[Element], Element]) -> VectorField:
        """The field with every component changed."""
        return VectorField.of(self.chart, [by(a) for a in self.components])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, VectorField):
            return NotImplemented
        return self.chart == other.chart and all(
            a == b for a, b in zip(self.components, other.components, strict=True)
        )

    def __hash__(self) -> int:
        return hash((self.chart, self.components))

    # -- to be read ----------------------------------------------------------------------------------
    def __str__(self) -> str:
        names = [f"∂/∂{n}" + "'" * k for n, k in self.chart.symbols]
        return combination_text(zip(self.components, names, strict=True))

    def latex(self) -> str:
        r"""LaTeX in the basis ∂/∂x."""
        names = [rf"\frac{{\partial}}{{\partial {name_latex(*s)}}}" for s in self.chart.symbols]
        return combination_latex(zip(self.components, names, strict=True))


def lie_bracket(first: VectorField, second: VectorField) -> VectorField:
    """[X, Y]."""
    return first.bracket(second)
