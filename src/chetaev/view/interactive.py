"""The plots of a motion as plotly's figures, for pages of one's own; ``pip install "chetaev[plotly]"``.

>>> import chetaev as ch
>>> from chetaev.view import figures
>>> found = figures(ch.simulate(ch.load("knife-edge"), at=101))
>>> list(found)
['path', 'coordinates', 'velocities', 'multipliers', 'reactions', 'energy', 'energy_drift', 'residuals',
 'phase']
>>> found["path"].layout.xaxis.title.text
'x'
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.errors import ModelError
from chetaev.flow.data.labels import length
from chetaev.model.system import System
from chetaev.view import plotted_series as series
from chetaev.view.heading import Heading, arrows, heading
from chetaev.view.names import html_name
from chetaev.view.palette import CYCLE
from chetaev.view.plotted_series import LabelledCurve, system_of
from chetaev.view.units import common, unit, with_unit_html

if TYPE_CHECKING:
    import xarray

TITLES = {
    "path": "Path in the plane",
    "space": "Path in space",
    **{key: panel.title.capitalize() for key, panel in series.OVER_TIME.items()},
    "energy_drift": "Energy drift |E − E(0)| / max |E|",
    "phase": "Phase portrait",
}
"""The figures and their titles, in order."""
_THEMES = {"light": ("plotly_white", "#1d2329", "#dfe4ea"), "dark": ("plotly_dark", "#e6e9ed", "#3d4651")}
_POINTS = 2001
"""Most points of a curve."""


def figures(motion: xarray.Dataset, system: System | None = None, *, theme: str = "light") -> dict[str, Any]:
    """All plots of a motion that apply, as plotly figures by name.

    Parameters
    ----------
    motion
        What `ch.simulate` returned.
    system
        Its system; read back from the motion if left out.
    theme
        ``"light"`` or ``"dark"``; backgrounds are transparent.

    Returns
    -------
    dict
        Figures by the names of `TITLES`: the path in the plane and in space where there are places, the
        multipliers and residuals where there are constraints, the laws where `ch.simulate` was given some.
        ``figure.to_html(full_html=False, include_plotlyjs=False)`` is the fragment for a page.
    """
    if find_spec("plotly") is None:
        raise ModelError(
            "plotly's figures need plotly, which is not installed", remedy='pip install "chetaev[plotly]"'
        )
    if theme not in _THEMES:
        raise ModelError(f"the theme {theme!r} is not known", expected="'light' or 'dark'")
    system = system_of(motion, system)
    t = series.times(motion)
    titles = {**TITLES, "reactions": f"{TITLES['reactions']} {_reaction(system)}"}
    if motion.attrs.get("dynamics") == "vakonomic":
        titles["reactions"] = "Forces of the constraints"
    made: dict[str, Any] = {}
    for key, dimension in (("path", 2), ("space", 3)):
        found = series.paths(motion, system, dimension)
        if found:
            made[key] = _paths(found, theme, system, motion)
    time = with_unit_html(html_name(system.time), unit(system, motion, system.time))
    for key, panel in series.OVER_TIME.items():
        if key in ("energy", "energy_drift") and not system.dynamics.has_energy:
            continue
        curves = panel.curves(motion, system)
        if any(np.isfinite(c.values).any() for c in curves):
            made[key] = _curves(t, curves, time, theme, panel.logarithmic)
            limits = panel.limits(curves, motion)
            if limits:
                made[key].update_yaxes(range=limits)
            titles[key] += series.off_scale(curves, limits)
    made["phase"] = _phase(motion, system, theme)
    for key, figure in made.items():
        title = {"text": titles[key], "x": 0.01, "xanchor": "left", "font": {"size": 15}}
        figure.update_layout(title=title)
    return made


def _reaction(system: System) -> str:
    """The reaction force as a formula: along ∂f/∂v, or along ∂f/∂a for constraints on accelerations."""
    given = (system.velocity_constraints or system.position_constraints, "μ ∂f/∂v"), (
        system.acceleration_constraints, "μ ∂f/∂a"
    )  # fmt: skip
    return " + ".join(formula for constraints, formula in given if constraints)


def _figure(theme: str, **layout: Any) -> Any:
    import plotly.graph_objects as go

    template, ink, grid = _THEMES[theme]
    axis = {"gridcolor": grid, "zerolinecolor": grid, "linecolor": grid, "exponentformat": "power"}
    figure = go.Figure()
    figure.update_layout(
        template=template,
        colorway=list(CYCLE),
        font={"family": "system-ui, sans-serif", "size": 13, "color": ink},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        margin={"l": 60, "r": 20, "t": 46, "b": 46},
        height=380,
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 1.0, "xanchor": "right"},
        xaxis=axis,
        yaxis=axis,
        hovermode="closest",
    )
    figure.update_layout(**layout)
    return figure


def _short(values: Any) -> list[float | None]:
    """Numbers with as many digits as a drawing needs; gaps where they are not finite."""
    return [float(f"{v:.8g}") if np.isfinite(v) else None for v in values]


def _thin(count: int) -> slice:
    return slice(None, None, max(1, -(-count // _POINTS)))


def _curves(t: Any, curves: Sequence[LabelledCurve], time: str, theme: str, logarithmic: bool) -> Any:
    import plotly.graph_objects as go

    figure = _figure(theme, hovermode="x unified")
    few = _thin(len(t))
    shared = common([curve.unit for curve in curves])
    for i, curve in enumerate(curves):
        dash = ("solid", "dash", "dot")[i // len(CYCLE) % 3]
        figure.add_trace(
            go.Scatter(
                x=_short(t[few]),
                y=_short(curve.values[few]),
                mode="lines" if len(t) > 1 else "markers",
                name=curve.html if shared else with_unit_html(curve.html, curve.unit),
                line={"width": 1.0 if logarithmic else 1.8, "dash": dash, "simplify": False},
            )
        )
    figure.update_xaxes(title_text=time)
    if shared:
        figure.update_yaxes(title_text=f"[{escape(shared)}]")
    if logarithmic:
        figure.update_yaxes(type="log", exponentformat="power")
    figure.update_layout(showlegend=len(curves) > 1)
    return figure


def _paths(
    found: Sequence[tuple[tuple[str, ...], Any]], theme: str, system: System, motion: xarray.Dataset
) -> Any:
    import plotly.graph_objects as go

    space = len(found[0][0]) == 3
    kind = go.Scatter3d if space else go.Scatter
    figure = _figure(theme)
    for i, (names, points) in enumerate(found):
        color = CYCLE[i % len(CYCLE)]
        shown = points[_thin(len(points))]
        label = ", ".join(html_name(n) for n in names)
        axes = dict(zip("xyz", map(_short, shown.T), strict=False))
        line = {"width": 4} if space else {"width": 2, "simplify": False}
        figure.add_trace(kind(**axes, mode="lines", name=label, line={"color": color, **line}))
        direction = heading(system, motion, names)
        if direction is not None:
            figure.add_trace(_arrows(points, direction))
        for place, symbol, word in ((points[0], "circle-open", "start"), (points[-1], "circle", "end")):
            one = dict(zip("xyz", ([float(c)] for c in place), strict=False))
            marker = {"color": color, "symbol": symbol, "size": 4 if space else 9}
            figure.add_trace(kind(**one, mode="markers", name=word, marker=marker, showlegend=False))
    names = found[0][0]
    labels = [with_unit_html(html_name(n), unit(system, motion, n)) for n in names]
    if space:
        grid = _THEMES[theme][2]
        axes3 = {
            f"{a}axis": {
                "title": {"text": label},
                "backgroundcolor": "rgba(0,0,0,0)",
                "gridcolor": grid,
            }
            for a, label in zip("xyz", labels, strict=True)
        }
        figure.update_layout(scene={**axes3, "aspectmode": "data"}, height=460)
    else:
        figure.update_xaxes(title_text=labels[0])
        figure.update_yaxes(title_text=labels[1], scaleanchor="x", scaleratio=1)
    figure.update_layout(showlegend=len(found) > 1)
    return figure


def _arrows(points: Any, direction: Heading) -> Any:
    """Arrowheads along a path in plan; the scale of both axes is the same, so that angles are true."""
    import plotly.graph_objects as go

    rows = [i for i in arrows(points) if np.isfinite(points[i]).all()]
    angles = [float(round(90 - a, 3)) for a in np.degrees(direction.values[rows])]
    marker = {"symbol": "arrow", "size": 12, "angle": angles, "color": "#7b8794"}
    return go.Scatter(
        x=_short(points[rows, 0]), y=_short(points[rows, 1]), mode="markers", marker=marker,
        name=f"heading {html_name(direction.angle)}", showlegend=False, hoverinfo="skip",
    )  # fmt: skip


def _phase(motion: xarray.Dataset, system: System, theme: str) -> Any:
    """One coordinate against its velocity; a menu chooses which."""
    import plotly.graph_objects as go

    figure = _figure(theme)
    few = _thin(length(motion))
    names = system.coordinates[:12]
    for i, name in enumerate(names):
        figure.add_trace(
            go.Scatter(
                x=_short(motion[name].values[few]),
                y=_short(motion[f"{name}_dot"].values[few]),
                mode="lines",
                name=html_name(name),
                visible=i == 0,
                line={"color": CYCLE[0], "width": 1.8, "simplify": False},
            )
        )
    labels = [
        [with_unit_html(html_name(n, order), unit(system, motion, n, order)) for order in (0, 1)]
        for n in names
    ]
    figure.update_xaxes(title_text=labels[0][0])
    figure.update_yaxes(title_text=labels[0][1])
    buttons = [
        {
            "label": html_name(n),
            "method": "update",
            "args": [
                {"visible": [j == i for j in range(len(names))]},
                {"xaxis.title.text": labels[i][0], "yaxis.title.text": labels[i][1]},
            ],
        }
        for i, n in enumerate(names)
    ]
    if len(buttons) > 1:
        menu = {"buttons": buttons, "x": 1.0, "xanchor": "right", "y": 1.0, "yanchor": "bottom"}
        figure.update_layout(updatemenus=[menu])
    figure.update_layout(showlegend=False)
    return figure
