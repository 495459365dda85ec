"""Suzuki's composition of five steps of a symmetric scheme, of order 4.

    Φ_{γh} ∘ Φ_{γh} ∘ Φ_{(1 − 4γ)h} ∘ Φ_{γh} ∘ Φ_{γh}        γ = 1/(4 − 4^{1/3})

(Suzuki 1990; Hairer, Lubich and Wanner, Geometric Numerical Integration, II.4). Φ is `dla_midpoint`, a
symmetric map of Q to itself, so the composition is one, too. The five steps are shorter than Yoshida's three,
of which the middle one goes back by 1.7 h.
"""

from __future__ import annotations

from chetaev.flow.schemes.dla_midpoint import SCHEME as MIDPOINT
from chetaev.flow.schemes.families.composition import composed

GAMMA = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))

SCHEME = composed(
    "suzuki4",
    __name__,
    "composition of five steps of dla-midpoint (Suzuki)",
    4,
    MIDPOINT,
    (GAMMA, GAMMA, 1.0 - 4.0 * GAMMA, GAMMA, GAMMA),
)
