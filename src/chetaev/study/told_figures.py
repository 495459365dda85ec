"""Figures of a run as they are told: digits that are the motion's, not the machine's.

The last bits of a computed motion depend on the processor, and with them every digit of an error. So an
error is told as a bound, 1, 2 or 5 times a power of ten, and never below roundoff; a change of a quantity
that is not conserved with four digits; a value with twelve. The motion itself, in netCDF, has all its bits.
Conserved quantities tell how far each one moved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.expr.graph.evaluate import evaluate, key_name
from chetaev.expr.graph.node import Expr, call, div, make, postorder, power
from chetaev.flow.data.labels import name_of
from chetaev.model.system import System

if TYPE_CHECKING:
    import xarray

    from chetaev.laws.law import Law


ROUNDOFF = 1e-12
"""What double precision loses in a run, relative."""
SMALL = 1e-3
"""A change that is smaller than this part of the quantity is told as a bound."""


def value(x: float) -> float:
    """Twelve digits.

    >>> value(6.200698870614137)
    6.20069887061
    """
    return float(f"{x:.12g}")


def bound(x: float, scale: float = 1.0) -> float:
    """The next of 1, 2, 5, 10, … that is not below |x|, and not below the roundoff of `scale`.

    >>> bound(2.2e-10), bound(8.9e-16), bound(1e-9, 1e6), bound(2e-5), bound(0.0)
    (5e-10, 1e-12, 1e-06, 2e-05, 0.0)
    """
    if not x or not math.isfinite(x):
        return x
    least = max(abs(x), ROUNDOFF * scale, 1e-300)
    unit = Decimal(10) ** math.floor(math.log10(least))
    digits = (Decimal(f"{least:.9e}") / unit).quantize(Decimal("1e-6"), ROUND_CEILING)
    return float(next(step for step in (1, 2, 5, 10, 20) if step >= digits) * unit)


def change(x: float, scale: float) -> float:
    """A largest change of a quantity of this size: four digits, or a bound where it is small.

    >>> change(3.116697241169831, 1.6), change(2.99e-09, 6.2)
    (3.117, 5e-09)
    """
    return float(f"{x:.4g}") if abs(x) > SMALL * scale else bound(x, scale)


def follow(
    system: System, motion: xarray.Dataset, laws: Sequence[Law], entries: Sequence[dict[str, Any]]
) -> list[tuple[Law, Any, float]]:
    """The conserved quantities with their values; the entry of each law is told its first value and drift.

    A drift is the largest |F(t) − F(0)|, and ``relative_drift`` that over the size of F, the largest sum of
    its terms' absolute values: F may be zero along the motion, and is not the worse known for it. A small
    drift is a bound, see :mod:`chetaev.study.told_figures`. Returned are a law, its values and its size.
    """
    q, v = ([motion[key_name(c, order)].values for c in system.coordinates] for order in (0, 1))
    values = system.values_at(motion.time.values, q, v)
    curves: list[tuple[Law, Any, float]] = []
    for law, entry in zip(laws, entries, strict=True):
        found, terms = evaluate([law.expression, sum_of_sizes(law.expression)], values)
        series = np.broadcast_to(np.asarray(found, dtype=float), motion[name_of(motion, "time")].shape)
        if not np.isfinite(series).all():
            continue
        size = float(np.max(terms))
        size = size if 0 < size < math.inf else float(np.abs(series).max()) or 1.0
        drift = float(np.abs(series - series[0]).max())
        entry["first"] = value(float(series[0]))
        entry["drift"] = change(drift, size)
        entry["relative_drift"] = change(drift / size, 1.0)
        if law.conserved:
            curves.append((law, series, size))
    return curves


def sum_of_sizes(e: Expr) -> Expr:
    """The absolute values of the terms of a function added up, whatever cancels between them.

    >>> from chetaev.expr.graph.node import number, symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> print(sum_of_sizes(power(x - y * x, number(2)) / y))
    (abs(x) + abs(y)*abs(x))^2/abs(y)
    """
    sizes: dict[Expr, Expr] = {}
    for node in postorder(e):
        match node.op:
            case "neg" | "define":
                sizes[node] = sizes[node.args[0]]
            case "add" | "mul":
                sizes[node] = make(node.op, [sizes[a] for a in node.args])
            case "div":
                sizes[node] = div(sizes[node.args[0]], call("abs", node.args[1]))
            case "pow" if node.args[1].op == "number" and node.args[1].value > 0:
                sizes[node] = power(sizes[node.args[0]], node.args[1])
            case _:
                sizes[node] = call("abs", node)
    return sizes[e]
