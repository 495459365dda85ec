"""Names of coordinates: how they are shown, and what they say about their meaning."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from chetaev.expr.print.names import SPOKEN, between, parted

_ANGLES = re.compile(
    r"(theta|phi|psi|alpha|beta|gamma|delta|chi|omega|varphi|vartheta|\w*angle|a|θ|φ|ψ|ϑ|ϕ|α|β|γ)_?\d*"
)
_TURNS = {"rad", "deg", "°"}


def is_angle(name: str, units: Mapping[str, str]) -> bool:
    """Whether a coordinate is read as an angle: by its unit if it has one, else by its name.

    >>> is_angle("steering_angle", {}), is_angle("phi", {"phi": "m"}), is_angle("s", {"s": "rad"})
    (True, False, True)
    """
    return units[name] in _TURNS if name in units else bool(_ANGLES.fullmatch(name))


def html_name(name: str, order: int = 0) -> str:
    """A name in Greek letters with subscripts and dots, in HTML.

    >>> html_name("theta1", 1)
    'θ̇<sub>1</sub>'
    >>> html_name("mass_of_car_1")
    'mass<sub>of car,1</sub>'
    """
    stem, indices = parted(name)
    sub = "".join(indices[:1])
    for first, second in pairwise(indices):
        sub += (" " if between(first, second) else ",") + second
    mark = ("", "\u0307", "\u0308")[order]
    stem = SPOKEN.get(stem, stem)
    head = stem + mark if len(stem) == 1 or not order else stem + "'" * order
    return f"{head}<sub>{sub}</sub>" if sub else head


def plain_name(name: str) -> str:
    """A name in Greek letters where it is one letter, as plain text.

    >>> plain_name("tau"), plain_name("a1")
    ('τ', 'a1')
    """
    return SPOKEN.get(name, name)


def places(coordinates: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Coordinates that belong together as a point.

    >>> places(("x1", "y1", "x2", "y2", "phi"))
    [('x1', 'y1'), ('x2', 'y2')]
    """
    found = []
    for name in coordinates:
        if re.fullmatch(r"x(_?\d*)", name):
            tail = name[1:]
            group = tuple(c + tail for c in "xyz" if c + tail in coordinates)
            if len(group) > 1:
                found.append(group)
    return found
