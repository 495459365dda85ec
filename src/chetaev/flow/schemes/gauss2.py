"""Gauss collocation of order 2: the implicit midpoint rule.

See `families.collocation` for the equations, the projection and the sources.
"""

from __future__ import annotations

from chetaev.flow.schemes.families.collocation import Tableau, gauss_scheme

TABLEAU: Tableau = (((0.5,),), (1.0,), (0.5,))

SCHEME = gauss_scheme("gauss2", __name__, "one stage", TABLEAU)
