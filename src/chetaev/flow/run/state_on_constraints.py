"""An initial state must be on the constraints: the projection may move it by rounding errors only."""

from __future__ import annotations

import numpy as np

from chetaev.errors import InitialDataError
from chetaev.flow.derive.chart import OFF
from chetaev.flow.derive.ingredients import Ingredients
from chetaev.flow.run.array_calls import Array
from chetaev.numeric import shortest_move

ROUNDOFF = 1e-15
"""Relative to the sizes of C and of the state; what misses the constraints by less is on them."""


def expect_on_constraints(
    model: Ingredients, state: Array, residuals: Array, matrix: Array, rows: int
) -> None:
    """Refuse an initial state that the projection would have to move visibly."""
    n, held = model.size, len(model.position)
    if rows == 0 or not (np.all(np.isfinite(residuals)) and np.all(np.isfinite(matrix))):
        return
    parts = [("velocities", residuals[:rows], matrix[:rows], state[n : 2 * n])]
    parts += [("positions", residuals[rows:], matrix[:held], state[:n])] if held else []
    for what, missed, jacobian, values in parts:
        largest = np.max(np.abs(missed))
        if largest <= ROUNDOFF * np.max(np.abs(jacobian)) * (1 + np.max(np.abs(values))):
            continue
        move = np.max(np.abs(shortest_move(jacobian, missed)))
        if move > OFF * (1 + np.max(np.abs(values))):
            worst = int(np.argmax(np.abs(missed)))
            raise InitialDataError(
                f"the initial state is not on the constraints: {model.functions[worst]} = 0 "
                f"{'(differentiated) ' if what == 'velocities' and worst < held else ''}"
                f"is missed by {missed[worst]:.3g}",
                expected=f"{what} on the constraints; they would have to move by {move:.3g}",
                remedy="let the system solve for its initial data, or use project=False",
            )
