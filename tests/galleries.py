"""The models of the gallery by what their dynamics has."""

from __future__ import annotations

import chetaev as ch

LAGRANGIAN = [n for n in ch.gallery() if ch.load(n).dynamics.lagrangian is not None]
"""Models with a Lagrangian."""

REACTING = [n for n in ch.gallery() if ch.load(n).dynamics.constraints_react]
"""Models with momenta and, if there are constraints, multipliers: those with Chetaev's equations."""
