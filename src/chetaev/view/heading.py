"""The heading of a planar vehicle: the angle whose direction the velocity keeps to.

A blade or an axle lets a point (x, y) move along (cos θ, sin θ) only, forwards or backwards. Which coordinate
is θ, and from which axis it counts, shows in the motion: along all of it

    x' sin θ − y' cos θ = 0      θ = a,  π/2 − a  or  a + π/2   for an angle a among the coordinates

Where no angle does so, the body slides; the only angle of a single planar body is then its attitude, counted
from the x axis.

>>> import chetaev as ch
>>> drive = ch.load("differential-drive")
>>> found = heading(drive, ch.simulate(drive, at=11), ("x", "y"))
>>> found.angle
'theta'
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chetaev.expr.graph.evaluate import key_name
from chetaev.model.system import System
from chetaev.view.names import is_angle, places

if TYPE_CHECKING:
    import xarray

KEPT = 1e-6
"""Sideways velocity, relative to the largest speed, that counts as none."""
SLOW = 1e-6
"""Where the speed is below this part of its largest value nothing is concluded."""
ARROWS = 12
"""So many arrows along a path."""


@dataclass(frozen=True)
class Heading:
    """The angle, and the direction (sign·angle + offset) over time, in radians."""

    angle: str
    sign: int
    quarter_turns: int
    values: NDArray[np.float64]

    @property
    def text(self) -> str:
        """The direction in the model language.

        >>> Heading("psi", -1, 1, np.zeros(1)).text
        'pi/2 - psi'
        """
        if self.sign < 0:
            return f"pi/2 - {self.angle}"
        return f"{self.angle} + pi/2" if self.quarter_turns else self.angle


def heading(system: System, motion: xarray.Dataset, place: tuple[str, ...]) -> Heading | None:
    """The heading of the body at a place in the plane; None if it has none that shows."""
    if len(place) != 2:
        return None
    angles = [c for c in system.coordinates if is_angle(c, system.units) and c not in place and c in motion]
    velocity = [np.asarray(motion[key_name(c, 1)].values, float) for c in place]
    speed = np.hypot(*velocity)
    largest = float(speed[np.isfinite(speed)].max(initial=0.0))
    moving = speed > SLOW * largest
    found = [
        _direction(name, motion, sign, turns)
        for name in angles
        for sign, turns in ((1, 0), (-1, 1), (1, 1))
    ]  # fmt: skip
    if largest > 0:
        for one in found:
            sideways = velocity[0] * np.sin(one.values) - velocity[1] * np.cos(one.values)
            if np.all(np.abs(sideways[moving]) <= KEPT * largest):
                return one
    return found[0] if len(angles) == 1 and len(places(system.coordinates)) == 1 else None


def _direction(name: str, motion: xarray.Dataset, sign: int, turns: int) -> Heading:
    values = sign * np.asarray(motion[name].values, float) + turns * np.pi / 2
    return Heading(name, sign, turns, values)


def arrows(points: Any, count: int = ARROWS) -> list[int]:
    """Rows of a path at about equal distances along it; fewer where it does not move.

    >>> arrows(np.array([[0.0, 0.0], [0.1, 0.0], [1.0, 0.0], [2.0, 0.0]]), 3)
    [0, 2, 3]
    """
    steps = np.nan_to_num(np.linalg.norm(np.diff(points, axis=0), axis=1))
    along = np.concatenate([[0.0], np.cumsum(steps)])
    if not along[-1] > 0:
        return [0]
    wanted = np.linspace(0.0, along[-1], count)
    rows = np.minimum(np.searchsorted(along, wanted - 1e-9 * along[-1]), len(along) - 1)
    return sorted({int(i) for i in rows})
