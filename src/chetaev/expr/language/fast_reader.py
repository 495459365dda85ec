"""The same language as ``grammar.lark``, read faster: for texts without mistakes.

:func:`read` goes over the tokens once, with a stack of its own, and builds the nodes that the callbacks of
`expr.parser` build, in the same order. Where anything is not as it should be it gives up and returns None;
lark then reads the text and explains. So the grammar stays the reference for what is valid and for every
error, and what is read here must agree with it (tests/expr/language/test_fast_reader.py).

>>> from chetaev.expr.language.scope import Scope
>>> scope = Scope.of(coordinates=["x"], parameters=["m"])
>>> read("m*x'^2/2", scope)
(Expr("m*x'^2/2"),)
>>> read("x' = 2*m", scope)
(Expr("x'"), Expr('2*m'))
>>> read("m*", scope) is None
True
"""

from __future__ import annotations

import re
from fractions import Fraction

from chetaev.errors import ModelError, TooLargeError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.expr.graph.number_range import LARGEST, MAX_DIGITS, MAX_EXPONENT, SMALLEST, expect_value
from chetaev.expr.language.scope import Scope, normal_name

TOKEN = re.compile(
    r"""[^\W\d_⁰¹²³⁴⁵⁶⁷⁸⁹](?:[^\W⁰¹²³⁴⁵⁶⁷⁸⁹]|[\u0300-\u036f])*"""
    r"""|\*\*|[-+*/^()]|['’′″]+"""
    r"""|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"""
    r"""|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[^ \t\r\n\f]"""
)
"""Any text is a row of these, with blanks between them."""
_SIGNS, _TIMES, _POWERS = ("+", "-", "−"), ("*", "/", "·", "×", "⋅"), ("^", "**")
SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


MAX_NESTING = 500
"""Deepest nesting of brackets, of powers of powers, of signs in a row."""
_MANY_SIGNS = re.compile(rf"(?:[-+−][ \t\r\n\f]*){{{MAX_NESTING + 1}}}")


class _Level:
    """What is open between two brackets: a sum of products, and the function that the bracket belongs to."""

    __slots__ = ("arguments", "divides", "factors", "function", "minus", "pending", "terms")

    def __init__(self, function: str | None) -> None:
        self.function = function
        self.arguments: list[Expr] = []
        self.begin()

    def begin(self) -> None:
        self.terms: list[Expr] = []
        self.factors: list[Expr] = []
        self.minus = self.divides = False
        self.pending: list[Expr | None] = []
        """Before the operand: None a minus sign, an Expr the base of a power."""

    def factor(self, value: Expr) -> None:
        """An operand is complete: no power follows."""
        while self.pending:
            base = self.pending.pop()
            value = graph.neg(value) if base is None else graph.power(base, value)
        if self.divides:
            self.factors = [graph.div(self._product(), value)]
            self.divides = False
        else:
            self.factors.append(value)

    def _product(self) -> Expr:
        return self.factors[0] if len(self.factors) == 1 else graph.mul(*self.factors)

    def term(self) -> None:
        """A product is complete."""
        product = self._product()
        self.terms.append(graph.neg(product) if self.minus else product)
        self.factors = []

    def sum(self) -> Expr:
        """The sum is complete."""
        self.term()
        return self.terms[0] if len(self.terms) == 1 else graph.add(*self.terms)


def read(text: str, scope: Scope, looked: list[int] | None = None) -> tuple[Expr, ...] | None:
    """An expression as one node, an equation as two; None where the text has to be looked at closely.

    Then the number of tokens that were looked at is appended to `looked`.
    """
    try:
        return _read(text, scope, [] if looked is None else looked)
    except (ModelError, ZeroDivisionError, ValueError):
        return None


