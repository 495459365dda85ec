"""From text to the expression graph, in one pass; what cannot be read is explained at its place.

    equation: sum "=" sum                     expression: sum
    sum: product (("+" | "-") product)*       product: unary (("*" | "/") unary)*
    unary: power | ("+" | "-") unary          power: postfix [("^" | "**") exponent]
    exponent: power | ("+" | "-") exponent    postfix: atom SUPERSCRIPT*
    atom: NUMBER | NAME | NAME PRIMES | NAME "(" [sum ("," sum)*] ")" | "(" sum ")"

User text is never given to Python's own parser or to SymPy's. The tokens are gone over once, with a stack of
open brackets in place of recursion: time and memory are linear in the text. The first token that cannot stand
where it stands, or the first operation without a value, is put into words by
:mod:`chetaev.expr.language.mistakes`, which is imported only then.

>>> from chetaev.expr.language.scope import Scope
>>> scope = Scope.of(coordinates=["x", "phi"], parameters=["m", "R"])
>>> parse("m*x'^2/2 + R*cos(phi)", scope)
Expr("m*x'^2/2 + R*cos(phi)")
>>> parse_equation("x' = R*phi'", scope)
Equation(lhs=Expr("x'"), rhs=Expr("R*phi'"))
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from chetaev.errors import DivisionByZeroError, ExpressionError, ModelError, Origin, TooLargeError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.expr.graph.number_range import LARGEST, MAX_DIGITS, MAX_EXPONENT, SMALLEST, expect_value
from chetaev.expr.language.scope import NAME, Scope, normal_name

# Limits, each refused with a sentence; numbers stay within double range.
MAX_TEXT = 4_000_000
"""Longest text of one expression, in characters."""
MAX_NESTING = 500
"""Deepest nesting of brackets, of powers of powers, of signs in a row."""
MAX_DEPTH = 20_000
"""Deepest graph of one expression, definitions not looked into."""
MAX_CHAIN = 150_000
"""Deepest graph, definitions included."""

TOKEN = re.compile(
    rf"{NAME}"
    r"""|\*\*|[-+*/^()]|['’′″]+"""
    r"""|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"""
    r"""|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[^ \t\r\n\f]"""
)
"""Any text is a row of these, with blanks between them."""
SIGNS, TIMES, POWERS = ("+", "-", "−"), ("*", "/", "·", "×", "⋅"), ("^", "**")
PRIMES, RAISED, _DIGITS = "'’′″", "⁰¹²³⁴⁵⁶⁷⁸⁹", ".0123456789"
AFTER_OPERAND = frozenset((*SIGNS, *TIMES, *POWERS, ")", ",", "=", ""))
"""What may follow an operand somewhere, besides superscripts; "" is the end."""
_SUPERSCRIPTS = str.maketrans("⁻" + RAISED, "-0123456789")


@dataclass(frozen=True)
class Equation:
    """``lhs = rhs``; the constraint function is ``f = lhs − rhs``."""

    lhs: Expr
    rhs: Expr

    @cached_property
    def residual(self) -> Expr:
        """f = lhs − rhs; the left side alone when the right side is the number 0."""
        return self.lhs if self.rhs is graph.ZERO else graph.sub(self.lhs, self.rhs)

    @cached_property
    def text(self) -> str:
        """lhs = rhs in the model language."""
        return f"{self.lhs} = {self.rhs}"

    def __str__(self) -> str:
        return self.text


def parse(text: str, scope: Scope, origin: Origin | None = None) -> Expr:
    """Read an expression.

    Parameters
    ----------
    text
        The expression.
    scope
        The names it may use.
    origin
        Where the text comes from, for error messages.
    """
    return _parse(text, scope, origin or Origin(text), 1)[0]


def parse_equation(text: str, scope: Scope, origin: Origin | None = None) -> Equation:
    """Read an equation ``lhs = rhs``."""
    return Equation(*_parse(text, scope, origin or Origin(text), 2))


def _parse(text: str, scope: Scope, origin: Origin, count: int) -> tuple[Expr, ...]:
    """The sides of a text: one of an expression, two of an equation."""
    if not isinstance(text, str):
        raise ExpressionError(f"expected an expression as text, got {text!r}")
    if len(text) > MAX_TEXT:
        raise TooLargeError(
            f"the expression has {len(text)} characters",
            origin.place(0),
            expected=f"at most {MAX_TEXT}",
            remedy="break it up with [define]",
        )
    if not text.strip():
        raise ExpressionError(
            "the expression is empty", origin.place(0), expected="an expression, for example m*x'^2/2"
        )
    try:
        sides = _read(text, scope, count)
    except MistakeError as mistake:
        from chetaev.expr.language.mistakes import explained

        raise explained(mistake, text, scope, origin, count == 2) from None
    _check_depth(sides, origin)
    return sides


