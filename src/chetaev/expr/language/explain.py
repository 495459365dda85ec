"""Why a text cannot be read: sentences for what the parser stumbles over."""

from __future__ import annotations

import re
import unicodedata

from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from chetaev.errors import ExpressionError, Origin
from chetaev.expr.graph import node as graph
from chetaev.expr.language.habits.phrase import closing
from chetaev.expr.language.other_functions import SPELLED

_OPERANDS = {"NUMBER", "NAME", "LPAR"}


def bad_character(text: str, error: UnexpectedCharacters, origin: Origin) -> ExpressionError:
    """A character that belongs to no token."""
    offset = error.pos_in_stream or 0
    character = text[offset]
    shown = repr(character) if character.isprintable() else f"U+{ord(character):04X}"
    remedies = {
        "_": "names start with a letter",
        '"': "strings have no place in an expression",
        ".": "write decimal numbers as 0.5; there are no attributes",
        "[": "use round brackets",
        "{": "use round brackets",
        "]": "use round brackets",
        "}": "use round brackets",
        ";": "one expression at a time; a comma separates arguments",
        ":": "an equation is written with =",
        "%": "there is no remainder, and a percent is 1/100",
        "!": "there is no factorial",
        "<": "inequalities have no place here",
        ">": "inequalities have no place here",
        "@": "there is no matrix product",
        "'": "a prime follows the name of a coordinate at once: x'",
        "√": "write sqrt(…)",
        "|": "write abs(…)",
        "∞": "numbers are finite",
        "⁻": "superscript digits follow the minus: x⁻¹",
        "#": "comments have no place in an expression",
        "`": "a derivative is written with ': x'",
        "\\": "LaTeX is not read; write sin(x), sqrt(x), a/b",
        "$": "LaTeX is not read; write sin(x), sqrt(x), a/b",
        "&": "there is no logic here",
        "?": "there is no choice here; min, max, abs and sign may help",
        "\x00": "the text contains a NUL character; remove it",
    }
    return ExpressionError(
        f"unexpected character {shown}",
        origin.place(offset),
        expected="numbers, names, + - * / ^ and round brackets",
        remedy=remedies.get(character) or _invisible(character),
    )


def _invisible(character: str) -> str:
    """A remedy for a character that no one sees."""
    if unicodedata.category(character) == "Zs":
        return f"it is {unicodedata.name(character)}; write an ordinary blank"
    return "" if character.isprintable() else "it is not visible; remove it"


def bad_token(text: str, error: UnexpectedToken, origin: Origin, start: str) -> ExpressionError:
    """A token that cannot stand where it stands."""
    token, expected = error.token, set(error.expected)
    previous = error.token_history[-1] if error.token_history else None
    if token.type == "$END":
        return _unexpected_end(text, expected, origin, start)
    offset, width = token.start_pos or 0, len(token)
    message, remedy, wanted = f"unexpected {str(token)!r}", "", ""
    if token.type == "EQUALS":
        if previous is not None and previous.type == "EQUALS":
            message, remedy = "'==' is not an operator here", "write a single '='"
        elif start == "equation" and "=" in text[:offset]:
            message, remedy = "a second '=' in one equation", "write one equation for each '='"
        elif expected >= _OPERANDS:
            message, wanted = "'=' where an operand was expected", "a number, a name or '('"
        elif text[offset : offset + 2] == "==":
            message, remedy = (
                "'==' is not an operator here",
                "only constraints are equations, with a single '='",
            )
        elif start == "expression":
            message, remedy = "'=' in an expression", "only constraints are equations; give one side"
        else:
            message, remedy = "'=' inside brackets", "close the bracket before '='"
    elif token.type == "RPAR":
        message = "empty brackets" if previous is not None and previous.type == "LPAR" else message
        if _unmatched(text, offset) is None:
            message, remedy = "a closing bracket without its opening one", "remove it, or open one before"
        elif expected >= _OPERANDS:
            wanted = "a number, a name or '('"
    elif token.type in _OPERANDS and "NUMBER" not in expected:
        before = _last_operand(text[:offset])
        after = _operand(text, offset, str(token))
        message = f"{str(token)!r} follows {before!r} without an operator between them"
        if previous is not None and previous.type == "NAME" and _function(str(previous)) in graph.FUNCTIONS:
            plain = re.match(r"\s*(?:[-+*/^),=]|$)", text[offset + len(after) :]) and "…" not in after
            several = graph.FUNCTIONS[_function(str(previous))] != 1
            remedy = f"write {_function(str(previous))}({'…, …' if several else after if plain else '…'})"
        else:
            remedy = f"there is no implicit multiplication; write {before}*{after}"
    elif token.type == "PRIMES":
        message, remedy = "a prime without a coordinate before it", "write x' for the velocity of x"
        if previous is not None and previous.type == "RPAR":
            remedy = "the derivative of an expression is not carried out; write it out in x' and x''"
    elif token.type == "COMMA":
        remedy = "a comma separates arguments of a function; write decimals with a point"
    elif expected >= _OPERANDS:
        wanted = "a number, a name or '('"
    return ExpressionError(message, origin.place(offset, width), expected=wanted, remedy=remedy)


def _last_operand(text: str) -> str:
    """The end of a text back to the last blank or operator, for messages."""
    found = re.search(r"[^\s+*/^(),=−·×⋅-]+\s*$|[)]\s*$", text[-200:])
    return ("(…)" if found[0].strip() == ")" else found[0].strip()) if found else "…"


def _operand(text: str, offset: int, token: str) -> str:
    """What is to be multiplied: a name with its primes, a bracket with what is in it."""
    if token != "(":
        after = text[offset + len(token) :]
        primes = re.match(r"['’′″]*", after)
        return token + ("(…)" if after.startswith("(") else primes[0] if primes else "")
    end = closing(text[: offset + 60], offset)
    return text[offset : end + 1] if end is not None else "(…)"


def _function(name: str) -> str:
    return SPELLED.get(name, name)


def _unexpected_end(text: str, expected: set[str], origin: Origin, start: str) -> ExpressionError:
    opened = _unmatched(text, len(text))
    if opened is not None and not expected >= _OPERANDS:
        return ExpressionError(
            "this bracket is never closed", origin.place(opened), remedy="add the missing ')'"
        )
    end = len(text.rstrip())
    if "EQUALS" in expected and start == "equation" and "=" not in text:
        written = " ".join(text.split())
        return ExpressionError(
            "a constraint is an equation, but there is no '='",
            origin.place(end),
            expected="an equation such as x' = R*psi'",
            remedy=f"to set it to zero, write {written if len(written) <= 60 else '…'} = 0",
        )
    return ExpressionError(
        "the expression ends too early", origin.place(end), expected="a number, a name or '('"
    )


def _unmatched(text: str, end: int) -> int | None:
    """The offset of the last opening bracket before `end` that is not closed by then."""
    opened: list[int] = []
    for bracket in re.finditer(r"[()]", text[:end]):
        if bracket[0] == "(":
            opened.append(bracket.start())
        elif opened:
            opened.pop()
    return opened[-1] if opened else None
