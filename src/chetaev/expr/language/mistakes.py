"""Mistakes in a text, put into words: what stands there, what was expected, what to write.

A :class:`~chetaev.expr.language.parser.MistakeError` names a token. If what stands around it is a habit from
elsewhere (`chetaev.expr.language.habits`), the remedy is a translation; else it follows from what the parser
expected.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import islice

from chetaev.errors import ExpressionError, ModelError, Origin, UnknownNameError, did_you_mean
from chetaev.expr.graph import node as graph
from chetaev.expr.language.habits import OTHER_FUNCTIONS, OUR_NAMES, closing, habit
from chetaev.expr.language.parser import AFTER_OPERAND, PRIMES, RAISED, TOKEN, MistakeError
from chetaev.expr.language.scope import NAME, Scope

OPERAND = "a number, a name or '('"


def explained(mistake: MistakeError, text: str, scope: Scope, origin: Origin, equation: bool) -> ModelError:
    """The error that a user reads, with its place."""
    previous, token, after = _around(text, mistake.token)
    offset = token.start() if token else len(text)
    error: ModelError
    if mistake.reason is not None:
        assert token is not None
        if not isinstance(mistake.reason, ModelError):
            return ExpressionError(
                "division by zero", origin.place(offset), remedy="the denominator is the number 0"
            )
        width = len(token[0]) + (len(after) if after[:1] in PRIMES else 0)
        error = mistake.reason.at(origin.place(offset, width))
        if not isinstance(error, UnknownNameError):
            return error
        named = None if equation else re.match(r"\s*\w+\s*=(?!=)", text)
        if named and offset < named.end():
            place, left = origin.place(named.end() - 1), named[0].strip()
            return ExpressionError("'=' in an expression", place, remedy=f"leave {left!r} out")
    elif token is None:
        return _unexpected_end(text, mistake.operand_expected, origin, equation)
    elif _is_token(token[0]):
        error = _bad_token(text, token, previous, mistake.operand_expected, origin, equation)
    else:
        error = _bad_character(text, offset, origin)
    found = habit(text, offset, scope)
    if found is None:
        return error
    return ExpressionError(found.message, origin.place(found.start, found.width), remedy=found.remedy)


def _around(text: str, number: int) -> tuple[str, re.Match[str] | None, str]:
    """The token before, the token of this number as a match, the token after it."""
    near = list(islice(TOKEN.finditer(text), max(0, number - 1), number + 2))
    before = near.pop(0)[0] if number and near else ""
    return before, near[0] if near else None, near[1][0] if len(near) > 1 else ""


def _begins_operand(token: str) -> bool:
    return bool(re.match(rf"{NAME}|\.?[0-9]|\(", token))


def _is_token(token: str) -> bool:
    """Whether this is a token of the language, in whatever place."""
    return token in AFTER_OPERAND or token[-1] in RAISED or token[0] in PRIMES or _begins_operand(token)


BAD_CHARACTERS = {
    "_": "names start with a letter",
    '"': "strings have no place in an expression",
    ".": "write decimal numbers as 0.5; there are no attributes",
    **dict.fromkeys("[]{}", "use round brackets"),
    ";": "one expression at a time; a comma separates arguments",
    ":": "an equation is written with =",
    "%": "there is no remainder, and a percent is 1/100",
    "!": "there is no factorial",
    **dict.fromkeys("<>", "inequalities have no place here"),
    "@": "there is no matrix product",
    "∞": "numbers are finite",
    "⁻": "superscript digits follow the minus: x⁻¹",
    "#": "comments have no place in an expression",
    "\\": "LaTeX is not read; write sin(x), sqrt(x), a/b",
    "&": "there is no logic here",
    "?": "there is no choice here; min, max, abs and sign may help",
    "\x00": "the text contains a NUL character; remove it",
    "|": "write abs(…)",
}


def _bad_character(text: str, offset: int, origin: Origin) -> ExpressionError:
    """A character that belongs to no token."""
    character = text[offset]
    remedy = BAD_CHARACTERS.get(character, "")
    if not remedy and unicodedata.category(character) == "Zs":
        remedy = f"it is {unicodedata.name(character)}; write an ordinary blank"
    elif not remedy and not character.isprintable():
        remedy = "it is not visible; remove it"
    return ExpressionError(
        f"unexpected character {repr(character) if character.isprintable() else f'U+{ord(character):04X}'}",
        origin.place(offset),
        expected="numbers, names, + - * / ^ and round brackets",
        remedy=remedy,
    )


def _bad_token(
    text: str, found: re.Match[str], previous: str, operand_expected: bool, origin: Origin, equation: bool
) -> ExpressionError:
    """A token that cannot stand where it stands."""
    token, offset = found[0], found.start()
    message, remedy, expected = f"unexpected {token!r}", "", OPERAND if operand_expected else ""
    if token == "=":
        expected = ""
        if previous == "=":
            message, remedy = "'==' is not an operator here", "write a single '='"
        elif equation and "=" in text[:offset]:
            message, remedy = "a second '=' in one equation", "write one equation for each '='"
        elif operand_expected:
            message, expected = "'=' where an operand was expected", OPERAND
        elif text[offset : offset + 2] == "==":
            message = "'==' is not an operator here"
            remedy = "only constraints are equations, with a single '='"
        elif not equation:
            message, remedy = "'=' in an expression", "only constraints are equations; give one side"
        else:
            message, remedy = "'=' inside brackets", "close the bracket before '='"
    elif token == ")":
        message = "empty brackets" if previous == "(" else message
        if _unmatched(text, offset) is None:
            message, remedy = "a closing bracket without its opening one", "remove it, or open one before"
            expected = ""
    elif token == ",":
        remedy, expected = "a comma separates arguments of a function; write decimals with a point", ""
    elif token[0] in PRIMES:
        message, remedy, expected = (
            "a prime without a coordinate before it",
            "write x' for the velocity of x",
            "",
        )
        if previous == ")":
            remedy = "the derivative of an expression is not carried out; write it out in x' and x''"
    elif not operand_expected and _begins_operand(token):
        before, after = _last_operand(text[:offset]), _operand(text, offset, token)
        message = f"{token!r} follows {before!r} without an operator between them"
        remedy = f"there is no implicit multiplication; write {before}*{after}"
        function = OUR_NAMES.get(previous, previous)
        if function in graph.FUNCTIONS:
            plain = re.match(r"\s*(?:[-+*/^),=]|$)", text[offset + len(after) :]) and "…" not in after
            several = graph.FUNCTIONS[function] != 1
            remedy = f"write {function}({'…, …' if several else after if plain else '…'})"
    return ExpressionError(message, origin.place(offset, len(token)), expected=expected, remedy=remedy)


def _last_operand(text: str) -> str:
    """The end of a text back to the last blank or operator."""
    last = re.search(r"[^\s+*/^(),=−·×⋅-]+\s*$|[)]\s*$", text[-200:])
    return ("(…)" if last[0].strip() == ")" else last[0].strip()) if last else "…"


def _operand(text: str, offset: int, token: str) -> str:
    """What is to be multiplied: a name with its primes, a bracket with what is in it."""
    if token != "(":
        after = text[offset + len(token) :]
        primes = re.match(rf"[{PRIMES}]*", after)
        return token + ("(…)" if after.startswith("(") else primes[0] if primes else "")
    end = closing(text[: offset + 60], offset)
    return text[offset : end + 1] if end is not None else "(…)"


def _unexpected_end(text: str, operand_expected: bool, origin: Origin, equation: bool) -> ExpressionError:
    opened = _unmatched(text, len(text))
    if opened is not None and not operand_expected:
        return ExpressionError(
            "this bracket is never closed", origin.place(opened), remedy="add the missing ')'"
        )
    end = origin.place(len(text.rstrip()))
    if equation and not operand_expected and "=" not in text:
        written = " ".join(text.split())
        return ExpressionError(
            "a constraint is an equation, but there is no '='",
            end,
            expected="an equation such as x' = R*psi'",
            remedy=f"to set it to zero, write {written if len(written) <= 60 else '…'} = 0",
        )
    return ExpressionError("the expression ends too early", end, expected=OPERAND)


def _unmatched(text: str, end: int) -> int | None:
    """The offset of the last opening bracket before `end` that is not closed by then."""
    opened: list[int] = []
    for bracket in re.finditer(r"[()]", text[:end]):
        if bracket[0] == "(":
            opened.append(bracket.start())
        elif opened:
            opened.pop()
    return opened[-1] if opened else None


def bad_call(name: str, count: int, scope: Scope) -> ExpressionError:
    """A function that there is not, or with so many arguments that it does not have."""
    if scope.table(name) is not None:
        return ExpressionError(
            f"the table {name!r} is given {count} arguments", expected="one", remedy=f"write {name}(…)"
        )
    if name in graph.FUNCTIONS:
        return ExpressionError(
            f"{name} is given {count} argument{'' if count == 1 else 's'}",
            expected=graph.arity_words(name),
            remedy=f"write {name}({'…' if graph.FUNCTIONS[name] == 1 else '…, …'})",
        )
    if name in scope.values or name in graph.CONSTANTS:
        return UnknownNameError(
            f"{name!r} is not a function, but an opening bracket follows it",
            remedy=f"for a product write {name}*(…)",
        )
    functions = [*graph.FUNCTIONS, *scope.tables]
    return UnknownNameError(
        f"unknown function {name!r}",
        expected="one of " + ", ".join(functions),
        remedy=OTHER_FUNCTIONS.get(name.casefold(), "")
        or did_you_mean(name, functions)
        or f"there are no user-defined functions; use {'define={…}' if scope.speech.python else '[define]'}",
    )
