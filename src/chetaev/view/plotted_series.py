"""What the plots of a motion show: named curves over time, paths, drifts; for every library that draws.

Drifts and residuals go to logarithmic axes, so they are lifted to at least 1e-17.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import key_name
from chetaev.expr.print import name_latex
from chetaev.flow.data.labels import length, name_of, reserved
from chetaev.model.system import System, expect_system
from chetaev.view.names import html_name, is_angle, places
from chetaev.view.units import unit
from chetaev.view.view_values import reactions as reaction_forces
from chetaev.view.view_values import values_along, variable

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]
FLOOR = 1e-17
"""The smallest value on a logarithmic axis."""
STEADY = 1e-6
"""A relative change of energy below this is shown as a drift, a larger one as a curve."""
FLAT = 1e-9
"""A coordinate that changes by less than this part of the largest extent of a path is constant."""


@dataclass(frozen=True)
class LabelledCurve:
    """Values over time with a name in LaTeX and one in HTML, and their unit if one is given."""

    latex: str
    html: str
    values: Array
    unit: str = ""


def expect_motion(value: Any) -> None:
    """Raise a ModelError unless the value is a data set over time."""
    if not hasattr(value, "data_vars") or name_of(value, "time") not in value.dims:
        what = (
            f"a data set over {', '.join(map(str, value.dims))}" if hasattr(value, "dims") else shown(value)
        )
        raise ModelError(f"a picture of a motion was asked of {what}", expected="what ch.simulate gives")


def system_of(motion: xarray.Dataset, system: System | None = None) -> System:
    """The system of a motion, read back from its attributes if it is not given."""
    expect_motion(motion)
    if system is not None:
        expect_system(system, "system=")
        return system
    from chetaev.model.file.loader import loads

    if "model" not in motion.attrs:
        raise ModelError("the motion does not say which model it belongs to", remedy="give system=…")
    return loads(motion.attrs["model"])


def times(motion: xarray.Dataset) -> Array:
    """The times of a motion."""
    return np.asarray(motion[name_of(motion, "time")].values, dtype=float)


def coordinates(motion: xarray.Dataset, system: System, order: int = 0) -> list[LabelledCurve]:
    """Coordinates, velocities or accelerations."""
    return [
        LabelledCurve(
            f"${name_latex(c, order)}$",
            html_name(c, order),
            np.asarray(motion[key_name(c, order)].values),
            unit(system, motion, c, order),
        )
        for c in system.coordinates
    ]


def velocities(motion: xarray.Dataset, system: System) -> list[LabelledCurve]:
    """All velocities."""
    return coordinates(motion, system, 1)


def multipliers(motion: xarray.Dataset, system: System) -> list[LabelledCurve]:
    """The multipliers μ, by constraint."""
    if motion.attrs.get("dynamics") == "vakonomic":
        names = [n for n in str(motion.attrs["further_states"]).split() if not n.endswith("_dot")]
        return [
            LabelledCurve(f"${name_latex(n)}$", html_name(n), np.asarray(motion[n].values)) for n in names
        ]
    values = variable(motion, "multiplier")
    count = 0 if values is None else values.shape[1]
    return [
        LabelledCurve(rf"$\mu_{{{i + 1}}}$", f"μ<sub>{i + 1}</sub>", np.asarray(values)[:, i])
        for i in range(count)
    ]


def reactions(motion: xarray.Dataset, system: System) -> list[LabelledCurve]:
    """The components μ_a ∂f^a/∂v of the constraint force, without those that vanish."""
    values = variable(motion, "multiplier")
    names = list(system.coordinates)
    if motion.attrs.get("dynamics") == "vakonomic":
        forces = {c: variable(motion, f"reaction_{c}") for c in names}
        return [_reaction(c, x) for c, x in forces.items() if x is not None]
    if values is None:
        return []
    known = values_along(system, motion, np.arange(length(motion)), ())
    found = reaction_forces(system, known, values, names)
    return [
        _reaction(c, found[c]) for c in names if np.abs(found[c][np.isfinite(found[c])]).max(initial=0.0) > 0
    ]


def _reaction(name: str, values: Array) -> LabelledCurve:
    return LabelledCurve(f"$R_{{{name_latex(name)}}}$", f"R<sub>{html_name(name)}</sub>", values)


def drift(values: Array, size: float | None = None) -> tuple[Array, float]:
    """|v − v(0)| over the size of v, the largest |v| if it is not given (1 where all vanish); and that scale.

    The drift is lifted to the floor.
    """
    finite = values[np.isfinite(values)]
    largest = float(np.abs(finite).max(initial=0.0)) if size is None else size
    scale = largest if largest > 1e-12 else 1.0
    return np.maximum(np.abs(values - values[0]) / scale, FLOOR), scale


def calm(values: Array) -> tuple[float, float] | None:
    """Limits of an axis on which a constant looks constant; None for what does change.

    >>> calm(np.array([2.0, 2.0 + 1e-9]))
    (1.9, 2.1)
    """
    finite = values[np.isfinite(values)]
    if not len(finite) or np.ptp(finite) > 1e-6 * max(np.abs(finite).max(), 1e-6):
        return None
    middle = float(finite[0])
    half = 0.05 * abs(middle) if abs(middle) > 1e-12 else 1.0
    return middle - half, middle + half


def ends_early(motion: xarray.Dataset) -> bool:
    """Whether a motion stopped at a place where its law has no sense."""
    return motion.attrs.get("status", "done") not in ("done", "event")


def before_end(values: Array) -> tuple[float, float] | None:
    """Limits of an axis on which what came before a singular end, which dwarfs it, can be seen.

    >>> before_end(np.append(np.linspace(0, 100, 101), 1e9).reshape(-1, 1))
    (-4.95, 103.95)
    """
    before, whole = (x[np.isfinite(x)] for x in (values[: -(-len(values) * 49 // 50)], values))
    span = float(np.ptp(before)) if len(before) else 0.0
    if not 0 < span < 0.01 * np.ptp(whole):
        return None
    return calm(before) or (float(before.min()) - 0.05 * span, float(before.max()) + 0.05 * span)


def off_scale(curves: Sequence[LabelledCurve], limits: tuple[float, float] | None) -> str:
    """What a title adds where curves leave the axis; nothing where they do not."""
    outside = limits and any((c.values < limits[0]).any() or (c.values > limits[1]).any() for c in curves)
    return " (the end is off the scale)" if outside else ""


def is_steady(values: Array, motion: xarray.Dataset) -> bool:
    """Whether a quantity changes by no more than the error of the steps, which is relative and absolute."""
    change, size = float(abs(values - values[0]).max()), float(abs(values).max())
    return change <= max(STEADY * size, 100 * float(motion.attrs.get("tolerance", 0.0)))


def energy(motion: xarray.Dataset, system: System) -> Array:
    """The energy v·∂L/∂v − L."""
    values = variable(motion, "energy")
    if values is None:
        system.dynamics.expect_lagrangian()
        raise ModelError("the motion has no energy", expected="a data set made by ch.simulate")
    return values


def energy_over_time(motion: xarray.Dataset, system: System) -> list[LabelledCurve]:
    """The energy."""
    return [LabelledCurve("$E$", "E", energy(motion, system), unit(system, motion, "energy"))]


def energy_drift(motion: xarray.Dataset, system: System) -> list[LabelledCurve]:
    """|E − E(0)| relative to the largest |E|."""
    values, _ = drift(energy(motion, system))
    return [LabelledCurve("$|E - E_0| / |E|_{max}$", "|E − E(0)| / max |E|", values)]


def residuals(motion: xarray.Dataset, system: System) -> list[LabelledCurve]:
    """|f| of every constraint, at velocity level and at position level, lifted to the floor."""
    curves = []
    for key, axis, latex in (
        ("residual", "constraint", "f"),
        ("position_residual", "position_constraint", "φ"),
    ):
        values = variable(motion, key)
        if values is None:
            continue
        symbol = r"\varphi" if latex == "φ" else latex
        for i in range(len(motion[name_of(motion, axis)])):
            column = values[:, i]
            if np.isfinite(column).any():
                lifted = np.maximum(np.abs(column), FLOOR)
                name = f"|{latex}<sub>{i + 1}</sub>|"
                curves.append(LabelledCurve(rf"$|{symbol}_{{{i + 1}}}|$", name, lifted))
    return curves


def law_names(motion: xarray.Dataset, system: System) -> list[str]:
    """The variables of a motion that were asked for as laws."""
    own = {key_name(c, order) for c in system.coordinates for order in range(3)}
    own |= {name_of(motion, key) for key in reserved(system.coordinates)}
    own |= set(str(motion.attrs.get("further_states", "")).split())
    time = (name_of(motion, "time"),)
    return [str(n) for n, v in motion.data_vars.items() if n not in own and v.dims == time]


def laws(motion: xarray.Dataset, system: System) -> list[LabelledCurve]:
    """The relative drift of every law evaluated along the motion."""
    return [
        LabelledCurve(
            f"${name_latex(n)}$" if n.isidentifier() else n,
            html_name(n),
            drift(np.asarray(motion[n].values))[0],
        )
        for n in law_names(motion, system)
    ]


def paths(
    motion: xarray.Dataset, system: System, dimension: int, *, flattened: bool = True
) -> list[tuple[tuple[str, ...], Array]]:
    """Names and points of the paths in the plane or in space; what has no place is left out.

    A path in space that stays in a plane of two coordinates is a path in the plane if `flattened`, and only
    a system without any places is shown by its first coordinates.
    """
    groups = places(system.coordinates)
    if not groups:
        straight = tuple(c for c in system.coordinates if not is_angle(c, system.units))
        groups = [straight[:3]] if len(straight) >= 2 else []
    if flattened:
        groups = [_in_plane(motion, g) for g in groups]
    return [(g, np.column_stack([motion[c].values for c in g])) for g in groups if len(g) == dimension]


def _in_plane(motion: xarray.Dataset, names: tuple[str, ...]) -> tuple[str, ...]:
    """Three coordinates, or two of them if the other one is constant along the motion."""
    if len(names) < 3:
        return names
    spans = [float(np.ptp(x[np.isfinite(x)])) if np.isfinite(x).any() else 0.0
             for x in (np.asarray(motion[c].values, float) for c in names)]  # fmt: skip
    moving = tuple(c for c, span in zip(names, spans, strict=True) if span > FLAT * max(spans))
    return moving if len(moving) == 2 else names


def chosen(system: System, coordinate: str | None) -> str:
    """The coordinate of a phase portrait: the one given, or the first."""
    if coordinate is None:
        return system.coordinates[0]
    if coordinate not in system.coordinates:
        said = f"{coordinate!r} is not a coordinate of {system.name!r}"
        raise ModelError.unknown(said, coordinate, system.coordinates)
    return coordinate


@dataclass(frozen=True)
class Panel:
    """Curves over time: what makes them of a motion and its system, their title and their axis."""

    curves: Callable[[xarray.Dataset, System], list[LabelledCurve]]
    title: str
    logarithmic: bool = False

    def limits(self, curves: Sequence[LabelledCurve], motion: xarray.Dataset) -> tuple[float, float] | None:
        """The ends of the axis, where it would show nothing but rounding errors or the end of a motion."""
        if not curves or self.logarithmic:
            return None
        values = np.column_stack([c.values for c in curves])
        return calm(values.ravel()) or (before_end(values) if ends_early(motion) else None)


OVER_TIME = {
    "coordinates": Panel(coordinates, "coordinates"),
    "velocities": Panel(velocities, "velocities"),
    "multipliers": Panel(multipliers, "multipliers"),
    "reactions": Panel(reactions, "reaction forces"),
    "energy": Panel(energy_over_time, "energy"),
    "energy_drift": Panel(energy_drift, "energy drift", logarithmic=True),
    "residuals": Panel(residuals, "constraint residuals", logarithmic=True),
    "laws": Panel(laws, "drift of conserved quantities", logarithmic=True),
}
"""What is drawn over time, by name."""
