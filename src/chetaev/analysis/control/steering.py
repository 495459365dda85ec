"""What `ch.steer` returns: inputs as functions of time, the motion they make, and how good it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.analysis.control.driven_system import Controls
from chetaev.analysis.linear.spectrum_picture import CYCLE, calm, named
from chetaev.model.system import System
from chetaev.results import PlainData, Table, plain

if TYPE_CHECKING:
    import xarray

SHOWN = 1e-15


@dataclass(frozen=True)
class Steering(PlainData):
    """Inputs that steer a system.

    Attributes
    ----------
    level
        ``"kinematic"``: the inputs are velocities; ``"dynamic"``: forces or parameters.
    method
        ``"chained"``, ``"sinusoids"`` or ``"optimal"``.
    why
        Why this method.
    controls
        The inputs as functions of time: ``controls(t)`` is a table by name.
    system
        The model with these inputs in it: ``ch.simulate(result.system)`` makes the motion again.
    motion
        The motion, with the inputs as the variable ``input``.
    end_error
        By how much the end is missed, the largest component.
    residual
        The largest residual of the constraints along the motion.
    cost
        ∫ of the running cost: kinetic energy on the kinematic level without a drift, else half the square of
        the inputs.
    optimality
        For optimal inputs on the kinematic level, by how much Pontryagin's conditions are missed, relative
        to the momenta; None where they were not asked.
    vakonomic
        How far from the end the vakonomic motion ends whose inputs these are; None where none was found.
    momenta
        The p at the start of Pontryagin's conditions.
    multipliers
        The vakonomic multipliers at the start.
    harmonics
        For each input that is a sum of sinusoids its coefficients: of 1, cos ωs, sin ωs, cos 2ωs, …, where s
        is the time since the start and ω = 2π by the whole time; else empty.
    iterations
        Steps of the search and of the polishing.
    """

    level: str
    method: str
    why: str
    controls: Controls
    system: System
    motion: xarray.Dataset
    end_error: float
    residual: float
    cost: float
    optimality: float | None
    vakonomic: float | None
    momenta: tuple[float, ...]
    iterations: int
    multipliers: tuple[float, ...] = ()
    harmonics: tuple[tuple[float, ...], ...] = ()

    facts = "level method why end_error residual cost optimality vakonomic multipliers iterations"

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the inputs."""
        return self.controls.names

    @property
    def forces(self) -> dict[str, Any]:
        """Inputs that are forces as functions (t, q, v), for ``ch.simulate(system, forces=…)``."""
        given = self.system.coordinates
        return {n: self.controls.function(n) for n in self.inputs if self.level == "dynamic" and n in given}

    def rows(self) -> list[tuple[str, str]]:
        """What is known of it."""
        found = [
            ("method", f"{self.method}: {self.why}"),
            ("end missed by", bound(self.end_error)),
            ("constraints missed by", bound(self.residual)),
            ("cost", f"{self.cost:.6g}"),
        ]
        if self.optimality is not None:
            found.append(("Pontryagin's conditions missed by", bound(self.optimality)))
        if self.vakonomic is not None:
            found.append(("the vakonomic motion beside it ends within", bound(self.vakonomic)))
        return found

    def __str__(self) -> str:
        what = "velocities" if self.level == "kinematic" else "inputs"
        span = f"from {self.controls.start:g} to {self.controls.end:g}"
        kind = "sums of sinusoids" if self.harmonics else f"polynomials of degree {self.degree}"
        lines = [f"{what} {', '.join(self.inputs)} as {kind}, {span}"]
        return "\n".join([*lines, *(f"{a}: {b}" for a, b in self.rows())])

    @property
    def degree(self) -> int:
        """Of the polynomials."""
        return int(self.controls.coefficients.shape[1]) - 1

    def to_json(self) -> dict[str, Any]:
        """Plain data: the inputs by their Chebyshev coefficients, and the figures."""
        c = self.controls
        return super().to_json() | {
            "inputs": {n: plain(row) for n, row in zip(c.names, c.coefficients, strict=True)},
            "basis": "chebyshev",
            "harmonics": {n: list(row) for n, row in zip(c.names, self.harmonics, strict=False)},
            "start_time": c.start,
            "end_time": c.end,
        }

    def _repr_html_(self) -> str:
        return Table(("", "value"), tuple(self.rows()), str(self).splitlines()[0]).html()

    def _plot_(self, figure: Any) -> None:
        """Path in the plane of the first two coordinates, coordinates and inputs over time."""
        names = self.system.coordinates
        time = self.motion[self.motion.attrs["time_axis"]].values
        panels = figure.subplots(1, 3)
        for panel in panels:
            panel.set_prop_cycle(color=CYCLE)
        if len(names) > 1:
            x, y = (self.motion[n].values for n in names[:2])
            panels[0].plot(x, y)
            panels[0].plot(x[:1], y[:1], "o", x[-1:], y[-1:], "s", color="0.3")
            panels[0].set(
                xlabel=named(names[0]),
                ylabel=named(names[1]),
                title="path",
                aspect="equal",
                adjustable="datalim",
            )
        else:
            panels[0].axis("off")
        for n in names:
            panels[1].plot(time, self.motion[n].values, label=named(n))
        for n, u in zip(self.inputs, np.array(list(self.controls(time).values())), strict=True):
            panels[2].plot(time, u, label=n)
        for panel, title in zip(panels[1:], ("coordinates", "inputs"), strict=True):
            panel.set(xlabel=named(self.system.time), title=title)
            calm(panel)
            panel.legend(fontsize="small")


def bound(x: float) -> str:
    """A small figure as a bound, a power of ten, which does not depend on roundoff.

    >>> bound(3.2e-11), bound(0.0), bound(0.04)
    ('1e-10', '1e-15', '0.1')
    """
    value = SHOWN
    while value < x and value < 1e6:
        value = float(f"{value * 10:.0e}")
    return f"{value:g}"
