"""A point (t, q, v) as people give it: parameters that are left out have the values of the model.

>>> import chetaev as ch
>>> skate = ch.load("knife-edge")
>>> sorted(k for k in completed(skate, {"x_dot": 1}, [], 20))[:3]
['J', 'alpha', 'g']
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import lookup
from chetaev.model.states.points import parameter_point
from chetaev.model.system import System


def completed(
    system: System, point: Mapping[Any, Any], needed: Iterable[tuple[str, int]], digits: int
) -> Mapping[Any, Any]:
    """The point with all parameters; raises ModelError where it misses symbols ``(name, order)``."""
    for name, value in point.items():
        if not _is_number(value):
            raise ModelError(f"the point has {shown(name)} = {shown(value)}", expected="a finite number")
    if not all(_has(point, name, 0) for name in system.parameters):
        given = {n: x for n, x in parameter_point(system, digits).items() if not _has(point, n, 0)}
        point = {**given, **point}
    missing = sorted({name + "'" * order for name, order in needed if not _has(point, name, order)})
    if missing:
        raise ModelError(
            f"the point has no value for {', '.join(missing)}",
            expected="values for time, all coordinates and velocities",
            remedy="name them as in {'t': 0, 'x': 1, 'x_dot': 2}",
        )
    return point


def _is_number(value: Any) -> bool:
    """Whether a value is a finite real number of any kind; of many digits, too, also as a text."""
    try:
        if isinstance(value, str):
            value = Fraction(value)
        return not isinstance(value, (bool, bytes)) and bool(abs(value) < math.inf) and value.imag == 0
    except (TypeError, ValueError, AttributeError, ArithmeticError):
        return False


def _has(point: Mapping[Any, Any], name: str, order: int) -> bool:
    try:
        lookup(point, name, order)
    except KeyError:
        return False
    return True
