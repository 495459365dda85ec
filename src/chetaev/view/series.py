"""What the plots of a motion show: named curves over time, paths, drifts; for every library that draws.

Drifts and residuals go to logarithmic axes, so they are lifted to at least 1e-17.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chetaev.errors import ModelError, did_you_mean
from chetaev.expr.evaluate import key_name
from chetaev.expr.print import name_latex
from chetaev.flow.data.result_names import length, name_of, reserved
from chetaev.model.system import System
from chetaev.view.names import ANGLES, html_name, places
from chetaev.view.values import reactions as reaction_forces
from chetaev.view.values import values_along, variable

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]
FLOOR = 1e-17
"""The smallest value on a logarithmic axis."""


@dataclass(frozen=True)
class Curve:
    """Values over time with a name in LaTeX and one in HTML."""

    latex: str
    html: str
    values: Array


def system_of(motion: xarray.Dataset, system: System | None = None) -> System:
    """The system of a motion, read back from its attributes if it is not given."""
    if system is not None:
        return system
    from chetaev.model.loader import loads

    if "model" not in motion.attrs:
        raise ModelError("the motion does not say which model it belongs to", remedy="give system=…")
    return loads(motion.attrs["model"])


def times(motion: xarray.Dataset) -> Array:
    """The times of a motion."""
    return np.asarray(motion[name_of(motion, "time")].values, dtype=float)


def coordinates(motion: xarray.Dataset, system: System, order: int = 0) -> list[Curve]:
    """Coordinates, velocities or accelerations."""
    return [
        Curve(f"${name_latex(c, order)}$", html_name(c, order), np.asarray(motion[key_name(c, order)].values))
        for c in system.coordinates
    ]


def multipliers(motion: xarray.Dataset, system: System) -> list[Curve]:
    """The multipliers μ, by constraint."""
    values = variable(motion, "multiplier")
    count = 0 if values is None else values.shape[1]
    return [
        Curve(rf"$\mu_{{{i + 1}}}$", f"μ<sub>{i + 1}</sub>", np.asarray(values)[:, i]) for i in range(count)
    ]


def reactions(motion: xarray.Dataset, system: System) -> list[Curve]:
    """The components μ_a ∂f^a/∂v of the constraint force, without those that vanish."""
    values = variable(motion, "multiplier")
    if values is None:
        return []
    names = list(system.coordinates)
    known = values_along(system, motion, np.arange(length(motion)), ())
    found = reaction_forces(system, known, values, names)
    return [
        Curve(f"$R_{{{name_latex(c)}}}$", f"R<sub>{html_name(c)}</sub>", found[c])
        for c in names
        if np.abs(found[c][np.isfinite(found[c])]).max(initial=0.0) > 0
    ]


def drift(values: Array) -> tuple[Array, float]:
    """|v − v(0)| over the largest |v| (or over 1 where all vanish), lifted to the floor; and that scale."""
    finite = values[np.isfinite(values)]
    largest = float(np.abs(finite).max(initial=0.0))
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


def energy(motion: xarray.Dataset, system: System) -> Array:
    """The energy v·∂L/∂v − L."""
    values = variable(motion, "energy")
    if values is None:
        system.dynamics.expect_lagrangian()
        raise ModelError("the motion has no energy", expected="a data set made by ch.simulate")
    return values


def residuals(motion: xarray.Dataset, system: System) -> list[Curve]:
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
                curves.append(Curve(rf"$|{symbol}_{{{i + 1}}}|$", name, lifted))
    return curves


def law_names(motion: xarray.Dataset, system: System) -> list[str]:
    """The variables of a motion that were asked for as laws."""
    own = {key_name(c, order) for c in system.coordinates for order in range(3)}
    own |= {name_of(motion, key) for key in reserved(system.coordinates)}
    time = (name_of(motion, "time"),)
    return [str(n) for n, v in motion.data_vars.items() if n not in own and v.dims == time]


def laws(motion: xarray.Dataset, system: System) -> list[Curve]:
    """The relative drift of every law evaluated along the motion."""
    return [
        Curve(
            f"${name_latex(n)}$" if n.isidentifier() else n,
            html_name(n),
            drift(np.asarray(motion[n].values))[0],
        )
        for n in law_names(motion, system)
    ]


def paths(motion: xarray.Dataset, system: System, dimension: int) -> list[tuple[tuple[str, ...], Array]]:
    """Names and points of the paths in the plane or in space; what has no place is left out."""
    groups = [p[:dimension] for p in places(system.coordinates) if len(p) >= dimension]
    if not groups:
        straight = [c for c in system.coordinates if not ANGLES.fullmatch(c)]
        groups = [tuple(straight[:dimension])] if len(straight) >= dimension else []
    return [(g, np.column_stack([motion[c].values for c in g])) for g in groups]


def chosen(system: System, coordinate: str | None) -> str:
    """The coordinate of a phase portrait: the one given, or the first."""
    if coordinate is None:
        return system.coordinates[0]
    if coordinate not in system.coordinates:
        raise ModelError(
            f"{coordinate!r} is not a coordinate of {system.name!r}",
            expected="one of " + ", ".join(system.coordinates),
            remedy=did_you_mean(coordinate, system.coordinates),
        )
    return coordinate


def any_finite(curves: list[Curve]) -> list[Any]:
    """The curves that have something to show."""
    return [c for c in curves if np.isfinite(c.values).any()]
