"""A picture of an ensemble: one panel for each coordinate, the members side by side.

A series is drawn over time, one line for each member; else the final (or initial) values over what varies, or
over the number of the member where more than one thing does. The colour of a member is that value. Members
that failed are drawn in red.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.view import plots
from chetaev.view.palette import CYCLE
from chetaev.view.sections import name_label

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

PANELS = 8
"""Coordinates that are drawn."""
LINES = 200
"""Members of which series are drawn, evenly chosen."""
KEPT = ("series", "final", "initial")


def is_ensemble(dataset: xarray.Dataset) -> bool:
    """Whether a data set holds states of many runs."""
    return "run" in dataset.dims and "state" in dataset.dims and any(n in dataset for n in KEPT)


def draw(dataset: xarray.Dataset, make: Callable[..., Figure]) -> Figure:
    """The panels of an ensemble."""
    kept = next(n for n in KEPT if n in dataset)
    states = [str(s) for s in dataset["state"].values]
    names = [s for s in states if not s.endswith("_dot")][:PANELS]
    along, values = _varied(dataset)
    figure, rows, columns = plots.grid(make, len(names))
    failed = dataset["status"].values != "done" if "status" in dataset else np.zeros(len(values), bool)
    axes = []
    for i, name in enumerate(names):
        ax = figure.add_subplot(rows, columns, i + 1)
        table = dataset[kept].isel(state=states.index(name)).values
        if kept == "series":
            _lines(ax, dataset["time"].values, table, values, failed)
            ax.set(xlabel="time", ylabel=name_label(name))
        else:
            for chosen, color in ((~failed, CYCLE[0]), (failed, "tab:red")):
                ax.plot(values[chosen], table[chosen], "o", markersize=4, color=color)
            ax.set(xlabel=along, ylabel=f"{kept} {name_label(name)}")
        axes.append(plots.finish(ax, 0))
    if kept == "series" and len(values) > 1:
        _colours(figure, axes, along, values)
    figure.suptitle(str(dataset.attrs.get("title", "")))
    return figure


def _varied(dataset: xarray.Dataset) -> tuple[str, Any]:
    """What varies, as a label, if it is one thing, and its values; else the numbers of the members."""
    named = [str(n) for n, x in dataset.coords.items() if x.dims == ("run",) and n != "run"]
    if len(named) == 1:
        start = "initial " if named[0] in dataset["state"].values else ""
        return start + name_label(named[0]), dataset[named[0]].values
    return "run", np.arange(dataset.sizes["run"])


def _lines(ax: Any, times: Any, table: Any, values: Any, failed: Any) -> None:
    from matplotlib import colormaps

    low, high = float(np.min(values)), float(np.max(values))
    for i in np.unique(np.linspace(0, len(values) - 1, min(len(values), LINES)).astype(int)):
        part = (values[i] - low) / (high - low) if high > low else 0.5
        color = "tab:red" if failed[i] else colormaps["viridis"](0.9 * part)
        ax.plot(times, table[i], color=color, linewidth=1.1, alpha=0.9)


def _colours(figure: Figure, axes: list[Any], along: str, values: Any) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    low, high = float(np.min(values)), float(np.max(values))
    scale = Normalize(low, low + (high - low) / 0.9 if high > low else low + 1)
    bar = figure.colorbar(ScalarMappable(scale, "viridis"), ax=axes, label=along, shrink=0.8)
    bar.ax.set_ylim(low, high if high > low else low + 1)
