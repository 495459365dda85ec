"""What may be given as a function on a chart, and how it is read.

>>> from chetaev.geometry import Chart
>>> chart = Chart(["x", "y"], parameters=["a"])
>>> chart("a*x^2") == chart("a") * chart("x") ** 2
True

Mistakes in geometry, as sentences: two charts mixed, wrong degrees, fields that cannot be prolonged.

>>> from chetaev.geometry import Chart
>>> Chart(["x", "y"]).d("z")
Traceback (most recent call last):
...
chetaev.geometry.chart.functions.GeometryError: 'z' is not a coordinate of the chart (x, y)
  expected one of x, y
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from chetaev.errors import ModelError
from chetaev.expr.exact import Element, NotRealError
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import Scope

if TYPE_CHECKING:
    from chetaev.geometry.chart.chart import Chart


class GeometryError(ModelError):
    """A geometric object used where it has no meaning."""


Symbol = tuple[str, int]
"""A coordinate: its name and its order; ``("x", 1)`` is ẋ."""

Function = Element | Expr | Fraction | int | str
"""Text in the model language, an expression, an exact number, or an element of the chart's field."""


def read(value: Function, chart: Chart) -> Element:
    """The element of a function, not yet checked to live on the chart."""
    if isinstance(value, Element):
        if value.field is not chart.field:
            raise GeometryError(
                f"{value} lives in another field than the chart ({chart.describe()})",
                remedy="make functions from the chart: chart('x*y'), or share the field",
            )
        return value
    if isinstance(value, str):
        value = parse(value, scope_of(chart))
    if isinstance(value, (Expr, Fraction)) or (isinstance(value, int) and not isinstance(value, bool)):
        try:
            return chart.field(value)
        except NotRealError as error:
            raise GeometryError(f"{value} is defined nowhere: {error}") from error
    raise GeometryError(
        f"{value!r} is not a function on the chart ({chart.describe()})",
        expected="text, an expression, an exact number or an element of the chart's field",
    )


def scope_of(chart: Chart) -> Scope:
    """The names text may use: coordinates, parameters, and what the field already knows."""
    own = {n for n, _ in chart.symbols}
    known = {g.name for g in chart.field.generators if g.kind == "symbol"}
    names = {n[0] for n in known if isinstance(n, tuple) and n[1] == 0} | set(chart.parameters) | own
    moving = [n for n in sorted(own) if (n, 1) in chart.symbols]
    order = max((k for _, k in chart.symbols), default=0)
    scope = Scope.of(moving, sorted(names - set(moving)), time=None, order=order)
    return scope.but(purpose=f"a function on the chart ({chart.describe()})")


def function_list(chart: Chart, values: Sequence[Function], count: int, what: str) -> tuple[Element, ...]:
    """So many functions on a chart, checked."""
    if len(values) != count:
        raise GeometryError(
            f"{what} on the chart ({chart.describe()}) needs {count} components, got {len(values)}"
        )
    return tuple(chart(v) for v in values)
