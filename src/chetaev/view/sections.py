"""Pictures of sections, return maps and Lyapunov exponents, which are data sets but no motions.

>>> import matplotlib
>>> matplotlib.use("agg")
>>> import chetaev as ch
>>> spring = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2", initial={"x": 1, "x'": 0})
>>> [ax.get_title() for ax in ch.plot(ch.lyapunov(spring, until=20)).axes]
['Lyapunov exponents up to a time']
>>> matplotlib.pyplot.close("all")
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.expr.print import name_latex
from chetaev.view.palette import CYCLE
from chetaev.view.plots import finish

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

FLAT = 1e-9
"""A variable that changes by less, relative to the largest, is constant."""


def panel_of(dataset: xarray.Dataset) -> Callable[[xarray.Dataset, Any], None] | None:
    """What draws this data set, if it is one of these."""
    if "running" in dataset and dataset["running"].dims == ("time", "index"):
        return exponents
    if "crossing" in dataset.dims and len(dataset.data_vars):
        return points
    return None


def draw(dataset: xarray.Dataset, panel: Callable[[Any, Any], None], make: Callable[..., Figure]) -> Figure:
    """The picture on a figure of its own."""
    figure = make(figsize=(6.8, 4.6), layout="constrained")
    panel(dataset, figure.subplots())
    return figure


def points(dataset: xarray.Dataset, ax: Any) -> None:
    """Successive crossings: a coordinate and its velocity, two coordinates, or each value over the last."""
    values = {str(n): np.asarray(v.values, dtype=float) for n, v in dataset.data_vars.items()}
    extent = {n: float(np.ptp(v)) if len(v) else 0.0 for n, v in values.items()}
    largest = max(extent.values(), default=0.0)
    moving = [n for n in values if extent[n] > FLAT * max(largest, 1e-300)] or list(values)
    pair = next(((n, f"{n}_dot") for n in moving if f"{n}_dot" in moving), tuple(moving[:2]))
    number = len(dataset["crossing"])
    style: dict[str, Any] = {"color": CYCLE[0], "markersize": 4 if number > 40 else 6}
    if len(pair) == 1:
        (name,) = pair
        ax.plot(values[name][:-1], values[name][1:], "o", **style)
        ends = [values[name].min(), values[name].max()]
        ax.plot(ends, ends, color="0.6", linewidth=1.0, zorder=0)
        ax.set(xlabel=name_label(name), ylabel=f"{name_label(name)} at the next crossing")
    else:
        ax.plot(values[pair[0]], values[pair[1]], "o", **style)
        ax.set(xlabel=name_label(pair[0]), ylabel=name_label(pair[1]))
    period = dataset.attrs.get("period")
    where = f"{dataset.attrs.get('event', '')} = 0" if period is None else f"period {period:g}"
    ax.set_title(f"{number} {'point' if number == 1 else 'points'}, {where}")
    ax.margins(0.08)
    finish(ax, 0)


def exponents(dataset: xarray.Dataset, ax: Any) -> None:
    """The exponents up to each time, whose limits are looked for."""
    times = np.asarray(dataset["time"].values, dtype=float)
    running = np.asarray(dataset["running"].values, dtype=float)
    order = np.argsort(-running[-1], kind="stable")
    for i, k in enumerate(order):
        ax.plot(
            times, running[:, k], color=CYCLE[i % len(CYCLE)], linewidth=1.4, label=rf"$\lambda_{{{i + 1}}}$"
        )
    ax.axhline(0, color="0.6", linewidth=0.8, zorder=0)
    later = running[len(running) // 4 :]
    low, high = float(later.min()), float(later.max())
    room = 0.25 * (high - low) + 1e-12
    ax.set_ylim(min(low, 0.0) - room, max(high, 0.0) + room)
    ax.set(xlabel="time", title="Lyapunov exponents up to a time")
    finish(ax, len(order))


def name_label(name: str) -> str:
    """The name of a coordinate, or of its velocity, on an axis."""
    return (
        f"${name_latex(name.removesuffix('_dot'), 1)}$" if name.endswith("_dot") else f"${name_latex(name)}$"
    )
