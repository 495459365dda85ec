"""For which parameters a law is real: radicands and logarithms that are made of parameters alone (SCOPE K22).

cos(t √k) is real for k > 0 only. A law with such roots is stated with the condition; where the model's own
values do not meet it, the function is complex there and is no law of the model.

>>> import chetaev as ch
>>> from chetaev.expr.language.parser import parse
>>> system = ch.System(coordinates=["x"], lagrangian="(x'^2 - k*x^2)/2", parameters={"k": 2})
>>> print(realness(system, parse("x'*cos(t*sqrt(k)) + x*sqrt(k)*sin(t*sqrt(k))", system.scope)))
k > 0
>>> realness(system, parse("(x' + x*sqrt(-k))*exp(-t*sqrt(-k))", system.scope)).holds
False
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chetaev.expr.exact import GivenUp, ask
from chetaev.expr.exact.vanishing import Verdict
from chetaev.expr.graph.node import Expr, mul, number, postorder, symbols
from chetaev.laws.jumps_of_signs import jumps
from chetaev.laws.parameter_signs import sign_at_values
from chetaev.laws.rate import is_first_integral
from chetaev.laws.standpoint import EVERY_VALUE, VALUES_GIVEN, standpoints
from chetaev.laws.undefined import positive
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.system import System

PARTIAL = frozenset({"div", "pow", "sqrt", "log", "tan", "asin", "acos", "acosh", "atanh"})
"""What is not defined everywhere."""


@dataclass(frozen=True)
class Realness:
    """Conditions on the parameters under which a function is real."""

    conditions: tuple[str, ...] = ()
    """Such as ``k > 0``."""
    holds: bool | None = True
    """Whether the model's values meet them; None if a ball does not show it."""

    def __str__(self) -> str:
        return " and ".join(self.conditions)

    @property
    def words(self) -> str:
        """What is said behind `for every value of the parameters`."""
        return f" with {self}" if self.conditions else ""


def realness(system: System, expression: Expr) -> Realness:
    """The conditions on the parameters under which a function is real, and whether the model meets them."""
    conditions: list[str] = []
    holds: list[bool | None] = []
    for inner, strict in _insides(expression, set(system.parameters)):
        sign = sign_at_values(system, inner)
        holds.append(None if sign is None else sign > 0 or (sign == 0 and not strict))
        if symbols(inner) and not positive(inner):
            conditions.append(_condition(inner, "≥" if sign == 0 and not strict else ">"))
    answer = False if False in holds else None if None in holds else True
    return Realness(tuple(dict.fromkeys(conditions)), answer)


def real_verdict(system: System, expression: Expr, effort: int) -> tuple[Verdict, str]:
    """Whether a function is constant, and for which parameters; undecided where it is complex or jumps, or
    has no value: a statement about all states at which it is defined needs one.
    """
    real = realness(system, expression)
    if real.holds is False:
        return Verdict("undecided", False, method=f"it is not real unless {real}"), VALUES_GIVEN
    own = standpoints(system)[-1]
    here = ask(own.apply, [expression])
    if isinstance(here, GivenUp):
        return Verdict("undecided", False, method=f"it has no value: {here.reason}"), own.words
    verdict, standpoint = is_first_integral(system, expression, effort)
    if verdict.is_zero and any(node.op in PARTIAL for node in postorder(expression)):
        (value,) = vanish(system, [expression], own, effort)
        if not value.points:
            return Verdict("undecided", False, method=value.method, limit=value.limit), own.words
    if verdict.is_zero and (at := jumps(system, expression, effort)):
        return Verdict("undecided", False, method=f"it jumps where {at[0]} = 0"), standpoint.words
    every = verdict.is_zero and standpoint.words == EVERY_VALUE
    return verdict, standpoint.words + (real.words if every else "")


def _insides(expression: Expr, still: set[str]) -> Iterator[tuple[Expr, bool]]:
    """What stands under even roots and in logarithms, if no state is in it; whether it must not vanish."""
    for node in postorder(expression):
        even = node.op == "pow" and node.args[1].op == "number" and node.args[1].value.denominator % 2 == 0
        if (even or node.op in ("sqrt", "log")) and {name for name, _ in symbols(node.args[0])} <= still:
            yield node.args[0], node.op == "log" or (even and node.args[1].value < 0)


def _condition(inner: Expr, relation: str) -> str:
    """`inner > 0`, as `k < 0` if it is -k."""
    first = inner.args[0] if inner.op == "mul" else inner
    if inner.op == "neg" or (first.op == "number" and first.value < 0):
        opposite = inner.args[0] if inner.op == "neg" else mul(number(-first.value), *inner.args[1:])
        return f"{opposite} {'<' if relation == '>' else '≤'} 0"
    return f"{inner} {relation} 0"