def _read(text: str, scope: Scope, looked: list[int]) -> tuple[Expr, ...] | None:
    if len(text) > MAX_NESTING and _MANY_SIGNS.search(text):
        return None
    tokens = TOKEN.findall(text)
    tokens.append("")
    open_levels: list[_Level] = []
    level = _Level(None)
    sides: list[Expr] = []
    known: dict[tuple[str, int], Expr] = {}
    at = 0
    try:
        while True:
            # --- an operand, signs before it
            token = tokens[at]
            at += 1
            if token in _SIGNS:
                if token != "+":
                    level.pending.append(None)
                continue
            first = token[:1]
            if first.isalpha():
                after = tokens[at]
                if after == "(":
                    at += 1
                    open_levels.append(level)
                    if len(open_levels) > MAX_NESTING:
                        return None
                    level = _Level(normal_name(token))
                    continue
                order = 0
                if after[:1] in _PRIMES and after:
                    at += 1
                    order = sum(2 if c == "″" else 1 for c in after)
                found = known.get((token, order))
                if found is None:
                    found = known[token, order] = scope.resolve(token, order)
                value = found
            elif first == "(":
                open_levels.append(level)
                if len(open_levels) > MAX_NESTING:
                    return None
                level = _Level(None)
                continue
            elif first in _DIGITS and token:
                value = graph.number(read_number(token))
            else:
                return None
            # --- what follows it; closing brackets make a new operand
            while True:
                token = tokens[at]
                at += 1
                while token and token[0] in _RAISED:
                    if len(token) > MAX_DIGITS:
                        return None
                    value = graph.power(value, graph.number(int(token.translate(SUPERSCRIPTS))))
                    token = tokens[at]
                    at += 1
                if token in _POWERS:
                    level.pending.append(value)
                    if len(level.pending) > MAX_NESTING:
                        return None
                    break
                level.factor(value)
                if token in _TIMES:
                    level.divides = token == "/"
                    break
                if token in _SIGNS:
                    level.term()
                    level.minus = token != "+"
                    break
                value = level.sum()
                if token == ")":
                    if not open_levels:
                        return None
                    if level.function is not None:
                        data = scope.table(level.function) if scope.tables else None
                        if data is None:
                            if value.op == "number":
                                expect_value(level.function, value.value)
                            value = graph.call(level.function, *level.arguments, value)
                        elif level.arguments:
                            return None
                        else:
                            value = graph.table(data, value)
                    level = open_levels.pop()
                    continue
                if token == "," and level.function is not None:
                    level.arguments.append(value)
                elif open_levels or sides:
                    return (*sides, value) if not token and not open_levels else None
                elif not token:
                    return (value,)
                elif token == "=":
                    sides.append(value)
                else:
                    return None
                level.begin()
                break
    finally:
        looked.append(at)


_PRIMES, _RAISED, _DIGITS = "'’′″", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹", ".0123456789"


def read_number(text: str) -> Fraction:
    """A decimal literal as the exact rational it writes.

    >>> read_number("0.1")
    Fraction(1, 10)
    """
    if len(text) < 16 and text.isdecimal():
        return Fraction(int(text))
    mantissa, _, exponent = text.lower().partition("e")
    digits = len(mantissa)
    if digits > MAX_DIGITS:
        raise too_many_digits(digits)
    if exponent and (len(exponent.lstrip("+-").lstrip("0")) > 4 or abs(int(exponent)) > MAX_EXPONENT):
        raise _outside(text)
    value = Fraction(mantissa)
    if not exponent and digits < 300:
        return value
    value *= Fraction(10) ** int(exponent or 0)
    if value and not SMALLEST <= abs(value) < LARGEST:
        raise _outside(text)
    return value


def _outside(text: str) -> TooLargeError:
    return TooLargeError(
        f"the number {text[:30]} is outside the range of double precision",
        expected="a magnitude between about 5e-324 and 1.8e308",
        remedy="choose other units",
    )


def too_many_digits(digits: int) -> TooLargeError:
    """The error for a number that is too long."""
    return TooLargeError(f"a number has {digits} digits", expected=f"at most {MAX_DIGITS}")
