"""What forms, vector fields and tensors have in common: sums, and products with functions on the chart."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, Self

from chetaev.expr.exact import Element
from chetaev.expr.exact.field.normal_form_zero import all_zero
from chetaev.expr.graph.node import Expr
from chetaev.geometry.chart.chart import Chart, Function
from chetaev.geometry.chart.errors import GeometryError


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
