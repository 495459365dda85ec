"""Gauss collocation of order 6: three stages (Kuntzmann and Butcher).

See `families.collocation` for the equations, the projection and the sources.
"""

from __future__ import annotations

from chetaev.flow.schemes.families.collocation import Tableau, gauss_scheme

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

SCHEME = gauss_scheme("gauss6", __name__, "three stages", TABLEAU)
