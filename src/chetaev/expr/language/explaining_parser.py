"""The grammar's own parser, which explains what it cannot read.

The grammar stands in ``grammar.lark`` and is read by lark's LALR parser, whose stack is a list: no
recursion, time and memory linear in the text. Nodes are built while parsing.
"""

from __future__ import annotations

import re
import threading
from functools import cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from chetaev.errors import ExpressionError, ModelError, Origin, UnknownNameError, did_you_mean
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.expr.graph.number_range import MAX_DIGITS, expect_value
from chetaev.expr.language.equation import Equation
from chetaev.expr.language.fast_reader import SUPERSCRIPTS, read_number, too_many_digits
from chetaev.expr.language.other_functions import ELSEWHERE
from chetaev.expr.language.scope import Scope, normal_name
from chetaev.expr.language.short_window import window

AROUND = 1_000
"""A mistake in a long text is explained from so many tokens around it."""


def explain_at(text: str, token: int, scope: Scope, origin: Origin, start: str) -> None:
    """Explain a mistake at a token of a long text; nothing happens if there is more to it."""
    part = window(text, token, AROUND)
    try:
        _parsed(part, scope, start)
    except UnexpectedToken as error:
        if error.token.type != "$END" or len(part) == len(text):
            raise _explained(error, text, scope, origin, start) from None
    except (UnexpectedCharacters, _LocatedError) as error:
        raise _explained(error, text, scope, origin, start) from None


def read_thoroughly(text: str, scope: Scope, origin: Origin, start: str) -> Expr | Equation:
    """What a text says, or an error that explains why it says nothing."""
    try:
        return _parsed(text, scope, start)
    except (UnexpectedCharacters, UnexpectedToken, _LocatedError) as error:
        raise _explained(error, text, scope, origin, start) from None


def _explained(error: Exception, text: str, scope: Scope, origin: Origin, start: str) -> ModelError:
    """What lark stumbled over, in words: by its phrase elsewhere, else by what is expected here."""
    from chetaev.expr.language.elsewhere import phrase
    from chetaev.expr.language.explain import bad_character, bad_token

    explained: ModelError
    if isinstance(error, UnexpectedCharacters):
        offset, explained = error.pos_in_stream or 0, bad_character(text, error, origin)
    elif isinstance(error, UnexpectedToken):
        offset, explained = error.token.start_pos or 0, bad_token(text, error, origin, start)
        if error.token.type == "$END":
            return explained
    else:
        assert isinstance(error, _LocatedError)
        offset, explained = error.offset, error.error.at(origin.place(error.offset, error.width))
        if not isinstance(explained, UnknownNameError):
            return explained
        named = re.match(r"\s*\w+\s*=(?!=)", text) if start == "expression" else None
        if named and offset < named.end():
            place, left = origin.place(named.end() - 1), named[0].strip()
            return ExpressionError("'=' in an expression", place, remedy=f"leave {left!r} out")
    found = phrase(text, offset, scope)
    if found is None:
        return explained
    return ExpressionError(found.message, origin.place(found.start, found.width), remedy=found.remedy)


def _parsed(text: str, scope: Scope, start: str) -> Expr | Equation:
    previous = getattr(_active, "scope", None)
    _active.scope = scope
    try:
        parsed: Any = _parser().parse(text, start=start)
    finally:
        _active.scope = previous
    result: Expr | Equation = parsed
    return result


# --- building nodes while parsing ---------------------------------------------------------------


class _LocatedError(Exception):
    """A ModelError on its way from a parser callback, with the offset it belongs to."""

    def __init__(self, error: ModelError, offset: int, width: int) -> None:
        self.error, self.offset, self.width = error, offset, width


_active = threading.local()


def _located(error: ModelError, token: Token) -> _LocatedError:
    return _LocatedError(error, token.start_pos or 0, len(token))


