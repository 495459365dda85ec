"""The words of a `[view]` table: which shapes there are, which keys each may have, what a key means.

The table itself is read by :mod:`chetaev.view.view_reader`; ``docs/views.md`` tells it to people.

>>> sorted(SHAPES)[:4]
['ball', 'box', 'cone', 'curve']
>>> SHAPES["ball"]["radius"]
Key(kind='number', required=True)
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Key:
    """What stands under a key."""

    # ``number`` or ``point`` (expressions), ``numbers`` (two expressions), ``rotation``, ``frame``,
    # ``color``, ``text``, ``flag`` or ``names``
    kind: str
    required: bool = False  # whether the shape cannot do without it


_NEEDED = Key("number", required=True)
_NUMBER = Key("number")
_ANY: dict[str, Key] = {
    "shape": Key("text", required=True),
    "name": Key("text"),
    "color": Key("color"),
    "opacity": _NUMBER,
}
_POSE: dict[str, Key] = {
    **_ANY,
    "position": Key("point"),
    "rotation": Key("rotation"),
    "frame": Key("frame"),
    "shadow": Key("flag"),
}
_ENDS: dict[str, Key] = {
    **_ANY,
    "from": Key("point", required=True),
    "to": Key("point", required=True),
    "radius": _NUMBER,
    "shadow": Key("flag"),
}

SHAPES: dict[str, dict[str, Key]] = {
    "disc": {**_POSE, "radius": _NEEDED, "thickness": _NUMBER},
    "wheel": {**_POSE, "radius": _NEEDED, "width": _NUMBER},
    "ball": {**_POSE, "radius": _NEEDED},
    "box": {**_POSE, "size": Key("point", required=True)},
    "cone": {**_POSE, "radius": _NEEDED, "height": _NEEDED},
    "rod": _ENDS,
    "spring": {**_ENDS, "coils": _NUMBER},
    "point": {**_ANY, "position": Key("point", required=True), "radius": _NUMBER, "shadow": Key("flag")},
    "plane": {**_POSE, "size": Key("numbers"), "grid": _NUMBER, "below": Key("flag")},
    "incline": {**_POSE, "angle": _NEEDED, "size": Key("numbers"), "grid": _NUMBER},
    "table": {**_POSE, "radius": _NEEDED, "thickness": _NUMBER},
    "surface": {
        **_POSE, "point": Key("point", required=True), "u": Key("numbers", required=True),
        "v": Key("numbers", required=True), "names": Key("names"),
    },
    "curve": {
        **_POSE, "point": Key("point", required=True), "u": Key("numbers", required=True),
        "names": Key("names"), "width": _NUMBER,
    },
    "trace": {
        **_ANY, "of": Key("point", required=True), "fade": _NUMBER, "width": _NUMBER, "whole": Key("flag"),
    },
    "vector": {
        **_ANY, "at": Key("point", required=True), "of": Key("point", required=True), "scale": _NUMBER,
        "label": Key("text"),
    },
    "label": {**_ANY, "position": Key("point", required=True), "text": Key("text"), "value": _NUMBER},
}  # fmt: skip
"""The keys of every shape."""

VIEW_KEYS: dict[str, Key] = {
    "title": Key("text"),
    "caption": Key("text"),
    "up": Key("up"),
    "camera": Key("camera"),
    "speed": Key("number"),
    "integrate": Key("define"),
    "define": Key("define"),
    "sliders": Key("sliders"),
    "body": Key("bodies"),
}
CAMERA_KEYS: dict[str, Key] = {
    "from": Key("text"),
    "azimuth": Key("number"),
    "elevation": Key("number"),
    "zoom": Key("number"),
    "span": Key("number"),
    "follow": Key("point"),
    "projection": Key("text"),
}
CAMERAS: dict[str, tuple[float, float]] = {
    "oblique": (30.0, 24.0),
    "front": (0.0, 0.0),
    "side": (90.0, 0.0),
    "top": (0.0, 90.0),
}
"""Azimuth and elevation in degrees by name."""

PROJECTIONS = ("perspective", "flat")
DIRECTIONS: dict[str, tuple[float, float, float]] = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
    "-x": (-1.0, 0.0, 0.0),
    "-y": (0.0, -1.0, 0.0),
    "-z": (0.0, 0.0, -1.0),
}
