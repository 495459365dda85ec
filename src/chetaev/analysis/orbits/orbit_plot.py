"""Pictures of closed motions: the orbit in its phase plane, and its multipliers beside the unit circle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.expr.print import name_latex

if TYPE_CHECKING:
    from chetaev.analysis.orbits.orbit import PeriodicOrbit

BLUE, RED, GREY = "#0072b2", "#d55e00", "0.55"
"""The first two of the colours of the house, which people with any kind of colour vision tell apart."""


def draw_orbit(orbit: PeriodicOrbit, figure: Any) -> None:
    """The orbit on the left, its multipliers on the right."""
    left, right = figure.subplots(1, 2)
    motion = orbit.motion
    x, y = telling(orbit)
    left.plot(motion[x].values, motion[y].values, color=BLUE, linewidth=1.6)
    left.plot(motion[x].values[:1], motion[y].values[:1], "o", color=BLUE, markersize=6)
    left.set(xlabel=axis_name(x), ylabel=axis_name(y), title=f"{orbit.kind}, $T = {orbit.period:.6g}$")
    left.margins(0.08)
    draw_multipliers(right, orbit)
    for ax in (left, right):
        calm(ax)


def draw_multipliers(ax: Any, orbit: PeriodicOrbit) -> None:
    """Multipliers in the complex plane; far ones on a scale that is logarithmic outside the unit circle."""
    angles = np.linspace(0, 2 * np.pi, 361)
    ax.plot(np.cos(angles), np.sin(angles), color=GREY, linewidth=1.0)
    known = np.array([m.value for m in orbit.spectrum.known], dtype=complex)
    others = np.array([m.value for m in orbit.spectrum.others], dtype=complex)
    if len(known):
        many = f"1 by laws, {len(known)}-fold" if len(known) > 1 else "1 by a law"
        ax.plot(known.real, known.imag, "s", color=GREY, markersize=8, markerfacecolor="none", label=many)
    if len(others):
        ax.plot(others.real, others.imag, "o", color=RED, markersize=6, label="the others")
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


def axis_name(name: str) -> str:
    """A coordinate or velocity on an axis."""
    return (
        f"${name_latex(name.removesuffix('_dot'), 1)}$" if name.endswith("_dot") else f"${name_latex(name)}$"
    )


def calm(ax: Any) -> None:
    """A light grid, and no frame above and on the right."""
    ax.grid(True, alpha=0.3, linewidth=0.6)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
