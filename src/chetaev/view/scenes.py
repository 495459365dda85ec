"""A scene: bodies with their poses at the times of a motion, ready for any renderer.

>>> import chetaev as ch
>>> disc = ch.load("rolling-disc")
>>> motion = ch.simulate(disc, until=1.0, at=21)
>>> show = scene(disc, motion)
>>> show.title, len(show.times), [b.kind for b in show.bodies if b.name == "disc"]
('Rolling disc', 21, ['mesh'])
>>> show.body("disc").tracks["rotation"].shape
(21, 3, 3)
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chetaev.checked_arguments import count
from chetaev.errors import ModelError
from chetaev.expr.graph.node import Expr
from chetaev.model.system import System, expect_system
from chetaev.view.names import plain_name
from chetaev.view.poses import quaternions
from chetaev.view.shapes import Mesh

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]
_SHOWN = itertools.count(1)
FRAMES = 601
"""Most frames of a scene."""


@dataclass(frozen=True)
class Camera:
    """From where a scene is seen."""

    # azimuth, elevation: degrees; azimuth 0 has x to the right, elevation 90 looks down
    azimuth: float
    elevation: float
    zoom: float  # larger is nearer
    projection: str  # ``"perspective"`` or ``"flat"``


@dataclass(frozen=True)
class Body:
    """One thing to draw."""

    kind: str  # ``mesh``, ``dot``, ``trace``, ``arrow``, ``plane`` or ``label``
    name: str  # its name in the view, or its shape
    # color, opacity: how it looks
    color: str
    opacity: float = 1.0
    # arrays over the frames, or with one row if constant: ``position`` (n, 3), ``rotation`` (n, 3, 3); or
    # ``from`` and ``to``; ``at`` and ``tip`` for arrows; ``value`` (n, 1) for labels
    tracks: Mapping[str, Array] = field(default_factory=dict)
    # fixed numbers: ``radius``, ``fade``, ``width``, ``grid``, ``half_x``, ``half_y``
    numbers: Mapping[str, float] = field(default_factory=dict)
    mesh: Mesh | None = None  # the shape of a ``mesh``
    text: str = ""  # what a label says
    # floor, shadow, whole, endless: drawn below everything else; throws a shadow; shows the whole path; has
    # no edge
    floor: bool = False
    shadow: bool = False
    whole: bool = False
    endless: bool = False
    # how a page computes the tracks anew: for each the numbers of its expressions among those of the scene
    recipe: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Scene:
    """Bodies along a motion.

    Attributes
    ----------
    title, caption
        What it shows.
    times
        Shape (n,).
    up
        The direction that is up.
    camera
        The first view.
    follow
        The point the camera follows, shape (n, 3) or (1, 3).
    speed
        Seconds of motion in a second of showing.
    bodies
        What is drawn.
    box
        Lowest and highest corner of everything, relative to the followed point; shape (2, 3).
    shown
        The expressions that the tracks are made of; recipes name them by their numbers.
    rates
        Rates of what is integrated along the motion, by name.
    sheets
        The points of curves and surfaces: the names of their variables, and three expressions.
    recipe
        Those of the scene itself: ``follow``, and ``span`` where the view states it.
    sliders
        From where to where the view says that values are varied, by name.
    """

    title: str
    caption: str
    times: Array
    up: Array
    camera: Camera
    follow: Array
    speed: float
    bodies: tuple[Body, ...]
    box: Array
    time_name: str = "t"
    shown: tuple[Expr, ...] = ()
    rates: Mapping[str, Expr] = field(default_factory=dict)
    sheets: tuple[tuple[tuple[str, ...], tuple[Expr, ...]], ...] = ()
    recipe: Mapping[str, Any] = field(default_factory=dict)
    sliders: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Scene {self.title!r}: {len(self.bodies)} bodies, {len(self.times)} frames>"

    def body(self, name: str) -> Body:
        """A body by its name."""
        for body in self.bodies:
            if body.name == name:
                return body
        names = dict.fromkeys(b.name for b in self.bodies)
        raise ModelError.unknown(f"the scene has no body {name!r}", name, names)

    @property
    def size(self) -> float:
        """The largest extent of the box."""
        return float((self.box[1] - self.box[0]).max())

    def data(self, recipes: bool = False) -> dict[str, Any]:
        """Plain data for JSON; lengths rounded to about a millionth of the scene.

        With `recipes`, for pages that compute the tracks, these stand in their place.
        """
        digits = max(0, 5 - math.floor(math.log10(self.size)))
        span = float(self.times[-1] - self.times[0]) or 1.0
        every = _rounded(self.times, max(0, 6 - math.floor(math.log10(abs(span)))))
        return {
            "title": self.title,
            "caption": self.caption,
            "time": plain_name(self.time_name),
            "times": every[:1] if recipes else every,
            "up": _rounded(self.up, 6),
            "camera": {
                "azimuth": self.camera.azimuth,
                "elevation": self.camera.elevation,
                "zoom": self.camera.zoom,
                "flat": self.camera.projection == "flat",
            },
            "follow": _rounded(self.follow, digits),
            "speed": self.speed,
            "box": _rounded(self.box, digits),
            "bodies": [_body_data(b, digits, recipes) for b in self.bodies],
            **({"recipe": dict(self.recipe)} if recipes else {}),
        }

    def _repr_html_(self) -> str:
        """The player, for notebooks."""
        from chetaev.view.player import player_html

        return player_html(self, f"chetaev-scene-{next(_SHOWN)}", autoplay=False, still=False)

    def json(self) -> str:
        """The scene as one line of JSON, finite numbers only."""
        return json.dumps(self.data(), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def scene(
    system: System,
    motion: xarray.Dataset | None = None,
    *,
    view: Mapping[str, Any] | None = None,
    frames: int = FRAMES,
) -> Scene:
    """The scene of a motion.

    Parameters
    ----------
    system
        The system, whose `[view]` table says what to draw; without one a scene is made up from the
        Lagrangian and the constraints.
    motion
        What `ch.simulate` returned for it; simulated if left out.
    view
        A table to use instead of the system's own.
    frames
        Most frames to keep.

    Raises
    ------
    ModelError
        If the view is wrong, with the place of the entry.

    Examples
    --------
    >>> import chetaev as ch
    >>> pendulum = ch.System(coordinates=["a"], lagrangian="a'^2/2 + cos(a)", initial={"a": 1, "a_dot": 0})
    >>> [b.kind for b in scene(pendulum, ch.simulate(pendulum, until=1.0, at=5)).bodies]
    ['dot', 'mesh', 'trace', 'dot']
    """
    from chetaev.view.automatic import automatic
    from chetaev.view.plotted_series import expect_motion
    from chetaev.view.scene_of_motion import Build
    from chetaev.view.view_reader import read

    expect_system(system, "the scene")
    if motion is not None:
        expect_motion(motion)
    frames = count(frames, "the number of frames", 2, 10**6)
    own = view is None and bool(system.view.get("body"))
    checked = read(system, view)  # before the simulation: it is quick, and tells what is wrong
    if motion is None:
        from chetaev.flow.data.simulate import simulate

        motion = simulate(system)
    if view is None and not own:
        made_up = automatic(system, motion)
        checked = read(system, {**made_up, **{k: v for k, v in system.view.items() if k != "body"}})
    return Build(system, motion, checked, frames).scene()


def _rounded(values: Array, digits: int) -> list[float]:
    flat = np.round(np.asarray(values, dtype=float).ravel(), digits) + 0.0
    return [int(x) if x == int(x) and abs(x) < 1e15 else x for x in flat.tolist()]


def _body_data(body: Body, digits: int, recipes: bool) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": body.kind, "name": body.name, "color": body.color}
    if body.opacity != 1:
        data["opacity"] = body.opacity
    if body.text:
        data["text"] = body.text
    data |= {key: True for key in ("floor", "shadow", "whole", "endless") if getattr(body, key)}
    data |= {k: float(f"{v:.7g}") for k, v in body.numbers.items()}
    if recipes and body.recipe:
        data["recipe"] = dict(body.recipe)
    for key, rows in body.tracks.items():
        track = rows[:1] if recipes else rows
        if key == "rotation":
            data[key] = _rounded(quaternions(track), 6)
        elif key == "value":
            data[key] = [float(f"{x:.4g}") for x in track.ravel()]
        else:
            data[key] = _rounded(track, digits)
    if body.mesh is not None:
        mesh = body.mesh
        data["vertices"] = _rounded(mesh.vertices, digits + 1)
        data["faces"] = [list(f) for f in mesh.faces]
        data["tints"] = list(mesh.face_colors)
        data["colors"] = list(mesh.colors)
        data["lines"] = [list(pair) for pair in mesh.lines]
        if mesh.hollow:
            data["hollow"] = True
    return data