class MistakeError(Exception):
    """A text cannot be read, because of the token of this number.

    Where `reason` is None the token cannot stand there: an operand was expected, or what follows one.
    """

    def __init__(self, token: int, operand_expected: bool, reason: Exception | None = None) -> None:
        self.token, self.operand_expected, self.reason = token, operand_expected, reason


class _Level:
    """What is open between two brackets: a sum of products, and the function that the bracket belongs to.

    Operators come with the number of their token, and `blamed` is the token that a mistake belongs to.
    """

    __slots__ = ("arguments", "blamed", "divided_at", "factors", "function", "minus", "multiplied_at",
                 "pending", "powers", "summed_at", "terms")  # fmt: skip

    def __init__(self, function: int | None) -> None:
        self.function = function
        """The token of the function's name."""
        self.arguments: list[Expr] = []
        self.begin()

    def begin(self) -> None:
        self.terms: list[Expr] = []
        self.factors: list[Expr] = []
        self.minus = False
        self.divided_at = self.multiplied_at = self.summed_at = self.powers = self.blamed = 0
        self.pending: list[tuple[Expr, int] | None] = []
        """Before the operand: None for a minus sign, the base of a power with its operator."""

    def factor(self, value: Expr) -> None:
        """An operand is complete: no power follows."""
        while self.pending:
            base = self.pending.pop()
            if base is None:
                value = graph.neg(value)
            else:
                self.blamed = base[1]
                value = graph.power(base[0], value)
        self.powers = 0
        if self.divided_at:
            self.blamed = self.divided_at
            self.factors = [graph.div(self._product(), value)]
            self.divided_at = 0
        else:
            self.factors.append(value)

    def _product(self) -> Expr:
        return self.factors[0] if len(self.factors) == 1 else graph.mul(*self.factors)

    def term(self) -> None:
        """A product is complete."""
        self.blamed = self.multiplied_at
        product = self._product()
        self.terms.append(graph.neg(product) if self.minus else product)
        self.factors, self.multiplied_at = [], 0

    def sum(self) -> Expr:
        """The sum is complete."""
        self.term()
        self.blamed = self.summed_at
        return self.terms[0] if len(self.terms) == 1 else graph.add(*self.terms)


def _read(text: str, scope: Scope, count: int) -> tuple[Expr, ...]:
    tokens = TOKEN.findall(text)
    tokens += ("", "")
    open_levels: list[_Level] = []
    level = _Level(None)
    sides: list[Expr] = []
    known: dict[tuple[str, int], Expr] = {}
    at = signs = 0
    try:
        while True:
            # --- an operand, signs before it
            token = tokens[at]
            at += 1
            if token in SIGNS:
                signs += 1
                if signs > MAX_NESTING:
                    raise MistakeError(at - 1, True, _nests("signs"))
                if token != "+":
                    level.pending.append(None)
                continue
            signs = 0
            first = token[:1]
            if first.isalpha() or (token and not first.isascii() and _NAME.match(token)):
                after = tokens[at]
                if after == "(":
                    open_levels.append(level)
                    if len(open_levels) > MAX_NESTING:
                        raise MistakeError(at, True, _nests("brackets"))
                    level = _Level(at - 1)
                    at += 1
                    if tokens[at] != ")":
                        continue
                    at += 1
                    value = _call(level, tokens, scope)
                    level = open_levels.pop()
                else:
                    order = 0
                    level.blamed = at - 1
                    if after and after[0] in PRIMES:
                        at += 1
                        order = sum(2 if c == "″" else 1 for c in after)
                    resolved = known.get((token, order))
                    if resolved is None:
                        resolved = known[token, order] = scope.resolve(token, order)
                    value = resolved
            elif first == "(":
                open_levels.append(level)
                if len(open_levels) > MAX_NESTING:
                    raise MistakeError(at - 1, True, _nests("brackets"))
                level = _Level(None)
                continue
            elif token and first in _DIGITS and token != ".":
                level.blamed = at - 1
                value = graph.number(read_number(token))
            else:
                raise MistakeError(at - 1, True)
            # --- what follows it; closing brackets make a new operand
            while True:
                token = tokens[at]
                at += 1
                while token and token[-1] in RAISED:
                    level.blamed = at - 1
                    if len(token) > MAX_DIGITS:
                        raise _too_many_digits(len(token))
                    value = graph.power(value, graph.number(int(token.translate(_SUPERSCRIPTS))))
                    token = tokens[at]
                    at += 1
                if token not in AFTER_OPERAND:
                    raise MistakeError(at - 1, False)
                if token in POWERS:
                    level.pending.append((value, at - 1))
                    level.powers += 1
                    if level.powers > MAX_NESTING:
                        raise MistakeError(at - 1, False, _nests("powers"))
                    break
                level.factor(value)
                if token in TIMES:
                    level.multiplied_at = level.multiplied_at or at - 1
                    level.divided_at = at - 1 if token == "/" else 0
                    break
                if token in SIGNS:
                    level.term()
                    level.summed_at = level.summed_at or at - 1
                    level.minus = token != "+"
                    break
                value = level.sum()
                if token == ")" and open_levels:
                    if level.function is not None:
                        level.arguments.append(value)
                        value = _call(level, tokens, scope)
                    level = open_levels.pop()
                    continue
                if token == "," and level.function is not None:
                    level.arguments.append(value)
                elif not open_levels and len(sides) + 1 == count and not token:
                    return (*sides, value)
                elif not open_levels and len(sides) + 1 < count and token == "=":
                    sides.append(value)
                else:
                    raise MistakeError(at - 1, False)
                level.begin()
                break
    except (ModelError, DivisionByZeroError) as error:
        blamed = level.blamed
        follows = tokens[at]
        if tokens[blamed] not in AFTER_OPERAND and not (follows in AFTER_OPERAND or follows[-1] in RAISED):
            raise MistakeError(
                at, False
            ) from None  # a token that cannot stand there goes before what it follows
        raise MistakeError(blamed, False, error) from None


