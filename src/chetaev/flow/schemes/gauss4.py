"""Gauss collocation of order 4: two stages (Hammer and Hollingsworth).

See `families.collocation` for the equations, the projection and the sources.
"""

from __future__ import annotations

from chetaev.flow.schemes.families.collocation import Tableau, gauss_scheme

R = 0.28867513459481287
"""√3/6."""
TABLEAU: Tableau = (
    ((0.25, 0.25 - R), (0.25 + R, 0.25)),
    (0.5, 0.5),
    (0.5 - R, 0.5 + R),
)

SCHEME = gauss_scheme("gauss4", __name__, "two stages", TABLEAU)
