"""What was meant by a name that nobody declared: another spelling, a velocity, a product, a unit.

>>> plain_spelling("θ₁"), plain_spelling("theta_1"), plain_spelling("Δ")
('theta1', 'theta1', 'Delta')
>>> is_unit("kg"), is_unit("kW"), is_unit("foo")
(True, True, False)
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING

from chetaev.errors import UnknownNameError, did_you_mean
from chetaev.expr.graph.node import FUNCTIONS

if TYPE_CHECKING:
    from chetaev.expr.language.scope import Scope

# --- one name, several spellings -----------------------------------------------------------------

_WORDS = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lamda", "mu"),
    *("nu", "xi", "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"),
)
GREEK = {
    letter: (word if case == "SMALL" else word.capitalize())
    .replace("lamda", "lambda")
    .replace("Lamda", "Lambda")
    for case in ("SMALL", "CAPITAL")
    for word in _WORDS
    for letter in (unicodedata.lookup(f"GREEK {case} LETTER {word.upper()}"),)
}
"""Greek letters and how they are spelled."""


def plain_spelling(name: str) -> str:
    """The name with Greek letters spelled out, small digits as digits and without underscores."""
    plain = unicodedata.normalize("NFKC", name).replace("ς", "σ")
    return "".join(GREEK.get(c, c) for c in plain).replace("_", "")


# --- units, which have no place in expressions ----------------------------------------------------

PREFIXED = ("m", "g", "s", "N", "J", "W", "V", "A", "K", "Hz", "Pa", "C", "F", "H", "T", "rad", "Ω", "ohm")
PREFIXES = ("n", "μ", "u", "m", "c", "d", "k", "M", "G")
OTHERS = frozenset((
    *("mol", "h", "hr", "hour", "hours", "day", "sec", "second", "seconds", "meter", "meters", "metre"),
    *("metres", "kilogram", "kilograms", "gram", "grams", "ton", "tons", "newton", "newtons", "joule"),
    *("watt", "radian", "radians", "rpm", "rps", "mph", "kmh", "ft", "inch", "lb", "lbs", "lbf", "l", "L"),
    *("bar", "eV", "sr", "cd"),
))  # fmt: skip
DEGREES = frozenset(["deg", "degs", "degree", "degrees", "Deg", "DEG"])


def is_unit(name: str) -> bool:
    """Whether a name is the symbol of a unit, or its word."""
    return name in OTHERS or any(
        name == unit or (name.endswith(unit) and name[: -len(unit)] in PREFIXES) for unit in PREFIXED
    )


# --- names ---------------------------------------------------------------------------------------

_DOTS = {"\u0307": "'", "\u0308": "''"}
_VELOCITY = (
    re.compile(
        r"(?P<name>.+?)_?(?:(?P<twice>d_?dot|dotdot|tt|dd|pp|ddt)|dot|Dot|DOT|prime|p|d|t|dt|v|vel|velocity)"
    ),
    re.compile(r"(?:(?P<twice>ddot|dd|d2|a|acc)|dot|d|D|v|V|vel|velocity)_?(?P<name>.+)"),
)
"""How velocities and accelerations are named elsewhere."""
_INFINITE = {"inf", "Inf", "infinity", "oo", "nan", "NaN"}
_FUNCTION = re.compile(rf"(?P<f>a?(?:sin|cos|tan)h?|{'|'.join(FUNCTIONS)})_?(?P<argument>\w+)")
MOST_FACTORS = 4
LONGEST = 100
"""Longer names are not guessed at; none can be declared."""


def unknown_name(
    name: str, scope: Scope, known: Iterable[str] | None = None, order: int = 0
) -> UnknownNameError:
    """The error for a name with so many primes that is not known; one of `known` may have been meant."""
    if name in FUNCTIONS or scope.table(name) is not None:
        return UnknownNameError(
            f"the function {name!r} stands without its argument", remedy=f"write {name}(…)"
        )
    listed = ", ".join(list(scope.values)[:12]) + (", …" if len(scope.values) > 12 else "")
    return UnknownNameError(
        f"unknown name {name!r}",
        expected=f"one of {listed}" if listed else "no names at all here, only numbers",
        remedy=_meant(name, scope, scope.known() if known is None else known, order) or _declare(scope),
    )


def _declare(scope: Scope) -> str:
    if scope.kind in ("event", "law"):
        return "use the names of the model"
    if scope.kind == "initial data":
        return "give a number, or an expression in parameters"
    if scope.kind == "parameter":
        return f"declare it before, {scope.speech.parameters}"
    if scope.speech.python:
        return f"declare it as a coordinate, {scope.speech.parameters} or {scope.speech.definitions}"
    return f"declare it as a coordinate, a parameter or {scope.speech.definitions}"


def _meant(name: str, scope: Scope, known: Iterable[str], order: int) -> str:
    if name in _INFINITE:
        return "numbers are finite"
    if len(name) > LONGEST:
        return ""
    spelled = [n for n in known if plain_spelling(n) == plain_spelling(name)]
    if spelled:
        return f"did you mean {' or '.join(map(repr, spelled))}? It is written with other letters"
    return (
        _dotted(name, scope)
        or (_velocity(name, scope) if not order else _primed_velocity(name, scope))
        or _run_together(name, scope)
        or _unit(name, scope)
        or did_you_mean(name, known)
        or _lookalike(name, scope)
    )


def _dotted(name: str, scope: Scope) -> str:
    """A remedy for a coordinate with dots above it, which are no derivative here."""
    apart = unicodedata.normalize("NFD", name)
    base, mark = unicodedata.normalize("NFC", apart[:-1]), apart[-1:]
    same = [c for c in sorted(scope.coordinates) if plain_spelling(c) == plain_spelling(base)]
    return f"write {same[0]}{_DOTS[mark]} for the derivative" if same and mark in _DOTS else ""


def _velocity(name: str, scope: Scope) -> str:
    """A remedy for a velocity that bears a name of its own: xdot, x_t, vx, dx."""
    meant = derivative_meant(name, scope.coordinates)
    if meant is None:
        return ""
    what, primes = ("acceleration", "''") if meant[1] == 2 else ("velocity", "'")
    return f"for the {what} of {meant[0]!r} write {meant[0]}{primes}"


def derivative_meant(name: str, coordinates: Iterable[str]) -> tuple[str, int] | None:
    """The coordinate and the order of the derivative that a name means elsewhere; None if it means none.

    >>> derivative_meant("vx", ["x", "y"]), derivative_meant("θddot", ["theta"]), derivative_meant("v", ["x"])
    (('x', 1), ('theta', 2), None)
    """
    known = sorted(coordinates)
    for pattern in _VELOCITY:
        m = pattern.fullmatch(name)
        base = plain_spelling(m["name"]) if m else ""
        same = [c for c in known if base and plain_spelling(c) == base]
        if m and same:
            return same[0], 2 if m["twice"] else 1
    return None


def _primed_velocity(name: str, scope: Scope) -> str:
    """A remedy for x_dot', which is one derivative in two ways."""
    base = name.removesuffix("_dot")
    return f"write {base}'' for the acceleration" if base in scope.coordinates and base != name else ""


