"""When a motion is closed: y(T) is y(0), up to a symmetry.

    y(T) = exp(s ξ) y(0) + k      in all coordinates of Q that are compared

`relative_to` names cyclic coordinates, which are not compared (in a chart of Q in which nothing else
depends on them, see `analysis.linear`), or gives symmetries ξ(q) as tables {"x": "-y", "y": "x"}, whose
parameters s are unknowns; `shift` are fixed differences k of coordinates, such as whole turns of an angle.
Symmetries and shifts are tested: they have to carry the field over into itself at some states of Q.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.linear.local_chart import LocalChart, expect_full_rank, tangent
from chetaev.analysis.linear.residual import Residual
from chetaev.analysis.linear.state_matrices import Asked, decoupled
from chetaev.analysis.orbits.symmetry_flow import SymmetryFlow
from chetaev.checked_arguments import number, shown, table
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import symbols
from chetaev.expr.language.parser import parse
from chetaev.flow.run.tangent_flow import TangentFlow
from chetaev.model.system import System
from chetaev.model.system_arguments import as_list

Array = NDArray[np.float64]
TRIED = 6
"""States of Q at which a symmetry is tested."""
SAME = 1e-7


class Closing:
    """What is compared after a period, and up to what."""

    def __init__(self, system: System, flow: TangentFlow, relative_to: Any, shift: Any) -> None:
        self.system, self.flow, self.residual = system, flow, Residual(system)
        if isinstance(relative_to, (str, Mapping)) or hasattr(relative_to, "components"):
            relative_to = [relative_to]
        given = as_list(relative_to, "relative_to")
        if len(given) > 2 * len(system.coordinates) + 10:
            raise ModelError(
                f"relative_to has {len(given)} entries",
                expected="names of cyclic coordinates, or symmetries, each once",
            )
        fields = [getattr(x, "components", x) for x in given if not isinstance(x, str)]
        for x in fields:
            if not isinstance(x, Mapping):
                raise ModelError(
                    f"relative_to has {shown(x)}",
                    expected="names of cyclic coordinates, or symmetries such as {'x': '-y', 'y': 'x'}",
                )
        self.asked = Asked.of(system, [x for x in given if isinstance(x, str)], (), ())
        self.names = self.asked.relative_to
        self.actions = [SymmetryFlow(system, x) for x in fields]
        self.shift = _shift(system, shift)
        self.chart: LocalChart | None = None
        self._expect_symmetries()

    def settle(self, t: float, state: Array) -> None:
        """Choose the chart at a state."""
        n = len(state) // 2
        p = self.residual.model.default_values
        slopes = self.residual.at(t, state[:n], state[n:], p)
        expect_full_rank(slopes.phi_q, slopes.f_v)
        self.chart = next(decoupled(self.system, self.residual, self.asked, slopes, p))

    @property
    def compared(self) -> list[int]:
        """The places in (q, v) that are compared: all, or those of the chart that are kept."""
        assert self.chart is not None
        if not self.names:
            return list(range(2 * self.chart.size))
        return [i for i in self.chart.places if i not in self.cyclic]

    @property
    def cyclic(self) -> list[int]:
        """The places of the cyclic coordinates, in the order of their names."""
        return [self.system.coordinates.index(c) for c in self.names]

    def embedding(self, t: float, state: Array) -> Array:
        """E of δ(q, v) = E δ(coordinates of the chart), shape (2n, dim Q)."""
        assert self.chart is not None
        n = self.chart.size
        slopes = self.residual.at(t, state[:n], state[n:], self.residual.model.default_values)
        return tangent(self.chart, slopes.held, slopes.held_by_time)[0]

    def image(self, state: Array, s: Array) -> tuple[Array, Array, Array]:
        """exp(s ξ) y + k, its derivative by y, and by s (columns)."""
        image, by_state = np.array(state), np.eye(len(state))
        columns: list[Array] = []
        for action, parameter in zip(self.actions, s, strict=True):
            image, derivative = action(image, float(parameter))
            by_state = derivative @ by_state
            columns = [derivative @ c for c in columns] + [action.generator(image)]
        by_group = np.array(columns).reshape(len(columns), len(state)).T
        return image + self.shift, by_state, by_group

    # --- tests ----------------------------------------------------------------------------------------

    def _expect_symmetries(self) -> None:
        if not self.actions and not self.shift.any():
            return
        n = len(self.shift) // 2
        for data in self.system.random_states(TRIED, seed=3):
            t = data[self.system.time]
            y = np.array([data[c] for c in self.system.coordinates])
            y = np.concatenate([y, [data[c + "_dot"] for c in self.system.coordinates]])
            maps = [(str(a), *a(y, 0.3)) for a in self.actions]
            if self.shift.any():
                moved = {c: k for c, k in zip(self.system.coordinates, self.shift[:n], strict=True) if k}
                maps.append(
                    (", ".join(f"{c} + {k:g}" for c, k in moved.items()), y + self.shift, np.eye(2 * n))
                )
            for words, image, by_state in maps:
                here, there = self.flow.rate(t, y), self.flow.rate(t, image)
                if not (np.isfinite(here).all() and np.isfinite(there).all()):
                    continue
                off = np.abs(self.flow.normals.held(t, image)[0]).max(initial=0.0)
                size = 1 + max(np.abs(there).max(), np.abs(image).max())
                if off > SAME * size or np.abs(by_state @ here - there).max() > SAME * size:
                    at = ", ".join(f"{k} = {x:.6g}" for k, x in data.items())
                    raise ModelError(
                        f"{words} is no symmetry of the motion: not at the state {at}",
                        expected="a map of the coordinates that carries motions into motions",
                    )


def _shift(system: System, given: Any) -> Array:
    """Fixed differences, as a vector of (q, v)."""
    found = np.zeros(2 * len(system.coordinates))
    for name, value in table(given, "the shift", "a dictionary such as {'theta': '2*pi'}").items():
        if name not in system.coordinates:
            raise ModelError.unknown(
                f"the shift has {shown(name)}, which is no coordinate", name, system.coordinates
            )
        if isinstance(value, str):
            e = parse(value, system.scope)
            if {n for n, _ in symbols(e)} - set(system.parameters):
                raise ModelError(f"the shift of {name} is {value!r}", expected="a number, such as '2*pi'")
            (value,) = evaluate([e], system.parameter_values)
        found[system.coordinates.index(name)] = number(value, f"the shift of {name}")
    return found
