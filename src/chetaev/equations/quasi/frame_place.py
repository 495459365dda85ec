"""Where a frame must be one: at the initial state, or where there is none at a point of Q."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import casadi
import numpy as np

from chetaev.equations.law.setup import Setup
from chetaev.equations.quasi.quasi_frame import QuasiFrame
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr
from chetaev.model.system import System
from chetaev.numeric import CLEAR, balanced, numerical_rank


class FramePlace:
    """The initial state of a system, or a point of Q, in doubles."""

    def __init__(self, system: System) -> None:
        self.system, self.setup = system, Setup(system)

    @cached_property
    def state(self) -> dict[Any, Any]:
        """Values by name."""
        return dict(self.setup.start if self.system.initial is not None else self.setup.sample)

    def fits(self, frame: QuasiFrame) -> bool:
        """Whether the frame has finite values here, and is one."""
        s = self.setup
        try:
            values = evaluate(frame.functions, self.state)
            more = {symbol.value: x for symbol, x in zip(frame.symbols, values, strict=True)}
            finite = np.isfinite(np.array(evaluate(frame.velocities, self.state | more), dtype=float)).all()
        except ModelError:  # there is no state
            return False
        columns = casadi.jacobian(s.column(list(frame.velocities)), s.column(list(frame.symbols)))
        return bool(finite) and self.has_independent_columns(s.matrix(columns), more)

    def has_independent_columns(
        self, rows: Sequence[Sequence[Expr]], more: dict[Any, Any] | None = None
    ) -> bool:
        """Whether a matrix of functions has full column rank here, with more values beside the state's."""
        try:
            numbers = np.array(
                evaluate([e for row in rows for e in row], self.state | (more or {})), dtype=float
            )
        except ModelError:  # there is no state
            return False
        if not np.isfinite(numbers).all():
            return False
        table = numbers.reshape(len(rows), -1) if numbers.size else np.zeros((len(rows), 0))
        return numerical_rank(balanced(table), CLEAR) == table.shape[1] if table.size else True
