"""The models of the gallery, each loaded once, and by what their dynamics has."""

from __future__ import annotations

import chetaev as ch

MODELS = {name: ch.load(name) for name in ch.gallery()}
"""All models by name; values do not change, so that tests may share them."""

DETERMINED = [name for name, model in MODELS.items() if not model.degenerate]
"""Models whose equations of motion determine the accelerations; `hamilton/dirac/test_gallery_degenerate.py`
has the others.
"""

LAGRANGIAN = [name for name in DETERMINED if MODELS[name].dynamics.lagrangian is not None]
"""Those with a Lagrangian."""

REACTING = [name for name in DETERMINED if MODELS[name].dynamics.constraints_react]
"""Those with momenta and, if there are constraints, multipliers: those with Chetaev's equations."""
