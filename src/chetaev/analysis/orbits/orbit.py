"""A closed motion as a value: where it starts, its period, its multipliers, and how it is known.

Its pictures are the orbit in its phase plane, and its multipliers beside the unit circle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.analysis.linear.linearization import written
from chetaev.analysis.linear.spectrum_picture import BLUE, VERMILION, calm, named
from chetaev.analysis.orbits.multipliers import MOTION, NEAR, FloquetMultiplier, Multipliers
from chetaev.model.system import System
from chetaev.results import Table, TableResult, plain

if TYPE_CHECKING:
    import xarray


VERDICTS = {True: "stable", False: "unstable", None: "undecided"}


@dataclass(frozen=True, repr=False)
class PeriodicOrbit(TableResult):
    """A periodic or relative periodic orbit.

    Attributes
    ----------
    system
        The system, with the orbit's initial state.
    kind
        ``"periodic orbit"``, ``"relative periodic orbit"`` or ``"relative equilibrium"``.
    period
        T > 0.
    drift
        What cyclic coordinates, those with a shift, and the parameters of symmetries change by in a period.
    spectrum
        The multipliers, with the reasons of those that have one.
    family
        How many parameters the family of closed motions has that it belongs to, symmetries and its own
        phase not counted; None where the matrix of Newton's method has no clear rank.
    residual
        By how much the motion misses to be closed, relative to the size of its states.
    notes
        What else is to be said.
    """

    system: System
    kind: str
    period: float
    drift: Mapping[str, float]
    spectrum: Multipliers
    family: int | None
    residual: float
    tolerance: float
    notes: tuple[str, ...] = ()

    facts = "kind state period drift stable reason family residual evidence notes"

    @property
    def state(self) -> dict[str, float]:
        """The initial state, fit for ``initial=`` of `ch.simulate`."""
        state = self.system.state
        found = dict(state.position)
        found.update({f"{c}_dot": x for c, x in state.velocity.items()})
        return {**found, self.system.time: state.t}

    @property
    def multipliers(self) -> np.ndarray[Any, Any]:
        """All dim Q multipliers."""
        return self.spectrum.values

    @property
    def stable(self) -> bool | None:
        """Whether motions that start near stay near, up to the time along the orbit; None if that is open."""
        return self.spectrum.stable

    @property
    def reason(self) -> str:
        """How `stable` is known."""
        return self.spectrum.words

    @property
    def evidence(self) -> str:
        """How the orbit is known."""
        return (
            f"found numerically by Newton's method: it closes up to {self.residual:.1e} of its size; that it "
            "exists is not proved"
        )

    @cached_property
    def motion(self) -> xarray.Dataset:
        """One period, as :func:`chetaev.simulate` gives it."""
        from chetaev.flow.data.simulate import simulate

        t0 = self.system.state.t
        times = np.linspace(t0, t0 + self.period, 401)
        return simulate(self.system, until=float(times[-1]), at=times, tolerance=self.tolerance)

    def __str__(self) -> str:
        lines = [self._head]
        lines.append(f"  {self.reason}")
        known, others = self.spectrum.known, self.spectrum.others
        told = [f"1 ({m.because})" if m.because else _shown(m) for m in (*known, *others)]
        lines.append(f"  multipliers: {', '.join(told) or 'none'}")
        start = ", ".join(f"{n} = {_plain(x)}" for n, x in self.state.items())
        lines.append(f"  starts at {start}")
        if self.drift:
            said = (f"{_plain(x)} along {n}" for n, x in self.drift.items())
            lines.append("  in a period it moves by " + ", ".join(said))
        lines.append(f"  {self.members}")
        lines += [f"  {note}" for note in self.notes]
        return "\n".join([*lines, f"  {self.evidence}"])

    __repr__ = __str__

    @property
    def _head(self) -> str:
        return f"{self.kind} of {self.system.name}, period {self.period:.10g}: {VERDICTS[self.stable]}"

    @property
    def members(self) -> str:
        """The family in words."""
        if self.family is None:
            return "whether it belongs to a family is not clear"
        if not self.family:
            return "it is isolated" + (" up to the symmetries" if self.drift else "")
        many = "parameter" if self.family == 1 else "parameters"
        return f"it belongs to a family with {self.family} {many}"

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return super().to_json() | {
            "system": self.system.name,
            "multipliers": [
                {"value": plain(m.value), "because": m.because or None}
                for m in (*self.spectrum.known, *self.spectrum.others)
            ],
        }

    def _table_(self) -> Table:
        rows = tuple(
            (_shown(m), f"{abs(m.value):.6g}", m.because)
            for m in (*self.spectrum.known, *self.spectrum.others)
        )
        head = f"{self._head}; {self.reason}"
        return Table(("multiplier", "size", "1 because of"), rows, head)

    def _plot_(self, figure: Any) -> None:
        draw_orbit(self, figure)


def _shown(m: FloquetMultiplier) -> str:
    """Six digits; parts that doubles cannot tell from 0 are left out."""
    z = complex(m.value)
    real, imaginary = (0.0 if abs(x) <= NEAR * abs(z) else x for x in (z.real, z.imag))
    return written(complex(real, imaginary))


def _plain(x: float) -> str:
    """Ten digits; what is below rounding errors is 0."""
    return "0" if abs(x) < 1e-12 else f"{x:.10g}"


def draw_orbit(orbit: PeriodicOrbit, figure: Any) -> None:
    """The orbit on the left, its multipliers on the right."""
    left, right = figure.subplots(1, 2)
    motion = orbit.motion
    x, y = telling(orbit)
    left.plot(motion[x].values, motion[y].values, color=BLUE, linewidth=1.6)
    left.plot(motion[x].values[:1], motion[y].values[:1], "o", color=BLUE, markersize=6)
    left.set(xlabel=named(x), ylabel=named(y), title=f"{orbit.kind}, $T = {orbit.period:.6g}$")
    left.margins(0.08)
    draw_multipliers(right, orbit)
    for ax in (left, right):
        calm(ax)


def draw_multipliers(ax: Any, orbit: PeriodicOrbit) -> None:
    """Multipliers in the complex plane; far ones on a scale that is logarithmic outside the unit circle."""
    angles = np.linspace(0, 2 * np.pi, 361)
    ax.plot(np.cos(angles), np.sin(angles), color="0.55", linewidth=1.0)
    known = np.array([m.value for m in orbit.spectrum.known], dtype=complex)
    others = np.array([m.value for m in orbit.spectrum.others], dtype=complex)
    if len(known):
        moving = all(m.because == MOTION for m in orbit.spectrum.known)
        many = f"1 ({MOTION})" if moving else "1 for known reasons"
        many += f", {len(known)}-fold" if len(known) > 1 else ""
        ax.plot(known.real, known.imag, "s", color="0.55", markersize=8, markerfacecolor="none", label=many)
    if len(others):
        ax.plot(others.real, others.imag, "o", color=VERMILION, markersize=6, label="the others")
    largest = float(np.abs(others).max(initial=1.0))
    if largest > 8:
        ax.set_xscale("symlog", linthresh=1.5)
        ax.set_yscale("symlog", linthresh=1.5)
    else:
        ax.set_aspect("equal", adjustable="datalim")
    ax.axhline(0, color="0.85", linewidth=0.8, zorder=0)
    ax.axvline(0, color="0.85", linewidth=0.8, zorder=0)
    ax.set(xlabel=r"$\mathrm{Re}\,\mu$", ylabel=r"$\mathrm{Im}\,\mu$", title="multipliers")
    ax.margins(0.12)
    if ax.get_legend_handles_labels()[1]:
        ax.legend(loc="best", fontsize="small", framealpha=0.8)


def telling(orbit: PeriodicOrbit) -> tuple[str, str]:
    """Two variables to draw: a moving coordinate that is not cyclic with its velocity, or two coordinates."""
    motion, names = orbit.motion, orbit.system.coordinates
    still = [c for c in names if c not in orbit.drift and np.ptp(motion[c].values) > 1e-9]
    if len(still) >= 2:
        return still[0], still[1]
    chosen = still or [c for c in names if np.ptp(motion[c].values) > 1e-9] or list(names)
    return chosen[0], f"{chosen[0]}_dot"
