"""Discrete Lagrange–d'Alembert with the constraint at the end of the step, f(t + h, q₁, (q₁ − q₀)/h) = 0.

L as in `dla_trapezoidal`. Not symmetric, of order 1; the adjoint of `dla_left`. See
`families.lagrange_dalembert`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chetaev.flow.schemes.families.lagrange_dalembert import BLOCKS, END, ENDS, MOMENTA, needs
from chetaev.flow.schemes.families.lagrange_dalembert import equations as discrete
from chetaev.flow.schemes.families.record import solved_scheme

if TYPE_CHECKING:
    from chetaev.flow.derive.step_law import StepEquations, StepLaw


def equations(law: StepLaw) -> StepEquations:
    """Two nodes for L, the end for f."""
    return discrete(law, ENDS, END)


SCHEME = solved_scheme(
    "dla-right",
    __name__,
    "discrete Lagrange–d'Alembert, the constraint at the end of the step",
    1,
    equations,
    BLOCKS,
    needs=needs,
    preserves=(MOMENTA,),
    reversible=False,
)
