"""Derivatives as textbooks, SymPy and Modelica write them: dx/dt, d/dt x, x.diff(t), der(x), x(t)."""

from __future__ import annotations

import re

from chetaev.expr.language.habits.phrase import NAME, Phrase, coordinate, covering, primed, said
from chetaev.expr.language.scope import Scope

_SQUARE = r"(?:\s*(?:\^|\*\*)\s*2|²)"
_QUOTIENT = re.compile(
    rf"(?<!\w)d(?P<twice>{_SQUARE})?\s*(?:\(\s*(?P<inner>{NAME})\s*\)|(?P<name>{NAME}))(?:\(\w+\))?\s*/\s*d\s*{NAME}(?(twice){_SQUARE}|)"
)
_OPERATOR = re.compile(rf"(?<!\w)d(?P<twice>{_SQUARE})?\s*/\s*d{NAME}{_SQUARE}?\s*\(?\s*(?P<name>{NAME})?")
_METHOD = re.compile(
    rf"(?<!\w)(?P<name>{NAME})(?:\(\w+\))?\s*"
    r"(?P<calls>(?:\.\s*(?:diff|dot|ddot|dt|derivative)\b(?:\([^()]*\))?)+)"
)
_CALL = re.compile(
    rf"(?<!\w)(?P<what>[dD]iff|[dD]erivative|D|Dt|dot|ddot|der|d|dt|deriv)\(\s*(?P<name>{NAME})(?:\(\w+\))?\s*"
    r"(?P<rest>(?:,[^()]*(?:\([^()]*\)\s*)?)?)\)"
)
_OF_TIME = re.compile(
    rf"(?<!\w)(?P<name>{NAME}?)(?P<suffix>_d?dot)?(?P<primes>['’′″]*)\s*\(\s*(?P<inner>{NAME})\s*\)"
)
_POINT = re.compile(rf"(?<!\w)(?P<name>{NAME})\s*(?:\^\s*)?[.˙]")


def quotient(text: str, at: int, scope: Scope) -> Phrase | None:
    """dx/dt, d²x/dt², d/dt x."""
    for m in covering(_QUOTIENT, text, at):
        written = m["inner"] or m["name"]
        name = coordinate(written, scope)
        if name and f"d{written}" not in scope.values:
            return said(m, "a derivative is not written …", primed(name, 2 if m["twice"] else 1))
    for m in covering(_OPERATOR, text, at):
        name = coordinate(m["name"] or "", scope)
        if "d" not in scope.values:
            remedy = primed(name, 2 if m["twice"] else 1) if name else "carry it out, and write x' for dx/dt"
            return said(m, "derivatives are not carried out here", remedy)
    return None


def method(text: str, at: int, scope: Scope) -> Phrase | None:
    """x.diff(t), diff(x, t), dot(x)."""
    for m in covering(_METHOD, text, at):
        name = coordinate(m["name"], scope)
        if name:
            twice = m["calls"].count(".") > 1 or bool(re.search(r"ddot|,", m["calls"]))
            return said(m, "a derivative is not written …", primed(name, 2 if twice else 1))
    for m in covering(_CALL, text, at):
        name = coordinate(m["name"], scope)
        twice = m["what"] == "ddot" or bool(re.search(r",\s*2|,[^,]*,", m["rest"]))
        if name and m["what"] not in scope.values:
            return said(m, "a derivative is not written …", primed(name, 2 if twice else 1))
    return None


def of_time(text: str, at: int, scope: Scope) -> Phrase | None:
    """x(t), x'(t), x_dot(t)."""
    for m in covering(_OF_TIME, text, at):
        name = coordinate(m["name"], scope)
        primes = "'" * (m["suffix"] or "").count("d") + m["primes"]
        if name and m["inner"] == (scope.time or "t"):
            message = f"a coordinate is written without its argument {m['inner']}, not …"
            return said(m, message, f"write {name}{primes}")
    return None


def newton(text: str, at: int, scope: Scope) -> Phrase | None:
    """x^., a dot that is meant to stand above."""
    for m in covering(_POINT, text, at):
        name = coordinate(m["name"], scope)
        if name and at == m.end() - 1 and not re.match(r"[*/^\w]", text[m.end() :]):
            return said(m, "a derivative is not written …", primed(name, 1))
    return None
