"""The models of the gallery, each loaded once, and by what their dynamics has."""

from __future__ import annotations

import chetaev as ch

MODELS = {name: ch.load(name) for name in ch.gallery()}
"""All models by name; values do not change, so that tests may share them."""

LAGRANGIAN = [name for name, model in MODELS.items() if model.dynamics.lagrangian is not None]
"""Models with a Lagrangian."""

REACTING = [name for name, model in MODELS.items() if model.dynamics.constraints_react]
"""Models with momenta and, if there are constraints, multipliers: those with Chetaev's equations."""
