"""`ch.plot`: a picture of a result, with matplotlib.

What is drawn is what one looks at first: of a motion its path in plan, its coordinates and velocities, its
energy and its multipliers. A result that knows how to draw itself has a method ``_plot_(figure)``.

>>> import matplotlib
>>> matplotlib.use("agg")
>>> import chetaev as ch
>>> figure = ch.plot(ch.simulate(ch.load("knife-edge"), at=101))
>>> [ax.get_title() for ax in figure.axes]
['path in the plane', 'coordinates', 'velocities', 'energy drift', 'multipliers']
>>> matplotlib.pyplot.close("all")
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.flow.data.labels import name_of
from chetaev.model.build_system import UNNAMED
from chetaev.model.system import System
from chetaev.view import ensembles, plots, sections, side_by_side
from chetaev.view import plotted_series as series
from chetaev.view.names import places
from chetaev.view.palette import CYCLE
from chetaev.view.plotted_series import system_of
from chetaev.view.side_by_side import are_several

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

PANELS: dict[str, Callable[..., Any]] = {
    "path": plots.path,
    "space": plots.path_in_space,
    **{key: getattr(plots, key) for key in series.OVER_TIME},
    "phase": plots.phase_portrait,
}
"""What can be drawn of a motion, by name."""
MOST = 8
"""Most panels for the variables of a data set that is no motion."""


def plot(result: Any, *what: str | tuple[str, str], system: System | None = None) -> Figure:
    r"""Draw a result.

    Parameters
    ----------
    result
        A motion, several in a list or by name, or another data set; a system, which is run first; a
        comparison, sensitivities, a study; a section, a return map, a periodic orbit, Lyapunov exponents;
        equilibria and linearisations (their spectra), a bifurcation diagram, a stability map.
    *what
        Of a motion, what to draw, one panel each: ``"path"``, ``"space"``, ``"coordinates"``,
        ``"velocities"``, ``"multipliers"``, ``"reactions"``, ``"energy"``, ``"energy_drift"``,
        ``"residuals"``, ``"laws"``, ``"phase"``; or the name of a variable, over time, or two names, the
        second over the first. The most telling panels if left out.
    system
        The system of a motion, if the motion does not say it.

    Returns
    -------
    matplotlib.figure.Figure
        With ``figure.axes`` to change and ``figure.savefig`` or `ch.save` to keep it. A notebook shows it.

    Examples
    --------
    >>> import chetaev as ch
    >>> motion = ch.simulate(ch.load("rolling-disc"), at=101)
    >>> figure = ch.plot(motion, "theta", ("x", "y"))
    >>> [(ax.get_xlabel(), ax.get_ylabel()) for ax in figure.axes]
    [('$t$', '$\\theta$'), ('$x$', '$y$')]
    """
    import matplotlib
    from matplotlib import pyplot

    figure = draw(result, what, pyplot.figure, system)
    if "inline" in matplotlib.get_backend():
        pyplot.close(figure)  # it is shown as the value of the cell; else it would be shown twice
    return figure


def draw(
    result: Any, what: tuple[Any, ...], make: Callable[..., Figure], system: System | None = None
) -> Figure:
    """A picture of a result on a figure that `make` makes, given its size; no name, no title."""
    from matplotlib.text import Text

    figure = _picture(result, what, make, system)
    for text in figure.findobj(Text):
        if text.get_text() == UNNAMED:
            text.set_text("")
    return figure


def _picture(
    result: Any, what: tuple[Any, ...], make: Callable[..., Figure], system: System | None
) -> Figure:
    if isinstance(result, System):
        from chetaev.flow.data.simulate import simulate

        result, system = simulate(result), result
    if are_several(result):
        return side_by_side.draw(result, what, make)
    own = hasattr(type(result), "_plot_")
    if hasattr(type(result), "_drawn_"):  # a result that is drawn as a data set
        result = result._drawn_()
    motion = None if own and not what else getattr(result, "motion", None)
    if _is_dataset(motion):
        result = motion
    if _is_dataset(result) and (system is not None or "model" in result.attrs) and _is_motion(result):
        return _draw_motion(result, system_of(result, system), what, make)
    if not what and own:
        figure = make(figsize=(8.4, 4.6), layout="constrained")
        result._plot_(figure)
        return figure
    if what:
        said = f"the parts {shown(list(what))} can be drawn of a motion only"
        raise ModelError(said, remedy="leave them out")
    if _is_dataset(result) and ensembles.is_ensemble(result):
        return ensembles.draw(result, make)
    if _is_dataset(result):
        panel = sections.panel_of(result)
        return _draw_variables(result, make) if panel is None else sections.draw(result, panel, make)
    raise ModelError(
        f"ch.plot was given {shown(result)}",
        expected="a motion, another data set, a system, or a result that can be drawn, such as equilibria",
        remedy=f"write ch.load({result!r})" if isinstance(result, str) and len(result) < 60 else "",
    )


def _is_dataset(value: Any) -> bool:
    import sys

    known = sys.modules.get("xarray")
    return known is not None and isinstance(value, known.Dataset)


def _is_motion(dataset: xarray.Dataset) -> bool:
    time = name_of(dataset, "time")
    return time in dataset.dims and not set(dataset.dims) - {
        name_of(dataset, key) for key in ("time", "constraint", "position_constraint", "stop")
    }


# --- a motion -----------------------------------------------------------------------------------------


def _telling(motion: xarray.Dataset, system: System) -> list[str]:
    """The panels that are drawn if nothing is asked for."""
    chosen = [key for key, d in (("path", 2), ("space", 3)) if series.paths(motion, system, d)]
    chosen += ["coordinates", "velocities"]
    if system.dynamics.has_energy:
        e = series.energy(motion, system)
        chosen.append("energy_drift" if series.is_steady(e, motion) else "energy")
    chosen += ["multipliers"] if series.multipliers(motion, system) else []
    return chosen + (["laws"] if series.law_names(motion, system) else [])


def _draw_motion(
    motion: xarray.Dataset, system: System, what: tuple[Any, ...], make: Callable[..., Figure]
) -> Figure:
    asked = [_checked(motion, one) for one in what] or _telling(motion, system)
    figure, rows, columns = plots.grid(make, len(asked), 3.5)
    for i, one in enumerate(asked):
        projection = "3d" if one == "space" else None
        ax = figure.add_subplot(rows, columns, i + 1, projection=projection)
        if isinstance(one, str) and one in PANELS and one not in system.coordinates:
            PANELS[one](motion, system, ax)
        else:
            _variables(motion, system, ax, one)
    if len(asked) > 1:
        figure.suptitle(str(motion.attrs.get("title", system.name)))
    return figure


def _checked(motion: xarray.Dataset, one: Any) -> str | tuple[str, str]:
    names = (one,) if isinstance(one, str) else one
    known = [str(name) for name in motion.variables if motion[name].dtype.kind in "fiu"]
    if not isinstance(names, (tuple, list)) or not all(isinstance(n, str) for n in names):
        raise ModelError(f"ch.plot was asked for {shown(one)}", expected="a name, or two names")
    if isinstance(one, str) and one in PANELS:
        return one
    if len(names) != (1 if isinstance(one, str) else 2):
        raise ModelError(f"ch.plot was asked for {shown(one)}", expected="a name, or two names")
    for name in names:
        if name not in known:
            every = known if len(names) > 1 else [*PANELS, *known]
            raise ModelError.unknown(f"the motion has no {name!r} to draw", name, every)
    return one if isinstance(one, str) else (names[0], names[1])


def _variables(motion: xarray.Dataset, system: System, ax: Any, one: str | tuple[str, str]) -> None:
    """A variable over time, or one over another."""
    time = name_of(motion, "time")
    x, y = (time, one) if isinstance(one, str) else one
    values = np.asarray(motion[y].values).reshape(len(motion[y]), -1)
    for i, column in enumerate(values.T):
        label = f"{y} {i + 1}" if values.shape[1] > 1 else None
        ax.plot(motion[x].values, column, color=CYCLE[i % len(CYCLE)], linewidth=1.4, label=label)
    ax.set(xlabel=plots.variable_label(motion, system, x), ylabel=plots.variable_label(motion, system, y))
    plots.finish(ax, values.shape[1] if values.shape[1] > 1 else 0)
    if {x, y} <= {c for group in places(system.coordinates) for c in group}:
        ax.set_aspect("equal", adjustable="datalim")


# --- other data sets ----------------------------------------------------------------------------------


def _draw_variables(dataset: xarray.Dataset, make: Callable[..., Figure]) -> Figure:
    """Every variable of numbers over time, or over its first axis; one line for each row of the others."""
    names = [str(n) for n, v in dataset.data_vars.items() if v.ndim and v.dtype.kind in "fiu"][:MOST]
    if not names:
        raise ModelError("the data set has no variable to draw", expected="numbers along an axis")
    figure, rows, columns = plots.grid(make, len(names))
    for i, name in enumerate(names):
        ax = figure.add_subplot(rows, columns, i + 1)
        variable = dataset[name]
        along = "time" if "time" in variable.dims else str(variable.dims[0])
        lines = np.moveaxis(np.asarray(variable.values), variable.dims.index(along), 0)
        lines = lines.reshape(len(lines), -1)
        place = dataset[along].values if along in dataset.coords else np.arange(len(lines))
        if place.dtype.kind not in "fiu":
            place = place.astype(str)
        many = lines.shape[1] > 1
        style: dict[str, Any] = (
            {"marker": "o", "markersize": 4, "linestyle": "none"} if along != "time" else {}
        )
        ax.plot(place, lines, color=CYCLE[0], alpha=0.5 if many else 1.0, linewidth=1.2, **style)
        ax.set(xlabel=along, ylabel=name)
        plots.finish(ax, 0)
    return figure
