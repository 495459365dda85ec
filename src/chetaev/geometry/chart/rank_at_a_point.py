"""The rank of a matrix of functions at one point, exactly.

The point's values are put into the functions in a field of constants of its own, where sin(1) or √2 are
numbers in normal form like any other.

>>> from chetaev.geometry import Chart
>>> chart = Chart(["x", "y"])
>>> x, y = chart.coordinates
>>> rank_at([[x, y], [y, x]], {"x": 1, "y": 1}), rank_at([[x, y], [y, x]], {"x": 1, "y": 2})
(1, 2)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any

from chetaev.expr.exact import Element, Field, NotRealError
from chetaev.expr.exact.field.field import parse_name
from chetaev.expr.exact.linear.growing_echelon import GrowingEchelon
from chetaev.expr.graph.node import Expr
from chetaev.geometry.chart.chart import Chart
from chetaev.geometry.chart.errors import GeometryError
from chetaev.geometry.chart.zeros import Zeros


def rank_at(rows: Sequence[Sequence[Element]], point: Mapping[Any, Any]) -> int:
    """The exact rank of a matrix of functions at a point."""
    field = Field()
    chart = Chart([], field)
    values = {}
    for key, value in point.items():
        symbol = parse_name(key) if isinstance(key, str) else key
        if isinstance(value, float):
            if not isfinite(value):
                raise GeometryError(f"the point has the value {value} for {symbol[0] + chr(39) * symbol[1]}")
            value = Fraction(value)
        values[symbol] = field(value) if isinstance(value, (int, Fraction, Expr)) else chart(value)
    result = GrowingEchelon(len(rows[0]) if rows else 0, Zeros(chart))
    for row in rows:
        numbers = []
        for a in row:
            missing = sorted(a.symbols - set(values))
            if missing:
                name = missing[0][0] + "'" * missing[0][1]
                raise GeometryError(f"the point has no value for {name}")
            try:
                numbers.append(field(a.to_expr()).subs(values))
            except (ZeroDivisionError, NotRealError) as error:
                raise GeometryError(f"{a} is not defined at the point") from error
        result.add(numbers)
    return result.rank
