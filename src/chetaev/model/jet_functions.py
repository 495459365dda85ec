"""A function on the jets of a system, as people give it: text, a number, a graph, a SymPy expression.

>>> from chetaev.model.file.loader import load
>>> function_on(load("knife-edge"), "x'*cos(phi)")
Expr("x'*cos(phi)")
>>> from chetaev.expr.graph.node import symbol
>>> function_on(load("knife-edge"), symbol("z"), "the function of a bracket")
Traceback (most recent call last):
chetaev.errors.ModelError: the function of a bracket contains 'z', which the system does not have
  expected one of t, m, J, g, alpha, w, x, y, phi, x', y', phi'
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from chetaev.errors import ModelError, did_you_mean
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import parse
from chetaev.model.system import System

if TYPE_CHECKING:
    from chetaev.model.system import System


def function_on(system: System, value: Any, purpose: str = "an expression", order: int = 1) -> Expr:
    """The graph of a function of time, parameters, coordinates and their derivatives up to an order."""
    scope = system.scope.but(purpose=purpose, order=order)
    if isinstance(value, str):
        return parse(value, scope)
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return graph.number(value)
    if isinstance(value, Expr):
        _check(system, value, purpose, order)
        return value
    if hasattr(value, "free_symbols"):
        from chetaev.expr.language.sympy_bridge import from_sympy

        return from_sympy(value, scope)
    raise ModelError(f"{purpose} is {value!r}"[:200], expected="text in the model language or an expression")


def expect_coordinates(system: System, names: Iterable[object], message: str, expected: str = "") -> None:
    """Raise unless all names are coordinates; ``{}`` in the message stands for the name."""
    known = system.coordinates
    for name in names:
        if name not in known:
            listed = expected and f"{expected} {', '.join(known)}"
            remedy = did_you_mean(str(name), known)
            raise ModelError(message.format(repr(name)), expected=listed, remedy=remedy)


def _check(system: System, value: Expr, purpose: str, order: int) -> None:
    known = [(name, 0) for name in (system.time, *system.parameters)]
    known += [(name, k) for k in range(order + 1) for name in system.coordinates]
    for name, k in sorted(graph.symbols(value)):
        if (name, k) not in known:
            names = [n + "'" * k for n, k in known]
            raise ModelError(
                f"{purpose} contains {name + chr(39) * k!r}, which the system does not have",
                expected="one of " + ", ".join(names[:12]) + (", …" if len(names) > 12 else ""),
                remedy=did_you_mean(name + "'" * k, names),
            )


def fresh(name: str, taken: Container[str]) -> str:
    """A name with as many underscores after it as it needs to be new."""
    while name in taken:
        name += "_"
    return name


def fresh_names(system: System, count: int, stem: str = "mu", between: str = "_") -> tuple[str, ...]:
    """mu_1, mu_2, …, with a longer stem where the model uses these names itself."""
    while any(f"{stem}{between}{i + 1}" in system.names for i in range(count)):
        stem += "_"
    return tuple(f"{stem}{between}{i + 1}" for i in range(count))
