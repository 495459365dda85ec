"""Gauss collocation of order 4: two stages (Hammer and Hollingsworth).

See `families.collocation` for the equations, the projection and the sources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chetaev.flow.schemes.families.collocation import Tableau, blocks, needs
from chetaev.flow.schemes.families.collocation import equations as collocation
from chetaev.flow.schemes.families.record import solved_scheme

if TYPE_CHECKING:
    from chetaev.flow.derive.step_law import StepEquations, StepLaw

R = 0.28867513459481287
"""√3/6."""
TABLEAU: Tableau = (
    ((0.25, 0.25 - R), (0.25 + R, 0.25)),
    (0.5, 0.5),
    (0.5 - R, 0.5 + R),
)


def equations(law: StepLaw) -> StepEquations:
    """Two stages."""
    return collocation(law, TABLEAU)


SCHEME = solved_scheme(
    "gauss4",
    __name__,
    "Gauss collocation with two stages, projected symmetrically",
    4,
    equations,
    blocks(2),
    needs=needs,
    reversible=True,
)
