"""Where a frame is one, among the points of Q where the constraints are independent.

All n×n minors of a frame W of ker C are, up to signs, one function g times the complementary k×k minors of C:

    det W_S = ± g det C_D,      S the rows beside D,

so W has full rank wherever C has, exactly if g vanishes nowhere; and entries need values, so denominators
must not vanish either. That Q has no such points is proved by
:mod:`chetaev.constraint.submanifold.empty_set`, with parameters as symbols or at the values of the model;
else it is left open.

>>> from chetaev.constraint.submanifold.submanifold import Constraint
>>> Q = Constraint.of(["x'*sin(phi) = y'*cos(phi)"], ["x", "y", "phi"])
>>> blade, turn = [[Q.chart(e) for e in row] for row in (("cos(phi)", "sin(phi)", "0"), ("0", "0", "1"))]
>>> failing(Q, [blade, turn])
[]
>>> [str(e) for e in failing(Q, [[e * Q.chart("x") for e in blade], turn])]
['x']

Where a frame must be one: at the initial state, or where there is none at a point of Q.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import casadi
import numpy as np

from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.constraint.submanifold.empty_set import is_empty
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.equations.law.setup import Setup
from chetaev.equations.quasi.quasi_frame import QuasiFrame
from chetaev.equations.quasi.short_kernel import parameter_content, parameters_of
from chetaev.errors import ModelError
from chetaev.expr.exact import Element
from chetaev.expr.exact.linear.matrix import determinant
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr, postorder, symbol
from chetaev.model.system import System
from chetaev.numeric import CLEAR, balanced, numerical_rank


def failing(
    constraint: Constraint, frame: Sequence[Sequence[Element]], more: Sequence[Sequence[Element]] = ()
) -> list[Element]:
    """Functions one of which vanishes where the frame fails on Q; none if that is proved to be nowhere.

    `constraint`: Q, affine; `frame`: the vectors W_s, which span ker C at generic points; `more`: further
    vectors whose entries need values, such as the affine part.
    """
    field = constraint.field
    below = [field.polynomial(e.denominator) for w in (*frame, *more) for e in w if not e.is_polynomial]
    doubtful = [*below, _common_factor(constraint, frame)]
    constants = nonzero_parameters(constraint)
    found: list[Element] = []
    for e in doubtful:
        rest = e / parameter_content(e, constants)
        if rest.is_number or any(rest == other for other in found):
            continue
        if not _nowhere(constraint, rest):
            found.append(rest)
    return found


def is_plainly_regular(constraint: Constraint, frame: Sequence[Sequence[Element]]) -> bool:
    """Whether there are no denominators and g is a constant: the quick case of `failing`."""
    if any(not e.is_polynomial for w in frame for e in w):
        return False
    g = _common_factor(constraint, frame)
    return not g.is_blank and (g / parameter_content(g, nonzero_parameters(constraint))).is_number


def _common_factor(constraint: Constraint, frame: Sequence[Sequence[Element]]) -> Element:
    """The numerator of g."""
    field, charts = constraint.field, constraint.charts()
    D = charts[0].D if charts else ()
    S = [i for i in range(len(constraint.coordinates)) if i not in D]
    if not S:
        return field.one
    above = determinant([[w[i] for w in frame] for i in S])
    if D:
        above = above / determinant([[row[j] for j in D] for row in constraint.jacobian])
    return field.polynomial(above.numerator)


def _nowhere(constraint: Constraint, function: Element) -> bool:
    """Whether a function is proved to vanish nowhere on Q."""
    if is_empty(constraint, [function]):
        return True
    if not constraint.given.values:
        return False
    at_values = Constraint(constraint.given, symbolic=False)
    at_values.share_points(constraint)
    return is_empty(at_values, [at_values.chart(e) for e in constraint.given.with_values(function.to_expr())])


def nonzero_parameters(constraint: Constraint) -> frozenset[int]:
    """The generators that are parameters of the model whose values are not 0."""
    return parameters_of(constraint.field, _nonzero(constraint.given))


def _nonzero(given: ConstraintData) -> list[str]:
    known = {symbol(n) for n in given.values}
    plain = {n: e for n, e in given.values.items() if not known & set(postorder(e))}
    return [n for n, x in zip(plain, evaluate(list(plain.values()), {}), strict=True) if x]


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