def _run_together(name: str, scope: Scope) -> str:
    """A remedy for a product, or a function and its argument, written as one word: mg, cosθ."""
    values = {plain_spelling(n): n for n in scope.values}
    m = _FUNCTION.fullmatch(name)
    if m and m["f"] in FUNCTIONS and plain_spelling(m["argument"]) in values:
        return f"write {m['f']}({values[plain_spelling(m['argument'])]})"
    word = plain_spelling(name)
    ways: dict[int, list[str]] = {0: []}
    for end in range(1, len(word) + 1 if len(word) <= 30 else 0):
        for start in range(end):
            before = ways.get(start)
            if (
                before is not None
                and word[start:end] in values
                and end not in ways
                and len(before) < MOST_FACTORS
            ):
                ways[end] = [*before, values[word[start:end]]]
    factors = ways.get(len(word), [])
    return f"for a product write {'*'.join(factors)}" if len(set(factors)) > 1 else ""


def _unit(name: str, scope: Scope) -> str:
    if name in DEGREES:
        return "angles are in radians; multiply degrees by pi/180"
    if len(name) > 1 and is_unit(name):
        return (
            "units are not part of expressions; give numbers in one system of units, and label them "
            f"{scope.speech.units}"
        )
    return ""


def _lookalike(name: str, scope: Scope) -> str:
    """A remedy for what only looks like a name, or like another name."""
    plain = unicodedata.normalize("NFKC", name)
    if plain != name and not plain[:1].isalpha():
        number = plain.replace("\N{FRACTION SLASH}", "/")
        meant = f"write {number}" if re.fullmatch(r"\d+(/\d+)?", number) else "write numbers as 2, 0.5 or 1/2"
        return f"{name!r} is no letter; {meant}"
    strange = [c for c in name if ord(c) > 127 and "GREEK" not in unicodedata.name(c, "GREEK")]
    return f"{strange[0]!r} is {unicodedata.name(strange[0])}" if strange else ""
