"""Discrete Lagrange–d'Alembert with everything in the middle of the step: L and f at (q₀ + q₁)/2.

Cortés and Martínez (2001); symmetric, of order 2. See `families.lagrange_dalembert`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chetaev.flow.schemes.families.lagrange_dalembert import BLOCKS, MIDDLE, MOMENTA, needs
from chetaev.flow.schemes.families.lagrange_dalembert import equations as discrete
from chetaev.flow.schemes.families.record import solved_scheme

if TYPE_CHECKING:
    from chetaev.flow.derive.step_law import StepEquations, StepLaw


def equations(law: StepLaw) -> StepEquations:
    """One node for L, one for f."""
    return discrete(law, MIDDLE, MIDDLE)


SCHEME = solved_scheme(
    "dla-midpoint",
    __name__,
    "discrete Lagrange–d'Alembert, L and f in the middle of the step",
    2,
    equations,
    BLOCKS,
    needs=needs,
    preserves=(MOMENTA,),
    reversible=True,
)
