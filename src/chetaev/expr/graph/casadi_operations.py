"""CasADi's operations by their numbers: the same nodes as ``a * b`` and ``casadi.sin(a)``, sooner.

The operators of CasADi's Python face ask of both sides whether they are sparse matrices of SciPy or arrays of
NumPy before they make a node; that takes ten times as long as the node.

>>> import casadi
>>> x, y = casadi.SX.sym("x"), casadi.SX.sym("y")
>>> times(x, y), minus(x, 1), fabs(y)
(SX((x*y)), SX((x-1)), SX(fabs(y)))
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import casadi


def unary(number: int) -> Callable[[Any], Any]:
    """The function of one argument with this number."""
    return partial(casadi.SX.unary, number)


def binary(number: int) -> Callable[[Any, Any], Any]:
    """The operation on two arguments with this number."""
    return partial(casadi.SX.binary, number)


plus = binary(casadi.OP_ADD)
minus = binary(casadi.OP_SUB)
times = binary(casadi.OP_MUL)
over = binary(casadi.OP_DIV)
power = binary(casadi.OP_POW)
atan2 = binary(casadi.OP_ATAN2)
fmin = binary(casadi.OP_FMIN)
fmax = binary(casadi.OP_FMAX)
fabs = unary(casadi.OP_FABS)