def _call(level: _Level, tokens: Sequence[str], scope: Scope) -> Expr:
    """The function of a bracket, of its arguments."""
    assert level.function is not None
    level.blamed = level.function
    name, arguments = normal_name(tokens[level.function]), level.arguments
    data = scope.table(name) if scope.tables else None
    if data is not None and len(arguments) == 1:
        return graph.table(data, arguments[0])
    arity = graph.FUNCTIONS.get(name)
    if arity is None or data is not None or not (len(arguments) == arity or 0 < -arity <= len(arguments)):
        from chetaev.expr.language.mistakes import bad_call

        raise bad_call(name, len(arguments), scope)
    if arguments[-1].op == "number":
        expect_value(name, arguments[-1].value)
    return graph.call(name, *arguments)


def read_number(text: str) -> Fraction:
    """A decimal literal as the exact rational it writes.

    >>> read_number("0.1")
    Fraction(1, 10)
    """
    if len(text) < 16 and text.isdecimal():
        return Fraction(int(text))
    mantissa, _, exponent = text.lower().partition("e")
    if len(mantissa) > MAX_DIGITS:
        raise _too_many_digits(len(mantissa))
    if exponent and (len(exponent.lstrip("+-").lstrip("0")) > 4 or abs(int(exponent)) > MAX_EXPONENT):
        raise _outside(text)
    value = Fraction(mantissa)
    if not exponent and len(mantissa) < 300:
        return value
    value *= Fraction(10) ** int(exponent or 0)
    if value and not SMALLEST <= abs(value) < LARGEST:
        raise _outside(text)
    return value


_NAME = re.compile(NAME)


def _outside(text: str) -> TooLargeError:
    return TooLargeError(
        f"the number {text[:30]} is outside the range of double precision",
        expected="a magnitude between about 5e-324 and 1.8e308",
        remedy="choose other units",
    )


def _too_many_digits(digits: int) -> TooLargeError:
    return TooLargeError(f"a number has {digits} digits", expected=f"at most {MAX_DIGITS}")


def _nests(what: str) -> TooLargeError:
    return TooLargeError(
        f"{what} nest more than {MAX_NESTING} deep", remedy="break the expression up with [define]"
    )


def _check_depth(roots: Sequence[Expr], origin: Origin) -> None:
    """Refuse an expression that nests too deep by itself, or through the definitions it uses."""
    if graph.depth(*roots) <= MAX_DEPTH:
        return
    own: dict[Expr, int] = {}
    for node in graph.postorder(*roots, through_definitions=False):
        own[node] = 1 + max((own.get(a, 0) for a in node.args), default=0) if node.op != "define" else 1
    if max(own[r] for r in roots) > MAX_DEPTH:
        raise TooLargeError(
            f"the expression nests operations more than {MAX_DEPTH} deep",
            origin.place(0),
            remedy="break it up with [define]",
        )
    if graph.depth(*roots) > MAX_CHAIN:
        raise TooLargeError(
            f"the expression and the definitions it uses nest operations more than {MAX_CHAIN} deep",
            origin.place(0),
            remedy="use fewer definitions one inside the other",
        )
