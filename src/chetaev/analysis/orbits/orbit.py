"""A closed motion as a value: where it starts, its period, its multipliers, and how it is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.analysis.linear.linearization import written
from chetaev.analysis.orbits.multipliers import NEAR, FloquetMultiplier, Multipliers
from chetaev.analysis.orbits.orbit_plot import draw_orbit
from chetaev.model.system import System
from chetaev.results import TableResult, plain
from chetaev.tables import Table

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
        lines.append("  multipliers: " + (", ".join(_multiplier(m) for m in (*known, *others)) or "none"))
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


def _multiplier(m: FloquetMultiplier) -> str:
    return f"1 ({m.because})" if m.because else _shown(m)


def _shown(m: FloquetMultiplier) -> str:
    """Six digits; parts that doubles cannot tell from 0 are left out."""
    z = complex(m.value)
    real, imaginary = (0.0 if abs(x) <= NEAR * abs(z) else x for x in (z.real, z.imag))
    return written(complex(real, imaginary))


def _plain(x: float) -> str:
    """Ten digits; what is below rounding errors is 0."""
    return "0" if abs(x) < 1e-12 else f"{x:.10g}"
