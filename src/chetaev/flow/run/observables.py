"""Accelerations, multipliers, energy, power and residuals at many states, from the programs for one state.

The field is computed in the first chart by elimination without pivoting; where a pivot is weak, the reduced
matrix not definite, or digits are lost, all this is computed by complete pivoting instead (see
`compiled_field`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chetaev.flow.compile import loops, scalar_programs
from chetaev.flow.compile.elementary import HUGE_FLAG
from chetaev.flow.compile.long_programs import WEAK_FLAG
from chetaev.flow.derive.chart import CERTAIN
from chetaev.flow.run.array_calls import Array, States

if TYPE_CHECKING:
    from chetaev.flow.compile.programs import Programs


@dataclass(frozen=True)
class Seen:
    """Rows, one for each state."""

    # accelerations, multipliers, reactions: a, shape (N, n), μ, shape (N, m), and μ_a ∂f^a/∂v, shape (N, n)
    accelerations: Array
    multipliers: Array
    reactions: Array
    # energy, power: E and the power of the constraint forces, shape (N,)
    energy: Array
    power: Array
    # velocity, position: residuals f and dφ/dt, and φ
    velocity: Array
    position: Array
    # the states at which the chart is weak, the reduced matrix not definite, or digits are lost; a, μ,
    # reactions and the power are not to be trusted there
    doubtful: NDArray[np.intp]


def see(programs: Programs, states: States) -> Seen:
    """Everything at some states, in the first chart."""
    model, count = programs.model, states.count
    n, m, held, kept = model.size, model.rows, len(model.position), model.independent
    rows = model.on_velocities
    rates, aux = np.empty((count, 2 * n)), np.empty((count, n + 1))
    out, flags = np.empty((count, 3 + rows + held + m + n)), np.zeros(count, np.int64)
    if count:
        _fill(programs, states, rates, aux, out, flags)
    diagonal = aux[:, kept:n]
    trust, energy, power = out[:, 0], out[:, 1], out[:, 2]
    on_positions, on_multipliers, on_reactions = 3 + rows, 3 + rows + held, 3 + rows + held + m
    velocity, position = out[:, 3:on_positions], out[:, on_positions:on_multipliers]
    mu, reactions = out[:, on_multipliers:on_reactions], out[:, on_reactions:]
    a = rates[:, n:]
    with np.errstate(all="ignore"):
        definite = np.all(diagonal * diagonal[:, :1] > 0, axis=1)
        finite = np.isfinite(a.sum(axis=1) + mu.sum(axis=1))
        lost = ~(trust >= CERTAIN)
    doubtful = np.flatnonzero((flags & WEAK_FLAG != 0) | ~definite | ~finite | lost)
    return Seen(a, mu, reactions, energy, power, velocity, position, doubtful)


def _fill(
    programs: Programs, states: States, rates: Array, aux: Array, out: Array, flags: NDArray[np.int64]
) -> None:
    chart, n, parameters = programs.first_chart, programs.model.size, states.p.shape[-1]
    both = np.concatenate([states.q[: states.count], states.v[: states.count]], axis=1)
    handed = np.empty(parameters + n)
    function = loops.kernel("observe", programs.cache)
    t_step, p_step = 0 if states.t.size == 1 else 1, parameters if states.varying else 0
    for libm in (False, True):
        field, sight = (
            scalar_programs.rhs(programs, chart, "null", libm),
            scalar_programs.see(programs, chart, libm),
        )
        came = function(
            field.address("f"), sight.address("s"), states.count, n, out.shape[1],
            states.t.ctypes.data, t_step, both.ctypes.data, states.p.ctypes.data, p_step, parameters,
            *(x.ctypes.data for x in (handed, rates, aux, out, flags)),
        )  # fmt: skip
        if came == states.count:
            break
    flags &= ~HUGE_FLAG