class _Builder(Transformer[Token, Expr]):
    """Callbacks of the grammar's rules."""

    def expression(self, children: list[Any]) -> Expr:
        (child,) = children
        return child  # type: ignore[no-any-return]

    def equation(self, children: list[Any]) -> Equation:
        lhs, _, rhs = children
        return Equation(lhs, rhs)

    def sum(self, children: list[Any]) -> Expr:
        if len(children) == 1:
            return children[0]  # type: ignore[no-any-return]
        terms = [children[0]]
        for sign, term in zip(children[1::2], children[2::2], strict=True):
            terms.append(term if sign == "+" else graph.neg(term))
        return _guard(children[1], graph.add, *terms)

    def product(self, children: list[Any]) -> Expr:
        if len(children) == 1:
            return children[0]  # type: ignore[no-any-return]
        factors = [children[0]]
        for operator, factor in zip(children[1::2], children[2::2], strict=True):
            if operator == "/":
                numerator = _guard(operator, graph.mul, *factors)
                factors = [_guard(operator, graph.div, numerator, factor)]
            else:
                factors.append(factor)
        return _guard(children[1], graph.mul, *factors)

    def signed(self, children: list[Any]) -> Expr:
        sign, operand = children
        return operand if sign == "+" else graph.neg(operand)

    def power(self, children: list[Any]) -> Expr:
        base, operator, exponent = children
        return _guard(operator, graph.power, base, exponent)

    def superscript(self, children: list[Any]) -> Expr:
        base, digits = children
        if len(digits) > MAX_DIGITS:
            raise _located(too_many_digits(len(digits)), digits)
        exponent = graph.number(int(digits.translate(SUPERSCRIPTS)))
        return _guard(digits, graph.power, base, exponent)

    def group(self, children: list[Any]) -> Expr:
        return children[1]  # type: ignore[no-any-return]

    def number(self, children: list[Any]) -> Expr:
        (token,) = children
        try:
            return graph.number(read_number(token))
        except ModelError as error:
            raise _located(error, token) from None

    def name(self, children: list[Any]) -> Expr:
        (token,) = children
        return self._resolve(token, 0, len(token))

    def primed(self, children: list[Any]) -> Expr:
        token, primes = children
        order = sum(2 if c == "″" else 1 for c in primes)
        return self._resolve(token, order, len(token) + len(primes))

    def _resolve(self, token: Token, order: int, width: int) -> Expr:
        try:
            scope: Scope = _active.scope
            return scope.resolve(str(token), order)
        except ModelError as error:
            raise _LocatedError(error, token.start_pos or 0, width) from None

    def call(self, children: list[Any]) -> Expr:
        token, arguments = children[0], [c for c in children[1:] if isinstance(c, Expr)]
        name = normal_name(str(token))
        scope: Scope = _active.scope
        data = scope.table(name)
        if data is not None:
            if len(arguments) != 1:
                raise _located(
                    ExpressionError(
                        f"the table {name!r} is given {len(arguments)} arguments",
                        expected="one",
                        remedy=f"write {name}(…)",
                    ),
                    token,
                )
            return graph.table(data, arguments[0])
        if name not in graph.FUNCTIONS:
            raise _located(_not_a_function(name, scope), token)
        arity = graph.FUNCTIONS[name]
        if len(arguments) != arity if arity >= 0 else len(arguments) < -arity:
            raise _located(
                ExpressionError(
                    f"{name} is given {len(arguments)} argument{'' if len(arguments) == 1 else 's'}",
                    expected=graph.arity_words(name),
                    remedy=f"write {_example(name)}",
                ),
                token,
            )
        if arguments[-1].op == "number":
            try:
                expect_value(name, arguments[-1].value)
            except ModelError as error:
                raise _located(error, token) from None
        return graph.call(name, *arguments)


def _example(name: str) -> str:
    arity = graph.FUNCTIONS[name]
    return f"{name}({'…' if arity == 1 else '…, …'})"


def _not_a_function(name: str, scope: Scope) -> ExpressionError:
    if name in scope.values or name in graph.CONSTANTS:
        return UnknownNameError(
            f"{name!r} is not a function, but an opening bracket follows it",
            remedy=f"for a product write {name}*(…)",
        )
    return UnknownNameError(
        f"unknown function {name!r}",
        expected="one of " + ", ".join([*graph.FUNCTIONS, *scope.tables]),
        remedy=ELSEWHERE.get(name.casefold(), "")
        or did_you_mean(name, [*graph.FUNCTIONS, *scope.tables])
        or f"there are no user-defined functions; use {_definitions(scope)}",
    )


def _definitions(scope: Scope) -> str:
    return "define={…}" if scope.speech.python else "[define]"


def _guard(token: Token | None, builder: Any, *args: Expr) -> Expr:
    """Build a node; an arithmetic error of exact numbers is placed at the operator."""
    try:
        return builder(*args)  # type: ignore[no-any-return]
    except ZeroDivisionError:
        error = ExpressionError("division by zero", remedy="the denominator is the number 0")
        raise _LocatedError(error, token.start_pos or 0 if token else 0, 1) from None
    except ModelError as error:
        raise _LocatedError(error, token.start_pos or 0 if token else 0, 1) from None


@cache
def _parser() -> Lark:
    grammar = files("chetaev.expr.language").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(
        grammar,
        parser="lalr",
        start=["expression", "equation"],
        transformer=_Builder(visit_tokens=False),
        maybe_placeholders=False,
        propagate_positions=False,
    )
