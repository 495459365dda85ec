"""Symbols of units, to know one where it is written; units have no place in expressions.

>>> is_unit("kg"), is_unit("kW"), is_unit("foo")
(True, True, False)
"""

from __future__ import annotations

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
