"""Functions and names: sin^2(x), np.sin(x), x[0], |x|, √x."""

from __future__ import annotations

import re

from chetaev.expr.graph.node import CONSTANTS, FUNCTIONS
from chetaev.expr.language.habits.phrase import (
    NAME,
    NUMBER,
    RAISED,
    UNITS_REMEDY,
    Phrase,
    closing,
    covering,
    said,
)
from chetaev.expr.language.other_functions import ELSEWHERE, SPELLED
from chetaev.expr.language.scope import Scope
from chetaev.expr.language.units import is_unit
from chetaev.expr.language.written_conditions import STEP

_POWER_OF_FUNCTION = re.compile(
    rf"(?<!\w)(?P<f>{NAME})\s*(?:(?:\^|\*\*)\s*(?P<exponent>[-−]?\s*\d+|\{{\s*-?\d+\s*\}}|\(\s*[-−]?\d+\s*\))|(?P<raised>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))\s*"
    rf"(?P<argument>\(|{NAME}['’′″]*)"
)
_EXPONENTIAL = re.compile(
    rf"(?<!\w)exp\s*(?:\^|\*\*)\s*(?:(?P<name>{NAME}['’′″]*|{NUMBER})(?!\s*\()|\((?=[^()]*[^()\d]))"
)
_INVERSES = {"sin", "cos", "tan", "sinh", "cosh", "tanh"}
_MODULE = re.compile(
    rf"(?<!\w)(?P<module>np|numpy|math|cmath|mpmath|sympy|sp|sm|jnp|jax|scipy|ca|casadi|Math|torch|tf)\s*\.\s*(?P<f>{NAME})(?P<call>\(?)"
)
_ATTRIBUTE = re.compile(rf"(?<!\w)(?P<holder>{NAME})\s*\.\s*(?P<name>{NAME})")
_INDEX = re.compile(rf"(?<!\w)(?P<name>{NAME})\s*\[\s*(?P<index>[^\[\]]{{0,30}})\s*\]")
_ABS = re.compile(r"\|(?P<inside>[^|]+)\|")
_ROOT = re.compile(rf"[√∛]\s*(?:(?P<name>{NAME}['’′″]*|{NUMBER})|(?P<bracket>\())")


def power_of_function(text: str, at: int, scope: Scope) -> Phrase | None:
    """sin^2(x), sin²x, sin^-1(x), exp^x."""
    for m in covering(_EXPONENTIAL, text, at):
        if "exp" not in scope.values:
            inside = m["name"] or text[m.end() : closing(text, m.end() - 1) or len(text)]
            return Phrase(
                m.start(), 3, "the function 'exp' stands without its argument", f"write exp({inside})"
            )
    for m in covering(_POWER_OF_FUNCTION, text, at):
        f = SPELLED.get(m["f"], m["f"])
        if f not in FUNCTIONS or m["f"] in scope.values:
            continue
        end, argument = m.end(), m["argument"]
        if argument == "(":
            end = (closing(text, m.end() - 1) or len(text) - 1) + 1
            argument = text[m.end() : end - 1]
        exponent = (
            m["raised"].translate(RAISED) if m["raised"] else m["exponent"].strip("{}() ").replace("−", "-")
        )
        remedy = f"write {f}({argument})^{exponent}"
        if exponent == "-1":
            inverse = f"a{f}({argument}) for the inverse function, " if f in _INVERSES else ""
            remedy = f"write {inverse}1/{f}({argument}) for the reciprocal"
        message = f"the function {f!r} stands without its argument"
        return Phrase(m.start(), end - m.start() if argument else len(m["f"]), message, remedy)
    return None


def module(text: str, at: int, scope: Scope) -> Phrase | None:
    """np.sin(x), math.pi, params.m."""
    for m in covering(_MODULE, text, at):
        name = SPELLED.get(m["f"], m["f"])
        name = name if name in (*FUNCTIONS, *CONSTANTS) else name.casefold()
        if name in FUNCTIONS or name in CONSTANTS:
            more = "(…)" if name in FUNCTIONS else ""
            width = len(m[0]) - len(m["call"])
            message = f"functions and constants stand without a module, not as '{m[0][:width]}'"
            return Phrase(m.start(), width, message, f"write {name}{more}")
        chosen = STEP if m["f"] in ("where", "select", "piecewise", "Piecewise") else ""
        other = ELSEWHERE.get(m["f"].casefold()) or chosen or "expressions are not Python"
        width = len(m[0]) - len(m["call"])
        return Phrase(m.start(), width, f"there is no {m['f']!r} in this language", other)
    for m in covering(_ATTRIBUTE, text, at):
        if m["name"] in scope.values:
            product = f"{m['holder']}*" if m["holder"] in scope.values else ""
            return said(m, "there are no attributes, as in …", f"write {product}{m['name']}")
    return None


def index(text: str, at: int, scope: Scope) -> Phrase | None:
    """x[0], params['m'], m [kg]."""
    for m in covering(_INDEX, text, at):
        index = m["index"].strip()
        key = index.strip("'\"")
        if text[at] == "[" and key != index and key in scope.values:
            return said(m, "names stand alone, not as in …", f"write {key}")
        if text[at] == "[" and is_unit(index) and index not in scope.values:
            return said(m, "a unit follows a name, in …", f"{UNITS_REMEDY}{scope.speech.units}")
        if text[at] == "[" and re.fullmatch(r"\w+", index):
            names = [n for n in (f"{m['name']}{index}", f"{m['name']}_{index}") if n in scope.values]
            remedy = f"write {names[0]}" if names else f"give each its own name, such as {m['name']}_{index}"
            return said(m, "names have no index, as in …", remedy)
    return None


def bars(text: str, at: int, scope: Scope) -> Phrase | None:
    """|x| and √x."""
    if text[at : at + 1] == "|":
        for m in covering(_ABS, text, at):
            return said(m, "unexpected character '|'", f"write abs({m['inside'].strip()})")
    if text[at : at + 1] in ("√", "∛"):
        root = _ROOT.match(text, at)
        end = closing(text, root.end() - 1) if root and root["bracket"] else None
        inside = (root["name"] or (text[root.end() : end] if end else "…")) if root else "…"
        remedy = f"write sqrt({inside})" if text[at] == "√" else f"write ({inside})^(1/3)"
        return Phrase(at, 1, f"unexpected character {text[at]!r}", remedy)
    return None
