"""Solve an equation for a symbol that occurs in it once, by undoing one operation after the other.

    sin(x') + y'*z' − x = 0   →   x' = asin(x − y'*z'),   or  x' = π − asin(x − y'*z'),  sin up to 2π

Each answer carries the conditions under which it holds (SCOPE K13).

>>> from chetaev.expr.graph.node import call, symbol
>>> for s in isolate(call("sin", symbol("x", 1)) - symbol("y"), symbol("x", 1)):
...     print(s.value, "|", *s.notes)
asin(y) | up to multiples of 2*pi of the argument of sin
pi - asin(y) | up to multiples of 2*pi of the argument of sin
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from chetaev.expr.graph.node import (
    ONE,
    PI,
    ZERO,
    Expr,
    add,
    call,
    div,
    mul,
    neg,
    number,
    postorder,
    power,
    sub,
)

MAX_SOLUTIONS = 8


@dataclass(frozen=True)
class InverseBranch:
    """Which branch of the inverse of a function: up to multiples of a period, or the principal one."""

    period: Expr | None = None
    function: str = ""

    def __str__(self) -> str:
        if self.period is not None:
            return f"up to multiples of {self.period} of the argument of {self.function}"
        return f"on the principal branch of {self.function}"


@dataclass(frozen=True)
class Solution:
    """A value of the symbol, what must be ≥ 0 and what must not be 0 for it, and notes on the branch."""

    value: Expr
    nonnegative: tuple[Expr, ...] = ()
    nonzero: tuple[Expr, ...] = ()
    notes: tuple[InverseBranch, ...] = ()

    def then(
        self,
        value: Expr,
        nonnegative: Expr | None = None,
        note: InverseBranch | None = None,
        nonzero: tuple[Expr, ...] = (),
    ) -> Solution:
        """The next step."""
        more = self.nonnegative if nonnegative is None else (*self.nonnegative, nonnegative)
        notes = (*self.notes, note) if note else self.notes
        return Solution(value, more, (*self.nonzero, *nonzero), notes)


def isolate(equation: Expr, unknown: Expr) -> list[Solution]:
    """All solutions of equation = 0 for the unknown; empty if it occurs twice or cannot be undone."""
    if _paths(equation, unknown) != 1:
        return []
    node, solutions = equation, [Solution(ZERO)]
    while node is not unknown:
        place = next(i for i, a in enumerate(node.args) if _paths(a, unknown))
        solutions = [t for s in solutions for t in _undo(node, place, s)]
        if not solutions or len(solutions) > MAX_SOLUTIONS:
            return []
        node = node.args[place]
    return solutions


def _minus(a: Expr) -> Expr:
    return a.args[0] if a.op == "neg" else neg(a)


def _paths(root: Expr, unknown: Expr) -> int:
    count: dict[int, int] = {}
    for node in postorder(root):
        count[id(node)] = 1 if node is unknown else sum(count[id(a)] for a in node.args)
    return count[id(root)]


def _undo(node: Expr, place: int, s: Solution) -> list[Solution]:
    """The solutions for the argument at `place`, given that the node has the value s."""
    r = s.value
    others = [a for i, a in enumerate(node.args) if i != place]
    match node.op:
        case "define":
            return [s]
        case "add":
            rest = add(*others)
            return [s.then(_minus(rest) if r is ZERO else sub(r, rest))]
        case "neg":
            return [s.then(_minus(r))]
        case "mul":
            return [s.then(r if r is ZERO else div(r, mul(*others)), nonzero=tuple(others))]
        case "div":
            if place == 0:
                return [s.then(r if r is ZERO else mul(r, others[0]))]
            return [] if r is ZERO else [s.then(div(others[0], r), nonzero=(r,))]
        case "pow":
            return _undo_power(node, place, s)
        case _:
            return _undo_function(node.op, s)


def _undo_power(node: Expr, place: int, s: Solution) -> list[Solution]:
    r, base, exponent = s.value, node.args[0], node.args[1]
    if place == 1:
        return [s.then(div(call("log", r), call("log", base)), r)]
    if exponent.op != "number" or exponent.value == 0:
        return []
    e = exponent.value
    root = power(r, number(Fraction(e.denominator, e.numerator)))
    if e == 2:
        root = call("sqrt", r)
    if e.denominator % 2 == 0 and e.numerator % 2:
        return [s.then(root, r)]
    if e.numerator % 2 == 0:
        return [s.then(root, r), s.then(_minus(root), r)]
    if e == 1:
        return [s.then(r)]
    if e == -1:
        return [s.then(div(ONE, r))]
    odd = power(call("abs", r), number(Fraction(e.denominator, e.numerator)))
    return [s.then(mul(call("sign", r), odd))]


def _undo_function(name: str, s: Solution) -> list[Solution]:
    r = s.value
    turn = InverseBranch(mul(number(2), PI), name)
    if name == "sin":
        main = call("asin", r)
        inside = sub(ONE, power(r, number(2)))
        return [s.then(main, inside, turn), s.then(sub(PI, main), inside, turn)]
    if name == "cos":
        main = call("acos", r)
        inside = sub(ONE, power(r, number(2)))
        return [s.then(main, inside, turn), s.then(_minus(main), inside, turn)]
    if name == "tan":
        return [s.then(call("atan", r), None, InverseBranch(PI, name))]
    if name == "abs":
        return [s.then(r, r), s.then(_minus(r), r)]
    if name == "sqrt":
        return [s.then(power(r, number(2)), r)]
    if name == "cosh":
        main = call("acosh", r)
        return [s.then(main, sub(r, ONE)), s.then(_minus(main), sub(r, ONE))]
    simple = {
        "exp": "log", "log": "exp", "sinh": "asinh", "tanh": "atanh", "asinh": "sinh", "atanh": "tanh",
        "asin": "sin", "acos": "cos", "atan": "tan", "acosh": "cosh",
    }  # fmt: skip
    if name not in simple:
        return []
    note = InverseBranch(function=name) if name in ("asin", "acos", "atan", "acosh") else None
    return [s.then(call(simple[name], r), r if name == "exp" else None, note)]
