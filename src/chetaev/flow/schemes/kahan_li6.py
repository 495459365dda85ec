"""Kahan and Li's composition of nine steps of a symmetric scheme, of order 6.

    Φ_{γ₉h} ∘ … ∘ Φ_{γ₁h}        γ_i = γ_{10−i},   Σ γ_i = 1,   Σ γ_i³ = 0,   Σ γ_i⁵ = 0, …

(Kahan and Li, Math. Comp. 66, 1997; Hairer, Lubich and Wanner, Geometric Numerical Integration, V.3.2). Φ is
`dla_midpoint`. A test holds the coefficients against the order conditions.
"""

from __future__ import annotations

from chetaev.flow.schemes.dla_midpoint import SCHEME as MIDPOINT
from chetaev.flow.schemes.families.composition import composed

HALF = (0.39216144400731413928, 0.33259913678935943860, -0.70624617255763935981, 0.08221359629355080023)
GAMMAS = (*HALF, 0.79854399093482996340, *reversed(HALF))

SCHEME = composed(
    "kahan-li6", __name__, "composition of nine steps of dla-midpoint (Kahan and Li)", 6, MIDPOINT, GAMMAS
)
