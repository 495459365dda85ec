"""Discrete Lagrange–d'Alembert with the constraint at the start of the step, f(t, q₀, (q₁ − q₀)/h) = 0.

L as in `dla_trapezoidal`. Not symmetric, of order 1; the step of `dla_right` is its adjoint. The choice is
found in the literature, and shows what f_d does. See `families.lagrange_dalembert`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chetaev.flow.schemes.families.lagrange_dalembert import BLOCKS, ENDS, MOMENTA, START, needs
from chetaev.flow.schemes.families.lagrange_dalembert import equations as discrete
from chetaev.flow.schemes.families.record import solved_scheme

if TYPE_CHECKING:
    from chetaev.flow.derive.step_law import StepEquations, StepLaw


def equations(law: StepLaw) -> StepEquations:
    """Two nodes for L, the start for f."""
    return discrete(law, ENDS, START)


SCHEME = solved_scheme(
    "dla-left",
    __name__,
    "discrete Lagrange–d'Alembert, the constraint at the start of the step",
    1,
    equations,
    BLOCKS,
    needs=needs,
    preserves=(MOMENTA,),
    reversible=False,
)
