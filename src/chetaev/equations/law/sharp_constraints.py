"""Constraints as they act: blunt equations are refused, redundant ones left out, and of a product that is
zero the factor is taken that vanishes at the initial state (SCOPE K13).

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
from chetaev.constraint.submanifold.reducible import ON_BRANCH, Branches, branches
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Field, GivenUp, ask
from chetaev.expr.exact.functions.radicals import factors
from chetaev.expr.graph.affine_forms import affine_forms
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr, symbols
from chetaev.model.system import System
from chetaev.model.system_arguments import data_of
from chetaev.model.without_redundancy import without_redundancy

BRANCH_EFFORT = 1_000_000


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
    """The system with independent constraints that have derivatives, on the branch of the initial state; a
    ModelError where one has none.
    """
    refuse_blunt(system)
    return without_redundancy(on_branch(system))


def on_branch(system: System) -> System:
    """The system with f₁ = 0 for a constraint f₁ f₂ … = 0 of which only f₁ vanishes at the initial state;
    itself where there is no such constraint. Motions from there stay on that branch, for all parameters.

    >>> import chetaev as ch
    >>> system = ch.System(
    ...     coordinates=["x", "y"], lagrangian="x'^2 + y'^2", constraints=["(y' - x')*(y' + a*x') = 0"],
    ...     parameters={"a": 2}, initial={"x_dot": 1, "y_dot": -2},
    ... )
    >>> [str(e) for e in on_branch(system).velocity_constraints]
    ["x'*a + y' = 0"]
    """
    return _on_branch(system) or system


@lru_cache(maxsize=64)
def _on_branch(system: System) -> System | None:
    given = ConstraintData.from_system(system)
    if given.state is None or len(meant(system).choices) < 2:
        return None
    field = Field(Budget(BRANCH_EFFORT))
    chosen = []
    for equation in system.velocity_constraints:
        parts = ask(lambda f: factors(field, field(f).numerator)[1], equation.residual)
        shown = [] if isinstance(parts, GivenUp) else [p.to_expr() for p, _ in parts]
        values = evaluate(given.with_values(*shown), given.state) if len(shown) > 1 else []
        zero = [e for e, x in zip(shown, values, strict=True) if abs(x) <= ON_BRANCH] if values else []
        chosen.append(f"{zero[0]} = 0" if len(zero) == 1 else equation)
    left = {**data_of(system)["constraints"], "velocity": chosen}
    return system._changed({"constraints": left}, {"constraints": left})


def branch_words(system: System) -> str:
    """Which branch of its constraints a system is on, in words; empty if there is no choice."""
    branch = on_branch(system)
    if branch is system:
        return ""
    pairs = zip(branch.velocity_constraints, system.velocity_constraints, strict=True)
    chosen = [str(equation) for equation, written in pairs if str(equation) != str(written)]
    return f"on the branch {', '.join(chosen)} of the initial state" if chosen else ""


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


__all__ = ["affine_meaning", "branch_words", "meant", "on_branch", "refuse_blunt", "sharp"]
