"""Further spaces, in which longer coefficients have room: fewer variables, or momenta instead of velocities.

- Where the accelerations of the independent velocities depend on a few coordinates only (the inclination
  of a body that rolls), coefficients of these alone.
- In a system without constraints, the momenta p = ∂L/∂v: the square of the angular momentum of a rigid body
  in Euler's angles is short in p, and long in v.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chetaev.expr.exact import BudgetError, EffortError, Element, NotRealError
from chetaev.laws.search.atoms import inner_symbols, moving
from chetaev.laws.search.motion import Motion
from chetaev.laws.search.space import Space
from chetaev.laws.search.suited import Searched, listed, suited

LONG_MOMENTUM = 40
"""Momenta with more terms are not tried."""


def further(
    motion: Motion, degree: int, functions: Sequence[Element], limit: int
) -> Iterator[tuple[str, Space]]:
    """Spaces beside the first one, with the words for them, made as they are asked for."""
    inner = inner_symbols(motion)
    if inner is not None and degree:
        space, searched = suited(motion, degree, functions, limit, rarely=False, inner=inner)
        yield f"{_size(space)} with coefficients of {_atoms(searched)}", space
    p = momenta(motion)
    if p and degree:
        space, searched = suited(motion, degree, functions, limit, rarely=False, momenta=p)
        yield f"{_size(space)} in the momenta with coefficients of {_atoms(searched)}", space


def _size(space: Space) -> str:
    return f"{len(space)} functions"


def _atoms(searched: Searched) -> str:
    factors = f"at most {listed(map(str, searched.weights))} factors"
    return f"{factors} from {listed(map(str, searched.atoms))}" if searched.atoms else "numbers"


def momenta(motion: Motion) -> list[Element]:
    """∂L/∂v without constraints, where it is short and not linear in v with constant coefficients."""
    lagrangian = motion.system.dynamics.lagrangian
    if lagrangian is None or motion.f or motion.levels:
        return []
    field = motion.field
    try:
        (L,) = (field(e) for e in motion.standpoint.apply([lagrangian]))
        found = [L.diff(field.variable(v)) for v in motion.velocities]
    except (BudgetError, EffortError, NotRealError, ArithmeticError, ValueError):
        return []
    here = moving(motion) - set(motion.velocities)
    plain = not any({field.base(x) for x in p.symbols} & here for p in found)
    long = any(p.terms > LONG_MOMENTUM for p in found)
    return [] if plain or long or any(p.is_blank for p in found) else found
