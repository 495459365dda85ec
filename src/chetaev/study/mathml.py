r"""LaTeX formulas as MathML, which browsers show, and print, without any script or font from elsewhere.

It reads the LaTeX that chetaev writes (:mod:`chetaev.expr.latex`): fractions, roots, scripts, dots, brackets,
Greek letters, functions, words. What it does not know is shown as it is written, as code.

>>> mathml(r"\dot{x}^{2}")
'<math><msup><mover accent="true"><mi>x</mi><mo>˙</mo></mover><mn>2</mn></msup></math>'
>>> mathml(r"\unknown{x}")
'<code>\\unknown{x}</code>'
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape

from chetaev.study.greek import LETTERS

_TOKEN = re.compile(
    r"\\(?:text|mathrm|operatorname)\{(?P<word>[^{}]*)\}|\\(?:bigl|bigr|left|right)(?P<fence>[()|.\[\]])"
    r"|\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\s+|.",
    re.DOTALL,
)
_FUNCTIONS = (
    *("sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh"),
    *("exp", "log", "min", "max"),
)
_ACCENTS = {"\\dot": "˙", "\\ddot": "¨", "\\bar": "¯"}
_SPACES = {"\\,": "0.1667em", "\\;": "0.2778em", "\\ ": "0.25em", "\\quad": "1em", "\\qquad": "2em"}
_OPERATORS = {c: c for c in "+=,;:()[]|/"}
_OPERATORS |= {"-": "−", "\\cdot": "⋅", "\\neq": "≠", "\\geq": "≥", "\\leq": "≤", "<": "&lt;", ">": "&gt;"}
_THIN = '<mspace width="0.1667em"></mspace>'


@lru_cache(maxsize=8192)
def mathml(latex: str) -> str:
    """A formula as MathML; as code where it cannot be converted."""
    try:
        return f"<math>{_Reader(latex).formula()}</math>"
    except (ValueError, RecursionError):
        return f"<code>{escape(latex)}</code>"


def _mrow(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"


class _Reader:
    """Reads a formula from left to right."""

    def __init__(self, latex: str) -> None:
        self.tokens = [m for m in _TOKEN.finditer(latex) if not m[0].isspace()]
        self.at = 0

    def peek(self) -> str:
        """The next token; empty at the end."""
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def formula(self) -> str:
        """All of it."""
        parts = self.parts()
        if self.peek():
            raise ValueError(self.peek())
        return "".join(parts)

    def parts(self) -> list[str]:
        """Elements up to a closing brace, a closing bracket, or the end."""
        found: list[str] = []
        ordinary = far = (
            False  # the last element is a factor; it is a word, from which others keep their distance
        )
        while (token := self.peek()) and token != "}" and not token.startswith("\\right"):
            function = token[1:] in _FUNCTIONS or token.startswith("\\operatorname")
            word = self.word()
            if ordinary and (function or ((far or word) and not self.pause())):
                found.append(_THIN)
            far = word
            found.append(self.scripted())
            if function and not self.peek().startswith(("\\left", "\\bigl")) and not self.pause():
                found += [
                    _THIN,
                    self.scripted(),
                ]  # its argument; the next factor keeps away too
                if not self.pause():
                    found.append(_THIN)
                ordinary = self.peek()[1:] in _FUNCTIONS
            else:
                ordinary = not (token in _OPERATORS and token not in ")]") and token not in _SPACES
        return found or ["<mrow></mrow>"]

    def word(self) -> bool:
        """Whether a name of several letters comes next, with or without dots."""
        ahead = self.tokens[self.at : self.at + 3]
        if ahead[0][0] in _ACCENTS and len(ahead) == 3:
            return len(ahead[2]["word"] or "") > 1
        return len(ahead[0]["word"] or "") > 1

    def pause(self) -> bool:
        """Whether no factor follows: a sign, a space, a closing bracket, or the end."""
        token = self.peek()
        closing = token in ("", "}") or token.startswith(("\\right", "\\bigr"))
        return closing or token in _OPERATORS or token in _SPACES or token[1:] in _FUNCTIONS

    def scripted(self) -> str:
        """An element with its subscript and superscript."""
        base = self.element()
        marks = {"_": "", "^": ""}
        while self.peek() in ("_", "^"):
            mark = self.take()
            marks[mark] = self.argument()
        if marks["_"] and marks["^"]:
            return f"<msubsup>{base}{marks['_']}{marks['^']}</msubsup>"
        if marks["_"] or marks["^"]:
            tag = "msub" if marks["_"] else "msup"
            return f"<{tag}>{base}{marks['_'] or marks['^']}</{tag}>"
        return base

    def take(self) -> str:
        """The next token, which is then behind."""
        self.at += 1
        return self.tokens[self.at - 1][0]

    def argument(self) -> str:
        """A group in braces, or one element."""
        if self.peek() != "{":
            return self.element()
        self.take()
        made = _mrow(self.parts())
        if self.peek() != "}":
            raise ValueError("a brace is open")
        self.take()
        return made

    def element(self) -> str:
        """One element without scripts."""
        token = self.peek()
        if token == "{":
            return self.argument()
        if not token or token in ("}", "_", "^", "&") or token.startswith("\\right"):
            raise ValueError(f"unexpected {token!r}")
        match = self.tokens[self.at]
        self.at += 1
        if match["word"] is not None:
            tag = "mtext" if token.startswith("\\text") else "mi"
            upright = ' mathvariant="normal"' if tag == "mi" and len(match["word"]) == 1 else ""
            return f"<{tag}{upright}>{escape(match['word'])}</{tag}>"
        if match["fence"] is not None:
            return self.fenced(token, match["fence"])
        if token == "\\frac":
            return f"<mfrac>{self.argument()}{self.argument()}</mfrac>"
        if token == "\\sqrt":
            return f"<msqrt>{self.argument()}</msqrt>"
        if token in _ACCENTS:
            return f'<mover accent="true">{self.argument()}<mo>{_ACCENTS[token]}</mo></mover>'
        return _leaf(token)

    def fenced(self, token: str, fence: str) -> str:
        """A bracket: a pair that grows with a fraction or root in it, or one of fixed size."""
        if not token.startswith("\\left"):
            form = "prefix" if token.startswith("\\bigl") else "postfix"
            return f'<mo stretchy="false" fence="true" form="{form}">{escape(fence)}</mo>'
        inside = "".join(self.parts())
        if not self.peek().startswith("\\right"):
            raise ValueError("a bracket is open")
        closing = self.take()[-1]
        grows = "" if "<mfrac" in inside or "<msqrt" in inside else ' stretchy="false"'
        return (
            f'<mrow><mo{grows} fence="true" form="prefix">{fence}</mo>{inside}'
            f'<mo{grows} fence="true" form="postfix">{closing}</mo></mrow>'
        )


def _leaf(token: str) -> str:
    """A symbol, a number, an operator or a space."""
    name = token[1:] if token.startswith("\\") else ""
    if token[0].isdigit():
        return f"<mn>{token}</mn>"
    if name in LETTERS or name == "partial":
        upright = ' mathvariant="normal"' if name[0].isupper() or name == "partial" else ""
        return f"<mi{upright}>{LETTERS.get(name, '∂')}</mi>"
    if name in _FUNCTIONS:
        return f"<mi>{name}</mi>"
    if token in _SPACES:
        return f'<mspace width="{_SPACES[token]}"></mspace>'
    if token in "()[]":
        form = "prefix" if token in "([" else "postfix"
        return f'<mo stretchy="false" fence="true" form="{form}">{token}</mo>'
    if token in _OPERATORS:
        return f"<mo>{_OPERATORS[token]}</mo>"
    if token.isalpha():
        return f"<mi>{escape(token)}</mi>"
    raise ValueError(f"unknown {token!r}")
