"""Relations between positions that velocity constraints imply: x' = x with x' = x + y hide y = 0 (SCOPE K13).

>>> import chetaev as ch
>>> system = ch.System(coordinates=["x", "y"], lagrangian="x'^2 + y'^2", constraints=["x' = x", "x' = x + y"])
>>> [str(e) for e in hidden_positions(system)]
['y']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chetaev.expr.exact import Budget, Field, answer, ask
from chetaev.expr.exact.linear.matrix import combinations_without
from chetaev.expr.graph.calculus import Calculus
from chetaev.expr.graph.node import Expr
from chetaev.model.states.stack_of_constraints import Stack

if TYPE_CHECKING:
    from chetaev.model.checked_fields import Fields

EFFORT = 200_000


def hidden_positions(fields: Fields) -> list[Expr]:
    """Functions of t and q that vanish where the constraints hold, for all parameters, and are not given."""
    shown = (
        answer(ask(_found, fields)) or []
    )  # only named in an error: those that are not found are not missed
    return [e.args[0] if e.op == "neg" else e for e in shown]


def _found(fields: Fields) -> list[Expr]:
    field, calculus = Field(Budget(EFFORT)), Calculus()
    functions = Stack.of_constraints(fields).on(calculus).levels(calculus)[1][0]
    found = combinations_without([field(e) for e in functions], fields.coordinates, 1)
    given = [field(e.residual) for e in fields.position_constraints]
    return [e.to_expr() for e in found if all((e / phi).symbols for phi in given)]
