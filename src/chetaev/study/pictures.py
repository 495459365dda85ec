"""The animation and the plots of a report, as fragments of a page; drawn once."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from chetaev.errors import ChetaevError
from chetaev.flow.data.result_names import length, name_of
from chetaev.model.system import System

if TYPE_CHECKING:
    import xarray

    from chetaev.laws.law import Law

CAMERA = {"eye": {"x": 1.8, "y": -1.8, "z": 1.1}, "center": {"x": 0, "y": 0, "z": -0.3}}
"""Where a path in space is seen from: far enough for the names of its axes."""


@dataclass(frozen=True)
class Plot:
    """A plot: its key, its title, and plotly's description of it."""

    key: str
    title: str
    figure: dict[str, Any]

    @property
    def data(self) -> str:
        """The description as JSON that may stand inside of a script element."""
        return json.dumps(self.figure, separators=(",", ":")).replace("<", "\\u003c")


class Pictures:
    """What a report shows of a motion: the animation, or the sentence why there is none, and the plots."""

    def __init__(self, system: System, motion: xarray.Dataset) -> None:
        from chetaev.view import figures, player_html, scene
        from chetaev.view.plotted_series import is_steady

        try:
            shown = scene(system, motion)
            self.player = player_html(shown, "scene")
            if shown.caption:
                self.player += f'<p class="small">{escape(shown.caption)}</p>'
        except ChetaevError as error:
            self.player = f'<p class="warning">There is no animation: {escape(str(error))}</p>'
        found = {key: json.loads(figure.to_json()) for key, figure in figures(motion, system).items()}
        if system.dynamics.has_energy:
            energy = motion[name_of(motion, "energy")].values
            found.pop("energy" if is_steady(energy, motion) else "energy_drift", None)
        self.plots = [_plot(key, figure) for key, figure in found.items()]

    def add_drifts(self, motion: xarray.Dataset, curves: Sequence[tuple[Law, Any, float]]) -> None:
        """Add the plot of conserved quantities; it takes the place of the energy's own drift."""
        from chetaev.view.plotted_series import drift

        whole = any(law.name == "energy" for law, *_ in curves)
        replaced = {"laws", "energy_drift"} if whole else {"laws"}
        self.plots = [p for p in self.plots if p.key not in replaced]
        if not curves:
            return
        step = max(1, -(-length(motion) // 2001))
        times = motion[name_of(motion, "time")].values[::step].tolist()
        data = [
            {
                "type": "scatter", "mode": "lines", "line": {"width": 1.8, "simplify": False},
                "name": _curve_name(law),
                "x": times, "y": drift(values, size)[0][::step].tolist(),
            }
            for law, values, size in curves
        ]  # fmt: skip
        like = next(p.figure["layout"] for p in self.plots if p.key == "coordinates")
        layout = {**like, "showlegend": len(data) > 1}
        layout["yaxis"] = {**like.get("yaxis", {}), "type": "log", "exponentformat": "power"}
        layout["yaxis"] |= _decades(data)
        made = Plot("laws", "Relative drift of the conserved quantities", {"data": data, "layout": layout})
        last = next((i for i, p in enumerate(self.plots) if p.key == "phase"), len(self.plots))
        self.plots.insert(last, made)


def _plot(key: str, figure: dict[str, Any]) -> Plot:
    """A plot whose title and size are left to the page."""
    layout = {k: v for k, v in figure["layout"].items() if k not in ("title", "height", "width")}
    layout["margin"] = {"l": 56, "r": 12, "t": 30, "b": 44}
    if "scene" in layout:
        layout["margin"] = {"l": 0, "r": 0, "t": 24, "b": 8}
        layout["scene"] = {"camera": CAMERA} | layout["scene"]
    if layout.get("yaxis", {}).get("type") == "log":
        layout["yaxis"] = layout["yaxis"] | _decades(figure["data"])
    title = figure["layout"].get("title", {}).get("text", key)
    return Plot(key, title, {"data": figure["data"], "layout": layout})


def _decades(data: list[dict[str, Any]]) -> dict[str, Any]:
    """Ticks of a logarithmic axis at whole powers of ten, not too many."""
    values = [v for curve in data for v in curve["y"] if v is not None and v > 0]
    if not values:
        return {}
    span = math.log10(max(values) / min(values))
    if span < 1.5:
        return {"exponentformat": "power"}
    return {"dtick": max(1, math.ceil(span / 6)), "exponentformat": "power"}


@cache
def library() -> str:
    """The scripts that draw the plots, for the end of the page."""
    from plotly.offline import get_plotlyjs

    own = files("chetaev.study").joinpath("plots.js").read_text(encoding="utf-8")
    return f"<script>{get_plotlyjs()}</script>\n<script>{own}</script>"


def _curve_name(law: Law) -> str:
    """p with the coordinate for a momentum, E for the energy, F with a number for what was found."""
    from chetaev.view.names import html_name

    letter, index = law.letter
    return f"{letter}<sub>{html_name(index)}</sub>" if index else letter
