"""Constraints as they act: blunt equations are refused, redundant ones left out (SCOPE K13).

An equation is *blunt* if ∂f/∂v is 0 or undefined wherever it holds, as for (x' − y')² = 0 or |x' − y'| = 0:
no reaction force μ ∂f/∂v can keep it, although what it means, x' = y', is a good constraint. No formulation
applies, no law can be asked for, and the remedy is always to write what is meant.

>>> import chetaev as ch
>>> system = ch.System(
...     coordinates=["x", "y"], lagrangian="x'^2 + y'^2", constraints=["abs(x' - y') = 0"]
... )
>>> refuse_blunt(system)
Traceback (most recent call last):
chetaev.errors.ModelError: the constraint abs(x' - y') = 0 has ∂f/∂v = 0 wherever it holds, or none: ...
  write the constraint as x' - y' = 0
"""

from __future__ import annotations

from functools import lru_cache

from chetaev.constraint.kind.disguise import TOUCHES, meaning
from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.constraint.submanifold.reducible import Branches, branches
from chetaev.errors import ModelError
from chetaev.expr.graph.node import Expr, symbols
from chetaev.model.states.affine_in_velocities import affine_forms
from chetaev.model.system import System
from chetaev.model.without_redundancy import without_redundancy


def refuse_blunt(system: System) -> None:
    """Raise a ModelError where a constraint loses its derivative wherever it holds, holds nowhere, or is an
    inequality.
    """
    if meant(system).none:
        raise ModelError(
            meant(system).none, expected="equations that some velocities satisfy, and others not"
        )
    for f, ways in meant(system).blunt:
        raise ModelError(
            f"the constraint {f} = 0 has ∂f/∂v = 0 wherever it holds, or none: no multiplier acts",
            remedy=f"write the constraint as {meaning(ways)}",
        )
    for f, ways in meant(system).touching:
        raise ModelError(
            f"the constraint {f} = 0 touches the others: {TOUCHES}, and multipliers do not act",
            remedy=f"write the constraint as {meaning(ways)}",
        )


def sharp(system: System) -> System:
    """The system with independent constraints that have derivatives; a ModelError where one has none."""
    refuse_blunt(system)
    return without_redundancy(system)


def affine_meaning(system: System) -> str:
    """Affine equations that the constraints mean although they are written otherwise; empty if there are
    none.
    """
    found = meant(system)
    if len(found.choices) != 1 or found.signs_of or found.choices[0].velocity == ():
        return ""
    plain = found.choices[0].velocity
    return meaning((plain,)) if _written_affine(plain, system.coordinates) else ""


@lru_cache(maxsize=64)
def meant(system: System) -> Branches:
    """What the velocity constraints mean; nothing is looked for where all are written affine."""
    written = tuple(e.residual for e in system.velocity_constraints)
    if _written_affine(written, system.coordinates):
        return Branches(())
    return branches(ConstraintData.from_system(system))


def _written_affine(functions: tuple[Expr, ...], coordinates: tuple[str, ...]) -> bool:
    names = sorted(s for s in symbols(*functions) if not s[1])
    return affine_forms(functions, coordinates, {s: 0.3 + 0.07 * i for i, s in enumerate(names)}) is not None


__all__ = ["affine_meaning", "meant", "refuse_blunt", "sharp"]
