"""Colours that people with any kind of colour vision can tell apart (Okabe and Ito), and their mixtures.

>>> color("blue"), mix("#000000", "#ffffff", 0.5)
('#0072b2', '#808080')
"""

from __future__ import annotations

import re

COLORS: dict[str, str] = {
    "blue": "#0072b2",
    "vermilion": "#d55e00",
    "green": "#009e73",
    "orange": "#e69f00",
    "sky": "#56b4e9",
    "purple": "#cc79a7",
    "yellow": "#f0e442",
    "grey": "#8c939c",
    "steel": "#9fb0c3",
    "dark": "#3c434d",
    "light": "#e8ebef",
    "wood": "#c79a63",
    "ink": "ink",
}
"""Names for a `[view]` table; ``ink`` is dark on a light page and light on a dark one."""

CYCLE = tuple(COLORS[n] for n in ("blue", "vermilion", "green", "purple", "orange", "sky", "dark", "yellow"))
"""The order in which curves and bodies take their colours."""

_HEX = re.compile(r"#[0-9a-fA-F]{6}")


def color(name: str) -> str | None:
    """The colour of a name or of ``#rrggbb``; None if it is neither."""
    if name in COLORS:
        return COLORS[name]
    return name.lower() if _HEX.fullmatch(name) else None


def rgb(value: str) -> tuple[int, int, int]:
    """Red, green and blue from 0 to 255."""
    return int(value[1:3], 16), int(value[3:5], 16), int(value[5:7], 16)


def mix(first: str, second: str, share: float) -> str:
    """A mixture of two colours; `share` is the part of the second."""
    if "ink" in (first, second):
        return "ink"
    parts = (round(a + (b - a) * share) for a, b in zip(rgb(first), rgb(second), strict=True))
    return "#" + "".join(f"{p:02x}" for p in parts)
