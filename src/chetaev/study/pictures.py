"""The animation and the plots of a report, as fragments of a page; drawn once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape, unescape
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.equations.law.first_order_motion import first_order_motion
from chetaev.errors import ChetaevError
from chetaev.expr.graph.evaluate import key_name
from chetaev.flow.data.labels import length, name_of
from chetaev.model.system import System
from chetaev.view.names import html_name
from chetaev.view.units import common

if TYPE_CHECKING:
    import xarray

    from chetaev.laws.law import Law
    from chetaev.view.scenes import Scene

POINTS = 601
"""Most points of a curve: more than a plot of the width of a page shows."""
LEAST = {"multipliers": 1e-12, "reactions": 1e-12, "residuals": 1e-9}
"""What stays below is zero, or noise, and is not drawn; the table of the motion has its size."""
PLAYED = ("coordinates", "velocities", "energy", "phase")
"""Plots that stand beside the animation where the page computes it."""


@dataclass(frozen=True)
class Plot:
    """A plot: its key, its title, and its curves."""

    key: str
    title: str
    # columns of values by name, one each over time; two each of paths; two of `choices` against each other
    curves: Sequence[tuple[str, tuple[Any, ...]]]
    kind: str = "curves"  # or ``paths`` or ``choices``
    logarithmic: bool = False

    @property
    def panel(self) -> dict[str, Any]:
        """What the page is told beside the numbers."""
        labels = [{"label": label} for label, _ in self.curves]
        more: dict[str, Any] = {"logarithmic": True} if self.logarithmic else {}
        if self.kind == "choices":
            more["first"] = [0, len(labels) // 2]
        return {"id": f"plot-{self.key}", "title": self.title, self.kind: labels, **more}


class Pictures:
    """What a report shows of a motion: the animation, or the sentence why there is none, and the plots."""

    def __init__(self, system: System, motion: xarray.Dataset) -> None:
        from chetaev.view import scene
        from chetaev.view.play.played_system import cannot_play

        self.system, self.motion = system, motion
        self.laws: list[Law] = []
        self.scene: Scene | None = None
        self.trouble = ""
        try:
            self.scene = scene(system, motion)
        except ChetaevError as error:
            self.trouble = str(error)
        self.missing = cannot_play(system)
        played = () if self.missing or self.scene is None else PLAYED
        self.plots = [plot for plot in _plots(system, motion) if plot.key not in played]

    @property
    def player(self) -> str:
        """The animation, which computes its motions where it can."""
        from chetaev.view.play.play_page import of_scene, play_library_html

        if self.scene is None:
            said = f'<p class="warning">There is no animation: {escape(self.trouble)}</p>'
            return said + play_library_html()
        page = of_scene(first_order_motion(self.system), self.scene, self.laws)
        caption = f'<p class="small">{escape(self.scene.caption)}</p>' if self.scene.caption else ""
        return page.fragment("scene") + caption

    def add_drifts(self, motion: xarray.Dataset, curves: Sequence[tuple[Law, Any, float]]) -> None:
        """Add the plot of conserved quantities; it takes the place of the energy's own drift."""
        from chetaev.view.plotted_series import drift

        self.laws = [law for law, *_ in curves if law.conserved]
        whole = any(law.name == "energy" for law, *_ in curves)
        replaced = {"laws", "energy_drift"} if whole else {"laws"}
        self.plots = [p for p in self.plots if p.key not in replaced]
        if not curves:
            return
        made = [(_curve_name(law), (drift(values, size)[0],)) for law, values, size in curves]
        plot = Plot("laws", "Relative drift of the conserved quantities", made, logarithmic=True)
        last = next((i for i, p in enumerate(self.plots) if p.key == "phase"), len(self.plots))
        self.plots.insert(last, plot)

    @property
    def data(self) -> dict[str, Any]:
        """The plots as plain data."""
        step = max(1, -(-(length(self.motion) - 1) // (POINTS - 1)))
        chosen = np.unique(np.append(np.arange(0, length(self.motion), step), length(self.motion) - 1))
        times = np.asarray(self.motion[name_of(self.motion, "time")].values, dtype=float)[chosen]
        columns = [[_short(np.asarray(c)[chosen]) for _, pair in p.curves for c in pair] for p in self.plots]
        return {"panels": [p.panel for p in self.plots], "times": _short(times), "columns": columns}


def _plots(system: System, motion: xarray.Dataset) -> Iterable[Plot]:
    """The plots of a motion that tell something: no curves that are zero throughout, one drift of energy."""
    from chetaev.view import plotted_series as series

    found = series.paths(motion, system, 2)
    if found:
        named = [(", ".join(map(html_name, names)), (p[:, 0], p[:, 1])) for names, p in found]
        yield Plot("path", "Path in the plane", [(plain(n), pair) for n, pair in named], "paths")
    steady = system.dynamics.has_energy and series.is_steady(motion[name_of(motion, "energy")].values, motion)
    for key, panel in series.OVER_TIME.items():
        if key in ("energy", "energy_drift") and (
            not system.dynamics.has_energy or (key == "energy") == steady
        ):
            continue
        curves = panel.curves(motion, system)
        least = LEAST.get(key, -1.0)
        told = [c for c in curves if np.abs(c.values[np.isfinite(c.values)]).max(initial=-1.0) > least]
        if told:
            unit = common([c.unit for c in told])
            title = panel.title.capitalize() + (f" [{unit}]" if unit else "")
            columns = [(plain(c.html), (c.values,)) for c in told]
            yield Plot(key, title, columns, logarithmic=panel.logarithmic)
    both = [
        (plain(html_name(c, order)), (motion[key_name(c, order)].values,))
        for order in (0, 1)
        for c in system.coordinates
    ]
    yield Plot("phase", "Phase portrait", both, "choices")


def plain(html: str) -> str:
    """A name of HTML as plain text: ``θ̇<sub>1</sub>`` as θ̇1."""
    return unescape(re.sub(r"<[^>]*>", "", html))


def _short(values: Any) -> list[float | None]:
    """Numbers with as many digits as a drawing needs; gaps where they are not finite."""
    return [float(f"{v:.6g}") if np.isfinite(v) else None for v in values]


def _curve_name(law: Law) -> str:
    """p with the coordinate for a momentum, E for the energy, F with a number for what was found."""
    letter, index = law.letter
    return f"{letter}_{index}" if index else letter
