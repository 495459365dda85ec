"""`ch.return_map`: the map of Q ∩ {e = 0} that a motion makes from one crossing to the next (Poincaré).

Points are given by coordinates of the surface: those of a chart of Q, without one that e = 0 is solved for.
The derivative is exact: the tangent flow Φ up to the crossing, projected along the field onto the surface,

    DP = (1 − X ∇e / (∇e·X)) Φ      in these coordinates.

Where law or constraints depend on time, and wherever a period is given instead of a surface, it is the
stroboscopic map y(t₀) ↦ y(t₀ + T).

>>> import chetaev as ch
>>> spring = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2", forces={"x": "-x'/5"},
...                    initial={"x": 0, "x'": 1})
>>> P = ch.return_map(spring, "x")
>>> P.coordinates, float(P([1.0])[0].round(6))  # exp(-T/10), T = 2 pi/sqrt(0.99)
(('x_dot',), 0.531802)
>>> float(P.derivative([1.0])[0, 0].round(6))
0.531802
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chetaev.analysis.linear.local_chart import expect_full_rank, tangent
from chetaev.analysis.linear.residual import Residual
from chetaev.analysis.linear.state_matrices import Asked, decoupled
from chetaev.analysis.orbits.crossed_surface import SectionSurface, crossing_derivative
from chetaev.analysis.orbits.initial_states import expect_period, positive_period, state_of
from chetaev.checked_arguments import count, shown
from chetaev.errors import ModelError
from chetaev.flow.run.events import Event
from chetaev.flow.run.run_options import prepared
from chetaev.flow.run.tangent_flow import TangentFlow
from chetaev.model.system import System, expect_system
from chetaev.numeric import first_largest, onto

Array = NDArray[np.float64]


def return_map(
    system: System,
    event: Event | str | None = None,
    initial: Mapping[Any, Any] | None = None,
    *,
    period: float | None = None,
    returns: int = 1,
    relative_to: Iterable[str] = (),
    tolerance: float = 1e-11,
    parameters: Mapping[str, Any] | None = None,
) -> ReturnMap:
    """The return map of a surface, near the motion that starts at the initial state.

    Parameters
    ----------
    system, initial, parameters
        As for :func:`chetaev.simulate`.
    event
        An expression that vanishes on the surface, crossed upwards; a :class:`chetaev.Event` says another
        direction.
    period
        Instead of a surface: the map over this time. Where law or constraints depend on time it has to be a
        period of theirs.
    returns
        The crossing at which the map ends.
    relative_to
        Cyclic coordinates, which are left out.
    tolerance
        Error allowed in a step.

    Returns
    -------
    ReturnMap
        ``P(point)``, ``P.derivative(point)``, ``P.time(point)``, ``P.points(count)``; ``P.coordinates`` are
        the names, ``P.start`` the first point.
    """
    expect_system(system, "ch.return_map")
    returns = count(returns, "the number of returns", 1, 1000)
    if (event is None) == (period is None):
        raise ModelError(
            "ch.return_map needs an event or a period" + ("" if event is None else ", not both"),
            expected='event="x", a surface, or period=6.28, for the stroboscopic map',
        )
    system, _, allowed = prepared(system, 0.0, initial, tolerance, parameters, "ch.return_map")
    flow = TangentFlow(system, allowed, "return maps")
    residual = Residual(system)
    asked = Asked.of(system, relative_to, (), ())
    t0, y = state_of(system)
    length = None
    surface = None
    if event is not None:
        if not residual.autonomous:
            raise ModelError(
                f"law or constraints depend on {system.time}, so that a return depends on when it begins",
                remedy="give a period of theirs, period=…, for the stroboscopic map",
            )
        surface = SectionSurface(flow, event)
        y = surface.first(t0, y)
    else:
        length = positive_period(period)
        if not residual.autonomous:
            expect_period(system, flow, length)
    return ReturnMap(system, flow, residual, asked, surface, length, returns, t0, y)


class ReturnMap:
    """A return map in coordinates of its surface.

    Attributes
    ----------
    coordinates
        The names of its coordinates.
    start
        The point of the motion that it was made for.
    """

    def __init__(
        self, system: System, flow: TangentFlow, residual: Residual, asked: Asked,
        surface: SectionSurface | None, period: float | None, returns: int, t0: float, state: Array,
    ) -> None:  # fmt: skip
        self.system, self._flow, self._residual = system, flow, residual
        self.surface, self.period, self.returns = surface, period, returns
        self._t0, self._reference = t0, state
        n, p = len(state) // 2, residual.model.default_values
        slopes = residual.at(t0, state[:n], state[n:], p)
        expect_full_rank(slopes.phi_q, slopes.f_v)
        self._chart = next(decoupled(system, residual, asked, slopes, p))
        cyclic = [system.coordinates.index(c) for c in asked.relative_to]
        places = self._chart.places
        self._solved: int | None = None
        if surface is not None:
            _, gradient = surface.expect_crossed(t0, state)
            row = gradient @ tangent(self._chart, slopes.held, slopes.held_by_time)[0]
            if any(abs(row[i]) > 1e-9 * np.abs(row).max() for i, k in enumerate(places) if k in cyclic):
                raise ModelError(
                    f"the surface {surface.event.name} = 0 depends on a cyclic coordinate of relative_to",
                    expected="a surface that does not",
                )
            self._solved = places[int(first_largest(np.abs(row)))]
        self._kept = [k for k in places if k not in (*cyclic, self._solved)]
        self._fixed = [k for k in cyclic if k in places]
        names = [*system.coordinates, *(f"{c}_dot" for c in system.coordinates)]
        self.coordinates = tuple(names[k] for k in self._kept)
        self.start = state[self._kept]

    # --- points and states ------------------------------------------------------------------------------

    def state(self, point: ArrayLike | Mapping[str, float]) -> Array:
        """(q, v) of a point: on Q and on the surface, cyclic coordinates as at the start."""
        w = self._point(point)
        fixed = [*self._kept, *self._fixed]
        target = np.concatenate([w, self._reference[self._fixed]])
        rows = np.eye(len(self._reference))[fixed]

        def equations(y: Array) -> tuple[Array, Array]:
            value, matrix = self._flow.normals.held(self._t0, y)
            values, matrices = [value, y[fixed] - target], [matrix, rows]
            if self.surface is not None:
                e, gradient = self.surface(self._t0, y)
                values.append(np.array([e]))
                matrices.append(gradient[None])
            return np.concatenate(values), np.vstack(matrices)

        guess = self._reference.copy()
        guess[fixed] = target
        found = onto(equations, guess)
        if found is None:
            at = ", ".join(f"{n} = {x:g}" for n, x in zip(self.coordinates, w, strict=True))
            raise ModelError(
                f"the surface has no state with {at} near the one that the map was made for",
                expected="a point whose other coordinates can be solved from constraints and surface",
            )
        return found

    def _point(self, point: Any) -> Array:
        if isinstance(point, Mapping):
            missing = [n for n in self.coordinates if n not in point]
            if missing or len(point) != len(self.coordinates):
                raise ModelError(
                    f"the point is {shown(dict(point))}", expected=f"values of {', '.join(self.coordinates)}"
                )
            point = [point[n] for n in self.coordinates]
        try:
            w = np.full(1, np.nan) if np.iscomplexobj(point) else np.asarray(point, dtype=float)
        except (TypeError, ValueError, OverflowError):
            w = np.full(1, np.nan)
        if w.shape != (len(self.coordinates),) or not np.isfinite(w).all():
            raise ModelError(
                f"the point is {shown(point)}",
                expected=f"{len(self.coordinates)} numbers: {', '.join(self.coordinates)}",
            )
        return w

    # --- the map ----------------------------------------------------------------------------------------

    def __call__(self, point: ArrayLike | Mapping[str, float]) -> Array:
        """The point of the next return."""
        return self._end(self.state(point))[1][self._kept]

    def time(self, point: ArrayLike | Mapping[str, float]) -> float:
        """How long the return takes."""
        return self._end(self.state(point))[0]

    def derivative(self, point: ArrayLike | Mapping[str, float]) -> Array:
        """DP, shape (number of coordinates, the same), by the tangent flow."""
        y = self.state(point)
        length, end = self._end(y)
        E = self._lifted(y)
        end, rows = self._flow.moved(self._t0, y, self._t0 + length, E.T)
        carried = rows.T
        if self.surface is not None:
            velocity, gradient = self.surface.expect_crossed(self._t0 + length, end)
            carried = crossing_derivative(velocity, gradient, carried)
        return np.asarray(carried[self._kept])

    def _lifted(self, y: Array) -> Array:
        """Tangent vectors of the surface, a column for each coordinate."""
        n = len(y) // 2
        slopes = self._residual.at(self._t0, y[:n], y[n:], self._residual.model.default_values)
        E = tangent(self._chart, slopes.held, slopes.held_by_time)[0]
        places = self._chart.places
        columns = E[:, [places.index(k) for k in self._kept]]
        if self.surface is not None and self._solved is not None:
            gradient = self.surface(self._t0, y)[1]
            other = E[:, places.index(self._solved)]
            columns = columns - np.outer(other, gradient @ columns / float(gradient @ other))
        return np.asarray(columns)

    def _end(self, y: Array) -> tuple[float, Array]:
        if self.surface is None:
            assert self.period is not None
            none = np.zeros((0, len(y)))
            length = self.period * self.returns
            return length, self._flow.moved(self._t0, y, self._t0 + length, none)[0]
        t, end = self.surface.crossing(self._t0, y, self.returns)
        return t - self._t0, end

    def points(self, number: int = 100, start: ArrayLike | Mapping[str, float] | None = None) -> Any:
        """Successive points, the first included, as a data set with the dimension ``crossing``."""
        import xarray

        number = count(number, "the number of points", 1, 10_000_000)
        y = self._reference if start is None else self.state(start)
        t, found, times = self._t0, [y[self._kept]], [self._t0]
        for _ in range(number - 1):
            length, y = self._end(y)
            t += length
            found.append(y[self._kept])
            times.append(t)
        values = np.array(found)
        return xarray.Dataset(
            {n: ("crossing", values[:, i]) for i, n in enumerate(self.coordinates)},
            {"crossing": np.arange(number), "time": ("crossing", np.array(times))},
            {"title": self.system.name, **self._where, "tolerance": self._flow.tolerance,
             "status": "done", "reason": ""},
        )  # fmt: skip

    @property
    def _where(self) -> dict[str, str | float | None]:
        return {"period": self.period} if self.surface is None else {"event": self.surface.event.name}

    def __repr__(self) -> str:
        where = (
            f"after the time {self.period:g}" if self.surface is None else f"of {self.surface.event.name} = 0"
        )
        return f"return map {where} of {self.system.name}, in {', '.join(self.coordinates) or 'nothing'}"

    def to_json(self) -> dict[str, Any]:
        """Plain data: what it is, its first point, the next, and the derivative there."""
        start = [float(x) for x in self.start]
        return {
            "system": self.system.name,
            "event": None if self.surface is None else self.surface.event.name,
            "period": self.period,
            "returns": self.returns,
            "coordinates": list(self.coordinates),
            "start": start,
            "next": [float(x) for x in self(start)],
            "derivative": self.derivative(start).tolist(),
        }

    def _drawn_(self) -> Any:
        """What `ch.plot` draws."""
        return self.points(200)
