"""The dynamics of a system: what says how it moves where the constraints leave it free.

A dynamics is a J¹-pertinent dynamical form, E = (M a + h − F) of the accelerations, however it is given: one
kind a file here, all with the protocol of :class:`~chetaev.model.dynamics.any_dynamics.Dynamics`. The rest of
the package asks the object for what it needs and never which kind it is.

>>> import chetaev as ch
>>> ch.load("knife-edge").dynamics.kind
'energies'
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from chetaev.model.dynamics.any_dynamics import Dynamics, Part
    from chetaev.model.dynamics.form import FormDynamics
    from chetaev.model.dynamics.lagrangian import Energies, Lagrangian
    from chetaev.model.dynamics.mixed import Mixed
    from chetaev.model.dynamics.nodes import Nodes
    from chetaev.model.dynamics.poisson import Poisson
    from chetaev.model.dynamics.submanifold import DynamicsOnQ, Intrinsic

# A kind is imported when a model has it: most models have a Lagrangian and wait for no other.
_HOMES = {
    "Dynamics": "any_dynamics", "Energies": "lagrangian", "FormDynamics": "form", "Intrinsic": "submanifold",
    "Lagrangian": "lagrangian", "Mixed": "mixed", "Nodes": "nodes", "DynamicsOnQ": "submanifold",
    "Part": "any_dynamics", "Poisson": "poisson",
}  # fmt: skip

__all__ = [
    "Dynamics",
    "DynamicsOnQ",
    "Energies",
    "FormDynamics",
    "Intrinsic",
    "Lagrangian",
    "Mixed",
    "Nodes",
    "Part",
    "Poisson",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
