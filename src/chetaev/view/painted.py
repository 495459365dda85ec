"""One frame of a scene as a Pillow image, by the same script that paints it in a page.

``draw.js`` runs in an embedded engine on a canvas that writes down what is drawn on it (``recorder.js``);
here it is drawn, on an image twice as large, which is then scaled down.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from chetaev.view.scenes import Scene

OVER = 2
"""How many times larger the image is while it is painted."""
LOOKS: dict[str, dict[str, Any]] = {
    "light": {
        "paper": "#fbfcfd", "ink": "#1d2329", "grid": "#c3cad3", "plane": "#eef1f5",
        "shadow": "rgba(20,30,45,.16)",
    },
    "dark": {
        "paper": "#171b20", "ink": "#e6e9ed", "grid": "#3d4651", "plane": "#20262d",
        "shadow": "rgba(0,0,0,.38)", "dark": True,
    },
}  # fmt: skip
"""The colours of ``player.css``."""
RINGS = 24
"""Circles that make the light on a ball."""
Color = tuple[int, int, int, int]


class Painter:
    """Paints the frames of a scene."""

    def __init__(self, scene: Scene, size: tuple[int, int], theme: str) -> None:
        self.scene, self.size, self.look = scene, size, LOOKS[theme]

    @cached_property
    def _engine(self) -> Any:
        import quickjs

        engine = quickjs.Context()
        for name in ("recorder.js", "draw.js"):
            engine.eval(files("chetaev.view").joinpath(name).read_text(encoding="utf-8"))
        engine.set("text", self.scene.json())
        engine.eval("globalThis.scene = JSON.parse(text)")
        return engine

    def orders(self, frame: int) -> list[list[Any]]:
        """What the script draws, in pixels of the image."""
        camera, (width, height) = self.scene.camera, self.size
        view = {
            "azimuth": camera.azimuth, "elevation": camera.elevation, "zoom": camera.zoom, "x": 0, "y": 0
        }  # fmt: skip
        arguments = f"{json.dumps(view)}, {frame}, 0, {width}, {height}, {json.dumps(self.look)}"
        return json.loads(self._engine.eval(f"chetaevRecord(scene, {arguments})"))  # type: ignore[no-any-return]

    def image(self, frame: int) -> Any:
        """One frame."""
        from PIL import Image

        large = Image.new("RGB", (self.size[0] * OVER, self.size[1] * OVER), color(self.look["paper"])[:3])
        sheet = Sheet(large)
        for name, *rest in self.orders(frame):
            getattr(sheet, name)(*rest)
        return sheet.image.resize(self.size, Image.Resampling.LANCZOS)


class Sheet:
    """An image that takes the orders of a canvas."""

    def __init__(self, image: Any) -> None:
        from PIL import ImageDraw

        self.image, self.pen = image, ImageDraw.Draw(image, "RGBA")
        self.mask: Any = None
        self.masks: list[Any] = []

    def save(self) -> None:
        """Remember what is clipped."""
        self.masks.append(self.mask)

    def restore(self) -> None:
        """As it was when it was remembered."""
        self.mask = self.masks.pop()

    def clip(self, path: Sequence[float]) -> None:
        """Draw inside of a path only."""
        from PIL import Image, ImageDraw

        self.mask = Image.new("L", self.image.size, 0)
        ImageDraw.Draw(self.mask).polygon(_large(path), fill=255)

    def fill(self, style: str, alpha: float, path: Sequence[float]) -> None:
        """A polygon."""
        points, ink = _large(path), color(style, alpha)
        if len(points) < 6:
            return
        if self.mask is None:
            self.pen.polygon(points, fill=ink)
            return
        from PIL import Image, ImageChops, ImageDraw

        own = Image.new("L", self.image.size, 0)
        ImageDraw.Draw(own).polygon(points, fill=ink[3])
        self.image.paste(ink[:3], (0, 0), ImageChops.multiply(own, self.mask))

    def stroke(self, style: str, alpha: float, path: Sequence[float], width: float) -> None:
        """A line."""
        if len(path) > 3:
            width = max(1, round(OVER * width))
            self.pen.line(_large(path), fill=color(style, alpha), width=width, joint="curve")

    def ball(self, style: Any, alpha: float, disc: dict[str, float]) -> None:
        """A disc with light on it: circles between two, the larger one first."""
        x0, y0, r0, x1, y1, r1 = style["circles"]
        for k in range(RINGS + 1):
            s = 1 - k / RINGS
            x, y, r = (OVER * (a + (b - a) * s) for a, b in ((x0, x1), (y0, y1), (r0, r1)))
            self.pen.ellipse([x - r, y - r, x + r, y + r], fill=color(_between(style["stops"], s), alpha))

    def text(self, style: str, alpha: float, place: list[float], text: str, size: float, align: str) -> None:
        """A word."""
        font = _font(round(size * OVER))
        anchor = {"center": "ms", "right": "rs"}.get(align, "ls")
        x, y = _large(place)
        self.pen.text((x, y), text, fill=color(style, alpha), font=font, anchor=anchor)


def render(scene: Scene, frame: int = 0, size: tuple[int, int] = (800, 500), theme: str = "light") -> Any:
    """One frame as a Pillow image.

    >>> import chetaev as ch
    >>> from chetaev.view.scenes import scene
    >>> particle = ch.load("leibniz-particle")
    >>> render(scene(particle, ch.simulate(particle, at=5)), 4, (160, 100)).size
    (160, 100)
    """
    return Painter(scene, size, theme).image(frame)


def rendered(scene: Scene, frames: Sequence[int], size: tuple[int, int], theme: str) -> Iterator[Any]:
    """Several frames, one after the other."""
    painter = Painter(scene, size, theme)
    return (painter.image(frame) for frame in frames)


@cache
def _font(size: int) -> Any:
    """A font with Greek letters, which comes with matplotlib; else Pillow's own, which has none."""
    from PIL import ImageFont

    found = find_spec("matplotlib")
    for place in found.submodule_search_locations or () if found else ():
        file = Path(place, "mpl-data", "fonts", "ttf", "DejaVuSans.ttf")
        if file.exists():
            return ImageFont.truetype(str(file), size)
    return ImageFont.load_default(size)


def color(style: str, alpha: float = 1.0) -> Color:
    """Red, green, blue and opacity of a colour as pages write it.

    >>> color("#0072b2"), color("rgba(20,30,45,.16)", 0.5)
    ((0, 114, 178, 255), (20, 30, 45, 20))
    """
    if style.startswith("#"):
        parts = [float(int(style[i : i + 2], 16)) for i in (1, 3, 5)]
    else:
        parts = [float(x) for x in re.findall(r"[\d.]+", style)]
    r, g, b, a = (*parts, 1.0)[:4]
    return int(r), int(g), int(b), round(255 * a * alpha)


def _between(stops: list[tuple[float, str]], s: float) -> str:
    """The colour of a gradient at a place from 0 to 1."""
    low = max((stop for stop in stops if stop[0] <= s), key=lambda stop: stop[0], default=stops[0])
    high = min((stop for stop in stops if stop[0] >= s), key=lambda stop: stop[0], default=stops[-1])
    part = (s - low[0]) / (high[0] - low[0]) if high[0] > low[0] else 0.0
    mixed = (a + (b - a) * part for a, b in zip(color(low[1]), color(high[1]), strict=True))
    r, g, b, _ = (round(x) for x in mixed)
    return f"rgb({r},{g},{b})"


def _large(path: Sequence[float]) -> list[float]:
    return [OVER * x for x in path]
