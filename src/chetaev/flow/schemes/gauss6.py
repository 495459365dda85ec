"""Gauss collocation of order 6: three stages (Kuntzmann and Butcher).

See `families.collocation` for the equations, the projection and the sources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chetaev.flow.schemes.families.collocation import Tableau, blocks, needs
from chetaev.flow.schemes.families.collocation import equations as collocation
from chetaev.flow.schemes.families.record import solved_scheme

if TYPE_CHECKING:
    from chetaev.flow.derive.step_law import StepEquations, StepLaw

R = 3.872983346207417
"""√15."""
TABLEAU: Tableau = (
    (
        (5 / 36, 2 / 9 - R / 15, 5 / 36 - R / 30),
        (5 / 36 + R / 24, 2 / 9, 5 / 36 - R / 24),
        (5 / 36 + R / 30, 2 / 9 + R / 15, 5 / 36),
    ),
    (5 / 18, 4 / 9, 5 / 18),
    (0.5 - R / 10, 0.5, 0.5 + R / 10),
)


def equations(law: StepLaw) -> StepEquations:
    """Three stages."""
    return collocation(law, TABLEAU)


SCHEME = solved_scheme(
    "gauss6",
    __name__,
    "Gauss collocation with three stages, projected symmetrically",
    6,
    equations,
    blocks(3),
    needs=needs,
    reversible=True,
)
