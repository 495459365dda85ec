"""Discrete Lagrange–d'Alembert with the mean of both ends of the step, for L and for f: Verlet's method.

Cortés and Martínez (2001); symmetric, of order 2. See `families.lagrange_dalembert`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chetaev.flow.schemes.families.lagrange_dalembert import BLOCKS, ENDS, MOMENTA, needs
from chetaev.flow.schemes.families.lagrange_dalembert import equations as discrete
from chetaev.flow.schemes.families.record import solved_scheme

if TYPE_CHECKING:
    from chetaev.flow.derive.step_law import StepEquations, StepLaw


def equations(law: StepLaw) -> StepEquations:
    """Two nodes for L, two for f."""
    return discrete(law, ENDS, ENDS)


SCHEME = solved_scheme(
    "dla-trapezoidal",
    __name__,
    "discrete Lagrange–d'Alembert, the mean of both ends for L and f (Verlet)",
    2,
    equations,
    BLOCKS,
    needs=needs,
    preserves=(MOMENTA,),
    reversible=True,
)
