"""Gauss collocation of order 2: the implicit midpoint rule.

See `families.collocation` for the equations, the projection and the sources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chetaev.flow.schemes.families.collocation import Tableau, blocks, needs
from chetaev.flow.schemes.families.collocation import equations as collocation
from chetaev.flow.schemes.families.record import solved_scheme

if TYPE_CHECKING:
    from chetaev.flow.derive.step_law import StepEquations, StepLaw

TABLEAU: Tableau = (((0.5,),), (1.0,), (0.5,))


def equations(law: StepLaw) -> StepEquations:
    """One stage."""
    return collocation(law, TABLEAU)


SCHEME = solved_scheme(
    "gauss2",
    __name__,
    "Gauss collocation with one stage, projected symmetrically",
    2,
    equations,
    blocks(1),
    needs=needs,
    reversible=True,
)
