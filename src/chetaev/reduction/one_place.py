"""A function that does not depend on some coordinates, written without them (SCOPE M4).

A normal form need not be unique: what is constant along coordinates may still contain them. It is evaluated
at one place, where that is regular.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> x, y = field.symbols("x y")
>>> str(at_one_place(x * y / y, ["y"]))
'x'
"""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.expr.exact import Element, GivenUp, ask
from chetaev.expr.graph.node import call, constant, div, number

PLACES = (number(0), div(constant("pi"), number(2)), call("atan", div(number(3), number(4))))
"""Angles whose sines and cosines are rational; 0 is singular for some charts of rotations."""


def at_one_place(e: Element, names: Sequence[str]) -> Element:
    """The function at one value of the coordinates, which it is known not to depend on."""
    used = [(c, 0) for c in names if (c, 0) in e.symbols]
    if not used:
        return e
    for place in PLACES:
        there = ask(e.subs, dict.fromkeys(used, place))
        if not isinstance(there, GivenUp):
            return there
    return e
