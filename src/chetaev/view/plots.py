"""Plots of a motion with matplotlib: axes in, axes out.

>>> import matplotlib
>>> matplotlib.use("agg")
>>> import chetaev as ch
>>> from chetaev.view import plots
>>> motion = ch.simulate(ch.load("caratheodory-sleigh"), at=101)
>>> ax = plots.path(motion)
>>> ax.get_xlabel(), ax.get_ylabel()
('$x$', '$y$')
>>> matplotlib.pyplot.close("all")

Every function takes the motion and, if wanted, the system (else it is read back from the motion) and the
axes to draw on (else new ones are made). Curves have colours that people with any kind of colour vision tell
apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.errors import ModelError
from chetaev.expr.print import name_latex
from chetaev.flow.data.labels import name_of
from chetaev.model.system import System
from chetaev.view import plotted_series as series
from chetaev.view.heading import Heading, arrows, heading
from chetaev.view.palette import CYCLE
from chetaev.view.plotted_series import LabelledCurve, system_of
from chetaev.view.units import common, unit, with_unit

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


BESIDE = 8
"""A legend of more names stands beside the curves."""


def path(motion: xarray.Dataset, system: System | None = None, ax: Axes | None = None) -> Axes:
    """The path in plan, of the first two coordinates of each place; the start is a ring, the end a dot.

    The axes have the same scale. Arrows show the heading of a vehicle (:mod:`chetaev.view.heading`).
    """
    system = system_of(motion, system)
    found = series.paths(motion, system, 2)
    found = found or [(g[:2], p[:, :2]) for g, p in series.paths(motion, system, 3)]
    if not found:
        raise ModelError(
            f"the model {system.name!r} has no two coordinates that are places",
            remedy="draw 'phase' or 'coordinates'",
        )
    ax = ax or _axes()
    for i, (names, points) in enumerate(found):
        color = CYCLE[i % len(CYCLE)]
        _path(ax, points.T, color, ", ".join(f"${name_latex(n)}$" for n in names))
        _arrows(ax, points, heading(system, motion, names))
    (x, y), _ = found[0]
    ax.set(xlabel=label(system, motion, x), ylabel=label(system, motion, y), title="path in the plane")
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.12)
    return finish(ax, len(found))


def path_in_space(motion: xarray.Dataset, system: System | None = None, ax: Any = None) -> Any:
    """The path in space of the first three places; `ax` has the projection ``"3d"``."""
    system = system_of(motion, system)
    found = series.paths(motion, system, 3, flattened=False)
    if not found:
        raise ModelError(
            f"the model {system.name!r} has no three coordinates that are places", remedy="draw 'path'"
        )
    ax = ax or _axes("3d")
    for i, (names, points) in enumerate(found):
        _path(ax, points.T, CYCLE[i % len(CYCLE)], ", ".join(f"${name_latex(n)}$" for n in names))
    x, y, z = found[0][0]
    x, y, z = (label(system, motion, name) for name in (x, y, z))
    ax.set(xlabel=x, ylabel=y, zlabel=z, aspect="equal")
    spans = [np.ptp(limits) for limits in (ax.get_xlim(), ax.get_ylim(), ax.get_zlim())]
    for axis, span in zip((ax.xaxis, ax.yaxis, ax.zaxis), spans, strict=True):
        many, middle = round(6 * span / max(spans)), float(np.mean(axis.get_view_interval()))
        axis.get_major_locator().set_params(nbins=max(1, many))
        if many == 0:  # two labels would stand one on the other
            axis.set_ticks([middle], [f"{middle:.2g}".replace("-", "−")])
    ax.set_title("path in space")
    return ax


def _over_time(key: str) -> Callable[..., Axes]:
    """The function that draws curves over time."""
    panel = series.OVER_TIME[key]

    def drawn(motion: xarray.Dataset, system: System | None = None, ax: Axes | None = None) -> Axes:
        system = system_of(motion, system)
        return _curves(motion, system, panel.curves(motion, system), ax or _axes(), panel)

    drawn.__name__, drawn.__doc__ = key, panel.curves.__doc__
    return drawn


coordinates = _over_time("coordinates")
velocities = _over_time("velocities")
multipliers = _over_time("multipliers")
reactions = _over_time("reactions")
energy = _over_time("energy")
energy_drift = _over_time("energy_drift")
residuals = _over_time("residuals")
laws = _over_time("laws")


def phase_portrait(
    motion: xarray.Dataset,
    system: System | None = None,
    ax: Axes | None = None,
    *,
    coordinate: str | None = None,
) -> Axes:
    """A coordinate against its velocity; the first coordinate if none is named."""
    system = system_of(motion, system)
    name = series.chosen(system, coordinate)
    ax = ax or _axes()
    points = np.array([motion[name].values, motion[f"{name}_dot"].values])
    _path(ax, points, CYCLE[0], f"${name_latex(name)}$")
    x, y = (label(system, motion, name, order) for order in (0, 1))
    ax.set(xlabel=x, ylabel=y, title="phase portrait")
    return finish(ax, 1)


# --- drawing --------------------------------------------------------------------------------------


def grid(make: Callable[..., Figure], count: int, height: float = 3.2) -> tuple[Figure, int, int]:
    """A figure for so many panels, with the rows and columns in which they stand."""
    columns = 1 if count == 1 else 2
    rows = -(-count // columns)
    size = (6.4, 4.2) if columns == 1 else (11.0, height * rows)
    return make(figsize=size, layout="constrained"), rows, columns


def _axes(projection: str | None = None) -> Any:
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(6.4, 4.2), layout="constrained")
    return figure.add_subplot(projection=projection)


def _path(ax: Any, points: Any, color: str, name: str) -> None:
    ax.plot(*points, color=color, linewidth=1.6, label=name)
    ax.plot(*points[:, :1], "o", markerfacecolor="none", markeredgecolor=color, markersize=7)
    ax.plot(*points[:, -1:], "o", color=color, markersize=6)


def label(system: System, motion: xarray.Dataset, name: str, order: int = 0) -> str:
    """The name of a coordinate or its rate on an axis, with its unit if one is given."""
    return with_unit(f"${name_latex(name, order)}$", unit(system, motion, name, order))


def variable_label(motion: xarray.Dataset, system: System, name: str) -> str:
    """The name of a variable of a motion on an axis."""
    if name == name_of(motion, "time"):
        return label(system, motion, system.time)
    for order, ending in ((0, ""), (1, "_dot"), (2, "_ddot")):
        bare = name.removesuffix(ending) if ending else name
        if bare in system.coordinates and name == bare + ending:
            return label(system, motion, bare, order)
    return f"${name_latex(name)}$" if name.isidentifier() else name


def _arrows(ax: Axes, points: Any, found: Heading | None) -> None:
    if found is None:
        return
    rows = [i for i in arrows(points) if np.isfinite(points[i]).all()]
    directions = np.cos(found.values[rows]), np.sin(found.values[rows])
    drawn = ax.quiver(
        *points[rows].T, *directions, angles="xy", color="0.3", width=0.005, scale=20, zorder=3, clip_on=False
    )
    drawn.set_in_layout(False)


def _curves(
    motion: xarray.Dataset, system: System, curves: Sequence[LabelledCurve], ax: Axes, panel: series.Panel
) -> Axes:
    t = series.times(motion)
    shared = common([curve.unit for curve in curves])
    for i, curve in enumerate(curves):
        style = ("-", "--", ":")[i // len(CYCLE) % 3]
        named = curve.latex if shared else with_unit(curve.latex, curve.unit)
        color = CYCLE[i % len(CYCLE)]
        ax.plot(t, curve.values, style, color=color, linewidth=1.4, label=named, marker=_marker(t))
    if not curves:
        ax.text(0.5, 0.5, "none", transform=ax.transAxes, ha="center", va="center")
    limits = panel.limits(curves, motion)
    title = panel.title + series.off_scale(curves, limits)
    ax.set(xlabel=label(system, motion, system.time), title=title)
    if shared:
        ax.set_ylabel(f"[{shared}]")
    if limits:
        ax.set_ylim(*limits)
    finish(ax, len(curves))
    if panel.logarithmic:
        ax.set_yscale("log")
        low, high = ax.get_ylim()
        ax.set_ylim(max(low, 0.5 * series.FLOOR), max(high, 10 * series.FLOOR))
    return ax


def _marker(times: Any) -> str:
    """A single point is no line."""
    return "o" if len(times) == 1 else ""


def finish(ax: Axes, count: int) -> Axes:
    """A calm frame, and a legend if there are names; a long one stands beside the curves."""
    ax.grid(True, alpha=0.3, linewidth=0.6)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    if count and ax.get_legend_handles_labels()[1]:
        place = {"loc": "center left", "bbox_to_anchor": (1, 0.5)} if count > BESIDE else {"loc": "best"}
        ax.legend(**place, fontsize="small", ncols=1 + count // 16, framealpha=0.8)
    return ax
